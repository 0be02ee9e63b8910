"""Parts of the input that cannot be used: said before anybody pays for the rest, and again where they block."""

from __future__ import annotations

from collections.abc import Sequence

from burnish.app.reports.words import counted
from burnish.app.terminal import Screen

MOST_LISTED = 15
"""Parts listed by name; `report.json` has them all."""


def hole(document: str, line: int | None, message: str) -> str:
    """Where it is, and what is wrong there."""
    return f"{document}: {message}" if line is None else f"{document}:{line}: {message}"


def list_holes(holes: Sequence[str], screen: Screen) -> None:
    for part in holes[:MOST_LISTED]:
        screen.line("  ", ("error", "input    "), part)
    if len(holes) > MOST_LISTED:
        screen.line("  ", ("faint", f"and {len(holes) - MOST_LISTED} more"))


def mend_first(number: int) -> str:
    """What is to be done about so many of them."""
    as_they_stand, them = ("as it stands", "it") if number == 1 else ("as they stand", "them")
    return f"{counted(number, 'part')} of the input cannot be used {as_they_stand}. Mend {them} and start a new run."


def foretell_holes(holes: Sequence[str], screen: Screen) -> None:
    """That nothing will be published, before the work is done."""
    if not holes:
        return
    parts = counted(len(holes), "part")
    screen.line(("warning", "note: "), f"{parts} of the input cannot be used, so nothing will be published:")
    list_holes(holes, screen)
    screen.line(("faint", "  Mend the input first to have it published; --strict-input refuses such input."))
