"""Replay: a run repeated from its journal, step by step, with the models and the people's decisions of then.

A journal holds every answer under its key, but a model that counted as away was not even asked, and `resume --model`
exchanges models. So a replay goes by the record. What was taken back is decided and taken back again, so that attempts
keep their numbers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal, Self

from burnish.core.attempts import findings_of
from burnish.core.decisions import is_undo
from burnish.core.documents import Unit
from burnish.core.effects import ModelRoles
from burnish.core.errors import ModelAway
from burnish.core.kinds import recorded_draft
from burnish.core.records import AttemptRecord, CallRecord, EventRecord, UnitRow
from burnish.core.requests import Answer, Request
from burnish.core.states import StateTable
from burnish.core.tasks import CORRECTOR
from burnish.engine.client import Asker, call_of
from burnish.engine.decisions import Deciding, undone_again
from burnish.engine.plan import Plan
from burnish.models.gateway import CallFailed
from burnish.store.journal import Journal

AWAY = "model_failed"
"""How the failure of a model that did not answer begins."""


@dataclass(frozen=True, slots=True)
class Happening:
    """One thing that happened to a unit."""

    at: str
    what: Literal["attempt", "rested", "called_back", "granted"]
    attempt: AttemptRecord | None = None
    event: EventRecord | None = None


@dataclass(frozen=True, slots=True)
class Step:
    """What comes next in the record: an attempt, or the unit's rest."""

    roles: ModelRoles
    attempt: AttemptRecord | None
    """None: the unit rests."""
    away: Mapping[str, str] = field(default_factory=dict)
    """Judges that did not answer, with the failure that was recorded."""

    @property
    def corrector_away(self) -> str | None:
        """Why the corrector gave no answer; None where it did."""
        failure = self.attempt.failure if self.attempt is not None and self.attempt.cause == "model" else None
        return failure if failure and failure.startswith(AWAY) else None


@dataclass(frozen=True, slots=True)
class RecordedCourse:
    """How the recorded run went."""

    recorded: Journal
    plan: Plan
    """The recorded plan: its models are those of the end."""
    states: StateTable
    sittings: tuple[EventRecord, ...]
    """The events that tell which models the run began and went on with."""

    @classmethod
    def of(cls, recorded: Journal, plan: Plan, states: StateTable) -> Self:
        found = [event for type in ("run_started", "run_resumed") for event in recorded.events(types=(type,))]
        return cls(recorded, plan, states, tuple(sorted(found, key=lambda event: event.seq)))

    def judged(self, unit: str, content_hash: str) -> bool:
        """Whether judges were asked about a draft. Units that were accepted before there was a model were not."""
        attempts = self.recorded.attempts(unit)
        return any(attempt.content_hash == content_hash and _was_judged(attempt) for attempt in attempts)

    def next_step(self, unit: str, attempts: int, grants: int) -> Step | None:
        """What followed when the unit had had so many attempts and grants; None where the record ends there."""
        for happening in self._after(unit, attempts, grants):
            if happening.attempt is not None:
                away = dict(self._away(happening.attempt, roles := self._roles_at(happening.at)))
                return Step(roles, happening.attempt, away)
            if happening.what == "rested" and happening.event is not None:
                return Step(self._roles_of_rest(happening.event), None)
        return None

    def attempt(self, unit: str, number: int) -> AttemptRecord | None:
        """What the recorded run knows of an attempt."""
        return next((attempt for attempt in self.recorded.attempts(unit) if attempt.number == number), None)

    def is_being_repaired(self, unit: str) -> bool:
        """Whether the run was stopped in the middle of a repair."""
        row = self.recorded.unit(unit)
        return row is not None and row.state == self.states.working

    def called_back(self, unit: str, attempts: int, grants: int) -> EventRecord | None:
        """The event by which the unit, once accepted, was sent to a person after all, where that came next."""
        for happening in self._after(unit, attempts, grants):
            if happening.what in ("attempt", "granted"):
                return None
            if happening.what == "called_back":
                return happening.event
        return None

    def _after(self, unit: str, attempts: int, grants: int) -> Iterator[Happening]:
        """All that happened to the unit after so many attempts and grants, in order."""
        for happening in sorted(self._of(unit), key=lambda one: one.at):
            if attempts <= 0 and grants <= 0:
                yield happening
            attempts -= happening.what == "attempt"
            grants -= happening.what == "granted"

    def _of(self, unit: str) -> Iterator[Happening]:
        for attempt in self.recorded.attempts(unit):
            yield Happening(attempt.at, "attempt", attempt)
        for event in self.recorded.events(unit=unit, types=("state_changed", "decision", "reopened")):
            if event.type != "state_changed":
                yield Happening(event.at, "granted", event=event)
            elif event.data["from"] == self.states.ready:
                yield Happening(event.at, "called_back", event=event)
            elif self.states.rests(event.data["to"]):
                yield Happening(event.at, "rested", event=event)

    def _roles_of_rest(self, event: EventRecord) -> ModelRoles:
        roles = self._roles_at(event.at)
        return ModelRoles() if event.data.get("reason") == "no_model" else roles

    def _roles_at(self, at: str) -> ModelRoles:
        """Who sat where at that time. Runs of older versions do not say whom they began with."""
        known = [sitting.data for sitting in self.sittings if sitting.at <= at and "judges" in sitting.data]
        judges, corrector = (
            (tuple(known[-1]["judges"]), known[-1]["corrector"]) if known else (self.plan.judges, self.plan.corrector)
        )
        return ModelRoles(judges, {CORRECTOR: corrector} if corrector else {})

    def _away(self, attempt: AttemptRecord, roles: ModelRoles) -> Iterator[tuple[str, str]]:
        """The judges of an attempt that did not answer."""
        name = f"silent:{attempt.unit}:{attempt.number}"
        for degraded in self.recorded.events(unit=attempt.unit, types=("model_degraded",)):
            for told in degraded.data["silent"] if degraded.dedupe == name else ():
                for judge in roles.judges:
                    failure = told.removeprefix(f"{judge}: ")
                    if failure != told and failure.startswith(AWAY):
                        yield judge, failure


def _was_judged(attempt: AttemptRecord) -> bool:
    corrections = 1 if attempt.cause == "model" else 0
    return len(attempt.calls) > corrections or (attempt.failure or "").startswith("judges_silent")


@dataclass(frozen=True, slots=True)
class RecordedClient:
    """Asks as the recorded run did for one step: a model that was away, or refused, is so again."""

    client: Asker
    """Answers from the journal."""
    course: RecordedCourse
    step: Step

    def park(self, away: ModelAway) -> None:
        self.client.park(away)

    @property
    def outage(self) -> str | None:
        return self.client.outage

    async def ask(self, ask: Request, model: str, *, is_optional: bool = False) -> Answer:
        failure = self.step.corrector_away if ask.role == CORRECTOR else self.step.away.get(model)
        if failure is None:
            return await self.client.ask(ask, model, is_optional=is_optional)
        call = self._failed(ask, model, failure)
        if call is None:
            return Answer(model, None, failure, away=is_optional)
        return Answer(model, None, failure, (call.key,), call.usage, call.duration_ms / 1000)

    def _failed(self, ask: Request, model: str, failure: str) -> CallRecord | None:
        """The call that failed. One key may have failed in several sessions, and been answered in a later one."""
        key = call_of(ask, model, self.course.plan.nonce, self.course.plan.asking).key
        recorded = self.course.recorded.calls(ask.unit)
        failed = [call for call in recorded if call.key == key and call.status == "failed"]
        calls = self.step.attempt.calls if self.step.attempt is not None else ()
        if key not in calls or not failed:
            return None
        same = [call for call in failed if failure == f"{AWAY}: {CallFailed(call).message}"]
        return (same or failed)[0]


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
