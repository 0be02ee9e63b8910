"""What the judges of a lesson gave it: scores by iteration, criteria before and now, their agreement, every vote.

Widths are shares of the picture in per cent, heights are pixels, as everywhere in the workbench.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from burnish.core.findings import Severity
from burnish.kinds.lessons.policy import (
    CRITERIA,
    HIGH_ALPHA,
    LOCK_LINE,
    MODERATE_ALPHA,
    SAME_SCORE,
    exceeds,
    reaches,
)
from burnish.kinds.lessons.refinement.types import JudgeAggregatedResult, JudgeCriterion
from burnish.kinds.lessons.refinement.verdicts import panel_criteria
from burnish.web import Drawn
from burnish.web.formatting import sentence
from burnish.web.kinds.lessons.record import LessonRecord
from burnish.web.labels import model_name

CRITERION_LABELS: dict[JudgeCriterion, str] = {
    "learning_objective_alignment": "Objectives",
    "pedagogical_structure": "Structure",
    "factual_accuracy": "Factual accuracy",
    "clarity_readability": "Clarity",
    "engagement_examples": "Engagement",
    "completeness": "Completeness",
}
RECOMMENDATIONS = {
    "ACCEPT": "Accept",
    "ACCEPT_WITH_MINOR_REVISION": "Accept with a minor revision",
    "ITERATIVE_REFINEMENT": "Iterative refinement",
    "REGENERATE": "Regenerate",
    "ESCALATE": "Send to a person",
}
JUDGE_SEVERITIES: Mapping[str, Severity] = {"critical": "critical", "major": "error", "minor": "warning"}
"""A judge's severity -> ours."""
MOST_LISTED = 40
"""Issues that are listed: a list that nobody reads to its end hides what matters."""
HEIGHT, TOP, BOTTOM = 252, 8.0, 228.0
"""Of the score chart: all of it, where its scale begins and where it ends."""
LEFT, RIGHT = 9.0, 90.0
"""Where the first and the last point are."""
STEP = 0.05
LEAST_ALPHA = -0.3
"""Where the scale of alpha begins, unless its interval reaches further down."""
SHAPES = ("square", "ring", "diamond", "bar", "dot")
"""How the judges are told apart, in their order: by shape, never by colour alone."""


def exact_score(score: float) -> str:
    """`.737`: scores of one lesson are near each other."""
    return f"{score:.3f}".removeprefix("0")


def lowest_shown(scores: Sequence[float]) -> float:
    """Where a scale of scores begins: most of them are above the half."""
    return max(0.0, math.floor(min([0.5, *scores]) * 10) / 10)


def share(score: float, low: float) -> float:
    """A score's place between `low` and 1, in per cent; never outside."""
    return round(min(1.0, max(0.0, (score - low) / (1.0 - low))) * 100, 2)


# -- scores by iteration


def score_chart(record: LessonRecord) -> Drawn | None:
    """The chart of a lesson; None where nobody has judged it yet."""
    if not record.panels:
        return None
    done = record.refined("iteration_complete")
    scores: list[float] = [record.panels[0][1].aggregated_score, *(one["endScore"] for one in done)]
    labels = ["first judging", *(f"iteration {one['iteration'] + 1}" for one in done)]
    under_way = record.plan.current_iteration if record.plan is not None and not record.is_over else None
    accept, good = record.thresholds.accept_threshold, record.thresholds.good_enough_threshold
    low = round(max(0.0, math.floor((min(*scores, good) - STEP / 2) / STEP) * STEP), 2)
    high = round(min(1.0, math.ceil((max(*scores, good, accept) + STEP / 2) / STEP) * STEP), 2)
    slots = max(len(scores) + (under_way is not None), record.thresholds.limits.max_iterations + 1)

    def x(place: int) -> float:
        return round(LEFT + place * (RIGHT - LEFT) / max(slots - 1, 1), 2)

    def y(score: float) -> float:
        return round(TOP + (high - score) / (high - low) * (BOTTOM - TOP), 2)

    points = [
        Drawn(x=x(place), y=y(score), score=score, label=label, text=exact_score(score))
        for place, (score, label) in enumerate(zip(scores, labels, strict=True))
    ]
    soon = None
    if under_way is not None:
        label = f"{under_way + 1}, {'running' if record.at_work else 'not finished'}"
        soon = Drawn(x=x(len(scores)), y=y(scores[-1]), score=None, label=label, text="")
    return Drawn(
        points=(*points, soon) if soon is not None else tuple(points),
        judged=tuple(points),
        soon=soon,  # the iteration that is under way
        height=HEIGHT,
        accept=Drawn(y=y(accept), score=accept),
        good=Drawn(y=y(good), score=good),
        grid=tuple(Drawn(y=y(score), score=score) for score in _grid(low, high) if score not in (accept, good)),
    )


def _grid(low: float, high: float) -> list[float]:
    """Level lines between the ends, so many that their labels stay apart."""
    step = STEP if high - low <= 6 * STEP else 2 * STEP if high - low <= 12 * STEP else 4 * STEP
    first = math.floor(low / step) + 1
    return [score for place in range(first, math.ceil(high / step)) if (score := round(place * step, 2)) < high]


# -- criteria


def criteria_view(record: LessonRecord) -> Drawn | None:
    """What the judges together gave each criterion at first and last; None where nobody has judged."""
    if not record.panels:
        return None
    first, last = (panel_criteria(panel.verdicts) for _, panel in (record.panels[0], record.panels[-1]))
    low = lowest_shown([*first.values(), *last.values()])
    rows = [
        Drawn(
            name=label,
            before=before,
            now=now,
            before_at=share(before, low),
            now_at=share(now, low),
            locked=now >= LOCK_LINE,
        )
        for name, label in CRITERION_LABELS.items()
        if (before := first.get(name)) is not None and (now := last.get(name)) is not None
    ]
    return Drawn(rows=tuple(rows), line_at=share(LOCK_LINE, low), line=LOCK_LINE)


# -- agreement


def agreement_view(record: LessonRecord) -> Drawn | None:
    """Of the first judging; None where nobody has judged yet."""
    if not record.panels:
        return None
    _, vote = record.panels[0]
    criteria = _criteria(vote)
    plan: Mapping[str, Any] = next(iter(record.refined("arbiter_consolidation")), {})
    alpha = plan.get("agreementScore") if len(vote.verdicts) > 1 else None
    interval = tuple(plan["agreementInterval"]) if alpha is not None and plan.get("agreementInterval") else None
    level = plan.get("agreementLevel")
    return Drawn(
        judges=tuple((SHAPES[place], model_name(one.judge_model)) for place, one in enumerate(vote.verdicts)),
        criteria=criteria,
        near=sum(not one.far for one in criteria),
        level=level,
        alpha=alpha,
        interval=interval,
        scale=_alpha_scale(alpha, interval) if alpha is not None else None,
        why=_why(level, alpha, criteria),
        tolerance=SAME_SCORE,
        moderate=MODERATE_ALPHA,
        high=HIGH_ALPHA,
    )


def _criteria(vote: JudgeAggregatedResult) -> tuple[Drawn, ...]:
    low = lowest_shown([score for one in vote.verdicts for score in one.criteria_scores.values()])
    found = {
        label: tuple(
            Drawn(shape=SHAPES[place], judge=model_name(one.judge_model), score=score, at=share(score, low))
            for place, one in enumerate(vote.verdicts)
            if (score := one.criteria_scores.get(name)) is not None
        )
        for name, label in CRITERION_LABELS.items()
    }
    # Far: the judges are further apart than what still counts as the same.
    scores = {label: [point.score for point in points] for label, points in found.items() if points}
    return tuple(
        Drawn(name=label, points=found[label], far=exceeds(max(given) - min(given), SAME_SCORE))
        for label, given in scores.items()
    )


def _alpha_scale(alpha: float, interval: tuple[float, float] | None) -> Drawn:
    low = min([LEAST_ALPHA, alpha, *(interval or ())])
    return Drawn(
        at=share(alpha, low),
        zero_at=share(0.0, low),
        moderate_at=share(MODERATE_ALPHA, low),
        high_at=share(HIGH_ALPHA, low),
        low=low,
        interval_at=(share(interval[0], low), share(interval[1], low)) if interval is not None else None,
    )


def _why(level: str | None, alpha: float | None, criteria: Sequence[Drawn]) -> str:
    """What the figures alone would not say."""
    if alpha is None or level is None:
        return ""
    of_alpha = "high" if reaches(alpha, HIGH_ALPHA) else "moderate" if reaches(alpha, MODERATE_ALPHA) else "low"
    unstable = "Few near-equal scores make alpha unstable, so the level comes from the criteria."
    apart = [one.name for one in criteria if one.far]
    named = f"Only {apart[0].lower()} is apart." if len(apart) == 1 else f"{', '.join(apart)} are apart."
    return " ".join([*([unstable] if of_alpha != level else []), *([named] if apart else [])])


# -- votes


def vote_views(record: LessonRecord) -> list[Drawn]:
    """Every vote, the newest first."""
    return [
        Drawn(
            vote=vote,
            label="First judging" if vote.iteration is None else f"After iteration {vote.iteration + 1}",
            criteria=tuple(name for name in CRITERIA if any(name in one.criteria_scores for one in vote.verdicts)),
            issues=tuple(
                tuple(
                    Drawn(
                        title=record.title_of(issue.location.partition(": ")[0]),
                        criterion=CRITERION_LABELS[issue.criterion],
                        severity=JUDGE_SEVERITIES[issue.severity],
                        label=sentence(issue.severity),
                        description=issue.description,
                        quote=issue.quoted_text,
                        judges=(),
                        aside=None,
                    )
                    for issue in one.issues[:MOST_LISTED]
                )
                for one in vote.verdicts
            ),
        )
        for vote in reversed(record.votes)
    ]
