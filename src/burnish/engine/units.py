"""Tasks of units that stand alone: one for each that does not rest, in document order.

Near-duplicates are a second, free look: what a change made a copy of another shows once all units rest.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Collection, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

import orjson

from burnish.core.attempts import open_errors
from burnish.core.checks import Examination
from burnish.core.decisions import is_undo, standing_decisions
from burnish.core.documents import Part, PassedThrough, Problem, Unit
from burnish.core.effects import ModelRoles
from burnish.core.errors import LimitReached, ModelAway
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
from burnish.engine.replay import RecordedDecisions
from burnish.engine.runner import Job, Runner
from burnish.models.gateway import ReplayMiss
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
    replayed: Journal | None = None
    """The journal of the run that this one repeats."""

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
        if self.replayed is not None:
            return  # what was called back then is called back in its place
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

    def goes_on(self) -> bool:
        """Whether people reopened units."""
        return self.runner.take_reopened()

    def _was_decided(self, row: UnitRow) -> bool:
        decisions = standing_decisions(self.journal.events(unit=row.id, types=("decision",)))
        return bool(decisions) and decisions[-1].data["after_attempt"] == row.attempts

    async def reopen(self) -> None:
        """After an orderly end, units that only wait because a model was away get another chance.

        A replay gives them those that the recorded run gave; before that it takes over what the run had paid for.
        """
        if self.replayed is not None:
            await self._copy_calls(self.replayed)
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
        if self.replayed is not None and self.decisions is not None:
            row = await self._repeated(terms, row, self.replayed, self.decisions)
        else:
            row = await self._worked(*self._task(terms, row))
        if self.kind.states.rests(row.state):
            self.rested(row)
        else:
            stuck.append(row)

    async def _worked(self, task: Task, terms: UnitTerms) -> UnitRow:
        silences = self._silences(task) if task.begun is None and task.is_retraced else {}
        live = Live(self.kind, self.journal, self.client, task, silences=silences, charge=self._charge)
        await live.run(self.kind.work(terms))
        return live.rows[terms.source.id]

    @property
    def _charge(self) -> Callable[[str, int, Collection[str]], Usage] | None:
        """A replay charges what the recorded run was charged."""
        replayed = self.replayed
        if replayed is None:
            return None
        return lambda unit, number, _: next((one.usage for one in replayed.attempts(unit)[number - 1 :]), Usage())

    def _silences(self, task: Task) -> dict[str, Mapping[str, Any]]:
        """Place -> what is known of an answer that could not be used there."""
        found = (self.replayed or self.journal).events(types=("unanswered",))
        return {e.data["place"]: e.data for e in found if e.data["place"].startswith(f"{task.key}:")}

    # -- tasks

    def _task(self, terms: UnitTerms, row: UnitRow) -> tuple[Task, UnitTerms]:
        """The task that was begun and not ended, gone through again from its beginning; or a new one.

        What people decided since, other models, or work that has changed begin another: recorded answers are at hand.
        """
        begun = list(self.journal.events(unit=row.id, types=("task_begun",)))
        last = begun[-1] if begun else None
        is_over = last is None or any(grant.seq > last.seq for grant in terms.grants)
        if last is None or is_over or not self._is_ours(last, terms.roles):
            return self._begin(terms, row, len(begun) + 1)
        return self._again(terms, row, last)

    def _is_ours(self, begun: EventRecord, roles: ModelRoles) -> bool:
        return _roles(begun) == roles and begun.data["version"] == self.kind.work_version

    def _begin(self, terms: UnitTerms, row: UnitRow, number: int) -> tuple[Task, UnitTerms]:
        data = {
            "task": number,
            "version": self.kind.work_version,
            "state": row.state,
            "attempts": len(terms.attempts),
            "judges": list(terms.roles.judges),
            "roles": dict(terms.roles.roles),
            "beside": [finding.as_record() for finding in terms.beside],
        }
        begun = event("task_begun", row.id, dedupe=f"task_begun:{row.id}:{number}", data=data)
        return self._made(terms, row, begun, is_new=True), terms

    def _again(self, terms: UnitTerms, row: UnitRow, begun: EventRecord) -> tuple[Task, UnitTerms]:
        before = replace(terms, attempts=terms.attempts[: begun.data["attempts"]], state=begun.data["state"])
        return self._made(before, row, begun, is_new=False), before

    def _made(self, terms: UnitTerms, row: UnitRow, begun: EventRecord, *, is_new: bool) -> Task:
        id, document = terms.source.id, row.document
        return Task(
            key=f"{row.id}:{begun.data['task']}",
            rows={id: row},
            attempts={id: len(terms.attempts)},
            unit_id=lambda own: self.plan.unit_id(document, own),
            is_retraced=True,
            begun=begun if is_new else None,
        )

    # -- a replay

    async def _repeated(
        self, terms: UnitTerms, row: UnitRow, recorded: Journal, decisions: RecordedDecisions
    ) -> UnitRow:
        """Everything that happened to a unit in the recorded run, in the same order: the tasks with their models, what
        people decided, and how often it was reopened or called back. The row is open where the record ends before."""
        story, place = self._story(recorded, row), len(self._story(self.journal, row))
        rests = self.kind.states.rests
        if place and not rests(row.state) and self._story(self.journal, row)[-1].type == "task_begun":
            place -= 1
        while True:
            following = story[place] if place < len(story) else None
            is_task = following is not None and following.type == "task_begun"
            if not rests(row.state) and not is_task and not (following is not None and is_undo(following)):
                row = await self._worked_freely(terms, row, recorded, story[place - 1].seq if place else 0)
                if not rests(row.state):
                    return row
                continue
            if following is None:
                return row
            place += 1
            if is_task:
                row = await self._worked_again(self._recalled(terms, row), row, following)
            elif following.type == "decision":
                row = decisions.repeat(row, terms.source, following)
            elif following.type == "reopened":
                reopened, row = self._reopened(row)
                await self.journal.write(reopened, row)
            else:
                row = await self._called_back_again(row, recorded, following)

    def _story(self, journal: Journal, row: UnitRow) -> list[EventRecord]:
        """What happened to a unit beyond its work: its tasks begun, decisions, reopenings, and moves out of `ready`."""
        told = journal.events(unit=row.id, types=("task_begun", "decision", "reopened", "state_changed"))
        return [e for e in told if e.type != "state_changed" or e.data["from"] == self.kind.states.ready]

    async def _worked_again(self, terms: UnitTerms, row: UnitRow, begun: EventRecord) -> UnitRow:
        """A recorded task with its models. One that the run left is left at the same place."""
        known = self.journal.events(unit=row.id, types=("task_begun",))
        roles = _roles(begun)
        if any(one.data["task"] == begun.data["task"] for one in known):
            task, terms = self._again(replace(terms, roles=roles), row, begun)
        else:
            task, terms = self._begin(replace(terms, roles=roles), row, begun.data["task"])
        live = Live(self.kind, self.journal, self.client, task, silences=self._silences(task), charge=self._charge)
        try:
            await live.run(self.kind.work(terms))
        except (ModelAway, ReplayMiss):
            return self.journal.unit(row.id) or row
        return live.rows[terms.source.id]

    async def _worked_freely(self, terms: UnitTerms, row: UnitRow, recorded: Journal, since: int) -> UnitRow:
        """Work for which nobody was asked, with the models that the run had by then. None where it never came to it."""
        rest = next(
            (
                e
                for e in recorded.events(unit=row.id, types=("state_changed",), after=since)
                if self.kind.states.rests(e.data["to"])
            ),
            None,
        )
        if rest is None:
            return row
        roles = ModelRoles() if rest.data.get("reason") == "no_model" else _roles_at(recorded, self.plan, rest.seq)
        return await self._worked(*self._begin(replace(self._recalled(terms, row), roles=roles), row, 0))

    async def _called_back_again(self, row: UnitRow, recorded: Journal, told: EventRecord) -> UnitRow:
        """Send a unit to a person as the recorded run did: its units stood side by side at other times."""
        back = replace(row, state=self.kind.states.check(row.state, told.data["to"]), reason=told.data["reason"])
        seen = recorded.attempts(row.id)[row.attempts : row.attempts + 1] if back.reason == DUPLICATE else []
        for attempt in seen:
            back = replace(back, attempts=attempt.number, best_attempt=attempt.number, open_errors=open_errors(attempt))
        data = {**told.data, "rules": told.data.get("rules", [])}
        await self.journal.write(event("state_changed", row.id, data=data), *(replace(a, at="") for a in seen), back)
        return back

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
        if self.kind.states.rests(row.state) and not self._is_unrepeated(row):
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

    def _is_unrepeated(self, row: UnitRow) -> bool:
        """Whether a replay has something left of what happened to a unit that rests."""
        recorded = self.replayed
        return recorded is not None and len(self._story(self.journal, row)) < len(self._story(recorded, row))

    def _parts(self, document: DocumentPlan) -> Iterator[Part]:
        with Path(document.path).open("rb") as stream:
            yield from self.kind.read(stream, document.path, document.format)


def _roles(begun: EventRecord) -> ModelRoles:
    """The models of a task."""
    return ModelRoles(tuple(begun.data["judges"]), begun.data["roles"])


def _roles_at(recorded: Journal, plan: Plan, seq: int) -> ModelRoles:
    """The models that a recorded run had at some point: those of the session at work then."""
    sessions = sorted(recorded.events(types=("run_started", "run_resumed")), key=lambda one: one.seq)
    known = [one.data for one in sessions if one.seq < seq and "judges" in one.data]
    judges, corrector = (known[-1]["judges"], known[-1]["corrector"]) if known else (plan.judges, plan.corrector)
    return ModelRoles(tuple(judges), {CORRECTOR: corrector} if corrector else {})


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
