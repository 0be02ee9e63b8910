"""Tasks of single units: unsettled ones in document order, each alone, or some together if the kind can join what is
asked about them.

Near-duplicates are a second, free check: copies made by a change show only when all units are settled.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
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

    async def _finish(self, items: Sequence[Item], env: Environment) -> None:
        current = [self._recalled(item) for item in items]
        task = Task("", tuple(item for item in current if not self.kind.states.rests(item.row.state)))
        rows = [item.row for item in current]
        if task.units:
            record, task, roles = self._recorded(task, env.roles)
            live = self.live(record, is_new=bool(record.begun), units=[item.row.id for item in task.units])
            await live.run(self.kind.work(task, replace(env, roles=roles)))
            rows = [live.rows.get(item.source.id, item.row) for item in current]
        for row in rows:
            self.on_settled(row)

    # -- tasks

    def _recorded(self, task: Task, roles: ModelRoles) -> tuple[TaskRecord, Task, ModelRoles]:
        """Return the open task, to be repeated from the start, or a new one.

        People's later decisions, other models, or changed work begin a new one; recorded answers are used again.
        """
        begun = [self._begun(item, roles) for item in task.units]
        known = [one for one in begun if one is not None]
        if len(known) < len(begun):
            return self._begin(task, roles)
        return self._again(task, known)

    def _begun(self, item: Item, roles: ModelRoles) -> EventRecord | None:
        """Return the last start of the work on a unit if that is to be repeated; None: a new task begins."""
        last = next(reversed(list(self.journal.events(unit=item.row.id, types=("task_begun",)))), None)
        is_open = last is not None and not any(grant.seq > last.seq for grant in item.decisions)
        if last is None or not is_open or roles_of(last) != roles or last.data["version"] != self.kind.work_version:
            return None
        return last

    def _begin(self, task: Task, roles: ModelRoles) -> tuple[TaskRecord, Task, ModelRoles]:
        names = [item.row.id for item in task.units]
        known = [sum(1 for _ in self.journal.events(unit=name, types=("task_begun",))) for name in names]
        key = f"{names[0]}:{known[0] + 1}"
        common = {
            "version": self.kind.work_version,
            "judges": list(roles.judges),
            "roles": dict(roles.roles),
            "contexts": dict(roles.contexts),
            "replies": dict(roles.replies),
            "key": key,
            "units": names,
        }
        begun = tuple(
            event(
                "task_begun",
                item.row.id,
                dedupe=f"task_begun:{item.row.id}:{number}",
                data={
                    "task": number,
                    "state": item.row.state,
                    "attempts": len(item.attempts),
                    "beside": [finding.as_record() for finding in item.neighbour_findings],
                    **common,
                },
            )
            for number, item in zip((one + 1 for one in known), task.units, strict=True)
        )
        return self.record(key, task.units, is_retraced=True, begun=begun), replace(task, key=key), roles

    def _again(self, task: Task, begun: Sequence[EventRecord]) -> tuple[TaskRecord, Task, ModelRoles]:
        before = tuple(
            replace(
                item, row=replace(item.row, state=one.data["state"]), attempts=item.attempts[: one.data["attempts"]]
            )
            for item, one in zip(task.units, begun, strict=True)
        )
        key = str(begun[0].data["key"])
        record = replace(
            self.record(key, before, is_retraced=True), rows={item.source.id: item.row for item in task.units}
        )
        return record, replace(task, key=key, units=before), roles_of(begun[0])

    # -- units in document order

    async def _jobs(self) -> AsyncGenerator[Job]:
        """Yield a job for each group of unsettled units, in document order, with their findings in comparison with
        others."""
        options = dict(self.plan.arguments.get("overview", {}))
        with closing(self.kind.overview(options, self.plan.off)) as overview:
            for problem in overview.prepare():
                await self.journal.write(problem_event(problem.path, problem))
            for document in self.plan.documents:
                env = replace(self.env, context=self.examiner.contexts[document.name])
                overview.begin(document.name, units_of(self.kind, document), env.context)
                groups = Groups(self.kind.most_together)
                for part in units_of(self.kind, document):
                    examination = self.kind.examine(part, env.selection, env.context)
                    compared = tuple(replace(one, source="document") for one in overview.add(part, examination))
                    row = self.journal.unit(self.plan.unit_id(document.name, part.id))
                    if row is None or row.content_hash != part.content_hash:
                        raise source_changed(document)
                    if not self.kind.states.rests(row.state):
                        item = self._read(Item(row, part, part, (), (), compared, examination))
                        begun = self._begun(item, env.roles)
                        if group := groups.take(item, begun.data["units"] if begun is not None else ()):
                            yield partial(self._finish, group, env)
                    # Rules only compute: let the workers run in between.
                    await asyncio.sleep(0)
                for group in groups.left():
                    yield partial(self._finish, group, env)
                claims = [claim.as_wire() for claim in overview.conclude()]
                told = {**overview.result(), **({"claims": claims} if claims else {})}
                self.journal.set_meta(f"overview:{document.name}", dumps(told).decode())

    def _recalled(self, item: Item) -> Item:
        """Return the item as it is now: a person may have decided about it, or undone that, since it was queued."""
        row = self.journal.unit(item.row.id) or item.row
        return item if row.at == item.row.at else self._read(replace(item, row=row))

    def _read(self, item: Item) -> Item:
        """Return the item with its unit's data from the journal."""
        row = item.row
        attempts = tuple(self.journal.attempts(row.id)) if row.attempts else ()  # the row is written with them
        grants = tuple(self.journal.events(unit=row.id, types=("decision", "reopened")))
        return replace(item, attempts=attempts, decisions=grants)


@dataclass(slots=True)
class Groups:
    """Puts units that are worked on together into groups: those of a task that was begun as they were, the others as
    they come."""

    size: int
    fresh: list[Item] = field(default_factory=list)
    begun: dict[tuple[str, ...], list[Item]] = field(default_factory=dict)
    """The units of a task that was begun -> those that have come."""

    def take(self, item: Item, units: Sequence[str]) -> list[Item]:
        """Add a unit, and return its group if that is complete. `units`: those of its task; none: it was not begun."""
        if not units:
            self.fresh.append(item)
            group = self.fresh if len(self.fresh) >= self.size else []
            self.fresh = [] if group else self.fresh
            return group
        known = self.begun.setdefault(tuple(units), [])
        known.append(item)
        return self.begun.pop(tuple(units)) if len(known) == len(units) else []

    def left(self) -> Iterator[list[Item]]:
        """Yield the groups that are not complete."""
        yield from self.begun.values()
        if self.fresh:
            yield self.fresh
