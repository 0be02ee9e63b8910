"""Verdicts, issues, sections and tasks for tests of refinement, made from as little as possible."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from burnish.kinds.lessons.controller import RefinementIterationState, start
from burnish.kinds.lessons.policy import CRITERIA, WEIGHTS
from burnish.kinds.lessons.refinement import (
    LESSON,
    ArbiterInput,
    ContextWindow,
    FixAction,
    IssueSeverity,
    IterationResult,
    JudgeAggregatedResult,
    JudgeConfidence,
    JudgeCriterion,
    JudgeIssue,
    JudgeVerdict,
    LessonContentSection,
    SectionRefinementTask,
    TargetedIssue,
)
from burnish.kinds.lessons.verdicts import SectionJudgement, recommend, weighted

SECTIONS = tuple(
    LessonContentSection(id=id, title=title, content=content)
    for id, title, content in (
        ("intro", None, "Welcome to sorting. You will learn two ways. Both are old. Both are still used."),
        ("s1", "Bubble sort", "Bubble sort swaps **neighbours**. It was invented in 1856. It is slow on long lists."),
        ("s2", "Merge sort", "Merge sort splits the list. Then it merges the halves.\n\nIt needs more memory."),
        ("s3", "Which one?", "Take merge sort for long lists. Take bubble sort for none."),
        ("conclusion", None, "You know two ways of sorting now. Try them on your own lists."),
    )
)
ORDER = [section.id for section in SECTIONS]


def issue(
    criterion: JudgeCriterion = "clarity_readability",
    severity: IssueSeverity = "major",
    location: str = "s1",
    quote: str | None = None,
    description: str = "Hard to follow.",
    fix: str = "Say it in one sentence.",
) -> JudgeIssue:
    return JudgeIssue(
        criterion=criterion,
        severity=severity,
        location=location,
        description=description,
        quoted_text=quote,
        suggested_fix=fix,
    )


def targeted(
    criterion: JudgeCriterion = "clarity_readability",
    severity: IssueSeverity = "major",
    section: str = "s1",
    name: str = "issue-1",
    judges: tuple[str, ...] = ("a",),
) -> TargetedIssue:
    return TargetedIssue(
        **issue(criterion, severity, section).model_dump(),
        id=name,
        section_id=section,
        fix_action="SURGICAL_EDIT",
        context_window=ContextWindow(scope="section"),
        fix_instructions="Say it in one sentence.",
        judges=judges,
    )


def task(
    section: str = "s1", action: FixAction = "SURGICAL_EDIT", *issues: TargetedIssue, priority: IssueSeverity = "major"
) -> SectionRefinementTask:
    found = issues or (targeted(severity=priority, section=section),)
    return SectionRefinementTask(
        section_id=section,
        section_title=section.upper(),
        action_type=action,
        synthesized_instructions="Mend it.",
        priority=priority,
        source_issues=found,
    )


def verdict(
    judge: str,
    scores: float | Mapping[JudgeCriterion, float] = 0.8,
    confidence: JudgeConfidence = "high",
    issues: Sequence[JudgeIssue] = (),
) -> JudgeVerdict:
    criteria = dict(scores) if isinstance(scores, Mapping) else dict.fromkeys(CRITERIA, scores)
    overall = weighted(criteria, WEIGHTS)
    return JudgeVerdict(
        overall_score=overall,
        passed=overall >= 0.75,
        confidence=confidence,
        criteria_scores=criteria,
        issues=tuple(issues),
        recommendation=recommend(overall, confidence, issues),
        judge_model=judge,
        tokens_used=100,
        duration_ms=10,
    )


def aggregated(*verdicts: JudgeVerdict) -> JudgeAggregatedResult:
    return JudgeAggregatedResult(
        verdicts=verdicts,
        aggregated_score=verdicts[0].overall_score,
        final_recommendation="ITERATIVE_REFINEMENT",
        voting_method="unanimous",
        consensus_reached=True,
    )


def given_to_arbiter(*verdicts: JudgeVerdict) -> ArbiterInput:
    return ArbiterInput(clev_result=aggregated(*verdicts), content_sections=SECTIONS, operation_mode="semi-auto")


def judged(
    judge: str = "a",
    unit: str = "s1",
    scores: Mapping[JudgeCriterion, float] | None = None,
    confidence: JudgeConfidence = "high",
    words: int = 100,
    issues: Sequence[JudgeIssue] = (),
    window: int = 0,
    windows: int = 1,
) -> SectionJudgement:
    if scores is None:
        whole: dict[JudgeCriterion, float] = {
            "learning_objective_alignment": 0.8,
            "pedagogical_structure": 0.8,
            "completeness": 0.8,
        }
        parts: dict[JudgeCriterion, float] = {
            "factual_accuracy": 0.8,
            "clarity_readability": 0.8,
            "engagement_examples": 0.8,
        }
        scores = whole if unit == LESSON else parts
    return SectionJudgement(
        judge=judge,
        unit=unit,
        criteria=dict(scores),
        confidence=confidence,
        issues=tuple(issues),
        words=words,
        tokens=50,
        ms=5,
        window=window,
        windows=windows,
    )


def result_of(score: float, content: str, **fields: Any) -> IterationResult:
    """The result of an iteration."""
    return IterationResult(score=score, content=content, **fields)


def started(score: float, content: str, **fields: Any) -> RefinementIterationState:
    """The state after the first judging."""
    return start(result_of(score, content, **fields))
