"""A run: take the units in, work on them with a bounded pool, and say how it ended."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Protocol

import orjson

from burnish.core.checks import Examination
from burnish.core.documents import PassedThrough, Problem, Unit
from burnish.core.errors import LimitReached
from burnish.core.events import event
from burnish.core.faultpoints import reach
from burnish.core.findings import Finding
from burnish.core.kinds import Part, PolishedKind
from burnish.core.records import EventRecord, Record, Totals, UnitRow
from burnish.engine.drafts import refuse_keys
from burnish.engine.plan import DocumentPlan, Plan
from burnish.engine.proving import Proof
from burnish.engine.publishing import CANNOT_WRITE_BACK, source_changed, unreadable, verify_source
from burnish.engine.replaying import RecordedDecisions
from burnish.engine.working import MODEL_TROUBLE, UnitWork, Workbench
from burnish.store.journal import Journal
from burnish.store.redaction import Redactor

INGEST_BATCH = 500
"""Units a transaction while taking a document in: few commits, and a crash costs little."""


class Watcher(Protocol):
    """Whoever wants to see a run work."""

    def started(self, total: int, done: int) -> None: ...

    def unit_rested(self, row: UnitRow, totals: Totals) -> None: ...

    def unreadable(self, parts: Iterator[EventRecord]) -> None:
        """Told before the first call: these parts of the input will keep the result from being published."""
        ...


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a run ended."""

    counts: dict[str, int]
    totals: Totals
    stopped: str
    """`done`, `needs_person`, `limit`, or `bad_input` where all is well but for parts that could not be read."""
    message: str | None = None
    candidates: tuple[Proof, ...] = ()
    """The documents as they stand, each written and proven."""


@dataclass(frozen=True, slots=True)
class Run:
    """Everything that works on one plan."""

    plan: Plan
    kind: PolishedKind
    journal: Journal
    bench: Workbench
    compose: Callable[[], tuple[Proof, ...]]
    """Writes the documents as they stand."""
    workers: int
    watcher: Watcher
    overview_options: dict[str, object]
    seconds_left: Callable[[], float] | None = None
    """How much of the time limit is left; None: no limit."""
    decisions: RecordedDecisions | None = None
    """People's decisions to repeat, where this run replays another."""
    redactor: Redactor = field(default_factory=Redactor)
    """Knows the keys that no content may hold."""

    async def work(self) -> Outcome:
        """From wherever the journal says the run stands to rest, or to a limit."""
        for document in self.plan.documents:
            verify_source(document)
        await self._ingest()
        if self.bench.asker is not None:
            self.watcher.unreadable(unreadable(self.journal))
        await self._reopen()
        done = sum(self.journal.counts().get(s, 0) for s in (self.kind.states.ready, self.kind.states.waiting))
        self.watcher.started(sum(self.journal.counts().values()), done)
        limit = await self._work_on_all()
        reach("engine.run.stopped")
        candidates = self.compose()
        await self._call_back(candidates)
        return await self._stopped(limit, candidates)

    async def _stopped(self, limit: LimitReached | None, candidates: tuple[Proof, ...]) -> Outcome:
        counts = self.journal.counts()
        waiting = counts.get(self.kind.states.waiting, 0)
        holes = any(True for _ in unreadable(self.journal))
        stopped = "limit" if limit else "needs_person" if waiting else "bad_input" if holes else "done"
        message = str(limit) if limit else None
        await self.journal.write(event("run_stopped", data={"reason": stopped, "message": message}))
        return Outcome(counts, self.journal.totals(), stopped, message, candidates)

    async def _ingest(self) -> None:
        """Write a row for every unit. Done once; a crash in the middle starts it again and changes nothing."""
        if self.journal.get_meta("ingested"):
            return
        position = 0
        for document in self.plan.documents:
            batch: list[Record] = []
            for part in self.parts(document):
                if not isinstance(part, Problem | PassedThrough):
                    batch.append(self._new_row(document, part, position))
                    position += 1
                else:
                    batch.append(_input_event(document, part))
                if len(batch) >= INGEST_BATCH:
                    reach("engine.ingest.batch")
                    await self.journal.write(*batch)
                    batch = []
            await self.journal.write(
                *batch, event("ingested", dedupe=f"ingested:{document.name}", data={"document": document.name})
            )
        self.journal.set_meta("ingested", "yes")
        reach("engine.ingest.done")

    def _new_row(self, document: DocumentPlan, unit: Unit, position: int) -> UnitRow:
        refuse_keys(self.redactor, self.kind.to_record(unit), unit.id, document.path)
        id = self.plan.unit_id(document.name, unit.id)
        return UnitRow(id, document.name, position, unit.content_hash, self.kind.states.initial)

    def parts(self, document: DocumentPlan) -> Iterator[Part]:
        with Path(document.path).open("rb") as stream:
            yield from self.kind.read(stream, document.path, document.format)

    async def _reopen(self) -> None:
        """After an orderly end, units that only wait because a model was away get another chance."""
        if not any(True for _ in self.journal.events(types=("run_stopped",), limit=1)):
            return
        for row in list(self.journal.units(states=(self.kind.states.waiting,))):
            if row.reason not in MODEL_TROUBLE or (row.reason == "no_model" and not self.bench.corrector):
                continue
            again = replace(row, state=self.kind.states.check(row.state, self.kind.states.working), reason="reopened")
            await self.journal.write(event("reopened", row.id, data={"after_attempt": row.attempts}), again)

    async def _work_on_all(self) -> LimitReached | None:
        """Feed the pool in document order; a limit ends the feeding, calls under way are still recorded."""
        queue: asyncio.Queue[UnitWork | None] = asyncio.Queue(maxsize=self.workers * 2)
        limits: list[LimitReached] = []

        async def worker() -> None:
            while (work := await queue.get()) is not None:
                if limits or self._out_of_time(limits):
                    continue
                try:
                    row = await self._finish(work)
                except LimitReached as limit:
                    limits.append(limit)
                else:
                    self.watcher.unit_rested(row, self.journal.totals())

        try:
            async with asyncio.TaskGroup() as pool:
                for _ in range(self.workers):
                    pool.create_task(worker())
                async for work in self._unfinished():
                    if limits or self._out_of_time(limits):
                        break
                    await queue.put(work)
                for _ in range(self.workers):
                    await queue.put(None)
        except BaseExceptionGroup as failures:
            # One failure ends the run and the others follow from it: tell the first.
            raise failures.exceptions[0] from None
        return limits[0] if limits else None

    async def _finish(self, work: UnitWork) -> UnitRow:
        """Work on a unit until it rests; a replay goes on from there with the decisions that were made then."""
        row = work.row if self.kind.states.rests(work.row.state) else await work.finish()
        if self.decisions is None:
            return row
        for decision in self.decisions.left(row.id):
            if row.state != self.kind.states.waiting:
                break
            row = self.decisions.repeat(row, work.source, decision)
            if not self.kind.states.rests(row.state):
                again = UnitWork(work.bench, row, work.source, work.beside)
                again.recall()
                row = await again.finish()
        return row

    async def _call_back(self, candidates: tuple[Proof, ...]) -> None:
        """An accepted change that its file cannot hold is no change: a person has to find another."""
        states = self.kind.states
        for unit, why in [refusal for proof in candidates for refusal in proof.refused.items()]:
            row = self.journal.unit(unit)
            if row is not None and row.state == states.ready:
                back = replace(row, state=states.check(row.state, states.waiting), reason=CANNOT_WRITE_BACK)
                data = {"from": row.state, "to": back.state, "reason": back.reason, "message": why}
                await self.journal.write(event("state_changed", unit, data=data), back)

    def _out_of_time(self, limits: list[LimitReached]) -> bool:
        if self.seconds_left is not None and self.seconds_left() <= 0:
            limits.append(LimitReached("The time limit is reached.", hint="`burnish resume` goes on from here."))
        return bool(limits)

    async def _unfinished(self) -> AsyncIterator[UnitWork]:
        for document in self.plan.documents:
            bench = replace(self.bench, reviewer=self.bench.reviewer.for_document(document.name))
            with closing(self.kind.overview(self.overview_options)) as overview:
                for part in self.parts(document):
                    if isinstance(part, Problem | PassedThrough):
                        continue
                    examination = bench.reviewer.examine(part)
                    beside = [replace(finding, source="document") for finding in overview.add(part, examination)]
                    work = self._unit_work(bench, document, part, examination, beside)
                    if work is not None:
                        yield work
                    # Rules are plain computing: let the workers have their turn in between.
                    await asyncio.sleep(0)
                self.journal.set_meta(f"overview:{document.name}", orjson.dumps(overview.result()).decode())

    def _unit_work(
        self, bench: Workbench, document: DocumentPlan, unit: Unit, examination: Examination, beside: list[Finding]
    ) -> UnitWork | None:
        row = self.journal.unit(self.plan.unit_id(document.name, unit.id))
        if row is None or row.content_hash != unit.content_hash:
            raise source_changed(document)
        undecided = row.state == self.kind.states.waiting and self.decisions and self.decisions.left(row.id)
        if self.kind.states.rests(row.state) and not undecided:
            return None
        work = UnitWork(bench, row, unit, tuple(beside), examination)
        work.recall()
        return work


def _input_event(document: DocumentPlan, part: Problem | PassedThrough) -> Record:
    if isinstance(part, Problem):
        data = {"code": part.code, "message": part.message, "line": part.line, "field": part.field, "unit": part.unit}
        return event(
            "input_problem",
            dedupe=f"problem:{document.name}:{part.line}:{part.code}:{part.field}:{part.unit}",
            data={"document": document.name, **data},
        )
    data = {"id": part.id, "type": part.type, "line": part.line}
    return event(
        "passed_through",
        dedupe=f"passed:{document.name}:{part.id}:{part.line}",
        data={"document": document.name, **data},
    )
