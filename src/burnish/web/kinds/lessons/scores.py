"""Scores of a lesson as pictures: by iteration, against the lines it has to reach, and criterion by criterion.

Widths are shares of the picture in per cent, heights are pixels, as everywhere in the workbench.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from burnish.kinds.lessons.refinement.config import CRITERIA, LOCK_LINE
from burnish.kinds.lessons.refinement.scoring import panel_criteria
from burnish.kinds.lessons.refinement.types import JudgeCriterion
from burnish.web.kinds.lessons.story import LessonStory

CRITERION_WORDS: dict[JudgeCriterion, str] = {
    "learning_objective_alignment": "Objectives",
    "pedagogical_structure": "Structure",
    "factual_accuracy": "Factual accuracy",
    "clarity_readability": "Clarity",
    "engagement_examples": "Engagement",
    "completeness": "Completeness",
}
HEIGHT, TOP, BOTTOM = 252, 8.0, 228.0
"""Of the picture: all of it, where its scale begins and where it ends."""
LEFT, RIGHT = 9.0, 90.0
"""Where the first and the last point stand."""
STEP = 0.05


@dataclass(frozen=True, slots=True)
class ScorePoint:
    """One judging."""

    x: float
    y: float
    score: float | None
    """None: it is not judged yet."""
    label: str

    @property
    def words(self) -> str:
        return exact_score(self.score) if self.score is not None else ""


@dataclass(frozen=True, slots=True)
class Level:
    """A level line of the picture."""

    y: float
    score: float


@dataclass(frozen=True, slots=True)
class ScoreChart:
    """Scores by iteration. Every point is a judging that took place."""

    points: tuple[ScorePoint, ...]
    accept: Level
    good: Level
    grid: tuple[Level, ...]
    height: int = HEIGHT

    @property
    def judged(self) -> tuple[ScorePoint, ...]:
        return tuple(point for point in self.points if point.score is not None)

    @property
    def soon(self) -> ScorePoint | None:
        """The iteration that is under way."""
        return next((point for point in self.points if point.score is None), None)


def exact_score(score: float) -> str:
    """`.737`: scores of one lesson are near each other."""
    return f"{score:.3f}".removeprefix("0")


def score_chart(story: LessonStory) -> ScoreChart | None:
    """The chart of a lesson; None where nobody has judged it yet."""
    scores = [panel.aggregated_score for _, panel in story.panels[:1]]
    if not scores:
        return None
    labels = ["first judging"]
    for done in story.refined("iteration_complete"):
        scores.append(done["endScore"])
        labels.append(f"iteration {done['iteration'] + 1}")
    lines = story.lines
    low, high = _scale([*scores, lines.good_enough_threshold], lines.accept_threshold)
    slots = max(len(scores) + (_under_way(story) is not None), lines.limits.max_iterations + 1)

    def y(score: float) -> float:
        return round(TOP + (high - score) / (high - low) * (BOTTOM - TOP), 2)

    points = [
        ScorePoint(_slot(place, slots), y(score), score, label)
        for place, (score, label) in enumerate(zip(scores, labels, strict=True))
    ]
    if (number := _under_way(story)) is not None:
        words = "running" if story.at_work else "not finished"
        points.append(ScorePoint(_slot(len(scores), slots), y(scores[-1]), None, f"{number + 1}, {words}"))
    lined = (lines.accept_threshold, lines.good_enough_threshold)
    return ScoreChart(
        tuple(points),
        accept=Level(y(lined[0]), lined[0]),
        good=Level(y(lined[1]), lined[1]),
        grid=tuple(Level(y(score), score) for score in _grid(low, high) if score not in lined),
    )


def _under_way(story: LessonStory) -> int | None:
    return story.plan.current_iteration if story.plan is not None and not story.is_over else None


def _slot(place: int, slots: int) -> float:
    return round(LEFT + place * (RIGHT - LEFT) / max(slots - 1, 1), 2)


def _scale(scores: Sequence[float], accept: float) -> tuple[float, float]:
    """From a step below the lowest to a step above what is accepted, or above the highest."""
    low = math.floor((min(scores) - STEP / 2) / STEP) * STEP
    high = math.ceil((max([*scores, accept]) + STEP / 2) / STEP) * STEP
    return round(max(0.0, low), 2), round(min(1.0, high), 2)


def _grid(low: float, high: float) -> list[float]:
    """Level lines between the ends, so many that their labels stay apart."""
    step = STEP if high - low <= 6 * STEP else 2 * STEP if high - low <= 12 * STEP else 4 * STEP
    first = math.floor(low / step) + 1
    return [score for place in range(first, math.ceil(high / step)) if (score := round(place * step, 2)) < high]


@dataclass(frozen=True, slots=True)
class CriterionChange:
    """One criterion, when the lesson was judged first and as it was judged last."""

    name: str
    before: float
    now: float
    before_at: float
    """In per cent of the picture's width."""
    now_at: float
    locked: bool
    """It may not fall any more."""


@dataclass(frozen=True, slots=True)
class CriteriaView:
    """All criteria, before and now."""

    rows: tuple[CriterionChange, ...]
    line_at: float
    """Where a criterion begins to be locked."""
    line: float = LOCK_LINE


def criteria_view(story: LessonStory) -> CriteriaView | None:
    """What the judges together gave each criterion at first and last; None where nobody has judged."""
    if not story.panels:
        return None
    first, last = (panel_criteria(panel.verdicts) for _, panel in (story.panels[0], story.panels[-1]))
    low = lowest_shown([*first.values(), *last.values()])
    rows = [
        CriterionChange(
            CRITERION_WORDS[name],
            first[name],
            last[name],
            share(first[name], low),
            share(last[name], low),
            last[name] >= LOCK_LINE,
        )
        for name in CRITERIA
        if name in first and name in last
    ]
    return CriteriaView(tuple(rows), share(LOCK_LINE, low))


def lowest_shown(scores: Sequence[float]) -> float:
    """Where a scale of scores begins: most of them are above the half."""
    return max(0.0, math.floor(min([0.5, *scores]) * 10) / 10)


def share(score: float, low: float, high: float = 1.0) -> float:
    """A score's place between the ends of a scale, in per cent; never outside."""
    return round(min(1.0, max(0.0, (score - low) / (high - low))) * 100, 2)
