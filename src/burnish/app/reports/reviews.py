"""The first stage of a lesson as a person reads it: the status, why, every issue at its unit, the fixes as a diff."""

from __future__ import annotations

from burnish.app.reports.diff import show_diff
from burnish.app.reports.words import counted
from burnish.app.studying import Study
from burnish.app.terminal import Piece, Role, Screen, excerpt
from burnish.kinds.lessons.model import Lesson, LessonUnit
from burnish.kinds.lessons.self_review import WHOLE, IssueSeverity, ReviewIssue, SelfReviewResponse, Status

STATUS: dict[Status, tuple[Role, str]] = {
    "PASS": ("good", "Nothing keeps it from the judges."),
    "PASS_WITH_FLAGS": ("good", "It can go to the judges, with remarks."),
    "FIXED": ("good", "Code has mended it; the mended text can go to the judges."),
    "FLAG_TO_JUDGE": ("warning", "A judge, or a person, has to look at what is flagged."),
    "REGENERATE": ("error", "It cannot be used as it is: write it again."),
}
"""The colour of a status, and what it means."""
SEVERITIES: dict[IssueSeverity, Role] = {
    "CRITICAL": "critical",
    "FIXABLE": "good",
    "COMPLEX": "warning",
    "INFO": "info",
}
BAR = "   | "
DEGRADED = "The reader's model could not be used: only the rules spoke."


def show_review(
    screen: Screen, path: str, response: SelfReviewResponse, read: Study | None, fixed: Lesson | None
) -> None:
    """Print the verdict. `read` and `fixed` are the lesson before and after the fixes, where it could be read."""
    role, meaning = STATUS[response.status]
    screen.line(("path", path))
    screen.line((role, response.status), "  ", meaning)
    screen.paragraph(response.reasoning, indent="")
    if response.degraded:
        screen.paragraph(DEGRADED, first=(("warning", "degraded: "),))
    _tell_issues(screen, response.issues, read.lesson if read else None)
    if read is not None and fixed is not None and response.patch:
        _tell_fixes(screen, read.lesson, fixed, response)


def _tell_issues(screen: Screen, issues: tuple[ReviewIssue, ...], lesson: Lesson | None) -> None:
    """Unit by unit, in the lesson's order; what is about no unit comes first."""
    order = [unit.id for unit in lesson.units] if lesson else []
    elsewhere = [issue.location for issue in issues if issue.location not in order]
    for location in dict.fromkeys([*elsewhere, *order]):
        here = [issue for issue in issues if issue.location == location]
        if not here:
            continue
        screen.gap()
        unit = lesson.unit(location) if lesson and location in lesson else None
        screen.line(*_heading(location, unit))
        for issue in here:
            _tell_issue(screen, issue)


def _heading(location: str, unit: LessonUnit | None) -> tuple[Piece, ...]:
    if location == WHOLE:
        return (("strong", "the lesson as a whole"),)
    title = f"  {unit.title}" if unit is not None and unit.title else ""
    return ("strong", location), ("faint", title)


def _tell_issue(screen: Screen, issue: ReviewIssue) -> None:
    first: tuple[Piece, ...] = ("  ", (SEVERITIES[issue.severity], issue.severity), ("faint", f"[{issue.type}]"), ": ")
    screen.paragraph(issue.description, indent="    ", first=first)
    if issue.quote:
        width = screen.width - len(BAR)
        screen.line(("hunk", BAR), ("faint", excerpt(issue.quote, None, width).line))


def _tell_fixes(screen: Screen, before: Lesson, after: Lesson, response: SelfReviewResponse) -> None:
    screen.gap()
    screen.line(("strong", f"{counted(len(response.patch), 'text')} mended by code:"))
    for old, new in zip(before.units, after.units, strict=True):
        if old.content_hash != new.content_hash:
            show_diff(screen, old, new)
    screen.gap()
    screen.line(("faint", "Nothing was written. `burnish check --fix` makes these fixes in the file."))
