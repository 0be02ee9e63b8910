"""Which words of a sentence pair say the same, learned from all the pairs of a course."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, groupby

import numpy as np

from burnish.core.errors import InputError
from burnish.languages.alignment.corpus import Corpus, Pair, corpus_of
from burnish.languages.alignment.training import Training

Links = tuple[tuple[int, int], ...]
"""Source word and target word, counted from 0; sorted."""
LEAST = 0.3
"""How sure both directions together (their geometric mean) must be of a link."""


def linked(corpus: Corpus) -> Iterator[tuple[int, Links]]:
    """For every pair that has words on both sides: its number and its links."""
    for opinion in Training(corpus).opinions():
        sure = np.sqrt(opinion.ahead * opinion.back) >= LEAST
        sources, targets = opinion.batch.source_lengths.tolist(), opinion.batch.target_lengths.tolist()
        for place, row in enumerate(opinion.batch.rows.tolist()):
            found = np.argwhere(sure[place, : sources[place], : targets[place]])
            yield row, tuple((source, target) for source, target in found.tolist())


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


def as_record(links: Links) -> str:
    """`((0, 0), (1, 2))` -> `0-0 1-2`."""
    return " ".join(f"{source}-{target}" for source, target in links)


def from_record(record: str) -> Links:
    """`0-0 1-2` -> `((0, 0), (1, 2))`; in any order, sorted."""
    return tuple(sorted(_link(part) for part in record.split()))


def _link(part: str) -> tuple[int, int]:
    source, _, target = part.partition("-")
    if not (source.isascii() and source.isdecimal() and target.isascii() and target.isdecimal()):
        raise InputError(
            f"'{part[:40]}' is no link between two words.", hint="Links are written as 0-0 1-2, counted from 0."
        )
    return int(source), int(target)


__all__ = ["Links", "Pair", "align", "as_record", "from_record"]


def align(pairs: Sequence[Pair]) -> list[Links]:
    """The links of every pair, in the order of the pairs. Words are bare (see `words.bare`).

    It knows no language, only this course, and leaves nothing to chance. A pair with an empty half has no links.
    """
    found: list[list[tuple[int, int]]] = [[] for _ in pairs]
    for parts in portions(list(windows(pairs))):
        for number, links in linked(corpus_of([part.pair for part in parts])):
            part = parts[number]
            shifted = ((source + part.source_from, target + part.target_from) for source, target in links)
            found[part.row].extend(link for link in shifted if link[0] in part.owned)
    return [tuple(sorted(links)) for links in found]
