"""A bank as a whole, as a person reads it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from burnish.surfaces.terminal import Screen


def describe_bank(screen: Screen, path: str, bank: Mapping[str, Any]) -> None:
    """Balance of the keys, blueprint, near-duplicates."""
