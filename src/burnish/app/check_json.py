"""The JSON report, written while the check runs, so that memory stays flat. It is always complete, valid JSON.

It has the line and column of every finding in the file. A finding knows its words and their place in a field; its unit
knows its first line. From there on the words are searched in the file as they may be written in it: plain, in JSON or
in XML. In a file without lines (a package, a workbook, a document) the line is the row, or that of the unit's own
text; the column is that in the text.
"""

from __future__ import annotations

import io
import json
import tempfile
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import asdict
from html import escape
from itertools import islice
from typing import IO, Any, NamedTuple, TextIO

from pydantic import BaseModel, ConfigDict

from burnish import __version__
from burnish.app.check_summary import unified
from burnish.app.terminal import json_text
from burnish.core.documents import Located, PassedThrough, Problem, Unit
from burnish.core.errors import InputError
from burnish.core.findings import Finding, ReportedFinding, Severity
from burnish.engine.check import (
    CheckEvent,
    CheckSummary,
    DocumentEnded,
    DocumentFailed,
    DocumentStarted,
    UnitChecked,
    opened,
)
from burnish.engine.fixes import DocumentWritten, FixEvent, UnitFixed
from burnish.text.json_text import BOMS
from burnish.text.packages import is_zip

IN_MEMORY = 1_000_000
"""Characters of a side list that are kept in memory before it moves to a temporary file."""


class Aside:
    """A list that is filled while the units are written, and written after them."""

    def __init__(self) -> None:
        self._file: IO[str] = tempfile.SpooledTemporaryFile(  # noqa: SIM115 - closed by `pour`
            IN_MEMORY, "w+", encoding="utf-8", newline=""
        )
        self._count = 0

    def add(self, value: object) -> None:
        self._file.write(f"{',' if self._count else ''}{json_text(value)}")
        self._count += 1

    def pour(self, stream: TextIO) -> None:
        """Write the list and close its file."""
        self._file.seek(0)
        stream.write("[")
        while piece := self._file.read(1 << 16):
            stream.write(piece)
        stream.write("]")
        self._file.close()


class JsonReport:
    """Writes the report's object piece by piece. `close` or `abandon` must come last."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._asides: dict[str, Aside] | None = None
        self._places: FilePlaces | None = None
        self._complete = True
        self._documents = 0
        self._units = 0
        self._fixes: int | None = None
        self._written: list[str] = []
        self._in_documents = False
        stream.write(f'{{"version":{json_text(__version__)}')

    def open_fixes(self) -> None:
        """Open the list of fixes, which may stay empty, before the first document."""
        self._stream.write(',"fixed":[')
        self._fixes = 0

    def take_fix(self, event: FixEvent) -> None:
        """Write one change of a safe fix."""
        assert self._fixes is not None, "the list of fixes is open"
        if isinstance(event, UnitFixed):
            fix = {
                "path": event.document.path,
                "unit": event.before.id,
                "rules": sorted({finding.rule for finding in event.settled}),
                "diff": "\n".join(unified(event.before, event.after)),
            }
            self._stream.write(f"{',' if self._fixes else ''}\n{json_text(fix)}")
            self._fixes += 1
        elif isinstance(event, DocumentWritten):
            self._written.append(event.document.path)

    def take(self, event: CheckEvent) -> None:
        """Write one event of the check."""
        if isinstance(event, UnitChecked):
            self._unit(event)
        elif isinstance(event, DocumentStarted):
            self._open_documents()
            head = json_text({"path": event.document.path, "kind": event.kind})
            self._stream.write(f'{"," if self._documents else ""}\n{head[:-1]},"units":[')
            self._documents += 1
            self._units = 0
            self._complete = True
            self._places = FilePlaces(event.document.path)
            self._asides = {name: Aside() for name in ("problems", "passed_through", "ignored", "baseline")}
        elif isinstance(event, DocumentEnded):
            self._close_document(event.bank)
        elif isinstance(event, Problem):
            self._aside("problems", asdict(event))
        elif isinstance(event, DocumentFailed):
            self._complete = False
            self._aside("problems", problem_of(event.error))
        elif isinstance(event, PassedThrough):
            self._aside("passed_through", asdict(event))

    def close(
        self,
        summary: CheckSummary,
        *,
        problems: Iterable[InputError],
        passed_over: Iterable[InputError],
        off: Collection[str],
    ) -> None:
        """Close all open lists and write the rest."""
        if self._asides is not None:  # the check was interrupted inside a document
            self._complete = False
            self._close_document({})
        self._open_documents()
        rest = {
            "problems": [problem_of(problem) for problem in problems],
            "passed_over": [error.path for error in passed_over],
            "rules_off": sorted(off),
            "summary": summary.summary(),
        }
        self._stream.write(f"\n],{json_text(rest)[1:]}\n")

    def abandon(self, summary: CheckSummary) -> None:
        """Close an interrupted report, so that it is valid JSON."""
        self.close(summary, problems=(), passed_over=(), off=())

    def _open_documents(self) -> None:
        if self._in_documents:
            return
        self._in_documents = True
        fixed = "" if self._fixes is None else f'],"written":{json_text(self._written)}'
        self._stream.write(f'{fixed},"documents":[')

    def _unit(self, event: UnitChecked) -> None:
        unit = {"id": event.unit.id, "findings": [self._placed(event, finding) for finding in event.findings]}
        self._stream.write(f"{',' if self._units else ''}\n{json_text(unit)}")
        self._units += 1
        for finding in event.examination.ignored:
            self._aside("ignored", self._placed(event, finding))
        for finding in event.known:
            self._aside("baseline", self._placed(event, finding))

    def _placed(self, event: UnitChecked, finding: Finding) -> dict[str, Any]:
        assert self._places is not None, "a unit lies inside a document"
        place = FilePlace() if event.is_whole else self._places.of(event.unit, finding)
        return {**finding.as_wire(), **place._asdict()}

    def _aside(self, name: str, value: object) -> None:
        assert self._asides is not None, "everything but a document's start lies inside a document"
        self._asides[name].add(value)

    def _close_document(self, bank: Mapping[str, Any]) -> None:
        self._stream.write("\n]")
        for name, aside in (self._asides or {}).items():
            self._stream.write(f',"{name}":')
            aside.pour(self._stream)
        self._stream.write(f',"bank":{json_text(dict(bank))},"complete":{json_text(self._complete)}}}')
        self._asides = None


def problem_of(error: InputError) -> dict[str, Any]:
    """An error in the shape of a problem."""
    place = {"path": error.path, "line": error.line, "field": error.field, "unit": None}
    return {"code": error.code, "message": error.message, **place, "hint": error.hint, "blocks": True}


class Shape(BaseModel):
    """Base of the shapes. Keys that are not described are refused."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)


class PlacedFinding(ReportedFinding):
    """One thing wrong, and where in the file."""

    line: int | None
    """Counted from 1; null if it is about the whole. In a file without lines: the row of a workbook, else the line in
    the text that was read from it."""
    column: int | None
    """In characters, counted from 1; null if it is about the whole. In a file without lines: in the field's text."""


class ReportedUnit(Shape):
    """One unit. A clean one has an empty list."""

    id: str
    findings: tuple[PlacedFinding, ...]


class ReportedProblem(Shape):
    """Input that could not be used."""

    code: str
    message: str
    path: str
    line: int | None
    field: str | None
    unit: str | None
    """The id of the part, if it has one, even if no unit could be made of it."""
    hint: str | None
    blocks: bool
    """Whether `polish` would not publish the document: no unit was made of the part, or maybe not the one meant."""


class ReportedPart(Shape):
    """A part that is carried unchanged and not judged."""

    id: str
    type: str
    line: int | None


class ReportedDocument(Shape):
    """One file."""

    path: str
    kind: str
    units: tuple[ReportedUnit, ...]
    problems: tuple[ReportedProblem, ...]
    """Parts that could not be read; the other units are listed."""
    passed_through: tuple[ReportedPart, ...]
    ignored: tuple[PlacedFinding, ...]
    """Findings that an ignore comment of the author covers."""
    baseline: tuple[PlacedFinding, ...]
    """Findings that are in the baseline."""
    bank: dict[str, Any]
    """Facts about the whole document: balance of the keys, blueprint, duplicates."""
    complete: bool
    """Whether the document was read to its end."""


class ReportedFix(Shape):
    """A unit that `--fix` changed."""

    path: str
    unit: str
    rules: tuple[str, ...]
    diff: str


class SkippedRules(Shape):
    """Rules that cannot judge a language."""

    language: str
    units: int
    rules: tuple[str, ...]


class NotJudged(Shape):
    """A dimension in which some units were judged by no rule and no model."""

    dimension: str
    why: str
    units: int


class Summary(Shape):
    """Counts over all documents. Ignored and known findings are counted only in their own fields."""

    documents: int
    units: int
    findings: int
    by_rule: dict[str, int]
    by_severity: dict[Severity, int]
    fixable: int
    known: int
    """Findings that are in the baseline."""
    ignored: dict[str, int]
    """Rule -> findings that authors ignore."""
    passed_through: dict[str, int]
    """Type -> parts that were not judged."""
    problems: int
    failures: int
    """Documents that could not be read, or not to their end."""
    skipped_rules: tuple[SkippedRules, ...]
    not_judged: tuple[NotJudged, ...] = ()


class CheckReport(Shape):
    """The whole report."""

    version: str
    """The version of Burnish."""
    fixed: tuple[ReportedFix, ...] = ()
    """Units that `--fix` corrected. Only with `--fix`, as `written`."""
    written: tuple[str, ...] = ()
    """Documents that `--fix` wrote. A document with bad input is not among them: its fixes are proposals."""
    documents: tuple[ReportedDocument, ...]
    problems: tuple[ReportedProblem, ...]
    """Paths that could not be read at all."""
    passed_over: tuple[str, ...]
    """Files in a folder that Burnish does not read."""
    rules_off: tuple[str, ...]
    """Rules that settings or flags switched off."""
    summary: Summary


LINES_AHEAD = 400
"""Lines of one unit in which its words are searched."""
CHARACTERS_AHEAD = 200_000
AROUND = 40
"""Characters on either side of a quote that distinguish it from the same word elsewhere."""


class FilePlace(NamedTuple):
    """Line and column, counted from 1; None if unknown."""

    line: int | None = None
    column: int | None = None


def line_of(unit: Unit, finding: Finding) -> int | None:
    """The line of the quoted words; otherwise the first line of the unit."""
    if isinstance(unit, Located):
        return unit.line_of(finding.field, finding.start)
    return getattr(unit, "line", None)


class FilePlaces:
    """Finds places in one file. Units come in file order, so it is read once, a few lines ahead."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._lines: list[str] = []
        self._first = 1
        """The number of the first line in `_lines`."""
        self._text = ""
        """All of `_lines` as one text."""
        self._stream: Iterator[str] | None = None
        self._unit: tuple[str, int] | None = None
        """The last unit, and where the search for it began."""
        self._from = 0
        """Where in the line the previous unit was found: one line may hold many."""

    def of(self, unit: Unit, finding: Finding) -> FilePlace:
        """The place of a finding; the beginning of its line if its words are not found."""
        line = line_of(unit, finding)
        if line is None or not self._reach(line):
            before = unit.texts().get(finding.field, "")[: finding.start or 0]
            return FilePlace(line or before.count("\n") + 1, len(before) - before.rfind("\n"))
        text, first = self._text, len(self._lines[0])
        begin = self._begin(unit.id, line)
        for words, skipped in _forms(unit, finding):
            at = text.find(words, begin, begin + CHARACTERS_AHEAD)
            if at >= 0:
                self._from = max(self._from, at) if first > at else 0
                at += skipped
                if at < first:  # a bank may be one long line, which is not searched for every finding
                    return FilePlace(line, at + 1)
                return FilePlace(line + text.count("\n", 0, at), at - text.rfind("\n", 0, at))
        return FilePlace(line, len(text) - len(text.lstrip(" \t")) + 1)

    def _begin(self, unit: str, line: int) -> int:
        if self._unit is None or self._unit[0] != unit:
            self._unit = (unit, self._from)
        return self._unit[1]

    def _reach(self, line: int) -> bool:
        """Load the lines from this one on; False if the file has none."""
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
    """Texts to search for, with the offset of the finding in each: the whole field, the words around the quote, the
    quote; each plain, as JSON and as XML."""
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
"""How words are written in a file: plain, in JSON with and without non-ASCII letters, in XML."""


def _lines(path: str) -> Iterator[str]:
    """The lines of a file as its readers count them; none for a package."""
    with opened(path) as stream:
        head = stream.read(4)
        if is_zip(head):
            return
        bom, codec = next(((bom, codec) for bom, codec in BOMS if head.startswith(bom)), (b"", "utf-8"))
        stream.seek(len(bom))
        yield from io.TextIOWrapper(stream, codec, "replace", newline=None)
