"""A run: take the units in, have them worked on, and say how it ended."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from burnish.core.documents import PassedThrough, Problem, Unit
from burnish.core.errors import LimitReached
from burnish.core.faultpoints import reach
from burnish.core.kinds import Part, PublishedKind
from burnish.core.records import EventRecord, Record, SourceRecord, Totals, UnitRow, event
from burnish.engine.plan import DocumentPlan, Plan
from burnish.engine.presenter import KindPresenter
from burnish.engine.proof import Proof
from burnish.engine.publish import (
    CANNOT_WRITE_BACK,
    called_back,
    problem_event,
    unreadable,
    verify_compared,
    verify_source,
)
from burnish.engine.unit_loader import refuse_keys
from burnish.store.journal import Journal
from burnish.store.redaction import Redactor

INGEST_BATCH = 500
"""Units a transaction while taking a document in: few commits, and a crash costs little."""


class Watcher(Protocol):
    """Whoever wants to see a run work."""

    def started(self, total: int, done: int) -> None: ...

    def unit_rested(self, row: UnitRow, totals: Totals) -> None: ...

    def happened(self, event: EventRecord, totals: Totals) -> None:
        """A step of the work on a document, as it is written down."""
        ...

    def unreadable(self, parts: Iterator[EventRecord]) -> None:
        """Told before the first call: these parts of the input will keep the result from being published."""
        ...


@dataclass(frozen=True, slots=True)
class RunEnd:
    """How a run ended."""

    counts: dict[str, int]
    totals: Totals
    stopped: str
    """`done`, `needs_person`, `limit`, `model_away`, `bad_input` where all is well but for parts that could not be
    read; or a word of the kind's own, such as `best_effort`."""
    message: str | None = None
    candidates: tuple[Proof, ...] = ()
    """The documents as they stand, each written and proven."""


class Work(Protocol):
    """Whoever does the work of a run, unit by unit or document by document."""

    @property
    def pays(self) -> bool:
        """Whether models may be called."""
        ...

    async def reopen(self) -> None:
        """After an orderly end, take up again what only waited because a model was away."""
        ...

    async def work_on_all(self) -> LimitReached | None:
        """Bring everything to rest. The limit that was met, if one was."""
        ...

    async def call_back(self) -> None:
        """What shows only now that everything rests may send accepted units to a person after all."""
        ...

    def away(self) -> str | None:
        """Which model is away, so that the run stops; None where all that were needed answered."""
        ...

    def goes_on(self) -> bool:
        """Whether there is more to do after all, which only a replay has."""
        ...

    def ending(self) -> str | None:
        """How it ended, in the kind's own words; None where what the units say is all."""
        ...


@dataclass(frozen=True, slots=True)
class Run:
    """One plan on its way."""

    plan: Plan
    kind: PublishedKind
    journal: Journal
    hands: Work
    compose: Callable[[], tuple[Proof, ...]]
    """Writes the documents as they stand."""
    watcher: Watcher
    redactor: Redactor = field(default_factory=Redactor)
    """Knows the keys that no content may hold."""

    def __post_init__(self) -> None:
        self.journal.present_with(KindPresenter.of(self.kind))

    async def work(self) -> RunEnd:
        """From wherever the journal says the run stands to rest, or to a limit."""
        for document in self.plan.documents:
            verify_source(document)
        verify_compared(self.plan)
        await self._ingest()
        if self.hands.pays:
            self.watcher.unreadable(unreadable(self.journal))
        await self.hands.reopen()
        done = sum(self.journal.counts().get(s, 0) for s in (self.kind.states.ready, self.kind.states.waiting))
        self.watcher.started(sum(self.journal.counts().values()), done)
        while True:
            limit = await self.hands.work_on_all()
            reach("engine.run.stopped")
            await self.hands.call_back()
            candidates = self.compose()
            await self._call_back(candidates)
            if limit is not None or self.hands.away() is not None or not self.hands.goes_on():
                return await self._stopped(limit, candidates)

    async def _stopped(self, limit: LimitReached | None, candidates: tuple[Proof, ...]) -> RunEnd:
        counts = self.journal.counts()
        waiting = counts.get(self.kind.states.waiting, 0)
        holes = any(True for _ in unreadable(self.journal))
        plainly = "needs_person" if waiting else "bad_input" if holes else "done"
        away = self.hands.away()
        stopped = "limit" if limit else "model_away" if away else self.hands.ending() or plainly
        message = str(limit) if limit else away
        await self.journal.write(event("run_stopped", data={"reason": stopped, "message": message}))
        return RunEnd(counts, self.journal.totals(), stopped, message, candidates)

    async def _ingest(self) -> None:
        """Write a row for every unit. Done once; a crash in the middle starts it again and changes nothing."""
        if self.journal.get_meta("ingested"):
            return
        position = 0
        for document in self.plan.documents:
            batch: list[Record] = []
            for part in self.parts(document):
                if not isinstance(part, Problem | PassedThrough):
                    row = self._new_row(document, part, position)
                    batch += [row, SourceRecord(row.id, self.kind.to_record(part))]
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
        refuse_keys(self.redactor, self.kind, unit, document.path)
        id = self.plan.unit_id(document.name, unit.id)
        return UnitRow(id, document.name, position, unit.content_hash, self.kind.states.initial)

    def parts(self, document: DocumentPlan) -> Iterator[Part]:
        with Path(document.path).open("rb") as stream:
            yield from self.kind.read(stream, document.path, document.format)

    async def _call_back(self, candidates: tuple[Proof, ...]) -> None:
        """An accepted change that its file cannot hold is no change: a person has to find another."""
        for unit, why in [refusal for proof in candidates for refusal in proof.refused.items()]:
            row = self.journal.unit(unit)
            if row is not None and row.state == self.kind.states.ready:
                await self.journal.write(*called_back(row, self.kind.states, CANNOT_WRITE_BACK, why))


def _input_event(document: DocumentPlan, part: Problem | PassedThrough) -> Record:
    if isinstance(part, Problem):
        return problem_event(document.name, part)
    data = {"id": part.id, "type": part.type, "line": part.line}
    return event(
        "passed_through",
        dedupe=f"passed:{document.name}:{part.id}:{part.line}",
        data={"document": document.name, **data},
    )
