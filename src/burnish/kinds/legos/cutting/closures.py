"""The shortest part of a sentence from a given word on that the alignment lets stand by itself."""

from __future__ import annotations

from collections.abc import Sequence


class Closures:
    """One aligned sentence pair, asked for parts of any length. Linear to make, and so is each answer.

    What a part says in the target must say nothing else: where a target word in between is linked to a source word
    behind the part, the part grows; where it is linked to one before the part, no part from there on will do.
    """

    def __init__(self, words: int, target_words: int, links: Sequence[tuple[int, int]]) -> None:
        self._targets: list[list[int]] = [[] for _ in range(words)]
        self._sources: list[list[int]] = [[] for _ in range(target_words)]
        for source, target in links:
            self._targets[source].append(target)
            self._sources[target].append(source)

    def end_of(self, first: int, end: int) -> int | None:
        """The end of the shortest part that begins at `first`, holds all words up to `end`, and can stand by itself.
        None where there is no such part."""
        place, target_range = first, range(0)
        while place < end:
            for target in self._targets[place]:
                target_range = target_range or range(target, target)
                for new in _up_to(target_range, target):
                    if min(self._sources[new], default=first) < first:
                        return None
                    end = max(end, max(self._sources[new], default=-1) + 1)
                target_range = range(min(target_range.start, target), max(target_range.stop, target + 1))
            place += 1
        return end if target_range else None


def _up_to(places: range, place: int) -> tuple[int, ...]:
    """The places between some and another one, with that one."""
    return *range(place, places.start), *range(places.stop, place + 1)
