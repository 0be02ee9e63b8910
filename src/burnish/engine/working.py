"""Working on one unit: follow the loop's moves until the unit rests, writing down every step."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from burnish.core.attempts import History, blocking_rules, findings_of, open_errors
from burnish.core.checks import Examination
from burnish.core.documents import Unit
from burnish.core.edits import Edit, receipt
from burnish.core.events import event
from burnish.core.faultpoints import reach
from burnish.core.findings import CRASHED_RULE, Finding
from burnish.core.kinds import PolishedKind, RepairNotes
from burnish.core.loop import DocumentState, Move, UnitState, next_moves
from burnish.core.records import AttemptRecord, EventRecord, Record, UnitRow, Usage
from burnish.engine.answers import Asker
from burnish.engine.repairing import Repair, apply_safe_fixes, repair
from burnish.engine.replaying import RecordedReviews
from burnish.engine.reviewing import Review, Reviewer
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
    recorded: RecordedReviews | None = None
    """What was judged in the run that this one replays."""


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
    history: History = field(default_factory=History)
    granted_after: int = 0
    note: str | None = None
    held: tuple[Record, ...] = ()
    """The latest attempt and its events, until they are written with what follows from them."""

    def recall(self) -> None:
        """Take up what the journal knows about this unit."""
        self.history = History(tuple(self.bench.journal.attempts(self.row.id)))
        if self.history.attempts:
            first = findings_of(self.history.attempts[0])
            self.beside = tuple(finding for finding in first if finding.source == "document")
        sent_back = 0
        for grant in self.bench.journal.events(unit=self.row.id, types=("decision", "reopened")):
            rejected = grant.data.get("verdict") == "reject"
            if rejected or grant.type == "reopened":
                self.granted_after = int(grant.data["after_attempt"])
            if rejected:
                sent_back += 1
                self.note = _note(grant.data.get("note"), sent_back)

    async def finish(self) -> UnitRow:
        """Follow the moves until the unit rests."""
        while True:
            if len(self.history.attempts) == 1:
                await self._fix_freely(self.history.attempts[0])
            [move] = next_moves(DocumentState((self._state(),)), self.bench.kind.loop)
            if move.name not in ("review", "repair"):
                return await self._rest(move)
            await self._write_held()
            await (self._review() if move.name == "review" else self._repair())

    def _state(self) -> UnitState:
        return UnitState(
            id=self.row.id,
            history=self.history,
            unrepairable=self._unrepairable(),
            granted_after=self.granted_after,
            review_again=self._wants_second_look(),
        )

    def _wants_second_look(self) -> bool:
        best = self.history.best
        nothing_since = self.granted_after > 0 and self.granted_after == len(self.history.attempts)
        return nothing_since and best is not None and not open_errors(best)

    def _unrepairable(self) -> str | None:
        best, last = self.history.best, self.history.last
        if best is None or last is None:
            return None
        if last.failure and last.failure.startswith("model_failed") and last.number > self.granted_after:
            return "model_failed"
        if not open_errors(best):
            return _judges_reason(last)
        if any(finding.source == "document" and finding.blocks for finding in findings_of(best)):
            return "duplicate"
        if blocking_rules(best) & (self.bench.kind.fatal_rules | {CRASHED_RULE}):
            return "fatal_finding"
        if not self.bench.kind.editable(self._draft(), findings_of(best)):
            return "nothing_to_edit"
        return None if self.bench.corrector and self.bench.asker else "no_model"

    async def _review(self) -> None:
        """Look at the draft as it is: the source the first time, the best draft after that."""
        draft = self._draft()
        cause: Literal["source", "review"] = "review" if self.history.attempts else "source"
        self._record(cause, draft, await self._reviewed(draft, None if self.history.attempts else self.examination))

    async def _reviewed(self, draft: Unit, known: Examination | None = None) -> Review:
        recorded = self.bench.recorded
        by_judges = recorded is None or recorded.judged(self.row.id, draft.content_hash)
        return await self.bench.reviewer.review(draft, self.beside, known, by_judges=by_judges)

    async def _fix_freely(self, first: AttemptRecord) -> None:
        """Apply what code can mend by itself; kept only if the rules find less wrong than before.

        It goes by the recorded findings, so that a run that was killed in between does the same.
        """
        findings = findings_of(first)
        fixed, edits = apply_safe_fixes(self.source, findings)
        if not edits:
            return
        await self._write_held()
        reach("engine.safe_fix")
        rules = [finding.rule for finding in findings if finding.fix in edits]
        self._record("safe_fix", fixed, await self._reviewed(fixed), edits=edits, rules=rules, before=self.source)

    async def _repair(self) -> None:
        best = self.history.best
        assert best is not None and self.bench.asker is not None and self.bench.corrector is not None
        if self.row.state != self.bench.kind.states.working:
            await self._enter(self.bench.kind.states.working)
        draft, findings = self._draft(), findings_of(best)
        reach("engine.repair.before")
        outcome = await repair(self.bench.kind, self.bench.asker, self.bench.corrector, draft, findings, self._notes())
        reach("engine.repair.after")
        if outcome.draft is None:
            self._record_failure(outcome, best)
            return
        review = await self._reviewed(outcome.draft)
        rules = [finding.rule for finding in findings if finding.blocks]
        self._record("model", outcome.draft, review, edits=outcome.edits, rules=rules, before=draft, repair=outcome)

    def _notes(self) -> RepairNotes:
        tries = [a for a in self.history.attempts if a.cause == "model" and a.number > self.granted_after]
        failures = tuple(attempt.failure for attempt in tries if attempt.failure)
        return RepairNotes(len(tries) + 1, self.bench.kind.loop.max_repairs, failures, self.note)

    def _draft(self) -> Unit:
        """The draft to work from: the best so far, not the last."""
        best = self.history.best
        if best is None or best.content is None:
            return self.source
        return self.bench.kind.from_record(best.content)

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
        spent = repair.usage if repair else Usage()
        attempt = AttemptRecord(
            unit=self.row.id,
            number=self.history.next_number,
            cause=cause,
            content=None if draft.content_hash == self.source.content_hash else self.bench.kind.to_record(draft),
            content_hash=draft.content_hash,
            scores=review.scores,
            findings=tuple(finding.as_record() for finding in review.findings),
            passed=review.verdict.passed,
            failure=_silence(review) or (self._trade(review) if repair else None),
            edits=tuple(edit_record(edit) for edit in edits),
            receipt=receipt(before, draft, rules).as_record() if before is not None else None,
            usage=spent + review.usage,
            calls=(*(repair.calls if repair else ()), *review.calls),
        )
        self._append(attempt, self._story(attempt, review))

    def _trade(self, review: Review) -> str | None:
        """A correction that raises new errors is kept only if it has fewer than there were before."""
        best = self.history.best
        assert best is not None, "what is corrected was reviewed before"
        known = {(finding.rule, finding.field) for finding in findings_of(best) if finding.blocks}
        errors = [(finding.rule, finding.field) for finding in review.findings if finding.blocks]
        new = sorted({rule for rule, field in errors if (rule, field) not in known})
        return f"new_errors: {', '.join(new)}" if new and len(errors) >= open_errors(best) else None

    def _story(self, attempt: AttemptRecord, review: Review) -> list[EventRecord]:
        """The events that tell of an attempt; written once, however often the run is resumed."""
        here = f"{self.row.id}:{attempt.number}"
        events = [
            event(
                "finding_dropped",
                self.row.id,
                dedupe=f"dropped:{here}:{index}",
                data={"reason": dropped.reason, "finding": dropped.finding.as_wire(), "source": dropped.finding.source},
            )
            for index, dropped in enumerate(review.dropped)
        ]
        if review.silent:
            events.append(
                event("model_degraded", self.row.id, dedupe=f"silent:{here}", data={"silent": list(review.silent)})
            )
        if attempt.edits:
            best = self.history.best
            kept = best is None or History((*self.history.attempts, attempt)).best is attempt
            name: Literal["edit_applied", "rolled_back"] = "edit_applied" if kept else "rolled_back"
            data = {"attempt": attempt.number, "receipt": attempt.receipt}
            events.append(event(name, self.row.id, dedupe=f"edit:{here}", data=data))
        return events

    def _record_failure(self, outcome: Repair, best: AttemptRecord) -> None:
        """An answer that could not be used is an attempt too: the draft stays, the try is counted and paid for."""
        attempt = replace(
            best,
            number=self.history.next_number,
            cause="model",
            failure=outcome.failure,
            edits=tuple(edit_record(edit) for edit in outcome.edits),
            receipt=None,
            usage=outcome.usage,
            calls=outcome.calls,
            passed=False,
            at="",
        )
        here = f"{self.row.id}:{attempt.number}"
        data = {"attempt": attempt.number, "reason": outcome.failure}
        self._append(attempt, [event("edit_refused", self.row.id, dedupe=f"edit:{here}", data=data)])

    def _append(self, attempt: AttemptRecord, events: Sequence[EventRecord]) -> None:
        """Take an attempt into the history. Mostly the unit rests right after it: then both are one transaction."""
        self.history = self.history.with_attempt(attempt)
        self.held = (attempt, *events)

    async def _write_held(self) -> None:
        """Nothing waits to be written while a model is asked."""
        if self.held:
            await self._write()

    async def _rest(self, move: Move) -> UnitRow:
        states = self.bench.kind.states
        await self._enter(states.ready if move.name == "accept" else states.waiting, move.reason, move.rules)
        reach("engine.unit.rested")
        return self.row

    async def _enter(self, state: str, reason: str | None = None, rules: Sequence[str] = ()) -> None:
        before = self.row.state
        self.row = replace(self.row, state=self.bench.kind.states.check(before, state), reason=reason)
        data = {"from": before, "to": state, "reason": reason, "rules": list(rules)}
        await self._write(event("state_changed", self.row.id, data=data))

    async def _write(self, *records: Record) -> None:
        """One transaction: the records, and where the unit stands after them."""
        best = self.history.best
        self.row = replace(
            self.row,
            attempts=len(self.history.attempts),
            best_attempt=best.number if best else 0,
            open_errors=open_errors(best) if best else 0,
        )
        held, self.held = self.held, ()
        await self.bench.journal.write(*held, *records, self.row)


def edit_record(edit: Edit) -> dict[str, str | None]:
    return {"unit": edit.unit, "field": edit.field, "find": edit.find, "replace": edit.replace}


def _note(text: str | None, times: int) -> str:
    """What the next prompt says of a rejection: never what it said last time, or the old answer would be repeated."""
    return (text or "It is not good enough yet.") + (f" (Sent back {times} times.)" if times > 1 else "")


def _silence(review: Review) -> str | None:
    """Judges that did not answer matter only where the gate is shut."""
    return f"judges_silent: {'; '.join(review.silent)}" if review.silent and not review.verdict.passed else None


def _judges_reason(last: AttemptRecord) -> str:
    """No rule is broken, and yet the gate is shut: the judges disagree, or too few of them answered."""
    return "judges_silent" if (last.failure or "").startswith("judges_silent") else "judges_disagree"
