"""Counting what is common among very many things, in bounded memory."""

from __future__ import annotations

from collections.abc import Iterator


class Tally:
    """Counts; when there are too many different things, the rarest are forgotten.

    A thing that was forgotten begins anew at zero, so a count may be too low by what was forgotten, never too high.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._counts: dict[str, int] = {}

    def add(self, thing: str) -> None:
        self._counts[thing] = self._counts.get(thing, 0) + 1
        if len(self._counts) > self._most:
            self._forget()

    def count(self, thing: str) -> int:
        return self._counts.get(thing, 0)

    def most_common(self, fewest: int = 1) -> Iterator[tuple[str, int]]:
        """Things that were counted at least so often, the most common first, equals by name."""
        found = [(thing, count) for thing, count in self._counts.items() if count >= fewest]
        return iter(sorted(found, key=lambda pair: (-pair[1], pair[0])))

    def _forget(self) -> None:
        """The rarer half goes, so that this is done once for very many things."""
        floor = sorted(self._counts.values())[len(self._counts) // 2]
        kept = {thing: count for thing, count in self._counts.items() if count > floor}
        if not kept:
            kept = dict(list(self._counts.items())[: self._most // 2])
        self._counts = kept
