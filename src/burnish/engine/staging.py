"""Bringing units through their stages: batches of rows, as many at a time as there are workers.

The rows are all that is remembered. A stage walks over those in the states that it takes; a batch is settled in one
transaction. Batches that ask models are written down before they are begun, so that a run that was killed begins with
the very same ones, whose answers may be recorded already.
"""

from __future__ import annotations

import asyncio
import heapq
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

import orjson

from burnish.core.errors import LimitReached, ModelAway, StateCorrupt
from burnish.core.events import event
from burnish.core.faultpoints import reach
from burnish.core.records import AttemptRecord, EventRecord, Record, UnitRow
from burnish.core.stages import (
    Blocker,
    Errand,
    Item,
    Machine,
    Settled,
    Settlement,
    Stage,
    StagedKind,
    StageOrder,
    Working,
)
from burnish.engine.answers import NO_MODELS, Asker, all_answers
from burnish.engine.bookshelf import Bookshelf
from burnish.engine.standings import moved, standing_row
from burnish.store.journal import Journal

FACTS, FACTS_DUE = "facts", "facts_due"
"""Where the journal keeps what was gathered, and whether that has to be done again."""
STAGE = "stage"
"""Where it keeps the stage that the run is at; empty: the first."""


def begin_anew(journal: Journal) -> None:
    """Have the next sitting begin with the first stage, and gather the facts again."""
    journal.set_meta(FACTS_DUE, "yes")
    journal.set_meta(STAGE, "")


class Translator(Protocol):
    """A translator that is no language model."""

    def translate(self, texts: Sequence[str]) -> Sequence[str]: ...


@dataclass(frozen=True, slots=True)
class Batch:
    """Rows that are worked on together."""

    number: int
    rows: tuple[UnitRow, ...]


@dataclass(slots=True)
class Staging:
    """Everything that works on the units of one plan, stage by stage."""

    kind: StagedKind
    journal: Journal
    order: StageOrder
    asker: Asker | None
    machines: Mapping[str, Translator]
    workers: int
    rested: Callable[[UnitRow], None]
    seconds_left: Callable[[], float] | None = None
    shelf: Bookshelf = field(init=False)
    limits: list[LimitReached] = field(default_factory=list)
    parked: bool = False
    """Whether a batch of this stage was left where it is, because a model failed."""
    batches: int = 0
    """The number of the last batch that was written down."""

    def __post_init__(self) -> None:
        self.shelf = Bookshelf(self.kind, self.journal)
        recorded = self.journal.get_meta(FACTS)
        if recorded is not None:
            self.order = replace(self.order, facts=orjson.loads(recorded))

    async def work_on_all(self) -> LimitReached | None:
        """Stage after stage, again and again, until no unit moves any more, a limit is met or a model is away."""
        phases = self._phases_left()
        # Whatever is left of a round that was broken off, a whole one follows.
        any_moved = len(phases) < len(self._phases)
        while phases and not self._stops:
            for name in phases:
                self.journal.set_meta(STAGE, name)
                any_moved = await self._pass(self.kind.stage(name, self.order)) or any_moved
                if self._stops:
                    break
            else:
                self.journal.set_meta(STAGE, "")
                phases, any_moved = self._phases if any_moved else (), False
        return self.limits[0] if self.limits else None

    def _phases_left(self) -> tuple[str, ...]:
        """The stages of a round from the one on at which the run was left: a run that was killed in the middle of a
        stage ends that one first, so that its batches are those of a run that was not."""
        phases, left = self._phases, self.journal.get_meta(STAGE)
        return phases[phases.index(left) :] if left in phases else phases

    @property
    def _phases(self) -> tuple[str, ...]:
        return self.kind.rework_phases if self.order.only_rework else self.kind.phases

    @property
    def _stops(self) -> bool:
        if not self.limits and self.seconds_left is not None and self.seconds_left() <= 0:
            self.limits.append(LimitReached("The time limit is reached.", hint="`burnish resume` goes on from here."))
        return bool(self.limits) or self.away() is not None

    def away(self) -> str | None:
        """The model that is away, so that the run stops."""
        if self.asker is None:
            return NO_MODELS if self.parked else None
        return self.asker.outage

    async def _pass(self, stage: Stage) -> bool:
        """One stage over all units that are there for it. Whether there were any."""
        if stage.gathers and self._has_rows(stage):
            # Said before the first unit moves: killed in between, the facts are still gathered.
            self.journal.set_meta(FACTS_DUE, "yes")
        any_moved = await self._all_batches(stage)
        while self.parked and not self._stops:
            # A model that failed once is asked again after the others: by then it answers, or it counts as away.
            self.parked = False
            await self._all_batches(stage)
        if self._stops:
            return any_moved
        reach("engine.stage.ended")
        if stage.gathers and self.journal.get_meta(FACTS_DUE) == "yes":
            self._gather()
        await self._number_blockers()
        return any_moved

    def _has_rows(self, stage: Stage) -> bool:
        return any(True for state in stage.takes for _ in self.journal.units(states=(state,), limit=1))

    async def _all_batches(self, stage: Stage) -> bool:
        queue: asyncio.Queue[Batch | None] = asyncio.Queue(maxsize=1)
        any_moved = False

        async def worker() -> None:
            while (batch := await queue.get()) is not None:
                if self._stops:
                    continue
                try:
                    await self._work(stage, batch)
                except LimitReached as limit:
                    self.limits.append(limit)
                except ModelAway as away:
                    self.parked = True
                    if self.asker is not None:
                        self.asker.park(away)

        try:
            async with asyncio.TaskGroup() as pool:
                for _ in range(self.workers):
                    pool.create_task(worker())
                async for batch in self._batches(stage):
                    any_moved = True
                    await queue.put(batch)
                    if self._stops:
                        break
                for _ in range(self.workers):
                    await queue.put(None)
        except BaseExceptionGroup as failures:
            # One failure ends the run and the others follow from it: tell the first.
            raise failures.exceptions[0] from None
        return any_moved

    # -- batches

    async def _batches(self, stage: Stage) -> AsyncIterator[Batch]:
        """The batches that were begun and not settled, then new ones in document order."""
        begun = self._begun(stage) if stage.pays else []
        for batch in begun:
            yield batch
        taken = {row.id for batch in begun for row in batch.rows}
        fresh: list[UnitRow] = []
        room = stage.room
        for row in self._waiting(stage):
            if row.id in taken:
                continue
            weight = stage.weight(self.shelf.item(row)) if stage.pays else 0
            if fresh and (len(fresh) == stage.size or weight > room):
                yield await self._formed(stage, fresh)
                fresh, room = [], stage.room
            fresh.append(row)
            room -= weight
        if fresh:
            yield await self._formed(stage, fresh)

    def _waiting(self, stage: Stage) -> Iterator[UnitRow]:
        """In document order. One state at a time is found by its index, however many rows are past it."""
        return heapq.merge(*(self.journal.units(states=(state,)) for state in stage.takes), key=_place)

    def _begun(self, stage: Stage) -> list[Batch]:
        """Batches of this stage whose end was never written down. Units that left its states meanwhile, because a
        person or a changed source took them away, have left their batch too."""
        begun: list[Batch] = []
        for number, one in sorted(self._open_batches().items()):
            if one["stage"] != stage.name:
                continue
            rows = tuple(row for row in self._rows(one["units"]) if row.state in stage.takes)
            if rows:
                begun.append(Batch(number, rows))
            else:
                self.journal.write_now(event("batch_settled", data={"number": number}))
        return begun

    def _open_batches(self) -> dict[int, Mapping[str, Any]]:
        formed = {int(e.data["number"]): e.data for e in self.journal.events(types=("batch_formed",))}
        self.batches = max(formed, default=0)
        for settled in self.journal.events(types=("batch_settled",)):
            formed.pop(int(settled.data["number"]), None)
        return formed

    def _rows(self, units: Sequence[str]) -> tuple[UnitRow, ...]:
        rows = tuple(row for unit in units if (row := self.journal.unit(unit)) is not None)
        if len(rows) != len(units):
            raise StateCorrupt("A batch in the journal names units that are not there.")
        return rows

    async def _formed(self, stage: Stage, rows: Sequence[UnitRow]) -> Batch:
        if not stage.pays:
            return Batch(0, tuple(rows))
        self.batches += 1
        data = {"stage": stage.name, "number": self.batches, "units": [row.id for row in rows]}
        entered = [moved(self.kind.states, row, stage.enters, None) for row in rows] if stage.enters else []
        batch = Batch(self.batches, tuple(row for _, row in entered) or tuple(rows))
        await self.journal.write(event("batch_formed", data=data), *(record for both in entered for record in both))
        reach("engine.batch.formed")
        return batch

    # -- one batch

    async def _work(self, stage: Stage, batch: Batch) -> None:
        if stage.moves:
            await self._move(stage, batch)
            return
        items = [self.shelf.item(row) for row in batch.rows]
        settlement = await self._settlement(stage.work(items, self.shelf))
        reach("engine.batch.answered")
        await self._settle(batch, items, settlement)
        # Rules are plain computing: let the other workers have their turn.
        await asyncio.sleep(0)

    async def _move(self, stage: Stage, batch: Batch) -> None:
        """Every row of a batch through the stage's states: nothing has to be known of the units."""
        records: list[Record] = []
        for row in batch.rows:
            for state in stage.moves:
                told, row = moved(self.kind.states, row, state, row.reason)
                records.append(told)
            records.append(row)
        await self.journal.write(*records)
        reach("engine.batch.settled")

    async def _settlement(self, working: Working) -> Settlement:
        sent: Any = None
        while True:
            try:
                errand = working.send(sent)
            except StopIteration as end:
                settlement: Settlement = end.value
                return settlement
            sent = await self._done(errand)

    async def _done(self, errand: Errand) -> object:
        if isinstance(errand, Machine):
            return await asyncio.to_thread(self.machines[errand.tool].translate, errand.texts)
        if self.asker is None:
            raise ModelAway("", NO_MODELS)
        asker = self.asker
        return await all_answers(
            asker.ask(request.ask, request.model, is_optional=request.is_optional) for request in errand.requests
        )

    async def _settle(self, batch: Batch, items: Sequence[Item], settlement: Settlement) -> None:
        """Everything that became of a batch, in one transaction."""
        known = {item.source.id: item for item in items}
        rows: list[UnitRow] = []
        records: list[Record] = []
        for settled in settlement.units:
            written, row = self._written(known[settled.unit], settled)
            records += written
            rows.append(row)
        records += _raised(settlement.blockers)
        if batch.number:
            records.append(event("batch_settled", data={"number": batch.number}))
        await self.journal.write(*records, *rows)
        reach("engine.batch.settled")
        for row in rows:
            if self.kind.states.rests(row.state):
                self.rested(row)

    def _written(self, item: Item, settled: Settled) -> tuple[list[Record], UnitRow]:
        """The records of one unit, and its row after them."""
        records: list[Record] = []
        attempts = list(item.attempts)
        for draft in settled.drafts:
            record = AttemptRecord(
                unit=item.row.id,
                number=len(attempts) + 1,
                cause=draft.cause,
                content=self.kind.to_record(draft.unit),
                content_hash=draft.unit.content_hash,
                scores=dict(draft.scores),
                findings=tuple(finding.as_record() for finding in draft.findings),
                passed=draft.passed,
                failure=draft.failure,
                edits=draft.edits,
                receipt=draft.receipt,
                usage=draft.usage,
                calls=draft.calls,
                checked=draft.checked,
            )
            attempts.append(record)
            records.append(record)
        records += [EventRecord(told.type, item.row.id, dict(told.data)) for told in settled.told]
        stands = settled.stands or (len(attempts) if settled.drafts else item.row.best_attempt)
        row = standing_row(item.row, attempts, stands)
        for stop in settled.states:
            told, row = moved(self.kind.states, row, stop.state, stop.reason)
            records.append(told)
        return records, row

    # -- the whole

    def _gather(self) -> None:
        gathered = self.kind.gathered(self.shelf.drafts(), self.order)
        told = [
            EventRecord(one.type, one.unit, dict(one.data), dedupe=f"gathered:{place}")
            for place, one in enumerate(gathered.told)
        ]
        self.journal.write_now(*_raised(gathered.blockers), *told)
        self.journal.set_meta(FACTS, orjson.dumps(gathered.facts).decode())
        self.journal.set_meta(FACTS_DUE, "")
        self.order = replace(self.order, facts=gathered.facts)
        reach("engine.stage.gathered")

    async def _number_blockers(self) -> None:
        """Give every blocker that is no unit's fault a name and a row, now that their order is sure."""
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
            self.rested(row)


def _raised(blockers: Sequence[Blocker]) -> list[EventRecord]:
    return [
        event("blocker_raised", dedupe=f"blocker:{each.key}", data={"reason": each.reason, "record": each.record})
        for each in blockers
    ]


def _place(row: UnitRow) -> int:
    return row.position
