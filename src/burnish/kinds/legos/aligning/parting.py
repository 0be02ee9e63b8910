"""What is too long or too much to be aligned at once is aligned in parts.

Very long sentences in overlapping windows: what a pair costs grows with its words, not with their square. Very large
courses in portions, each learned by itself: what is held in memory stays within bounds.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, groupby

from burnish.kinds.legos.aligning.corpus import Pair

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
