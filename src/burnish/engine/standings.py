"""The row of a unit after its attempts have grown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from burnish.core.attempts import open_errors
from burnish.core.records import AttemptRecord, UnitRow


def standing_row(row: UnitRow, attempts: Sequence[AttemptRecord], stands: int) -> UnitRow:
    """The row with these attempts, of which number `stands` is the draft that counts."""
    errors = open_errors(attempts[stands - 1]) if stands else 0
    return replace(row, attempts=len(attempts), best_attempt=stands, open_errors=errors)
