"""Lessons from Python: the stages one by one, or all of them.

    review = await burnish.lessons.review("lesson.json", "spec.json", ["source.md"], model="openai:gpt-5-mini")
    judged = await burnish.lessons.judge("lesson.json", "spec.json", judges=["openai:gpt-5", "ollama:qwen3"])
    plan = burnish.lessons.arbitrate("lesson.json", judged).plan
    result = await burnish.lessons.refine("lesson.json", "spec.json", model=..., judges=[...], mode="full-auto")
    result.status, result.score, result.content

    async for event in burnish.lessons.refine_events("lesson.json", "spec.json", model=..., judges=[...]):
        print(event.type, event.unit)        # the last event carries the result

A lesson is a path, a text of several lines, the contract's JSON as a mapping, or a Lesson; a model is a
`provider:model` string, or anything with a `send` method, such as a ScriptedModel.
"""

from burnish.app.lesson_calls import RefinementEvent, arbitrate, judge, refine, refine_events, review
from burnish.kinds.lessons.controller import RefinementResult
from burnish.kinds.lessons.model import Lesson, LessonUnit, Objective, Spec
from burnish.kinds.lessons.policy import RefinementLimits
from burnish.kinds.lessons.refinement import (
    ArbiterOutput,
    BestEffortResult,
    JudgeAggregatedResult,
    JudgeIssue,
    JudgeVerdict,
    RefinementPlan,
    SectionRefinementTask,
    TargetedIssue,
)
from burnish.kinds.lessons.self_review import ReviewIssue, SelfReviewResponse

__all__ = [
    "ArbiterOutput",
    "BestEffortResult",
    "JudgeAggregatedResult",
    "JudgeIssue",
    "JudgeVerdict",
    "Lesson",
    "LessonUnit",
    "Objective",
    "RefinementEvent",
    "RefinementLimits",
    "RefinementPlan",
    "RefinementResult",
    "ReviewIssue",
    "SectionRefinementTask",
    "SelfReviewResponse",
    "Spec",
    "TargetedIssue",
    "arbitrate",
    "judge",
    "refine",
    "refine_events",
    "review",
]
