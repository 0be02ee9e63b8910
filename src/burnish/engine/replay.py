"""Replay: people's decisions of a recorded run, made again in a run that repeats it.

Answers come from the recorded journal by their keys, silences by their places, and the models of each task from its
beginning (`task_begun`, `round_started`). What was taken back is decided and taken back again, so that attempts keep
their numbers.
"""

from __future__ import annotations

from dataclasses import dataclass

from burnish.core.attempts import findings_of
from burnish.core.decisions import is_undo
from burnish.core.documents import Unit
from burnish.core.kinds import recorded_draft
from burnish.core.records import EventRecord, UnitRow
from burnish.engine.decisions import Deciding, undone_again
from burnish.store.journal import Journal


@dataclass(frozen=True, slots=True)
class RecordedDecisions:
    """What people decided in the recorded run."""

    recorded: Journal
    deciding: Deciding

    def left(self, unit: str) -> list[EventRecord]:
        """The decisions about a unit that this run has not repeated yet."""
        done = sum(1 for _ in self.deciding.journal.events(unit=unit, types=("decision",)))
        return list(self.recorded.events(unit=unit, types=("decision",)))[done:]

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
