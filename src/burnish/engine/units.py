"""Tasks of single units: one for each unsettled unit, in document order.

Near-duplicates are a second, free check: copies made by a change show only when all units are settled.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial

from burnish.core.attempts import effective_decisions, open_errors
from burnish.core.effects import ModelRoles
from burnish.core.errors import LimitReached
from burnish.core.findings import Finding
from burnish.core.json_bytes import dumps
from burnish.core.records import AttemptRecord, EventRecord, UnitRow, Usage, event
from burnish.core.tasks import DUPLICATE, Environment, Item, Task
from burnish.engine.interpreters import TaskRecord
from burnish.engine.plan import source_changed
from burnish.engine.publish import called_back, problem_event
from burnish.engine.runner import Job, RunTasks, roles_of
from burnish.engine.unit_loader import Neighbours, units_of


@dataclass(slots=True, kw_only=True)
class UnitTasks(RunTasks):
    """The work on the units of one plan."""

    async def call_back(self) -> None:
        """Send an accepted unit to a person if its change made it a copy of another.

        All final drafts are known only when all units are settled. Each change is compared once, and a person's
        decision on it is final.
        """
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

    async def work_on_all(self) -> LimitReached | None:
        """Process every unsettled unit. At a limit no new ones begin, and calls in flight are recorded."""
        await self.runner.drain(self._jobs)
        return self.runner.limit

    async def _finish(self, task: Task, env: Environment) -> None:
        [item] = task.units
        row = self.journal.unit(item.row.id) or item.row
        if row.at != item.row.at:  # a person decided about it, or undid that, since it was queued
            task = self._recalled(task, row)
        env, task = self._without_dismissed(env, task)
        if not self.kind.states.rests(row.state):
            record, task = self._recorded(task, env.roles)
            live = self.live(record, is_new=record.begun is not None, unit=row.id)
            await live.run(self.kind.work(task, env))
            row = live.rows[item.source.id]
        self.on_settled(row)

    def _without_dismissed(self, env: Environment, task: Task) -> tuple[Environment, Task]:
        """Return the rules and the task without what was dismissed in the document by now."""
        [item] = task.units
        selection = self.dismissals.selection(env.selection, item.row.document)
        known = task.examination if selection is env.selection else None
        compared, _ = selection.dismissals.split(task.neighbour_findings)
        return replace(env, selection=selection), replace(task, neighbour_findings=compared, examination=known)

    # -- tasks

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

    # -- units in document order

    async def _jobs(self) -> AsyncGenerator[Job]:
        """Yield a job for every unsettled unit, in document order, with its findings in comparison with others."""
        options = dict(self.plan.arguments.get("overview", {}))
        with closing(self.kind.overview(options, self.plan.off)) as overview:
            for problem in overview.prepare():
                await self.journal.write(problem_event(problem.path, problem))
            for document in self.plan.documents:
                selection = self.dismissals.selection(self.env.selection, document.name)
                env = replace(self.env, context=self.examiner.contexts[document.name], selection=selection)
                overview.begin(document.name, units_of(self.kind, document), env.context)
                for part in units_of(self.kind, document):
                    examination = self.kind.examine(part, env.selection, env.context)
                    compared = tuple(replace(one, source="document") for one in overview.add(part, examination))
                    row = self.journal.unit(self.plan.unit_id(document.name, part.id))
                    if row is None or row.content_hash != part.content_hash:
                        raise source_changed(document)
                    if not self.kind.states.rests(row.state):
                        item = Item(row, part, part, ())
                        task = Task(row.id, (item,), neighbour_findings=compared, examination=examination)
                        yield partial(self._finish, self._recalled(task, row), env)
                    # Rules only compute: let the workers run in between.
                    await asyncio.sleep(0)
                claims = [claim.as_wire() for claim in overview.conclude()]
                told = {**overview.result(), **({"claims": claims} if claims else {})}
                self.journal.set_meta(f"overview:{document.name}", dumps(told).decode())

    def _recalled(self, task: Task, row: UnitRow) -> Task:
        """Return the task with the unit's current data from the journal."""
        [item] = task.units
        attempts = tuple(self.journal.attempts(row.id)) if row.attempts else ()  # the row is written with them
        grants = tuple(self.journal.events(unit=row.id, types=("decision", "reopened")))
        return replace(task, units=(replace(item, row=row, attempts=attempts, decisions=grants),))
