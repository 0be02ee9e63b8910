"""States: where a unit can stand, and which moves between states exist."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from burnish.core.errors import StateCorrupt


@dataclass(frozen=True, slots=True)
class StateTable:
    """The states of one kind. Every move that is not in the table is a bug, not a possibility."""

    initial: str
    working: str
    """The state while the loop is repairing."""
    ready: str
    """The state in which a unit may be published."""
    waiting: str
    """The state in which only a person's decision moves a unit."""
    moves: Mapping[str, frozenset[str]]

    def check(self, before: str, after: str) -> str:
        """`after`, if the table allows the move; staying where one is always is allowed."""
        if before == after and after in self.moves:
            return after
        if after not in self.moves.get(before, frozenset()):
            raise StateCorrupt(f"A unit cannot move from {before!r} to {after!r}.")
        return after

    def rests(self, state: str) -> bool:
        """Whether the loop has nothing more to do with a unit in this state."""
        return state in (self.ready, self.waiting)
