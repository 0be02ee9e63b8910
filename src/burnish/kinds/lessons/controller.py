"""The iteration controller: the changes of an iteration, the locked sections, and whether to continue.

The reasons to stop, in the order in which they are checked:

    stop_score_threshold_met   the best result reaches the mode's accept line and may be accepted; not with an
                               open critical issue, or if it has to be written again
    stop_max_iterations        three iterations are done
    stop_token_budget          the tokens for repair and verification are used up
    stop_timeout               the time is used up
    stop_all_sections_locked   every section with an open issue is locked
    stop_converged             the score moved by less than .02 twice in a row, or there is nothing left to repair
    continue_more_tasks        none of these

The best version so far is delivered. Below the threshold, `semi-auto` sends it to review and `full-auto` publishes it
as best effort; both name the five worst open issues.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from itertools import pairwise
from typing import Any, Literal

from pydantic import Field

from burnish.core.attempts import oscillates
from burnish.core.errors import StateCorrupt
from burnish.kinds.lessons.arbiter import worst_first
from burnish.kinds.lessons.policy import (
    CONVERGENCE_STEP,
    HINTS,
    MAX_EDITS,
    OSCILLATION_STEP,
    RefinementConfig,
    Score,
    Wire,
    reaches,
)
from burnish.kinds.lessons.refinement import (
    BestEffortResult,
    IterationFeedback,
    IterationResult,
    JudgeCriterion,
    LockReason,
    QualityStatus,
    RefinementStatus,
    StopReason,
    TargetedIssue,
)
from burnish.kinds.lessons.verify import quality_locks

RefinementPhase = Literal[
    "IDLE",
    "ARBITER_CONSOLIDATING",
    "ITERATION_STARTING",
    "BATCH_EXECUTING",
    "BATCH_VERIFYING",
    "CONVERGENCE_CHECKING",
    "FINALIZING",
    "ACCEPTED",
    "BEST_EFFORT",
    "ESCALATED",
]

PHASES: Mapping[RefinementPhase, frozenset[RefinementPhase]] = {
    "IDLE": frozenset({"ARBITER_CONSOLIDATING", "FINALIZING"}),
    "ARBITER_CONSOLIDATING": frozenset({"ITERATION_STARTING", "FINALIZING"}),
    "ITERATION_STARTING": frozenset({"BATCH_EXECUTING", "FINALIZING"}),
    "BATCH_EXECUTING": frozenset({"BATCH_VERIFYING"}),
    "BATCH_VERIFYING": frozenset({"BATCH_EXECUTING", "CONVERGENCE_CHECKING"}),
    "CONVERGENCE_CHECKING": frozenset({"ITERATION_STARTING", "ARBITER_CONSOLIDATING", "FINALIZING"}),
    "FINALIZING": frozenset({"ACCEPTED", "BEST_EFFORT", "ESCALATED"}),
    "ACCEPTED": frozenset(),
    "BEST_EFFORT": frozenset(),
    "ESCALATED": frozenset(),
}
"""The possible next phases of each phase. A lesson that was judged again is consolidated again."""


class RefinementIterationState(Wire):
    """The controller's whole state. It is journalled, and reading it back gives the same decisions."""

    phase: RefinementPhase = "IDLE"
    iteration: int = 0
    """The number of completed iterations, and of the current one."""
    score_history: tuple[Score, ...]
    """The score of the first judging, then of each iteration."""
    content_history: tuple[IterationResult, ...]
    """The same for contents: the first one is the lesson before any repair."""
    locked_sections: tuple[str, ...] = ()
    section_edit_count: dict[str, int] = Field(default_factory=dict)
    quality_locks: dict[JudgeCriterion, Score] = Field(default_factory=dict)
    lock_reasons: dict[str, LockReason] = Field(default_factory=dict)
    section_scores: dict[str, tuple[Score, ...]] = Field(default_factory=dict)
    """Each section's scores, from first to last, to detect oscillation."""
    iteration_history: tuple[IterationFeedback, ...] = ()
    tokens_used: int = 0
    duration_ms: int = 0

    @property
    def score(self) -> float:
        return self.score_history[-1]


def start(result: IterationResult) -> RefinementIterationState:
    """The state after the first judging."""
    return RefinementIterationState(
        score_history=(result.score,),
        content_history=(result,),
        quality_locks=quality_locks(result.criteria),
        section_scores={section: (score,) for section, score in result.section_scores.items()},
        tokens_used=result.tokens,
        duration_ms=result.duration_ms,
    )


def moved(state: RefinementIterationState, phase: RefinementPhase) -> RefinementIterationState:
    """The state in its next phase. A move that is not in `PHASES` is a bug."""
    if phase not in PHASES[state.phase]:
        raise StateCorrupt(f"Refinement cannot go from {state.phase} to {phase}.")
    return state.model_copy(update={"phase": phase})


def with_iteration(state: RefinementIterationState, result: IterationResult) -> RefinementIterationState:
    """The state after one more iteration, with its locks."""
    edits = dict(state.section_edit_count)
    for section in set(result.edited):
        edits[section] = edits.get(section, 0) + 1
    scores = dict(state.section_scores)
    for section, score in result.section_scores.items():
        scores[section] = (*scores.get(section, ()), score)
    # Sections that must not be edited again. A regression takes precedence over an oscillation, and that over a count.
    locks: dict[str, LockReason] = {section: "max_edits" for section, count in edits.items() if count >= MAX_EDITS}
    for section, history in scores.items():
        if oscillates([round(score, 9) for score in history], step=OSCILLATION_STEP + 1e-9):
            locks[section] = "oscillation"
    reasons = {**locks, **dict.fromkeys(result.regressed, "regression"), **state.lock_reasons}
    return RefinementIterationState(
        phase=state.phase,
        iteration=state.iteration + 1,
        score_history=(*state.score_history, result.score),
        content_history=(*state.content_history, result.model_copy(update={"iteration": state.iteration})),
        locked_sections=tuple(sorted(reasons)),
        section_edit_count=edits,
        quality_locks=quality_locks(result.criteria, state.quality_locks),
        lock_reasons=reasons,
        section_scores=scores,
        iteration_history=(*state.iteration_history, IterationFeedback(feedback=result.feedback, score=result.score)),
        tokens_used=state.tokens_used + result.tokens,
        duration_ms=state.duration_ms + result.duration_ms,
    )


def with_second_reading(state: RefinementIterationState, place: int, read: IterationResult) -> RefinementIterationState:
    """The state after a version was read again as a whole: its score and its open issues are replaced."""
    scores, results = list(state.score_history), list(state.content_history)
    scores[place] = read.score
    results[place] = results[place].model_copy(update={name: getattr(read, name) for name in READ_ANEW})
    return state.model_copy(update={"score_history": tuple(scores), "content_history": tuple(results)})


READ_ANEW = (
    *("score", "remaining_issues", "rejected_issues", "needs_review"),
    *("full_regenerate", "may_accept", "criteria"),
)


def has_converged(scores: tuple[float, ...]) -> bool:
    """Whether the last two changes were both smaller than .02."""
    changes = [abs(after - before) for before, after in pairwise(scores[-3:])]
    return len(changes) == 2 and not any(reaches(change, CONVERGENCE_STEP) for change in changes)


def limit_reached(
    state: RefinementIterationState, config: RefinementConfig, *, tokens: int = 0, duration_ms: int = 0
) -> StopReason | None:
    """The limit that is reached after the current iteration used `tokens` and `duration_ms`."""
    if state.tokens_used + tokens >= config.limits.max_total_tokens:
        return "stop_token_budget"
    return "stop_timeout" if state.duration_ms + duration_ms >= config.limits.timeout_ms else None


def tokens_left(state: RefinementIterationState, config: RefinementConfig) -> int:
    return max(0, config.limits.max_total_tokens - state.tokens_used)


def decide(state: RefinementIterationState, config: RefinementConfig, *, open_sections: Collection[str]) -> StopReason:
    """Whether to continue, or why not. `open_sections`: the units (or `lesson`) with an accepted issue."""
    best = best_result(state, config)
    if best.may_accept and reaches(best.score, config.accept_threshold) and _is_sound(best):
        return "stop_score_threshold_met"
    if state.iteration >= config.limits.max_iterations:
        return "stop_max_iterations"
    if (limit := limit_reached(state, config)) is not None:
        return limit
    if open_sections and set(open_sections) <= set(state.locked_sections):
        return "stop_all_sections_locked"
    if not open_sections or has_converged(state.score_history):
        return "stop_converged"
    return "continue_more_tasks"


def best_result(state: RefinementIterationState, config: RefinementConfig) -> IterationResult:
    """The content with the best score, the earliest of equals; the lesson before any repair is one of them.

    Content that reaches a line of the mode without an open critical issue comes first, whatever the scores.
    """

    def merit(result: IterationResult) -> tuple[bool, float]:
        return reaches(result.score, config.good_enough_threshold) and _is_sound(result), round(result.score, 9)

    return max(state.content_history, key=merit)


def _is_sound(result: IterationResult) -> bool:
    """Whether it has no fault that blocks whatever the score."""
    return not result.has_critical and result.full_regenerate is None


LAST_PHASE: dict[RefinementStatus, RefinementPhase] = {
    "accepted": "ACCEPTED",
    "accepted_warning": "ACCEPTED",
    "best_effort": "BEST_EFFORT",
    "escalated": "ESCALATED",
}


class RefinementResult(Wire):
    """The result of the refinement of one lesson."""

    status: RefinementStatus
    score: Score
    iteration: int | None = None
    """The iteration that is delivered; None: the lesson before any repair."""
    content: Any = None
    quality_status: QualityStatus
    stop_reason: StopReason | None = None
    """None if the loop did not start or ended for another reason, given in `blocked`."""
    blocked: str | None = None
    """Why it must not be accepted whatever its score."""
    disagreement: str | None = None
    """The disagreement of its judges, if no third judge settled it."""
    remaining_issues: tuple[TargetedIssue, ...] = ()
    rejected_issues: tuple[TargetedIssue, ...] = ()
    """Issues that were not worked on, because the judges agree too little."""
    needs_review: bool = False
    """Whether the judges agree too little, so that a person should look at the rejected issues."""
    nothing_left: bool = False
    """Whether nothing was left to repair when it stopped."""
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
        why = self.blocked or self.stop_reason or ("issues are open" if self.remaining_issues else "nothing to refine")
        if not self.blocked and self.stop_reason == "stop_converged" and self.nothing_left:
            why = "nothing is left to repair"
        rounds = "1 iteration" if self.iterations == 1 else f"{self.iterations} iterations"
        # Information that is not in the status.
        notes = [why.rstrip(".")]
        if critical := sum(issue.severity == "critical" for issue in self.remaining_issues):
            notes.append(f"{_counted(critical, 'critical issue')} open")
        if self.needs_review and self.rejected_issues:
            aside = _counted(len(self.rejected_issues), "issue")
            notes.append(f"too little agreement: {aside} set aside for a person to look at")
        if self.disagreement and self.disagreement != self.blocked:
            notes.append(self.disagreement.rstrip("."))
        return f"{self.status} at {self.score:.2f} after {rounds}: {'; '.join(notes)}"


UNTRUSTED = "The score is one judge's alone, or the judges do not trust it themselves."


def conclude(
    state: RefinementIterationState,
    config: RefinementConfig,
    stop_reason: StopReason | None,
    *,
    blocked: str | None = None,
    disagreement: str | None = None,
) -> RefinementResult:
    """The result. `blocked`: it must not be accepted, because it has to be written again, or its judges failed."""
    best = best_result(state, config)
    status = status_of(best, config, blocked=blocked)
    # The issues for a person: of an accepted lesson, only those on which its judges disagree.
    hints = () if status == "accepted" else improvement_hints(best.remaining_issues)
    if status != "accepted" or best.needs_review:
        aside = (f"{hint} (set aside: too few judges agree)" for hint in improvement_hints(best.rejected_issues))
        hints = (*hints, *aside)[:HINTS]
    shared: dict[str, Any] = {
        "score": best.score,
        "iteration": best.iteration,
        "content": best.content,
        "quality_status": quality_status(best.score, config),
        "improvement_hints": hints,
    }
    effort = BestEffortResult(**shared, unresolved_issues=best.remaining_issues)
    return RefinementResult(
        **shared,
        status=status,
        stop_reason=stop_reason,
        blocked=blocked or (None if best.may_accept else UNTRUSTED),
        disagreement=disagreement,
        remaining_issues=best.remaining_issues,
        rejected_issues=best.rejected_issues,
        needs_review=best.needs_review,
        nothing_left=not state.content_history[-1].remaining_issues,
        best_effort=effort if status == "best_effort" else None,
        locked_sections=state.lock_reasons,
        iterations=state.iteration,
        tokens_used=state.tokens_used,
        duration_ms=state.duration_ms,
        refinement_history=state.iteration_history,
    )


def status_of(result: IterationResult, config: RefinementConfig, *, blocked: str | None = None) -> RefinementStatus:
    """accepted at the accept line; accepted_warning at the good-enough line; otherwise the rest.

    Neither with an open critical issue. A major issue of several judges that was rejected gives a warning.
    """
    if blocked is None and result.may_accept and _is_sound(result):
        is_disputed = any(issue.severity == "major" and len(issue.judges) > 1 for issue in result.rejected_issues)
        if reaches(result.score, config.accept_threshold) and not is_disputed:
            return "accepted"
        if reaches(result.score, config.good_enough_threshold):
            return "accepted_warning"
    return "escalated" if config.escalation_enabled else "best_effort"


def quality_status(score: float, config: RefinementConfig) -> QualityStatus:
    if reaches(score, config.accept_threshold):
        return "good"
    return "acceptable" if reaches(score, config.good_enough_threshold) else "below_standard"


def improvement_hints(issues: Iterable[TargetedIssue]) -> tuple[str, ...]:
    """The worst open issues, each with its place and suggested fix."""
    hints = []
    for issue in worst_first(issues)[:HINTS]:
        said = issue.description.rstrip()
        mark = "" if said.endswith((".", "!", "?", "…")) else "."
        advice = f"{mark} {issue.suggested_fix}" if issue.suggested_fix else ""
        hints.append(f"{issue.section_id} ({issue.severity}, {issue.criterion}): {said}{advice}")
    return tuple(hints)


def _counted(number: int, noun: str) -> str:
    return f"1 {noun} is" if number == 1 else f"{number} {noun}s are"
