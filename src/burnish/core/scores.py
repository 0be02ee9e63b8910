"""Scorecards: dimension -> score. Only finite numbers inside their range count as scores at all."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Self, TypeGuard


@dataclass(frozen=True, slots=True)
class Dimension:
    """One thing that is scored, and the line it has to reach."""

    name: str
    minimum: float
    lowest: float = 0.0
    highest: float = 1.0

    def holds(self, value: object) -> bool:
        """Whether `value` is a usable score: a finite number in range. True and "9" are not numbers."""
        return is_number(value) and self.lowest <= value <= self.highest


def is_number(value: object) -> TypeGuard[int | float]:
    """A finite number that a float can hold. True, "9" and 10**400 are none."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    try:
        return math.isfinite(value)
    except OverflowError:
        return False


@dataclass(frozen=True, slots=True)
class Scorecard:
    """Scores as they were claimed. What cannot be used is named, so that a gate can stay shut over it."""

    scores: Mapping[str, float]
    unusable: tuple[str, ...] = ()
    """Names that came twice, or with a value that is no finite number."""

    @classmethod
    def of(cls, claims: Mapping[str, object] | Iterable[tuple[str, object]]) -> Self:
        pairs = list(claims.items()) if isinstance(claims, Mapping) else list(claims)
        scores: dict[str, float] = {}
        unusable: list[str] = []
        for name, value in pairs:
            if name not in scores and name not in unusable and is_number(value):
                scores[name] = float(value)
            else:
                unusable.append(name)
        kept = {name: score for name, score in scores.items() if name not in unusable}
        return cls(kept, tuple(dict.fromkeys(unusable)))
