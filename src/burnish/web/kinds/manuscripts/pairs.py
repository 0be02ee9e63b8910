"""Source and translation side by side, with state, place in the candidate and everything that is open."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from burnish.app.catalogue import UnitLine
from burnish.core.errors import StateCorrupt
from burnish.kinds.manuscripts.issues import RunIssue
from burnish.kinds.manuscripts.model import Paragraph
from burnish.kinds.manuscripts.policy import READY
from burnish.kinds.manuscripts.publish import Told
from burnish.web.icons import Look, look_of
from burnish.web.kinds.manuscripts.candidate import NAME, CandidateMap
from burnish.web.kinds.manuscripts.marks import MarkedParagraph, marked_paragraph
from burnish.web.kinds.reasons import standing_draft, standing_findings

if TYPE_CHECKING:
    from burnish.app.catalogue import RunCatalogue

Band = Literal["", "soso", "bad"]
"""What stands at the side of a paragraph: nothing, one that is on its way again, one that waits for a person."""


@dataclass(frozen=True, slots=True)
class PairRow:
    """One paragraph."""

    line: UnitLine
    look: Look
    words: str
    """Its state in words, with the attempt where it is not the first."""
    place: str | None
    """Its lines in the candidate; None: it has none, or there is no candidate yet."""
    source_line: int
    heading: bool
    text: MarkedParagraph
    band: Band
    excluded: str | None
    """Why it is out of scope; None: it is to be translated."""
    unseen: bool
    """It has a translation, and nobody has reviewed that yet."""


@dataclass(frozen=True, slots=True)
class IssueLine:
    """An issue of a review that belongs to no paragraph, in the list of paragraphs."""

    line: UnitLine
    look: Look
    issue: RunIssue


def candidate_map(run: RunCatalogue) -> CandidateMap:
    return CandidateMap(run.view.folder.export(NAME))


def place_of(known: CandidateMap, paragraph: Paragraph) -> str | None:
    """A paragraph's lines in the candidate; None where it has none, or the map cannot be read: its own tab says so."""
    try:
        row = known.of(paragraph.index)
    except StateCorrupt:
        return None
    return row.words if row is not None else None


def pair_rows(run: RunCatalogue, lines: Iterable[UnitLine]) -> list[PairRow | IssueLine]:
    """A row for each of these units. Findings are numbered through the whole page."""
    known, rows, number = candidate_map(run), [], 1
    for line in lines:
        row = _row(run, known, line, number)
        number += len(row.text.raised) if isinstance(row, PairRow) else 0
        rows.append(row)
    return rows


def _row(run: RunCatalogue, known: CandidateMap, line: UnitLine, number: int) -> PairRow | IssueLine:
    story = run.story(line.id)
    look = look_of(line.state, line.sort)
    draft = standing_draft(run.view.kind, story)
    if isinstance(draft, RunIssue):
        return IssueLine(line, look, draft)
    assert isinstance(draft, Paragraph), "a book is made of paragraphs"
    told = Told.of(story)
    return PairRow(
        line=line,
        look=look,
        words=_words(line, look, told),
        place=place_of(known, draft),
        source_line=draft.line,
        heading=draft.block == "heading",
        text=marked_paragraph(draft, standing_findings(story), number),
        band=_band(line),
        excluded=draft.excluded,
        unseen=bool(draft.translation) and told.review is None,
    )


def _words(line: UnitLine, look: Look, told: Told) -> str:
    """In a narrow column: `ready, try 3`."""
    words = "ready" if line.state == READY else look.words
    tries = reviews_made(told)
    return f"{words}, try {tries}" if line.sort == "ready" and tries > 1 else words


def reviews_made(told: Told) -> int:
    """How often the paragraph was reviewed since the run began, or since a person sent it back."""
    return len(told.past.failed) + (told.review is not None and told.review.passed)


def _band(line: UnitLine) -> Band:
    bands: dict[str, Band] = {"person": "bad", "rework": "soso", "fail": "soso"}
    return bands.get(line.sort, "")
