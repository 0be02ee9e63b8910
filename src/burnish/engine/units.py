"""Tasks of single units: unsettled ones in document order, each alone, or some together if the kind can join what is
asked about them.

Near-duplicates are a second, free check: copies made by a change show only when all units are settled.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import partial
from operator import attrgetter

from burnish.core.attempts import effective_decisions, open_errors
from burnish.core.effects import ModelRoles
from burnish.core.errors import LimitReached
from burnish.core.findings import Finding
from burnish.core.json_bytes import dumps
from burnish.core.records import AttemptRecord, EventRecord, UnitRow, Usage, event
from burnish.core.tasks import DUPLICATE, Environment, Item, Task
from burnish.engine.interpreters import Overtaken, TaskRecord
from burnish.engine.plan import source_changed
from burnish.engine.publish import called_back, problem_event
from burnish.engine.runner import Job, RunTasks, roles_of
from burnish.engine.unit_loader import Neighbours, source_of, units_of


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
        examined, env = env.selection, self._without_dismissed(env, group.items[0].row.document)
        if group.is_trial:
            await self._try(group.items[0], env)
            return
        items = self._open(group)
        if not items:
            return
        record, task, roles = self._again(group, items) if group.starts else self._begin(items, env.roles)
        task = self._with_open_claims(task, env, is_examined=env.selection is examined)
        live = self.live(record, is_new=not group.starts, units=[item.row.id for item in task.units])
        try:
            await live.run(self.kind.work(task, replace(env, roles=roles)))
        finally:
            self._tell_settled(live.written.values())

    async def _try(self, waiting: Item, env: Environment) -> None:
        """Try other models on a unit that waits for a person; nothing is asked together with others before they are
        heard."""
        item = self._recalled(waiting)
        if self.is_due_again(item.row):
            told, again = self.reopened(item.row)
            record, task, _ = self._begin([replace(item, row=again, decisions=(*item.decisions, told))], env.roles)
            task = self._with_open_claims(task, env, is_examined=False)
            live = self.live(replace(record, trial={item.source.id: (item.row, told)}), is_new=True)
            try:
                await live.run(self.kind.work(task, env))
            except Overtaken:
                return  # a person decided: if there is more to do, another pass follows
            item = replace(item, row=live.rows[item.source.id])
        self.on_settled(item.row)

    def _open(self, group: Group) -> list[Item]:
        """Return the units of a group that are still to be worked on."""
        if group.starts:
            return [
                item for item, start in zip(group.items, group.starts, strict=True) if self.is_open(item.row, start)
            ]
        current = [self._recalled(item) for item in group.items]
        self._tell_settled(item.row for item in current)
        return [item for item in current if not self.kind.states.rests(item.row.state)]

    def _tell_settled(self, rows: Iterable[UnitRow]) -> None:
        for row in rows:
            if self.kind.states.rests(row.state):
                self.on_settled(row)

    def _without_dismissed(self, env: Environment, document: str) -> Environment:
        """Return the environment without what was dismissed in the document by now."""
        return replace(env, selection=self.dismissals.selection(env.selection, document))

    def _with_open_claims(self, task: Task, env: Environment, *, is_examined: bool) -> Task:
        """Return the task without findings that were dismissed. `is_examined`: the units were examined with these
        rules."""
        units = []
        for item in task.units:
            compared, _ = env.selection.dismissals.split(item.neighbour_findings)
            known = item.examination if is_examined else None
            units.append(replace(item, neighbour_findings=compared, examination=known))
        return replace(task, units=tuple(units))

    # -- tasks

    def _begin(self, items: Sequence[Item], roles: ModelRoles) -> tuple[TaskRecord, Task, ModelRoles]:
        """Return a new task. Its start is recorded for each unit, with all units, so that it can be repeated."""
        numbers = [1 + sum(1 for _ in self.starts(item.row)) for item in items]
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

    def starts(self, row: UnitRow) -> Iterator[EventRecord]:
        return self.journal.events(unit=row.id, types=("task_begun",))

    def is_open(self, row: UnitRow, start: EventRecord) -> bool:
        """Return whether a unit is still in the task that began then.

        People's later decisions, other models, or changed work begin a new one; recorded answers are used again.
        """
        if self.kind.states.rests(row.state) or roles_of(start) != self.env.roles:
            return False
        later = self.journal.events(unit=row.id, types=("decision", "reopened"), after=start.seq, limit=1)
        return start.data["version"] == self.kind.work_version and next(later, None) is None

    # -- units in document order

    async def _jobs(self) -> AsyncGenerator[Job]:
        """Yield a job for each group of unsettled units, in document order, with their findings in comparison with
        others."""
        if (known := self._known_jobs()) is not None:
            for job in known:
                yield job
            return
        options = dict(self.plan.arguments.get("overview", {}))
        with closing(self.kind.overview(options, self.plan.off)) as overview:
            for problem in overview.prepare():
                await self.journal.write(problem_event(problem.path, problem))
            for document in self.plan.documents:
                selection = self.dismissals.selection(self.env.selection, document.name)
                env = replace(self.env, context=self.examiner.contexts[document.name], selection=selection)
                overview.begin(document.name, units_of(self.kind, document), env.context)
                groups = Groups(self)
                for part in units_of(self.kind, document):
                    examination = self.kind.examine(part, env.selection, env.context)
                    compared = tuple(replace(one, source="document") for one in overview.add(part, examination))
                    row = self.journal.unit(self.plan.unit_id(document.name, part.id))
                    if row is None or row.content_hash != part.content_hash:
                        raise source_changed(document)
                    if self.is_free(row):
                        item = self._read(Item(row, part, part, (), (), compared, examination))
                        for group in groups.take(item):
                            yield partial(self._finish, group, env)
                    # Rules only compute: let the workers run in between.
                    await asyncio.sleep(0)
                for group in groups.left():
                    yield partial(self._finish, group, env)
                claims = [claim.as_wire() for claim in overview.conclude()]
                told = {**overview.result(), **({"claims": claims} if claims else {})}
                self.journal.set_meta(f"overview:{document.name}", dumps(told).decode())

    def is_free(self, row: UnitRow) -> bool:
        """Return whether a unit is to be worked on."""
        return not self.kind.states.rests(row.state) or self.is_due_again(row)

    def _known_jobs(self) -> list[Job] | None:
        """Return the jobs from the journal alone; None if a unit has not been compared with the others yet. A resume
        compares rows before it examines anything, so units that are settled cost nothing."""
        is_read = all(self.journal.get_meta(f"overview:{document.name}") for document in self.plan.documents)
        if not is_read:
            return None
        items = list(map(self.known_item, self._open_rows()))
        if any(item is None for item in items):
            return None
        jobs: list[Job] = []
        for document in self.plan.documents:
            env, groups = replace(self.env, context=self.examiner.contexts[document.name]), Groups(self)
            here = (item for item in items if item is not None and item.row.document == document.name)
            formed = [group for item in here for group in groups.take(item)]
            jobs += [partial(self._finish, group, env) for group in (*formed, *groups.left())]
        return jobs

    def _open_rows(self) -> list[UnitRow]:
        states = self.kind.states
        open = (state for state in states.moves if not states.rests(state))
        rows = (row for state in open for row in self.journal.units(states=(state,)))
        return sorted((*rows, *self.due_again()), key=attrgetter("position"))

    def known_item(self, row: UnitRow, start: EventRecord | None = None) -> Item | None:
        """Return a unit with its findings beside others as recorded, with the start of a task or the last; None if they
        are not."""
        starts = [start] if start is not None else list(self.starts(row))
        if not starts and not row.attempts:
            return None
        source = source_of(self.kind, self.journal, row)
        beside = tuple(map(Finding.from_record, map(dict, starts[-1].data["beside"]))) if starts else ()
        return self._read(Item(row, source, source, (), (), beside))

    def repeated(self, start: EventRecord) -> Group:
        """Return the group of a task that was begun, with the units that it has settled."""
        key, group = start.data["key"], Group()
        for row in filter(None, map(self.journal.unit, start.data["units"])):
            one = next(one for one in self.starts(row) if one.data["key"] == key)
            item = self.known_item(row, one)
            if item is not None:
                group.items.append(item)
                group.starts.append(one)
        return group

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
    is_trial: bool = False
    """Whether other models are tried on the only unit, which waits for a person."""


@dataclass(slots=True)
class Groups:
    """Puts units into groups as they come: those of a task that is repeated, and the others."""

    tasks: UnitTasks
    fresh: Group = field(default_factory=Group)
    begun: set[str] = field(default_factory=set)
    """The keys of the tasks that are repeated."""

    def take(self, item: Item) -> Iterator[Group]:
        """Add a unit, and yield the groups that are complete."""
        start = next((one for one in self.tasks.starts(item.row) if self.tasks.is_open(item.row, one)), None)
        if self.tasks.is_due_again(item.row):
            yield Group([item], is_trial=True)
        elif start is None:
            self.fresh.items.append(item)
            if len(self.fresh.items) >= self.tasks.kind.most_together:
                yield from self.left()
        elif start.data["key"] not in self.begun:
            self.begun.add(start.data["key"])
            yield self.tasks.repeated(start)

    def left(self) -> Iterator[Group]:
        """Yield the group that is not complete."""
        if self.fresh.items:
            group, self.fresh = self.fresh, Group()
            yield group
