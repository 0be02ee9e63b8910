"""The line and column of a finding, looked up in the file it is about.

A finding knows its words and where they stand in a field; its unit knows the line on which it begins. From there on the
words are looked for in the file, as they are written in it: plain, in JSON or in XML. In a file without lines (a
package, a workbook, a document) the line is the row, or that of the unit's own text; the column is that in the text.
"""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterator
from html import escape
from itertools import islice
from typing import NamedTuple

from burnish.core.documents import Located, Unit
from burnish.core.findings import Finding
from burnish.engine.check import opened
from burnish.text.json_text import BOMS
from burnish.text.packages import is_zip

LINES_AHEAD = 400
"""Lines of one unit among which its words are looked for."""
CHARACTERS_AHEAD = 200_000
AROUND = 40
"""Characters on either side of a quote that tell it from the same word elsewhere."""


class FilePlace(NamedTuple):
    """Counted from 1. Where the file does not tell, None."""

    line: int | None = None
    column: int | None = None


def line_of(unit: Unit, finding: Finding) -> int | None:
    """Where the words stand that are meant; else where their unit begins."""
    if isinstance(unit, Located):
        return unit.line_of(finding.field, finding.start)
    return getattr(unit, "line", None)


class FilePlaces:
    """Finds places in one file. Units come in their order, so it is read once, a few lines ahead."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._lines: list[str] = []
        self._first = 1
        """The number of the first line at hand."""
        self._text = ""
        """All of them, as one text."""
        self._stream: Iterator[str] | None = None
        self._unit: tuple[str, int] | None = None
        """The unit that was looked at last, and where the search for it began."""
        self._from = 0
        """Where in the line the unit before it was found: many may stand on one line."""

    def of(self, unit: Unit, finding: Finding) -> FilePlace:
        """The place of a finding; the beginning of its line where its words are not found as they are."""
        line = line_of(unit, finding)
        if line is None or not self._reach(line):
            before = unit.texts().get(finding.field, "")[: finding.start or 0]
            return FilePlace(line or before.count("\n") + 1, len(before) - before.rfind("\n"))
        text, first = self._text, len(self._lines[0])
        begin = self._begin(unit.id, line)
        for wanted, skipped in _forms(unit, finding):
            at = text.find(wanted, begin, begin + CHARACTERS_AHEAD)
            if at >= 0:
                self._from = max(self._from, at) if first > at else 0
                at += skipped
                if at < first:  # a bank may be one long line, which is not gone through for every finding
                    return FilePlace(line, at + 1)
                return FilePlace(line + text.count("\n", 0, at), at - text.rfind("\n", 0, at))
        return FilePlace(line, len(text) - len(text.lstrip(" \t")) + 1)

    def _begin(self, unit: str, line: int) -> int:
        if self._unit is None or self._unit[0] != unit:
            self._unit = (unit, self._from)
        return self._unit[1]

    def _reach(self, line: int) -> bool:
        """Have the lines from this one on at hand; False where the file has none."""
        if self._stream is None or line < self._first:
            self._stream, self._lines, self._first, self._text = _lines(self._path), [], 1, ""
        if line != self._first:
            self._from, self._text = 0, ""
        while self._first < line:
            if not self._lines:
                self._lines = list(islice(self._stream, LINES_AHEAD))
                if not self._lines:
                    return False
            gone = min(line - self._first, len(self._lines))
            del self._lines[:gone]
            self._first += gone
        self._lines += islice(self._stream, LINES_AHEAD - len(self._lines)) if len(self._lines) < LINES_AHEAD else ()
        self._text = self._text or "".join(self._lines)
        return bool(self._lines)


def _forms(unit: Unit, finding: Finding) -> Iterator[tuple[str, int]]:
    """What to look for, and how far into it the finding begins: the whole field, the words around the quote, the quote;
    each as it is, as JSON and as XML."""
    text = unit.texts().get(finding.field, "")
    start, end = finding.start or 0, finding.end if finding.end is not None else len(text)
    for left, right in ((0, len(text)), (max(0, start - AROUND), end + AROUND), (start, max(end, start + 1))):
        part, before = text[left:right], text[left:start]
        if not part.strip():
            continue
        for written in WAYS:
            yield written(part), len(written(before))


WAYS: tuple[Callable[[str], str], ...] = (
    str,
    lambda text: json.dumps(text, ensure_ascii=False)[1:-1],
    lambda text: json.dumps(text)[1:-1],
    lambda text: escape(text, quote=False),
)
"""How words are written in a file: plain, in JSON with and without other letters than ASCII, in XML."""


def _lines(path: str) -> Iterator[str]:
    """The lines of a file as its readers count them; none of a package."""
    with opened(path) as stream:
        head = stream.read(4)
        if is_zip(head):
            return
        bom, codec = next(((bom, codec) for bom, codec in BOMS if head.startswith(bom)), (b"", "utf-8"))
        stream.seek(len(bom))
        yield from io.TextIOWrapper(stream, codec, "replace", newline=None)
