"""Numbers and lists as people write them."""

from __future__ import annotations

from collections.abc import Sequence


def counted(number: int, noun: str) -> str:
    """`1 question`, `1,204 questions`."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def listed(things: Sequence[str], most: int) -> str:
    """The first `most` things, and how many are left out."""
    shown = ", ".join(things[:most])
    return shown if len(things) <= most else f"{shown} and {len(things) - most} more"
