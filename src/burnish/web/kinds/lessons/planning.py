"""The plan of a refinement: which issues count, what is done about them, and what it may cost."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from burnish.core.findings import Severity
from burnish.web.kinds.lessons.scores import CRITERION_WORDS
from burnish.web.kinds.lessons.story import LessonStory
from burnish.web.speaking import model_name
from burnish.web.wording import in_words, sentence

MOST_LISTED = 40
"""Issues that are listed: a list that nobody reads to its end hides what matters."""
JUDGE_SEVERITIES: Mapping[str, Severity] = {"critical": "critical", "major": "error", "minor": "warning"}
"""What judges call a severity -> how it is drawn."""
REJECTIONS = {"too_few_judges": "only one judge named it", "low_agreement": "the judges agree too little"}


@dataclass(frozen=True, slots=True)
class IssueRow:
    """One issue that judges raised."""

    title: str
    """The section's."""
    criterion: str
    severity: Severity
    words: str
    """How judges call the severity."""
    description: str
    quote: str | None
    judges: tuple[str, ...] = ()
    aside: str | None = None
    """Why nobody acts on it; None: somebody does."""


@dataclass(frozen=True, slots=True)
class PlanView:
    """What the arbiter made of the issues, in the latest plan."""

    iteration: int
    raised: int
    by_several: int
    by_one: int
    aside: int
    tasks: int
    deferred: int
    foreseen: int
    """Tokens."""
    conflicts: tuple[str, ...]
    full_regenerate: str | None
    needs_review: bool
    issues: tuple[IssueRow, ...]


def plan_view(story: LessonStory) -> PlanView | None:
    """None where nothing was planned."""
    plans = story.refined("arbiter_consolidation")
    if not plans:
        return None
    plan = plans[-1]
    raised = [*plan["accepted"], *plan["rejected"]]
    several = sum(len(issue.get("judges", ())) > 1 for issue in raised)
    return PlanView(
        iteration=plan["iteration"] + 1,
        raised=len(raised),
        by_several=several,
        by_one=len(raised) - several,
        aside=len(plan["rejected"]),
        tasks=len(plan["tasks"]),
        deferred=len(plan["deferred"]),
        foreseen=plan["estimatedTokens"],
        conflicts=tuple(_conflict(story, one) for one in plan["conflicts"]),
        full_regenerate=plan["fullRegenerate"],
        needs_review=plan["needsReview"],
        issues=tuple(_issues(story, plan))[:MOST_LISTED],
    )


def _conflict(story: LessonStory, conflict: Mapping[str, Any]) -> str:
    winner, loser = conflict["issue1"], conflict["issue2"]
    won, lost = (CRITERION_WORDS[one["criterion"]].lower() for one in (winner, loser))
    where = story.title_of(winner["sectionId"])
    return f"In {where}, {won} won over {lost}. {sentence(lost)} stays in the instructions as “must not get worse”."


def _issues(story: LessonStory, plan: Mapping[str, Any]) -> Iterator[IssueRow]:
    aside = {one["issueId"]: REJECTIONS.get(one["reason"], in_words(one["reason"])) for one in plan["rejections"]}
    for issue in (*plan["accepted"], *plan["rejected"]):
        yield IssueRow(
            title=story.title_of(issue["sectionId"]),
            criterion=CRITERION_WORDS[issue["criterion"]],
            severity=JUDGE_SEVERITIES[issue["severity"]],
            words=sentence(issue["severity"]),
            description=issue["description"],
            quote=issue.get("quotedText"),
            judges=tuple(model_name(judge) for judge in issue.get("judges", ())),
            aside=aside.get(issue["id"]),
        )


@dataclass(frozen=True, slots=True)
class Limit:
    """How much of what a refinement may take is taken."""

    name: str
    used: float
    most: float
    unit: str
    """Behind the numbers (`s`); empty: nothing is."""

    @property
    def share(self) -> float:
        """In per cent; never more than all."""
        return round(min(1.0, self.used / self.most) * 100, 2) if self.most else 100.0

    @property
    def reached(self) -> bool:
        return self.used >= self.most


def limit_rows(story: LessonStory) -> list[Limit]:
    """The limits of the refinement; none before it began."""
    if story.start is None:
        return []
    done = story.plan.iterations if story.plan is not None else ()
    end = story.end
    tokens = end["tokensUsed"] if end else sum(one.tokens_used for one in done)
    milliseconds = end["durationMs"] if end else sum(one.duration_ms for one in done)
    return [
        Limit("Iterations", len(done), story.start["maxIterations"], ""),
        Limit("Tokens", tokens, story.start["maxTotalTokens"], ""),
        Limit("Time", round(milliseconds / 1000), round(story.start["timeoutMs"] / 1000), "s"),
    ]
