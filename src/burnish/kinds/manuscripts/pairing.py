"""Align the paragraphs of two files, even if their structures differ, and find misplaced translations.

Paragraphs are aligned in order (Gale and Church 1993): each pairing has a score from lengths, kinds of blocks, words by
the bilingual lexicon, and numbers, names and addresses that look or sound the same. One paragraph may match two, or
none. Only paths near the best one are followed, so that time grows linearly with the length of the files.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import NamedTuple

from burnish.kinds.manuscripts.model import Paragraph
from burnish.languages.lexicon import Lexicon, Stem, letters_of, lexicon_for, stems
from burnish.text.markdown import markdown

MOVES = ((1, 1), (1, 0), (0, 1), (1, 2), (2, 1), (1, 3), (3, 1), (2, 2))
"""How many paragraphs of the source and of the translation one step takes."""
ALONE = -2.0
"""The score of a paragraph without a match."""
JOINED = -3.0
"""The score of two paragraphs that match one; each further one counts as a paragraph without a match."""
WORD_WEIGHT = 0.15
"""Words of a paragraph are not independent, so each counts only in part."""
WORDS_AT_MOST, WORDS_AT_LEAST = 12.0, -6.0
LENGTHS_AT_LEAST = -6.0
SAME_KIND, OTHER_KIND, OTHER_LEVEL, HEADING_OR_NOT = 0.5, -1.0, -2.0, -6.0
LENGTH_SPREAD, LETTER_SPREAD = 0.04, 1.4
"""Variance of the logarithm of the ratio of lengths: of any two texts, and the addition for short ones."""
BEHIND, MOST_WAYS = 25.0, 24
"""Paths that are this far behind the best, or behind so many better ones, are dropped."""


class Pairing(NamedTuple):
    """Matching paragraphs of the source and of the translation, by their numbers."""

    ours: range
    theirs: range


@dataclass(frozen=True, slots=True)
class _Text:
    words: list[Stem]
    letters: int
    sort: str = ""
    is_heading: bool = False


def pairings(
    ours: Sequence[Paragraph], theirs: Sequence[Paragraph], languages: tuple[str, str], own: Lexicon | None = None
) -> list[Pairing]:
    """The alignment of all paragraphs of both sides, in order; one side of a pairing may be empty. `own`: the user's
    lexicon."""
    return pairing_with(lexicon_for(*languages, own) or Lexicon(*languages, {}, {}, {}), ours, theirs)


def aligned_paragraphs(
    ours: Sequence[Paragraph],
    theirs: Sequence[Paragraph],
    languages: tuple[str, str],
    own: Lexicon | None,
    is_alike: Callable[[Paragraph, Paragraph], bool],
) -> Iterator[tuple[list[Paragraph], list[Paragraph]]]:
    """Matching paragraphs, in order; one side may be empty. Files of the same structure are paired block by block,
    unless that shifts a run of them: if a paragraph is missing in one place and added in another, all between belong
    to their neighbours."""
    if len(ours) == len(theirs) and all(map(is_alike, ours, theirs)):
        neighbours = Neighbours(own)
        source, target = languages
        for one, other in zip(ours, theirs, strict=True):
            neighbours.add(replace(one, translation=other.text, source_language=source, target_language=target))
        if not neighbours.shifted():
            yield from (([one], [other]) for one, other in zip(ours, theirs, strict=True))
            return
    for some, others in pairings(ours, theirs, languages, own):
        yield [ours[place] for place in some], [theirs[place] for place in others]


def pairing_with(lexicon: Lexicon, ours: Sequence[Paragraph], theirs: Sequence[Paragraph]) -> list[Pairing]:
    sizes = [max(1, sum(len(one.text) for one in side)) for side in (ours, theirs)]
    ratio = math.log(sizes[1] / sizes[0])
    sources, answers = [_text(one, lexicon.source) for one in ours], [_text(one, lexicon.target) for one in theirs]
    return _Ways(sources, answers, lexicon, ratio).best()


FITS = 4.0
"""A translation whose words score so high is in its place: its neighbours are not compared."""
EXCHANGED = 4.0
"""How much better two translations must fit each other's source before they are called exchanged."""
SHIFTED, FEWEST_SHIFTED = 7.0, 4
"""How much better a run of translations must fit the source next to their own, and how long it must be."""
NOWHERE = -5.0
"""The score against extending a run over a translation that fits its own source."""


class Neighbours:
    """Translations that fit the source of a neighbour better than their own: exchanged, or all shifted by one.

    Paragraphs are added one by one, in order; only a few numbers of each are kept.
    """

    def __init__(self, own: Lexicon | None = None) -> None:
        self._own = own
        self._ids: list[str] = []
        self._fits: list[float | None] = []
        """How well each translation fits its own source; None if it certainly does, or if this is unknown."""
        self._before: list[float] = []
        """How much better the previous paragraph's translation fits each source; in `_after`, the next one's."""
        self._after: list[float] = []
        self._last: tuple[_Text, _Text, Lexicon] | None = None

    def add(self, paragraph: Paragraph) -> None:
        languages = paragraph.source_language, paragraph.target_language
        lexicon = None if languages[0] == languages[1] else lexicon_for(*languages, self._own)
        self._ids.append(paragraph.id)
        self._before.append(NOWHERE)
        self._after.append(NOWHERE)
        if lexicon is None or not paragraph.translation.strip():
            self._last = None
            self._fits.append(None)
            return
        sides = (paragraph.text, lexicon.source), (paragraph.translation, lexicon.target)
        words = (stems(markdown(text).prose, language) for text, language in sides)
        source, answer = (_Text(some, letters_of(some)) for some in words)
        ways = _Ways([source], [answer], lexicon, lexicon.about["length"])
        speaks = ways.words([source], [answer])
        self._fits.append(None if speaks >= FITS else speaks + ways.lengths([source], [answer]))
        if self._last is not None and self._last[2] is lexicon:
            self._compare(*self._last[:2], source, answer, ways)
        self._last = source, answer, lexicon

    def _compare(self, source: _Text, answer: _Text, next_source: _Text, next_answer: _Text, ways: _Ways) -> None:
        """Compare the last two paragraphs crosswise."""
        place = len(self._ids) - 1
        for places, text, other, own in (
            (self._after, source, next_answer, place - 1),
            (self._before, next_source, answer, place),
        ):
            fit = self._fits[own]
            if fit is not None:
                places[own] = ways.words([text], [other]) + ways.lengths([text], [other]) - fit

    def shifted(self) -> dict[str, str]:
        """Paragraph id -> the paragraph whose source its translation fits, in runs that are shifted by one."""
        found: dict[str, str] = {}
        # If the previous translation fits a source better, that translation is one place too early. If the own
        # translation fits badly, both neighbours do better; the better of them decides the direction.
        for gains, others, step in ((self._before, self._after, -1), (self._after, self._before, 1)):
            ahead = [gain - max(0.0, other) for gain, other in zip(gains, others, strict=True)]
            for start, stop in _runs(ahead):
                found |= {self._ids[place + step]: self._ids[place] for place in range(start, stop)}
        return found

    def misplaced(self) -> dict[str, str]:
        """Paragraph id -> the paragraph whose source its translation fits: shifted, or exchanged."""
        found = self.shifted()
        for one, other in pairwise(range(len(self._ids))):
            both = self._after[one], self._before[other]
            is_known = self._ids[one] in found or self._ids[other] in found
            if min(both) > 0 and sum(both) >= EXCHANGED and not is_known:
                found |= {self._ids[one]: self._ids[other], self._ids[other]: self._ids[one]}
        return found


def _runs(gains: Sequence[float]) -> Iterator[tuple[int, int]]:
    """Runs of places with a high sum, each cut where its sum is highest."""
    start, total, best, stop = 0, 0.0, 0.0, 0
    for place, gain in enumerate([*gains, -math.inf]):
        if total + gain <= 0:
            if best >= SHIFTED and stop - start >= FEWEST_SHIFTED:
                yield start, stop
            start, total, best, stop = place + 1, 0.0, 0.0, place + 1
            continue
        total += gain
        if total > best:
            best, stop = total, place + 1


def _text(paragraph: Paragraph, language: str) -> _Text:
    is_heading = paragraph.block == "heading"
    words = stems(paragraph.text, language)
    return _Text(words, letters_of(words), heading_level(paragraph) if is_heading else paragraph.block, is_heading)


def heading_level(paragraph: Paragraph) -> str:
    """The marks of a heading, before or below it."""
    return paragraph.frame.first.strip() or paragraph.frame.last.strip()[:1]


class _Ways:
    """The paths of alignment of two files, from their beginning on."""

    def __init__(self, ours: list[_Text], theirs: list[_Text], lexicon: Lexicon, ratio: float) -> None:
        self._ours, self._theirs, self._lexicon, self._ratio = ours, theirs, lexicon, ratio

    def best(self) -> list[Pairing]:
        end = (len(self._ours), len(self._theirs))
        came_from: dict[tuple[int, int], tuple[int, int]] = {}
        # Places by the number of paragraphs of both files before them: every step leads to a later one.
        waiting: list[dict[tuple[int, int], float]] = [{} for _ in range(sum(end) + 1)]
        waiting[0][0, 0] = 0.0
        for places in waiting:
            ordered = sorted(places, key=lambda place: -places[place])[:MOST_WAYS]
            for place in ordered:
                if place == end or places[place] < places[ordered[0]] - BEHIND:
                    continue
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
        found: list[Pairing] = []
        place = end
        while place != (0, 0):
            before = came_from[place]
            found.append(Pairing(range(before[0], place[0]), range(before[1], place[1])))
            place = before
        return found[::-1]

    def _worth(self, place: tuple[int, int], step: tuple[int, int]) -> float:
        if 0 in step:
            return ALONE
        ours = self._ours[place[0] : place[0] + step[0]]
        theirs = self._theirs[place[1] : place[1] + step[1]]
        lengths, several = self.lengths(ours, theirs), sum(step) - 2
        if several and not self._needs_all(ours, theirs, lengths):
            return -math.inf
        joined = JOINED + (several - 1) * ALONE if several else 0.0
        return _kinds(ours + theirs) + lengths + joined + self.words(ours, theirs)

    def _needs_all(self, ours: list[_Text], theirs: list[_Text], lengths: float) -> bool:
        """Whether the lengths fit worse without the first or the last of either side; else words are not compared."""
        fewer = [(some, theirs) for some in (ours[1:], ours[:-1]) if some]
        fewer += [(ours, some) for some in (theirs[1:], theirs[:-1]) if some]
        return all(self.lengths(*left) < lengths for left in fewer)

    def lengths(self, ours: list[_Text], theirs: list[_Text]) -> float:
        one, other = (sum(text.letters for text in side) + 1 for side in (ours, theirs))
        apart = math.log(other / one) - self._ratio
        variance = LENGTH_SPREAD + LETTER_SPREAD / min(one, other)
        return max(LENGTHS_AT_LEAST, -apart * apart / (2 * variance))

    def words(self, ours: list[_Text], theirs: list[_Text]) -> float:
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
