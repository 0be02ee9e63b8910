"""Before the panel: the first review of a lesson, and repairs of rule findings and people's notes.

The rules come first, then the cheap reader if they leave units to read, then its claims are checked against the source.
Prejudge repairs save a lesson with a few broken units: rewriting one section is cheaper than rewriting all.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Sequence
from dataclasses import asdict, replace
from itertools import accumulate, takewhile
from typing import Any

from burnish.core.edits import receipt
from burnish.core.effects import Effect, Keep, ModelRequest, Request, note
from burnish.core.findings import Finding
from burnish.core.replies import ClaimsReply, ClaimVerdictReply, SelfReviewIssuePart, SelfReviewReply
from burnish.kinds.lessons.arbiter import context_anchors, instructions
from burnish.kinds.lessons.drafts import Repair
from burnish.kinds.lessons.findings import parts
from burnish.kinds.lessons.materials import Claim, Hit, claims_of, verify_claim, verify_verdicts
from burnish.kinds.lessons.model import Lesson, LessonUnit
from burnish.kinds.lessons.progress import LessonProgress, content_sections
from burnish.kinds.lessons.refinement import (
    ContextWindow,
    FixAction,
    IssueSeverity,
    JudgeCriterion,
    SectionRefinementTask,
    TargetedIssue,
)
from burnish.kinds.lessons.repairs import repair_sections
from burnish.kinds.lessons.requests import claims_ask, review_ask, verify_ask
from burnish.kinds.lessons.router import estimated_tokens
from burnish.kinds.lessons.self_review import (
    WHOLE,
    ReviewIssue,
    SelfReview,
    following,
    misquotes,
    self_review,
    with_model,
)

READ_AT_ONCE = 24_000
"""The most characters of a lesson in one request to the reader."""
OF_WHOLE = frozenset({"ALIGNMENT", "EMPTY", "TRUNCATION"})
"""Issues about alignment and completeness go to the judges of the whole; others to their unit's window."""
TRIES = 3
"""How often an unreadable answer is requested before the rules' verdict is used alone."""


def first_review(progress: LessonProgress, earlier: SelfReview | None = None) -> Generator[Effect, Any, SelfReview]:
    """The verdict of stage 1, including the fixes of an `earlier` one. If the rules have decided, no model is
    called."""
    review = self_review(progress.lesson, progress.examine)
    reader = progress.roles.of("reviewer")
    decided = [issue for issue in review.issues if issue.severity == "CRITICAL"]
    if not decided and reader is not None:
        review = yield from _read(progress, review, reader)
    progress.flags = {}
    for issue in review.issues:
        # Issues fixed by code are gone, and units that the rules find unusable are repaired before the judging.
        if issue.severity != "FIXABLE" and issue not in decided:
            flag(progress, issue)
    review = following(review, earlier)
    yield from note("self_reviewed", **review.response().model_dump(mode="json", exclude={"patched_content"}))
    return review


def flag(progress: LessonProgress, issue: ReviewIssue) -> None:
    """Pass an issue of the first review to the judges of its criterion."""
    whose = WHOLE if issue.type in OF_WHOLE else issue.location
    progress.flags.setdefault(whose, []).append(f"{issue.type}: {issue.description}")


def _read(progress: LessonProgress, review: SelfReview, reader: str) -> Generator[Effect, Any, SelfReview]:
    """Add the reader's issues, on the lesson as fixed by code."""
    read = review
    portions = parts(review.lesson.units, READ_AT_ONCE, lambda unit: len(unit.text))
    for number, units in enumerate(portions, start=1):
        passages = progress.passages("\n".join(unit.text for unit in units))
        ask = review_ask(units, progress.context, passages, part=(number, len(portions)))
        reply = yield from _ask(progress, reader, ask, SelfReviewReply)
        if not isinstance(reply, SelfReviewReply):
            read = replace(read, degraded=True)
            break
        if misquotes(read.lesson, reply):
            again = replace(ask, max_tokens=ask.max_tokens + 200 * TRIES)
            second = yield from _ask(progress, reader, again, SelfReviewReply)
            reply = second if isinstance(second, SelfReviewReply) else reply
        read = with_model(read, reply)
        contradicted = yield from _contradictions(progress, read, reader, units)
        if contradicted is None:
            read = replace(read, degraded=True)
            break
        read = with_model(read, contradicted)
    for one in read.dropped:
        yield from note("finding_dropped", reason=one.reason, source=f"model:{reader}", issue=one.issue.model_dump())
    return read


def _ask(progress: LessonProgress, reader: str, ask: Request, shape: type) -> Generator[Effect, Any, object]:
    """An answer of the right type, or None after three attempts. Each attempt allows a few more tokens."""
    for attempt in range(TRIES):
        again = replace(ask, max_tokens=ask.max_tokens + 200 * attempt)
        [answer] = yield from progress.ask([ModelRequest(again, reader)], counted=False)
        if isinstance(answer.reply, shape):
            return answer.reply
    return None


def _contradictions(
    progress: LessonProgress, review: SelfReview, reader: str, units: Sequence[LessonUnit]
) -> Generator[Effect, Any, SelfReviewReply | None]:
    """Claims of the lesson that a passage of the source contradicts, each with that passage, as a reader's reply. None
    if the answers about claims or verdicts were unreadable."""
    nothing = SelfReviewReply(reasoning="", status="PASS", issues=())
    if progress.index is None:
        return nothing
    reply = yield from _ask(progress, reader, claims_ask(units), ClaimsReply)
    if not isinstance(reply, ClaimsReply):
        return None
    claims, dropped = claims_of(reply, review.lesson)
    for claim, reason in dropped:
        yield from note("finding_dropped", reason=reason, source=f"model:{reader}", issue=asdict(claim))
    offered: dict[Claim, Sequence[Hit]] = {claim: verify_claim(progress.index, claim) for claim in claims}
    checkable = {claim: hits for claim, hits in offered.items() if hits}
    if not checkable:
        return nothing
    verdicts = yield from _ask(progress, reader, verify_ask(checkable), ClaimVerdictReply)
    if not isinstance(verdicts, ClaimVerdictReply):
        return None
    by_text = {claim.claim: hits for claim, hits in checkable.items()}
    found = []
    for verdict in verify_verdicts(checkable, verdicts, by_text):
        yield from note(
            "claim_verified",
            verdict.claim.unit,
            claim=verdict.claim.claim,
            verdict=verdict.verdict,
            passage=verdict.passage.id if verdict.passage else None,
            doubt=verdict.doubt,
        )
        if verdict.verdict == "contradicted" and verdict.passage is not None:
            found.append(
                SelfReviewIssuePart(
                    type="HALLUCINATION",
                    severity="COMPLEX",
                    location=verdict.claim.unit,
                    description=f"{verdict.claim.claim} The passage {verdict.passage.id} says otherwise.",
                    quote=verdict.claim.quote,
                )
            )
    return SelfReviewReply(reasoning="", status="FLAG_TO_JUDGE" if found else "PASS", issues=tuple(found))


ACTIONS: tuple[FixAction, ...] = ("SURGICAL_EDIT", "REGENERATE_SECTION")
"""From the smallest to the largest."""

CRITERIA: dict[str, JudgeCriterion] = {
    "truncation": "completeness",
    "placeholder": "completeness",
    "empty_field": "completeness",
    "source_numbers": "factual_accuracy",
}
"""The criterion of each broken rule; all others belong to clarity."""


def record_source(progress: LessonProgress, units: Iterable[LessonUnit]) -> Generator[Effect, Any, None]:
    """Record the original text, before it is changed."""
    for unit in units:
        if unit.id not in progress.kept and unit.id not in progress.settled:
            findings = progress.findings(unit)
            passed = not any(finding.blocks for finding in findings)
            yield from progress.keep(Keep(unit, progress.first_cause, findings=findings, passed=passed), is_best=True)


def apply_safe_fixes(
    progress: LessonProgress, fixed: Lesson, settled: Sequence[Finding]
) -> Generator[Effect, Any, None]:
    """Apply the fixes made by code; `settled` are the findings that they settle."""
    fixed = fixed.replaced(progress.lesson.unit(id) for id in progress.settled)
    changed = [unit for unit in fixed.units if unit.content_hash != progress.lesson.unit(unit.id).content_hash]
    yield from record_source(progress, [progress.lesson.unit(unit.id) for unit in changed])
    before = progress.lesson
    progress.lesson = fixed
    for unit in changed:
        old = before.unit(unit.id)
        edits = tuple(
            {"unit": unit.id, "field": field, "find": text, "replace": unit.texts()[field]}
            for field, text in old.texts().items()
            if unit.texts()[field] != text
        )
        # Each fix was examined again, so the rules confirm that it is settled.
        gone = [finding for finding in settled if finding.unit == unit.id]
        proof = {
            **receipt(old, unit, [finding.rule for finding in gone]).as_record(),
            "action": "SAFE_FIX",
            "findings": [finding.as_wire() for finding in gone],
            "verification": {"passed": True, "reasons": [], "delta_judge": None},
        }
        findings = progress.findings(unit)
        passed = not any(finding.blocks for finding in findings)
        fix = Keep(unit, "safe_fix", findings=findings, passed=passed, edits=edits, receipt=proof)
        yield from progress.keep(fix, is_best=True)


def repair_rule_findings(progress: LessonProgress) -> Generator[Effect, Any, None]:
    """Repair broken units: first by an edit, then by writing the section again."""
    for action in ACTIONS:
        tasks = [
            _task(progress, id, [_rule_issue(one, number) for number, one in enumerate(found, start=1)], action)
            for id, found in progress.broken.items()
        ]
        if not tasks or progress.roles.of("patcher") is None or not progress.tokens_left:
            break
        yield from record_source(progress, [progress.lesson.unit(task.section_id) for task in tasks])
        yield from _in_batches(progress, tasks, by_rules=True)


def repair_notes(progress: LessonProgress) -> Generator[Effect, Any, list[str]]:
    """Carry out people's notes on units that they sent back. Returns the ids of failures."""
    open_ = [id for id in progress.notes if id in progress.lesson]
    if progress.roles.of("patcher") is None:
        return open_
    for action in ACTIONS:
        tasks = [_task(progress, id, [_note_issue(id, progress.notes[id])], action) for id in open_]
        yield from record_source(progress, [progress.lesson.unit(id) for id in open_])
        repairs = yield from _in_batches(progress, tasks, any_length=True)
        settled = {repair.before.id for repair in repairs if repair.is_kept}
        open_ = [id for id in open_ if id not in settled]
    return open_


def _in_batches(
    progress: LessonProgress,
    tasks: Sequence[SectionRefinementTask],
    *,
    by_rules: bool = False,
    any_length: bool = False,
) -> Generator[Effect, Any, list[Repair]]:
    """Run as many repairs at once as the remaining tokens allow; the rest stays open when they are used up."""
    done: list[Repair] = []
    open_ = list(tasks)
    while open_ and progress.tokens_left:
        batch = _affordable(open_, progress.tokens_left)
        del open_[: len(batch)]
        orders = [(task, task.action_type) for task in batch]
        repairs = yield from repair_sections(progress, orders, by_rules=by_rules, any_length=any_length)
        for repair in repairs:
            name = "edit_applied" if repair.is_kept else "edit_refused" if repair.after is None else "rolled_back"
            yield from note(name, repair.before.id, action=repair.action, reason=repair.failure)
        done += repairs
    return done


def _affordable(tasks: Sequence[SectionRefinementTask], tokens: int) -> list[SectionRefinementTask]:
    """The first task, and the edits after it that the tokens allow. A section is rewritten alone, because it must fit
    its neighbours."""
    edits = takewhile(lambda task: task.action_type == "SURGICAL_EDIT", tasks)
    costs = accumulate(estimated_tokens("SURGICAL_EDIT", len(task.source_issues)) for task in tasks)
    batch = [task for task, spent in zip(edits, costs, strict=False) if spent <= tokens]
    return batch or [tasks[0]]


def _rule_issue(finding: Finding, number: int) -> TargetedIssue:
    """A rule's finding as an issue of the unit."""
    severity: IssueSeverity = "critical" if finding.severity == "critical" else "major"
    advice = finding.suggestion or finding.message
    issue = _issue(f"rule-{finding.rule}-{number}", finding.unit, severity, finding.message, advice)
    criterion = CRITERIA.get(finding.rule, issue.criterion)
    changes = {"criterion": criterion, "quoted_text": finding.quote, "suggested_fix": finding.suggestion or ""}
    return issue.model_copy(update=changes)


def _note_issue(id: str, note: str) -> TargetedIssue:
    """A person's note as an issue of the unit."""
    demand = f"A reviewer sent this back: {note}"
    return _issue(f"note-{id}", id, "critical", demand, demand)


def _issue(name: str, unit: str, severity: IssueSeverity, description: str, advice: str) -> TargetedIssue:
    return TargetedIssue(
        id=name,
        criterion="clarity_readability",
        severity=severity,
        location=unit,
        description=description,
        section_id=unit,
        fix_action="SURGICAL_EDIT",
        context_window=ContextWindow(scope="section"),
        fix_instructions=advice,
    )


def _task(
    progress: LessonProgress, id: str, issues: Sequence[TargetedIssue], action: FixAction
) -> SectionRefinementTask:
    return SectionRefinementTask(
        section_id=id,
        section_title=progress.lesson.unit(id).title or id,
        action_type=action,
        synthesized_instructions=instructions(issues),
        context_anchors=context_anchors(content_sections(progress.lesson), id),
        priority=issues[0].severity,
        source_issues=tuple(issues),
    )
