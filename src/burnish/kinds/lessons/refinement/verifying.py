"""The verifier: does a repair stand? Whatever is missing, unreadable or in doubt means that it does not.

Code looks first (length, readability), because it is free; then the delta judge; and after the iteration the section is
really judged again, and what was good must still be good.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from burnish.core.replies import DeltaReply
from burnish.core.scores import is_number
from burnish.kinds.lessons.refinement.config import LENGTH_TOLERANCE, LOCK_LINE, REGRESSION_TOLERANCE, exceeds, reaches
from burnish.kinds.lessons.refinement.readability import readability_regressions
from burnish.kinds.lessons.refinement.scoring import SectionJudgement, judge_issue, unit_scores
from burnish.kinds.lessons.refinement.types import (
    DeltaJudgeResult,
    JudgeCriterion,
    JudgeIssue,
    QualityLockViolation,
    SectionRefinementTask,
)


@dataclass(frozen=True, slots=True)
class Verification:
    """Whether a repair stands, and every reason why not."""

    passed: bool
    reasons: tuple[str, ...] = ()
    """`length_change`, `readability:<measure>`, `not_verified`, `own_work` (nobody but its writer could
    verify it), `issue_not_settled`, `low_confidence`, `new_issue`."""
    new_issues: tuple[JudgeIssue, ...] = ()
    tokens_used: int = 0
    duration_ms: int = 0


def length_refusal(
    before: str, after: str, *, may_grow: bool = False, tolerance: float = LENGTH_TOLERANCE
) -> str | None:
    """`length_change` where a repair makes the text more than 10 % longer or shorter; an empty text may be filled.

    `may_grow`: something was missing, so that the text has to become longer.
    """
    if not before.strip() or (may_grow and len(after) >= len(before)):
        return None
    change = abs(len(after) - len(before)) / len(before)
    return "length_change" if exceeds(change, tolerance) else None


def may_grow(task: SectionRefinementTask) -> bool:
    """A section that is written anew may be longer than the old one if it was incomplete."""
    return task.action_type == "REGENERATE_SECTION" and "completeness" in task.criteria


def text_reasons(task: SectionRefinementTask, before: str, after: str) -> tuple[str, ...]:
    """What code alone has against a repair. Ask no model where this is not empty."""
    length = length_refusal(before, after, may_grow=may_grow(task))
    measures = tuple(f"readability:{name}" for name in readability_regressions(before, after))
    return ((length,) if length else ()) + measures


def delta_result(reply: DeltaReply, unit: str, *, tokens: int = 0, ms: int = 0) -> DeltaJudgeResult:
    """The delta judge's reply about a repair in `unit`."""
    return DeltaJudgeResult(
        passed=reply.passed,
        confidence=reply.confidence,
        reasoning=reply.reasoning,
        new_issues=tuple(judge_issue(part, unit) for part in reply.newIssues),
        tokens_used=tokens,
        duration_ms=ms,
    )


def delta_failed(reason: str, *, tokens: int = 0, ms: int = 0) -> DeltaJudgeResult:
    """What stands in for a delta judge that failed or could not be read: NOT verified."""
    return DeltaJudgeResult(passed=False, confidence="low", reasoning=reason, tokens_used=tokens, duration_ms=ms)


def verify_repair(results: Sequence[DeltaJudgeResult], reasons: Iterable[str] = ()) -> Verification:
    """The verdict on a repair from the delta judge's results (none: not verified) and from what code found before."""
    found = [*reasons]
    if not results and not found:
        found.append("not_verified")
    new_issues = tuple(issue for result in results for issue in result.new_issues)
    if any(not result.passed for result in results):
        found.append("issue_not_settled")
    if any(result.confidence == "low" for result in results):
        found.append("low_confidence")
    if any(issue.severity != "minor" for issue in new_issues):
        found.append("new_issue")
    return Verification(
        passed=not found,
        reasons=tuple(dict.fromkeys(found)),
        new_issues=new_issues,
        tokens_used=sum(result.tokens_used for result in results),
        duration_ms=sum(result.duration_ms for result in results),
    )


def quality_locks(
    scores: Mapping[JudgeCriterion, float], held: Mapping[JudgeCriterion, float] | None = None
) -> dict[JudgeCriterion, float]:
    """The criteria that are good enough to be defended, each at the best score that was seen."""
    locks = dict(held or {})
    for criterion, score in scores.items():
        if is_number(score) and reaches(score, LOCK_LINE):
            locks[criterion] = max(score, locks.get(criterion, 0.0))
    return locks


def lock_violations(
    locks: Mapping[JudgeCriterion, float], scores: Mapping[JudgeCriterion, float], section_id: str
) -> tuple[QualityLockViolation, ...]:
    """Every locked criterion that fell by more than .05, or that is not scored any more."""
    found: list[QualityLockViolation] = []
    for criterion, locked in locks.items():
        new = scores.get(criterion)
        score = float(new) if is_number(new) else 0.0
        if exceeds(locked - score, REGRESSION_TOLERANCE):
            found.append(
                QualityLockViolation(
                    criterion=criterion,
                    locked_score=locked,
                    new_score=score,
                    delta=round(score - locked, 9),
                    section_id=section_id,
                )
            )
    return tuple(found)


def section_violations(
    before: Iterable[SectionJudgement], after: Iterable[SectionJudgement], unit: str
) -> tuple[QualityLockViolation, ...]:
    """What got worse in one unit, by the judges that read it both times. Read by nobody again: all of it."""
    old, new = [one for one in before if one.unit == unit], [one for one in after if one.unit == unit]
    both = {one.judge for one in old} & {one.judge for one in new}
    judges: Collection[str] = both or {one.judge for one in old}
    locks = quality_locks(unit_scores((one for one in old if one.judge in judges), unit))
    return lock_violations(locks, unit_scores((one for one in new if one.judge in judges), unit), unit)
