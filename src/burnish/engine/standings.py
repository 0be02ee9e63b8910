"""The row of a unit after something happened to it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from burnish.core.attempts import open_errors
from burnish.core.events import event
from burnish.core.records import AttemptRecord, EventRecord, UnitRow
from burnish.core.states import StateTable


def standing_row(row: UnitRow, attempts: Sequence[AttemptRecord], stands: int) -> UnitRow:
    """The row with these attempts, of which number `stands` is the draft that counts."""
    errors = open_errors(attempts[stands - 1]) if stands else 0
    return replace(row, attempts=len(attempts), best_attempt=stands, open_errors=errors)


def moved(states: StateTable, row: UnitRow, state: str, reason: str | None) -> tuple[EventRecord, UnitRow]:
    """A move of the table, as it is written down, and the row after it."""
    after = replace(row, state=states.check(row.state, state), reason=reason)
    return event("state_changed", row.id, data={"from": row.state, "to": state, "reason": reason}), after
