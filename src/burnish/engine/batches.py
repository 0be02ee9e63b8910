"""Move units through their stages in batches of rows, as many at a time as there are workers.

The rows hold all state. A stage processes those in the states that it takes; a batch is settled in one transaction.
Batches that ask models are recorded before they begin, so that a killed run resumes with the same batches, whose
answers may be recorded already.
"""

from __future__ import annotations

import asyncio
import heapq
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from operator import attrgetter

from burnish.core.errors import LimitReached, StateCorrupt
from burnish.core.faultpoints import reach
from burnish.core.json_bytes import dumps, loads
from burnish.core.records import AttemptRecord, EventRecord, Record, UnitRow, event
from burnish.core.tasks import Gathered, Stage, Task
from burnish.engine.interpreters import raised
from burnish.engine.runner import Job, RunTasks
from burnish.engine.unit_loader import UnitLoader, moved
from burnish.store.journal import Journal

FACTS, FACTS_DUE = "facts", "facts_due"
"""The journal's keys for the gathered facts, and for whether they must be gathered again."""
STAGE = "stage"
"""The journal's key for the current stage; empty: the first."""


def begin_anew(journal: Journal) -> None:
    """Let the next session begin with the first stage, and gather the facts again."""
    journal.set_meta(FACTS_DUE, "yes")
    journal.set_meta(STAGE, "")


@dataclass(frozen=True, slots=True)
class Batch:
    """Rows that are processed together."""

    number: int
    rows: tuple[UnitRow, ...]


@dataclass(slots=True, kw_only=True)
class BatchTasks(RunTasks):
    """The work on the units of one plan, stage by stage: a task is a batch of a stage."""

    began: Callable[[str, int], None]
    """Called with every stage and the number of its units."""
    passed: Callable[[int], None]
    """Called with the number of units of every finished batch."""
    shelf: UnitLoader = field(init=False)
    batches: int = 0
    """The number of the last recorded batch."""
    begun: set[int] = field(default_factory=set)
    """The batches that an earlier session began and that are repeated."""

    def __post_init__(self) -> None:
        self.shelf = UnitLoader(self.kind, self.journal)
        [document] = self.plan.documents
        selection = self.dismissals.selection(self.env.selection, document.name)
        self.env = replace(self.env, around=self.shelf, selection=selection)
        recorded = self.journal.get_meta(FACTS)
        if recorded is not None:
            self.env = replace(self.env, facts=loads(recorded))

    async def prepare(self) -> None:
        """Send units that wait because a model was missing to work, if other models are named now. A person can still
        take them from there."""
        for row in self.due_again():
            await self.journal.write(*self.reopened(row))

    async def work_on_all(self) -> LimitReached | None:
        """Run stage after stage until no unit moves any more, a limit is reached or a model is away."""
        if self.journal.get_meta(FACTS) is None:
            self._keep_facts(self.kind.prepared(self.shelf.drafts(), self.env))
        # A killed run finishes its interrupted stage first, so that its batches are those of any other run.
        phases, left = self._phases, self.journal.get_meta(STAGE)
        phases = phases[phases.index(left) :] if left in phases else phases
        # The rest of an interrupted round is always followed by a whole round.
        any_moved = len(phases) < len(self._phases)
        while phases and not self._stops:
            for name in phases:
                self.journal.set_meta(STAGE, name)
                any_moved = await self._pass(self.kind.stage(name, self.env)) or any_moved
                if self._stops:
                    break
            else:
                self.journal.set_meta(STAGE, "")
                phases, any_moved = self._phases if any_moved else (), False
        return self.runner.limit

    @property
    def _phases(self) -> tuple[str, ...]:
        return self.kind.rework_phases if self.env.only_rework else self.kind.phases

    @property
    def _stops(self) -> bool:
        return self.runner.is_out_of_time() or self.runner.outage is not None

    async def _pass(self, stage: Stage) -> bool:
        """Run one stage over all its units. Return whether there were any."""
        counts = self.journal.counts()
        there = sum(counts.get(state, 0) for state in stage.takes)
        if there:
            self.began(stage.name, there)
        if stage.gathers and there:
            # Recorded before the first unit moves, so that the facts are gathered even after a kill.
            self.journal.set_meta(FACTS_DUE, "yes")

        async def jobs() -> AsyncGenerator[Job]:
            async for batch in self._batches(stage):
                if self.runner.outage is not None:
                    return
                yield partial(self._work, stage, batch)

        any_moved = await self.runner.drain(jobs)
        any_moved = self.runner.take_reopened() or any_moved
        if self._stops:
            return any_moved
        reach("engine.stage.ended")
        if stage.gathers and self.journal.get_meta(FACTS_DUE) == "yes":
            self._keep_facts(self.kind.gathered(self.shelf.drafts(), self.env))
            self.journal.set_meta(FACTS_DUE, "")
            reach("engine.stage.gathered")
        await self._number_blockers()
        return any_moved

    # -- batches

    async def _batches(self, stage: Stage) -> AsyncIterator[Batch]:
        """Yield the batches that were begun and not settled, then new ones in document order."""
        begun = self._begun(stage) if stage.pays else []
        for batch in begun:
            yield batch
        taken = {row.id for batch in begun for row in batch.rows}
        fresh: list[UnitRow] = []
        room = stage.room
        # In document order. Each state is found by its index, however many rows are in other states.
        waiting = (self.journal.units(states=(state,)) for state in stage.takes)
        for row in heapq.merge(*waiting, key=attrgetter("position")):
            if row.id in taken:
                continue
            weight = stage.weight(self.shelf.item(row)) if stage.pays else 0
            if fresh and (len(fresh) == stage.size or weight > room):
                if (formed := self._formed(stage, fresh)) is not None:
                    yield formed
                fresh, room = [], stage.room
            fresh.append(row)
            room -= weight
        if fresh and (formed := self._formed(stage, fresh)) is not None:
            yield formed

    def _begun(self, stage: Stage) -> list[Batch]:
        """Return the unsettled batches of this stage. Units that left its states meanwhile, because of a person or a
        changed source, are removed from their batch; batches of another version of the work are formed again."""
        begun: list[Batch] = []
        formed = {int(e.data["number"]): e.data for e in self.journal.events(types=("batch_formed",))}
        self.batches = max(formed, default=0)
        for settled in self.journal.events(types=("batch_settled",)):
            formed.pop(int(settled.data["number"]), None)
        for number, one in sorted(formed.items()):
            if one["stage"] != stage.name:
                continue
            rows = tuple(row for row in self._rows(one["units"]) if row.state in stage.takes)
            if rows and one["version"] == self.kind.work_version:
                begun.append(Batch(number, rows))
                self.begun.add(number)
            else:
                self.journal.write_now(event("batch_settled", data={"number": number}))
        return begun

    def _rows(self, units: Sequence[str]) -> tuple[UnitRow, ...]:
        rows = tuple(row for unit in units if (row := self.journal.unit(unit)) is not None)
        if len(rows) != len(units):
            raise StateCorrupt("A batch in the journal names units that are not there.")
        return rows

    def _formed(self, stage: Stage, rows: Sequence[UnitRow]) -> Batch | None:
        """Form a batch of the rows; None if people have moved all of them since they were read."""
        rows = self._still_taken(stage, rows)
        if not rows:
            return None
        if not stage.pays:
            return Batch(0, rows)
        self.batches += 1
        units, version = [row.id for row in rows], self.kind.work_version
        data = {"stage": stage.name, "number": self.batches, "units": units, "version": version}
        entered = [moved(self.kind.states, row, stage.enters, None) for row in rows] if stage.enters else []
        batch = Batch(self.batches, tuple(row for _, row in entered) or tuple(rows))
        # Written at once: until then no decision about its units may be applied.
        self.journal.write_now(event("batch_formed", data=data), *(record for both in entered for record in both))
        reach("engine.task.begun")
        return batch

    def _still_taken(self, stage: Stage, rows: Sequence[UnitRow]) -> tuple[UnitRow, ...]:
        """Return the current rows, without those that a person has moved since they were read."""
        return tuple(row for row in self._rows([row.id for row in rows]) if row.state in stage.takes)

    # -- one batch

    async def _work(self, stage: Stage, batch: Batch) -> None:
        if not batch.number:  # it is not recorded, so people may have decided about its units since
            batch = Batch(0, self._still_taken(stage, batch.rows))
        if stage.moves:
            await self._move(stage, batch)
            self.passed(len(batch.rows))
            return
        items = tuple(self.shelf.item(row) for row in batch.rows)
        is_noted = bool(batch.number)
        closing = event("batch_settled", data={"number": batch.number}) if is_noted else None
        record = self.record(
            f"batch:{batch.number}", items, is_retraced=is_noted, stores_sources=True, closing=lambda _: closing
        )
        task = Task(record.key, items, stage.name)
        live = self.live(record, is_new=batch.number not in self.begun)
        await live.run(self.kind.work(task, self.env))
        for row in live.rows.values():
            if self.kind.states.rests(row.state):
                self.on_settled(row)
        self.passed(len(batch.rows))
        # Rules only compute: let the other workers run.
        await asyncio.sleep(0)

    async def _move(self, stage: Stage, batch: Batch) -> None:
        """Move every row of a batch through the stage's states, without loading its units."""
        records: list[Record] = []
        for row in batch.rows:
            for state in stage.moves:
                told, row = moved(self.kind.states, row, state, row.reason)
                records.append(told)
            records.append(row)
        await self.journal.write(*records)
        reach("engine.task.settled")

    # -- the whole document

    def _keep_facts(self, gathered: Gathered) -> None:
        told = [
            EventRecord(one.type, one.unit, dict(one.data), dedupe=f"gathered:{one.data.get('hash', place)}")
            for place, one in enumerate(gathered.notes)
        ]
        self.journal.write_now(*raised(gathered.blockers), *told)
        if gathered.facts:
            self.journal.set_meta(FACTS, dumps(gathered.facts).decode())
        self.env = replace(self.env, facts=gathered.facts)

    async def _number_blockers(self) -> None:
        """Give every blocker that is not a unit an id and a row, now that their order is final."""
        raised = {str(e.dedupe): e for e in self.journal.events(types=("blocker_raised",))}
        known = {str(e.data["key"]) for e in self.journal.events(types=("blocker_numbered",))}
        fresh = sorted(raised.keys() - known)
        if not fresh:
            return
        behind = sum(self.journal.counts().values())
        for number, key in enumerate(fresh, start=len(known) + 1):
            id, said = f"issue_{number:04}", raised[key].data
            unit = self.kind.blocker(id, said["record"])
            position = behind + number - len(known) - 1
            row = UnitRow(id, "", position, unit.content_hash, self.kind.states.initial, None, 1, 1, 1)
            attempt = AttemptRecord(id, 1, "source", self.kind.to_record(unit), unit.content_hash, {}, (), passed=False)
            told, row = moved(self.kind.states, row, self.kind.states.waiting, str(said["reason"]))
            await self.journal.write(event("blocker_numbered", id, data={"key": key}), attempt, told, row)
            self.on_settled(row)
