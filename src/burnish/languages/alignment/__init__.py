"""Which words of a sentence pair say the same, learned from all the pairs of a course."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, groupby

import numpy as np

from burnish.core.errors import InputError
from burnish.languages.alignment.corpus import Corpus, Pair, corpus_of
from burnish.languages.alignment.training import Known, Training
from burnish.languages.lexicon import Lexicon, stems

Links = tuple[tuple[int, int], ...]
"""Source word and target word, counted from 0; sorted."""
SureLinks = Mapping[tuple[int, int], float]
"""Links with how sure both directions together are of them (their geometric mean), 0..1."""
LEAST = 0.3
"""How sure one must be of a link to count it."""
DOUBTFUL = 0.05
"""Links that one is less sure of are not even noted."""


def linked(corpus: Corpus, known: Known | None = None) -> Iterator[tuple[int, SureLinks]]:
    """For every pair that has words on both sides: its number and its links, doubtful ones among them."""
    for opinion in Training(corpus, known).opinions():
        sure = np.sqrt(opinion.ahead * opinion.back)
        sources, targets = opinion.batch.source_lengths.tolist(), opinion.batch.target_lengths.tolist()
        for place, row in enumerate(opinion.batch.rows.tolist()):
            cells = sure[place, : sources[place], : targets[place]]
            found = np.argwhere(cells >= DOUBTFUL)
            yield row, {(one, other): round(float(cells[one, other]), 2) for one, other in found.tolist()}


def translations(corpus: Corpus, lexicon: Lexicon) -> Known:
    """What a bilingual lexicon knows of the words that meet in a course."""
    source = [_stems(word, lexicon.source) for word in corpus.source.words]
    target = [_stems(word, lexicon.target) for word in corpus.target.words]
    ahead, back = np.zeros(corpus.meetings), np.zeros(corpus.meetings)
    for meeting, both in enumerate(zip(corpus.meeting_sources.tolist(), corpus.meeting_targets.tolist(), strict=True)):
        for one in source[both[0]]:
            row = lexicon.links.get(one)
            for other in target[both[1]] if row else ():
                count = row.get(other, 0.0) if row else 0.0
                if count:
                    ahead[meeting] = max(ahead[meeting], count / (lexicon.source_words[one] + 1))
                    back[meeting] = max(back[meeting], count / (lexicon.target_words[other] + 1))
    return ahead, back


def _stems(word: str, language: str) -> list[str]:
    return [stem.text for stem in stems(word, language)]


_LINK = re.compile(r"([0-9]+)-([0-9]+)(?::([0-9]{1,3}))?")
LONGEST = 120
"""Sentences up to this many words are taken whole."""
CORE = 60
MARGIN = 30
"""A window owns this many words, and sees so many more on each side."""
PORTION_CELLS = 8_000_000
"""Pairs of words that meet, as many as are learned from at once: 10,000 sentences of 28 words each."""


@dataclass(frozen=True, slots=True)
class Window:
    """A part of a sentence pair."""

    row: int
    """Which pair."""
    pair: Pair
    source_from: int
    target_from: int
    """Where the window begins."""
    owned: range
    """Source words (of the whole sentence) whose links are taken from this window."""

    @property
    def cells(self) -> int:
        return len(self.pair[0]) * len(self.pair[1])


def windows(pairs: Sequence[Pair]) -> Iterator[Window]:
    """Every pair whole, or in windows along its diagonal."""
    for row, (source, target) in enumerate(pairs):
        longest = max(len(source), len(target))
        if longest <= LONGEST:
            yield Window(row, (source, target), 0, 0, range(len(source)))
        else:
            yield from _cut(row, source, target, -(-longest // CORE))


def portions(parts: Sequence[Window]) -> Iterator[list[Window]]:
    """Windows that are learned from together: all of them, but in a very large course those of about one size."""
    if sum(part.cells for part in parts) <= PORTION_CELLS:
        yield list(parts)
        return
    ordered = sorted(parts, key=lambda part: (part.cells, *map(tuple, part.pair)))
    upto = accumulate(part.cells for part in ordered)
    for _, portion in groupby(zip(upto, ordered, strict=True), key=lambda one: one[0] // PORTION_CELLS):
        yield [part for _, part in portion]


def _cut(row: int, source: Sequence[str], target: Sequence[str], count: int) -> Iterator[Window]:
    for place in range(count):
        first, end = len(source) * place // count, len(source) * (place + 1) // count
        target_first, target_end = len(target) * place // count, len(target) * (place + 1) // count
        source_from, target_from = max(0, first - MARGIN), max(0, target_first - MARGIN)
        part = (source[source_from : end + MARGIN], target[target_from : target_end + MARGIN])
        yield Window(row, part, source_from, target_from, range(first, end))


def as_record(links: SureLinks) -> str:
    """`{(0, 0): 1.0, (1, 2): 0.41}` -> `0-0:100 1-2:41`."""
    return " ".join(f"{one}-{other}:{100 * sure:.0f}" for (one, other), sure in links.items())


def from_record(record: str) -> SureLinks:
    """The links of a record, sorted; those without a number are sure: `0-0 1-2`."""
    return dict(sorted(_link(part) for part in record.split()))


def _link(part: str) -> tuple[tuple[int, int], float]:
    match = _LINK.fullmatch(part)
    if match is None:
        raise InputError(
            f"'{part[:40]}' is no link between two words.", hint="Links are written as 0-0 1-2:41, counted from 0."
        )
    return (int(match[1]), int(match[2])), int(match[3] or 100) / 100


__all__ = ["Links", "Pair", "SureLinks", "align", "as_record", "counted", "from_record", "sure_links"]


def align(pairs: Sequence[Pair], lexicon: Lexicon | None = None) -> list[Links]:
    """The links of every pair, in the order of the pairs. Words are bare (see `words.bare`).

    It knows this course only, and what a bilingual lexicon tells where one is given; it leaves nothing to chance. A
    pair with an empty half has no links.
    """
    return [counted(links) for links in sure_links(pairs, lexicon)]


def counted(links: SureLinks) -> Links:
    """The links that one is sure enough of."""
    return tuple(sorted(link for link, sure in links.items() if sure >= LEAST))


def sure_links(pairs: Sequence[Pair], lexicon: Lexicon | None = None) -> list[SureLinks]:
    """The same with doubtful links, each with how sure it is. What is drawn together says two things: "that's" is
    linked by its parts."""
    apart = [(_apart(source), _apart(target)) for source, target in pairs]
    found: list[dict[tuple[int, int], float]] = [{} for _ in pairs]
    for parts in portions(
        list(windows([([part for _, part in one], [part for _, part in other]) for one, other in apart]))
    ):
        corpus = corpus_of([part.pair for part in parts])
        known = translations(corpus, lexicon) if lexicon is not None else None
        for number, links in linked(corpus, known):
            part = parts[number]
            ours, theirs = apart[part.row]
            for (source, target), sure in links.items():
                if source + part.source_from in part.owned:
                    link = ours[source + part.source_from][0], theirs[target + part.target_from][0]
                    found[part.row][link] = max(sure, found[part.row].get(link, 0.0))
    return [dict(sorted(links.items())) for links in found]


def _apart(words: Sequence[str]) -> list[tuple[int, str]]:
    """The parts of words that an apostrophe joins, each with the place of its word."""
    return [(place, part) for place, word in enumerate(words) for part in word.split("'") if part or word == "'"]
