"""The verdict on a paragraph from all its review rows, the next state, and the work for a rework.

It fails closed. The lowest score of a dimension counts; a score that is missing, doubled, out of range or not finite
makes the dimension missing, even if other reviewers have scored it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from burnish.core.errors import InternalError
from burnish.core.findings import SEVERITIES
from burnish.core.gate import Dimension, GatePolicy, Scorecard, judge
from burnish.kinds.manuscripts.model import Paragraph
from burnish.kinds.manuscripts.policy import DIMENSIONS, HARD_FLOOR, THRESHOLDS, DimensionName
from burnish.kinds.manuscripts.review_rows import ReviewIssue, ReviewRow, category_named

HARD_FAIL = "hard_fail"
"""The reason if a reviewer fails a paragraph without a blocking issue."""
MISSING = "_missing"
CRITICAL = "critical_"

ReviewedState = Literal["ready_to_merge", "rework_queued", "manual_review_required"]
Trigger = Literal[
    "stale_source", "not_judged", "missing_artifact", "hard_floor", "repeated_hard_fail", "attempts_exhausted"
]


@dataclass(frozen=True, slots=True)
class Verdict:
    """The verdict of all reviewers on one paragraph."""

    passed: bool
    reasons: tuple[str, ...]
    """`<dimension>_below_threshold` and `<dimension>_missing` in the order of the dimensions, missing reviewers, then
    `critical_<category>` in alphabetical order, then `hard_fail`. Empty if it passed."""
    hard_reasons: tuple[str, ...]
    """The reasons that fail a paragraph with any scores."""
    scores: Mapping[str, float]
    """The lowest of each dimension."""
    by_reviewer: Mapping[str, Mapping[str, float]]
    """Dimension -> reviewer -> score: all usable scores."""
    issues: tuple[ReviewIssue, ...]
    informational: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    """Reviewer -> other scores, for information only."""
    unjudged: Mapping[str, str] = field(default_factory=dict)
    """Dimension without a score -> why the rules could not judge it; no model judged it either."""

    @property
    def only_missing(self) -> bool:
        """Whether there is no issue with the text, only a review is missing, which can be requested again."""
        # A category may end in the same letters, so hard reasons are tested, too.
        return bool(self.reasons) and not self.hard_reasons and all(one.endswith(MISSING) for one in self.reasons)

    @property
    def only_unjudged(self) -> bool:
        """Whether only dimensions are missing that the rules could not judge: there is no other reviewer to ask."""
        return self.only_missing and {one.removesuffix(MISSING) for one in self.reasons} <= self.unjudged.keys()


class Decision(NamedTuple):
    """The next state of a paragraph after a review."""

    state: ReviewedState
    trigger: Trigger | None = None
    """Why it goes to a person."""


def aggregate(rows: Iterable[ReviewRow], *, thresholds: Mapping[DimensionName, float] = THRESHOLDS) -> Verdict:
    """The verdict on a paragraph from all its rows. Without rows, everything is missing. A dimension that was not
    judged is missing, too, unless the user accepted that rules alone judge."""
    given = list(rows)
    if len({row.paragraph_id for row in given}) > 1:
        raise InternalError("Review rows of several paragraphs cannot make one verdict.")
    dimensions = {name: Dimension(name, thresholds[name]) for name in DIMENSIONS}
    claims, unusable = _claims(given, dimensions)
    lowest = {name: min(claim.values()) for name, claim in claims.items() if claim and name not in unusable}
    unjudged = {name: why for row in given for name, why in row.unjudged.items() if name not in lowest}
    waived = {name for row in given if row.waived for name in row.unjudged} - lowest.keys() - unusable
    asked = tuple(dimension for name, dimension in dimensions.items() if name not in waived)
    card = judge(Scorecard.of(lowest), (), GatePolicy(asked))
    hard = _hard_reasons(given)
    # Reviewers that failed and do not score. For those that score, their scores are missing.
    silent = {row.reviewer for row in given if row.failure is not None and not row.expected}
    missing = sorted(f"{category_named(reviewer)}{MISSING}" for reviewer in silent)
    reasons = tuple(dict.fromkeys([*card.reasons, *missing, *hard]))
    return Verdict(
        passed=not reasons,
        reasons=reasons,
        hard_reasons=hard,
        scores=lowest,
        by_reviewer={name: claim for name, claim in claims.items() if claim},
        issues=tuple(dict.fromkeys(issue for row in given for issue in row.issues)),
        informational=_informational(given, dimensions),
        unjudged=unjudged,
    )


def _claims(
    rows: Iterable[ReviewRow], dimensions: Mapping[DimensionName, Dimension]
) -> tuple[dict[str, dict[str, float]], set[str]]:
    """The usable scores by dimension and reviewer, and the dimensions with an unusable score."""
    claims: dict[str, dict[str, float]] = {name: {} for name in dimensions}
    unusable: set[str] = set()
    for row in rows:
        unusable.update(name for name in row.expected if name not in row.scores)
        for name, dimension in dimensions.items():
            if name not in row.scores:
                continue
            value = row.scores[name]
            if dimension.holds(value):
                claims[name][row.reviewer] = min(float(value), claims[name].get(row.reviewer, dimension.highest))
            else:
                unusable.add(name)
    return claims, unusable


def _hard_reasons(rows: Iterable[ReviewRow]) -> tuple[str, ...]:
    critical: set[str] = set()
    unexplained = False
    for row in rows:
        blocking = {f"{CRITICAL}{issue.category}" for issue in row.issues if issue.blocks}
        critical |= blocking
        # Anything but a plain False fails the paragraph.
        unexplained = unexplained or (row.hard_fail is not False and not blocking)
    return (*sorted(critical), *([HARD_FAIL] if unexplained else []))


def _informational(
    rows: Iterable[ReviewRow], dimensions: Mapping[DimensionName, Dimension]
) -> dict[str, dict[str, float]]:
    """Scores of reviewers outside the five dimensions, and all scores of critics."""
    found: dict[str, dict[str, float]] = {}
    for row in rows:
        extra = {name: value for name, value in row.scores.items() if name not in dimensions}
        usable = Scorecard.of({**extra, **row.informational}).scores
        if usable:
            found.setdefault(row.reviewer, {}).update(usable)
    return found


def next_state(
    verdict: Verdict,
    history: Sequence[Collection[str]] = (),
    *,
    attempt: int,
    max_attempts: int,
    stale_source: bool = False,
    missing_artifact: bool = False,
) -> Decision:
    """The next state of a reviewed paragraph.

    `history`: the hard-fail reasons of its earlier attempts, one set each; `attempt`: the number of the reviewed
    attempt, 1 for the first. Both start again after a person sent it back. An issue without a paragraph blocks the run,
    not a paragraph.
    """
    triggers: dict[Trigger, bool] = {
        "stale_source": stale_source,
        "not_judged": verdict.only_unjudged,
        "missing_artifact": missing_artifact,
        "hard_floor": verdict.scores.get("semantic_fidelity", HARD_FLOOR) < HARD_FLOOR,
        "repeated_hard_fail": any(reason in earlier for earlier in history for reason in verdict.hard_reasons),
        "attempts_exhausted": not verdict.passed and not attempt < max_attempts,
    }
    for trigger, is_met in triggers.items():
        if is_met:
            return Decision("manual_review_required", trigger)
    return Decision("ready_to_merge" if verdict.passed else "rework_queued")


PRESERVE = "preserve semantics"
BELOW = "_below_threshold"
FIDELITIES = {"voice": "voice fidelity", "semantic_fidelity": "semantic fidelity"}
"""Dimensions with other names in requests."""
UNEXPLAINED = "settle what a reviewer failed the paragraph for"
MOST_ISSUES = 20
"""Issues in a packet, the worst first; all of them are in the review rows."""
LONGEST_PART = 300
"""Characters of a quote, a description or a suggestion."""


def rework_packet(
    paragraph: Paragraph, verdict: Verdict, *, failure_history: Sequence[str], attempt: int, note: str | None = None
) -> dict[str, Any]:
    """A row of the rework queue for a paragraph whose review failed. `failure_history`: the reasons of all failed
    attempts, including this one; `attempt`: the number of the rework; `note`: of the person who sent it back."""
    return {
        "paragraph_id": paragraph.id,
        "content_hash": paragraph.source_hash,
        "current_text": paragraph.translation,
        "source_text": paragraph.text,
        "failure_reasons": list(verdict.reasons),
        "failure_history": list(failure_history),
        "required_fixes": list(required_fixes(verdict.reasons, verdict.issues, note)),
        "attempt": attempt,
    }


def required_fixes(reasons: Iterable[str], issues: Iterable[ReviewIssue], note: str | None = None) -> tuple[str, ...]:
    """The work in plain words: first for the reasons, then issue by issue."""
    failed = tuple(reasons)
    fixes = [PRESERVE, *(asked_by(reason) for reason in failed)]
    pressing = pressing_issues(issues, failed)
    fixes += [issue_line(issue) for issue in pressing[:MOST_ISSUES]]
    if len(pressing) > MOST_ISSUES:
        fixes.append(f"settle {len(pressing) - MOST_ISSUES} more issues of the review")
    if note:
        fixes.append(f"follow the note: {note}")
    return tuple(dict.fromkeys(fixes))


def asked_by(reason: str) -> str:
    """The instruction for a reason of a verdict."""
    # This comes first because a category may end like another reason.
    if reason.startswith(CRITICAL):
        return f"fix {_words(reason.removeprefix(CRITICAL))}"
    if reason.endswith(BELOW):
        name = reason.removesuffix(BELOW)
        return f"raise {FIDELITIES.get(name, name)}"
    if reason == HARD_FAIL:
        return UNEXPLAINED
    return f"review {_words(reason.removesuffix(MISSING))} again: it was not judged"


def _words(name: str) -> str:
    return name.replace("_", " ")


def failing_dimensions(reasons: Iterable[str]) -> set[str]:
    return {reason.removesuffix(BELOW) for reason in reasons if reason.endswith(BELOW)}


def pressing_issues(issues: Iterable[ReviewIssue], reasons: Iterable[str]) -> list[ReviewIssue]:
    """The issues for a repair, the worst first.

    Warnings count only if their dimension failed: otherwise they may be mistaken, and passed dimensions are not
    changed. Remarks need no repair.
    """
    failing = failing_dimensions(reasons)
    asking = [
        issue
        for issue in issues
        if issue.blocks or issue.severity == "error" or (issue.severity == "warning" and issue.dimension in failing)
    ]
    ranks = {severity: rank for rank, severity in enumerate(SEVERITIES)}
    return sorted(asking, key=lambda issue: (not issue.blocks, ranks.get(issue.severity, 0)))


def issue_line(issue: ReviewIssue) -> str:
    """One issue on one line: the quote, the fault, the suggestion."""
    quote = f'"{_one_line(issue.quote)}": ' if issue.quote else ""
    fix = f" -> {_one_line(issue.suggested_fix)}" if issue.suggested_fix else ""
    return f"{issue.category}: {quote}{_one_line(issue.description)}{fix}"


def _one_line(text: str) -> str:
    line = " ".join(text[: LONGEST_PART * 2].split())
    return line if len(line) <= LONGEST_PART else f"{line[: LONGEST_PART - 1]}…"
