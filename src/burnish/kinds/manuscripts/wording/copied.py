"""Stretches of the source that stand in the translation word for word."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from burnish.kinds.manuscripts.wording.sides import Side, words_of

RUN = 3
"""So many words in the same order are no chance."""


class Run(NamedTuple):
    """Words of the translation, one after the other, that stand so in the source."""

    words: tuple[re.Match[str], ...]
    first: int
    """The number of its first word in the translation."""

    @property
    def start(self) -> int:
        return self.words[0].start()

    @property
    def end(self) -> int:
        return self.words[-1].end()

    @property
    def small_words(self) -> list[str]:
        """Its words without a capital: no names."""
        return [match.group() for match in self.words if match.group()[0].islower()]


def copied_runs(source: Side, target: Side) -> list[Run]:
    """The longest runs, in order; linear, because only neighbours are compared."""
    said = [match.group().lower() for match in words_of(source)]
    known = set(zip(said, said[1:], said[2:], strict=False))
    words = words_of(target)
    lower = [match.group().lower() for match in words]
    shared = [place for place, three in enumerate(zip(lower, lower[1:], lower[2:], strict=False)) if three in known]
    return [Run(tuple(words[first : last + RUN]), first) for first, last in _merged(shared)]


def _merged(places: list[int]) -> Iterator[tuple[int, int]]:
    """Numbers that follow each other closely, as spans: a run goes on where the next three words overlap it."""
    start = -1
    previous = -1
    for place in places:
        if start < 0 or place - previous > 1:
            if start >= 0:
                yield start, previous
            start = place
        previous = place
    if start >= 0:
        yield start, previous
