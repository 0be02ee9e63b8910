"""Rounds: which go at a document comes next, told from the journal alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from burnish.core.documents import Unit
from burnish.core.events import event
from burnish.core.kinds import DirectedKind
from burnish.core.procedures import Round
from burnish.core.records import EventRecord, UnitRow
from burnish.engine.drafts import recorded_draft
from burnish.store.journal import Journal

NEVER = 1 << 62
"""After everything that a journal can hold."""


@dataclass(frozen=True, slots=True)
class Rounds:
    """The rounds of one document."""

    kind: DirectedKind
    journal: Journal
    document: str
    unit_id: Callable[[str], str]
    units: Sequence[Unit]
    """As they were read."""

    def next(self, *, gone_trouble: frozenset[str] = frozenset(), at_least: int = 1) -> Round | None:
        """The round to work on: the one that was begun, or a new one if there is a reason for it, or none.

        `gone_trouble`: reasons to wait that may be gone now, so that units which wait for them are tried again.
        `at_least`: rounds that there have to be, whatever they are for: a replay has those of the run that it repeats.
        """
        begun = self._begun(self.journal)
        if self.is_under_way:
            return self._recorded(begun[-1])
        if len(begun) < at_least or self._wanted(gone_trouble):
            return self._recorded(self._begin(len(begun) + 1))
        return None

    @property
    def is_under_way(self) -> bool:
        """Whether a round was begun and has not ended."""
        return len(self._begun(self.journal)) > len(self._events(self.journal, "round_ended"))

    def begun_in(self, journal: Journal) -> int:
        """How many rounds of this document were begun in another run."""
        return len(self._begun(journal))

    def repeated_until(self, recorded: Journal) -> int:
        """Where in the recorded run the round after the present one begins; what comes later is not repeated yet."""
        begun, present = self._begun(recorded), len(self._begun(self.journal))
        return begun[present].seq if present < len(begun) else NEVER

    def silences(self, journal: Journal) -> dict[str, dict[str, Any]]:
        """Place -> what is known of the answer that never came there."""
        found = journal.events(types=("unanswered",))
        return {e.data["place"]: dict(e.data) for e in found if e.data["place"].startswith(f"{self.document}:")}

    def _begun(self, journal: Journal) -> list[EventRecord]:
        return self._events(journal, "round_started")

    def _events(self, journal: Journal, type: str) -> list[EventRecord]:
        return [e for e in journal.events(types=(type,)) if e.data["document"] == self.document]

    def _rows(self) -> list[UnitRow]:
        rows = (self.journal.unit(self.unit_id(unit.id)) for unit in self.units)
        return [row for row in rows if row is not None]

    def _wanted(self, gone_trouble: frozenset[str]) -> bool:
        states = self.kind.states
        sent_back = any(row.state == states.working for row in self._rows())
        return sent_back or any(row.state == states.waiting and row.reason in gone_trouble for row in self._rows())

    def _begin(self, number: int) -> EventRecord:
        rows = dict(zip((unit.id for unit in self.units), self._rows(), strict=True))
        data = {
            "document": self.document,
            "round": number,
            "attempts": {id: row.attempts for id, row in rows.items()},
            "standing": {id: row.best_attempt for id, row in rows.items()},
            "notes": {id: note for id, row in rows.items() if (note := self._note(row)) is not None},
            "settled": [id for id, row in rows.items() if self._is_settled(row)],
        }
        begun = event("round_started", dedupe=f"round_started:{self.document}:{number}", data=data)
        self.journal.write_now(begun)
        return begun

    def _note(self, row: UnitRow) -> str | None:
        """What a person wrote when sending the unit back; it counts until the unit rests again."""
        if row.state != self.kind.states.working:
            return None
        rejections = [
            decision.data
            for decision in self.journal.events(unit=row.id, types=("decision",))
            if decision.data["verdict"] == "reject"
        ]
        return (rejections[-1]["note"] or "It is not good enough yet.") if rejections else None

    def _is_settled(self, row: UnitRow) -> bool:
        """Whether a person had the last word: one who sent it back left the word to others."""
        decisions = list(self.journal.events(unit=row.id, types=("decision",)))
        return row.state == self.kind.states.ready and bool(decisions) and decisions[-1].data["verdict"] != "reject"

    def _recorded(self, begun: EventRecord) -> Round:
        data = begun.data
        standing: dict[str, int] = data["standing"]
        units = tuple(self._draft(unit, standing[unit.id]) for unit in self.units)
        return Round(data["round"], units, data["attempts"], data["notes"], frozenset(data["settled"]))

    def _draft(self, unit: Unit, attempt: int) -> Unit:
        """The unit as it stood when the round began."""
        if attempt < 1:
            return unit
        return recorded_draft(self.kind, self.journal.attempts(self.unit_id(unit.id))[attempt - 1]) or unit
