"""The candidate's map: which lines of `candidate.md` belong to which paragraph.

The file is written when the run pauses. Its rows are in order, by paragraph and by line, so any of them is found by
halving: no page reads more than a few lines of it, however long the book is.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import BinaryIO

import orjson

from burnish.app.run_reader import RunReader, UnitLine
from burnish.core.errors import StateCorrupt
from burnish.kinds.manuscripts.block_fit import candidate_pieces
from burnish.kinds.manuscripts.findings import RunIssue
from burnish.kinds.manuscripts.model import Paragraph
from burnish.web import Drawn
from burnish.web.formatting import count
from burnish.web.kinds.generic import kept_draft
from burnish.web.rendering import run_link

NAME = "final/candidate_map.jsonl"
LONGEST_ROW = 4096
"""Bytes: a row is a name and three numbers."""
BLOCKS = 30
"""Paragraphs on a page."""
MOST_UNMAPPED = 50
LARGEST_NUMBER = 9
"""Digits of a line that somebody asks for."""


@dataclass(frozen=True, slots=True)
class MapRow:
    """One paragraph in the candidate."""

    paragraph: str
    index: int
    """Of the paragraph in the book, from 1 on."""
    start: int
    """Its first line, from 1 on."""
    end: int

    @property
    def label(self) -> str:
        """`L61–63`."""
        return f"L{self.start}" if self.start == self.end else f"L{self.start}–{self.end}"


@dataclass(frozen=True, slots=True)
class CandidateMap:
    """The map of one run."""

    path: Path

    @classmethod
    def of(cls, run: RunReader) -> CandidateMap:
        return cls(run.view.folder.export(NAME))

    @property
    def made_at(self) -> str | None:
        """When it was written; None: it was not yet."""
        try:
            return datetime.fromtimestamp(self.path.stat().st_mtime, UTC).isoformat()
        except FileNotFoundError:
            return None

    def from_paragraph(self, index: int, limit: int) -> list[MapRow]:
        """The rows from this paragraph on."""
        return self._rows(lambda row: row.index >= index, limit)

    def from_line(self, line: int, limit: int) -> list[MapRow]:
        """The rows from the paragraph on that holds this line, or follows it."""
        return self._rows(lambda row: row.end >= line, limit)

    def row(self, index: int) -> MapRow | None:
        """The row of one paragraph; None where it has no lines."""
        found = self.from_paragraph(index, 1)
        return found[0] if found and found[0].index == index else None

    def last(self) -> MapRow | None:
        """The last row: how long the candidate is."""
        try:
            with self.path.open("rb") as file:
                size = file.seek(0, os.SEEK_END)
                file.seek(max(0, size - LONGEST_ROW))
                lines = file.read().splitlines()
        except FileNotFoundError:
            return None
        return self._row(lines[-1]) if lines else None

    def _rows(self, reached: Callable[[MapRow], bool], limit: int) -> list[MapRow]:
        """The first rows for which `reached` holds: it does for none before them."""
        try:
            with self.path.open("rb") as file:
                file.seek(self._first(file, reached))
                lines = [file.readline(LONGEST_ROW) for _ in range(limit)]
        except FileNotFoundError:
            return []
        return [self._row(line) for line in lines if line.strip()]

    def _first(self, file: BinaryIO, reached: Callable[[MapRow], bool]) -> int:
        """Where the first such row begins, by halving."""
        low, high = 0, file.seek(0, os.SEEK_END)
        while low < high:
            middle = (low + high) // 2
            begins, line = self._line_behind(file, middle)
            if not line.strip() or reached(self._row(line)):
                high = middle
            else:
                low = begins + len(line)
        return self._line_behind(file, low)[0]

    def _line_behind(self, file: BinaryIO, place: int) -> tuple[int, bytes]:
        """The first line that begins at a place or behind it, and where it begins."""
        if place > 0:
            file.seek(place - 1)
            place += len(file.readline(LONGEST_ROW)) - 1
        file.seek(place)
        return place, file.readline(LONGEST_ROW)

    def _row(self, line: bytes) -> MapRow:
        try:
            read = orjson.loads(line)
            return MapRow(
                str(read["paragraph_id"]), int(read["paragraph_index"]), int(read["start_line"]), int(read["end_line"])
            )
        except (ValueError, KeyError, TypeError) as wrong:
            raise StateCorrupt(
                f"{self.path.name} cannot be read; it was changed by hand.",
                hint="`burnish export RUN` writes the files of a run again.",
            ) from wrong


@dataclass(frozen=True, slots=True)
class IssueLine:
    """An issue that belongs to no paragraph."""

    line: UnitLine
    issue: RunIssue

    @property
    def anchor(self) -> str:
        """Where it should be, as the reviewer said."""
        said = self.issue.issue
        if "start_line" in said:
            return f"lines {said['start_line']} to {said.get('end_line', said['start_line'])}"
        return f"line {said['line']}" if "line" in said else ""


def map_view(run: RunReader, query: Mapping[str, str]) -> Drawn:
    """The page of the map that holds a line (`line`), or begins with a paragraph (`from`)."""
    known = CandidateMap.of(run)
    line, first = _number(query.get("line")), _number(query.get("from"))
    rows = known.from_line(line, BLOCKS + 1) if line is not None else known.from_paragraph(first or 1, BLOCKS + 1)
    shown, last = rows[:BLOCKS], known.last()
    begin = known.from_paragraph(1, 1)

    def link(index: int) -> str:
        return run_link(run.view.folder.id, **{"tab": "map", "from": str(index)})

    return Drawn(
        blocks=tuple(_blocks(run, shown)),
        made_at=known.made_at,
        lines=last.end if last is not None else 0,
        asked=line,
        previous=link(max(1, shown[0].index - BLOCKS)) if shown and begin and shown[0].index > begin[0].index else None,
        next=link(rows[BLOCKS].index) if len(rows) > BLOCKS else None,
        label=f"Lines {count(shown[0].start)} to {count(shown[-1].end)} of {count(last.end)}" if shown and last else "",
        unmapped=tuple(_unmapped(run)),
    )


def _number(given: str | None) -> int | None:
    return int(given) if given is not None and given.isdecimal() and len(given) <= LARGEST_NUMBER else None


def _blocks(run: RunReader, rows: list[MapRow]) -> Iterator[Drawn]:
    for row in rows:
        line = run.line(row.paragraph)
        if line is None:
            continue
        draft = kept_draft(run.view.kind, run.story(row.paragraph))
        assert isinstance(draft, Paragraph), "the candidate is made of paragraphs"
        text = [each for _, place in candidate_pieces([draft], row.start) for each in place.text.split("\n")]
        yield Drawn(
            row=row, line=line, text=tuple(enumerate(text, row.start)), moved=len(text) != row.end - row.start + 1
        )


def _unmapped(run: RunReader) -> Iterator[IssueLine]:
    events = run.view.journal.events(types=("blocker_numbered",), limit=MOST_UNMAPPED)
    for event in events:
        line = run.line(str(event.unit))
        source = run.story(str(event.unit)).source if line is not None else None
        if line is not None and isinstance(source, RunIssue):
            yield IssueLine(line, source)


def place_of(run: RunReader, paragraph: Paragraph) -> str | None:
    """A paragraph's lines in the candidate; None where it has none, or the map cannot be read: its own tab says so."""
    try:
        row = CandidateMap.of(run).row(paragraph.index)
    except StateCorrupt:
        return None
    return row.label if row is not None else None
