"""Rework packets, and where the issues of every reviewer enter: anchored to a paragraph, or refused with a reason."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Protocol

from burnish.core.findings import SEVERITIES, Finding, Severity
from burnish.core.replies import CriticReply, TranslationIssuePart, TranslationReviewReply, scores_of
from burnish.core.verification import refutes_itself
from burnish.kinds.manuscripts.materials.reviews import ForeignIssue
from burnish.kinds.manuscripts.model import Paragraph
from burnish.kinds.manuscripts.policy import DIMENSIONS, RULES, DimensionName, Mark, rule_scores, score
from burnish.kinds.manuscripts.review.aggregate import (
    CRITICAL,
    HARD_FAIL,
    MISSING,
    OTHER,
    RULES_REVIEWER,
    Anchored,
    LineMap,
    Mapped,
    MappingError,
    ReviewIssue,
    ReviewRow,
    Verdict,
    category_named,
    row,
    severity_named,
)

PRESERVE = "preserve semantics"
BELOW = "_below_threshold"
RAISE: dict[str, str] = {
    "grammar": "raise grammar",
    "vocabulary": "raise vocabulary",
    "style": "raise style",
    "voice": "raise voice fidelity",
    "semantic_fidelity": "raise semantic fidelity",
}
UNEXPLAINED = "settle what a reviewer failed the paragraph for"
MOST_ISSUES = 20
"""Issues that a packet spells out, the worst first; all of them are in the review rows."""
LONGEST_PART = 300
"""Characters of a quote, a description or a suggestion."""


@dataclass(frozen=True, slots=True)
class ReworkPacket:
    """One task of the rework queue. The fields are the contract's, in its order."""

    paragraph_id: str
    content_hash: str
    current_text: str
    source_text: str
    failure_reasons: tuple[str, ...]
    failure_history: tuple[str, ...]
    """The reasons of every failed attempt so far, this one included."""
    required_fixes: tuple[str, ...]
    attempt: int
    """The attempt that the rework makes: the failed one and one more."""

    def as_wire(self) -> dict[str, Any]:
        return {name: list(value) if isinstance(value, tuple) else value for name, value in asdict(self).items()}


def rework_packet(
    paragraph: Paragraph, verdict: Verdict, *, failure_history: Sequence[str], attempt: int, note: str | None = None
) -> ReworkPacket:
    """The packet for a paragraph whose review failed; `note` is what a person said who sent it back."""
    return ReworkPacket(
        paragraph_id=paragraph.id,
        content_hash=paragraph.source_hash,
        current_text=paragraph.translation,
        source_text=paragraph.text,
        failure_reasons=verdict.reasons,
        failure_history=tuple(failure_history),
        required_fixes=required_fixes(verdict.reasons, verdict.issues, note),
        attempt=attempt,
    )


def required_fixes(reasons: Iterable[str], issues: Iterable[ReviewIssue], note: str | None = None) -> tuple[str, ...]:
    """What has to be done, in plain words: first what the reasons ask for, then issue by issue."""
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
    """What a reason of a verdict asks for."""
    # First of all: a category may end like any other reason.
    if reason.startswith(CRITICAL):
        return f"fix {_words(reason.removeprefix(CRITICAL))}"
    if reason.endswith(BELOW):
        return RAISE[reason.removesuffix(BELOW)]
    if reason == HARD_FAIL:
        return UNEXPLAINED
    return f"review {_words(reason.removesuffix(MISSING))} again: it was not judged"


def _words(name: str) -> str:
    return name.replace("_", " ")


def failing_dimensions(reasons: Iterable[str]) -> set[str]:
    return {reason.removesuffix(BELOW) for reason in reasons if reason.endswith(BELOW)}


def pressing_issues(issues: Iterable[ReviewIssue], reasons: Iterable[str]) -> list[ReviewIssue]:
    """The issues that a repair is about, the worst first.

    Warnings count where their dimension failed: elsewhere they may be mistaken, and what passed is left alone. Remarks
    ask for nothing.
    """
    failing = failing_dimensions(reasons)
    asking = [
        issue
        for issue in issues
        if issue.blocks or issue.severity == "error" or (issue.severity == "warning" and issue.dimension in failing)
    ]
    return sorted(asking, key=lambda issue: (not issue.blocks, _rank(issue.severity)))


def _rank(severity: Severity) -> int:
    return SEVERITIES.index(severity) if severity in SEVERITIES else 0


def issue_line(issue: ReviewIssue) -> str:
    """One issue on one line: the words, what is wrong with them, what to do."""
    quote = f'"{_one_line(issue.quote)}": ' if issue.quote else ""
    fix = f" -> {_one_line(issue.suggested_fix)}" if issue.suggested_fix else ""
    return f"{issue.category}: {quote}{_one_line(issue.description)}{fix}"


def _one_line(text: str) -> str:
    line = " ".join(text[: LONGEST_PART * 2].split())
    return line if len(line) <= LONGEST_PART else f"{line[: LONGEST_PART - 1]}…"


GRAMMAR_REVIEWER = "grammar"
FIDELITY_REVIEWER = "fidelity"
JUDGED: Mapping[str, tuple[DimensionName, ...]] = {
    GRAMMAR_REVIEWER: ("grammar", "vocabulary", "style", "voice"),
    FIDELITY_REVIEWER: ("semantic_fidelity",),
}
"""What each of the two model reviewers has to score."""
UNANSWERED = "The reviewer's answer leaves this paragraph out."
TWICE = "The reviewer's answer judges this paragraph twice."


class AnchoredIssue(Anchored, Protocol):
    """An issue of a critic or of a file: an anchor, and what is wrong there."""

    @property
    def category(self) -> str: ...
    @property
    def severity(self) -> str: ...
    @property
    def description(self) -> str: ...
    @property
    def suggested_fix(self) -> str | None: ...


@dataclass(frozen=True, slots=True)
class Unmapped:
    """An issue that belongs to no paragraph: a `mapping_error`, for a person to decide."""

    issue: ReviewIssue
    reason: str

    def as_wire(self) -> dict[str, Any]:
        return {"mapping_error": self.reason, "issue": self.issue.as_wire()}


@dataclass(frozen=True, slots=True)
class Reviewed:
    """The outcome of one door."""

    rows: tuple[ReviewRow, ...]
    unmapped: tuple[Unmapped, ...] = ()
    dropped: tuple[ReviewIssue, ...] = ()
    """Issues whose own words take them back. Kept for the record; nobody acts on them."""


def row_of_findings(paragraph_id: str, findings: Iterable[Finding]) -> ReviewRow:
    """What the rules say. All five dimensions are theirs to score."""
    found = list(findings)
    issues = tuple(_issue_of_finding(finding) for finding in found)
    return row(paragraph_id, RULES_REVIEWER, rule_scores(found), issues, expected=DIMENSIONS)


def _issue_of_finding(finding: Finding) -> ReviewIssue:
    placed = RULES.get(finding.rule)
    return ReviewIssue(
        category=placed.category if placed else OTHER,
        severity=finding.severity,
        description=finding.message,
        suggested_fix=finding.suggestion,
        quote=finding.quote,
        start=finding.start,
        end=finding.end,
        rule=finding.rule,
    )


def unread_rows(paragraph_ids: Iterable[str], reviewer: str, failure: str) -> tuple[ReviewRow, ...]:
    """What stands for an answer that never came or cannot be read. None of these paragraphs passes."""
    expected = JUDGED.get(reviewer, ())
    return tuple(row(id, reviewer, {}, (), expected=expected, failure=failure) for id in paragraph_ids)


def rows_of_review(reply: TranslationReviewReply, paragraphs: Sequence[Paragraph], reviewer: str) -> Reviewed:
    """What a model reviewer says: one row for every paragraph that it was asked about.

    A paragraph's id is its anchor. The quote only says where in it; words that are not there leave the place open.
    """
    asked = {paragraph.id: paragraph for paragraph in paragraphs}
    answered = Counter(part.paragraph_id for part in reply.paragraphs)
    issues: dict[str, list[ReviewIssue]] = {id: [] for id in asked}
    scores: dict[str, dict[str, float]] = {}
    unmapped: list[Unmapped] = []
    dropped: list[ReviewIssue] = []
    for part in reply.paragraphs:
        given = [_issue_of_part(issue, reviewer) for issue in part.issues]
        dropped += [issue for issue in given if refutes_itself(issue.description)]
        held = [issue for issue in given if not refutes_itself(issue.description)]
        if part.paragraph_id in asked:
            issues[part.paragraph_id] += [_placed(issue, asked[part.paragraph_id].translation) for issue in held]
            scores[part.paragraph_id] = scores_of(part.scores)
        else:
            reason = "The reviewer names a paragraph that it was not shown."
            unmapped += [Unmapped(issue, reason) for issue in held]
    rows = tuple(_judged_row(id, reviewer, scores.get(id, {}), issues[id], answered[id]) for id in asked)
    return Reviewed(rows, tuple(unmapped), tuple(dropped))


def _judged_row(
    id: str, reviewer: str, scores: Mapping[str, float], issues: Iterable[ReviewIssue], times: int
) -> ReviewRow:
    """Two answers about one paragraph contradict each other or are one too many: their scores count as none."""
    expected = JUDGED[reviewer]
    usable = scores if times == 1 else {}
    return row(
        id,
        reviewer,
        {name: value for name, value in usable.items() if name in expected},
        tuple(dict.fromkeys(issues)),
        expected=expected,
        informational={name: value for name, value in usable.items() if name not in expected},
        failure=None if times == 1 else TWICE if times else UNANSWERED,
    )


def _issue_of_part(part: TranslationIssuePart, reviewer: str) -> ReviewIssue:
    return ReviewIssue(
        category=category_named(part.category),
        severity=severity_named(part.severity),
        description=part.description,
        suggested_fix=part.suggested_fix,
        quote=part.quote or None,
        reviewer=reviewer,
    )


def _placed(issue: ReviewIssue, text: str) -> ReviewIssue:
    """The issue with the place of its quote, where the text holds it."""
    at = text.find(issue.quote) if issue.quote else -1
    return issue if at < 0 else replace(issue, start=at, end=at + len(issue.quote or ""))


def critic_named(name: str) -> str:
    """The reviewer's name of a critic."""
    return f"critic:{name}"


def tool_named(name: str | None) -> str:
    """The reviewer's name of another tool. No file can speak as one of our own reviewers."""
    return f"file:{name}" if name else "file"


def rows_of_critic(reply: CriticReply, lines: LineMap, translations: Mapping[str, str], reviewer: str) -> Reviewed:
    """What a critic says about a window: one row for every paragraph in it.

    Its own scores are informational. Its issues count: by what blocks, and by the scores that follow from them.
    `translations`: paragraph id -> its text, in which quotes are given their places.
    """
    reviewed = rows_of_issues(reply.issues, lines, translations, reviewer)
    by_id = {row.paragraph_id: row for row in reviewed.rows}
    informational = scores_of(reply.scores)
    rows = tuple(
        replace(by_id.get(id) or row(id, reviewer, {}, ()), informational=informational) for id in lines.paragraph_ids
    )
    return replace(reviewed, rows=rows)


def rows_of_issues(
    issues: Iterable[AnchoredIssue], lines: LineMap, translations: Mapping[str, str], reviewer: str
) -> Reviewed:
    """Anchored issues of one reviewer: a row for each paragraph that one of them is about."""
    found: dict[str, list[ReviewIssue]] = {}
    unmapped: list[Unmapped] = []
    dropped: list[ReviewIssue] = []
    for given in issues:
        issue, target = _anchored(given, reviewer), _target(given, lines)
        if refutes_itself(issue.description):
            dropped.append(issue)
        elif isinstance(target, MappingError):
            unmapped.append(Unmapped(issue, target.reason))
        else:
            for id in target.paragraph_ids:
                found.setdefault(id, []).append(_placed(issue, translations.get(id, "")))
    rows = tuple(row(id, reviewer, issue_scores(held), tuple(dict.fromkeys(held))) for id, held in found.items())
    return Reviewed(rows, tuple(unmapped), tuple(dropped))


def _target(given: AnchoredIssue, lines: LineMap) -> Mapped | MappingError:
    """A tool that names one of our paragraphs means that one, whatever else it anchors the issue by."""
    if isinstance(given, ForeignIssue) and given.paragraph_id is not None:
        return lines.named(given.paragraph_id)
    return lines.resolve(given)


def _anchored(given: AnchoredIssue, reviewer: str) -> ReviewIssue:
    return ReviewIssue(
        category=category_named(given.category),
        severity=severity_named(given.severity),
        description=given.description,
        suggested_fix=given.suggested_fix,
        quote=given.quote or None,
        line=given.line,
        start_line=given.start_line,
        end_line=given.end_line,
        reviewer=reviewer,
    )


def issue_scores(issues: Iterable[ReviewIssue]) -> dict[str, float]:
    """The scores that follow from a reviewer's issues where it has none that count, by the formula of the rules.

    What is critical blocks its paragraph anyway. It costs no more than an error here: a single critic's word does not
    push a paragraph below the floor, past every repair.
    """
    marks: dict[DimensionName, list[Mark]] = {}
    for issue in issues:
        severity = "error" if issue.severity == "critical" else issue.severity
        marks.setdefault(issue.dimension, []).append(Mark(issue.dimension, issue.category, severity))
    return {dimension: score(found) for dimension, found in marks.items()}
