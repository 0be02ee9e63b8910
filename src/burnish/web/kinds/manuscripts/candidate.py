"""The candidate's map: which lines of `candidate.md` belong to which paragraph.

The file is written when a sitting ends. Its rows are in order, by paragraph and by line, so any of them is found by
halving: no page reads more than a few lines of it, however long the book is.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import BinaryIO

import orjson

from burnish.core.errors import StateCorrupt

NAME = "final/candidate_map.jsonl"
LONGEST_ROW = 4096
"""Bytes: a row is a name and three numbers."""


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
    def words(self) -> str:
        """`L61–63`."""
        return f"L{self.start}" if self.start == self.end else f"L{self.start}–{self.end}"


@dataclass(frozen=True, slots=True)
class CandidateMap:
    """The map of one run."""

    path: Path

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

    def of(self, index: int) -> MapRow | None:
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
                f"{self.path.name} was changed by hand: it cannot be read any more.",
                hint="`burnish export RUN` makes the files of a run anew.",
            ) from wrong
