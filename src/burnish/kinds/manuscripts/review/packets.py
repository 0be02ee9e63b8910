"""Rework packets: what is wrong with a paragraph and what has to be done, in the shape of the contract."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from burnish.core.findings import SEVERITIES, Severity
from burnish.kinds.manuscripts.model import Paragraph
from burnish.kinds.manuscripts.review.aggregate import CRITICAL, HARD_FAIL, MISSING, Verdict
from burnish.kinds.manuscripts.review.rows import ReviewIssue

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
