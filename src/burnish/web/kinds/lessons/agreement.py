"""How far the judges of a lesson agree: Krippendorff's alpha with its interval, and the criteria one by one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from burnish.kinds.lessons.refinement.config import (
    CRITERIA,
    HIGH_ALPHA,
    MODERATE_ALPHA,
    SAME_SCORE,
    exceeds,
    reaches,
)
from burnish.kinds.lessons.refinement.types import JudgeAggregatedResult, JudgeVerdict
from burnish.web.kinds.lessons.scores import CRITERION_WORDS, lowest_shown, share
from burnish.web.kinds.lessons.story import LessonStory
from burnish.web.speaking import model_name

LEAST_ALPHA = -0.3
"""Where the scale of alpha begins, unless its interval reaches further down."""
SHAPES = ("square", "ring", "diamond", "bar", "dot")
"""How the judges are told apart, in the order of their seats: by shape, never by colour alone."""


@dataclass(frozen=True, slots=True)
class JudgePoint:
    """What one judge gave one criterion."""

    shape: str
    judge: str
    score: float
    at: float
    """In per cent of the picture's width."""


@dataclass(frozen=True, slots=True)
class CriterionPoints:
    """One criterion, judge by judge."""

    name: str
    points: tuple[JudgePoint, ...]
    far: bool
    """The judges are further apart than what still counts as the same."""

    @property
    def first_at(self) -> float:
        return min(point.at for point in self.points)

    @property
    def last_at(self) -> float:
        return max(point.at for point in self.points)


@dataclass(frozen=True, slots=True)
class AlphaScale:
    """Alpha as a picture; places in per cent of its width."""

    at: float
    zero_at: float
    moderate_at: float
    high_at: float
    low: float
    """Where the scale begins."""
    interval_at: tuple[float, float] | None
    """The ends of the 95 % interval."""


@dataclass(frozen=True, slots=True)
class AgreementView:
    """The judges beside each other."""

    judges: tuple[tuple[str, str], ...]
    """Shape and name, in the order of their seats."""
    criteria: tuple[CriterionPoints, ...]
    near: int
    """Criteria on which they are within `tolerance`."""
    level: str | None
    """`high`, `moderate` or `low`; None: it was not counted yet."""
    alpha: float | None
    interval: tuple[float, float] | None
    scale: AlphaScale | None
    why: str
    """Why the level is another than alpha alone would give; empty where it is not."""
    tolerance: float = SAME_SCORE
    moderate: float = MODERATE_ALPHA
    high: float = HIGH_ALPHA


def agreement_view(story: LessonStory) -> AgreementView | None:
    """Of the first judging; None where nobody has judged yet."""
    if not story.panels:
        return None
    _, vote = story.panels[0]
    criteria = _criteria(vote)
    plan = next(iter(story.refined("arbiter_consolidation")), None)
    alpha = plan["agreementScore"] if plan is not None and len(vote.verdicts) > 1 else None
    interval = tuple(plan["agreementInterval"]) if plan is not None and plan.get("agreementInterval") else None
    level = plan["agreementLevel"] if plan is not None else None
    return AgreementView(
        judges=tuple((SHAPES[seat], model_name(one.judge_model)) for seat, one in enumerate(vote.verdicts)),
        criteria=criteria,
        near=sum(not one.far for one in criteria),
        level=level,
        alpha=alpha,
        interval=interval if alpha is not None else None,
        scale=_scale(alpha, interval) if alpha is not None else None,
        why=_why(level, alpha, criteria),
    )


def _criteria(vote: JudgeAggregatedResult) -> tuple[CriterionPoints, ...]:
    low = lowest_shown([score for one in vote.verdicts for score in one.criteria_scores.values()])
    found = [(name, _points(vote.verdicts, name, low)) for name in CRITERIA]
    return tuple(CriterionPoints(CRITERION_WORDS[name], points, _far(points)) for name, points in found if points)


def _points(verdicts: Sequence[JudgeVerdict], criterion: str, low: float) -> tuple[JudgePoint, ...]:
    given = [
        (seat, one.judge_model, score)
        for seat, one in enumerate(verdicts)
        for name, score in one.criteria_scores.items()
        if name == criterion
    ]
    return tuple(JudgePoint(SHAPES[seat], model_name(judge), score, share(score, low)) for seat, judge, score in given)


def _far(points: Sequence[JudgePoint]) -> bool:
    scores = [point.score for point in points]
    return exceeds(max(scores) - min(scores), SAME_SCORE)


def _scale(alpha: float, interval: tuple[float, float] | None) -> AlphaScale:
    low = min([LEAST_ALPHA, alpha, *(interval or ())])
    return AlphaScale(
        at=share(alpha, low),
        zero_at=share(0.0, low),
        moderate_at=share(MODERATE_ALPHA, low),
        high_at=share(HIGH_ALPHA, low),
        low=low,
        interval_at=(share(interval[0], low), share(interval[1], low)) if interval is not None else None,
    )


def _why(level: str | None, alpha: float | None, criteria: Sequence[CriterionPoints]) -> str:
    """What the figures alone would not tell."""
    if alpha is None or level is None:
        return ""
    apart = [one.name for one in criteria if one.far]
    of_alpha = "high" if reaches(alpha, HIGH_ALPHA) else "moderate" if reaches(alpha, MODERATE_ALPHA) else "low"
    said = (
        "Few near-equal scores make alpha unstable, so the level comes from the criteria." if of_alpha != level else ""
    )
    if len(apart) == 1:
        return f"{said} Only {apart[0].lower()} is apart.".strip()
    return f"{said} {', '.join(apart)} are apart.".strip() if apart else said
