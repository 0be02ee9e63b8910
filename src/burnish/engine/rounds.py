"""Rounds: which go at a document comes next, told from the journal alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from burnish.core.decisions import standing_decisions
from burnish.core.documents import Unit
from burnish.core.events import event
from burnish.core.kinds import DirectedKind
from burnish.core.procedures import Round, Seats
from burnish.core.records import EventRecord, UnitRow
from burnish.engine.drafts import recorded_draft
from burnish.store.journal import Journal

GIVEN_UP = "given_up"
"""How a round ended that nobody finished, because other models were named."""
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

    def next(self, seats: Seats, *, gone_trouble: frozenset[str] = frozenset()) -> Round | None:
        """The round to work on: the one that was begun, or a new one if there is a reason for it, or none.

        `seats`: who sits where now. A round that was begun with others is given up: half of it would be theirs.
        `gone_trouble`: reasons to wait that may be gone now, so that units which wait for them are tried again.
        """
        begun = self._begun(self.journal)
        if self.is_under_way:
            present = self._recorded(begun[-1], seats)
            if present.seats != seats:
                self._give_up(present.number, "other models were named")
            elif self._waits_for_judges(present.number):
                self._give_up(present.number, "judges were away")
            else:
                return present
        elif begun and not self._wanted(gone_trouble):
            return None
        return self._recorded(self._begin(len(begun) + 1, seats), seats)

    def next_again(self, recorded: Journal, seats: Seats) -> Round | None:
        """The round to work on in a replay: every round of the recorded run that was not given up, under its number.

        `seats`: who sat where in rounds that do not say so themselves.
        """
        begun = self._begun(self.journal)
        if self.is_under_way:
            return self._recorded(begun[-1], seats)
        then = self._kept(recorded)
        if len(begun) < len(then):
            again = then[len(begun)]
            return self._recorded(self._begin(again.data["round"], _seats(again, seats)), seats)
        return self.next(seats) if not then else None

    @property
    def is_under_way(self) -> bool:
        """Whether a round was begun and has not ended."""
        return len(self._begun(self.journal)) > len(self._events(self.journal, "round_ended"))

    def repeated_until(self, recorded: Journal) -> int:
        """Where in the recorded run the round after the present one begins; what comes later is not repeated yet."""
        begun, present = self._kept(recorded), len(self._begun(self.journal))
        return begun[present].seq if present < len(begun) else NEVER

    def _kept(self, recorded: Journal) -> list[EventRecord]:
        """The rounds of a recorded run that were not given up for other models."""
        given_up = {e.data["round"] for e in self._events(recorded, "round_ended") if e.data["status"] == GIVEN_UP}
        return [e for e in self._begun(recorded) if e.data["round"] not in given_up]

    def _waits_for_judges(self, number: int) -> bool:
        """Whether the round went on without a judge and then stopped for want of judges: those that were away may be
        back, and what was written without them must not be mixed with what they say."""
        here = f"{self.document}:{number}:"
        silences = (e for e in self.journal.events(types=("unanswered",)) if e.data.get("away"))
        away = [e.seq for e in silences if e.data["place"].startswith(here)]
        stops = [e.seq for e in self.journal.events(types=("run_stopped",)) if e.data["reason"] == "model_away"]
        return bool(away and stops) and stops[-1] > away[0]

    def _give_up(self, number: int, reason: str) -> None:
        data = {"document": self.document, "round": number, "status": GIVEN_UP, "reason": reason}
        self.journal.write_now(event("round_ended", dedupe=f"round_ended:{self.document}:{number}", data=data))

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

    def _begin(self, number: int, seats: Seats) -> EventRecord:
        rows = dict(zip((unit.id for unit in self.units), self._rows(), strict=True))
        data = {
            "document": self.document,
            "round": number,
            "attempts": {id: len(self.journal.attempts(row.id)) for id, row in rows.items()},
            "standing": {id: row.best_attempt for id, row in rows.items()},
            "notes": {id: note for id, row in rows.items() if (note := self._note(row)) is not None},
            "settled": [id for id, row in rows.items() if self._is_settled(row)],
            "seats": {"judges": list(seats.judges), "roles": dict(seats.roles)},
        }
        begun = event("round_started", dedupe=f"round_started:{self.document}:{number}", data=data)
        self.journal.write_now(begun)
        return begun

    def _note(self, row: UnitRow) -> str | None:
        """What a person wrote when sending the unit back; it counts until the unit rests again."""
        if row.state != self.kind.states.working:
            return None
        rejections = [each.data for each in self._decisions(row) if each.data["verdict"] == "reject"]
        return (rejections[-1]["note"] or "It is not good enough yet.") if rejections else None

    def _is_settled(self, row: UnitRow) -> bool:
        """Whether a person had the last word: one who sent it back left the word to others."""
        decisions = self._decisions(row)
        return row.state == self.kind.states.ready and bool(decisions) and decisions[-1].data["verdict"] != "reject"

    def _decisions(self, row: UnitRow) -> tuple[EventRecord, ...]:
        """What people decided and left at that."""
        return standing_decisions(self.journal.events(unit=row.id, types=("decision",)))

    def _recorded(self, begun: EventRecord, seats: Seats) -> Round:
        data = begun.data
        standing: dict[str, int] = data["standing"]
        units = tuple(self._draft(unit, standing[unit.id]) for unit in self.units)
        settled = frozenset(data["settled"])
        return Round(data["round"], units, data["attempts"], data["notes"], settled, _seats(begun, seats))

    def _draft(self, unit: Unit, attempt: int) -> Unit:
        """The unit as it stood when the round began."""
        if attempt < 1:
            return unit
        return recorded_draft(self.kind, self.journal.attempts(self.unit_id(unit.id))[attempt - 1]) or unit


def _seats(begun: EventRecord, otherwise: Seats) -> Seats:
    """Who sat where in a round; journals of earlier versions do not say."""
    given = begun.data.get("seats")
    return otherwise if given is None else Seats(tuple(given["judges"]), given["roles"])
