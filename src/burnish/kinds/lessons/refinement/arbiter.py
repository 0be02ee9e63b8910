"""The arbiter: from the panel's verdicts to a plan. Arithmetic, no model.

How far the judges agree decides which issues count; what wants to change the same words in two ways is settled by the
rank of the criteria; what is left becomes one task a section. Every issue ends in `accepted_issues` or, with a reason,
in `rejected_issues`.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from burnish.core.agreement import bootstrap_interval, krippendorff_alpha
from burnish.kinds.lessons.refinement.anchors import context_anchors
from burnish.kinds.lessons.refinement.batches import PRIORITIES, execution_batches
from burnish.kinds.lessons.refinement.config import (
    CRITERIA,
    HIGH_ALPHA,
    MODERATE_ALPHA,
    MODERATE_SHARE,
    REFINEMENT_CONFIG,
    SAME_SCORE,
    exceeds,
    reaches,
)
from burnish.kinds.lessons.refinement.issues import quotes_overlap, rank, targeted_issues, worst_first
from burnish.kinds.lessons.refinement.routing import full_regenerate_reason, task_action
from burnish.kinds.lessons.refinement.scoring import panel_criteria
from burnish.kinds.lessons.refinement.types import (
    LESSON,
    AgreementLevel,
    ArbiterInput,
    ArbiterOutput,
    ConflictResolution,
    IterationFeedback,
    JudgeVerdict,
    LessonContentSection,
    RefinementPlan,
    RejectedIssue,
    SectionRefinementTask,
    TargetedIssue,
)

EMPHASISED = re.compile(r"\*\*([^*\n]{2,40})\*\*")
MOST_TERMS = 40
CONSTRAINT = "Must not get worse: "
"""How a line of instructions begins that demands nothing but care."""


@dataclass(frozen=True, slots=True)
class Agreement:
    """How far the judges agree on the criteria."""

    alpha: float
    interval: tuple[float, float] | None
    level: AgreementLevel


def consolidate(
    given: ArbiterInput,
    *,
    locked: Collection[str] = (),
    history: Iterable[IterationFeedback] = (),
    prefer_surgical: bool = REFINEMENT_CONFIG.routing.prefer_surgical,
) -> ArbiterOutput:
    """The plan for one iteration. Sections in `locked` get no task; their issues stay among the accepted ones."""
    verdicts, sections = given.clev_result.verdicts, given.content_sections
    agreed = agreement(verdicts)
    issues = targeted_issues(verdicts, sections)
    rejections = tuple(_rejections(issues, agreed.level))
    rejected_ids = {rejection.issue_id for rejection in rejections}
    accepted = tuple(issue for issue in issues if issue.id not in rejected_ids)
    conflicts = conflict_resolutions(accepted, sections)
    tasks = _tasks(accepted, conflicts, sections, locked, prefer_surgical)
    plan = _plan(accepted, conflicts, tasks, sections, agreed, tuple(history))
    return ArbiterOutput(
        plan=plan,
        agreement_score=agreed.alpha,
        agreement_interval=agreed.interval,
        agreement_level=agreed.level,
        accepted_issues=accepted,
        rejected_issues=tuple(issue for issue in issues if issue.id in rejected_ids),
        rejections=rejections,
        needs_review=agreed.level == "low",
        full_regenerate=full_regenerate_reason(panel_criteria(verdicts), accepted, [one.id for one in sections]),
    )


def agreement(verdicts: Sequence[JudgeVerdict]) -> Agreement:
    """Alpha with its interval, and the level, which a few near-equal scores cannot spoil."""
    scored = [name for name in CRITERIA if any(name in verdict.criteria_scores for verdict in verdicts)]
    ratings = [[verdict.criteria_scores.get(name) for name in scored] for verdict in verdicts]
    alpha = krippendorff_alpha(ratings)
    if alpha is None:
        return Agreement(0.0, None, "low")
    return Agreement(alpha, bootstrap_interval(ratings), _level(alpha, ratings))


def _level(alpha: float, ratings: Sequence[Sequence[float | None]]) -> AgreementLevel:
    near = [_is_near(column) for column in zip(*ratings, strict=True)]
    if reaches(alpha, HIGH_ALPHA) or all(near):
        return "high"
    return "moderate" if reaches(alpha, MODERATE_ALPHA) or sum(near) / len(near) >= MODERATE_SHARE else "low"


def _is_near(column: Sequence[float | None]) -> bool:
    """Whether the judges are within .10 of each other. One judge alone is near nobody."""
    given = [score for score in column if score is not None]
    return len(given) > 1 and not exceeds(max(given) - min(given), SAME_SCORE)


def _rejections(issues: Iterable[TargetedIssue], level: AgreementLevel) -> Iterable[RejectedIssue]:
    """high: nothing is rejected; moderate: what one judge alone says; low: all. A critical issue is never rejected."""
    for issue in issues:
        if level == "high" or issue.severity == "critical":
            continue
        if level == "low":
            yield RejectedIssue(issue_id=issue.id, reason="low_agreement")
        elif len(issue.judges) < 2:
            yield RejectedIssue(issue_id=issue.id, reason="too_few_judges")


def conflict_resolutions(
    issues: Iterable[TargetedIssue], sections: Sequence[LessonContentSection]
) -> tuple[ConflictResolution, ...]:
    """Where two criteria want to change the same words: the higher one wins, and the lower one is listed as loser."""
    contents = {section.id: section for section in sections}
    winners: list[TargetedIssue] = []
    found: list[ConflictResolution] = []
    for issue in sorted(issues, key=rank):
        winner = next((one for one in winners if _conflict(one, issue, contents.get(issue.section_id))), None)
        if winner is None:
            winners.append(issue)
        else:
            resolution = f"{winner.criterion} goes before {issue.criterion}; the latter must not get worse"
            found.append(ConflictResolution(issue1=winner, issue2=issue, resolution=resolution))
    return tuple(found)


def _conflict(one: TargetedIssue, other: TargetedIssue, section: LessonContentSection | None) -> bool:
    same_place = one.section_id == other.section_id and one.criterion != other.criterion
    return same_place and quotes_overlap(one, other, section)


def _tasks(
    accepted: Sequence[TargetedIssue],
    conflicts: Sequence[ConflictResolution],
    sections: Sequence[LessonContentSection],
    locked: Collection[str],
    prefer_surgical: bool,
) -> tuple[SectionRefinementTask, ...]:
    """One task a section, in reading order, the lesson as a whole last; then the urgent ones first."""
    lost = {conflict.issue2.id for conflict in conflicts}
    titles = {**{section.id: section.title or section.id for section in sections}, LESSON: LESSON}
    tasks: list[SectionRefinementTask] = []
    for section_id, title in titles.items():
        demanded = worst_first(issue for issue in accepted if issue.section_id == section_id and issue.id not in lost)
        if not demanded or section_id in locked:
            continue
        constraints = [one.issue2 for one in conflicts if one.issue2.section_id == section_id]
        task = SectionRefinementTask(
            section_id=section_id,
            section_title=title,
            action_type=task_action(section_id, demanded, prefer_surgical=prefer_surgical)[0],
            synthesized_instructions=instructions(demanded, constraints),
            context_anchors=context_anchors(sections, section_id),
            priority=demanded[0].severity,
            source_issues=tuple(demanded),
        )
        tasks.append(task)
    return tuple(sorted(tasks, key=lambda task: PRIORITIES.index(task.priority)))


def instructions(demanded: Iterable[TargetedIssue], constraints: Iterable[TargetedIssue] = ()) -> str:
    """What to do in one section, one line an issue, and what must not suffer from it."""
    lines = [_demand(issue) for issue in demanded]
    lines += [f"{CONSTRAINT}{issue.criterion} ({issue.description})" for issue in constraints]
    return "\n".join(lines)


def _demand(issue: TargetedIssue) -> str:
    quote = f" at “{issue.quoted_text}”" if issue.quoted_text else ""
    advice = f" Do: {issue.fix_instructions}" if issue.fix_instructions != issue.description else ""
    return f"[{issue.severity}, {issue.criterion}]{quote} {issue.description}{advice}"


def _plan(
    accepted: tuple[TargetedIssue, ...],
    conflicts: tuple[ConflictResolution, ...],
    tasks: tuple[SectionRefinementTask, ...],
    sections: Sequence[LessonContentSection],
    agreed: Agreement,
    history: tuple[IterationFeedback, ...],
) -> RefinementPlan:
    order = [section.id for section in sections]
    touched = {task.section_id for task in tasks}
    return RefinementPlan(
        issues=accepted,
        sections_to_preserve=tuple(id for id in order if id not in touched),
        sections_to_modify=tuple(id for id in order if id in touched),
        preserve_terminology=terminology(sections),
        iteration_history=history,
        tasks=tasks,
        agreement_score=agreed.alpha,
        conflict_resolutions=conflicts,
        execution_batches=execution_batches(tasks, order),
    )


def terminology(sections: Iterable[LessonContentSection]) -> tuple[str, ...]:
    """The terms that the lesson itself puts in bold: a repair may not rename them."""
    found = (term.strip(" .:;,") for section in sections for term in EMPHASISED.findall(section.content))
    return tuple(dict.fromkeys(term for term in found if term))[:MOST_TERMS]


def open_issues(output: ArbiterOutput) -> tuple[TargetedIssue, ...]:
    """What is still wrong, the worst first: what the next iteration works on, and what hints are made of."""
    return tuple(worst_first(output.accepted_issues))
