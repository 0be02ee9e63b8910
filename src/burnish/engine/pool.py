"""Working on units that stand alone: a bounded pool, fed in document order."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path

import orjson

from burnish.core.attempts import findings_of, open_errors
from burnish.core.checks import Examination
from burnish.core.decisions import is_undo, standing_decisions
from burnish.core.documents import PassedThrough, Problem, Unit
from burnish.core.errors import LimitReached, ModelAway, StateCorrupt
from burnish.core.events import event
from burnish.core.findings import Finding
from burnish.core.kinds import Overview, Part, PolishedKind
from burnish.core.records import AttemptRecord, EventRecord, UnitRow, Usage
from burnish.engine.neighbours import Neighbours
from burnish.engine.plan import DocumentPlan, Plan
from burnish.engine.publishing import called_back, problem_event, source_changed
from burnish.engine.recording import RecordedCourse
from burnish.engine.replaying import RecordedDecisions
from burnish.engine.standing import DUPLICATE
from burnish.engine.working import MODEL_TROUBLE, UnitWork, Workbench
from burnish.store.journal import Journal

COPIED_AT_ONCE = 50
"""Calls that a replay takes over in one transaction."""


@dataclass(frozen=True, slots=True)
class UnitPool:
    """Everything that works on the units of one plan."""

    plan: Plan
    kind: PolishedKind
    journal: Journal
    bench: Workbench
    workers: int
    rested: Callable[[UnitRow], None]
    overview_options: dict[str, object]
    seconds_left: Callable[[], float] | None = None
    """How much of the time limit is left; None: no limit."""
    decisions: RecordedDecisions | None = None
    """People's decisions to repeat, where this run replays another."""

    @property
    def pays(self) -> bool:
        return self.bench.asker is not None

    def ending(self) -> str | None:
        return None

    async def call_back(self) -> None:
        """An accepted change that makes its unit a copy of another has to be seen by a person.

        What the units look like is known only now that all rest. Each change is compared once, and one that a person
        decided on is final.
        """
        if self.bench.course is not None:
            await self._call_back_again(self.bench.course)
            return
        since = latest = self._compared_until()
        changed: dict[str, UnitRow] = {}
        for row in self._changed():
            latest = max(latest, row.at)
            if row.at > since and not self._was_decided(row):
                changed[row.id] = row
        copies = Neighbours(self.plan, self.kind, self.journal).copies(changed.values()) if changed else {}
        back = [record for unit, finding in copies.items() for record in self._copy(changed[unit], finding)]
        if latest != since:
            # All at once: after an interrupt in between, the one that stays would be compared with its twin that waits.
            await self.journal.write(*back, event("compared", data={"until": latest}))

    def _compared_until(self) -> str:
        """Up to when accepted changes have been compared with the other units."""
        marks = [mark.data["until"] for mark in self.journal.events(types=("compared",))]
        return str(marks[-1]) if marks else ""

    def _copy(self, row: UnitRow, finding: Finding) -> tuple[EventRecord, AttemptRecord, UnitRow]:
        """A unit that waits after all: what shows beside the others is written down with the draft it shows in."""
        told, back = called_back(row, self.kind.states, DUPLICATE, finding.message, finding.rule)
        seen = _seen_beside(self.journal.attempts(row.id)[row.best_attempt - 1], row.attempts + 1, finding)
        stands = replace(back, attempts=seen.number, best_attempt=seen.number, open_errors=open_errors(seen))
        return told, seen, stands

    def _changed(self) -> Iterator[UnitRow]:
        """The accepted units whose best draft is not their source."""
        return (row for row in self.journal.units(states=(self.kind.states.ready,)) if row.best_attempt > 1)

    async def _call_back_again(self, course: RecordedCourse) -> None:
        """A replay calls back what was called back then: its units stood side by side at other times."""
        for row in list(self._changed()):
            grants = sum(1 for _ in self.journal.events(unit=row.id, types=("decision", "reopened")))
            then = course.called_back(row.id, row.attempts, grants)
            if then is not None and then.data["reason"] == DUPLICATE:
                seen = course.attempt(row.id, row.attempts + 1)
                if seen is None or not seen.findings:
                    raise StateCorrupt(f"The recorded run does not say what {row.id} is a copy of.")
                await self.journal.write(*self._copy(row, findings_of(seen)[-1]))

    def goes_on(self) -> bool:
        """A replay goes on while there are decisions to repeat on units that wait, such as those called back."""
        decisions = self.decisions
        waiting = self.journal.units(states=(self.kind.states.waiting,))
        return decisions is not None and any(decisions.grants_left(row.id) for row in waiting)

    def _was_decided(self, row: UnitRow) -> bool:
        decisions = standing_decisions(self.journal.events(unit=row.id, types=("decision",)))
        return bool(decisions) and decisions[-1].data["after_attempt"] == row.attempts

    async def reopen(self) -> None:
        """After an orderly end, units that only wait because a model was away get another chance.

        A replay gives them those that the recorded run gave; before that it takes over what the run had paid for.
        """
        if self.bench.course is not None:
            await self._copy_calls(self.bench.course.recorded)
            return
        if not any(True for _ in self.journal.events(types=("run_stopped",), limit=1)):
            return
        for row in list(self.journal.units(states=(self.kind.states.waiting,))):
            if row.reason not in MODEL_TROUBLE or (row.reason == "no_model" and not self.bench.corrector):
                continue
            await self.journal.write(*self._reopened(row))

    def _reopened(self, row: UnitRow) -> tuple[EventRecord, UnitRow]:
        again = replace(row, state=self.kind.states.check(row.state, self.kind.states.working), reason="reopened")
        return event("reopened", row.id, data={"after_attempt": row.attempts}), again

    async def _copy_calls(self, recorded: Journal) -> None:
        """Every call in its order, so that the bill of a replay is that of the run. One that was stopped goes on."""
        known = sum(1 for _ in self.journal.calls())
        calls = islice(recorded.calls(), known, None)
        while batch := list(islice(calls, COPIED_AT_ONCE)):
            await self.journal.write(*batch)

    async def work_on_all(self) -> LimitReached | None:
        """Feed the pool in document order; a limit ends the feeding, calls under way are still recorded."""
        limits: list[LimitReached] = []
        stuck: list[UnitRow] = []
        # A unit whose model failed once is tried again after the others: by then it answers, or it counts as away.
        while await self._pass(limits, stuck) and not limits and self.away() is None:
            pass
        return limits[0] if limits else _record_ends(stuck) if stuck else None

    def away(self) -> str | None:
        return self.bench.asker.outage if self.bench.asker is not None else None

    async def _pass(self, limits: list[LimitReached], stuck: list[UnitRow]) -> bool:
        """One pass over all units that do not rest. Whether any was left where it is, because a model failed."""
        queue: asyncio.Queue[UnitWork | None] = asyncio.Queue(maxsize=self.workers * 2)
        parked = False

        async def worker() -> None:
            nonlocal parked
            while (work := await queue.get()) is not None:
                if limits or self._out_of_time(limits):
                    continue
                try:
                    row = await self._finish(work)
                except LimitReached as limit:
                    limits.append(limit)
                except ModelAway as away:
                    parked = True
                    assert self.bench.asker is not None, "only models that are asked can be away"
                    self.bench.asker.park(away)
                else:
                    if self.kind.states.rests(row.state):
                        self.rested(row)
                    else:
                        stuck.append(row)

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
        return parked

    async def _finish(self, work: UnitWork) -> UnitRow:
        """Work on a unit until it rests; a replay goes on from there as the recorded run and its people did."""
        row, decisions = work.row, self.decisions
        if decisions is None:
            return row if self.kind.states.rests(row.state) else await work.finish()
        grants = deque(decisions.grants_left(row.id))
        row = await self._rested_again(decisions, work, row, grants)
        while grants and row.state == self.kind.states.waiting:
            grant = grants.popleft()
            if grant.type == "reopened":
                reopened, row = self._reopened(row)
                await self.journal.write(reopened, row)
            else:
                row = decisions.repeat(row, work.source, grant)
            row = await self._rested_again(decisions, work, row, grants)
        return row

    async def _rested_again(
        self, decisions: RecordedDecisions, work: UnitWork, row: UnitRow, grants: deque[EventRecord]
    ) -> UnitRow:
        """The unit at rest again in a replay. A decision that was taken back led to no work, and leads to none now."""
        while grants and is_undo(grants[0]):
            row = decisions.repeat(row, work.source, grants.popleft())
        if self.kind.states.rests(row.state):
            return row
        again = UnitWork(work.own_bench, row, work.source, work.beside, work.examination)
        again.recall()
        return await again.finish()

    def _out_of_time(self, limits: list[LimitReached]) -> bool:
        if self.seconds_left is not None and self.seconds_left() <= 0:
            limits.append(LimitReached("The time limit is reached.", hint="`burnish resume` goes on from here."))
        return bool(limits)

    async def _unfinished(self) -> AsyncIterator[UnitWork]:
        with closing(self.kind.overview(self.overview_options, self.plan.off)) as overview:
            for problem in overview.prepare():
                await self.journal.write(problem_event(problem.path, problem))
            for document in self.plan.documents:
                overview.begin(document.name)
                async for work in self._unfinished_in(document, overview):
                    yield work
                self.journal.set_meta(f"overview:{document.name}", orjson.dumps(overview.result()).decode())

    async def _unfinished_in(self, document: DocumentPlan, overview: Overview) -> AsyncIterator[UnitWork]:
        bench = replace(self.bench, reviewer=self.bench.reviewer.for_document(document.name))
        for part in self._parts(document):
            if isinstance(part, Problem | PassedThrough):
                continue
            examination = bench.reviewer.examine(part)
            beside = [replace(finding, source="document") for finding in overview.add(part, examination)]
            work = self._unit_work(bench, document, part, examination, beside)
            if work is not None:
                yield work
            # Rules are plain computing: let the workers have their turn in between.
            await asyncio.sleep(0)

    def _unit_work(
        self, bench: Workbench, document: DocumentPlan, unit: Unit, examination: Examination, beside: list[Finding]
    ) -> UnitWork | None:
        row = self.journal.unit(self.plan.unit_id(document.name, unit.id))
        if row is None or row.content_hash != unit.content_hash:
            raise source_changed(document)
        if self.kind.states.rests(row.state) and not self._is_undecided(row):
            return None
        work = UnitWork(bench, row, unit, tuple(beside), examination)
        work.recall()
        return work

    def _is_undecided(self, row: UnitRow) -> bool:
        """Whether a replay has something left to decide about a unit that rests, or to take back."""
        left = self.decisions.grants_left(row.id) if self.decisions is not None else []
        return bool(left) and (row.state == self.kind.states.waiting or is_undo(left[0]))

    def _parts(self, document: DocumentPlan) -> Iterator[Part]:
        with Path(document.path).open("rb") as stream:
            yield from self.kind.read(stream, document.path, document.format)


def _record_ends(stuck: list[UnitRow]) -> LimitReached:
    return LimitReached(
        f"The run that is repeated went no further with {stuck[0].id} and {len(stuck) - 1} more."
        if len(stuck) > 1
        else f"The run that is repeated went no further with {stuck[0].id}.",
        hint="Resume that run first, and then replay it anew.",
    )


def _seen_beside(draft: AttemptRecord, number: int, finding: Finding) -> AttemptRecord:
    """One more look at a draft, by nobody who is paid, with what shows beside the other units."""
    return replace(
        draft,
        number=number,
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
