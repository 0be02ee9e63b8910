"""What people see of a refinement: the types that the workbench and the API serve."""

from __future__ import annotations

from typing import Any, Literal

from burnish.kinds.lessons.refinement.types import (
    AgreementLevel,
    JudgeConfidence,
    JudgeCriterion,
    JudgeIssue,
    JudgeRecommendation,
    RefinementPlanStatus,
    TaskPriority,
    VotingMethod,
)
from burnish.kinds.lessons.refinement.wire import Score, Wire

TaskStatus = Literal["pending", "executing", "completed", "failed"]
JudgeRole = Literal["primary", "secondary", "tiebreaker"]


class RefinementTaskDisplay(Wire):
    """One task, where it stands."""

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
    """The start score while the iteration is under way."""
    improvement: float
    tasks: tuple[RefinementTaskDisplay, ...] = ()
    sections_locked: tuple[str, ...] = ()
    duration_ms: int = 0
    tokens_used: int = 0


class TasksByPriority(Wire):
    """How many tasks of each priority."""

    critical: int = 0
    major: int = 0
    minor: int = 0


class RefinementPlanDisplay(Wire):
    """The refinement of one lesson as a whole. Counts are over all iterations so far."""

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
    """What is being done at this moment."""

    current_iteration: int
    current_task: RefinementTaskDisplay | None = None
    estimated_time_remaining_ms: int

    def as_wire(self) -> dict[str, Any]:
        """No current task is said with null, not by silence."""
        return {"currentTask": None, **super().as_wire()}


class LessonInspectorDataRefinementExtension(Wire):
    """What the inspector of a lesson shows of its refinement."""

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
    """How the panel voted, once."""

    iteration: int | None = None
    """After which iteration; None: the first judging."""
    verdicts: tuple[JudgeVerdictDisplay, ...]
    voting_method: VotingMethod
    aggregated_score: Score
    final_recommendation: JudgeRecommendation
    consensus_reached: bool
