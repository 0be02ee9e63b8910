"""The iterations of a refinement: batch by batch, and what became of every task."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from burnish.kinds.lessons.describing import STOPS
from burnish.kinds.lessons.policy import REASONS
from burnish.kinds.lessons.refinement.display_types import RefinementIterationDisplay, RefinementTaskDisplay, TaskStatus
from burnish.web.kinds.lessons.scores import CRITERION_WORDS, exact_score
from burnish.web.kinds.lessons.story import LessonStory, Payload
from burnish.web.wording import in_words, score

ACTIONS = {"SURGICAL_EDIT": "smallest edit", "REGENERATE_SECTION": "the section anew"}
"""How a section is repaired, in words."""
Standing = Literal["waiting", "working", "done", "failed", "rolled_back"]
STANDINGS: Mapping[TaskStatus, Standing] = {
    "pending": "waiting",
    "executing": "working",
    "completed": "done",
    "failed": "failed",
}


@dataclass(frozen=True, slots=True)
class TaskRow:
    """What is done in one section."""

    unit: str
    """The section's name in the run."""
    title: str
    standing: Standing
    words: str
    """What was done, and what came of it."""
    tokens: int | None
    seconds: float | None


@dataclass(frozen=True, slots=True)
class BatchRow:
    """Tasks that run together. Never two neighbours."""

    label: str
    tasks: tuple[TaskRow, ...]


@dataclass(frozen=True, slots=True)
class IterationRow:
    """One iteration."""

    number: int
    """As people count: from 1."""
    start: str
    end: str
    improvement: float
    running: bool
    tokens: int
    seconds: float
    decision: str
    """Why it went on, or why it stopped; empty while it is running."""
    batches: tuple[BatchRow, ...]
    deferred: tuple[tuple[str, str], ...]
    """Sections that were left for later, and why."""


def iteration_rows(story: LessonStory, unit_id: Mapping[str, str]) -> list[IterationRow]:
    """Every iteration, the newest first. `unit_id`: own id of a section -> its name in the run."""
    if story.plan is None:
        return []
    plans = {plan["iteration"]: plan for plan in story.refined("arbiter_consolidation")}
    rows = [_row(story, one, plans[one.iteration], unit_id) for one in story.plan.iterations]
    return rows[::-1]


def _row(
    story: LessonStory, shown: RefinementIterationDisplay, plan: Payload, unit_id: Mapping[str, str]
) -> IterationRow:
    over = next((one for one in story.refined("iteration_complete") if one["iteration"] == shown.iteration), None)
    return IterationRow(
        number=shown.iteration + 1,
        start=exact_score(shown.start_score),
        end=exact_score(shown.end_score),
        improvement=shown.improvement,
        running=over is None and not story.is_over,
        tokens=shown.tokens_used,
        seconds=shown.duration_ms / 1000,
        decision=STOPS.get(over["decision"], in_words(over["decision"])) if over is not None else "",
        batches=tuple(_batches(story, shown, plan, unit_id)),
        deferred=tuple((str(one["sectionTitle"]), _deferral(one["reason"])) for one in plan["deferred"]),
    )


def _deferral(reason: str) -> str:
    return REASONS.get(reason, in_words(reason))


def _batches(
    story: LessonStory, shown: RefinementIterationDisplay, plan: Payload, unit_id: Mapping[str, str]
) -> Iterator[BatchRow]:
    tasks = {task.id: task for task in shown.tasks}
    for number, names in enumerate(plan["batches"], 1):
        batch = [tasks[name] for name in names if name in tasks]
        if batch:
            together = f", {len(batch)} at once" if len(batch) > 1 else ""
            worst = min(batch, key=lambda task: ("critical", "major", "minor").index(task.priority)).priority
            rows = tuple(_task(story, shown.iteration, task, unit_id) for task in batch)
            yield BatchRow(f"Batch {number}, {worst}{together}", rows)


def _task(story: LessonStory, iteration: int, task: RefinementTaskDisplay, unit_id: Mapping[str, str]) -> TaskRow:
    told = [event for event in story.refinement if event.data.get("task") == task.id]
    fallen = [
        one
        for one in story.refined("quality_lock_triggered")
        if one["iteration"] == iteration and one["sectionId"] == task.section_id
    ]
    made = [event.data for event in told if event.type in ("patch_applied", "section_regenerated")]
    verdict = next((event.data for event in told if event.type == "verification_result"), None)
    return TaskRow(
        unit=unit_id.get(task.section_id, task.section_id),
        title=task.section_title or story.title_of(task.section_id),
        standing="rolled_back" if fallen else STANDINGS[task.status],
        words=_words(task, made, verdict, fallen),
        tokens=task.tokens_used,
        seconds=task.duration_ms / 1000 if task.duration_ms is not None else None,
    )


def _words(
    task: RefinementTaskDisplay, made: Sequence[Payload], verdict: Payload | None, fallen: Sequence[Payload]
) -> str:
    rewritten = task.action_type == "REGENERATE_SECTION"
    if fallen:
        worst = min(fallen, key=lambda one: one["delta"])
        name = CRITERION_WORDS[worst["criterion"]].lower()
        what = "new text" if rewritten else "edit"
        return (
            f"{what} rolled back: {name} fell by {score(abs(worst['delta']))}, locked at {score(worst['lockedScore'])}"
        )
    if verdict is None:
        return _under_way(task, made, rewritten)
    if verdict["passed"]:
        return "rewritten, verified" if rewritten else f"{_places(made)}, verified"
    why = verdict.get("message") or "; ".join(REASONS.get(one, in_words(one)) for one in verdict["reasons"])
    return f"{'new text' if rewritten else 'edit'} not kept: {why or 'not verified'}"


def _under_way(task: RefinementTaskDisplay, made: Sequence[Any], rewritten: bool) -> str:
    what = "new text" if rewritten else "edit"
    if task.status == "pending":
        return "waits for its batch"
    return f"{what}, being verified" if made else f"{what} being written"


def _places(made: Sequence[Payload]) -> str:
    places = sum(len(one.get("edits", ())) for one in made)
    return f"edit in {places} places" if places > 1 else "edit"
