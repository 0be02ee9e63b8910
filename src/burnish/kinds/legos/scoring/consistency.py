"""Consistency: even sizes within the SEED, and the same pattern cut the same way across the course.

.50 spread of sizes    standard deviation up to .8 10; up to 1.2 9; up to 1.5 8; up to 2 6; more 4
.50 habits             10 times the share of the course that cuts the same neighbouring words alike
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from burnish.kinds.legos.habits import Habits
from burnish.kinds.legos.scoring.extraction import Extraction
from burnish.kinds.legos.scoring.rounding import mean

_STEPS = ((0.8, 10.0), (1.2, 9.0), (1.5, 8.0), (2.0, 6.0))
"""At most this spread: this score."""
_WORST = 4.0
_SLACK = 1e-9


def consistency(extraction: Extraction, habits: Habits | None) -> float:
    """The score of consistency. Where no habits are known nothing contradicts the cut."""
    agreement = habits.agreement(extraction.words, extraction.spans) if habits is not None else 1.0
    return 0.50 * spread_score(spread([piece.size for piece in extraction.pieces])) + 0.50 * 10 * agreement


def spread(sizes: Sequence[int]) -> float:
    """The standard deviation of sizes, over all of them: they are no sample."""
    middle = mean([float(size) for size in sizes])
    return math.sqrt(mean([(size - middle) ** 2 for size in sizes]))


def spread_score(deviation: float) -> float:
    return next((score for limit, score in _STEPS if deviation <= limit + _SLACK), _WORST)
