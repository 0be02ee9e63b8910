"""Working on documents as wholes: one procedure each, as many at a time as there are workers."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from burnish.core.checks import Selection
from burnish.core.decisions import is_undo
from burnish.core.documents import PassedThrough, Problem, Unit
from burnish.core.errors import LimitReached, ModelAway
from burnish.core.kinds import DirectedKind
from burnish.core.procedures import Round, Seats
from burnish.core.records import EventRecord, UnitRow
from burnish.engine.answers import Asker
from burnish.engine.directing import DocumentWork
from burnish.engine.plan import DocumentPlan, Plan
from burnish.engine.publishing import source_changed
from burnish.engine.replaying import RecordedDecisions
from burnish.engine.rounds import Rounds
from burnish.store.journal import Journal

MODEL_TROUBLE = frozenset({"judges_silent", "no_judges"})
"""Reasons to wait that may be gone the next time: `resume` tries such documents again."""


@dataclass(frozen=True, slots=True)
class Conductor:
    """Everything that works on the documents of one plan."""

    plan: Plan
    kind: DirectedKind
    journal: Journal
    selection: Selection
    context: Callable[[str], object]
    """A document's name -> what its checks know."""
    seats: Seats
    options: Mapping[str, Any]
    asker: Asker | None
    workers: int
    rested: Callable[[UnitRow], None]
    happened: Callable[[EventRecord], None]
    seconds_left: Callable[[], float] | None = None
    decisions: RecordedDecisions | None = None
    """People's decisions to repeat, where this run replays another."""
    replayed: Journal | None = None
    limits: list[LimitReached] = field(default_factory=list)

    @property
    def pays(self) -> bool:
        return self.asker is not None

    async def reopen(self) -> None:
        """Nothing beforehand: whether a document begins another round is decided when its turn comes."""

    async def call_back(self) -> None:
        """Nothing: a procedure looks at its document as a whole before it accepts any of it."""

    def goes_on(self) -> bool:
        return False

    def ending(self) -> str | None:
        """The worst word that a document's last round ended with, where that decides how the run ended."""
        last = {e.data["document"]: e.data["status"] for e in self.journal.events(types=("round_ended",))}
        waiting = {row.document for row in self.journal.units(states=(self.kind.states.waiting,))}
        if any(last.get(document) == "regenerate" for document in waiting):
            return "regenerate"
        return "best_effort" if "best_effort" in last.values() and not waiting else None

    async def work_on_all(self) -> LimitReached | None:
        """Every document to its rest; a limit lets calls under way end, and begins nothing new."""
        trouble = self._gone_trouble()
        while await self._pass(trouble) and not self.limits and self.away() is None:
            pass
        return self.limits[0] if self.limits else None

    def away(self) -> str | None:
        return self.asker.outage if self.asker is not None else None

    async def _pass(self, trouble: frozenset[str]) -> bool:
        """One pass over all documents. Whether any was left where it is, because a model failed."""
        parked = False
        gate = asyncio.Semaphore(self.workers)

        async def one(document: DocumentPlan) -> None:
            nonlocal parked
            async with gate:
                if self.limits or self._out_of_time():
                    return
                try:
                    await self._finish(document, trouble)
                except LimitReached as limit:
                    self.limits.append(limit)
                except ModelAway as away:
                    parked = True
                    assert self.asker is not None, "only models that are asked can be away"
                    self.asker.park(away)

        try:
            async with asyncio.TaskGroup() as pool:
                for document in self.plan.documents:
                    pool.create_task(one(document))
        except BaseExceptionGroup as failures:
            # One failure ends the run and the others follow from it: tell the first.
            raise failures.exceptions[0] from None
        return parked

    def _gone_trouble(self) -> frozenset[str]:
        """After an orderly end, what only waited for a model gets another chance if there is one now."""
        if self.replayed is not None:
            return frozenset()
        stopped = any(True for _ in self.journal.events(types=("run_stopped",), limit=1))
        return MODEL_TROUBLE if stopped and self.asker is not None and self.seats.judges else frozenset()

    def _out_of_time(self) -> bool:
        if self.seconds_left is not None and self.seconds_left() <= 0:
            self.limits.append(LimitReached("The time limit is reached.", hint="`burnish resume` goes on from here."))
        return bool(self.limits)

    async def _finish(self, document: DocumentPlan, trouble: frozenset[str]) -> None:
        units = self._units(document)
        rounds = Rounds(self.kind, self.journal, document.name, lambda id: self._unit_id(document, id), units)
        self._decide_again(document, rounds, units)
        following = self._next(rounds, trouble)
        while following is not None:
            await self._work(document, rounds, following, units).finish()
            self._decide_again(document, rounds, units)
            following = self._next(rounds, frozenset())
        for unit in units:
            row = self.journal.unit(self._unit_id(document, unit.id))
            if row is not None:
                self.rested(row)

    def _next(self, rounds: Rounds, trouble: frozenset[str]) -> Round | None:
        if self.replayed is not None:
            return rounds.next_again(self.replayed, self.seats)
        return rounds.next(self.seats, gone_trouble=trouble)

    def _work(self, document: DocumentPlan, rounds: Rounds, round: Round, units: tuple[Unit, ...]) -> DocumentWork:
        context = self.context(document.name)
        return DocumentWork(
            kind=self.kind,
            journal=self.journal,
            document=document.name,
            unit_id=rounds.unit_id,
            sources={unit.id: unit for unit in units},
            round=round,
            procedure=self.kind.procedure(round, context, self.selection, round.seats, self.options),
            asker=self.asker,
            silences=rounds.silences(self.replayed or self.journal),
            happened=self.happened,
        )

    def _decide_again(self, document: DocumentPlan, rounds: Rounds, units: tuple[Unit, ...]) -> None:
        """A replay repeats the decisions that people made when the documents stood as they stand now."""
        if self.decisions is None or self.replayed is None or rounds.is_under_way:
            return
        until = rounds.repeated_until(self.replayed)
        for unit in units:
            row = self.journal.unit(self._unit_id(document, unit.id))
            left = self.decisions.left(row.id) if row is not None else []
            for decision in left:
                is_open = row is not None and (row.state == self.kind.states.waiting or is_undo(decision))
                if row is None or not is_open or decision.seq > until:
                    break
                row = self.decisions.repeat(row, unit, decision)

    def _units(self, document: DocumentPlan) -> tuple[Unit, ...]:
        """The document's units, proven to be those that were taken in."""
        with Path(document.path).open("rb") as stream:
            parts = self.kind.read(stream, document.path, document.format)
            units = tuple(part for part in parts if not isinstance(part, Problem | PassedThrough))
        for unit in units:
            row = self.journal.unit(self._unit_id(document, unit.id))
            if row is None or row.content_hash != unit.content_hash:
                raise source_changed(document)
        return units

    def _unit_id(self, document: DocumentPlan, unit: str) -> str:
        return self.plan.unit_id(document.name, unit)
