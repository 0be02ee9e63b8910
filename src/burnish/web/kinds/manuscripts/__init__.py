"""Manuscripts in the workbench: source and translation side by side, the gate, and the candidate map.

Findings quote words of the translation. If it is rendered in a second script by rules, the words correspond one to one,
so a mark in one script has its place in the other. Words of the source in a message are marked in the source.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from burnish.app.run_reader import RunReader, UnitLine
from burnish.core.documents import Field
from burnish.core.errors import StateCorrupt
from burnish.core.findings import SEVERITIES, Finding
from burnish.core.presentation import UnitStory
from burnish.kinds.manuscripts.findings import RunIssue
from burnish.kinds.manuscripts.kind import KIND
from burnish.kinds.manuscripts.model import Paragraph
from burnish.kinds.manuscripts.policy import READY, THRESHOLDS
from burnish.kinds.manuscripts.publish import ParagraphRecord
from burnish.kinds.manuscripts.resources import TWO_PASSES
from burnish.web import Drawn
from burnish.web.formatting import listed, score
from burnish.web.kinds import EditField, Editor, Fact, FocusParts, Panel, RunParts, Tab, UnitParts, Words
from burnish.web.kinds.generic import (
    PAGE,
    filled_tabs,
    focus_on,
    kept_draft,
    kept_findings,
    reason_words,
    unit_list,
    why_it_waits,
)
from burnish.web.kinds.manuscripts.gate import (
    DIMENSION_LABELS,
    IssueLine,
    gate_part,
    map_view,
    most_attempts,
    place_of,
    reviewers_panel,
    reviews_made,
)
from burnish.web.kinds.prose import without_numbers
from burnish.web.labels import lang_tag, language_word, look_of, said_by
from burnish.web.pieces import Mark, Numbered, Piece, Place, marked, places_of

ON_OVERVIEW = 8
"""Paragraphs that are shown in the overview tab."""


def run_parts(run: RunReader, query: Mapping[str, str]) -> RunParts:
    """The overview with the first paragraphs, all paragraphs, the gate report and the candidate map."""
    options = run.view.plan.arguments.get("options", {})
    columns, total = (
        columns_for(options.get("source"), options.get("target"), renders=options.get("profile") == TWO_PASSES),
        sum(run.card.counts.values()),
    )
    shared = {"run_id": run.card.id, "columns": columns}
    folder = "kinds/manuscripts"
    tabs = filled_tabs(
        query,
        (Tab("overview", "Overview", f"{folder}/overview.html", shared), lambda: _listed(run, query, ON_OVERVIEW)),
        (Tab("units", "Paragraphs", f"{folder}/units.html", shared, total), lambda: _listed(run, query, PAGE)),
        (Tab("gate", "Gate report", f"{folder}/gate.html", shared), lambda: gate_part(run, query)),
        (Tab("map", "Candidate map", f"{folder}/map.html", shared), lambda: _map(run, query)),
    )
    return RunParts(tabs, (Fact(columns.label, "Languages"),))


def _listed(run: RunReader, query: Mapping[str, str], limit: int) -> dict[str, Any]:
    shown = unit_list(run, query, "paragraph", limit=limit)
    return {"list": shown, "pairs": pair_rows(run, shown.page.lines)}


def _map(run: RunReader, query: Mapping[str, str]) -> dict[str, Any]:
    try:
        return {"map": map_view(run, query), "broken": None}
    except StateCorrupt as broken:
        return {"map": None, "broken": broken}


# -- paragraphs


@dataclass(frozen=True, slots=True)
class Column:
    """One text of every paragraph."""

    label: str
    note: str
    """How the text was made, in a word or two."""
    lang: str | None
    tifinagh: bool = False


@dataclass(frozen=True, slots=True)
class Columns:
    """The texts of a book, side by side."""

    source: Column
    latin: Column | None
    """None if there is only one script."""
    target: Column

    @property
    def every(self) -> tuple[Column, ...]:
        return tuple(one for one in (self.source, self.latin, self.target) if one is not None)

    @property
    def label(self) -> str:
        """`English to Kabyle, Latin and Tifinagh`."""
        into = self.target.label if self.latin is None else f"{self.latin.label} and Tifinagh"
        return f"{self.source.label} to {into}"


def columns_in(paragraph: Paragraph) -> Columns:
    """The columns of a single paragraph."""
    return columns_for(paragraph.source_language, paragraph.target_language, renders=paragraph.latin is not None)


def columns_for(source: str | None, target: str | None, *, renders: bool) -> Columns:
    from_, to = language_word(source) or "Source", language_word(target) or "Translation"
    original = Column(from_, "source", lang_tag(source))
    if not renders:
        return Columns(original, None, Column(to, "translation", lang_tag(target)))
    latin = Column(f"{to}, Latin", "pass 1", lang_tag(target, "Latn"))
    return Columns(original, latin, Column(f"{to}, Tifinagh", "by rules", lang_tag(target, "Tfng"), tifinagh=True))


SOURCE, LATIN, TARGET = "source", "latin", None
"""The texts of a paragraph that can have marks; None is the published translation, as in findings."""
WORD = re.compile(r"\S+")
Band = Literal["", "soso", "bad"]
BANDS: dict[str, Band] = {"person": "bad", "rework": "soso", "fail": "soso"}
"""The stripe at a paragraph that is being repaired or waits for a person; others have none."""
PER_ROW = 70
"""Characters per line of the editor."""
LEAST_ROWS, MOST_ROWS = 3, 16


@dataclass(frozen=True, slots=True)
class MarkedParagraph:
    """A paragraph with its findings marked."""

    source: tuple[Piece, ...]
    latin: tuple[Piece, ...] | None
    """None if there is only one script."""
    target: tuple[Piece, ...] | None
    """None if there is no translation yet."""
    raised: tuple[Drawn, ...]

    def without_numbers(self) -> MarkedParagraph:
        """The same paragraph for pages without a list of findings."""
        return MarkedParagraph(
            without_numbers(self.source),
            without_numbers(self.latin) if self.latin is not None else None,
            without_numbers(self.target) if self.target is not None else None,
            (),
        )


def marked_paragraph(paragraph: Paragraph, findings: Iterable[Finding], first: int = 1) -> MarkedParagraph:
    """The texts of the paragraph in pieces. Findings are numbered from `first`, so that a page has no number twice."""
    raised = _raised(findings, first)
    numbered = [Numbered(Mark(one.number, one.finding.severity), one.finding, ()) for one in raised]
    placed = [replace(one, places=tuple(_places(paragraph, one.finding))) for one in numbered]
    return MarkedParagraph(
        marked(paragraph.text, SOURCE, placed),
        marked(paragraph.latin, LATIN, placed) if paragraph.latin is not None else None,
        marked(paragraph.translation, TARGET, placed) if paragraph.translation else None,
        raised,
    )


def _raised(findings: Iterable[Finding], first: int) -> tuple[Drawn, ...]:
    """The findings, worst first. Identical ones of several reviewers are merged."""
    alike: dict[tuple[str, str | None, str], list[Finding]] = {}
    for finding in sorted(findings, key=lambda one: SEVERITIES.index(one.severity)):
        alike.setdefault((finding.rule, finding.quote, finding.message), []).append(finding)
    return tuple(
        Drawn(number=number, finding=same[0], who=listed(dict.fromkeys(said_by(one.source) for one in same)))
        for number, same in enumerate(alike.values(), first)
    )


def _places(paragraph: Paragraph, finding: Finding) -> Iterator[Place]:
    yield from (replace(place, field=SOURCE) for place in _in_source(paragraph.text, finding))
    texts: dict[Field, str] = {TARGET: paragraph.translation}
    in_target = list(places_of(texts, finding))
    if paragraph.latin is None:
        yield from in_target
        return
    # A reviewer may quote either script.
    in_latin = list(places_of({None: paragraph.latin}, replace(finding, start=None, end=None)))
    if not in_target:
        in_target = list(_counterparts(in_latin, paragraph.latin, paragraph.translation))
    elif not in_latin:
        in_latin = list(_counterparts(in_target, paragraph.translation, paragraph.latin))
    yield from in_target
    yield from (replace(place, field=LATIN) for place in in_latin)


def _in_source(text: str, finding: Finding) -> Iterator[Place]:
    """The places of the words of the source that the finding is about."""
    words = finding.data.get("source", ())
    for quote in [words] if isinstance(words, str) else words:
        at = _as_words(text, quote) if quote.strip() else None
        if at is not None:
            yield Place(SOURCE, at, at + len(quote))


def _as_words(text: str, quote: str) -> int | None:
    """The position of a quote that is not part of a longer word."""
    at = text.find(quote)
    while at >= 0:
        before, after = text[at - 1 : at] if at else "", text[at + len(quote) : at + len(quote) + 1]
        if not ((before.isalnum() and quote[0].isalnum()) or (after.isalnum() and quote[-1].isalnum())):
            return at
        at = text.find(quote, at + 1)
    return None


def _counterparts(places: Sequence[Place], text: str, other: str) -> Iterator[Place]:
    """The same words in the other script. Rendering keeps the spaces, so both have the same number of words."""
    ours, theirs = ([found.span() for found in WORD.finditer(one)] for one in (text, other))
    if len(ours) != len(theirs):
        return
    for place in places:
        covered = [at for at, (start, end) in enumerate(ours) if start < place.end and end > place.start]
        if covered:
            yield Place(None, theirs[covered[0]][0], theirs[covered[-1]][1])


def pair_rows(run: RunReader, lines: Iterable[UnitLine]) -> list[Drawn | IssueLine]:
    """A row for each unit. Findings are numbered across the whole page."""
    rows: list[Drawn | IssueLine] = []
    number = 1
    for line in lines:
        story = run.story(line.id)
        draft = kept_draft(run.view.kind, story)
        if isinstance(draft, RunIssue):
            rows.append(IssueLine(line, draft))
            continue
        paragraph = _paragraph(draft)
        record = ParagraphRecord.of(story)
        label = "ready" if line.state == READY else look_of(line.state, line.sort).words
        reviews = reviews_made(record)
        row = Drawn(
            line=line,
            label=f"{label}, attempt {reviews}" if line.sort == "ready" and reviews > 1 else label,
            place=place_of(run, paragraph),
            source_line=paragraph.line,
            heading=paragraph.block == "heading",
            text=marked_paragraph(paragraph, kept_findings(story), number),
            band=BANDS.get(line.sort, ""),
            excluded=paragraph.excluded,
        )
        number += len(row.text.raised)
        rows.append(row)
    return rows


def unit_parts(run: RunReader, story: UnitStory) -> UnitParts:
    """Source and translation in every script, and the scores of each reviewer."""
    draft = kept_draft(run.view.kind, story)
    if isinstance(draft, RunIssue):
        return UnitParts(panels=(_issue_panel(draft),), heading=f"{story.row.id}: an issue without a paragraph")
    paragraph = _paragraph(draft)
    columns = columns_in(paragraph)
    text = marked_paragraph(paragraph, kept_findings(story)).without_numbers()
    trio = _trio(paragraph, columns, text, "Side by side", place_of(run, paragraph))
    reviewers = reviewers_panel(ParagraphRecord.of(story))
    return UnitParts(
        panels=(trio,),
        beside=(reviewers,) if reviewers is not None else (),
        lang=columns.target.lang,
        languages={None: columns.target.lang} if columns.target.lang else {},
    )


def _trio(paragraph: Paragraph, columns: Columns, text: MarkedParagraph, title: str, place: str | None = None) -> Panel:
    context = {
        "columns": columns,
        "text": text,
        "heading": paragraph.block == "heading",
        "place": place,
        "source_line": paragraph.line,
    }
    return Panel("kinds/manuscripts/trio.html", context, title, id="side")


def _issue_panel(issue: RunIssue) -> Panel:
    return Panel("kinds/manuscripts/issue.html", {"issue": issue}, "What the review says")


def focus_parts(run: RunReader, story: UnitStory) -> FocusParts:
    """The findings on the paragraph, marked in source and translation."""
    draft = kept_draft(run.view.kind, story)
    if isinstance(draft, RunIssue):
        why = why_it_waits(run.view.kind, story)
        reason = Words(str(draft.issue["description"]))
        return FocusParts(reason=(reason,), facts=(why, draft.mapping_error), now=(_issue_panel(draft),))
    paragraph = _paragraph(draft)
    columns = columns_in(paragraph)
    text = marked_paragraph(paragraph, kept_findings(story))
    return focus_on(
        run.view.kind,
        story,
        lambda worst: _reason(worst, paragraph, columns),
        facts=_facts(story, most_attempts(run)),
        now=(_trio(paragraph, columns, text, "Source and translation"),),
    )


def _reason(finding: Finding, paragraph: Paragraph, columns: Columns) -> tuple[Words, ...]:
    """The reason, with the quote marked in the script that has it."""
    in_latin = paragraph.latin is not None and finding.quote and finding.quote not in paragraph.translation
    column: Column = columns.latin if in_latin and columns.latin is not None else columns.target
    texts: dict[Field, str] = {None: paragraph.draft if in_latin else paragraph.translation}
    return reason_words(finding, texts, column.lang)


def _facts(story: UnitStory, most: int) -> Iterator[str]:
    """The number of failed reviews, and the scores below their thresholds."""
    record = ParagraphRecord.of(story)
    if record.past.reviews:
        failed = sum(not one.passed for one in record.past.reviews)
        yield f"{failed} of {len(record.past.reviews)} reviews failed, {most} attempts at most"
    if record.review is not None:
        given = record.review.scores
        for name, label in DIMENSION_LABELS.items():
            if name in given and given[name] < THRESHOLDS[name]:
                yield f"{label} {score(given[name], THRESHOLDS[name])}, threshold {score(THRESHOLDS[name])}"
        missing = [label.lower() for name, label in DIMENSION_LABELS.items() if name not in given]
        if missing:
            yield f"No usable score for {listed(missing)}"


def editor(story: UnitStory) -> Editor:
    """The editor for the translation, or for the Latin text from which another script is rendered."""
    draft = kept_draft(KIND, story)
    if isinstance(draft, RunIssue):
        return Editor((), lambda values: "")
    paragraph = _paragraph(draft)
    columns = columns_in(paragraph)
    column = columns.latin or columns.target
    rows = min(MOST_ROWS, max(LEAST_ROWS, len(paragraph.draft) // PER_ROW + 2))
    made = "Tifinagh is rendered from it by rules. " if columns.latin is not None else ""
    help = f"One paragraph, without its marks (#, -, >). {made}The same rules check your text before it is kept."
    field = EditField("text", column.label, paragraph.draft, column.lang, rows, help)
    return Editor([field], lambda values: values["text"])


def _paragraph(unit: object) -> Paragraph:
    assert isinstance(unit, Paragraph), "a book is made of paragraphs"
    return unit
