"""The work on one question: rules, safe fixes, judges and corrections, until it is accepted or needs a person.

A plain generator over `core.effects`. It starts from the recorded progress, so a run that was killed resumes after the
attempts that the journal has.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, cast

from burnish.core.attempts import findings_of
from burnish.core.checks import Examination, apply_safe_fixes
from burnish.core.claims import Dismissals, claim_id
from burnish.core.documents import Unit
from burnish.core.edits import Edit, receipt
from burnish.core.effects import (
    Effect,
    Keep,
    ModelRequest,
    Move,
    Note,
    Outcome,
    Settled,
    Stop,
    Work,
    ask_together,
    draft,
)
from burnish.core.errors import EditRefused
from burnish.core.findings import CRASHED_RULE, Finding
from burnish.core.forecasts import Charge, Document, Forecast, Rehearsal, joined_forecasts
from burnish.core.kinds import Kind, Overview
from burnish.core.records import AttemptRecord, Cause
from burnish.core.tasks import CORRECTOR, RepairNotes
from burnish.kinds.questions import requests
from burnish.kinds.questions.key_check import blind_asks
from burnish.kinds.questions.model import Question, question_of
from burnish.kinds.questions.policy import KEY_DOUBTFUL, NOT_JUDGED, STATES
from burnish.kinds.questions.progress import UnitProgress
from burnish.kinds.questions.repair import Repair
from burnish.kinds.questions.review import ENOUGH, Draft, Review, Reviewer, is_open
from burnish.text.quotes import exact_edits

if TYPE_CHECKING:
    from burnish.core.replies import EditReply


@dataclass(slots=True)
class QuestionWork:
    """The work on one question."""

    kind: Kind
    reviewer: Reviewer
    corrector: str | None
    """The model that offers edits; None: questions with errors go to a person."""
    progress: UnitProgress
    name: str
    """The question's name in the run."""
    neighbour_findings: tuple[Finding, ...] = ()
    """Findings from comparison with other questions."""
    examination: Examination | None = None
    """The examination of the source by the rules, if it exists already."""
    state: str = field(default=STATES.initial)
    accepts_by_rules: bool = True
    """Whether a question that passes is accepted. False: no model judges, and nobody said that rules may alone."""

    @property
    def source(self) -> Unit:
        return self.progress.source

    def run(self) -> Work:
        """Follow the moves until the question is accepted or needs a person."""
        if self.progress.history.attempts:
            self.neighbour_findings = self.progress.neighbour_findings
        while True:
            if len(self.progress.history.attempts) == 1 and (yield from self._fix_freely()):
                continue
            move = self.progress.next_move(can_repair=self.corrector is not None)
            if move.name == "review":
                yield from self._review()
            elif move.name == "repair":
                yield from self._repair()
            else:
                best = self.progress.history.best
                if move.name == "accept" and self.accepts_by_rules:
                    stop = Stop(STATES.ready, move.reason, move.rules)
                else:
                    stop = Stop(STATES.waiting, NOT_JUDGED if move.name == "accept" else move.reason, move.rules)
                return Outcome((Settled(self.source.id, (stop,), best=best.number if best is not None else 0),))

    # -- reviews

    def _review(self) -> Generator[Effect, Any, None]:
        """Review without changes: the source the first time, later the best draft."""
        if self.progress.history.attempts:
            unit = self.progress.draft
            review = yield from self.reviewer.review(unit, self._draft(unit))
            yield from self._keep("review", unit, review)
            return
        known = self.examination or self.reviewer.examine(self.source)
        mending = apply_safe_fixes(self.source, _by_rules(known.findings), self.reviewer.examine)
        if mending.settled:
            # A safe fix is about to replace this text: no judge is paid to read it.
            review = self.reviewer.glance(known, self._draft(self.source))
        else:
            review = yield from self.reviewer.review(self.source, self._draft(self.source), known)
        yield from self._keep("source", self.source, review)

    def _draft(self, unit: Unit, *found: Finding, is_repair: bool = False) -> Draft:
        findings = (*self.neighbour_findings, *found)
        return self.progress.draft_of(unit, findings, self.corrector, is_repair=is_repair)

    def _fix_freely(self) -> Generator[Effect, Any, bool]:
        """Apply the safe fixes that reduce the findings of rules, and say whether any was applied.

        Uses the recorded findings, so that a run that was killed in between does the same.
        """
        known = _by_rules(findings_of(self.progress.history.attempts[0]))
        mending = apply_safe_fixes(self.source, known, self.reviewer.examine)
        if not mending.settled:
            return False
        draft = Draft(findings=self.neighbour_findings, dismissals=self.progress.dismissals)
        review = yield from self.reviewer.review(mending.unit, draft, mending.examination)
        rules = [finding.rule for finding in mending.settled]
        yield from self._keep("safe_fix", mending.unit, review, edits=mending.edits, rules=rules, before=self.source)
        return True

    # -- corrections

    def _repair(self) -> Generator[Effect, Any, None]:
        """One correction by a model: the smallest edits that repair the errors, in their scope only."""
        assert self.corrector is not None, "a repair needs a corrector"
        if self.state != STATES.working:
            yield Move(self.source.id, STATES.working)
            self.state = STATES.working
        before, errors, notes = question_of(self.progress.draft), self.progress.errors, self.progress.notes()
        request = ModelRequest(requests.correction_ask(before, errors, notes), self.corrector)
        [answer] = yield from ask_together([request])
        if answer.reply is None:
            yield from self._keep_failure(answer.failure, (), answer.calls)
            return
        reply = cast("EditReply", answer.reply).about(before.id)
        repair = Repair(before, tuple(errors), answer.calls, self.reviewer, self.corrector)
        dismissed = yield from repair.answer_contested(reply.contested)
        if dismissed:
            yield Note("claims_dismissed", self.source.id, {"claims": [one.as_wire() for one in dismissed]})
        if dismissed and not reply.edits:
            draft = self._draft(before)
            draft = replace(draft, dismissals=_with(draft.dismissals, dismissed))
            review = yield from self.reviewer.review(before, draft)
            yield from self._keep("review", before, review, calls=repair.calls)
            return
        edits = tuple(exact_edits(before, requests.edits_of(reply)))
        try:
            after = repair.apply(edits, reply)
        except EditRefused as refusal:
            failure = f"edit_refused: {refusal.reason}: {refusal.message}{repair.contest_note}"
            yield from self._keep_failure(failure, edits, repair.calls)
            return
        yield from self._keep_repair(repair, after, edits, dismissed)

    def _keep_repair(
        self, repair: Repair, after: Question, edits: Sequence[Edit], dismissed: Sequence[Finding]
    ) -> Generator[Effect, Any, None]:
        """Have a repair read beside what it replaces, review it and keep it."""
        known = self.reviewer.examine(after)
        told = self.progress.dismissals.split(known.findings)[0]
        trade = self.progress.trade(finding for finding in told if not self.progress.awaits_reader(finding))
        found: list[Finding] = []
        if trade is None:
            declined = yield from repair.read(after)
            if declined is not None:
                yield from self._keep_failure(declined, edits, repair.calls)
                return
            found += repair.unread(is_wide=self.progress.key_in_doubt(after))
        draft = self._draft(after, *found, is_repair=True)
        draft = replace(draft, dismissals=_with(draft.dismissals, dismissed))
        review = yield from self.reviewer.review(after, draft, known)
        rules = [finding.rule for finding in repair.errors]
        yield from self._keep(
            "model", after, review, edits=edits, rules=rules, before=repair.before, calls=repair.calls
        )

    def _keep(
        self,
        cause: Cause,
        unit: Unit,
        review: Review,
        *,
        edits: Sequence[Edit] = (),
        rules: Sequence[str] = (),
        before: Unit | None = None,
        calls: tuple[str, ...] = (),
    ) -> Generator[Effect, Any, None]:
        trade = self.progress.trade(review.findings) if cause == "model" else None
        attempt = Keep(
            unit,
            cause,
            review.scores,
            review.findings,
            review.verdict.passed,
            failure=_silence(review) or trade,
            edits=tuple(edit_record(edit) for edit in edits),
            receipt=receipt(before, unit, rules).as_record() if before is not None else None,
            usage=None,
            calls=(*calls, *review.calls),
            checked=review.examination.as_record(),
        )
        number, best = yield from self._kept(attempt)
        here = f"{self.name}:{number}"
        for index, dropped in enumerate(review.dropped):
            found = dropped.finding
            data = {"attempt": number, "reason": dropped.reason, "finding": found.as_wire(), "source": found.source}
            yield Note("finding_dropped", self.source.id, data, f"dropped:{here}:{index}")
        silent = [*review.silent, *review.unsolved]
        if silent:
            yield Note("model_degraded", self.source.id, {"silent": silent}, f"silent:{here}")
        if attempt.edits:
            event = "edit_applied" if best == number else "rolled_back"
            yield Note(event, self.source.id, {"attempt": number, "receipt": attempt.receipt}, f"edit:{here}")

    def _keep_failure(
        self, failure: str | None, edits: Sequence[Edit], calls: tuple[str, ...]
    ) -> Generator[Effect, Any, None]:
        """Record an unusable answer as an attempt: the draft does not change, but the try counts and has its cost."""
        best = self.progress.history.best
        assert best is not None, "what is corrected was reviewed before"
        attempt = Keep(
            self.progress.draft,
            "model",
            best.scores,
            tuple(findings_of(best)),
            passed=False,
            failure=failure,
            edits=tuple(edit_record(edit) for edit in edits),
            usage=None,
            calls=calls,
            checked=best.checked,
        )
        number, _ = yield from self._kept(attempt)
        data = {"attempt": number, "reason": failure}
        yield Note("edit_refused", self.source.id, data, f"edit:{self.name}:{number}")

    def _kept(self, attempt: Keep) -> Generator[Effect, Any, tuple[int, int]]:
        """Add an attempt to the history, and give its number and that of the best attempt."""
        unit, history = attempt.unit, self.progress.history
        record = AttemptRecord(
            self.name,
            history.next_number,
            attempt.cause,
            None if unit.content_hash == self.source.content_hash else self.kind.to_record(unit),
            unit.content_hash,
            attempt.scores,
            tuple(finding.as_record() for finding in attempt.findings),
            attempt.passed,
            attempt.failure,
            attempt.edits,
            attempt.receipt,
            calls=attempt.calls,
            checked=attempt.checked,
        )
        self.progress = self.progress.with_attempt(record)
        best = self.progress.history.best
        assert best is not None, "there is at least this one"
        yield from draft(replace(attempt, best=best.number))
        return record.number, best.number


def _with(dismissals: Dismissals, dismissed: Sequence[Finding]) -> Dismissals:
    more = frozenset((one.unit, claim_id(one)) for one in dismissed)
    return replace(dismissals, claims=dismissals.claims | more)


def edit_record(edit: Edit) -> dict[str, str | None]:
    return {"unit": edit.unit, "field": edit.field, "find": edit.find, "replace": edit.replace}


def _by_rules(findings: Sequence[Finding]) -> Examination:
    """The findings of rules on the question itself: only those have fixes."""
    return Examination(tuple(finding for finding in findings if finding.source == "rule"))


def _silence(review: Review) -> str | None:
    """The failure for judges that did not answer; they matter only if the draft did not pass."""
    return f"judges_silent: {'; '.join(review.silent)}" if review.silent and not review.verdict.passed else None


def forecasts(kind: Kind, run: Rehearsal, max_attempts: int) -> Iterator[Forecast]:
    """The forecast of every group of questions, each compared with those before it. `max_attempts`: corrections of one
    question."""
    with closing(kind.overview(run.overview, run.off)) as overview:
        deque(overview.prepare(), maxlen=0)  # an earlier bank with errors was refused at the planning stage
        for document in run.documents:
            overview.begin(document.name, document.preview)
            single = _singly(kind, run, document, overview, max_attempts)
            yield from joined_forecasts(single, kind.most_together, run.roles)


def _singly(
    kind: Kind, run: Rehearsal, document: Document, overview: Overview, max_attempts: int
) -> Iterator[Forecast]:
    for unit in document.units:
        examination = kind.examine(unit, run.selection, document.context)
        neighbour_findings = overview.add(unit, examination)
        examine = partial(kind.examine, selection=run.selection, context=document.context)
        fixed = apply_safe_fixes(unit, examination, examine)
        is_copy = any(finding.blocks for finding in neighbour_findings)
        calls = _Calls(question_of(fixed.unit), run, max_attempts)
        yield _forecast(kind, calls, fixed.examination, is_copy=is_copy)


def _forecast(kind: Kind, calls: _Calls, examination: Examination, *, is_copy: bool) -> Forecast:
    """The calls that one question may need, after its safe fixes."""
    errors = [finding for finding in examination.findings if finding.blocks]
    if not errors and not is_copy:
        charges = [*calls.reading(1.0), *calls.at_most(())]
        return Forecast(units=1, clean=1, charges=charges)
    hopeless = {finding.rule for finding in errors} & (kind.fatal_rules | {CRASHED_RULE})
    if is_copy or calls.corrector is None or hopeless or not requests.editable(calls.unit, errors):
        return Forecast(units=1, for_a_person=1)
    # What code cannot show is read before it is repaired.
    is_read_first = calls.judges and any(is_open(finding) for finding in errors)
    charges = [*calls.reading(1.0 if is_read_first else 0.0), *calls.repairing(errors), *calls.at_most(errors)]
    return Forecast(units=1, to_correct=1, charges=charges)


class _Calls:
    """The calls that one question may need."""

    def __init__(self, unit: Question, run: Rehearsal, max_attempts: int) -> None:
        self.unit, self.judges, self.max_attempts = unit, run.roles.judges, max_attempts
        self.corrector = run.roles.of(CORRECTOR)
        ask = requests.review_ask(unit, run.selection)
        self._reviews = [ModelRequest(ask, judge) for judge in self.judges] if ask is not None else []
        self._solves = {judge: [ModelRequest(ask, judge) for ask in blind_asks(unit)] for judge in self.judges}
        if KEY_DOUBTFUL in run.off:
            self._solves = {}

    def reading(self, likely: float) -> Iterator[Charge]:
        """One reading of a draft: every judge reviews, and solvers are asked until enough are sure."""
        yield from (Charge(review, likely=likely, most=1) for review in self._reviews)
        yield from self._solving(self.judges, likely)

    def _solving(self, solvers: Sequence[str], likely: float, after: tuple[ModelRequest, ...] = ()) -> Iterator[Charge]:
        for place, judge in enumerate(solvers):
            for solve in self._solves.get(judge, ()):
                yield Charge(solve, likely=likely if place < ENOUGH else 0.0, most=1, after=after)

    @property
    def _others(self) -> list[str]:
        """The judges that did not write the repair."""
        return [judge for judge in self.judges if judge != self.corrector]

    def repairing(self, errors: Sequence[Finding]) -> Iterator[Charge]:
        """What one repair that succeeds takes; the most is counted by `at_most`."""
        assert self.corrector is not None, "there is one where something is repaired"
        likely = [self._correction(errors, self.corrector), *self._comparisons(errors)[:1], *self._reviews]
        yield from (Charge(request, likely=1.0, step=1) for request in likely)
        yield from (replace(charge, most=0, step=1) for charge in self._solving(self._others, 1.0))

    def _comparisons(self, errors: Sequence[Finding]) -> list[ModelRequest]:
        return [ModelRequest(requests.compare_ask(self.unit, self.unit, errors, ()), judge) for judge in self._others]

    def at_most(self, errors: Sequence[Finding]) -> Iterator[Charge]:
        """The most repairs that are allowed, each with all that may be asked about it. Text from earlier replies is
        sent again and may be flagged again."""
        first = tuple(self._reviews[:1])
        if len(self.judges) > 1:
            yield from self._disputes(first)
        if self.corrector is None or not (self.judges or errors):
            return
        whole = Finding("any", "error", self.unit.id, None, "A judge may find fault with anything.")
        listed = [*errors, whole]
        correction = self._correction(listed, self.corrector)
        for before in range(self.max_attempts):
            after = first + (correction,) * (before + 1)
            yield Charge(correction, most=1, after=first + (correction,) * before, room=before + 1)
            for request in (*self._comparisons(listed), *self._reviews):
                yield Charge(request, most=1, after=after)
            yield from self._solving(self._others, 0.0, after)
            if self._others:
                yield from self._disputes(after)

    def _disputes(self, after: tuple[ModelRequest, ...]) -> Iterator[Charge]:
        """What one judge alone objects to, put to others, and what the corrector contests."""
        ask = requests.answer_ask(self.unit, ())
        yield from (Charge(ModelRequest(ask, judge), most=1, after=after) for judge in self.judges)

    def _correction(self, errors: Sequence[Finding], corrector: str) -> ModelRequest:
        return ModelRequest(requests.correction_ask(self.unit, errors, RepairNotes(1, self.max_attempts)), corrector)
