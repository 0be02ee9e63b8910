"""Tasks of single units: one for each unsettled unit, in document order.

Near-duplicates are a second, free check: copies made by a change show only when all units are settled.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Collection
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from operator import attrgetter

from burnish.core.attempts import effective_decisions, is_undo, open_errors
from burnish.core.effects import ModelRoles
from burnish.core.errors import LimitReached, ModelAway
from burnish.core.findings import Finding
from burnish.core.json_bytes import dumps
from burnish.core.records import AttemptRecord, EventRecord, UnitRow, Usage, event
from burnish.core.tasks import CORRECTOR, DUPLICATE, Environment, Item, Task
from burnish.engine.decisions import RecordedDecisions
from burnish.engine.interpreters import Overtaken, TaskRecord
from burnish.engine.plan import Plan, source_changed
from burnish.engine.publish import called_back, problem_event
from burnish.engine.runner import Job, RunTasks, roles_of
from burnish.engine.unit_loader import Neighbours, source_of, units_of
from burnish.models.gateway import ReplayMiss
from burnish.store.journal import Journal

COPIED_AT_ONCE = 50
"""Calls that a replay copies in one transaction."""


@dataclass(slots=True, kw_only=True)
class UnitTasks(RunTasks):
    """The work on the units of one plan."""

    async def call_back(self) -> None:
        """Send an accepted unit to a person if its change made it a copy of another.

        All final drafts are known only when all units are settled. Each change is compared once, and a person's
        decision on it is final.
        """
        if self.replayed is not None:
            return  # repeated in order, by `_called_back_again`
        marks = [mark.data["until"] for mark in self.journal.events(types=("compared",))]
        since = latest = str(marks[-1]) if marks else ""
        changed: dict[str, UnitRow] = {}
        for row in self.journal.units(states=(self.kind.states.ready,)):
            if row.best_attempt > 1:  # another draft than the source
                latest = max(latest, row.at)
                if row.at > since and not self._was_decided(row):
                    changed[row.id] = row
        copies = Neighbours(self.plan, self.kind, self.journal).copies(changed.values()) if changed else {}
        back = [record for unit, finding in copies.items() for record in self._copy(changed[unit], finding)]
        if latest != since:
            # In one transaction: after an interrupt in between, the copies left would be compared with one that waits.
            await self.journal.write(*back, event("compared", data={"until": latest}))

    def _copy(self, row: UnitRow, finding: Finding) -> tuple[EventRecord, AttemptRecord, UnitRow]:
        """Return a waiting unit: the finding is recorded with a new review of its draft."""
        told, back = called_back(row, self.kind.states, DUPLICATE, finding.message, finding.rule)
        draft = self.journal.attempts(row.id)[row.best_attempt - 1]
        seen = replace(  # another review, without a model
            draft,
            number=row.attempts + 1,
            cause="review",
            findings=(*draft.findings, finding.as_record()),
            passed=False,
            failure=None,
            edits=(),
            receipt=None,
            usage=Usage(),
            calls=(),
            at="",
        )
        stands = replace(back, attempts=seen.number, best_attempt=seen.number, open_errors=open_errors(seen))
        return told, seen, stands

    def _was_decided(self, row: UnitRow) -> bool:
        decisions = effective_decisions(self.journal.events(unit=row.id, types=("decision",)))
        return bool(decisions) and decisions[-1].data["after_attempt"] == row.attempts

    async def prepare(self) -> None:
        """In a replay, copy the paid calls of the recorded run."""
        if self.replayed is not None:
            # All calls in order, so that a replay has the same bill. A stopped replay continues.
            known = sum(1 for _ in self.journal.calls())
            calls = islice(self.replayed.calls(), known, None)
            while batch := list(islice(calls, COPIED_AT_ONCE)):
                await self.journal.write(*batch)

    async def work_on_all(self) -> LimitReached | None:
        """Process every unsettled unit. At a limit no new ones begin, and calls in flight are recorded."""
        stuck: list[UnitRow] = []
        await self.runner.drain(lambda: self._jobs(stuck))
        if self.runner.limit is not None or not stuck:
            return self.runner.limit
        more = f" and {len(stuck) - 1} more" if len(stuck) > 1 else ""
        return LimitReached(
            f"The recorded run did not finish {stuck[0].id}{more}.",
            hint="Resume that run first, then replay it again.",
        )

    async def _finish(self, task: Task, env: Environment, stuck: list[UnitRow]) -> None:
        if self.replayed is not None and self.decisions is not None:
            row = await self._repeated(task, env, self.replayed, self.decisions)
        else:
            [item] = task.units
            row = self.journal.unit(item.row.id) or item.row
            if row.at != item.row.at:  # a person decided about it, or undid that, since it was queued
                task = self._recalled(task, row)
            if self._is_open(row):
                record, task = self._on_trial(task, env) if self.is_due_again(row) else self._recorded(task, env.roles)
                live = self.live(record, is_new=record.begun is not None, unit=row.id)
                try:
                    await live.run(self.kind.work(task, env))
                except Overtaken:
                    return  # a person decided: if there is more to do, another pass follows
                row = live.rows[item.source.id]
        if self.kind.states.rests(row.state):
            self.on_settled(row)
        else:
            stuck.append(row)

    async def _worked_again(self, record: TaskRecord, task: Task, env: Environment) -> UnitRow:
        [item] = task.units
        live = self.live(record, unit=item.row.id)
        await live.run(self.kind.work(task, env))
        return live.rows[item.source.id]

    @property
    def charge(self) -> Callable[[str, int, Collection[str]], Usage] | None:
        """In a replay, the usage of the recorded attempts."""
        replayed = self.replayed
        if replayed is None:
            return None
        return lambda unit, number, _: next((one.usage for one in replayed.attempts(unit)[number - 1 :]), Usage())

    def _is_open(self, row: UnitRow) -> bool:
        return not self.kind.states.rests(row.state) or self.is_due_again(row)

    # -- tasks

    def _on_trial(self, task: Task, env: Environment) -> tuple[TaskRecord, Task]:
        """Return the task of trying other models on a unit that waits for a person."""
        [item] = task.units
        told, again = self.reopened(item.row)
        task = replace(task, units=(replace(item, row=again, decisions=(*item.decisions, told)),))
        begun = sum(1 for _ in self.journal.events(unit=item.row.id, types=("task_begun",)))
        record, task = self._begin(task, env.roles, begun + 1)
        return replace(record, trial={item.source.id: (item.row, told)}), task

    def _recorded(self, task: Task, roles: ModelRoles) -> tuple[TaskRecord, Task]:
        """Return the open task, to be repeated from the start, or a new one.

        People's later decisions, other models, or changed work begin a new one; recorded answers are used again.
        """
        [item] = task.units
        begun = list(self.journal.events(unit=item.row.id, types=("task_begun",)))
        last = begun[-1] if begun else None
        is_open = last is not None and not any(grant.seq > last.seq for grant in item.decisions)
        if last is None or not is_open or roles_of(last) != roles or last.data["version"] != self.kind.work_version:
            return self._begin(task, roles, len(begun) + 1)
        return self._again(task, last)

    def _begin(self, task: Task, roles: ModelRoles, number: int) -> tuple[TaskRecord, Task]:
        [item] = task.units
        data = {
            "task": number,
            "version": self.kind.work_version,
            "state": item.row.state,
            "attempts": len(item.attempts),
            "judges": list(roles.judges),
            "roles": dict(roles.roles),
            "beside": [finding.as_record() for finding in task.neighbour_findings],
        }
        begun = event("task_begun", item.row.id, dedupe=f"task_begun:{item.row.id}:{number}", data=data)
        return self.record(f"{item.row.id}:{number}", task.units, is_retraced=True, begun=begun), task

    def _again(self, task: Task, begun: EventRecord) -> tuple[TaskRecord, Task]:
        [item] = task.units
        before = replace(
            item, row=replace(item.row, state=begun.data["state"]), attempts=item.attempts[: begun.data["attempts"]]
        )
        record = self.record(f"{item.row.id}:{begun.data['task']}", (before,), is_retraced=True)
        return replace(record, rows={item.source.id: item.row}), replace(task, units=(before,))

    # -- a replay

    async def _repeated(self, task: Task, env: Environment, recorded: Journal, decisions: RecordedDecisions) -> UnitRow:
        """Repeat everything that happened to a unit in the recorded run, in order: tasks with their models, decisions,
        reopenings and call-backs. The row stays open if the record ends before."""
        [item] = task.units
        row, rests = item.row, self.kind.states.rests
        story, own = self._story(recorded, row), self._story(self.journal, row)
        place = len(own)
        if own and not rests(row.state) and own[-1].type == "task_begun":
            place -= 1
        while True:
            following = story[place] if place < len(story) else None
            is_task = following is not None and following.type == "task_begun"
            if not rests(row.state) and not is_task and not (following is not None and is_undo(following)):
                row = await self._worked_freely(task, row, env, recorded, story[place - 1].seq if place else 0)
                if not rests(row.state):
                    return row
                continue
            if following is None:
                return row
            place += 1
            if is_task:
                row = await self._worked_as_then(self._recalled(task, row), env, following)
            elif following.type == "decision":
                row = decisions.repeat(row, item.source, following)
            elif following.type == "reopened":
                reopened, row = self.reopened(row)
                await self.journal.write(reopened, row)
            else:
                row = await self._called_back_again(row, recorded, following)

    def _story(self, journal: Journal, row: UnitRow) -> list[EventRecord]:
        """Return a unit's main events: started tasks, decisions, reopenings, and moves out of `ready`."""
        told = journal.events(unit=row.id, types=("task_begun", "decision", "reopened", "state_changed"))
        return [e for e in told if e.type != "state_changed" or e.data["from"] == self.kind.states.ready]

    async def _worked_as_then(self, task: Task, env: Environment, begun: EventRecord) -> UnitRow:
        """Repeat a recorded task with its models. If the recorded run left it, stop at the same place."""
        [item] = task.units
        known = self.journal.events(unit=item.row.id, types=("task_begun",))
        number, env = begun.data["task"], replace(env, roles=roles_of(begun))
        is_known = any(one.data["task"] == number for one in known)
        record, task = self._again(task, begun) if is_known else self._begin(task, env.roles, number)
        try:
            return await self._worked_again(record, task, env)
        except (ModelAway, ReplayMiss):
            return self.journal.unit(item.row.id) or item.row

    async def _worked_freely(
        self, task: Task, row: UnitRow, env: Environment, recorded: Journal, since: int
    ) -> UnitRow:
        """Do work without requests, with the models of the recorded run at that time; nothing if it was never done."""
        moves = recorded.events(unit=row.id, types=("state_changed",), after=since)
        rest = next((move for move in moves if self.kind.states.rests(move.data["to"])), None)
        if rest is None:
            return row
        roles = ModelRoles() if rest.data.get("reason") == "no_model" else _roles_at(recorded, self.plan, rest.seq)
        return await self._worked_again(*self._begin(self._recalled(task, row), roles, 0), replace(env, roles=roles))

    async def _called_back_again(self, row: UnitRow, recorded: Journal, told: EventRecord) -> UnitRow:
        """Send a unit to a person as in the recorded run, which compared its units at other times."""
        back = replace(row, state=self.kind.states.check(row.state, told.data["to"]), reason=told.data["reason"])
        seen = recorded.attempts(row.id)[row.attempts : row.attempts + 1] if back.reason == DUPLICATE else []
        for attempt in seen:
            back = replace(back, attempts=attempt.number, best_attempt=attempt.number, open_errors=open_errors(attempt))
        data = {**told.data, "rules": told.data.get("rules", [])}
        await self.journal.write(event("state_changed", row.id, data=data), *(replace(a, at="") for a in seen), back)
        return back

    # -- units in document order

    async def _jobs(self, stuck: list[UnitRow]) -> AsyncGenerator[Job]:
        """Yield a job for every unsettled unit, in document order, with its findings in comparison with others."""
        if (known := self._known_jobs(stuck)) is not None:
            for job in known:
                yield job
            return
        options = dict(self.plan.arguments.get("overview", {}))
        with closing(self.kind.overview(options, self.plan.off)) as overview:
            for problem in overview.prepare():
                await self.journal.write(problem_event(problem.path, problem))
            for document in self.plan.documents:
                env = replace(self.env, context=self.examiner.contexts[document.name])
                overview.begin(document.name, units_of(self.kind, document), env.context)
                for part in units_of(self.kind, document):
                    examination = self.kind.examine(part, env.selection, env.context)
                    compared = tuple(replace(one, source="document") for one in overview.add(part, examination))
                    row = self.journal.unit(self.plan.unit_id(document.name, part.id))
                    if row is None or row.content_hash != part.content_hash:
                        raise source_changed(document)
                    if self._is_open(row) or self._is_unrepeated(row):
                        item = Item(row, part, part, ())
                        task = Task(row.id, (item,), neighbour_findings=compared, examination=examination)
                        yield partial(self._finish, self._recalled(task, row), env, stuck)
                    # Rules only compute: let the workers run in between.
                    await asyncio.sleep(0)
                claims = [claim.as_wire() for claim in overview.conclude()]
                told = {**overview.result(), **({"claims": claims} if claims else {})}
                self.journal.set_meta(f"overview:{document.name}", dumps(told).decode())

    def _known_jobs(self, stuck: list[UnitRow]) -> list[Job] | None:
        """Return the jobs from the journal alone; None if a unit has not been compared with the others yet. A resume
        compares rows before it examines anything, so units that are settled cost nothing."""
        is_read = all(self.journal.get_meta(f"overview:{document.name}") for document in self.plan.documents)
        if not is_read or self.replayed is not None:
            return None
        tasks = list(map(self._known_task, self._open_rows()))
        if any(task is None for task in tasks):
            return None
        contexts = self.examiner.contexts
        envs = {name: replace(self.env, context=context) for name, context in contexts.items()}
        return [partial(self._finish, task, envs[task.units[0].row.document], stuck) for task in tasks if task]

    def _open_rows(self) -> list[UnitRow]:
        states = self.kind.states
        open = (state for state in states.moves if not states.rests(state))
        rows = (row for state in open for row in self.journal.units(states=(state,)))
        return sorted((*rows, *self.due_again()), key=attrgetter("position"))

    def _known_task(self, row: UnitRow) -> Task | None:
        """Return the task of a unit whose findings beside others are recorded; None if they are not."""
        begun = list(self.journal.events(unit=row.id, types=("task_begun",)))
        if not begun and not row.attempts:
            return None
        source = source_of(self.kind, self.journal, row)
        beside = tuple(map(Finding.from_record, map(dict, begun[-1].data["beside"]))) if begun else ()
        return self._recalled(Task(row.id, (Item(row, source, source, ()),), neighbour_findings=beside), row)

    def _recalled(self, task: Task, row: UnitRow) -> Task:
        """Return the task with the unit's current data from the journal."""
        [item] = task.units
        attempts = tuple(self.journal.attempts(row.id)) if row.attempts else ()  # the row is written with them
        grants = tuple(self.journal.events(unit=row.id, types=("decision", "reopened")))
        return replace(task, units=(replace(item, row=row, attempts=attempts, decisions=grants),))

    def _is_unrepeated(self, row: UnitRow) -> bool:
        """Return whether a replay has events of a settled unit left to repeat."""
        recorded = self.replayed
        return recorded is not None and len(self._story(self.journal, row)) < len(self._story(recorded, row))


def _roles_at(recorded: Journal, plan: Plan, seq: int) -> ModelRoles:
    """Return the models that the recorded run had at that time."""
    sessions = sorted(recorded.events(types=("run_started", "run_resumed")), key=lambda one: one.seq)
    known = [one.data for one in sessions if one.seq < seq and "judges" in one.data]
    judges, corrector = (known[-1]["judges"], known[-1]["corrector"]) if known else (plan.judges, plan.corrector)
    return ModelRoles(tuple(judges), {CORRECTOR: corrector} if corrector else {})
