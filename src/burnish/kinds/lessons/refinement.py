"""The types of targeted refinement, with the names of the wire: verdicts, issues, tasks, plans, results.

The decisions made with them are pure, one module each: `verdicts` turns what the judges said into one result of the
panel (CLEV), `arbiter` turns a result into a plan, `router` picks the repair of each task and the batches, `verify`
decides whether a repair is kept, `controller` decides whether to stop. `events` is what is journalled, `display` what
people see.
"""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from burnish.core.replies import Confidence, Criterion
from burnish.kinds.lessons.policy import OperationMode, Score, Wire

IssueSeverity = Literal["critical", "major", "minor"]
TaskPriority = IssueSeverity
JudgeConfidence = Confidence
JudgeCriterion = Criterion
JudgeRecommendation = Literal["ACCEPT", "ACCEPT_WITH_MINOR_REVISION", "ITERATIVE_REFINEMENT", "REGENERATE", "ESCALATE"]
VotingMethod = Literal["unanimous", "majority", "tiebreaker"]
FixAction = Literal["SURGICAL_EDIT", "REGENERATE_SECTION", "FULL_REGENERATE"]
ContextScope = Literal["paragraph", "section", "global"]
RefinementPlanStatus = Literal["PENDING", "EXECUTING", "COMPLETED", "FAILED"]
RefinementStatus = Literal["accepted", "accepted_warning", "best_effort", "escalated"]
QualityStatus = Literal["good", "acceptable", "below_standard"]
AgreementLevel = Literal["high", "moderate", "low"]
Executor = Literal["patcher", "section-expander", "planner"]
StopReason = Literal[
    "continue_more_tasks",
    "stop_converged",
    "stop_max_iterations",
    "stop_token_budget",
    "stop_timeout",
    "stop_all_sections_locked",
    "stop_score_threshold_met",
]
LockReason = Literal["max_edits", "regression", "oscillation"]

SEVERITIES: tuple[IssueSeverity, ...] = ("critical", "major", "minor")
"""Worst first."""

LESSON = "lesson"
"""The unit that stands for the lesson as a whole: the outline's judgement, a global task."""


class JudgeIssue(Wire):
    """One thing that a judge holds against a lesson."""

    criterion: JudgeCriterion
    severity: IssueSeverity
    """Impact on the score: critical more than .2, major .1 to .2, minor less."""
    location: str
    description: str
    quoted_text: str | None = None
    suggested_fix: str = ""


class JudgeVerdict(Wire):
    """What one judge thinks of the whole lesson. The overall score is computed from the criteria."""

    overall_score: Score
    passed: bool
    """No critical issue, and the score meets the threshold for minor revision."""
    confidence: JudgeConfidence
    criteria_scores: dict[JudgeCriterion, Score]
    issues: tuple[JudgeIssue, ...] = ()
    strengths: tuple[str, ...] = ()
    recommendation: JudgeRecommendation
    judge_model: str
    temperature: float = 0.0
    tokens_used: int = 0
    duration_ms: int = 0


class JudgeAggregatedResult(Wire):
    """The panel's word."""

    verdicts: tuple[JudgeVerdict, ...] = Field(min_length=1, max_length=5)
    aggregated_score: Score
    final_recommendation: JudgeRecommendation
    voting_method: VotingMethod
    consensus_reached: bool

    @property
    def may_accept(self) -> bool:
        """A lone verdict, and one that the judges themselves do not trust, never accepts."""
        return len(self.verdicts) > 1 and self.final_recommendation != "ESCALATE"

    @property
    def is_split(self) -> bool:
        """Whether two judges disagree and no third has settled it."""
        return len(self.verdicts) == 2 and not self.consensus_reached

    @property
    def split_message(self) -> str:
        scores = " and ".join(f"{verdict.overall_score:.2f}" for verdict in self.verdicts)
        return f"The two judges disagree ({scores}), and there is no third judge to decide."


class ContextWindow(Wire):
    """How much of the section a fix has to see."""

    start_quote: str | None = None
    end_quote: str | None = None
    scope: ContextScope


class TargetedIssue(JudgeIssue):
    """An issue with an address and a way to mend it."""

    id: str
    section_id: str
    """A unit's id, or `lesson` where it concerns the whole."""
    fix_action: FixAction
    context_window: ContextWindow
    fix_instructions: str
    judges: tuple[str, ...] = ()
    """Every judge that raises it."""


class ContextAnchors(Wire):
    """The ends of the neighbours, so that a repaired section still fits between them."""

    prev_section_end: str | None = None
    next_section_start: str | None = None


class SectionRefinementTask(Wire):
    """All that has to be done in one section."""

    section_id: str
    section_title: str
    action_type: FixAction
    synthesized_instructions: str
    context_anchors: ContextAnchors = ContextAnchors()
    priority: TaskPriority
    source_issues: tuple[TargetedIssue, ...] = Field(min_length=1)

    @property
    def criteria(self) -> frozenset[Criterion]:
        return frozenset(issue.criterion for issue in self.source_issues)


class ConflictResolution(Wire):
    """Two demands on the same words, and which one won."""

    issue1: TargetedIssue
    """The winner."""
    issue2: TargetedIssue
    """The loser: kept as a constraint."""
    resolution: str


class IterationFeedback(Wire):
    """What an earlier iteration was told, and what it scored."""

    feedback: str
    score: Score


class FixRecommendation(Wire):
    """What to mend and what to leave alone."""

    issues: tuple[TargetedIssue, ...] = ()
    sections_to_preserve: tuple[str, ...] = ()
    sections_to_modify: tuple[str, ...] = ()
    preserve_terminology: tuple[str, ...] = ()
    iteration_history: tuple[IterationFeedback, ...] = ()


class RefinementPlan(FixRecommendation):
    """The work of one iteration."""

    status: RefinementPlanStatus = "PENDING"
    tasks: tuple[SectionRefinementTask, ...] = ()
    agreement_score: float
    conflict_resolutions: tuple[ConflictResolution, ...] = ()
    execution_batches: tuple[tuple[SectionRefinementTask, ...], ...] = ()
    """The tasks of one batch may run together; the next batch waits for them."""


class LessonContentSection(Wire):
    """A unit of the lesson as the arbiter sees it."""

    id: str
    title: str | None = None
    content: str


class ArbiterInput(Wire):
    """What the arbiter decides on."""

    clev_result: JudgeAggregatedResult
    content_sections: tuple[LessonContentSection, ...]
    """Every unit, in reading order."""
    operation_mode: OperationMode


class RejectedIssue(Wire):
    """Why an issue is not worked on."""

    issue_id: str
    reason: Literal["too_few_judges", "low_agreement"]


class ArbiterOutput(Wire):
    """The plan, and which issues were accepted or rejected."""

    plan: RefinementPlan
    agreement_score: float
    """Krippendorff's alpha; 0 where there is only one verdict."""
    agreement_interval: tuple[float, float] | None = None
    """95 % bootstrap interval of alpha."""
    agreement_level: AgreementLevel
    accepted_issues: tuple[TargetedIssue, ...]
    """Also those that no task of the plan works on, because their section is locked or they lost a conflict."""
    rejected_issues: tuple[TargetedIssue, ...]
    rejections: tuple[RejectedIssue, ...] = ()
    """One for every rejected issue."""
    needs_review: bool = False
    """The judges agree too little: a person should look at what was rejected."""
    full_regenerate: str | None = None
    """Why the lesson has to be written again as a whole; None where it need not."""


class RouterDecision(Wire):
    """Who mends a task, and what it will cost."""

    task: SectionRefinementTask
    action: FixAction
    executor: Executor
    estimated_tokens: int
    reason: str


class DeltaJudgeInput(Wire):
    """What the delta judge compares."""

    original_content: str
    patched_content: str
    addressed_issue: TargetedIssue
    context_anchors: ContextAnchors


class DeltaJudgeResult(Wire):
    """Whether a repair settled its issue. No answer is no success."""

    passed: bool
    confidence: JudgeConfidence
    reasoning: str
    new_issues: tuple[JudgeIssue, ...] = ()
    tokens_used: int = 0
    duration_ms: int = 0


class QualityLockViolation(Wire):
    """Something that was good got worse."""

    criterion: JudgeCriterion
    locked_score: Score
    new_score: Score
    """0 where the criterion was not scored any more."""
    delta: float
    section_id: str


class UniversalReadabilityMetrics(Wire):
    """Measures that mean the same in every language."""

    avg_sentence_length: float
    """Words."""
    avg_word_length: float
    """Characters."""
    paragraph_break_ratio: float
    """Paragraphs for each sentence."""


class IterationResult(Wire):
    """One iteration's result, after its sections were judged again; the first judging is one without repairs."""

    iteration: int | None = Field(default=None, ge=0)
    """0, 1, 2; None: the lesson as it was before the first repair."""
    score: Score
    content: Any
    """JSON-ready: the lesson's content, or whatever finds it again."""
    remaining_issues: tuple[TargetedIssue, ...] = ()
    rejected_issues: tuple[TargetedIssue, ...] = ()
    """What was raised and not worked on, because the judges agree too little."""
    needs_review: bool = False
    full_regenerate: str | None = None
    """Why this version has to be written again as a whole."""
    may_accept: bool = True
    """False where a lone judge, or judges without confidence, gave the score."""
    criteria: dict[JudgeCriterion, Score] = Field(default_factory=dict)
    section_scores: dict[str, Score] = Field(default_factory=dict)
    """The new scores of the sections that were judged."""
    edited: tuple[str, ...] = ()
    """Sections whose text an edit changed, also where it was rolled back later."""
    regressed: tuple[str, ...] = ()
    """Sections that were rolled back because something good got worse."""
    feedback: str = ""
    """What the repairs were told to do."""
    tokens: int = 0
    duration_ms: int = 0

    @property
    def has_critical(self) -> bool:
        return any(issue.severity == "critical" for issue in self.remaining_issues)


class BestEffortResult(Wire):
    """The best version, where none met the threshold."""

    content: Any
    score: Score
    iteration: int | None = None
    quality_status: QualityStatus
    improvement_hints: tuple[str, ...] = ()
    unresolved_issues: tuple[TargetedIssue, ...] = ()
