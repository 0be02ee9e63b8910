"""The data for display, computed from the recorded events of one lesson: the same events give the same result.

The events may include several rounds; the latest one is shown. Events of other types are ignored.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal

from burnish.core.records import EventRecord
from burnish.kinds.lessons.events import REFINEMENT_EVENTS
from burnish.kinds.lessons.policy import Score, Wire
from burnish.kinds.lessons.refinement import (
    AgreementLevel,
    JudgeAggregatedResult,
    JudgeConfidence,
    JudgeCriterion,
    JudgeIssue,
    JudgeRecommendation,
    RefinementPlanStatus,
    TaskPriority,
    VotingMethod,
)

TaskStatus = Literal["pending", "executing", "completed", "failed"]
JudgeRole = Literal["primary", "secondary", "tiebreaker"]


class RefinementTaskDisplay(Wire):
    """One task and its state."""

    id: str
    section_id: str
    section_title: str
    action_type: Literal["SURGICAL_EDIT", "REGENERATE_SECTION"]
    priority: TaskPriority
    status: TaskStatus
    duration_ms: int | None = None
    tokens_used: int | None = None
    error_message: str | None = None


class RefinementIterationDisplay(Wire):
    """One iteration."""

    iteration: int
    start_score: Score
    end_score: Score
    """The start score until the iteration is complete."""
    improvement: float
    tasks: tuple[RefinementTaskDisplay, ...] = ()
    sections_locked: tuple[str, ...] = ()
    duration_ms: int = 0
    tokens_used: int = 0


class TasksByPriority(Wire):
    """The number of tasks of each priority."""

    critical: int = 0
    major: int = 0
    minor: int = 0


class RefinementPlanDisplay(Wire):
    """The refinement of one lesson. Counts are over all iterations so far."""

    status: RefinementPlanStatus
    agreement_score: float
    """Of the latest plan."""
    agreement_level: AgreementLevel
    total_tasks: int
    tasks_by_priority: TasksByPriority
    estimated_cost: int
    """Tokens."""
    iterations: tuple[RefinementIterationDisplay, ...] = ()
    current_iteration: int | None = None
    best_score: Score
    status_message: str | None = None


class ActiveRefinement(Wire):
    """The current activity."""

    current_iteration: int
    current_task: RefinementTaskDisplay | None = None
    estimated_time_remaining_ms: int

    def as_wire(self) -> dict[str, Any]:
        """Without a current task the field is null, not missing."""
        return {"currentTask": None, **super().as_wire()}


class LessonInspectorDataRefinementExtension(Wire):
    """The refinement data in the inspector of a lesson."""

    refinement_plan: RefinementPlanDisplay | None = None
    can_escalate: bool | None = None
    active_refinement: ActiveRefinement | None = None

    def as_wire(self) -> dict[str, Any]:
        wire = super().as_wire()
        if self.active_refinement is not None:
            wire["activeRefinement"] = self.active_refinement.as_wire()
        return wire


class JudgeVerdictDisplay(Wire):
    """One judge's verdict."""

    judge_model: str
    role: JudgeRole
    overall_score: Score
    passed: bool
    confidence: JudgeConfidence
    criteria_scores: dict[JudgeCriterion, Score]
    issues: tuple[JudgeIssue, ...] = ()
    strengths: tuple[str, ...] = ()
    recommendation: JudgeRecommendation
    tokens_used: int = 0
    duration_ms: int = 0


class CLEVVotingResult(Wire):
    """One vote of the panel."""

    iteration: int | None = None
    """The iteration before the vote; None: the first judging."""
    verdicts: tuple[JudgeVerdictDisplay, ...]
    voting_method: VotingMethod
    aggregated_score: Score
    final_recommendation: JudgeRecommendation
    consensus_reached: bool


ROLES: tuple[JudgeRole, ...] = ("primary", "secondary", "tiebreaker")

Payload = Mapping[str, Any]
Story = Sequence[tuple[str, Payload]]
"""Type and payload of every refinement event of one round, in order."""


def inspector_extension(events: Iterable[EventRecord]) -> LessonInspectorDataRefinementExtension:
    """The refinement data for the inspector of a lesson; empty if there was none."""
    story = _latest_round(events)
    start = _first(story, "refinement_start")
    if start is None:
        return LessonInspectorDataRefinementExtension()
    plan = _plan_display(story, start)
    return LessonInspectorDataRefinementExtension(
        refinement_plan=plan,
        can_escalate=start["mode"] == "semi-auto",
        active_refinement=_active(plan, start) if plan and _first(story, "refinement_complete") is None else None,
    )


def voting_results(events: Iterable[EventRecord]) -> tuple[CLEVVotingResult, ...]:
    """Every vote of the panel: the first judging, then one for each iteration that was judged again."""
    story = _latest_round(events)
    return tuple(
        voting_display(JudgeAggregatedResult.model_validate(data["clevResult"]), data.get("iteration"))
        for _, data in story
        if data.get("clevResult")
    )


def voting_display(result: JudgeAggregatedResult, iteration: int | None = None) -> CLEVVotingResult:
    verdicts = tuple(
        JudgeVerdictDisplay(role=ROLES[min(place, len(ROLES) - 1)], **verdict.model_dump(exclude={"temperature"}))
        for place, verdict in enumerate(result.verdicts)
    )
    return CLEVVotingResult(iteration=iteration, verdicts=verdicts, **result.model_dump(exclude={"verdicts"}))


def _latest_round(events: Iterable[EventRecord]) -> Story:
    known = [event for event in events if event.type in REFINEMENT_EVENTS]
    latest = max((event.data.get("round", 0) for event in known), default=0)
    story = [(event.type, event.data) for event in known if event.data.get("round", 0) == latest]
    # A lesson that was written again in this round was refined again too: only the last time counts.
    starts = [place for place, (type, _) in enumerate(story) if type == "refinement_start"]
    return story[starts[-1] :] if starts else story


def _first(story: Story, type: str) -> Payload | None:
    return next(_of(story, type), None)


def _of(story: Story, type: str) -> Iterator[Payload]:
    return (data for name, data in story if name == type)


def _plan_display(story: Story, start: Payload) -> RefinementPlanDisplay | None:
    plans = list(_of(story, "arbiter_consolidation"))
    if not plans:
        return None
    iterations = tuple(_iterations(story, plans, start["score"]))
    priorities = Counter(task.priority for iteration in iterations for task in iteration.tasks)
    over = {data["iteration"] for data in _of(story, "iteration_complete")}
    open_iterations = [plan["iteration"] for plan in plans if plan["iteration"] not in over]
    end = _first(story, "refinement_complete")
    status: RefinementPlanStatus = "EXECUTING" if _first(story, "batch_started") is not None else "PENDING"
    if end is not None:
        status = "FAILED" if end.get("blocked") else "COMPLETED"
    return RefinementPlanDisplay(
        status=status,
        agreement_score=plans[-1]["agreementScore"],
        agreement_level=plans[-1]["agreementLevel"],
        total_tasks=priorities.total(),
        tasks_by_priority=TasksByPriority.model_validate(priorities),
        estimated_cost=sum(plan["estimatedTokens"] for plan in plans),
        iterations=iterations,
        current_iteration=open_iterations[0] if open_iterations and end is None else None,
        best_score=max([start["score"], *(iteration.end_score for iteration in iterations)]),
        status_message=end["message"] if end else None,
    )


def _iterations(story: Story, plans: Iterable[Payload], score: float) -> Iterator[RefinementIterationDisplay]:
    for plan in plans:
        if not plan["tasks"] and not plan["deferred"] and plan["fullRegenerate"] is None:
            continue  # recorded only for the decisions on the issues, without tasks
        number = plan["iteration"]
        mine = [(name, data) for name, data in story if data.get("iteration") == number]
        over = _first(mine, "iteration_complete")
        tasks = tuple(_task(task, mine) for task in plan["tasks"] if task["actionType"] != "FULL_REGENERATE")
        start = over["startScore"] if over else score
        score = over["endScore"] if over else start
        yield RefinementIterationDisplay(
            iteration=number,
            start_score=start,
            end_score=score,
            improvement=round(score - start, 9),
            tasks=tasks,
            sections_locked=tuple(dict.fromkeys(data["sectionId"] for data in _of(mine, "section_locked"))),
            duration_ms=over["durationMs"] if over else sum(task.duration_ms or 0 for task in tasks),
            tokens_used=over["tokensUsed"] if over else sum(task.tokens_used or 0 for task in tasks),
        )


def _task(planned: Payload, iteration: Story) -> RefinementTaskDisplay:
    """A task after the events of its iteration."""
    mine = [(name, data) for name, data in iteration if data.get("task") == planned["task"]]
    violations = [
        data for data in _of(iteration, "quality_lock_triggered") if data["sectionId"] == planned["sectionId"]
    ]
    verdict = _first(mine, "verification_result")
    error = None
    if verdict is None:
        status: TaskStatus = "executing" if _first(mine, "task_started") is not None else "pending"
    elif verdict["passed"] and not violations:
        status = "completed"
    else:
        status = "failed"
        error = verdict.get("message") or ", ".join(verdict.get("reasons", ())) or "not verified"
    if status == "failed" and violations:
        worst = min(violations, key=lambda data: data["delta"])
        error = f"Rolled back: {worst['criterion']} fell from {worst['lockedScore']:.2f} to {worst['newScore']:.2f}."
    return RefinementTaskDisplay(
        id=planned["task"],
        section_id=planned["sectionId"],
        section_title=planned["sectionTitle"],
        action_type=planned["actionType"],
        priority=planned["priority"],
        status=status,
        duration_ms=sum(data.get("durationMs", 0) for _, data in mine) if verdict is not None else None,
        tokens_used=sum(data.get("tokensUsed", 0) for _, data in mine) if verdict is not None else None,
        error_message=error,
    )


def _active(plan: RefinementPlanDisplay, start: Payload) -> ActiveRefinement | None:
    if plan.current_iteration is None:
        return None
    tasks = [task for iteration in plan.iterations for task in iteration.tasks]
    taken = [task.duration_ms or 0 for task in tasks if task.status in ("completed", "failed")]
    waiting = [task for task in tasks if task.status in ("pending", "executing")]
    spent = sum(iteration.duration_ms for iteration in plan.iterations)
    # Until a task is finished, only the time limit bounds the remaining time.
    remaining = len(waiting) * sum(taken) // len(taken) if taken else max(0, start["timeoutMs"] - spent)
    return ActiveRefinement(
        current_iteration=plan.current_iteration,
        current_task=next((task for task in waiting if task.status == "executing"), None),
        estimated_time_remaining_ms=remaining,
    )
