"""Iron rule: by the share of LEGOs that break it.

none 10; up to 2 % 9; up to 5 % 8; up to 10 % 7; up to 20 % 5; up to 30 % 3; more 1
"""

from __future__ import annotations

from burnish.kinds.legos.iron_rule import IronRule
from burnish.kinds.legos.scoring.extraction import Extraction

_STEPS = ((0, 10.0), (2, 9.0), (5, 8.0), (10, 7.0), (20, 5.0), (30, 3.0))
"""At most so many per cent: this score."""
_WORST = 1.0


def iron_rule_compliance(extraction: Extraction, rule: IronRule) -> float:
    """The score of the Iron Rule."""
    breaking = sum(piece.violation(extraction.tongue, rule) is not None for piece in extraction.pieces)
    return score_of_share(breaking, len(extraction.pieces))


def score_of_share(breaking: int, legos: int) -> float:
    """The score where so many of the LEGOs break the rule. In whole numbers, so that 2 % is 2 %."""
    return next((score for percent, score in _STEPS if breaking * 100 <= percent * legos), _WORST)
