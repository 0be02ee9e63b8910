"""Issues of a paragraph as findings: made by checks, mapped to their rows, and described in words."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

from burnish.core.checks import Check, Examination, Selection, run_checks
from burnish.core.documents import Field, Unit, digest
from burnish.core.edits import Edit
from burnish.core.findings import Finding
from burnish.core.presentation import Illustration, Pictured, Remark, Table
from burnish.kinds.manuscripts.coverage import unjudged
from burnish.kinds.manuscripts.model import ManuscriptContext, Paragraph, Term
from burnish.kinds.manuscripts.resources import unable
from burnish.kinds.manuscripts.review_rows import ReviewIssue
from burnish.languages.slips import Slip, at_most, exchange


def told(paragraph: Paragraph, slips: Iterable[Slip]) -> Iterator[Finding]:
    """A finding for each slip; one that spans nothing is about something absent."""
    for slip in at_most(slips):
        yield Finding.at(
            paragraph,
            span=(slip.start, slip.end) if slip.end > slip.start else None,
            message=slip.message,
            suggestion=slip.suggestion,
            fix=_fix(paragraph, slip),
            severity=slip.severity,
        )


def _fix(paragraph: Paragraph, slip: Slip) -> Edit | None:
    # What was rendered from another script is mended there and rendered again.
    if slip.replacement is None or paragraph.latin is not None:
        return None
    exchanged = exchange(paragraph.translation, slip.start, slip.end, slip.replacement)
    return Edit(paragraph.id, None, *exchanged) if exchanged is not None else None


RECORDED_AS = "mapping_error"
"""The key by which its record is told from a paragraph's."""


@dataclass(frozen=True)
class RunIssue:
    """One such issue, as a unit: it has a name and can be shown, but no text to edit."""

    id: str
    mapping_error: str
    """Why it belongs to no paragraph."""
    issue: Mapping[str, Any]

    @cached_property
    def content_hash(self) -> str:
        return digest(self.mapping_error, self.issue)

    def texts(self) -> Mapping[Field, str]:
        return {}

    def with_text(self, field: Field, text: str) -> Self:
        raise KeyError(field)

    def as_record(self) -> dict[str, Any]:
        return {"id": self.id, RECORDED_AS: self.mapping_error, "issue": dict(self.issue)}

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> Self:
        return cls(record["id"], record[RECORDED_AS], record["issue"])

    def shown(self) -> str:
        """As a person reads it."""
        issue = self.issue
        lines = [f"{issue['reviewer']}: {issue['category']}, {issue['severity']}", str(issue["description"])]
        lines += [f"quoted: {issue['quote']}"] if issue.get("quote") else []
        lines += [f"{name}: {issue[name]}" for name in ("line", "start_line", "end_line") if name in issue]
        lines += [f"suggested: {issue['suggested_fix']}"] if issue.get("suggested_fix") else []
        return "\n".join([*lines, f"mapping error: {self.mapping_error}"])


def describe(facts: Mapping[str, Any]) -> list[Remark | Table]:
    """What the overview of a pair says."""
    if not facts.get("paragraphs"):
        return []
    words = f"{facts['source_words']:,} words against {facts['target_words']:,}"
    size = f"{facts['paragraphs']:,} paragraphs, {words}, {facts['source_language']} to {facts['target_language']}"
    scores = ", ".join(f"{name} {score:.2f}" for name, score in facts["lowest_scores"].items())
    said = {"size": size, "lowest": scores, "words": facts.get("words", "")}
    return [Remark(name, text) for name, text in said.items() if text]


def shown(paragraph: Paragraph) -> str:
    """A paragraph as a person reads it: the source, and what there is of a translation."""
    texts = [paragraph.text]
    texts += [paragraph.latin] if paragraph.latin is not None else []
    texts += [paragraph.translation] if paragraph.translation else []
    return "\n\n".join(texts)


def illustration(check: Check, partial: Mapping[str, Any]) -> Illustration:
    """A check's example: a paragraph and its translation, with `terms` and `kept` of a glossary, `names` of the book or
    `misplaced` translations where the check needs them."""
    facts = dict(partial)
    rendered = (Term(source, target) for source, target in facts.pop("terms", {}).items())
    glossary = (*rendered, *(Term(name, name, keep=True) for name in facts.pop("kept", ())))
    names, misplaced = facts.pop("names", {}), facts.pop("misplaced", {})
    paragraph = Paragraph(**{"id": "p_0001", "index": 1, "block": "paragraph", **facts})
    pictures = (
        Pictured(paragraph.text, f"{paragraph.source_language}: "),
        Pictured(paragraph.translation, f"{paragraph.target_language}: ", paragraph.id, None),
        *(Pictured(f"{term.source} = {term.target}", "glossary: ") for term in glossary),
    )
    return Illustration(paragraph, ManuscriptContext(glossary, names, misplaced=misplaced), pictures)


Examine = Callable[[Unit], Examination]


def examine(paragraph: Paragraph, selection: Selection, context: ManuscriptContext) -> Examination:
    """All rules that can judge the two languages. Those that cannot are named: they must not pass for content."""
    able, skipped = selection.for_language(paragraph.target_language)
    beyond = unable(paragraph.source_language, paragraph.target_language)
    judging = tuple(check for check in able if check.id not in beyond)
    findings = run_checks(selection, judging, paragraph, context)
    silent = (*skipped, *(check.id for check in able if check.id in beyond))
    return Examination(
        tuple(findings),
        skipped=silent,
        applied=len(judging),
        language=paragraph.target_language,
        unjudged=unjudged(paragraph, {check.id for check in judging}, findings, context),
    )


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
