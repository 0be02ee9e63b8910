"""Rounding of scores."""

from __future__ import annotations

import math

_SLACK = 1e-9
"""Sums of tenths and twentieths are not exact in binary: 7.95 may come out a hair below."""


def one_decimal(score: float) -> float:
    """A score with one decimal, halves upwards: people round so, and `round` does not."""
    return math.floor(score * 10 + 0.5 + _SLACK) / 10


def mean(scores: list[float]) -> float:
    return math.fsum(scores) / len(scores)
