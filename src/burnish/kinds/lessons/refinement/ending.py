"""The ending: what is delivered, under which status, and what a person should look at.

Always the best that was seen. `semi-auto` asks a person where it is not good enough, `full-auto` delivers it as best
effort; both name the five worst open issues.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from pydantic import Field

from burnish.kinds.lessons.refinement.config import HINTS, FullAutoConfig, SemiAutoConfig, reaches
from burnish.kinds.lessons.refinement.controller import RefinementIterationState, RefinementPhase, best_result
from burnish.kinds.lessons.refinement.issues import worst_first
from burnish.kinds.lessons.refinement.scoring import has_critical
from burnish.kinds.lessons.refinement.types import (
    BestEffortResult,
    IterationFeedback,
    IterationResult,
    LockReason,
    QualityStatus,
    RefinementStatus,
    StopReason,
    TargetedIssue,
)
from burnish.kinds.lessons.refinement.wire import Score, Wire

LAST_PHASE: dict[RefinementStatus, RefinementPhase] = {
    "accepted": "ACCEPTED",
    "accepted_warning": "ACCEPTED",
    "best_effort": "BEST_EFFORT",
    "escalated": "ESCALATED",
}


class RefinementResult(Wire):
    """How the refinement of one lesson ended."""

    status: RefinementStatus
    score: Score
    iteration: int | None = None
    """The iteration that is delivered; None: the lesson as it was before any repair."""
    content: Any = None
    quality_status: QualityStatus
    stop_reason: StopReason | None = None
    """None where the loop never began or was left for another reason, which `blocked` gives."""
    blocked: str | None = None
    """Why it may not be accepted whatever its score."""
    remaining_issues: tuple[TargetedIssue, ...] = ()
    improvement_hints: tuple[str, ...] = ()
    best_effort: BestEffortResult | None = None
    locked_sections: dict[str, LockReason] = Field(default_factory=dict)
    iterations: int = 0
    tokens_used: int = 0
    duration_ms: int = 0
    refinement_history: tuple[IterationFeedback, ...] = ()

    @property
    def needs_person(self) -> bool:
        return self.status in ("escalated", "best_effort")

    @property
    def message(self) -> str:
        """One line for people."""
        why = self.blocked or self.stop_reason or "nothing to refine"
        rounds = "1 iteration" if self.iterations == 1 else f"{self.iterations} iterations"
        return f"{self.status} at {self.score:.2f} after {rounds}: {why}"


def conclude(
    state: RefinementIterationState,
    config: SemiAutoConfig | FullAutoConfig,
    stop_reason: StopReason | None,
    *,
    blocked: str | None = None,
) -> RefinementResult:
    """The result. `blocked` keeps a lesson from being accepted: it has to be written again, or its judges failed."""
    best = best_result(state)
    status = status_of(best, config, blocked=blocked)
    hints = () if status == "accepted" else improvement_hints(best.remaining_issues)
    quality = quality_status(best.score, config)
    return RefinementResult(
        status=status,
        score=best.score,
        iteration=best.iteration,
        content=best.content,
        quality_status=quality,
        stop_reason=stop_reason,
        blocked=blocked or _distrust(best),
        remaining_issues=best.remaining_issues,
        improvement_hints=hints,
        best_effort=_best_effort(best, quality, hints) if status == "best_effort" else None,
        locked_sections=state.lock_reasons,
        iterations=state.iteration,
        tokens_used=state.tokens_used,
        duration_ms=state.duration_ms,
        refinement_history=state.iteration_history,
    )


def status_of(
    result: IterationResult, config: SemiAutoConfig | FullAutoConfig, *, blocked: str | None = None
) -> RefinementStatus:
    """accepted at the accept line; accepted_warning at the good-enough line without critical issues; else the rest."""
    if blocked is None and result.may_accept:
        if reaches(result.score, config.accept_threshold):
            return "accepted"
        if reaches(result.score, config.good_enough_threshold) and not has_critical(result.remaining_issues):
            return "accepted_warning"
    return "escalated" if config.escalation_enabled else "best_effort"


def quality_status(score: float, config: SemiAutoConfig | FullAutoConfig) -> QualityStatus:
    if reaches(score, config.accept_threshold):
        return "good"
    return "acceptable" if reaches(score, config.good_enough_threshold) else "below_standard"


def improvement_hints(issues: Iterable[TargetedIssue], most: int = HINTS) -> tuple[str, ...]:
    """The worst open issues, each with its place and what would settle it."""
    return tuple(_hint(issue) for issue in worst_first(issues)[:most])


def _hint(issue: TargetedIssue) -> str:
    advice = f" {issue.suggested_fix}" if issue.suggested_fix else ""
    return f"{issue.section_id} ({issue.severity}, {issue.criterion}): {issue.description}{advice}"


def _distrust(best: IterationResult) -> str | None:
    return None if best.may_accept else "The score is one judge's alone, or the judges do not trust it themselves."


def _best_effort(best: IterationResult, quality: QualityStatus, hints: tuple[str, ...]) -> BestEffortResult:
    return BestEffortResult(
        content=best.content,
        score=best.score,
        iteration=best.iteration,
        quality_status=quality,
        improvement_hints=hints,
        unresolved_issues=best.remaining_issues,
    )
