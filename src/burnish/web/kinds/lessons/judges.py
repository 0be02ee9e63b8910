"""The panel of a lesson: every vote, judge by judge."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from burnish.kinds.lessons.refinement.config import CRITERIA
from burnish.kinds.lessons.refinement.display_types import CLEVVotingResult, JudgeVerdictDisplay
from burnish.kinds.lessons.refinement.types import JudgeCriterion
from burnish.web.kinds.lessons.planning import JUDGE_SEVERITIES, MOST_LISTED, IssueRow
from burnish.web.kinds.lessons.scores import CRITERION_WORDS
from burnish.web.kinds.lessons.story import LessonStory
from burnish.web.speaking import model_name
from burnish.web.wording import sentence

RECOMMENDATIONS = {
    "ACCEPT": "Accept",
    "ACCEPT_WITH_MINOR_REVISION": "Accept with a minor revision",
    "ITERATIVE_REFINEMENT": "Iterative refinement",
    "REGENERATE": "Write again",
    "ESCALATE": "Ask a person",
}


@dataclass(frozen=True, slots=True)
class SeatView:
    """One judge in one vote."""

    model: str
    role: str
    score: float
    confidence: str
    recommendation: str
    passed: bool
    criteria: tuple[float | None, ...]
    """In the order of `VoteView.criteria`."""
    issues: tuple[IssueRow, ...]
    strengths: tuple[str, ...]
    tokens: int
    seconds: float


@dataclass(frozen=True, slots=True)
class VoteView:
    """One vote of the panel."""

    label: str
    score: float
    recommendation: str
    method: str
    consensus: bool
    criteria: tuple[str, ...]
    seats: tuple[SeatView, ...]


def vote_views(story: LessonStory) -> list[VoteView]:
    """Every vote, the newest first."""
    return [_vote(story, vote) for vote in reversed(story.votes)]


def _vote(story: LessonStory, vote: CLEVVotingResult) -> VoteView:
    scored = [name for name in CRITERIA if any(name in one.criteria_scores for one in vote.verdicts)]
    return VoteView(
        label="First judging" if vote.iteration is None else f"After iteration {vote.iteration + 1}",
        score=vote.aggregated_score,
        recommendation=RECOMMENDATIONS[vote.final_recommendation],
        method=vote.voting_method,
        consensus=vote.consensus_reached,
        criteria=tuple(CRITERION_WORDS[name] for name in scored),
        seats=tuple(_seat(story, one, scored) for one in vote.verdicts),
    )


def _seat(story: LessonStory, verdict: JudgeVerdictDisplay, scored: list[JudgeCriterion]) -> SeatView:
    return SeatView(
        model=model_name(verdict.judge_model),
        role=verdict.role,
        score=verdict.overall_score,
        confidence=verdict.confidence,
        recommendation=RECOMMENDATIONS[verdict.recommendation],
        passed=verdict.passed,
        criteria=tuple(verdict.criteria_scores.get(name) for name in scored),
        issues=tuple(_issues(story, verdict)),
        strengths=verdict.strengths,
        tokens=verdict.tokens_used,
        seconds=verdict.duration_ms / 1000,
    )


def _issues(story: LessonStory, verdict: JudgeVerdictDisplay) -> Iterator[IssueRow]:
    for issue in verdict.issues[:MOST_LISTED]:
        yield IssueRow(
            title=story.title_of(issue.location.partition(": ")[0]),
            criterion=CRITERION_WORDS[issue.criterion],
            severity=JUDGE_SEVERITIES[issue.severity],
            words=sentence(issue.severity),
            description=issue.description,
            quote=issue.quoted_text,
        )
