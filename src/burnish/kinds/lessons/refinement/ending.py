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
    rejected_issues: tuple[TargetedIssue, ...] = ()
    """What was raised and not worked on, because the judges agree too little."""
    needs_review: bool = False
    """The judges agree too little: a person should look at what was set aside."""
    nothing_left: bool = False
    """Whether there was nothing to repair any more when it stopped."""
    improvement_hints: tuple[str, ...] = ()
    best_effort: BestEffortResult | None = None
    locked_sections: dict[str, LockReason] = Field(default_factory=dict)
    iterations: int = 0
    tokens_used: int = 0
    duration_ms: int = 0
    refinement_history: tuple[IterationFeedback, ...] = ()

    @property
    def message(self) -> str:
        """One line for people."""
        why = self.blocked or self._stopped
        rounds = "1 iteration" if self.iterations == 1 else f"{self.iterations} iterations"
        return f"{self.status} at {self.score:.2f} after {rounds}: {'; '.join([why.rstrip('.'), *self._notes])}"

    @property
    def _stopped(self) -> str:
        if self.stop_reason == "stop_converged" and self.nothing_left:
            return "nothing is left to repair"
        return self.stop_reason or ("issues are open" if self.remaining_issues else "nothing to refine")

    @property
    def _notes(self) -> list[str]:
        """What its status alone does not say."""
        critical = sum(issue.severity == "critical" for issue in self.remaining_issues)
        notes = [f"{_counted(critical, 'critical issue')} open"] if critical else []
        if self.needs_review and self.rejected_issues:
            aside = _counted(len(self.rejected_issues), "issue")
            notes.append(f"too little agreement: {aside} set aside for a person to look at")
        return notes


def conclude(
    state: RefinementIterationState,
    config: SemiAutoConfig | FullAutoConfig,
    stop_reason: StopReason | None,
    *,
    blocked: str | None = None,
) -> RefinementResult:
    """The result. `blocked` keeps a lesson from being accepted: it has to be written again, or its judges failed."""
    best = best_result(state, config)
    status = status_of(best, config, blocked=blocked)
    hints = hints_for(best, accepted=status == "accepted")
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
        rejected_issues=best.rejected_issues,
        needs_review=best.needs_review,
        nothing_left=not state.content_history[-1].remaining_issues,
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
    """accepted at the accept line; accepted_warning at the good-enough line; else the rest.

    Neither with something critical open. What several judges call major and yet was set aside is worth a warning.
    """
    if blocked is None and result.may_accept and not result.has_critical and result.full_regenerate is None:
        if reaches(result.score, config.accept_threshold) and not result.is_disputed:
            return "accepted"
        if reaches(result.score, config.good_enough_threshold):
            return "accepted_warning"
    return "escalated" if config.escalation_enabled else "best_effort"


def quality_status(score: float, config: SemiAutoConfig | FullAutoConfig) -> QualityStatus:
    if reaches(score, config.accept_threshold):
        return "good"
    return "acceptable" if reaches(score, config.good_enough_threshold) else "below_standard"


def hints_for(best: IterationResult, *, accepted: bool) -> tuple[str, ...]:
    """What a person should look at: of an accepted lesson, only what its judges could not agree on."""
    hints = () if accepted else improvement_hints(best.remaining_issues)
    if accepted and not best.needs_review:
        return hints
    aside = (f"{hint} (set aside: too few judges agree)" for hint in improvement_hints(best.rejected_issues))
    return (*hints, *aside)[:HINTS]


def improvement_hints(issues: Iterable[TargetedIssue], most: int = HINTS) -> tuple[str, ...]:
    """The worst open issues, each with its place and what would settle it."""
    return tuple(_hint(issue) for issue in worst_first(issues)[:most])


def _hint(issue: TargetedIssue) -> str:
    said = issue.description.rstrip()
    mark = "" if said.endswith((".", "!", "?", "…")) else "."
    advice = f"{mark} {issue.suggested_fix}" if issue.suggested_fix else ""
    return f"{issue.section_id} ({issue.severity}, {issue.criterion}): {said}{advice}"


def _counted(number: int, noun: str) -> str:
    return f"1 {noun} is" if number == 1 else f"{number} {noun}s are"


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
