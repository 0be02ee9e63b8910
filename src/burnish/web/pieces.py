"""Pieces: a text cut where something is to be shown in it, a mark or a change. Joined again, they are the text.

The macro `pieces` of `templates/text.html` draws them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from burnish.core.findings import Severity

Change = Literal["same", "ins", "del"]
"""What became of a piece: it stayed, it came, it went."""


@dataclass(frozen=True, slots=True)
class Mark:
    """What is wrong with some words. Several marks may lie on the same words."""

    number: int
    """The finding's number on the page: the reader finds it again in the list."""
    severity: Severity


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of text that is drawn in one manner."""

    text: str
    start: int
    """Where it begins: in characters of the marked text; of a piece that went, of the old text, else of the new."""
    marks: tuple[Mark, ...] = ()
    """The marks that lie on it, worst first."""
    ends: tuple[Mark, ...] = ()
    """Those of them that end with it: their numbers are shown behind it."""
    change: Change = "same"

    @property
    def severity(self) -> Severity | None:
        """How it is marked: as the worst of its marks is."""
        return self.marks[0].severity if self.marks else None


def joined(pieces: Iterable[Piece], *but: Change) -> str:
    """The text of the pieces, without those that changed in these ways."""
    return "".join(piece.text for piece in pieces if piece.change not in but)
