"""The candidate, line by line: which paragraph every line belongs to, and which issues belong to none."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from burnish.app.catalogue import UnitLine
from burnish.kinds.manuscripts.assembly import candidate_pieces
from burnish.kinds.manuscripts.issues import RunIssue
from burnish.kinds.manuscripts.model import Paragraph
from burnish.web.icons import Look, look_of
from burnish.web.kinds.manuscripts.candidate import MapRow
from burnish.web.kinds.manuscripts.pairs import candidate_map
from burnish.web.kinds.reasons import standing_draft
from burnish.web.links import run_link
from burnish.web.wording import count

if TYPE_CHECKING:
    from burnish.app.catalogue import RunCatalogue

BLOCKS = 30
"""Paragraphs on a page."""
MOST_UNMAPPED = 50
LARGEST_NUMBER = 9
"""Digits of a line that somebody asks for."""


@dataclass(frozen=True, slots=True)
class MappedBlock:
    """One paragraph of the candidate."""

    row: MapRow
    line: UnitLine
    look: Look
    text: tuple[tuple[int, str], ...]
    """Number and text of every line."""
    moved: bool
    """Its draft has changed since the candidate was written."""


@dataclass(frozen=True, slots=True)
class Unmapped:
    """An issue that belongs to no paragraph."""

    line: UnitLine
    look: Look
    issue: RunIssue

    @property
    def anchor(self) -> str:
        """Where it should be, as the reviewer said."""
        said = self.issue.issue
        if "start_line" in said:
            return f"lines {said['start_line']} to {said.get('end_line', said['start_line'])}"
        return f"line {said['line']}" if "line" in said else ""


@dataclass(frozen=True, slots=True)
class MapView:
    """A page of the map."""

    blocks: tuple[MappedBlock, ...]
    made_at: str | None
    """When the candidate was written; None: not yet."""
    lines: int
    """How many lines the candidate has."""
    asked: int | None
    """The line that somebody asked for."""
    previous: str | None
    next: str | None
    words: str
    unmapped: tuple[Unmapped, ...]


def map_view(run: RunCatalogue, query: Mapping[str, str]) -> MapView:
    """The page of the map that holds a line (`line`), or begins with a paragraph (`from`)."""
    known = candidate_map(run)
    line, first = _number(query.get("line")), _number(query.get("from"))
    rows = known.from_line(line, BLOCKS + 1) if line is not None else known.from_paragraph(first or 1, BLOCKS + 1)
    shown, last = rows[:BLOCKS], known.last()
    begin = known.from_paragraph(1, 1)
    id = run.view.folder.id
    return MapView(
        blocks=tuple(_blocks(run, shown)),
        made_at=known.made_at,
        lines=last.end if last is not None else 0,
        asked=line,
        previous=run_link(id, **{"tab": "map", "from": str(max(1, shown[0].index - BLOCKS))})
        if shown and begin and shown[0].index > begin[0].index
        else None,
        next=run_link(id, **{"tab": "map", "from": str(rows[BLOCKS].index)}) if len(rows) > BLOCKS else None,
        words=f"Lines {count(shown[0].start)} to {count(shown[-1].end)} of {count(last.end)}" if shown and last else "",
        unmapped=tuple(_unmapped(run)),
    )


def _number(given: str | None) -> int | None:
    return int(given) if given is not None and given.isdecimal() and len(given) <= LARGEST_NUMBER else None


def _blocks(run: RunCatalogue, rows: list[MapRow]) -> Iterator[MappedBlock]:
    for row in rows:
        line = run.line(row.paragraph)
        if line is None:
            continue
        draft = standing_draft(run.view.kind, run.story(row.paragraph))
        assert isinstance(draft, Paragraph), "the candidate is made of paragraphs"
        placed = next(candidate_pieces([draft], row.start), None)
        text = placed.text.split("\n") if placed is not None else []
        yield MappedBlock(
            row,
            line,
            look_of(line.state, line.sort),
            tuple(enumerate(text, row.start)),
            moved=len(text) != row.end - row.start + 1,
        )


def _unmapped(run: RunCatalogue) -> Iterator[Unmapped]:
    events = run.view.journal.events(types=("blocker_numbered",), limit=MOST_UNMAPPED)
    for event in events:
        line = run.line(str(event.unit))
        source = run.story(str(event.unit)).source if line is not None else None
        if line is not None and isinstance(source, RunIssue):
            yield Unmapped(line, look_of(line.state, line.sort), source)
