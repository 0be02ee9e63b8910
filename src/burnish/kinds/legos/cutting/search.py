"""The best set of parts that covers a sentence: dynamic programming from its beginning to its end, linear in words.

What is looked for is the highest mean value of the LEGOs, as the score takes means. A mean cannot be added up; after
Dinkelbach it is reached by adding up values less a mean that is guessed, and guessing again from what was found.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

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


@dataclass(frozen=True, slots=True)
class Step:
    """The best way to cover a sentence up to a word."""

    total: float
    count: int = 0
    part: Part | None = None
    before: Step | None = None

    def path(self) -> tuple[Part, ...]:
        """The parts that it is made of, in order."""
        parts = []
        step: Step | None = self
        while step is not None and step.part is not None:
            parts.append(step.part)
            step = step.before
        return tuple(reversed(parts))


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
            step = self._walked(mean, size)
            if step is None or step.path() == found:
                break
            found = step.path()
            mean += step.total / step.count
        return found

    def _walked(self, mean: float, size: int | None) -> Step | None:
        steps = {self.first: Step(0.0)}
        for place in range(self.first, self.end):
            step = steps.get(place)
            if step is None:
                continue
            for part in self._next_parts(place, step):
                total = step.total + part.value - mean - self.joint(place, part) - _off_size(part, size)
                known = steps.get(part.end)
                if known is None or total > known.total:
                    steps[part.end] = Step(total, step.count + 1, part, step)
        return steps.get(self.end)

    def _next_parts(self, place: int, step: Step) -> list[Part]:
        """What may follow: a part that begins where the last one ends, or shares a few of its words."""
        earliest = place if step.part is None else max(step.part.first + 1, place - _MOST_SHARED)
        return [
            part for first in range(place, earliest - 1, -1) for part in self.beginning_at(first) if part.end > place
        ]

    def joint(self, place: int, part: Part) -> float:
        """What it costs that a part follows another one that ends in front of a place."""
        shared = place - part.first
        sharing = _SHARING + _SHARED_WORD * shared if shared else 0.0
        return sharing + _SPLIT_VERB * sum(not part.holds(verb) for verb in self.verbs_over.get(place, ()))


def _off_size(part: Part, size: int | None) -> float:
    return 0.0 if size is None else _OTHER_SIZE * abs(part.size - size)


def verbs_over(verbs: Sequence[Verb]) -> dict[int, list[Verb]]:
    """For each word the multi-word verbs that a cut in front of it would split."""
    found: dict[int, list[Verb]] = {}
    for verb in verbs:
        for place in range(verb.first + 1, verb.end):
            found.setdefault(place, []).append(verb)
    return found
