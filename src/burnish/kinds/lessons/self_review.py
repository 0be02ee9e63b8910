"""Stage 1, the self-review: checks by rules, fixes by code, and the issues of a cheap reader model.

Status is the first that applies: REGENERATE, FIXED, FLAG_TO_JUDGE, PASS_WITH_FLAGS, PASS.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from burnish.core.checks import Examination, apply_safe_fixes
from burnish.core.documents import Unit
from burnish.core.findings import Finding
from burnish.core.replies import SelfReviewIssuePart, SelfReviewReply
from burnish.kinds.lessons.findings import Examine
from burnish.kinds.lessons.model import Lesson, LessonUnit, pointer, wire_content
from burnish.text.quotes import exact_quote, holds, refutes_itself

Status = Literal["REGENERATE", "FIXED", "FLAG_TO_JUDGE", "PASS_WITH_FLAGS", "PASS"]
IssueType = Literal["TRUNCATION", "LANGUAGE", "ALIGNMENT", "HALLUCINATION", "HYGIENE", "EMPTY", "LOGIC", "TONE"]
IssueSeverity = Literal["CRITICAL", "FIXABLE", "COMPLEX", "INFO"]

WHOLE = "lesson"
"""The location of issues about no single unit."""

TYPES: Mapping[str, IssueType] = {
    "truncation": "TRUNCATION",
    "code_fence": "TRUNCATION",
    "wrong_language": "LANGUAGE",
    "foreign_script": "LANGUAGE",
    "homoglyphs": "LANGUAGE",
    "placeholder": "EMPTY",
    "empty_field": "EMPTY",
    "required_parts": "EMPTY",
    "objective_coverage": "ALIGNMENT",
    "source_numbers": "HALLUCINATION",
    "duplicate_paragraph": "LOGIC",
    "reading_difficulty": "TONE",
}
"""Rule -> the issue's type; every other rule is about HYGIENE."""

FOR_A_JUDGE: frozenset[IssueType] = frozenset({"ALIGNMENT", "HALLUCINATION", "LANGUAGE"})
"""Issues that code can only suspect: a judge decides."""

SERIOUS = frozenset({"CRITICAL", "COMPLEX"})
"""Severities of the reader's issues that are kept even with a wrong quote."""
MOST_QUOTED = 200


class ReviewIssue(BaseModel):
    """One issue of the review."""

    model_config = ConfigDict(frozen=True)

    type: IssueType
    severity: IssueSeverity
    location: str
    """A unit's id, or `lesson`; if the file could not be read, the place in it."""
    description: str
    quote: str | None = None


class SelfReviewResponse(BaseModel):
    """The verdict of stage 1 as JSON."""

    model_config = ConfigDict(frozen=True)

    status: Status
    reasoning: str
    """Two sentences at most."""
    issues: tuple[ReviewIssue, ...]
    patched_content: dict[str, Any] | None
    """The whole content after the fixes if the status is FIXED; otherwise None."""
    patch: tuple[dict[str, Any], ...] = ()
    """The same fixes as a JSON Patch (RFC 6902) against `content`, with any status."""
    degraded: bool = False
    """Whether the reader's model did not answer, so that only rules were used."""


@dataclass(frozen=True, slots=True)
class DroppedIssue:
    """An issue of the reader that was not used, with the reason."""

    issue: SelfReviewIssuePart
    reason: str
    """`quote_not_found`, `no_quote`, `self_refuting` or `duplicate`."""


@dataclass(frozen=True)
class SelfReview:
    """The verdict of stage 1, and the lesson after it."""

    lesson: Lesson
    """With all safe fixes made."""
    issues: tuple[ReviewIssue, ...] = ()
    patch: tuple[dict[str, Any], ...] = ()
    settled: tuple[Finding, ...] = ()
    """The findings that code fixed."""
    dropped: tuple[DroppedIssue, ...] = ()
    doubt: str | None = None
    """The reader's doubt, if none of its issues holds."""
    degraded: bool = False

    @property
    def status(self) -> Status:
        severities = {issue.severity for issue in self.issues}
        if "CRITICAL" in severities:
            return "REGENERATE"
        if self.patch:
            return "FIXED"
        if "COMPLEX" in severities:
            return "FLAG_TO_JUDGE"
        return "PASS_WITH_FLAGS" if self.issues or self.doubt else "PASS"

    @property
    def reasoning(self) -> str:
        """Two sentences at most: the deciding issue, and the number of others."""
        if not self.issues:
            return self.doubt or "No rule found anything in the lesson."
        decisive = self.issues[0]
        places = ", ".join(dict.fromkeys(i.location for i in self.issues if i.severity == decisive.severity))
        first = {
            "REGENERATE": f"Unusable as it is ({decisive.type.lower()} in {places}).",
            "FIXED": f"Fixed by code in {places}.",
            "FLAG_TO_JUDGE": f"A judge has to look at {places}.",
        }.get(self.status, f"Sound, with remarks on {places}.")
        others = sum(issue.severity != decisive.severity for issue in self.issues)
        return f"{first} {others} further remark{'' if others == 1 else 's'}." if others else first

    def response(self) -> SelfReviewResponse:
        return SelfReviewResponse(
            status=self.status,
            reasoning=self.reasoning,
            issues=self.issues,
            patched_content=wire_content(self.lesson) if self.status == "FIXED" else None,
            patch=self.patch,
            degraded=self.degraded,
        )


def self_review(lesson: Lesson, examine: Examine) -> SelfReview:
    """The rules' verdict. Every fix is applied and the unit examined again; a fix that settles nothing or breaks a rule
    is not kept."""
    fixed = lesson
    settled: list[Finding] = []
    left: list[Finding] = []

    def examined(unit: Unit) -> Examination:
        return examine(fixed, _lesson_unit(unit))

    for unit in lesson.units:
        mending = apply_safe_fixes(unit, examine(lesson, unit), examined)
        if mending.settled:
            fixed = fixed.with_unit(_lesson_unit(mending.unit))
        settled += mending.settled
        left += [*mending.examination.findings, *mending.examination.of_document]
    # The changes, as a JSON Patch against the JSON form of `content`.
    patch = tuple(
        {"op": "replace", "path": pointer(fixed, unit.id, field), "value": text}
        for unit in fixed.units
        if unit is not lesson.unit(unit.id)
        for field, text in unit.texts().items()
        if text != lesson.unit(unit.id).texts()[field]
    )
    issues = [_issue(finding, "FIXABLE", f"{finding.message} Fixed.") for finding in settled]
    for finding in left:
        is_suspicion = finding.severity == "warning" and TYPES.get(finding.rule) in FOR_A_JUDGE
        severity: IssueSeverity = "COMPLEX" if finding.severity == "error" or is_suspicion else "INFO"
        issues.append(_issue(finding, "CRITICAL" if finding.severity == "critical" else severity, finding.message))
    return SelfReview(fixed, _once(issues), patch, tuple(settled))


def following(review: SelfReview, earlier: SelfReview | None) -> SelfReview:
    """The review of a lesson that was reviewed before, including the earlier fixes."""
    if earlier is None or not earlier.patch:
        return review
    fixed = [issue for issue in earlier.issues if issue.severity == "FIXABLE"]
    return replace(
        review,
        issues=_once([*fixed, *review.issues]),
        patch=(*earlier.patch, *review.patch),
        settled=(*earlier.settled, *review.settled),
    )


def _lesson_unit(unit: Unit) -> LessonUnit:
    assert isinstance(unit, LessonUnit), "a fix makes nothing else of a unit"
    return unit


def unreadable(location: str, description: str) -> SelfReviewResponse:
    """The verdict on an incomplete file: it is not judged as if it were whole."""
    issue = ReviewIssue(type="TRUNCATION", severity="CRITICAL", location=location, description=description)
    return SelfReviewResponse(
        status="REGENERATE",
        reasoning=f"The lesson cannot be read as a whole: it breaks off at {location}.",
        issues=(issue,),
        patched_content=None,
    )


def _issue(finding: Finding, severity: IssueSeverity, description: str) -> ReviewIssue:
    return ReviewIssue(
        type=TYPES.get(finding.rule, "HYGIENE"),
        severity=severity,
        location=finding.unit,
        description=description,
        quote=finding.quote[:MOST_QUOTED] if finding.quote else None,
    )


def _once(issues: Iterable[ReviewIssue]) -> tuple[ReviewIssue, ...]:
    """The issues, worst first, each only once."""
    order = ("CRITICAL", "FIXABLE", "COMPLEX", "INFO")
    return tuple(dict.fromkeys(sorted(issues, key=lambda issue: order.index(issue.severity))))


def with_model(review: SelfReview, reply: SelfReviewReply) -> SelfReview:
    """The review with the issues of the cheap reader. They are claims: each is verified before it counts.

    The status follows from the issues that hold, not from the reader's status. Hygiene is fixed by code or not at all,
    so issues that the reader calls fixable are only shown.
    """
    held: list[ReviewIssue] = []
    dropped: list[DroppedIssue] = []
    known = {(issue.type, issue.location, issue.quote) for issue in review.issues}
    for part in reply.issues:
        location = _located(review.lesson, part)
        reason = _doubt(review.lesson, part, location)
        if reason == "quote_not_found" and part.severity in SERIOUS:
            # A serious issue with a wrong quote: it makes nothing unusable, but is passed to a judge.
            said = (
                f"{part.description} (Said of words that are not in the lesson: “{(part.quote or '')[:MOST_QUOTED]}”.)"
            )
            part, reason = part.model_copy(update={"quote": None, "severity": "COMPLEX", "description": said}), None
        # The quote as spelt in the lesson, shortened.
        texts = review.lesson.unit(location).texts().values() if location in review.lesson else ()
        quote = (exact_quote(texts, part.quote) or part.quote)[:MOST_QUOTED] if part.quote else None
        if reason is None and (part.type, location, quote) in known:
            reason = "duplicate"
        if reason is not None:
            dropped.append(DroppedIssue(part, reason))
            continue
        known.add((part.type, location, quote))
        severity: IssueSeverity = "INFO" if part.severity == "FIXABLE" else part.severity
        held.append(
            ReviewIssue(type=part.type, severity=severity, location=location, description=part.description, quote=quote)
        )
    doubt = review.doubt
    if not held and reply.status != "PASS":
        doubt = f"The reader said {reply.status} and named nothing that holds."
    return replace(review, issues=_once([*review.issues, *held]), dropped=(*review.dropped, *dropped), doubt=doubt)


def misquotes(lesson: Lesson, reply: SelfReviewReply) -> bool:
    """Whether a serious issue quotes words that are not in the lesson: then it is requested once more."""
    return any(
        part.severity in SERIOUS and _doubt(lesson, part, _located(lesson, part)) == "quote_not_found"
        for part in reply.issues
    )


def _located(lesson: Lesson, part: SelfReviewIssuePart) -> str:
    """The unit of an issue: the one it names, or else the one with its quote, or else the lesson."""
    named = part.location.strip()
    if named in lesson and (not part.quote or _holds(lesson.unit(named), part.quote)):
        return named
    found = next((unit.id for unit in lesson.units if part.quote and _holds(unit, part.quote)), None)
    return found or (named if named in lesson else WHOLE)


def _holds(unit: LessonUnit, quote: str) -> bool:
    return any(holds(text, quote) for text in unit.texts().values())


def _doubt(lesson: Lesson, part: SelfReviewIssuePart, location: str) -> str | None:
    """Why the issue does not count; None if it does. A missing text cannot be quoted, but makes nothing unusable."""
    if refutes_itself(part.description):
        return "self_refuting"
    quote = (part.quote or "").strip()
    if not quote:
        return "no_quote" if part.severity == "CRITICAL" or part.type in ("HYGIENE", "LANGUAGE") else None
    return None if location != WHOLE and _holds(lesson.unit(location), part.quote or "") else "quote_not_found"
