"""Verdicts: from each judge's judgements of each section to one result of the panel (CLEV).

A judge reads the lesson twice: once as a whole, once in windows. A criterion is the word-weighted mean of the units,
or for the criteria of the whole the score given to it. No score is filled in: a judge that did not read and score
every part abstains. Two judges vote; a third is asked only if they disagree, doubt, or fail:

    two usable verdicts, within .10, both at least of medium confidence   their mean            unanimous
    three, of which two are within .10                                    the mean of the two   majority
    three that are all apart                                              the median            tiebreaker
    two that do not agree, and no third                                   the lower one         tiebreaker
    one                                                                   its score, and it never accepts
    none                                                                  PanelFailed: a value, so nothing is lost
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import fmean, median_low
from typing import Literal

from pydantic import Field

from burnish.core.gate import is_number
from burnish.core.replies import CriteriaPart, JudgeIssuePart, scores_of
from burnish.kinds.lessons.policy import (
    ACCEPT_LINE,
    CRITERIA,
    MOST_REVISIONS,
    REFINEMENT_LINE,
    REVISION_LINE,
    SAME_SCORE,
    WHOLE_CRITERIA,
    Score,
    Wire,
    exceeds,
    reaches,
    weights_for,
)
from burnish.kinds.lessons.refinement import (
    LESSON,
    SEVERITIES,
    JudgeAggregatedResult,
    JudgeConfidence,
    JudgeCriterion,
    JudgeIssue,
    JudgeRecommendation,
    JudgeVerdict,
    VotingMethod,
)
from burnish.text.quotes import exact_quote, refutes_itself

ALIGNMENT: JudgeCriterion = "learning_objective_alignment"
MISQUOTED = "(Said of words that are not in the text: "
CONFIDENCES: tuple[JudgeConfidence, ...] = ("low", "medium", "high")
"""Lowest first."""

OF_WHOLE: tuple[JudgeCriterion, ...] = tuple(name for name in CRITERIA if name in WHOLE_CRITERIA)
"""The criteria scored for the lesson as a whole."""
OF_EVERY_TEXT: tuple[JudgeCriterion, ...] = ("clarity_readability", "engagement_examples")
"""The criteria scored for every unit, and for every piece of a long one."""
OF_FACTS: tuple[JudgeCriterion, ...] = (*OF_EVERY_TEXT, "factual_accuracy")
"""The same with passages of the source, which are needed to judge facts."""

Covered = Literal["no", "partly", "yes"]
COVERED: tuple[Covered, ...] = ("no", "partly", "yes")
"""Lowest first."""
PARTLY_TREATED, NOT_TREATED = 0.75, 0.6
"""The highest score of alignment with an objective that is partly treated, or not at all, by the rubric."""


class SectionJudgement(Wire):
    """One judge's judgement of one unit, or of one piece of a long one. `lesson` is the whole, or a part of it."""

    judge: str
    unit: str
    criteria: dict[JudgeCriterion, Score]
    """Only the scored criteria."""
    confidence: JudgeConfidence | None = None
    """Only with the whole; it is not requested for a window, and neither are strengths."""
    issues: tuple[JudgeIssue, ...] = ()
    strengths: tuple[str, ...] = ()
    words: int = Field(default=0, ge=0)
    """Words of prose that were read."""
    tokens: int = 0
    ms: int = 0
    window: int = 0
    windows: int = 1
    """The number of pieces of the unit."""
    asked: tuple[JudgeCriterion, ...] = ()
    """The criteria that the judge was asked to score."""
    objectives: dict[str, Covered] = Field(default_factory=dict)
    """Objective -> whether the lesson treats it, verified by a quote."""

    @property
    def unscored(self) -> tuple[JudgeCriterion, ...]:
        """The criteria that the judge was asked to score and did not."""
        return tuple(name for name in self.asked if name not in self.criteria)


@dataclass(frozen=True, slots=True)
class Abstention:
    """A judge without a usable verdict, with the reason."""

    judge: str
    reason: str


@dataclass(frozen=True, slots=True)
class DroppedIssue:
    """An issue that is not used, with the reason, for the journal."""

    judge: str
    unit: str
    issue: JudgeIssue
    reason: str
    """`quote_not_found`, `self_refuting` or `duplicate`: of two equal issues, the worse one is kept."""


def asked_scores(part: CriteriaPart, asked: Collection[JudgeCriterion]) -> dict[JudgeCriterion, float]:
    """The requested scores: any other is a guess (facts without a source, the whole from one part)."""
    return {name: score for name, score in scores_of(part).items() if name in asked}  # type: ignore[misc]


def judge_issue(part: JudgeIssuePart, unit: str) -> JudgeIssue:
    """An issue of a reply for `unit`, whatever unit the reply names."""
    return JudgeIssue(
        criterion=part.criterion,
        severity=part.severity,
        location=unit,
        description=part.description,
        quoted_text=part.quotedText or None,
        suggested_fix=part.suggestedFix or "",
    )


def verified(judged: SectionJudgement, texts: Iterable[str]) -> tuple[SectionJudgement, tuple[DroppedIssue, ...]]:
    """The judgement without invalid issues: a quote must be in one of `texts`, and gets the spelling used there.

    A serious issue is never dropped for its quote: it is kept without the quote, with a remark.
    """
    readable = tuple(texts)
    kept: dict[tuple[str, str | None, str], JudgeIssue] = {}
    dropped: list[DroppedIssue] = []
    for issue in judged.issues:
        words = exact_quote(readable, issue.quoted_text) if issue.quoted_text is not None else None
        is_nowhere = issue.quoted_text is not None and words is None
        if is_misquoted(issue, readable):
            said, is_nowhere = f"{issue.description} {MISQUOTED}“{issue.quoted_text}”)", False
            issue = issue.model_copy(update={"quoted_text": None, "description": said})
        elif words is not None:
            issue = issue.model_copy(update={"quoted_text": words})
        if is_nowhere or refutes_itself(issue.description):
            reason = "quote_not_found" if is_nowhere else "self_refuting"
            dropped.append(DroppedIssue(judged.judge, judged.unit, issue, reason))
            continue
        key = (issue.criterion, issue.quoted_text, "" if issue.quoted_text else issue.description)
        alike = sorted([kept[key], issue] if key in kept else [issue], key=lambda one: SEVERITIES.index(one.severity))
        kept[key] = alike[0]
        dropped += [DroppedIssue(judged.judge, judged.unit, other, "duplicate") for other in alike[1:]]
    return judged.model_copy(update={"issues": tuple(kept.values())}), tuple(dropped)


def is_misquoted(issue: JudgeIssue, texts: Iterable[str]) -> bool:
    """Whether a serious issue quotes words that are not in the texts."""
    if issue.severity == "minor" or issue.quoted_text is None or refutes_itself(issue.description):
        return False
    return exact_quote(texts, issue.quoted_text) is None


def combine(
    judgements: Iterable[SectionJudgement], units: Collection[str], *, judge: str, with_sources: bool
) -> JudgeVerdict | Abstention:
    """One judge's verdict on a lesson with these `units`, from its judgements of each unit and of the whole."""
    mine = [one for one in judgements if one.judge == judge and (one.unit == LESSON or one.unit in units)]
    missing = _unread(mine, units)
    if missing:
        return Abstention(judge, f"No usable judgement on {', '.join(missing)}.")
    weights = weights_for(with_sources=with_sources)
    scored: dict[JudgeCriterion, float] = {}
    for name in weights:
        # The score of the whole, or the word-weighted mean of the units.
        of_whole = name in WHOLE_CRITERIA
        score = _mean([one for one in mine if (one.unit == LESSON) == of_whole], name)
        if score is not None:
            scored[name] = score
    if len(scored) < len(weights):
        return Abstention(judge, f"Nothing scored: {', '.join(name for name in weights if name not in scored)}.")
    overall = weighted(scored, weights)
    issues = (*(issue for one in mine for issue in one.issues), *_untreated(mine))
    said = (one.confidence for one in mine if one.unit == LESSON and one.confidence is not None)
    confidence = min(said, key=CONFIDENCES.index)
    return JudgeVerdict(
        overall_score=overall,
        passed=reaches(overall, REVISION_LINE) and not has_critical(issues),
        confidence=confidence,
        criteria_scores=scored,
        issues=issues,
        strengths=tuple(dict.fromkeys(strength for one in mine for strength in one.strengths)),
        recommendation=recommend(overall, confidence, issues),
        judge_model=judge,
        tokens_used=sum(one.tokens for one in mine),
        duration_ms=sum(one.ms for one in mine),
    )


def coverage(judgements: Iterable[SectionJudgement]) -> dict[str, Covered]:
    """Objective -> how well the lesson treats it; one part that does is enough."""
    found: dict[str, Covered] = {}
    for one in judgements:
        for id, covered in one.objectives.items():
            found[id] = max(found.get(id, "no"), covered, key=COVERED.index)
    return found


def _untreated(mine: Sequence[SectionJudgement]) -> list[JudgeIssue]:
    """An issue for each objective that is not treated, if the judge raised no issue about alignment."""
    if any(issue.criterion == ALIGNMENT for one in mine for issue in one.issues):
        return []
    return [
        JudgeIssue(
            criterion=ALIGNMENT,
            severity="major",
            location=LESSON,
            description=f"The objective {id} is not treated: no passage of the lesson shows it.",
            suggested_fix="Treat it where it belongs.",
        )
        for id, covered in coverage(mine).items()
        if covered == "no"
    ]


def _unread(mine: Sequence[SectionJudgement], units: Collection[str]) -> list[str]:
    """The units, and the whole, of which the judge did not read or score every piece."""
    read: dict[str, set[int]] = {}
    wanted: dict[str, int] = {}
    unscored: dict[str, list[JudgeCriterion]] = {}
    for one in mine:
        read.setdefault(one.unit, set()).add(one.window)
        wanted[one.unit] = max(wanted.get(one.unit, 1), one.windows)
        unscored.setdefault(one.unit, []).extend(one.unscored)
    missing = []
    for unit in (LESSON, *units):
        if len(read.get(unit, ())) < wanted.get(unit, 1):
            missing.append(unit)
        elif unscored[unit]:
            missing.append(f"{unit} (no score for {', '.join(dict.fromkeys(unscored[unit]))})")
    return missing


def _mean(judgements: Sequence[SectionJudgement], criterion: JudgeCriterion) -> float | None:
    """The word-weighted mean of one judge's scores for the criterion; None if there are none."""
    scores: dict[str, list[tuple[float, int]]] = {}
    size: dict[str, int] = {}
    for one in judgements:
        size[one.unit] = size.get(one.unit, 0) + max(one.words, 1)
        if criterion in one.criteria:
            scores.setdefault(one.unit, []).append((one.criteria[criterion], max(one.words, 1)))
    # By pieces first: a piece without passages has no score for facts, and must not lower its section's weight.
    sections = [(_weighted_mean(pieces), size[unit]) for unit, pieces in scores.items()]
    if not sections:
        return None
    # Alignment scores no more than the treated objectives allow.
    covered = set(coverage(judgements).values()) if criterion == ALIGNMENT else set()
    most = NOT_TREATED if "no" in covered else PARTLY_TREATED if "partly" in covered else 1.0
    return min(_weighted_mean(sections), most)


def _weighted_mean(pairs: Sequence[tuple[float, int]]) -> float:
    return _tidy(sum(score * weight for score, weight in pairs) / sum(weight for _, weight in pairs))


def weighted(scores: Mapping[JudgeCriterion, float], weights: Mapping[JudgeCriterion, float]) -> float:
    """The overall score. The weights of criteria without a score are distributed to the others."""
    counted = [name for name in weights if name in scores]
    total = sum(weights[name] for name in counted)
    return _tidy(sum(scores[name] * weights[name] for name in counted) / total) if counted else 0.0


def _tidy(score: float) -> float:
    """The score without binary rounding errors, which could move it across a line or out of its range."""
    return min(1.0, max(0.0, round(score, 9)))


def unit_scores(judgements: Iterable[SectionJudgement], unit: str) -> dict[JudgeCriterion, float]:
    """The judges' scores for one unit: the mean over judges, each the mean of its pieces."""
    by_judge: dict[str, list[SectionJudgement]] = {}
    for one in judgements:
        if one.unit == unit:
            by_judge.setdefault(one.judge, []).append(one)
    means = {
        name: [mean for pieces in by_judge.values() if (mean := _mean(pieces, name)) is not None] for name in CRITERIA
    }
    return {name: _tidy(fmean(scores)) for name, scores in means.items() if scores}


def unit_score(judgements: Iterable[SectionJudgement], unit: str) -> float | None:
    """One number for one unit, to detect oscillation. None if it has no scores."""
    scores = unit_scores(judgements, unit)
    return weighted(scores, weights_for(with_sources=True)) if scores else None


def panel_criteria(verdicts: Iterable[JudgeVerdict]) -> dict[JudgeCriterion, float]:
    """The judges' scores for the lesson, criterion by criterion."""
    every = list(verdicts)
    scores = {name: [one.criteria_scores[name] for one in every if name in one.criteria_scores] for name in CRITERIA}
    return {name: _tidy(fmean(values)) for name, values in scores.items() if values}


def has_critical(issues: Iterable[JudgeIssue]) -> bool:
    return any(issue.severity == "critical" for issue in issues)


def recommend(score: float, confidence: JudgeConfidence, issues: Sequence[JudgeIssue]) -> JudgeRecommendation:
    """The recommendation for this score. An invalid score goes to a person."""
    if confidence == "low" or not is_number(score) or not 0 <= score <= 1:
        return "ESCALATE"
    if reaches(score, ACCEPT_LINE):
        return "ACCEPT"
    if reaches(score, REVISION_LINE) and not has_critical(issues) and len(issues) <= MOST_REVISIONS:
        return "ACCEPT_WITH_MINOR_REVISION"
    return "ITERATIVE_REFINEMENT" if reaches(score, REFINEMENT_LINE) else "REGENERATE"


Ballot = JudgeVerdict | Abstention


@dataclass(frozen=True, slots=True)
class PanelFailed:
    """No judge gave a usable verdict."""

    reasons: tuple[Abstention, ...]

    @property
    def message(self) -> str:
        return "No judge gave a usable verdict. " + " ".join(f"{one.judge}: {one.reason}" for one in self.reasons)


def third_judge_reason(first: Ballot, second: Ballot) -> str | None:
    """Why a third judge must be asked (`seat_failed`, `low_confidence`, `disagreement`); None if it need not be."""
    if isinstance(first, Abstention) or isinstance(second, Abstention):
        return "seat_failed"
    if "low" in (first.confidence, second.confidence):
        return "low_confidence"
    return None if _agree(first, second) else "disagreement"


def vote(ballots: Sequence[Ballot]) -> JudgeAggregatedResult | PanelFailed:
    """The panel's result. Ballots in the order of the judges: first, second, and the third if it was asked."""
    verdicts = [ballot for ballot in ballots if isinstance(ballot, JudgeVerdict)]
    if not verdicts:
        return PanelFailed(tuple(ballot for ballot in ballots if isinstance(ballot, Abstention)))
    method, counted, consensus = _counted(verdicts)
    score = round(fmean(verdict.overall_score for verdict in counted), 9)
    issues = distinct_issues(verdicts)
    # If two disagree and no third decides, the lower confidence counts.
    recommendation = recommend(score, _confidence(verdicts if len(verdicts) == 2 else counted), issues)
    if len(verdicts) == 1 and recommendation.startswith("ACCEPT"):
        # A lone judge is not confirmed: its issues may be worked on, but acceptance is left to a person.
        may_be_worked_on = recommendation == "ACCEPT_WITH_MINOR_REVISION" and issues
        recommendation = "ITERATIVE_REFINEMENT" if may_be_worked_on else "ESCALATE"
    return JudgeAggregatedResult(
        verdicts=tuple(verdicts),
        aggregated_score=score,
        final_recommendation=recommendation,
        voting_method=method,
        consensus_reached=consensus,
    )


def _counted(verdicts: Sequence[JudgeVerdict]) -> tuple[VotingMethod, Sequence[JudgeVerdict], bool]:
    """The method of the vote, the verdicts whose scores are averaged, and whether they are a consensus."""
    if len(verdicts) == 2 and third_judge_reason(*verdicts) is None:
        return "unanimous", verdicts, True
    pairs = [pair for pair in combinations(verdicts, 2) if _agree(*pair)] if len(verdicts) > 2 else []
    if pairs:
        # The pair with the highest confidence, then the one with the closest scores.
        return "majority", min(pairs, key=lambda one: (-CONFIDENCES.index(_confidence(one)), _distance(*one))), True
    middle = median_low(verdict.overall_score for verdict in verdicts)
    return "tiebreaker", [next(verdict for verdict in verdicts if verdict.overall_score == middle)], False


def _agree(one: JudgeVerdict, other: JudgeVerdict) -> bool:
    return not exceeds(_distance(one, other), SAME_SCORE)


def _distance(one: JudgeVerdict, other: JudgeVerdict) -> float:
    return round(abs(one.overall_score - other.overall_score), 9)


def _confidence(verdicts: Iterable[JudgeVerdict]) -> JudgeConfidence:
    return min((verdict.confidence for verdict in verdicts), key=CONFIDENCES.index)


def distinct_issues(verdicts: Iterable[JudgeVerdict]) -> list[JudgeIssue]:
    """The issues of all judges; issues about the same place and criterion are merged."""
    found: dict[tuple[str, str, str], JudgeIssue] = {}
    for issue in (issue for verdict in verdicts for issue in verdict.issues):
        key = (issue.criterion, issue.location.split(": ")[0], issue.quoted_text or "")
        if key not in found or issue.severity == "critical":
            found[key] = issue
    return list(found.values())
