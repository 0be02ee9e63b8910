"""Review rows: the issues and scores of one reviewer about one paragraph.

Rules, models, critics and files of other tools are all converted here. An issue is mapped to a paragraph, or refused
with a reason.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import chain
from typing import Any, NamedTuple, Self

from burnish.core.findings import SEVERITIES, Finding, Severity
from burnish.core.replies import CriticIssuePart, CriticReply, TranslationIssuePart, TranslationReviewReply, scores_of
from burnish.kinds.manuscripts.model import Paragraph
from burnish.kinds.manuscripts.policy import (
    BLOCKING_CATEGORIES,
    DIMENSIONS,
    RULES,
    DimensionName,
    Mark,
    rule_scores,
    score,
)
from burnish.kinds.manuscripts.reviews import ForeignIssue
from burnish.text.quotes import holds, places, refutes_itself

OTHER = "other"
"""The category of an issue without one."""
LONGEST_CATEGORY = 60
NO_NAME = re.compile(r"[^a-z0-9]+")

SEVERITY_OF: Mapping[str, Severity] = {
    **dict.fromkeys(("critical", "blocker", "blocking", "fatal", "severe"), "critical"),
    **dict.fromkeys(("error", "major", "high", "serious"), "error"),
    **dict.fromkeys(("warning", "warn", "minor", "medium", "moderate"), "warning"),
    **dict.fromkeys(("info", "information", "note", "neutral", "low", "suggestion", "trivial", "hint"), "info"),
}
"""Other tools' words for severities."""

_PLACED: dict[str, DimensionName] = {
    **{placed.category: placed.dimension for placed in RULES.values()},
    # Reviewers without rules judge punctuation as typography; only unbalanced marks are the grammar's.
    "punctuation": "style",
    **{dimension: dimension for dimension in DIMENSIONS},
    **dict.fromkeys(BLOCKING_CATEGORIES, "semantic_fidelity"),
    **dict.fromkeys(("agreement", "capitalisation", "capitalization", "syntax", "word_order"), "grammar"),
    **dict.fromkeys(("consistency", "glossary", "word_choice", "wording", "false_friend"), "vocabulary"),
    **dict.fromkeys(("register", "tone", "dialogue", "point_of_view"), "voice"),
    **dict.fromkeys(
        ("accuracy", "addition", "fidelity", "meaning", "mistranslation", "omission"),
        "semantic_fidelity",
    ),
}
ELSEWHERE: DimensionName = "style"
"""The dimension of unknown categories: readability, layout, rhythm and the like."""


def category_named(words: str | None) -> str:
    """A category as an identifier: `numbers_units` for `Numbers / units`. It is kept short, as a part of reasons."""
    return NO_NAME.sub("_", (words or "").casefold())[:LONGEST_CATEGORY].strip("_") or OTHER


def severity_named(words: str | None) -> Severity:
    """The severity on our scale. An unknown word counts as an error, to fail closed."""
    return SEVERITY_OF.get((words or "").strip().casefold(), "error")


def dimension_of(category: str) -> DimensionName:
    """The dimension in which an issue of this category counts."""
    return _PLACED.get(category, ELSEWHERE)


class Placement(NamedTuple):
    """The place of one paragraph in the candidate."""

    paragraph_id: str
    paragraph_index: int
    start_line: int
    """1-based."""
    end_line: int
    """The last line of the paragraph."""
    text: str
    """The block as written in the candidate, including its markers."""

    def as_wire(self) -> dict[str, Any]:
        """A row of candidate_map.jsonl."""
        return {name: value for name, value in self._asdict().items() if name != "text"}


Anchored = CriticIssuePart | ForeignIssue
"""An issue with an anchor: a line, a range of lines, or a quote."""
LINES = ("line", "start_line", "end_line")


Mapped = tuple[str, ...] | str
"""The paragraphs of an issue; or, as text, why it has none."""


class LineMap:
    """The candidate, or a window of it, by its lines."""

    def __init__(self, placements: Iterable[Placement]) -> None:
        self.placements: Sequence[Placement] = sorted(placements, key=lambda one: (one.start_line, one.paragraph_index))
        self._starts = [one.start_line for one in self.placements]
        self._ends = [one.end_line for one in self.placements]
        self._ids = frozenset(one.paragraph_id for one in self.placements)

    @property
    def paragraph_ids(self) -> tuple[str, ...]:
        return tuple(one.paragraph_id for one in self.placements)

    def resolve(self, anchor: Anchored) -> Mapped:
        """The paragraphs that the anchor points at. The id of a paragraph takes precedence over other anchors."""
        if isinstance(anchor, ForeignIssue) and anchor.paragraph_id is not None:
            id = anchor.paragraph_id
            return (id,) if id in self._ids else f"There is no paragraph {id!r} here."
        # A range with only one end is that line.
        start = anchor.start_line if anchor.start_line is not None else anchor.end_line
        end = anchor.end_line if anchor.end_line is not None else start
        if start is not None and end is not None:
            if start > end:
                return f"The lines {start} to {end} are not a range."
            return self._overlapping(start, end) or f"There is no paragraph on the lines {start} to {end}."
        if anchor.line is not None:
            return self._overlapping(anchor.line, anchor.line) or f"There is no paragraph on line {anchor.line}."
        if anchor.quote is not None and anchor.quote.strip():
            return self._by_quote(anchor.quote)
        return "The issue has neither a line nor a quote."

    def _overlapping(self, start: int, end: int) -> tuple[str, ...]:
        """The paragraphs on these lines. Blocks do not overlap, so starts and ends are both sorted."""
        first, behind = bisect_left(self._ends, start), bisect_right(self._starts, end)
        return tuple(one.paragraph_id for one in self.placements[first:behind])

    def _by_quote(self, quote: str) -> Mapped:
        """The first paragraph that holds the exact quote; an inexact one must match only one paragraph."""
        for one in self.placements:
            if quote in one.text:
                return (one.paragraph_id,)
        holding = [one.paragraph_id for one in self.placements if holds(one.text, quote)]
        if len(holding) > 1:
            return "Several paragraphs may have the quoted words."
        return tuple(holding) or "No paragraph has the quoted words."


RULES_REVIEWER = "rules"
"""The name of the rules as a reviewer."""


@dataclass(frozen=True, slots=True)
class ReviewIssue:
    """One issue of a reviewer with a paragraph."""

    category: str
    severity: Severity
    description: str
    suggested_fix: str | None = None
    quote: str | None = None
    """Words of the translation, exactly as it holds them; as the reviewer gave them if it does not."""
    start: int | None = None
    """Where the quote begins in the translation, in characters; None if it is not there, or there is no quote."""
    end: int | None = None
    line: int | None = None
    """Lines of the candidate, if the reviewer was shown them."""
    start_line: int | None = None
    end_line: int | None = None
    reviewer: str = RULES_REVIEWER
    rule: str | None = None
    """The id of the rule, if a rule found it."""

    @property
    def dimension(self) -> DimensionName:
        """The dimension in which it counts."""
        placed = RULES.get(self.rule or "")
        return placed.dimension if placed is not None else dimension_of(self.category)

    @property
    def blocks(self) -> bool:
        """Whether the paragraph fails because of this alone, with any scores.

        A change of meaning blocks at any severity, except as the warning of a rule, which is not certain.
        """
        if self.severity not in SEVERITIES or self.severity == "critical":
            return True
        sure = self.reviewer != RULES_REVIEWER or self.severity == "error"
        return sure and self.category in BLOCKING_CATEGORIES

    def as_wire(self) -> dict[str, Any]:
        """The record for JSON, without empty fields."""
        return {name: value for name, value in asdict(self).items() if value is not None}

    @classmethod
    def from_wire(cls, record: Mapping[str, Any]) -> Self:
        return cls(**record)


@dataclass(frozen=True, slots=True)
class ReviewRow:
    """The scores and issues of one reviewer for one paragraph."""

    paragraph_id: str
    reviewer: str
    scores: Mapping[str, float]
    """The scores that count. An expected dimension without a score is missing."""
    issues: tuple[ReviewIssue, ...] = ()
    hard_fail: bool = False
    expected: tuple[DimensionName, ...] = ()
    """The dimensions that this reviewer must score."""
    informational: Mapping[str, float] = field(default_factory=dict)
    """Scores for information only."""
    failure: str | None = None
    """Why the reviewer's answer cannot be used."""
    unjudged: Mapping[str, str] = field(default_factory=dict)
    """Dimension -> why the rules could not judge it."""
    waived: bool = False
    """Whether the user accepts that those are not judged: `--rules-only`."""

    def as_wire(self) -> dict[str, Any]:
        """The contract's required keys, then the optional ones."""
        wire: dict[str, Any] = {
            "paragraph_id": self.paragraph_id,
            "scores": dict(self.scores),
            "issues": [issue.as_wire() for issue in self.issues],
            "hard_fail": self.hard_fail,
            "reviewer": self.reviewer,
        }
        more = {
            "expected": list(self.expected),
            "informational": dict(self.informational),
            "failure": self.failure,
            "unjudged": dict(self.unjudged),
            "waived": self.waived,
        }
        return wire | {name: value for name, value in more.items() if value}

    @classmethod
    def from_wire(cls, record: Mapping[str, Any]) -> Self:
        issues = tuple(ReviewIssue.from_wire(issue) for issue in record["issues"])
        return cls(**{**record, "issues": issues, "expected": tuple(record.get("expected", ()))})


def row(
    paragraph_id: str,
    reviewer: str,
    scores: Mapping[str, float],
    issues: tuple[ReviewIssue, ...],
    *,
    expected: tuple[DimensionName, ...] = (),
    informational: Mapping[str, float] | None = None,
    failure: str | None = None,
) -> ReviewRow:
    """A row, which is a hard fail if one of its issues blocks."""
    hard_fail = any(issue.blocks for issue in issues)
    return ReviewRow(paragraph_id, reviewer, scores, issues, hard_fail, expected, informational or {}, failure)


MODEL_REVIEWER = "review"
"""The name of the reviewing model; of several judges, each has its model after a colon."""
UNANSWERED = "The reviewer's answer leaves this paragraph out."
TWICE = "The reviewer's answer judges this paragraph twice."


@dataclass(frozen=True, slots=True)
class Unmapped:
    """An issue without a paragraph: a `mapping_error`, which a person decides."""

    issue: ReviewIssue
    reason: str

    def as_wire(self) -> dict[str, Any]:
        return {"mapping_error": self.reason, "issue": self.issue.as_wire()}


@dataclass(frozen=True, slots=True)
class Reviewed:
    """The rows of one review, and the issues that are in none."""

    rows: tuple[ReviewRow, ...]
    unmapped: tuple[Unmapped, ...] = ()
    dropped: tuple[ReviewIssue, ...] = ()
    """Issues that contradict themselves. They are recorded but not used."""

    @classmethod
    def joined(cls, parts: Iterable[Reviewed]) -> Reviewed:
        each = [(one.rows, one.unmapped, one.dropped) for one in parts]
        return cls(*(tuple(chain.from_iterable(column)) for column in zip(*each, strict=True))) if each else cls(())


def row_of_findings(
    paragraph_id: str,
    findings: Iterable[Finding],
    unjudged: Mapping[str, str] | None = None,
    *,
    rules_only: bool = False,
) -> ReviewRow:
    """The row of the rules. They score all five dimensions, except those that they could not judge."""
    found, without = list(findings), dict(unjudged or {})
    issues = tuple(
        ReviewIssue(
            category=RULES[finding.rule].category if finding.rule in RULES else OTHER,
            severity=finding.severity,
            description=finding.message,
            suggested_fix=finding.suggestion,
            quote=finding.quote,
            start=finding.start,
            end=finding.end,
            rule=finding.rule,
        )
        for finding in found
    )
    expected = tuple(dimension for dimension in DIMENSIONS if dimension not in without)
    made = row(paragraph_id, RULES_REVIEWER, rule_scores(found, without), issues, expected=expected)
    return replace(made, unjudged=without, waived=rules_only and bool(without))


def unread_rows(paragraph_ids: Iterable[str], reviewer: str, failure: str) -> tuple[ReviewRow, ...]:
    """Rows for an answer that is missing or unreadable. None of these paragraphs passes."""
    expected = DIMENSIONS if reviewer.partition(":")[0] == MODEL_REVIEWER else ()
    return tuple(row(id, reviewer, {}, (), expected=expected, failure=failure) for id in paragraph_ids)


def rows_of_review(reply: TranslationReviewReply, paragraphs: Sequence[Paragraph], reviewer: str) -> Reviewed:
    """The reply of a reviewing model: one row for every paragraph in the request.

    Issues are anchored by the paragraph's id. The quote gives the place in it; a misquote leaves the place open.
    """
    asked = {paragraph.id: paragraph for paragraph in paragraphs}
    answered = Counter(part.paragraph_id for part in reply.paragraphs)
    issues: dict[str, list[ReviewIssue]] = {id: [] for id in asked}
    scores: dict[str, dict[str, float]] = {}
    unmapped: list[Unmapped] = []
    dropped: list[ReviewIssue] = []
    for part in reply.paragraphs:
        given = [_issue(issue, reviewer) for issue in part.issues]
        dropped += [issue for issue in given if refutes_itself(issue.description)]
        held = [issue for issue in given if not refutes_itself(issue.description)]
        if part.paragraph_id in asked:
            issues[part.paragraph_id] += [_placed(issue, asked[part.paragraph_id].translation) for issue in held]
            scores[part.paragraph_id] = scores_of(part.scores)
        else:
            reason = "The reviewer names a paragraph that it was not shown."
            unmapped += [Unmapped(issue, reason) for issue in held]
    rows: list[ReviewRow] = []
    for id, held in issues.items():
        # Of two answers about one paragraph neither can be trusted: their scores do not count.
        usable = scores[id] if answered[id] == 1 else {}
        given_scores: dict[str, float] = {name: value for name, value in usable.items() if name in DIMENSIONS}
        rest = {name: value for name, value in usable.items() if name not in DIMENSIONS}
        failure = None if answered[id] == 1 else TWICE if answered[id] else UNANSWERED
        unique = tuple(dict.fromkeys(held))
        rows.append(row(id, reviewer, given_scores, unique, expected=DIMENSIONS, informational=rest, failure=failure))
    return Reviewed(tuple(rows), tuple(unmapped), tuple(dropped))


def _placed(issue: ReviewIssue, text: str) -> ReviewIssue:
    """The issue with the place of its quote, if the text holds it."""
    found = places(text, issue.quote or "", most=1)
    return replace(issue, start=found[0][0], end=found[0][1], quote=text[slice(*found[0])]) if found else issue


def critic_named(name: str) -> str:
    """The name of a critic as a reviewer."""
    return f"critic:{name}"


def tool_named(name: str | None) -> str:
    """The name of another tool as a reviewer, with a prefix, so that no file can pass for our own reviewers."""
    return f"file:{name}" if name else "file"


def rows_of_critics(
    reply: CriticReply, lines: LineMap, translations: Mapping[str, str], critics: Sequence[str]
) -> Reviewed:
    """The reply of critics about a window: a row of each of them for every paragraph in it.

    Their scores are informational. Their issues count: blocking ones, and by the scores computed from all of them.
    `translations`: paragraph id -> its text, in which quotes are located.
    """
    by_critic: dict[str, list[CriticIssuePart]] = {name: [] for name in critics}
    known = {category_named(critic): critic for critic in critics}
    for issue in reply.issues:
        # With only one critic, every issue is its own, whatever the answer says.
        name = critics[0] if len(critics) == 1 else known.get(category_named(issue.lens), OTHER)
        by_critic.setdefault(name, []).append(issue)
    informational = scores_of(reply.scores)
    reviews: list[Reviewed] = []
    for name, issues in by_critic.items():
        reviewer = critic_named(name)
        reviewed = rows_of_issues(issues, lines, translations, reviewer)
        by_id = {row.paragraph_id: row for row in reviewed.rows}
        rows = (by_id.get(id) or row(id, reviewer, {}, ()) for id in lines.paragraph_ids)
        reviews.append(replace(reviewed, rows=tuple(replace(each, informational=informational) for each in rows)))
    return Reviewed.joined(reviews)


def rows_of_issues(
    issues: Iterable[Anchored], lines: LineMap, translations: Mapping[str, str], reviewer: str
) -> Reviewed:
    """Anchored issues of one reviewer: a row for each paragraph with one."""
    found: dict[str, list[ReviewIssue]] = {}
    unmapped: list[Unmapped] = []
    dropped: list[ReviewIssue] = []
    for given in issues:
        issue, target = _issue(given, reviewer), lines.resolve(given)
        if refutes_itself(issue.description):
            dropped.append(issue)
        elif isinstance(target, str):
            unmapped.append(Unmapped(issue, target))
        else:
            for id in target:
                found.setdefault(id, []).append(_placed(issue, translations.get(id, "")))
    rows = tuple(row(id, reviewer, issue_scores(held), tuple(dict.fromkeys(held))) for id, held in found.items())
    return Reviewed(rows, tuple(unmapped), tuple(dropped))


def _issue(given: TranslationIssuePart | Anchored, reviewer: str) -> ReviewIssue:
    """An issue in our form. A reviewer of single paragraphs gives no lines."""
    lines = {} if isinstance(given, TranslationIssuePart) else {name: getattr(given, name) for name in LINES}
    return ReviewIssue(
        category=category_named(given.category),
        severity=severity_named(given.severity),
        description=given.description,
        suggested_fix=given.suggested_fix or None,
        quote=given.quote or None,
        reviewer=reviewer,
        **lines,
    )


def issue_scores(issues: Iterable[ReviewIssue]) -> dict[str, float]:
    """The scores computed from the issues of a reviewer without its own, by the formula of the rules.

    A critical issue blocks its paragraph anyway. It costs no more than an error here, so that a single critic cannot
    push a paragraph below the hard floor, where it is no longer repaired.
    """
    marks: dict[DimensionName, list[Mark]] = {}
    for issue in issues:
        severity = "error" if issue.severity == "critical" else issue.severity
        marks.setdefault(issue.dimension, []).append(Mark(issue.dimension, issue.category, severity))
    return {dimension: score(found) for dimension, found in marks.items()}
