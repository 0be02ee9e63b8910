"""What several stages need."""

from __future__ import annotations

from burnish.core.stages import Item
from burnish.kinds.legos.model import Seed


def seed_of(unit: object) -> Seed:
    """This kind's units are SEEDs; anything else is a mistake of the caller, not of the content."""
    assert isinstance(unit, Seed), f"no SEED of a course: {unit!r}"
    return unit


def source_of(item: Item) -> Seed:
    return seed_of(item.source)
