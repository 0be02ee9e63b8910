"""The files of lessons as schemas: what is read, and the lines that a run writes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from burnish.core.presentation import Contract


class Open(BaseModel):
    """What is not described here is kept untouched."""

    model_config = ConfigDict(frozen=True, extra="allow", use_attribute_docstrings=True)


class Closed(BaseModel):
    """A key that is not described here is not written."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)


class LessonSection(Open):
    """One section."""

    id: str | None = None
    """Its name everywhere. Missing or repeated: it goes by its position, and that is told."""
    title: str
    content: str
    """Markdown."""
    citations: Any = None
    burnish_ignore: tuple[str, ...] = ()
    """Rules to pass over here."""


class LessonExample(Open):
    """One example; its unit is `examples/0`."""

    title: str
    content: str
    code: Any = None
    """Never edited."""


class LessonExercise(Open):
    """One exercise; its unit is `exercises/0`."""

    question: str
    hints: tuple[str, ...] | None = ()
    solution: str
    grading_rubric: Any = None
    """Judged where it is text; of any other make it is carried along."""


class LessonContent(Open):
    """The lesson itself."""

    intro: str | None = None
    sections: tuple[LessonSection, ...] = ()
    examples: tuple[LessonExample, ...] = ()
    exercises: tuple[LessonExercise, ...] = ()
    conclusion: str | None = None


class LearningObjective(Open):
    """What a learner can do afterwards."""

    id: str
    text: str


class LessonSpec(Open):
    """What a lesson was ordered to be."""

    lesson_id: str
    title: str
    language: str
    """BCP 47."""
    difficulty: str
    content_archetype: str | None = None
    learning_objectives: tuple[LearningObjective, ...] = Field(min_length=1)
    duration_minutes: float | None = Field(default=None, gt=0)
    required_parts: tuple[Literal["intro", "sections", "examples", "exercises", "conclusion"], ...] = ()
    """Parts without which the lesson is incomplete."""


class LessonDocument(Open):
    """A whole file. The content alone is read as well."""

    lesson_id: str | None = None
    """Missing: the name of the file."""
    title: str | None = None
    language: str | None = None
    content: LessonContent
    spec: LessonSpec | None = None
    """Used where no other is given."""
    burnish_ignore: tuple[str, ...] = ()
    """Rules to pass over in the whole lesson."""


class JudgementRow(Closed):
    """What judges and rules say of a unit as it stands."""

    unit: str
    state: str
    reason: str | None
    attempt: int
    """The attempt that stands."""
    scores: dict[str, float]
    """Criterion -> score."""
    findings: tuple[dict[str, Any], ...]


class RefinementTry(Closed):
    """One repair that was tried on a unit."""

    attempt: int
    cause: Literal["safe_fix", "model", "review", "person"]
    stands: bool
    """Whether it is in the text that is kept."""
    rolled_back: bool
    """Whether it was taken at first, and taken back when the judges found that something got worse."""
    failure: str | None
    """Why it was not taken."""
    edits: tuple[dict[str, Any], ...]
    receipt: dict[str, Any] | None
    """As in receipt.json."""
    tokens: int


class RefinementRow(Closed):
    """Every repair that was tried on a unit."""

    unit: str
    repairs: tuple[RefinementTry, ...]


_TYPES = "burnish.kinds.lessons.refinement.types"
_DISPLAY = "burnish.kinds.lessons.refinement.display"

_SHAPES = "burnish.kinds.lessons.schemas"

CONTRACTS: Mapping[str, Contract] = {
    "lesson": Contract("A lesson as JSON.", _SHAPES, "LessonDocument"),
    "lesson_spec": Contract("What a lesson was ordered to be.", _SHAPES, "LessonSpec"),
    "judgement_row": Contract("A line of judgements.jsonl.", _SHAPES, "JudgementRow"),
    "refinement_row": Contract("A line of refinements.jsonl.", _SHAPES, "RefinementRow"),
    "self_review_response": Contract(
        "The verdict of stage 1 on a lesson.", "burnish.kinds.lessons.self_review", "SelfReviewResponse"
    ),
    "judge_verdict": Contract("What one judge thinks of a lesson.", _TYPES, "JudgeVerdict"),
    "judge_aggregated_result": Contract("The word of a panel of judges.", _TYPES, "JudgeAggregatedResult"),
    "arbiter_output": Contract(
        "A plan of repairs, and which issues were accepted or rejected.", _TYPES, "ArbiterOutput"
    ),
    "refinement_plan": Contract("The repairs of one iteration.", _TYPES, "RefinementPlan"),
    "section_refinement_task": Contract("All that has to be done in one section.", _TYPES, "SectionRefinementTask"),
    "refinement_result": Contract(
        "How the refinement of a lesson ended.", "burnish.kinds.lessons.refinement.controller", "RefinementResult"
    ),
    "refinement_plan_display": Contract("A plan as a workbench shows it.", _DISPLAY, "RefinementPlanDisplay"),
    "lesson_inspector_data_refinement_extension": Contract(
        "A lesson in refinement_display.json.", _DISPLAY, "LessonInspectorDataRefinementExtension"
    ),
    "clev_voting_result": Contract(
        "A vote in panel_votes.json.", _DISPLAY, "CLEVVotingResult", alias="clevvoting_result"
    ),
}
