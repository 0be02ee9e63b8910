"""Repeating a run from its journal: the recorded answers, and the recorded decisions of people, in their old order."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from burnish.core.attempts import findings_of
from burnish.core.documents import Unit
from burnish.core.records import AttemptRecord, EventRecord, UnitRow
from burnish.engine.deciding import Deciding
from burnish.engine.drafts import recorded_draft
from burnish.store.journal import Journal


@dataclass(frozen=True, slots=True)
class RecordedReviews:
    """Which drafts were judged in the recorded run. Units that were accepted before it had a model were not."""

    recorded: Journal

    def judged(self, unit: str, content_hash: str) -> bool:
        return any(
            attempt.content_hash == content_hash and _was_judged(attempt) for attempt in self.recorded.attempts(unit)
        )


def _was_judged(attempt: AttemptRecord) -> bool:
    corrections = 1 if attempt.cause == "model" else 0
    return len(attempt.calls) > corrections or (attempt.failure or "").startswith("judges_silent")


@dataclass(frozen=True, slots=True)
class RecordedDecisions:
    """What people decided in the recorded run."""

    recorded: Journal
    deciding: Deciding

    def left(self, unit: str) -> list[EventRecord]:
        """The decisions about a unit that this run has not repeated yet."""
        done = sum(1 for _ in self._of(self.deciding.journal, unit))
        return list(self._of(self.recorded, unit))[done:]

    def _of(self, journal: Journal, unit: str) -> Iterator[EventRecord]:
        return journal.events(unit=unit, types=("decision",))

    def repeat(self, row: UnitRow, source: Unit, decision: EventRecord) -> UnitRow:
        """Decide again as it was decided then."""
        data = decision.data
        by, note = data["by"], data["note"]
        if data["verdict"] != "edit":
            return self.deciding.decide(row, source, data["verdict"], by=by, note=note, text=None)
        # What the person made of the unit is the attempt that was recorded; how it fitted its neighbours then, counts.
        attempt = self.recorded.attempts(decision.unit or "")[int(data["after_attempt"]) - 1]
        edited = recorded_draft(self.deciding.reviewer.kind, attempt) or source
        beside = [finding for finding in findings_of(attempt) if finding.source == "document"]
        return self.deciding.take_edit(row, edited, by=by, note=note, beside=beside)
