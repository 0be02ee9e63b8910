"""Tasks of single units: unsettled ones in document order, each alone, or some together if the kind can join what is
asked about them.

Near-duplicates are a second, free check: copies made by a change show only when all units are settled.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterable, Iterator, Sequence
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

    async def _finish(self, group: Group, env: Environment) -> None:
        items = self._open(group)
        if not items:
            return
        record, task, roles = self._again(group, items) if group.starts else self._begin(items, env.roles)
        live = self.live(record, is_new=not group.starts, units=[item.row.id for item in task.units])
        try:
            await live.run(self.kind.work(task, replace(env, roles=roles)))
        finally:
            self._tell_settled(live.written.values())

    def _open(self, group: Group) -> list[Item]:
        """Return the units of a group that are still to be worked on."""
        if group.starts:
            return [
                item for item, start in zip(group.items, group.starts, strict=True) if self._is_open(item.row, start)
            ]
        current = [self._recalled(item) for item in group.items]
        self._tell_settled(item.row for item in current)
        return [item for item in current if not self.kind.states.rests(item.row.state)]

    def _tell_settled(self, rows: Iterable[UnitRow]) -> None:
        for row in rows:
            if self.kind.states.rests(row.state):
                self.on_settled(row)

    # -- tasks

    def _begin(self, items: Sequence[Item], roles: ModelRoles) -> tuple[TaskRecord, Task, ModelRoles]:
        """Return a new task. Its start is recorded for each unit, with all units, so that it can be repeated."""
        numbers = [1 + sum(1 for _ in self._starts(item.row)) for item in items]
        key = f"{items[0].row.id}:{numbers[0]}"
        common = {
            "version": self.kind.work_version,
            "judges": list(roles.judges),
            "roles": dict(roles.roles),
            "contexts": dict(roles.contexts),
            "replies": dict(roles.replies),
            "key": key,
            "units": [item.row.id for item in items],
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
            for number, item in zip(numbers, items, strict=True)
        )
        return self.record(key, items, is_retraced=True, begun=begun), Task(key, tuple(items)), roles

    def _again(self, group: Group, open: Sequence[Item]) -> tuple[TaskRecord, Task, ModelRoles]:
        """Return a task to be repeated from the start. The units that it has settled only repeat their requests."""
        key, rows = str(group.starts[0].data["key"]), {item.source.id: item.row for item in open}
        before = tuple(map(_as_begun, group.items, group.starts))
        record = self.record(key, [item for item in before if item.source.id in rows], is_retraced=True)
        settled = frozenset(item.source.id for item in before if item.source.id not in rows)
        return replace(record, rows=rows), Task(key, before, settled=settled), roles_of(group.starts[0])

    def _starts(self, row: UnitRow) -> Iterator[EventRecord]:
        return self.journal.events(unit=row.id, types=("task_begun",))

    def _is_open(self, row: UnitRow, start: EventRecord) -> bool:
        """Return whether a unit is still in the task that began then.

        People's later decisions, other models, or changed work begin a new one; recorded answers are used again.
        """
        if self.kind.states.rests(row.state) or roles_of(start) != self.env.roles:
            return False
        later = self.journal.events(unit=row.id, types=("decision", "reopened"), after=start.seq, limit=1)
        return start.data["version"] == self.kind.work_version and next(later, None) is None

    def _is_repeated(self, start: EventRecord) -> bool:
        """Return whether any unit is still in the task that began then."""
        rows = filter(None, (self.journal.unit(name) for name in start.data["units"]))
        key = start.data["key"]
        return any(self._is_open(row, one) for row in rows for one in self._starts(row) if one.data["key"] == key)

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
                groups = Groups(self.kind.most_together, self._is_repeated)
                for part in units_of(self.kind, document):
                    examination = self.kind.examine(part, env.selection, env.context)
                    compared = tuple(replace(one, source="document") for one in overview.add(part, examination))
                    row = self.journal.unit(self.plan.unit_id(document.name, part.id))
                    if row is None or row.content_hash != part.content_hash:
                        raise source_changed(document)
                    starts = list(self._starts(row))
                    if starts or not self.kind.states.rests(row.state):
                        item = self._read(Item(row, part, part, (), (), compared, examination))
                        is_free = not self.kind.states.rests(row.state) and not any(
                            self._is_open(row, start) for start in starts
                        )
                        for group in groups.take(item, starts, is_free=is_free):
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


def _as_begun(item: Item, start: EventRecord) -> Item:
    """Return the item as it was when its task began."""
    return replace(
        item,
        row=replace(item.row, state=start.data["state"]),
        attempts=item.attempts[: start.data["attempts"]],
        decisions=tuple(one for one in item.decisions if one.seq < start.seq),
    )


@dataclass(frozen=True, slots=True)
class Group:
    """Units that are worked on together."""

    items: list[Item] = field(default_factory=list)
    starts: list[EventRecord] = field(default_factory=list)
    """The start of the task for each of them; empty: it has not begun."""


@dataclass(slots=True)
class Groups:
    """Puts units into groups as they come: those of a task that is repeated, and the others."""

    size: int
    is_repeated: Callable[[EventRecord], bool]
    """Returns whether the task with that start is repeated."""
    fresh: Group = field(default_factory=Group)
    begun: dict[str, Group | None] = field(default_factory=dict)
    """The key of a task that was begun -> those of its units that have come; None: it is not repeated."""

    def take(self, item: Item, starts: Sequence[EventRecord], *, is_free: bool) -> Iterator[Group]:
        """Add a unit with the starts of its tasks, and yield the groups that are complete. `is_free`: it is in no task
        and needs one."""
        for start in starts:
            key = str(start.data["key"])
            if key not in self.begun:
                self.begun[key] = Group() if self.is_repeated(start) else None
            group = self.begun[key]
            if group is not None:
                group.items.append(item)
                group.starts.append(start)
                if len(group.items) == len(start.data["units"]):
                    del self.begun[key]
                    yield group
        if is_free:
            self.fresh.items.append(item)
            if len(self.fresh.items) >= self.size:
                yield from self._fresh()

    def _fresh(self) -> Iterator[Group]:
        group, self.fresh = self.fresh, Group()
        yield group

    def left(self) -> Iterator[Group]:
        """Yield the groups that are not complete."""
        yield from (group for group in self.begun.values() if group is not None)
        if self.fresh.items:
            yield from self._fresh()
