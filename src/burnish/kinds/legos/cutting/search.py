"""The best set of parts that covers a sentence: dynamic programming from its beginning to its end, linear in words.

What is looked for is the highest mean value of the LEGOs, as the score takes means. A mean cannot be added up; after
Dinkelbach it is reached by adding up values less a mean that is guessed, and guessing again from what was found.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

from burnish.kinds.legos.cutting.parts import Part
from burnish.kinds.legos.multiwords import Verb

_ROUNDS = 3
_MOST_SHARED = 3
"""Words that two neighbouring LEGOs may share."""
_SHARING = 0.15
_SHARED_WORD = 0.12
_SPLIT_VERB = 2.0
"""A multi-word verb is left whole, whatever else that costs, where any part holds it."""
_OTHER_SIZE = 0.05
"""For each word more or less than the wanted size, when even sizes are looked for."""
_NEVER = float("-inf")


class _Move(NamedTuple):
    """A part that may follow one that ends in front of a place."""

    gain: float
    """Its value, less what it costs that it follows there."""
    first: int
    end: int
    part: Part


@dataclass(frozen=True)
class Board:
    """The parts that a sentence can be covered with."""

    first: int
    end: int
    beginning_at: Callable[[int], Sequence[Part]]
    """The parts that begin with a word."""
    verbs_over: Mapping[int, Sequence[Verb]]
    """The multi-word verbs that a cut in front of a word would split."""

    def best(self, size: int | None = None) -> tuple[Part, ...]:
        """The parts that cover the sentence best, in order; nothing where none do. `size` is how many words each should
        have, where sizes should be even."""
        mean = 0.0
        found: tuple[Part, ...] = ()
        for _ in range(_ROUNDS):
            parts = self._walked(mean, size)
            if parts == found:
                break
            found = parts
            mean = self.worth(found) - sum(_off_size(part.size, size) for part in found) / len(found)
        return found

    def worth(self, parts: Sequence[Part]) -> float:
        """The mean value of parts that cover the sentence, less what it costs that they follow each other."""
        joints = sum(self._joint(before.end, part) for before, part in pairwise(parts))
        return (sum(part.value for part in parts) - joints) / len(parts)

    def _walked(self, mean: float, size: int | None) -> tuple[Part, ...]:
        """The parts with the highest sum of their values less a mean."""
        totals = {self.first: 0.0}
        last: dict[int, tuple[Part, int]] = {}
        cost = [mean + _off_size(count, size) for count in range(self.end - self.first + 1)]
        for place, moves in enumerate(self._moves, start=self.first):
            total = totals.get(place)
            if total is None:
                continue
            behind = last[place][0].first if place in last else place - 1
            for gain, first, end, part in moves:
                reached = total + gain - cost[end - first]
                if reached > totals.get(end, _NEVER) and first > behind:
                    totals[end] = reached
                    last[end] = part, place
        return _path(last, self.end)

    @cached_property
    def _moves(self) -> list[list[_Move]]:
        """For every place what may follow a part that ends there: a part that begins there, or shares a few words."""
        return [
            [
                _Move(part.value - self._joint(place, part), part.first, part.end, part)
                for first in range(place, max(self.first, place - _MOST_SHARED) - 1, -1)
                for part in self.beginning_at(first)
                if part.end > place
            ]
            for place in range(self.first, self.end)
        ]

    def _joint(self, place: int, part: Part) -> float:
        """What it costs that a part follows another one that ends in front of a place."""
        shared = place - part.first
        cost = _SHARING + _SHARED_WORD * shared if shared else 0.0
        for verb in self.verbs_over.get(place, ()):
            cost += 0.0 if part.holds(verb) else _SPLIT_VERB
        return cost


def _off_size(count: int, size: int | None) -> float:
    return 0.0 if size is None else _OTHER_SIZE * abs(count - size)


def _path(last: Mapping[int, tuple[Part, int]], end: int) -> tuple[Part, ...]:
    """The parts that lead to an end, in order; none where nothing leads there."""
    parts = []
    while end in last:
        part, end = last[end]
        parts.append(part)
    return tuple(reversed(parts))


def verbs_over(verbs: Sequence[Verb]) -> dict[int, list[Verb]]:
    """For each word the multi-word verbs that a cut in front of it would split."""
    found: dict[int, list[Verb]] = {}
    for verb in verbs:
        for place in range(verb.first + 1, verb.end):
            found.setdefault(place, []).append(verb)
    return found
