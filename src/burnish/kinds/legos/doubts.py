"""Doubts: halves of a LEGO that may not say the same, as far as the words of the course tell."""

from __future__ import annotations

from burnish.kinds.legos.aligning import Links
from burnish.kinds.legos.model import Seed

LOWEST_CONFIDENCE = 0.1


def doubtful(seed: Seed, links: Links) -> tuple[str, ...]:
    """Every LEGO of a SEED whose halves hardly any link holds together, in words; none where nothing was aligned."""
    if not links:
        return ()
    return tuple(
        f'The halves of {seed.provenance(place)}, "{lego.source}" and "{lego.target}", may not say the same.'
        for place, lego in enumerate(seed.legos, start=1)
        if lego.confidence < LOWEST_CONFIDENCE
    )
