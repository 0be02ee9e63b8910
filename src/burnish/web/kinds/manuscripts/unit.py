"""A paragraph on a page of its own, in the queue, and in the hands of whoever edits it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from burnish.core.documents import Field
from burnish.core.findings import Finding
from burnish.core.kinds import UnitStory
from burnish.kinds.manuscripts.dimensions import DIMENSIONS, THRESHOLDS
from burnish.kinds.manuscripts.issues import RunIssue
from burnish.kinds.manuscripts.kind import KIND
from burnish.kinds.manuscripts.model import Paragraph
from burnish.kinds.manuscripts.publish import Told
from burnish.kinds.manuscripts.review.aggregate import aggregate
from burnish.web.kinds import EditField, Editor, FocusParts, Panel, UnitParts, Words
from burnish.web.kinds.manuscripts.gate import DIMENSION_WORDS, most_attempts, reviewer_words
from burnish.web.kinds.manuscripts.marks import MarkedParagraph, marked_paragraph
from burnish.web.kinds.manuscripts.pairs import candidate_map, place_of
from burnish.web.kinds.manuscripts.tongues import Column, Tongues, tongues_in
from burnish.web.kinds.reasons import foremost, reason_words, standing_draft, standing_findings, why_it_waits
from burnish.web.wording import listed, score

if TYPE_CHECKING:
    from burnish.app.catalogue import RunCatalogue

PER_ROW = 70
"""Characters that a line of the editor holds."""
LEAST_ROWS, MOST_ROWS = 3, 16


@dataclass(frozen=True, slots=True)
class ReviewerRow:
    """What every reviewer gave one dimension."""

    name: str
    line: float
    lowest: float | None
    given: tuple[tuple[str, float], ...]
    """Who gave how much."""

    @property
    def is_below(self) -> bool:
        return self.lowest is not None and self.lowest < self.line


def unit_parts(run: RunCatalogue, story: UnitStory) -> UnitParts:
    """Source and translation in every script, and what each reviewer gave them."""
    draft = standing_draft(run.view.kind, story)
    if isinstance(draft, RunIssue):
        return UnitParts(
            panels=(_issue_panel(draft),), heading=f"{story.row.id}: an issue that belongs to no paragraph"
        )
    paragraph = _paragraph(draft)
    tongues = tongues_in(paragraph)
    text = marked_paragraph(paragraph, standing_findings(story)).without_numbers()
    trio = _trio(paragraph, tongues, text, "Side by side", place_of(candidate_map(run), paragraph))
    reviewers = _reviewers(Told.of(story))
    return UnitParts(
        panels=(trio,),
        beside=(reviewers,) if reviewers is not None else (),
        lang=tongues.target.lang,
        languages={None: tongues.target.lang} if tongues.target.lang else {},
    )


def _trio(paragraph: Paragraph, tongues: Tongues, text: MarkedParagraph, title: str, place: str | None = None) -> Panel:
    context = {
        "tongues": tongues,
        "text": text,
        "heading": paragraph.block == "heading",
        "place": place,
        "source_line": paragraph.line,
    }
    return Panel("kinds/manuscripts/trio.html", context, title, id="side")


def _issue_panel(issue: RunIssue) -> Panel:
    return Panel("kinds/manuscripts/issue.html", {"issue": issue}, "What the review says")


def _reviewers(told: Told) -> Panel | None:
    """The scores of the draft that stands, reviewer by reviewer; None where nobody reviewed it."""
    if told.review is None:
        return None
    verdict = aggregate(told.rows)
    rows = [
        ReviewerRow(
            DIMENSION_WORDS[name],
            THRESHOLDS[name],
            verdict.scores.get(name),
            tuple((reviewer_words(who), value) for who, value in verdict.by_reviewer.get(name, {}).items()),
        )
        for name in DIMENSIONS
    ]
    context = {"rows": rows, "silent": [reviewer_words(row.reviewer) for row in told.rows if row.failure]}
    return Panel("kinds/manuscripts/reviewers.html", context, "Reviewers", id="reviewers")


def focus_parts(run: RunCatalogue, story: UnitStory) -> FocusParts:
    """What reviewers hold against the paragraph, marked in source and translation."""
    draft = standing_draft(run.view.kind, story)
    why = why_it_waits(run.view.kind, story)
    if isinstance(draft, RunIssue):
        said = Words(str(draft.issue["description"]))
        return FocusParts(reason=(said,), facts=(why, draft.mapping_error), now=(_issue_panel(draft),))
    paragraph = _paragraph(draft)
    tongues = tongues_in(paragraph)
    findings = standing_findings(story)
    worst = foremost(findings)
    return FocusParts(
        reason=_reason(worst, paragraph, tongues) if worst is not None else (Words(why),),
        severity=worst.severity if worst is not None else None,
        rule=worst.rule if worst is not None else None,
        facts=tuple(_facts(story, why if worst is not None else None, most_attempts(run))),
        now=(_trio(paragraph, tongues, marked_paragraph(paragraph, findings), "Source and translation"),),
    )


def _reason(finding: Finding, paragraph: Paragraph, tongues: Tongues) -> tuple[Words, ...]:
    """The quote may be of either script."""
    in_latin = paragraph.latin is not None and finding.quote and finding.quote not in paragraph.translation
    column: Column = tongues.latin if in_latin and tongues.latin is not None else tongues.target
    texts: dict[Field, str] = {None: paragraph.draft if in_latin else paragraph.translation}
    return reason_words(finding, texts, column.lang)


def _facts(story: UnitStory, why: str | None, most: int) -> Iterator[str]:
    """Why a person has to look, how often it was tried, and which scores do not do."""
    if why is not None:
        yield why
    told = Told.of(story)
    if told.past.reviews:
        failed = [one for one in told.past.reviews if not one.passed]
        yield f"{len(failed)} of {len(told.past.reviews)} reviews failed, {most} attempts at most"
    if told.review is not None:
        given = told.review.scores
        low = [
            f"{DIMENSION_WORDS[one]} {score(given[one], THRESHOLDS[one])}, line {score(THRESHOLDS[one])}"
            for one in DIMENSIONS
            if one in given and given[one] < THRESHOLDS[one]
        ]
        missing = [DIMENSION_WORDS[one].lower() for one in DIMENSIONS if one not in given]
        yield from low
        if missing:
            yield f"No usable score for {listed(missing)}"


def editor(story: UnitStory) -> Editor:
    """The translation; where readers get another script, the Latin letters that it is made from."""
    draft = standing_draft(KIND, story)
    if isinstance(draft, RunIssue):
        return Editor((), lambda values: "")
    paragraph = _paragraph(draft)
    tongues = tongues_in(paragraph)
    column = tongues.latin or tongues.target
    rows = min(MOST_ROWS, max(LEAST_ROWS, len(paragraph.draft) // PER_ROW + 2))
    field = EditField("text", column.label, paragraph.draft, column.lang, rows, _help(tongues))
    return Editor([field], lambda values: values["text"])


def _help(tongues: Tongues) -> str:
    made = "Tifinagh is made from it by rules. " if tongues.latin is not None else ""
    return f"One paragraph, without its marks (#, -, >). {made}It is checked by the same rules before it is kept."


def _paragraph(unit: object) -> Paragraph:
    assert isinstance(unit, Paragraph), "a book is made of paragraphs"
    return unit
