"""Which aligner does the work: eflomal where somebody installed it, else the built-in one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from burnish.kinds.legos.aligning import align, align_by_eflomal
from burnish.kinds.legos.aligning.corpus import Pair
from burnish.kinds.legos.aligning.eflomal import is_installed
from burnish.kinds.legos.aligning.linking import Links

Aligner = Literal["built-in", "eflomal"]


@dataclass(frozen=True, slots=True)
class Aligned:
    """The links of a course."""

    links: list[Links]
    """In the order of its pairs."""
    by: Aligner
    """Who found them. Only the built-in aligner finds the same ones every time."""


def aligned(pairs: Sequence[Pair], by: Aligner | None = None) -> Aligned:
    """The links of every pair. An aligner that is asked for by name is used or missed, never replaced."""
    chosen = by or ("eflomal" if is_installed() else "built-in")
    return Aligned(align_by_eflomal(pairs) if chosen == "eflomal" else align(pairs), chosen)
