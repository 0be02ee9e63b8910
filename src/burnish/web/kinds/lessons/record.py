"""The record of one lesson in a run, and its views: scores by iteration, criteria, agreement of judges, and votes.

A run may have very many lessons. The journal has a beginning and an end for each round, so only the events between the
two are read. In charts, widths are percentages and heights are pixels.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from burnish.app.materials import read_file
from burnish.app.run_reader import RunReader
from burnish.core.documents import Material
from burnish.core.errors import InputError
from burnish.core.findings import Severity
from burnish.core.kinds import Kind
from burnish.core.records import EventRecord
from burnish.engine.check import opened
from burnish.kinds.lessons.display import (
    CLEVVotingResult,
    RefinementPlanDisplay,
    inspector_extension,
    voting_display,
)
from burnish.kinds.lessons.events import REFINEMENT_EVENTS, STAGES
from burnish.kinds.lessons.model import LessonContext
from burnish.kinds.lessons.policy import (
    CRITERIA,
    HIGH_ALPHA,
    LOCK_LINE,
    MODERATE_ALPHA,
    SAME_SCORE,
    RefinementConfig,
    config_for,
    exceeds,
    reaches,
)
from burnish.kinds.lessons.refinement import JudgeAggregatedResult, JudgeCriterion, JudgeIssue
from burnish.kinds.lessons.verdicts import panel_criteria
from burnish.store.journal import Journal
from burnish.text.markdown import forget_views
from burnish.web import Drawn
from burnish.web.formatting import listed, sentence
from burnish.web.labels import lang_tag, model_name

BEGINS, ENDS = "round_started", "round_ended"
TOLD = (*REFINEMENT_EVENTS, *STAGES, "model_degraded", "transition_broken", BEGINS, ENDS)
"""The event types that are read."""

MOST_SPECS = 12
"""Most specifications that are read for a page; a run with more shows its lessons without them."""

LARGEST = 4_000_000
"""Most bytes of a lesson that is read for titles and language; a larger one is shown without them."""

Payload = Mapping[str, Any]


@dataclass(frozen=True)
class LessonRecord:
    """The record of one lesson in a run."""

    document: str
    events: Sequence[EventRecord]
    """The events of its latest round, in order."""
    mode: str
    """The mode of the run: `semi-auto` or `full-auto`."""
    context: LessonContext
    """The lesson from its file, its language and its specification. If the file cannot be read, it has no units, and
    sections are named by their ids."""

    at_work: bool = False
    """Whether a process works on the run now."""

    def of(self, *types: str) -> Iterator[Payload]:
        """The data of the events of these types, in order."""
        return (event.data for event in self.events if event.type in types)

    def first(self, type: str) -> Payload | None:
        return next(self.of(type), None)

    @cached_property
    def refinement(self) -> Sequence[EventRecord]:
        """The events of the last refinement: a regenerated lesson is refined again."""
        starts = [place for place, event in enumerate(self.events) if event.type == "refinement_start"]
        latest = self.events[starts[-1] :] if starts else ()
        return [event for event in latest if event.type in REFINEMENT_EVENTS]

    def refined(self, type: str) -> list[Payload]:
        """The data of the events of this type in the last refinement."""
        return [event.data for event in self.refinement if event.type == type]

    @cached_property
    def start(self) -> Payload | None:
        """The start of the refinement; None before it."""
        return next(iter(self.refined("refinement_start")), None)

    @cached_property
    def end(self) -> Payload | None:
        """The end of the refinement; None before it."""
        return next(iter(self.refined("refinement_complete")), None)

    @cached_property
    def plan(self) -> RefinementPlanDisplay | None:
        return inspector_extension(self.events).refinement_plan

    @cached_property
    def panels(self) -> tuple[tuple[int | None, JudgeAggregatedResult], ...]:
        """Every verdict of the panel, with the iteration before it; None for the first verdict."""
        judged = [*self.refined("refinement_start"), *self.refined("iteration_complete")]
        if not judged:
            # The panel has judged, and the refinement has not begun or is not needed.
            judged = list(self.of("judged"))[-1:]
        return tuple(
            (data.get("iteration"), JudgeAggregatedResult.model_validate(data["clevResult"]))
            for data in judged
            if data.get("clevResult")
        )

    @property
    def votes(self) -> tuple[CLEVVotingResult, ...]:
        """The verdicts of the panel, prepared for display."""
        return tuple(voting_display(panel, iteration) for iteration, panel in self.panels)

    @cached_property
    def thresholds(self) -> RefinementConfig:
        """The scores that the lesson has to meet."""
        return config_for("full-auto" if self.mode == "full-auto" else "semi-auto")

    @property
    def score(self) -> float | None:
        """The final or the latest score; None before the first verdict."""
        if self.end is not None:
            return float(self.end["score"])
        return self.panels[-1][1].aggregated_score if self.panels else None

    @property
    def is_over(self) -> bool:
        return self.first(ENDS) is not None

    def title_of(self, id: str) -> str:
        """The title of a section: its heading, or else its id in words."""
        lesson = self.context.lesson
        return (lesson.unit(id).title if id in lesson else None) or plain_title(id)

    @property
    def lang(self) -> str | None:
        """The language of the lesson, for `lang`."""
        return lang_tag(self.context.language)


def plain_title(id: str) -> str:
    """`exercises/0` is `Exercise 1`, `intro` is `Introduction`; other ids stay as they are."""
    part, _, number = id.partition("/")
    if part in ("examples", "exercises") and number.isdecimal():
        return f"{part.removesuffix('s').capitalize()} {int(number) + 1}"
    return {"intro": "Introduction", "conclusion": "Conclusion", "lesson": "The lesson as a whole"}.get(id, id)


def lesson_record(run: RunReader, document: str) -> LessonRecord:
    """The record of a document in the run."""
    view = run.view
    mode = str(view.plan.arguments.get("options", {}).get("mode", "semi-auto"))
    events, context = latest_round(view.journal, document), lesson_context(run, document)
    return LessonRecord(document, events, mode, context, run.card.state == "working")


def latest_round(journal: Journal, document: str) -> list[EventRecord]:
    """The events of the latest round of a document, in order; empty if none has begun."""
    rounds = [e for e in journal.events(types=(BEGINS, ENDS)) if e.data.get("document") == document]
    begun = [event.seq for event in rounds if event.type == BEGINS]
    if not begun:
        return []
    ended = next((event.seq for event in rounds if event.type == ENDS and event.seq > begun[-1]), None)
    found = []
    for event in journal.events(after=begun[-1] - 1, types=TOLD):
        if ended is not None and event.seq > ended:
            break
        if event.data.get("document") == document:
            found.append(event)
    return found


def lesson_context(run: RunReader, document: str) -> LessonContext:
    """The lesson from its file."""
    kind = _equipped(run)
    plan = next((one for one in run.view.plan.documents if one.name == document), None)
    surveys: list[object] = []
    if plan is not None:
        # A run is still shown if its source is gone: with less information, but without an error.
        with suppress(InputError, OSError):
            if Path(plan.path).stat().st_size <= LARGEST:
                with opened(plan.path) as stream:
                    surveys = [kind.survey(stream, plan.path, plan.format)]
    context = kind.context(surveys, {})
    forget_views()  # a server shows very many lessons: do not cache views that only checks use again
    assert isinstance(context, LessonContext), "a run of lessons needs the lessons kind"
    return context


def _equipped(run: RunReader) -> Kind:
    """The kind with the specifications of the run, if they can still be read."""
    kind, plan = run.view.kind, run.view.plan
    specs = [one for one in plan.materials if one.role == "spec"]
    if not kind.is_whole or not 0 < len(specs) <= MOST_SPECS:
        return kind
    with suppress(InputError):
        read = [Material(one.name, one.path, read_file(Path(one.path))) for one in specs]
        return kind.supplied({"spec": read}, {})
    return kind


LOCKS = {"max_edits": "edits used up", "regression": "rolled back", "oscillation": "scores went up and down"}
"""Why a section is locked, in words."""


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
"""Severity of a judge -> severity of a finding."""
MOST_LISTED = 40
"""Most issues that are listed: a longer list hides the important ones."""
HEIGHT, TOP, BOTTOM = 252, 8.0, 228.0
"""The score chart: total height, top and bottom of the scale."""
LEFT, RIGHT = 9.0, 90.0
"""The positions of the first and the last point."""
STEP = 0.05
LEAST_ALPHA = -0.3
"""The lower end of the alpha scale, unless the interval extends below it."""
SHAPES = ("square", "ring", "diamond", "bar", "dot")
"""The shapes of the judges, in order: judges never differ by colour alone."""


def exact_score(score: float) -> str:
    """The score with three digits, `.737`: scores of one lesson are close together."""
    return f"{score:.3f}".removeprefix("0")


def lowest_shown(scores: Sequence[float]) -> float:
    """The lower end of a scale of scores, 0.5 or less: most scores are above it."""
    return max(0.0, math.floor(min([0.5, *scores]) * 10) / 10)


def share(score: float, low: float) -> float:
    """The position of a score between `low` and 1, in per cent, limited to 0 to 100."""
    return round(min(1.0, max(0.0, (score - low) / (1.0 - low))) * 100, 2)


# -- scores by iteration


def score_chart(record: LessonRecord) -> Drawn | None:
    """The chart of a lesson; None before the first verdict."""
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
    """The grid lines between the ends, with a step that keeps their labels apart."""
    step = STEP if high - low <= 6 * STEP else 2 * STEP if high - low <= 12 * STEP else 4 * STEP
    first = math.floor(low / step) + 1
    return [score for place in range(first, math.ceil(high / step)) if (score := round(place * step, 2)) < high]


# -- criteria


def criteria_view(record: LessonRecord) -> Drawn | None:
    """The panel's first and latest score of each criterion; None before the first verdict."""
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
    """The agreement of the judges in the first verdict; None before it."""
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
    # Far: the scores differ by more than SAME_SCORE.
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
    """A note on the level of agreement that the figures do not show."""
    if alpha is None or level is None:
        return ""
    of_alpha = "high" if reaches(alpha, HIGH_ALPHA) else "moderate" if reaches(alpha, MODERATE_ALPHA) else "low"
    unstable = "Alpha is unstable with few and nearly equal scores, so the level is taken from the criteria."
    apart = [one.name for one in criteria if one.far]
    named = f"The judges disagree on {listed(apart).lower()}."
    return " ".join([*([unstable] if of_alpha != level else []), *([named] if apart else [])])


# -- votes


def vote_views(record: LessonRecord) -> list[Drawn]:
    """All votes, the newest first."""
    return [
        Drawn(
            vote=vote,
            label="First judging" if vote.iteration is None else f"After iteration {vote.iteration + 1}",
            criteria=tuple(name for name in CRITERIA if any(name in one.criteria_scores for one in vote.verdicts)),
            issues=tuple(
                tuple(issue_row(record, issue.location.partition(": ")[0], issue) for issue in one.issues[:MOST_LISTED])
                for one in vote.verdicts
            ),
        )
        for vote in reversed(record.votes)
    ]


def issue_row(
    record: LessonRecord, section: str, issue: JudgeIssue, judges: Iterable[str] = (), aside: str | None = None
) -> Drawn:
    """An issue of one judge, or of the plan with all judges that raised it. `aside`: why the plan leaves it out."""
    return Drawn(
        title=record.title_of(section),
        criterion=CRITERION_LABELS[issue.criterion],
        severity=JUDGE_SEVERITIES[issue.severity],
        label=sentence(issue.severity),
        description=issue.description,
        quote=issue.quoted_text,
        judges=tuple(map(model_name, judges)),
        aside=aside,
    )
