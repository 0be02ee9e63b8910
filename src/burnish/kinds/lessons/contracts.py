"""The shapes of lessons that others may rely on, by name."""

from __future__ import annotations

from collections.abc import Mapping

from burnish.core.kinds import Contract

_TYPES = "burnish.kinds.lessons.refinement.types"
_DISPLAY = "burnish.kinds.lessons.refinement.display_types"

_SHAPES = "burnish.kinds.lessons.shapes"

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
    "arbiter_output": Contract("A plan of repairs, and what became of every issue.", _TYPES, "ArbiterOutput"),
    "refinement_plan": Contract("The repairs of one iteration.", _TYPES, "RefinementPlan"),
    "section_refinement_task": Contract("All that has to be done in one section.", _TYPES, "SectionRefinementTask"),
    "refinement_result": Contract(
        "How the refinement of a lesson ended.", "burnish.kinds.lessons.refinement.ending", "RefinementResult"
    ),
    "refinement_plan_display": Contract("A plan as a workbench shows it.", _DISPLAY, "RefinementPlanDisplay"),
    "lesson_inspector_data_refinement_extension": Contract(
        "A lesson in refinement_display.json.", _DISPLAY, "LessonInspectorDataRefinementExtension"
    ),
    "clev_voting_result": Contract(
        "A vote in panel_votes.json.", _DISPLAY, "CLEVVotingResult", alias="clevvoting_result"
    ),
}
