"""Working on one unit: follow the loop's moves until the unit rests, writing down every step."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from burnish.core.attempts import History, findings_of, open_errors
from burnish.core.checks import Examination
from burnish.core.documents import Unit
from burnish.core.edits import Edit, receipt
from burnish.core.errors import InternalError
from burnish.core.events import event
from burnish.core.faultpoints import reach
from burnish.core.findings import Finding
from burnish.core.kinds import PolishedKind
from burnish.core.loop import DocumentState, Move, next_moves
from burnish.core.mending import Mending, mend
from burnish.core.records import AttemptRecord, EventRecord, Record, UnitRow, Usage
from burnish.engine.answers import Asker
from burnish.engine.recording import CORRECTOR, RecordedAsker, RecordedCourse, Step
from burnish.engine.repairing import Repair, repair
from burnish.engine.reviewing import Review, Reviewer
from burnish.engine.standing import Standing
from burnish.store.journal import Journal

MODEL_TROUBLE = frozenset({"model_failed", "judges_silent", "no_model"})
"""Reasons that may be gone the next time: `resume` tries such units again."""


@dataclass(frozen=True, slots=True)
class Workbench:
    """What is needed to work on any unit of a run."""

    kind: PolishedKind
    journal: Journal
    reviewer: Reviewer
    asker: Asker | None
    corrector: str | None
    """The model that offers edits; None: units with errors go to a person."""
    course: RecordedCourse | None = None
    """How the run went that this one replays."""

    def as_recorded(self, step: Step) -> Workbench:
        """The same with the models that sat here when the recorded run took this step, as they answered then."""
        course, asker = self.course, self.asker
        if course is None or asker is None:
            return self
        calls = step.attempt.calls if step.attempt is not None else ()

        def but(away: Mapping[str, str]) -> RecordedAsker:
            return RecordedAsker(asker, course.recorded, course.plan.nonce, away, calls)

        corrector, failure = step.seats.of(CORRECTOR), step.corrector_away
        reviewer = replace(self.reviewer, judges=step.seats.judges, asker=but(step.away))
        away = {corrector: failure} if corrector and failure else {}
        return replace(self, corrector=corrector, asker=but(away), reviewer=reviewer)


@dataclass(slots=True)
class UnitWork:
    """One unit on its way to rest."""

    bench: Workbench
    row: UnitRow
    source: Unit
    beside: tuple[Finding, ...] = ()
    """Findings that only show beside other units."""
    examination: Examination | None = None
    """The rules' findings on the source, where they are known already."""
    standing: Standing = field(init=False)
    own_bench: Workbench = field(init=False)
    """The bench as it was given; a replay sits at one as it was recorded."""
    grants: int = 0
    """How often a person, or a run that went on, has given the unit another chance."""
    held: tuple[Record, ...] = ()
    """The latest attempt and its events, until they are written with what follows from them."""

    def __post_init__(self) -> None:
        self.standing = Standing(self.bench.kind, self.source)
        self.own_bench = self.bench

    def recall(self) -> None:
        """Take up what the journal knows about this unit."""
        journal, id = self.bench.journal, self.row.id
        grants = list(journal.events(unit=id, types=("decision", "reopened")))
        attempts = journal.attempts(id) if self.row.attempts else ()  # the row is written with them
        self.standing = Standing.recalled(self.bench.kind, self.source, attempts, grants)
        self.grants = len(grants)
        if self._history.attempts:
            self.beside = self.standing.beside

    @property
    def _history(self) -> History:
        return self.standing.history

    async def finish(self) -> UnitRow:
        """Follow the moves until the unit rests; in a replay, until the record of it ends."""
        while True:
            if not self._keep_to_record():
                return await self._stop_short()
            if len(self._history.attempts) == 1 and await self._fix_freely(self._history.attempts[0]):
                continue
            [move] = next_moves(self._document(), self.bench.kind.loop)
            if move.name == "accept":
                return await self._rest(self.bench.kind.states.ready, move)
            if move.name == "ask_person":
                return await self._rest(self.bench.kind.states.waiting, move)
            await self._write_held()
            await self._make(move)

    def _keep_to_record(self) -> bool:
        """In a replay: sit down with the models of the recorded run. False where it went no further with this unit."""
        course = self.own_bench.course
        if course is None:
            return True
        step = course.next_step(self.row.id, len(self._history.attempts), self.grants)
        if step is not None:
            self.bench = self.own_bench.as_recorded(step)
        return step is not None

    async def _stop_short(self) -> UnitRow:
        """Leave the unit as the recorded run left it."""
        course, working = self.own_bench.course, self.bench.kind.states.working
        if course is not None and course.is_being_repaired(self.row.id) and self.row.state != working:
            await self._enter(working)
        else:
            await self._write_held()
        return self.row

    async def _make(self, move: Move) -> None:
        if move.name == "review":
            await self._review()
        elif move.name == "repair":
            await self._repair()
        else:
            raise InternalError(
                f"{self.row.id}: the loop asks for the move {move.name!r}, which units that stand alone do not know.",
                hint=f"The loop policy of {self.bench.kind.name} does not fit this driver; please report it.",
            )

    def _document(self) -> DocumentState:
        """A document of one: this unit, and what was spent on it since a person last granted attempts."""
        can_repair = self.bench.corrector is not None and self.bench.asker is not None
        state = self.standing.state(self.row.id, can_repair=can_repair)
        attempts = self._history.since_rejection
        spent = sum((attempt.usage for attempt in attempts), Usage())
        seconds = 0.0
        if self.bench.kind.loop.limits.seconds is not None:
            before = self._history.attempts[: len(self._history.attempts) - len(attempts)]
            keys = {key for attempt in attempts for key in attempt.calls}
            keys -= {key for attempt in before for key in attempt.calls}
            calls = [self.bench.journal.call(key) for key in keys]
            seconds = sum(call.duration_ms for call in calls if call is not None) / 1000
        return DocumentState((state,), spent, seconds)

    def _cost(self, calls: Collection[str]) -> Usage:
        """What the attempt that is about to be recorded has cost: a call is on the bill of the first that lists it.

        One that is looked up again is not paid again. One that a killed run had paid for, or that failed and was made
        anew, is newer than the last attempt that lists it.
        """
        course, journal, unit = self.own_bench.course, self.bench.journal, self.row.id
        recorded = course.attempt(unit, self._history.next_number) if course is not None else None
        if recorded is not None or not calls:
            return recorded.usage if recorded is not None else Usage()
        earlier = journal.attempts(unit) if self._history.attempts else ()  # with the time at which they were written
        billed = {key: attempt.at for attempt in earlier for key in attempt.calls}
        due = (call for call in journal.calls(unit) if call.key in calls and call.at > billed.get(call.key, ""))
        return sum((call.usage for call in due), Usage())

    async def _review(self) -> None:
        """Look at the draft as it is: the source the first time, the best draft after that."""
        if self._history.attempts:
            draft = self.standing.draft
            self._record("review", draft, await self._reviewed(draft))
            return
        known = self.examination or self.bench.reviewer.examine(self.source)
        mending = self._mended(known.findings)
        if mending.settled:
            # What a safe fix is about to replace, no judge is paid for.
            judged = self._by_judges(mending.unit)
            review = self.bench.reviewer.glance(self.source, self.beside, known, by_judges=judged)
        else:
            review = await self._reviewed(self.source, known)
        self._record("source", self.source, review)

    async def _reviewed(self, draft: Unit, known: Examination | None = None) -> Review:
        return await self.bench.reviewer.review(draft, self.beside, known, by_judges=self._by_judges(draft))

    def _by_judges(self, draft: Unit) -> bool:
        course = self.bench.course
        return course is None or course.judged(self.row.id, draft.content_hash)

    def _mended(self, findings: Sequence[Finding]) -> Mending:
        by_rules = tuple(finding for finding in findings if finding.source == "rule")
        return mend(self.source, Examination(by_rules), self.bench.reviewer.examine)

    async def _fix_freely(self, first: AttemptRecord) -> bool:
        """Apply what code can mend by itself; kept only if the rules find less wrong than before. Whether it did.

        It goes by the recorded findings, so that a run that was killed in between does the same.
        """
        mending = self._mended(findings_of(first))
        if not mending.settled:
            return False
        await self._write_held()
        reach("engine.safe_fix")
        review = await self._reviewed(mending.unit, mending.examination)
        rules = [finding.rule for finding in mending.settled]
        self._record("safe_fix", mending.unit, review, edits=mending.edits, rules=rules, before=self.source)
        return True

    async def _repair(self) -> None:
        best = self._history.best
        assert best is not None and self.bench.asker is not None and self.bench.corrector is not None
        if self.row.state != self.bench.kind.states.working:
            await self._enter(self.bench.kind.states.working)
        draft, errors, notes = self.standing.draft, self.standing.errors, self.standing.notes()
        reach("engine.repair.before")
        outcome = await repair(self.bench.kind, self.bench.asker, self.bench.corrector, draft, errors, notes)
        reach("engine.repair.after")
        if outcome.draft is None:
            self._record_failure(outcome, best)
            return
        review = await self._reviewed(outcome.draft)
        rules = [finding.rule for finding in errors]
        self._record("model", outcome.draft, review, edits=outcome.edits, rules=rules, before=draft, repair=outcome)

    def _record(
        self,
        cause: Literal["source", "safe_fix", "model", "review"],
        draft: Unit,
        review: Review,
        *,
        edits: Sequence[Edit] = (),
        rules: Sequence[str] = (),
        before: Unit | None = None,
        repair: Repair | None = None,
    ) -> None:
        calls = (*(repair.calls if repair else ()), *review.calls)
        attempt = AttemptRecord(
            unit=self.row.id,
            number=self._history.next_number,
            cause=cause,
            content=None if draft.content_hash == self.source.content_hash else self.bench.kind.to_record(draft),
            content_hash=draft.content_hash,
            scores=review.scores,
            findings=tuple(finding.as_record() for finding in review.findings),
            passed=review.verdict.passed,
            failure=_silence(review) or (self.standing.trade(review.findings) if repair else None),
            edits=tuple(edit_record(edit) for edit in edits),
            receipt=receipt(before, draft, rules).as_record() if before is not None else None,
            usage=self._cost(calls),
            calls=calls,
            checked=review.examination.as_record(),
        )
        self._append(attempt, self._story(attempt, review))

    def _story(self, attempt: AttemptRecord, review: Review) -> list[EventRecord]:
        """The events that tell of an attempt; written once, however often the run is resumed."""
        here = f"{self.row.id}:{attempt.number}"
        events = [
            event(
                "finding_dropped",
                self.row.id,
                dedupe=f"dropped:{here}:{index}",
                data={
                    "attempt": attempt.number,
                    "reason": dropped.reason,
                    "finding": dropped.finding.as_wire(),
                    "source": dropped.finding.source,
                },
            )
            for index, dropped in enumerate(review.dropped)
        ]
        if review.silent:
            events.append(
                event("model_degraded", self.row.id, dedupe=f"silent:{here}", data={"silent": list(review.silent)})
            )
        if attempt.edits:
            kept = self._history.with_attempt(attempt).best is attempt
            name: Literal["edit_applied", "rolled_back"] = "edit_applied" if kept else "rolled_back"
            data = {"attempt": attempt.number, "receipt": attempt.receipt}
            events.append(event(name, self.row.id, dedupe=f"edit:{here}", data=data))
        return events

    def _record_failure(self, outcome: Repair, best: AttemptRecord) -> None:
        """An answer that could not be used is an attempt too: the draft stays, the try is counted and paid for."""
        attempt = replace(
            best,
            number=self._history.next_number,
            cause="model",
            failure=outcome.failure,
            edits=tuple(edit_record(edit) for edit in outcome.edits),
            receipt=None,
            usage=self._cost(outcome.calls),
            calls=outcome.calls,
            passed=False,
            at="",
        )
        here = f"{self.row.id}:{attempt.number}"
        data = {"attempt": attempt.number, "reason": outcome.failure}
        self._append(attempt, [event("edit_refused", self.row.id, dedupe=f"edit:{here}", data=data)])

    def _append(self, attempt: AttemptRecord, events: Sequence[EventRecord]) -> None:
        """Take an attempt into the history. Mostly the unit rests right after it: then both are one transaction."""
        self.standing = self.standing.with_attempt(attempt)
        self.held = (attempt, *events)

    async def _write_held(self) -> None:
        """Nothing waits to be written while a model is asked."""
        if self.held:
            await self._write()

    async def _rest(self, state: str, move: Move) -> UnitRow:
        await self._enter(state, move.reason, move.rules)
        reach("engine.unit.rested")
        return self.row

    async def _enter(self, state: str, reason: str | None = None, rules: Sequence[str] = ()) -> None:
        before = self.row.state
        self.row = replace(self.row, state=self.bench.kind.states.check(before, state), reason=reason)
        data = {"from": before, "to": state, "reason": reason, "rules": list(rules)}
        await self._write(event("state_changed", self.row.id, data=data))

    async def _write(self, *records: Record) -> None:
        """One transaction: the records, and where the unit stands after them."""
        best = self._history.best
        self.row = replace(
            self.row,
            attempts=len(self._history.attempts),
            best_attempt=best.number if best else 0,
            open_errors=open_errors(best) if best else 0,
        )
        held, self.held = self.held, ()
        await self.bench.journal.write(*held, *records, self.row)


def edit_record(edit: Edit) -> dict[str, str | None]:
    return {"unit": edit.unit, "field": edit.field, "find": edit.find, "replace": edit.replace}


def _silence(review: Review) -> str | None:
    """Judges that did not answer matter only where the gate is shut."""
    return f"judges_silent: {'; '.join(review.silent)}" if review.silent and not review.verdict.passed else None
