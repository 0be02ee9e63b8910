"""Rules on one paragraph, and what other reviewers say as findings."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from burnish.core.checks import Examination, Selection, run_checks
from burnish.core.documents import Unit
from burnish.core.findings import Finding
from burnish.kinds.manuscripts.abilities import unable
from burnish.kinds.manuscripts.model import ManuscriptContext, Paragraph
from burnish.kinds.manuscripts.review.rows import ReviewIssue

Examine = Callable[[Unit], Examination]


def examine(paragraph: Paragraph, selection: Selection, context: ManuscriptContext) -> Examination:
    """All rules that can judge the two languages. Those that cannot are named: they must not pass for content."""
    able, skipped = selection.for_language(paragraph.target_language)
    beyond = unable(paragraph.source_language, paragraph.target_language)
    judging = tuple(check for check in able if check.id not in beyond)
    findings = run_checks(selection, judging, paragraph, context)
    unjudged = (*skipped, *(check.id for check in able if check.id in beyond))
    return Examination(tuple(findings), skipped=unjudged, applied=len(judging), language=paragraph.target_language)


def findings_of_issues(paragraph: Paragraph, issues: Iterable[ReviewIssue]) -> list[Finding]:
    """What reviewers other than the rules hold against a paragraph. What they call an error is one of theirs: it is the
    verdict that says whether it blocks."""
    return [
        Finding(
            rule=issue.category,
            severity="critical" if issue.blocks else issue.severity,
            unit=paragraph.id,
            field=None,
            message=issue.description,
            suggestion=issue.suggested_fix,
            quote=issue.quote,
            start=issue.start,
            end=issue.end,
            source=f"model:{issue.reviewer}",
        )
        for issue in issues
        if issue.rule is None
    ]
