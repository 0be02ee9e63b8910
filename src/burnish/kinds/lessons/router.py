"""The router: the kind of repair for each task, and the batches. The first matching line decides.

    critical and structural                    FULL_REGENERATE      planner
    factual                                    REGENERATE_SECTION   section-expander
    several criteria in one section            REGENERATE_SECTION   section-expander
    clarity (with tone and grammar), or minor  SURGICAL_EDIT        patcher
    major                                      REGENERATE_SECTION   section-expander
    anything else                              as `preferSurgical` decides

A lesson with a structure score under .6, or with more than 40 % of its sections critical, is written again as a whole.
Batches go from critical to minor. At most three tasks run together, never two neighbours, because each repair must fit
its neighbours' text. A task that writes a section again, or concerns the whole lesson, runs alone.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from burnish.kinds.lessons.policy import (
    CRITICAL_SHARE,
    LARGEST_BATCH,
    STRUCTURE_LINE,
    RoutingConfig,
    exceeds,
    reaches,
)
from burnish.kinds.lessons.refinement import (
    LESSON,
    SEVERITIES,
    Executor,
    FixAction,
    JudgeCriterion,
    JudgeIssue,
    RefinementPlan,
    RouterDecision,
    SectionRefinementTask,
    TargetedIssue,
)

EXECUTORS: Mapping[FixAction, Executor] = {
    "SURGICAL_EDIT": "patcher",
    "REGENERATE_SECTION": "section-expander",
    "FULL_REGENERATE": "planner",
}


ROUTING = RoutingConfig()
TOKEN_GUIDE: Mapping[FixAction, tuple[int, int]] = {
    "SURGICAL_EDIT": (500, 1000),
    "REGENERATE_SECTION": (1200, 2000),
    "FULL_REGENERATE": (5000, 7000),
}
"""The usual cost of a step: the lower and the upper end. The arbiter costs nothing."""
DELTA_TOKENS = (150, 250)


@dataclass(frozen=True, slots=True)
class Deferred:
    """A task beyond the token budget of this iteration. Its issues stay open."""

    task: SectionRefinementTask
    reason: Literal["token_budget", "max_patcher_calls"]


@dataclass(frozen=True, slots=True)
class Routing:
    """The routing of one iteration."""

    decisions: tuple[RouterDecision, ...]
    deferred: tuple[Deferred, ...] = ()

    def decision(self, section_id: str) -> RouterDecision:
        """The decision on the task of that section; KeyError if it was deferred."""
        return {decision.task.section_id: decision for decision in self.decisions}[section_id]

    def batches(self, plan: RefinementPlan) -> tuple[tuple[SectionRefinementTask, ...], ...]:
        """The plan's batches without the deferred tasks."""
        routed = {decision.task.section_id for decision in self.decisions}
        kept = (tuple(task for task in batch if task.section_id in routed) for batch in plan.execution_batches)
        return tuple(batch for batch in kept if batch)

    @property
    def estimated_tokens(self) -> int:
        return sum(decision.estimated_tokens for decision in self.decisions)


def action_for(
    issues: Sequence[JudgeIssue], *, prefer_surgical: bool = ROUTING.prefer_surgical
) -> tuple[FixAction, str]:
    """The action for all issues of one section, and the line of the table that chose it."""
    criteria = {issue.criterion for issue in issues}
    severities = {issue.severity for issue in issues}
    if any(issue.severity == "critical" and issue.criterion == "pedagogical_structure" for issue in issues):
        return "FULL_REGENERATE", "critical and structural"
    if "factual_accuracy" in criteria:
        return "REGENERATE_SECTION", "factual"
    if len(criteria) > 1:
        return "REGENERATE_SECTION", "several criteria in one section"
    if criteria == {"clarity_readability"} or severities == {"minor"}:
        return "SURGICAL_EDIT", "clarity" if "clarity_readability" in criteria else "minor"
    if "major" in severities:
        return "REGENERATE_SECTION", "major"
    return ("SURGICAL_EDIT" if prefer_surgical else "REGENERATE_SECTION"), "preferSurgical"


def full_regenerate_reason(
    criteria: Mapping[JudgeCriterion, float], issues: Iterable[TargetedIssue], sections: Collection[str]
) -> str | None:
    """Why the whole lesson must be written again; None if it need not be. `sections` are the ids of all units."""
    found = tuple(issues)
    structure = criteria.get("pedagogical_structure")
    if structure is not None and not reaches(structure, STRUCTURE_LINE):
        return f"structure scores {structure:.2f}, under {STRUCTURE_LINE:.2f}"
    if any(action_for([issue])[0] == "FULL_REGENERATE" for issue in found):
        return "critical and structural"
    critical = {issue.section_id for issue in found if issue.severity == "critical"} & set(sections)
    if sections and exceeds(len(critical) / len(sections), CRITICAL_SHARE):
        return f"{len(critical)} of {len(sections)} sections critical"
    return None


def estimated_tokens(action: FixAction, issues: int = 1) -> int:
    """The middle of the token guide, with one check by the delta judge for each issue."""
    return sum(TOKEN_GUIDE[action]) // 2 + issues * sum(DELTA_TOKENS) // 2


def task_action(
    section_id: str, issues: Sequence[JudgeIssue], *, prefer_surgical: bool = ROUTING.prefer_surgical
) -> tuple[FixAction, str]:
    """The action for a task. The lesson as a whole cannot be regenerated as one section, so the patcher is used."""
    action, reason = action_for(issues, prefer_surgical=prefer_surgical)
    if section_id == LESSON and action == "REGENERATE_SECTION":
        return "SURGICAL_EDIT", f"{reason}, in the lesson as a whole"
    return action, reason


def route_task(task: SectionRefinementTask, config: RoutingConfig = ROUTING) -> RouterDecision:
    """The decision for one task."""
    action, reason = task_action(task.section_id, task.source_issues, prefer_surgical=config.prefer_surgical)
    cost = estimated_tokens(action, len(task.source_issues))
    return RouterDecision(task=task, action=action, executor=EXECUTORS[action], estimated_tokens=cost, reason=reason)


def route(tasks: Iterable[SectionRefinementTask], config: RoutingConfig = ROUTING) -> Routing:
    """Every task in the plan's order: decided on, or deferred because of the limits on tokens or patcher calls."""
    decisions: list[RouterDecision] = []
    deferred: list[Deferred] = []
    left, patches = config.token_budget, 0
    for task in tasks:
        decision = route_task(task, config)
        is_patch = decision.executor == "patcher"
        if decision.estimated_tokens > left:
            deferred.append(Deferred(task, "token_budget"))
        elif is_patch and patches >= config.max_patcher_calls:
            deferred.append(Deferred(task, "max_patcher_calls"))
        else:
            decisions.append(decision)
            left -= decision.estimated_tokens
            patches += is_patch
    return Routing(tuple(decisions), tuple(deferred))


Batch = tuple[SectionRefinementTask, ...]


def execution_batches(tasks: Iterable[SectionRefinementTask], order: Sequence[str]) -> tuple[Batch, ...]:
    """The tasks in batches. `order` are the ids of all units in reading order."""
    waiting = tuple(tasks)
    places = {unit: place for place, unit in enumerate(order)}
    by_priority = ([task for task in waiting if task.priority == priority] for priority in SEVERITIES)
    return tuple(batch for tasks in by_priority for batch in _of_one_priority(tasks, places))


def _of_one_priority(tasks: Iterable[SectionRefinementTask], places: dict[str, int]) -> list[Batch]:
    together: list[list[SectionRefinementTask]] = []
    alone: list[Batch] = []
    for task in tasks:
        if task.action_type != "SURGICAL_EDIT" or task.section_id == LESSON:
            alone.append((task,))
            continue
        open_batches = (batch for batch in together if len(batch) < LARGEST_BATCH)
        fitting = (batch for batch in open_batches if not any(_are_adjacent(task, other, places) for other in batch))
        batch = next(fitting, None)
        if batch is None:
            together.append([task])
        else:
            batch.append(task)
    return [*(tuple(batch) for batch in together), *alone]


def _are_adjacent(one: SectionRefinementTask, other: SectionRefinementTask, places: dict[str, int]) -> bool:
    """Neighbours in reading order, or the same section. A section with an unknown place is everyone's neighbour."""
    if one.section_id not in places or other.section_id not in places:
        return True
    return abs(places[one.section_id] - places[other.section_id]) <= 1
