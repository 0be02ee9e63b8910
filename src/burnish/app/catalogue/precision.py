"""Precision: how often people agreed with a rule or a judge, and how sure that number is."""

from __future__ import annotations

import math
from dataclasses import dataclass

from burnish.app.catalogue.judgements import JUDGE

_Z = 1.959963984540054
"""Of a 95 % interval."""


@dataclass(frozen=True, slots=True)
class PrecisionLine:
    """What people's decisions say of one rule or judge."""

    who: str
    """A rule's id, or `model:NAME`."""
    kind: str
    right: int
    """How often a person mended what it found, or sent the unit back."""
    of: int
    """How often a person decided at all: those who accepted its finding as no fault are in it too."""
    share: float
    low: float
    """The lower end of the 95 % interval."""
    high: float

    @property
    def is_judge(self) -> bool:
        return self.who.startswith(JUDGE)

    @classmethod
    def counted(cls, who: str, kind: str, right: int, of: int) -> PrecisionLine:
        """The line with its share and interval. `of` is at least one."""
        low, high = wilson(right, of)
        return cls(who, kind, right, of, right / of, low, high)


def wilson(right: int, of: int) -> tuple[float, float]:
    """The 95 % interval of a share, after Wilson: right also for few cases, and for none or all of them."""
    if of <= 0:
        return 0.0, 1.0
    share, spread = right / of, _Z * _Z / of
    middle = share + spread / 2
    reach = _Z * math.sqrt(share * (1 - share) / of + spread / (4 * of))
    low, high = (middle - reach) / (1 + spread), (middle + reach) / (1 + spread)
    # Rounding must not push the ends over what is possible, nor past the share itself.
    return max(0.0, min(low, share)), min(1.0, max(high, share))
