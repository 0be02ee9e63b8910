"""Repeating people's decisions from a journal, in their old order. What was taken back is decided and taken back
again, so that attempts keep their numbers."""

from __future__ import annotations

from dataclasses import dataclass

from burnish.core.attempts import findings_of
from burnish.core.decisions import is_undo
from burnish.core.documents import Unit
from burnish.core.kinds import recorded_draft
from burnish.core.records import EventRecord, UnitRow
from burnish.engine.deciding import Deciding
from burnish.engine.undoing import undone_again
from burnish.store.journal import Journal


@dataclass(frozen=True, slots=True)
class RecordedDecisions:
    """What people decided in the recorded run."""

    recorded: Journal
    deciding: Deciding

    def left(self, unit: str) -> list[EventRecord]:
        """The decisions about a unit that this run has not repeated yet."""
        return self._left(unit, ("decision",))

    def grants_left(self, unit: str) -> list[EventRecord]:
        """The same with the times that a run which went on gave the unit another chance."""
        return self._left(unit, ("decision", "reopened"))

    def _left(self, unit: str, types: tuple[str, ...]) -> list[EventRecord]:
        done = sum(1 for _ in self.deciding.journal.events(unit=unit, types=types))
        return list(self.recorded.events(unit=unit, types=types))[done:]

    def _taken_back(self, row: UnitRow, by: str) -> UnitRow:
        journal = self.deciding.journal
        follows = undone_again(self.deciding.reviewer.kind, journal, row, by=by)
        journal.write_now(*follows.records)
        return follows.row

    def repeat(self, row: UnitRow, source: Unit, decision: EventRecord) -> UnitRow:
        """Decide again as it was decided then."""
        data = decision.data
        by, note = data["by"], data["note"]
        if is_undo(decision):
            return self._taken_back(row, by)
        if data["verdict"] != "edit":
            return self.deciding.repeat(row, data["verdict"], by=by, note=note)
        # What the person made of the unit is the attempt that was recorded; how it fitted its neighbours then, counts.
        attempt = self.recorded.attempts(decision.unit or "")[int(data["after_attempt"]) - 1]
        edited = recorded_draft(self.deciding.reviewer.kind, attempt) or source
        beside = [finding for finding in findings_of(attempt) if finding.source == "document"]
        return self.deciding.take_edit(row, edited, by=by, note=note, beside=beside)
