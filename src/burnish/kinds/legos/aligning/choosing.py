"""Which aligner does the work: the one that was asked for, never another in its place.

The built-in one is the default: on sentences that people aligned it makes fewer errors than eflomal, in less time, and
finds the same links every time (`python -m bench.eval.alignment`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from burnish.kinds.legos.aligning import align
from burnish.kinds.legos.aligning.corpus import Pair
from burnish.kinds.legos.aligning.eflomal import align_by_eflomal
from burnish.kinds.legos.aligning.linking import Links

Aligner = Literal["built-in", "eflomal"]


def aligned(pairs: Sequence[Pair], by: Aligner) -> list[Links]:
    """The links of every pair, in the order of the pairs."""
    return align_by_eflomal(pairs) if by == "eflomal" else align(pairs)
