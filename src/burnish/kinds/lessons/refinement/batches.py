"""Batches: which repairs may run at the same time.

Critical before major before minor. At most three together, never two neighbours, because each would be fitted to a
text that the other is changing. Whatever is written anew, or concerns the whole lesson, runs alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

from burnish.kinds.lessons.refinement.config import LARGEST_BATCH
from burnish.kinds.lessons.refinement.types import LESSON, SectionRefinementTask, TaskPriority

PRIORITIES: tuple[TaskPriority, ...] = ("critical", "major", "minor")

Batch = tuple[SectionRefinementTask, ...]


def execution_batches(tasks: Iterable[SectionRefinementTask], order: Sequence[str]) -> tuple[Batch, ...]:
    """The tasks in batches. `order` are the ids of all units in reading order."""
    waiting = tuple(tasks)
    places = {unit: place for place, unit in enumerate(order)}
    batches: list[Batch] = []
    for priority in PRIORITIES:
        batches += _of_one_priority([task for task in waiting if task.priority == priority], places)
    return tuple(batches)


def _of_one_priority(tasks: Iterable[SectionRefinementTask], places: dict[str, int]) -> list[Batch]:
    together: list[list[SectionRefinementTask]] = []
    alone: list[Batch] = []
    for task in tasks:
        if runs_alone(task):
            alone.append((task,))
            continue
        batch = next((batch for batch in together if _fits(task, batch, places)), None)
        if batch is None:
            together.append([task])
        else:
            batch.append(task)
    return [*(tuple(batch) for batch in together), *alone]


def runs_alone(task: SectionRefinementTask) -> bool:
    return task.action_type != "SURGICAL_EDIT" or task.section_id == LESSON


def _fits(task: SectionRefinementTask, batch: Sequence[SectionRefinementTask], places: dict[str, int]) -> bool:
    return len(batch) < LARGEST_BATCH and not any(are_adjacent(task, other, places) for other in batch)


def are_adjacent(one: SectionRefinementTask, other: SectionRefinementTask, places: dict[str, int]) -> bool:
    """Neighbours in reading order, or the same section. A section that nobody can place is everyone's neighbour."""
    if one.section_id not in places or other.section_id not in places:
        return True
    return abs(places[one.section_id] - places[other.section_id]) <= 1


def transition_after(section_id: str, order: Sequence[str]) -> str | None:
    """The unit whose beginning may no longer fit when `section_id` was written anew; None after the last one."""
    return dict(pairwise(order)).get(section_id)
