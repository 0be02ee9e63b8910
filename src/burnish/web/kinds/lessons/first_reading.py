"""The first reading of a lesson: what rules decided for free, what code mended, and what a cheap reader added."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from burnish.core.findings import Severity
from burnish.web.kinds.lessons.planning import MOST_LISTED
from burnish.web.kinds.lessons.story import LessonStory
from burnish.web.wording import in_words, sentence

STATUSES = {
    "REGENERATE": "Has to be written again",
    "FIXED": "Mended by code",
    "FLAG_TO_JUDGE": "Goes to the judges with doubts",
    "PASS_WITH_FLAGS": "Passed with remarks",
    "PASS": "Passed",
}
ISSUE_SEVERITIES: Mapping[str, Severity] = {
    "CRITICAL": "critical",
    "COMPLEX": "error",
    "FIXABLE": "warning",
    "INFO": "info",
}
"""What the first reading calls a severity -> how it is drawn."""
TONES = {"supported": "ok", "contradicted": "critical", "not_found": "q"}
"""The verdict on a claim -> how it is drawn."""


@dataclass(frozen=True, slots=True)
class ReviewRow:
    """One thing that the first reading noticed."""

    type: str
    severity: Severity
    words: str
    title: str
    description: str
    quote: str | None


@dataclass(frozen=True, slots=True)
class ClaimRow:
    """A claim of the lesson that was held against the source."""

    title: str
    claim: str
    verdict: str
    passage: str | None
    doubt: str | None
    tone: str


@dataclass(frozen=True, slots=True)
class SelfReviewView:
    """What rules and the first reader said before anybody judged."""

    status: str
    words: str
    reasoning: str
    issues: tuple[ReviewRow, ...]
    patches: int
    degraded: bool
    claims: tuple[ClaimRow, ...]
    silent: tuple[str, ...]
    """Judges and readers that gave no usable answer."""
    written_again: int


def self_review_view(story: LessonStory) -> SelfReviewView | None:
    """The last first reading of the lesson; None before it."""
    told = list(story.of("self_reviewed"))
    if not told:
        return None
    said = told[-1]
    return SelfReviewView(
        status=said["status"],
        words=STATUSES.get(said["status"], in_words(said["status"])),
        reasoning=said["reasoning"],
        issues=tuple(_review_row(story, issue) for issue in said["issues"][:MOST_LISTED]),
        patches=len(said["patch"]),
        degraded=said["degraded"],
        claims=tuple(_claims(story)),
        silent=tuple(name for one in story.of("model_degraded") for name in one["silent"]),
        written_again=len(list(story.of("writing_again"))),
    )


def _review_row(story: LessonStory, issue: Mapping[str, Any]) -> ReviewRow:
    return ReviewRow(
        type=sentence(str(issue["type"]).lower()),
        severity=ISSUE_SEVERITIES.get(issue["severity"], "info"),
        words=sentence(str(issue["severity"]).lower()),
        title=story.title_of(issue["location"]),
        description=issue["description"],
        quote=issue.get("quote"),
    )


def _claims(story: LessonStory) -> Iterator[ClaimRow]:
    told = [event for event in story.events if event.type == "claim_verified"]
    for event in told[:MOST_LISTED]:
        data = event.data
        yield ClaimRow(
            title=story.title_of(str(event.unit or "").removeprefix(f"{story.document}/")),
            claim=data["claim"],
            verdict=in_words(str(data["verdict"])),
            passage=data.get("passage"),
            doubt=data.get("doubt"),
            tone=TONES.get(str(data["verdict"]), "q"),
        )
