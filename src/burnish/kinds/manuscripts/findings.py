"""Findings of a paragraph: run the checks, convert issues, describe them; and tell which dimensions the rules could
judge: the others have no score.

A rule that cannot judge must not pass for one that found nothing. Each dimension has its own conditions. Style is
always judged: marks, spaces and lengths are compared in every language.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

from burnish.core.checks import Check, Examination, Selection, run_checks
from burnish.core.documents import Field, digest
from burnish.core.edits import Edit, PartKind
from burnish.core.findings import Finding
from burnish.core.presentation import Illustration, Pictured, Remark, Table
from burnish.kinds.manuscripts.model import ManuscriptContext, Paragraph, Term
from burnish.kinds.manuscripts.policy import RULES, DimensionName
from burnish.kinds.manuscripts.resources import unable
from burnish.kinds.manuscripts.review_rows import ReviewIssue
from burnish.kinds.manuscripts.sides import Side, carried, source_of, target_of
from burnish.kinds.manuscripts.terminology import glossary_of
from burnish.languages.counterparts import relation
from burnish.languages.detection import UNKNOWN_LANGUAGE, language_of
from burnish.languages.lexicon import how_words_are_compared, is_trusted, lexicon_for
from burnish.languages.names import names
from burnish.languages.numbers import numbers
from burnish.languages.proper_nouns import date_words
from burnish.languages.voice import OTHER_MARKS, denials, knows_denials, sentence_marks
from burnish.languages.words import Slip, at_most, exchange

OF_GRAMMAR = frozenset({"agreement", "spelling"})
"""Rules that know words of the language. Doubled words, marks and capitals alone do not show its grammar."""
OF_VOICE = frozenset({"formality_mixed", "person_changed", "tense_changed"})
COMPARED: frozenset[PartKind] = frozenset({"address", "code", "formula", "placeholder"})


def unjudged(
    paragraph: Paragraph, ran: Collection[str], findings: Iterable[Finding], context: ManuscriptContext
) -> dict[str, str]:
    """Dimension that no rule could judge -> why."""
    if not paragraph.translation.strip():
        return {}
    spoken = {RULES[finding.rule].dimension for finding in findings if finding.rule in RULES}
    source, target = source_of(paragraph), target_of(paragraph)
    return {name: why for name, why in _reasons(source, target, ran, context) if name not in spoken}


def _reasons(
    source: Side, target: Side, ran: Collection[str], context: ManuscriptContext
) -> Iterator[tuple[DimensionName, str]]:
    if not OF_GRAMMAR & set(ran):
        yield "grammar", f"no dictionary and no grammar of {_named(target)} is at hand"
    has_term = bool(context.glossary) and any(glossary_of(context.glossary).occurrences(source))
    if not has_term and language_of(target.prose) != target.language:
        yield "vocabulary", f"the text cannot be told to be {_named(target)}, and no term of a glossary stands in it"
    if not OF_VOICE & set(ran) and not _is_marked(source, target):
        yield "voice", f"persons and tenses of {_named(source)} or {_named(target)} are not known, and nothing is asked"
    if (
        not any(map(_states, (source, target)))
        # An unknown word of the translation may be a name or nonsense: only names of the source count.
        and next(names(source.prose, source.language), None) is None
        and not (
            knows_denials(source.language)
            and knows_denials(target.language)
            and any(denials(side.prose, side.language).plain for side in (source, target))
        )
        and not _words_are_known(source, target, context)
    ):
        how = how_words_are_compared(source.language, target.language, context.lexicon)
        words = ", and too few words" if how is None else f"; words: {how}"
        yield "semantic_fidelity", f"there is no number, date, name, denial, link or code to compare{words}"


def _named(side: Side) -> str:
    return "a language that is not told" if side.language == UNKNOWN_LANGUAGE else repr(side.language)


def _is_marked(source: Side, target: Side) -> bool:
    """Whether one side has a question or exclamation to compare."""
    if {source.language, target.language} & OTHER_MARKS:
        return False
    return any(marks for side in (source, target) for marks in sentence_marks(side.prose))


def _states(side: Side) -> bool:
    """Whether there is anything that the other side must have, too."""
    prose, language = side.prose, side.language
    return (
        bool(numbers(prose, language).stated)
        or bool(date_words(prose, language))
        or any(part.kind in COMPARED for part in carried(side.view.text))
    )


def _words_are_known(source: Side, target: Side, context: ManuscriptContext) -> bool:
    """Whether a bilingual lexicon knows enough words of both sides, and most of them have a counterpart: otherwise the
    lexicon may lack them."""
    lexicon = lexicon_for(source.language, target.language, context.lexicon)
    related = None if lexicon is None else relation(lexicon, source.prose, target.prose)
    return lexicon is not None and is_trusted(lexicon) and related is not None and related.is_close


def slip_findings(paragraph: Paragraph, slips: Iterable[Slip]) -> Iterator[Finding]:
    """A finding for each slip; an empty span means that something is absent."""
    for slip in at_most(slips):
        yield Finding.at(
            paragraph,
            span=(slip.start, slip.end) if slip.end > slip.start else None,
            message=slip.message,
            suggestion=slip.suggestion,
            fix=_fix(paragraph, slip),
            severity=slip.severity,
            data=slip.data,
        )


def _fix(paragraph: Paragraph, slip: Slip) -> Edit | None:
    # A text rendered from another script is fixed there and rendered again.
    if slip.replacement is None or paragraph.latin is not None:
        return None
    exchanged = exchange(paragraph.translation, slip.start, slip.end, slip.replacement)
    return Edit(paragraph.id, None, *exchanged) if exchanged is not None else None


RECORDED_AS = "mapping_error"
"""The key that distinguishes its record from a paragraph's."""


@dataclass(frozen=True)
class RunIssue:
    """An issue without a paragraph, as a unit: it has an id and can be shown, but has no text to edit."""

    id: str
    mapping_error: str
    """Why it has no paragraph."""
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
        """The issue as text for people."""
        issue = self.issue
        lines = [f"{issue['reviewer']}: {issue['category']}, {issue['severity']}", str(issue["description"])]
        lines += [f"quoted: {issue['quote']}"] if issue.get("quote") else []
        lines += [f"{name}: {issue[name]}" for name in ("line", "start_line", "end_line") if name in issue]
        lines += [f"suggested: {issue['suggested_fix']}"] if issue.get("suggested_fix") else []
        return "\n".join([*lines, f"mapping error: {self.mapping_error}"])


def describe(facts: Mapping[str, Any]) -> list[Remark | Table]:
    """The overview of a pair of files."""
    if not facts.get("paragraphs"):
        return []
    words = f"{facts['source_words']:,} words against {facts['target_words']:,}"
    size = f"{facts['paragraphs']:,} paragraphs, {words}, {facts['source_language']} to {facts['target_language']}"
    scores = ", ".join(f"{name} {score:.2f}" for name, score in facts["lowest_scores"].items())
    remarks = {"size": size, "lowest": scores, "words": facts.get("words", "")}
    return [Remark(name, text) for name, text in remarks.items() if text]


def shown(paragraph: Paragraph) -> str:
    """A paragraph as text for people: the source, and its translation if there is one."""
    texts = [paragraph.text]
    texts += [paragraph.latin] if paragraph.latin is not None else []
    texts += [paragraph.translation] if paragraph.translation else []
    return "\n\n".join(texts)


def illustration(check: Check, partial: Mapping[str, Any]) -> Illustration:
    """A check's example: a paragraph and its translation, with `terms` and `kept` of a glossary, `names` of the book or
    `misplaced` translations if the check needs them."""
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


def examine(paragraph: Paragraph, selection: Selection, context: ManuscriptContext) -> Examination:
    """Run all rules that can judge the two languages. The others are listed as skipped."""
    able, skipped = selection.for_language(paragraph.target_language)
    beyond = unable(paragraph.source_language, paragraph.target_language)
    judging = tuple(check for check in able if check.id not in beyond)
    findings, dismissed = selection.dismissals.split(run_checks(selection, judging, paragraph, context))
    silent = (*skipped, *(check.id for check in able if check.id in beyond))
    return Examination(
        findings,
        dismissed,
        skipped=silent,
        applied=len(judging),
        language=paragraph.target_language,
        unjudged=unjudged(paragraph, {check.id for check in judging}, findings, context),
    )


def findings_of_issues(paragraph: Paragraph, issues: Iterable[ReviewIssue]) -> list[Finding]:
    """The issues of reviewers other than the rules, as findings. The verdict, not their severity, decides whether they
    block."""
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
