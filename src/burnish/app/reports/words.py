"""Numbers and lists as people write them, and the two columns of a summary."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from burnish.app.terminal import Role, Screen
from burnish.core.kinds import Kind

LABEL = 14
"""Columns of the labels on the left of a summary."""


def counted(number: int, noun: str) -> str:
    """`1 unit`, `1,204 units`."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def minute(moment: str) -> str:
    """A recorded moment as people read it: `2026-11-15 10:00 UTC`."""
    return f"{moment[:16].replace('T', ' ')} UTC" if moment else ""


def noun_of(kinds: Iterable[Kind]) -> str:
    """What a unit is called where documents of these kinds are spoken of together."""
    nouns = {kind.noun for kind in kinds}
    return nouns.pop() if len(nouns) == 1 else "unit"


def listed(things: Sequence[str], most: int) -> str:
    """The first `most` things, and how many are left out."""
    shown = ", ".join(things[:most])
    return shown if len(things) <= most else f"{shown} and {len(things) - most} more"


def labelled(screen: Screen, label: str, text: str, *, role: Role = "plain") -> None:
    """A line of a summary: a label, and what it says beside it."""
    first = ("  ", ("faint" if role == "plain" else role, f"{label:<{LABEL}}"), "  ")
    screen.paragraph(text, indent=" " * (LABEL + 4), first=first)
