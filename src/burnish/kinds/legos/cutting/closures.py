"""The parts of a sentence from a given word on, of any length, that the alignment lets stand by themselves."""

from __future__ import annotations

from collections.abc import Iterator, Sequence


class Closures:
    """One aligned sentence pair, asked for parts of any length. Linear to make, and so are all answers for a word.

    What a part says in the target must say nothing else: where a target word in between is linked to a source word
    behind the part, the part grows; where it is linked to one before the part, no part from there on will do.
    """

    def __init__(self, words: int, target_words: int, links: Sequence[tuple[int, int]]) -> None:
        self._targets: list[list[int]] = [[] for _ in range(words)]
        self._sources: list[list[int]] = [[] for _ in range(target_words)]
        for source, target in links:
            self._targets[source].append(target)
            self._sources[target].append(source)

    def ends(self, first: int, at_least: int) -> Iterator[int]:
        """Where the parts end that begin at `first` and can stand by themselves, from a place on, in order."""
        targets = range(0)
        end = at_least
        for place in range(first, len(self._targets)):
            for target in self._targets[place]:
                targets = targets or range(target, target)
                for new in _up_to(targets, target):
                    if min(self._sources[new], default=first) < first:
                        return
                    end = max(end, max(self._sources[new], default=-1) + 1)
                targets = range(min(targets.start, target), max(targets.stop, target + 1))
            if place + 1 >= end and targets:
                yield place + 1


def _up_to(places: range, place: int) -> tuple[int, ...]:
    """The places between some and another one, with that one."""
    return *range(place, places.start), *range(places.stop, place + 1)
