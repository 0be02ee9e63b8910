"""Which paragraphs of two files belong together, where the files are not built alike.

Paragraphs are laid beside each other in their order (Gale and Church 1993): each pairing costs what speaks against it,
their lengths, their kinds, their words by the bilingual lexicon, and numbers, names and addresses that look or sound
the same. One may answer two, and one may have no answer. Only ways near the best so far are followed, so that time
grows with the length of the files, not with its square.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from burnish.kinds.manuscripts.model import Paragraph
from burnish.languages.lexicon import Lexicon, Stem, stems
from burnish.languages.lexicons import lexicon_for

MOVES = ((1, 1), (1, 0), (0, 1), (1, 2), (2, 1))
"""How many paragraphs of the source and of the translation one step takes."""
ALONE = -2.0
"""For a paragraph without an answer."""
JOINED = -2.0
"""For two that are answered by one, or one by two."""
WORD_WEIGHT = 0.15
"""Words of a paragraph say much the same thing, so each counts for a part only."""
WORDS_AT_MOST, WORDS_AT_LEAST = 12.0, -6.0
LENGTHS_AT_LEAST = -6.0
SAME_KIND, OTHER_KIND, OTHER_LEVEL, HEADING_OR_NOT = 0.5, -1.0, -2.0, -6.0
LENGTH_SPREAD, LETTER_SPREAD = 0.04, 1.4
"""Variance of the logarithm of two lengths: of any two texts, and what short ones add for each letter they lack."""
BEHIND, MOST_WAYS = 25.0, 24
"""Ways that are this far behind the best, or behind so many better ones, are not followed any more."""


class Pairing(NamedTuple):
    """Paragraphs of the source and of the translation, by their numbers, that belong together."""

    ours: range
    theirs: range


@dataclass(frozen=True, slots=True)
class _Text:
    words: list[Stem]
    sort: str
    is_heading: bool

    @property
    def letters(self) -> int:
        return sum(word.end - word.start for word in self.words)


def pairings(ours: Sequence[Paragraph], theirs: Sequence[Paragraph], languages: tuple[str, str]) -> list[Pairing]:
    """Every paragraph of both sides in one pairing, in their order; one side of a pairing may be empty."""
    return pairing_with(lexicon_for(*languages) or Lexicon(*languages, {}, {}, {}), ours, theirs)


def pairing_with(lexicon: Lexicon, ours: Sequence[Paragraph], theirs: Sequence[Paragraph]) -> list[Pairing]:
    ratio = math.log(max(1, _length(theirs)) / max(1, _length(ours)))
    sources, answers = [_text(one, lexicon.source) for one in ours], [_text(one, lexicon.target) for one in theirs]
    return _Ways(sources, answers, lexicon, ratio).best()


def _length(paragraphs: Sequence[Paragraph]) -> int:
    return sum(len(one.text) for one in paragraphs)


def _text(paragraph: Paragraph, language: str) -> _Text:
    is_heading = paragraph.block == "heading"
    return _Text(
        stems(paragraph.text, language), heading_level(paragraph) if is_heading else paragraph.block, is_heading
    )


def heading_level(paragraph: Paragraph) -> str:
    """The marks of a heading, before or below it."""
    return paragraph.frame.first.strip() or paragraph.frame.last.strip()[:1]


class _Ways:
    """The ways in which two files can be laid beside each other, from their beginning on."""

    def __init__(self, ours: list[_Text], theirs: list[_Text], lexicon: Lexicon, ratio: float) -> None:
        self._ours, self._theirs, self._lexicon, self._ratio = ours, theirs, lexicon, ratio

    def best(self) -> list[Pairing]:
        end = (len(self._ours), len(self._theirs))
        came_from: dict[tuple[int, int], tuple[int, int]] = {}
        # Places by how many paragraphs of both files lie behind them: every step leads to a later one.
        waiting: list[dict[tuple[int, int], float]] = [{} for _ in range(sum(end) + 1)]
        waiting[0][0, 0] = 0.0
        for places in waiting:
            for place in self._followed(places, end):
                for step in MOVES:
                    reached = (place[0] + step[0], place[1] + step[1])
                    if reached[0] > end[0] or reached[1] > end[1]:
                        continue
                    worth = places[place] + self._worth(place, step)
                    known = waiting[sum(reached)]
                    if worth > known.get(reached, -math.inf):
                        known[reached] = worth
                        came_from[reached] = place
            places.clear()
        return _walked(came_from, end)

    def _followed(self, places: dict[tuple[int, int], float], end: tuple[int, int]) -> list[tuple[int, int]]:
        ordered = sorted(places, key=lambda place: -places[place])[:MOST_WAYS]
        return [place for place in ordered if place != end and places[place] >= places[ordered[0]] - BEHIND]

    def _worth(self, place: tuple[int, int], step: tuple[int, int]) -> float:
        if 0 in step:
            return ALONE
        ours = self._ours[place[0] : place[0] + step[0]]
        theirs = self._theirs[place[1] : place[1] + step[1]]
        worth = _kinds(ours + theirs) + self._lengths(ours, theirs) + self._words(ours, theirs)
        return worth if step == (1, 1) else worth + JOINED

    def _lengths(self, ours: list[_Text], theirs: list[_Text]) -> float:
        one, other = (sum(text.letters for text in side) + 1 for side in (ours, theirs))
        apart = math.log(other / one) - self._ratio
        variance = LENGTH_SPREAD + LETTER_SPREAD / min(one, other)
        return max(LENGTHS_AT_LEAST, -apart * apart / (2 * variance))

    def _words(self, ours: list[_Text], theirs: list[_Text]) -> float:
        compared = self._lexicon.compare_stems(
            [word for text in ours for word in text.words], [word for text in theirs for word in text.words]
        )
        weights = sum(weight for side in (compared.source, compared.target) for _, weight in side)
        return max(WORDS_AT_LEAST, min(WORDS_AT_MOST, WORD_WEIGHT * weights))


def _kinds(texts: list[_Text]) -> float:
    if len({text.is_heading for text in texts}) > 1:
        return HEADING_OR_NOT
    if len({text.sort for text in texts}) == 1:
        return SAME_KIND
    return OTHER_LEVEL if texts[0].is_heading else OTHER_KIND


def _walked(came_from: dict[tuple[int, int], tuple[int, int]], end: tuple[int, int]) -> list[Pairing]:
    found: list[Pairing] = []
    place = end
    while place != (0, 0):
        before = came_from[place]
        found.append(Pairing(range(before[0], place[0]), range(before[1], place[1])))
        place = before
    return found[::-1]
