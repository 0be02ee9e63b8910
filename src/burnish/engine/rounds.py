"""Rounds: documents that are processed as a whole, one pass at a time. The journal alone decides which round is next.

A round is one task. Repeating a round gives the same result: recorded replies are read, and unusable answers are
recorded as such, so that a run that was killed and resumed takes the same path. A new round begins only if a person
sends units back, models change, or judges that were away return.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from burnish.core.attempts import effective_decisions
from burnish.core.documents import Unit
from burnish.core.effects import ModelRoles, Outcome
from burnish.core.errors import LimitReached
from burnish.core.kinds import recorded_draft
from burnish.core.records import EventRecord, UnitRow, event
from burnish.core.tasks import Item, Task
from burnish.engine.interpreters import Overtaken
from burnish.engine.plan import DocumentPlan, source_changed
from burnish.engine.runner import REOPENED, Job, RunTasks, roles_of
from burnish.engine.unit_loader import units_of


@dataclass(slots=True, kw_only=True)
class RoundTasks(RunTasks):
    """The work on the documents of one plan: a task is one round of one of them."""

    def has_models_for(self, trouble: str) -> bool:
        return self.client is not None and bool(self.env.roles.judges)

    def ending(self) -> str | None:
        """Return the worst status of the last rounds, if it decides how the run ended."""
        last = {e.data["document"]: e.data["status"] for e in self.journal.events(types=("round_ended",))}
        waiting = {row.document for row in self.journal.units(states=(self.kind.states.waiting,))}
        if any(last.get(document) == "regenerate" for document in waiting):
            return "regenerate"
        return "best_effort" if "best_effort" in last.values() and not waiting else None

    async def work_on_all(self) -> LimitReached | None:
        """Finish every document. At a limit, calls in flight end and no new ones begin."""
        done: set[str] = set()

        async def jobs() -> AsyncGenerator[Job]:
            for document in self.plan.documents:
                if document.name not in done:
                    yield partial(self._finish, document, done)

        await self.runner.drain(jobs)
        return self.runner.limit

    async def _finish(self, document: DocumentPlan, done: set[str]) -> None:
        rounds = Rounds(self, document.name, tuple(units_of(self.kind, document)))
        rows = rounds.rows()
        if any(unit.id not in rows or rows[unit.id].content_hash != unit.content_hash for unit in rounds.units):
            raise source_changed(document)
        while (following := rounds.next()) is not None:
            with suppress(Overtaken):  # a person decided meanwhile: what is next depends on that
                await rounds.work(following)
        done.add(document.name)
        for row in rounds.rows().values():
            self.on_settled(row)


GIVEN_UP = "given_up"
"""The status of a round that was not finished because models changed."""


@dataclass(frozen=True, slots=True)
class Rounds:
    """The rounds of one document."""

    tasks: RunTasks
    document: str
    units: Sequence[Unit]
    """The units as read."""

    def next(self) -> EventRecord | None:
        """Return the round to work on: the open one, or a new one if there is a reason, or None.

        A round that was begun with other models is given up, so that no round mixes models.
        """
        roles, begun = self.tasks.env.roles, self._events("round_started")
        if self._is_under_way():
            why = self._why_given_up(begun[-1], roles)
            if why is None:
                return begun[-1]
            self.tasks.journal.write_now(self._ended(begun[-1].data["round"], GIVEN_UP, why))
        elif begun and not self._has_open(self.rows().values()):
            return None
        return self._begin(len(begun) + 1, roles)

    def _has_open(self, rows: Iterable[UnitRow]) -> bool:
        return any(row.state == self._working or self.tasks.is_due_again(row) for row in rows)

    def _on_trial(self) -> dict[str, tuple[UnitRow, EventRecord, UnitRow]]:
        """Return the units on which other models are tried, if nothing else is open: id -> row, the event of its
        reopening, and the row after it."""
        if self._is_under_way():
            return {}
        rows = {id: row for id, row in self.rows().items() if self.tasks.is_due_again(row)}
        return {id: (row, *self.tasks.reopened(row)) for id, row in rows.items()}

    @property
    def _working(self) -> str:
        return self.tasks.kind.states.working

    def _is_under_way(self) -> bool:
        """Return whether a round is open."""
        return len(self._events("round_started")) > len(self._events("round_ended"))

    def _why_given_up(self, begun: EventRecord, roles: ModelRoles) -> str | None:
        if roles_of(begun) != roles:
            return "other models were named"
        if begun.data["version"] != self.tasks.kind.work_version:
            return "the work has changed"
        return "judges were away" if self._waits_for_judges(begun.data["round"]) else None

    def _waits_for_judges(self, number: int) -> bool:
        """Return whether the round continued without a judge and then stopped because judges were away. They may be
        back, and results without them must not be mixed with theirs."""
        here, journal = f"{self.document}:{number}:", self.tasks.journal
        silences = (e for e in journal.events(types=("unanswered",)) if e.data.get("away"))
        away = [e.seq for e in silences if e.data["place"].startswith(here)]
        stops = [e.seq for e in journal.events(types=("run_stopped",)) if e.data["reason"] == "model_away"]
        return bool(away and stops) and stops[-1] > away[0]

    def _events(self, type: str) -> list[EventRecord]:
        return [e for e in self.tasks.journal.events(types=(type,)) if e.data["document"] == self.document]

    def rows(self) -> dict[str, UnitRow]:
        """Return unit id -> row."""
        name = partial(self.tasks.plan.unit_id, self.document)
        rows = {unit.id: self.tasks.journal.unit(name(unit.id)) for unit in self.units}
        return {id: row for id, row in rows.items() if row is not None}

    def _begin(self, number: int, roles: ModelRoles) -> EventRecord:
        rows, journal = self.rows(), self.tasks.journal
        data = {
            "document": self.document,
            "round": number,
            "version": self.tasks.kind.work_version,
            "attempts": {id: len(journal.attempts(row.id)) for id, row in rows.items()},
            "standing": {id: row.best_attempt for id, row in rows.items()},
            "notes": {id: note for id, row in rows.items() if (note := self._note(row)) is not None},
            "settled": [id for id, row in rows.items() if self._is_settled(row)],
            "roles": {"judges": list(roles.judges), "roles": dict(roles.roles), "contexts": dict(roles.contexts)},
        }
        begun = event("round_started", dedupe=f"round_started:{self.document}:{number}", data=data)
        if not self._on_trial():
            journal.write_now(begun)
        return begun

    def _note(self, row: UnitRow) -> str | None:
        """Return the person's note when sending the unit back; it is valid until the unit is settled again."""
        if row.state != self._working or row.reason == REOPENED:
            return None
        rejections = [each.data for each in self._decisions(row) if each.data["verdict"] == "reject"]
        return (rejections[-1]["note"] or "It is not good enough yet.") if rejections else None

    def _is_settled(self, row: UnitRow) -> bool:
        """Return whether a person decided last, other than by sending it back."""
        decisions, ready = self._decisions(row), self.tasks.kind.states.ready
        return row.state == ready and bool(decisions) and decisions[-1].data["verdict"] != "reject"

    def _decisions(self, row: UnitRow) -> tuple[EventRecord, ...]:
        """Return the decisions in effect."""
        return effective_decisions(self.tasks.journal.events(unit=row.id, types=("decision",)))

    async def work(self, begun: EventRecord) -> None:
        """Process a round, from the state of its units when it began."""
        tasks, data, number, tried = self.tasks, begun.data, begun.data["round"], self._on_trial()
        rows = self.rows() | {id: after for id, (_, _, after) in tried.items()}
        items = tuple(self._item(unit, rows[unit.id], data) for unit in self.units)
        key, settled = f"{self.document}:{number}", frozenset(data["settled"])
        task = Task(key, items, number=number, notes=data["notes"], settled=settled)

        def closing(outcome: Outcome) -> EventRecord:
            return self._ended(number, outcome.status, outcome.reason)

        tags = {"document": self.document, "round": number}
        trial = {id: (row, told) for id, (row, told, _) in tried.items()}
        record = tasks.record(key, items, is_retraced=True, tags=tags, document=self.document, closing=closing)
        record = replace(record, begun=(begun,), trial=trial) if trial else record
        selection = tasks.dismissals.selection(tasks.env.selection, self.document)
        context = tasks.examiner.contexts[self.document]
        env = replace(tasks.env, roles=roles_of(begun), context=context, selection=selection)
        await tasks.live(record).run(tasks.kind.work(task, env))

    def _ended(self, number: int, status: str | None, reason: str | None) -> EventRecord:
        data = {"document": self.document, "round": number, "status": status, "reason": reason}
        return event("round_ended", dedupe=f"round_ended:{self.document}:{number}", data=data)

    def _item(self, unit: Unit, row: UnitRow, begun: Mapping[str, Any]) -> Item:
        attempts = self.tasks.journal.attempts(row.id)[: begun["attempts"][unit.id]]
        standing = begun["standing"][unit.id]
        draft = recorded_draft(self.tasks.kind, attempts[standing - 1]) if standing else None
        return Item(row, unit, draft or unit, tuple(attempts))
