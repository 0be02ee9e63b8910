"""Rounds: documents that are worked on as wholes, one go at a time. Which round is next is told from the journal alone.

A round is one task. Going through the same round again gives the same: recorded replies are read, and an answer that
could not be used is remembered as such, so that a run that was killed and resumed takes no other turn. Only a person
who sends units back, other models, or judges that are back begin another round.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from burnish.core.attempts import is_undo, standing_decisions
from burnish.core.documents import PassedThrough, Problem, Unit
from burnish.core.effects import ModelRoles, Outcome
from burnish.core.errors import LimitReached
from burnish.core.kinds import Kind, recorded_draft
from burnish.core.records import EventRecord, UnitRow, event
from burnish.core.tasks import Item, Task
from burnish.engine.interpreters import Live, TaskRecord
from burnish.engine.plan import DocumentPlan, source_changed
from burnish.engine.runner import REOPENED, Job, RunTasks
from burnish.store.journal import Journal


@dataclass(slots=True, kw_only=True)
class RoundTasks(RunTasks):
    """The work on the documents of one plan: a task is one round at one of them."""

    def has_models_for(self, trouble: str) -> bool:
        return self.client is not None and bool(self.env.roles.judges)

    def ending(self) -> str | None:
        """The worst word that a document's last round ended with, where that decides how the run ended."""
        last = {e.data["document"]: e.data["status"] for e in self.journal.events(types=("round_ended",))}
        waiting = {row.document for row in self.journal.units(states=(self.kind.states.waiting,))}
        if any(last.get(document) == "regenerate" for document in waiting):
            return "regenerate"
        return "best_effort" if "best_effort" in last.values() and not waiting else None

    async def work_on_all(self) -> LimitReached | None:
        """Every document to its rest; a limit lets calls under way end, and begins nothing new."""
        done: set[str] = set()

        async def jobs() -> AsyncIterator[Job]:
            for document in self.plan.documents:
                if document.name not in done:
                    yield partial(self._finish, document, done)

        await self.runner.drain(jobs)
        return self.runner.limit

    async def _finish(self, document: DocumentPlan, done: set[str]) -> None:
        units = self._units(document)
        rounds = Rounds(self.kind, self.journal, document.name, lambda id: self._unit_id(document, id), units)
        self._decide_again(document, rounds, units)
        following = self._next(rounds)
        while following is not None:
            await self._work(document, rounds, following)
            self._decide_again(document, rounds, units)
            following = self._next(rounds)
        done.add(document.name)
        for unit in units:
            row = self.journal.unit(self._unit_id(document, unit.id))
            if row is not None:
                self.rested(row)

    def _next(self, rounds: Rounds) -> EventRecord | None:
        if self.replayed is not None:
            return rounds.next_again(self.replayed, self.env.roles)
        return rounds.next(self.env.roles)

    async def _work(self, document: DocumentPlan, rounds: Rounds, begun: EventRecord) -> None:
        task = rounds.task(begun)
        tags = {"document": document.name, "round": task.number}

        def closing(outcome: Outcome) -> EventRecord:
            data = {**tags, "status": outcome.status, "reason": outcome.reason}
            return event("round_ended", dedupe=f"round_ended:{document.name}:{task.number}", data=data)

        record = TaskRecord(
            key=task.key,
            rows={item.source.id: item.row for item in task.units},
            attempts={item.source.id: len(item.attempts) for item in task.units},
            unit_id=rounds.unit_id,
            is_retraced=True,
            tags=tags,
            document=document.name,
            closing=closing,
        )
        silences = rounds.silences(self.replayed or self.journal)
        live = Live(self.kind, self.journal, self.client, record, silences=silences, happened=self.happened)
        env = replace(self.env, roles=roles_of(begun), context=self.examiner.contexts[document.name])
        await live.run(self.kind.work(task, env))

    def _decide_again(self, document: DocumentPlan, rounds: Rounds, units: tuple[Unit, ...]) -> None:
        """A replay repeats the decisions that people made when the documents stood as they stand now."""
        if self.decisions is None or self.replayed is None or rounds.is_under_way:
            return
        until = rounds.repeated_until(self.replayed)
        for unit in units:
            row = self.journal.unit(self._unit_id(document, unit.id))
            left = self.decisions.left(row.id) if row is not None else []
            for decision in left:
                is_open = row is not None and (row.state == self.kind.states.waiting or is_undo(decision))
                if row is None or not is_open or decision.seq > until:
                    break
                row = self.decisions.repeat(row, unit, decision)

    def _units(self, document: DocumentPlan) -> tuple[Unit, ...]:
        """The document's units, proven to be those that were taken in."""
        with Path(document.path).open("rb") as stream:
            parts = self.kind.read(stream, document.path, document.format)
            units = tuple(part for part in parts if not isinstance(part, Problem | PassedThrough))
        for unit in units:
            row = self.journal.unit(self._unit_id(document, unit.id))
            if row is None or row.content_hash != unit.content_hash:
                raise source_changed(document)
        return units

    def _unit_id(self, document: DocumentPlan, unit: str) -> str:
        return self.plan.unit_id(document.name, unit)


GIVEN_UP = "given_up"
"""How a round ended that nobody finished, because other models were named."""
NEVER = 1 << 62
"""After everything that a journal can hold."""


@dataclass(frozen=True, slots=True)
class Rounds:
    """The rounds of one document."""

    kind: Kind
    journal: Journal
    document: str
    unit_id: Callable[[str], str]
    units: Sequence[Unit]
    """As they were read."""

    def next(self, roles: ModelRoles) -> EventRecord | None:
        """The round to work on: the one that was begun, or a new one if there is a reason for it, or none.

        `roles`: the models of now. A round that was begun with others is given up: half of it would be theirs.
        """
        begun = self._begun(self.journal)
        if self.is_under_way:
            present = begun[-1]
            if roles_of(present) != roles:
                self._give_up(present, "other models were named")
            elif present.data["version"] != self.kind.work_version:
                self._give_up(present, "the work has changed")
            elif self._waits_for_judges(present.data["round"]):
                self._give_up(present, "judges were away")
            else:
                return present
        elif begun and not any(row.state == self.kind.states.working for row in self.rows().values()):
            return None
        return self._begin(len(begun) + 1, roles)

    def next_again(self, recorded: Journal, roles: ModelRoles) -> EventRecord | None:
        """The round to work on in a replay: every round of the recorded run that was not given up, under its number.

        `roles`: the models of a run that began none.
        """
        begun = self._begun(self.journal)
        if self.is_under_way:
            return begun[-1]
        then = self._kept(recorded)
        if len(begun) < len(then):
            again = then[len(begun)]
            return self._begin(again.data["round"], roles_of(again))
        return self.next(roles) if not then else None

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

    def _give_up(self, begun: EventRecord, reason: str) -> None:
        number = begun.data["round"]
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

    def rows(self) -> dict[str, UnitRow]:
        """The units' own ids -> their rows."""
        rows = {unit.id: self.journal.unit(self.unit_id(unit.id)) for unit in self.units}
        return {id: row for id, row in rows.items() if row is not None}

    def _begin(self, number: int, roles: ModelRoles) -> EventRecord:
        rows = self.rows()
        data = {
            "document": self.document,
            "round": number,
            "version": self.kind.work_version,
            "attempts": {id: len(self.journal.attempts(row.id)) for id, row in rows.items()},
            "standing": {id: row.best_attempt for id, row in rows.items()},
            "notes": {id: note for id, row in rows.items() if (note := self._note(row)) is not None},
            "settled": [id for id, row in rows.items() if self._is_settled(row)],
            "roles": {"judges": list(roles.judges), "roles": dict(roles.roles), "contexts": dict(roles.contexts)},
        }
        begun = event("round_started", dedupe=f"round_started:{self.document}:{number}", data=data)
        self.journal.write_now(begun)
        return begun

    def _note(self, row: UnitRow) -> str | None:
        """What a person wrote when sending the unit back; it counts until the unit rests again."""
        if row.state != self.kind.states.working or row.reason == REOPENED:
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

    def task(self, begun: EventRecord) -> Task:
        """The work of a round, from where its units stood when it began."""
        data, rows = begun.data, self.rows()
        items = tuple(self._item(unit, rows[unit.id], data) for unit in self.units)
        number = data["round"]
        return Task(
            f"{self.document}:{number}", items, number=number, notes=data["notes"], settled=frozenset(data["settled"])
        )

    def _item(self, unit: Unit, row: UnitRow, begun: Mapping[str, Any]) -> Item:
        attempts = self.journal.attempts(row.id)[: begun["attempts"][unit.id]]
        standing = begun["standing"][unit.id]
        draft = recorded_draft(self.kind, attempts[standing - 1]) if standing else None
        return Item(row, unit, draft or unit, tuple(attempts))


def roles_of(begun: EventRecord) -> ModelRoles:
    """The models of a round. They stay so for the whole round: others begin another one."""
    given = begun.data["roles"]
    return ModelRoles(tuple(given["judges"]), given["roles"], given["contexts"])
