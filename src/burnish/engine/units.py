"""Tasks of units that stand alone: one for each that does not rest, in document order.

Near-duplicates are a second, free look: what a change made a copy of another shows once all units rest.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable, Collection, Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from pathlib import Path

import orjson

from burnish.core.attempts import findings_of, open_errors
from burnish.core.checks import Examination
from burnish.core.decisions import is_undo, standing_decisions
from burnish.core.documents import Part, PassedThrough, Problem, Unit
from burnish.core.effects import ModelRoles, Note, Work
from burnish.core.errors import LimitReached, StateCorrupt
from burnish.core.findings import Finding
from burnish.core.kinds import Kind, Overview
from burnish.core.records import AttemptRecord, EventRecord, UnitRow, Usage, event
from burnish.core.tasks import CORRECTOR, DUPLICATE, UnitTerms
from burnish.engine.client import Asker
from burnish.engine.examiner import Examiner
from burnish.engine.interpreters import Live, Task
from burnish.engine.neighbours import Neighbours
from burnish.engine.plan import DocumentPlan, Plan
from burnish.engine.publish import called_back, problem_event, source_changed
from burnish.engine.replay import RecordedClient, RecordedCourse, RecordedDecisions, Step
from burnish.engine.runner import Job, Runner
from burnish.engine.unit_loader import moved
from burnish.store.journal import Journal

MODEL_TROUBLE = frozenset({"model_failed", "judges_silent", "no_model"})
"""Reasons to wait that may be gone the next time: `resume` tries such units again."""
COPIED_AT_ONCE = 50
"""Calls that a replay takes over in one transaction."""


@dataclass(frozen=True, slots=True)
class UnitTasks:
    """The work on the units of one plan."""

    plan: Plan
    kind: Kind
    journal: Journal
    examiner: Examiner
    client: Asker | None
    runner: Runner
    rested: Callable[[UnitRow], None]
    decisions: RecordedDecisions | None = None
    """People's decisions to repeat, where this run replays another."""
    course: RecordedCourse | None = None
    """How the run went that this one replays."""

    @property
    def pays(self) -> bool:
        return self.client is not None

    def ending(self) -> str | None:
        return None

    def away(self) -> str | None:
        return self.runner.outage

    async def call_back(self) -> None:
        """An accepted change that makes its unit a copy of another has to be seen by a person.

        What the units look like is known only now that all rest. Each change is compared once, and one that a person
        decided on is final.
        """
        if self.course is not None:
            await self._call_back_again(self.course)
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
        """A run goes on while people reopen units, a replay while there are decisions to repeat on units that wait."""
        if self.runner.take_reopened():
            return True
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
        if self.course is not None:
            await self._copy_calls(self.course.recorded)
            return
        if not any(True for _ in self.journal.events(types=("run_stopped",), limit=1)):
            return
        for row in list(self.journal.units(states=(self.kind.states.waiting,))):
            if row.reason not in MODEL_TROUBLE or (row.reason == "no_model" and not self.plan.corrector):
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
        """Every unit to its rest; a limit ends the feeding, calls under way are still recorded."""
        stuck: list[UnitRow] = []

        async def jobs() -> AsyncIterator[Job]:
            async for terms, row in self._unfinished():
                yield partial(self._finish, terms, row, stuck)

        await self.runner.drain(jobs)
        return self.runner.limit or (_record_ends(stuck) if stuck else None)

    async def _finish(self, terms: UnitTerms, row: UnitRow, stuck: list[UnitRow]) -> None:
        row = await (self._worked(terms, row) if self.decisions is None else self._repeated(terms, row, self.decisions))
        if self.kind.states.rests(row.state):
            self.rested(row)
        else:
            stuck.append(row)

    async def _worked(self, terms: UnitTerms, row: UnitRow) -> UnitRow:
        now = self.journal.unit(row.id)
        assert now is not None, "units are never removed"
        if now.at != row.at:  # somebody decided about it, or took that back, since its turn came
            row, terms = now, self._recalled(terms, now)
            if self.kind.states.rests(row.state):
                return row
        if any(grant.type == "decision" for grant in standing_decisions(terms.grants)):
            # Written down at once: from now on the decision cannot be taken back.
            self.journal.write_now(event("task_begun", row.id))
        live = self._live(row, terms, self.client)
        await live.run(self.kind.work(terms))
        return live.rows[terms.source.id]

    def _live(self, row: UnitRow, terms: UnitTerms, client: Asker | None) -> Live:
        id = terms.source.id
        course = self.course

        def recorded(unit: str, number: int, _: Collection[str]) -> Usage:
            attempt = course.attempt(unit, number) if course is not None else None
            return attempt.usage if attempt is not None else Usage()

        document = row.document
        task = Task(row.id, {id: row}, {id: len(terms.attempts)}, lambda own: self.plan.unit_id(document, own))
        return Live(self.kind, self.journal, client, task, charge=recorded if course is not None else None)

    # -- a replay

    async def _repeated(self, terms: UnitTerms, row: UnitRow, decisions: RecordedDecisions) -> UnitRow:
        """Work on a unit until it rests, and go on from there as the recorded run and its people did."""
        grants = deque(decisions.grants_left(row.id))
        row = await self._rested_again(decisions, terms, row, grants)
        while grants and row.state == self.kind.states.waiting:
            grant = grants.popleft()
            if grant.type == "reopened":
                reopened, row = self._reopened(row)
                await self.journal.write(reopened, row)
            else:
                row = decisions.repeat(row, terms.source, grant)
            row = await self._rested_again(decisions, terms, row, grants)
        return row

    async def _rested_again(
        self, decisions: RecordedDecisions, terms: UnitTerms, row: UnitRow, grants: deque[EventRecord]
    ) -> UnitRow:
        """The unit at rest again in a replay. A decision that was taken back led to no work, and leads to none now."""
        while grants and is_undo(grants[0]):
            row = decisions.repeat(row, terms.source, grants.popleft())
        while not self.kind.states.rests(row.state):
            terms = self._recalled(terms, row)
            step = self.course.next_step(row.id, len(terms.attempts), len(terms.grants)) if self.course else None
            if step is None:
                return await self._stopped_short(row)
            row = await self._stepped(terms, row, step)
        return row

    async def _stepped(self, terms: UnitTerms, row: UnitRow, step: Step) -> UnitRow:
        """One attempt, or the unit's rest, with the models of the recorded run as they answered then."""
        course, client = self.course, self.client
        assert course is not None, "only a replay goes step by step"
        asked = None if client is None else RecordedClient(client, course, step)
        live = self._live(row, terms, asked)
        roles = step.roles if client is not None else ModelRoles()
        hashes = partial(course.judged, row.id)
        work = self.kind.work(replace(terms, roles=roles, is_judged=hashes))
        sent: object = None
        while live.rows[terms.source.id].attempts == row.attempts:
            try:
                effect = work.send(sent)
            except StopIteration as end:
                await live.settle(end.value)
                return live.rows[terms.source.id]
            sent = await live.done(effect)
        await self._story(work, live, sent)
        return live.rows[terms.source.id]

    async def _story(self, work: Work, live: Live, sent: object) -> None:
        """What is told of the attempt that was just kept; then the step is over."""
        while True:
            try:
                effect = work.send(sent)
            except StopIteration as end:
                await live.settle(end.value)
                return
            if not isinstance(effect, Note):
                work.close()
                await live.write_held()
                return
            sent = await live.done(effect)

    async def _stopped_short(self, row: UnitRow) -> UnitRow:
        """Leave the unit as the recorded run left it."""
        working = self.kind.states.working
        if self.course is not None and self.course.is_being_repaired(row.id) and row.state != working:
            told, row = moved(self.kind.states, row, working, None)
            await self.journal.write(told, row)
        return row

    # -- units in document order

    async def _unfinished(self) -> AsyncIterator[tuple[UnitTerms, UnitRow]]:
        options = dict(self.plan.arguments.get("overview", {}))
        with closing(self.kind.overview(options, self.plan.off)) as overview:
            for problem in overview.prepare():
                await self.journal.write(problem_event(problem.path, problem))
            for document in self.plan.documents:
                overview.begin(document.name)
                async for found in self._unfinished_in(document, overview):
                    yield found
                self.journal.set_meta(f"overview:{document.name}", orjson.dumps(overview.result()).decode())

    async def _unfinished_in(
        self, document: DocumentPlan, overview: Overview
    ) -> AsyncIterator[tuple[UnitTerms, UnitRow]]:
        examiner = self.examiner.for_document(document.name)
        for part in self._parts(document):
            if isinstance(part, Problem | PassedThrough):
                continue
            examination = examiner.examine(part)
            beside = tuple(replace(finding, source="document") for finding in overview.add(part, examination))
            found = self._terms(examiner, document, part, examination, beside)
            if found is not None:
                yield found
            # Rules are plain computing: let the workers have their turn in between.
            await asyncio.sleep(0)

    def _terms(
        self,
        examiner: Examiner,
        document: DocumentPlan,
        unit: Unit,
        examination: Examination,
        beside: tuple[Finding, ...],
    ) -> tuple[UnitTerms, UnitRow] | None:
        row = self.journal.unit(self.plan.unit_id(document.name, unit.id))
        if row is None or row.content_hash != unit.content_hash:
            raise source_changed(document)
        if self.kind.states.rests(row.state) and not self._is_undecided(row):
            return None
        corrector = {CORRECTOR: self.plan.corrector} if self.plan.corrector is not None else {}
        roles = ModelRoles(self.plan.judges, corrector) if self.client is not None else ModelRoles()
        terms = UnitTerms(row.id, unit, examiner.selection, examiner.context, roles, beside, examination)
        return self._recalled(terms, row), row

    def _recalled(self, terms: UnitTerms, row: UnitRow) -> UnitTerms:
        """The same with what the journal knows about the unit by now."""
        attempts = self.journal.attempts(row.id) if row.attempts else ()  # the row is written with them
        grants = tuple(self.journal.events(unit=row.id, types=("decision", "reopened")))
        return replace(terms, state=row.state, attempts=tuple(attempts), grants=grants)

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
