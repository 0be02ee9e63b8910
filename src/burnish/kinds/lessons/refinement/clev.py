"""CLEV: two judges vote; a third is asked only where they disagree, doubt, or fail.

two usable verdicts, within .10, both at least of medium confidence   their mean            unanimous
three, of which two are within .10                                    the mean of the two   majority
three that are all apart                                              the median            tiebreaker
two that do not agree, and no third                                   the lower one         tiebreaker
one                                                                   its score, and it never accepts
none                                                                  PanelFailed: a value, so nothing is lost
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import fmean, median_low

from burnish.kinds.lessons.refinement.config import SAME_SCORE, exceeds
from burnish.kinds.lessons.refinement.scoring import CONFIDENCES, Abstention, recommend
from burnish.kinds.lessons.refinement.types import (
    JudgeAggregatedResult,
    JudgeConfidence,
    JudgeIssue,
    JudgeRecommendation,
    JudgeVerdict,
    VotingMethod,
)

Ballot = JudgeVerdict | Abstention


@dataclass(frozen=True, slots=True)
class PanelFailed:
    """No judge gave a usable verdict."""

    reasons: tuple[Abstention, ...]

    @property
    def message(self) -> str:
        return "No judge gave a usable verdict. " + " ".join(f"{one.judge}: {one.reason}" for one in self.reasons)


def third_judge_reason(first: Ballot, second: Ballot) -> str | None:
    """Why a third judge has to be asked (`seat_failed`, `low_confidence`, `disagreement`); None where it has not."""
    if isinstance(first, Abstention) or isinstance(second, Abstention):
        return "seat_failed"
    if "low" in (first.confidence, second.confidence):
        return "low_confidence"
    return None if _agree(first, second) else "disagreement"


def vote(ballots: Sequence[Ballot]) -> JudgeAggregatedResult | PanelFailed:
    """What the panel says. Ballots in the order of the seats: first, second, and the third where it was asked."""
    verdicts = [ballot for ballot in ballots if isinstance(ballot, JudgeVerdict)]
    if not verdicts:
        return PanelFailed(tuple(ballot for ballot in ballots if isinstance(ballot, Abstention)))
    method, counted, consensus = _counted(verdicts)
    score = round(fmean(verdict.overall_score for verdict in counted), 9)
    return JudgeAggregatedResult(
        verdicts=tuple(verdicts),
        aggregated_score=score,
        # Where two disagree and nobody settles it, the doubt of either is the doubt of both.
        final_recommendation=_recommendation(score, _confidence(verdicts if len(verdicts) == 2 else counted), verdicts),
        voting_method=method,
        consensus_reached=consensus,
    )


def _counted(verdicts: Sequence[JudgeVerdict]) -> tuple[VotingMethod, Sequence[JudgeVerdict], bool]:
    """How the vote was won, whose scores are averaged, and whether that is a consensus."""
    if len(verdicts) == 2 and third_judge_reason(*verdicts) is None:
        return "unanimous", verdicts, True
    pairs = [pair for pair in combinations(verdicts, 2) if _agree(*pair)] if len(verdicts) > 2 else []
    if pairs:
        return "majority", min(pairs, key=_doubt), True
    middle = median_low(verdict.overall_score for verdict in verdicts)
    return "tiebreaker", [next(verdict for verdict in verdicts if verdict.overall_score == middle)], False


def _agree(one: JudgeVerdict, other: JudgeVerdict) -> bool:
    return not exceeds(abs(one.overall_score - other.overall_score), SAME_SCORE)


def _doubt(pair: tuple[JudgeVerdict, JudgeVerdict]) -> tuple[int, float]:
    """Least for the pair that is surest of itself, then for the one that is closest together."""
    distance = round(abs(pair[0].overall_score - pair[1].overall_score), 9)
    return -CONFIDENCES.index(_confidence(pair)), distance


def _confidence(verdicts: Iterable[JudgeVerdict]) -> JudgeConfidence:
    return min((verdict.confidence for verdict in verdicts), key=CONFIDENCES.index)


def _recommendation(score: float, confidence: JudgeConfidence, verdicts: Sequence[JudgeVerdict]) -> JudgeRecommendation:
    issues = distinct_issues(verdicts)
    recommendation = recommend(score, confidence, issues)
    if len(verdicts) > 1 or not recommendation.startswith("ACCEPT"):
        return recommendation
    # Nobody confirms a lone judge: its issues may be worked on, its praise goes to a person.
    return "ITERATIVE_REFINEMENT" if recommendation == "ACCEPT_WITH_MINOR_REVISION" and issues else "ESCALATE"


def distinct_issues(verdicts: Iterable[JudgeVerdict]) -> list[JudgeIssue]:
    """The issues of all judges; what two judges say about the same place under the same criterion is one issue."""
    found: dict[tuple[str, str, str], JudgeIssue] = {}
    for issue in (issue for verdict in verdicts for issue in verdict.issues):
        key = (issue.criterion, issue.location.split(": ")[0], issue.quoted_text or "")
        if key not in found or issue.severity == "critical":
            found[key] = issue
    return list(found.values())
