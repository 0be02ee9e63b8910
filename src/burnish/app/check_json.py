"""The JSON report, written while the check runs: memory stays flat, and what is written is always whole in the end."""

from __future__ import annotations

import tempfile
from collections.abc import Collection, Iterable, Mapping
from dataclasses import asdict
from typing import IO, Any, TextIO

from pydantic import BaseModel, ConfigDict

from burnish import __version__
from burnish.app.check_summary import unified
from burnish.app.finding_places import FilePlace, FilePlaces
from burnish.app.terminal import json_text
from burnish.core.documents import PassedThrough, Problem
from burnish.core.errors import InputError
from burnish.core.findings import Finding, ReportedFinding, Severity
from burnish.engine.check import CheckEvent, CheckSummary, DocumentEnded, DocumentFailed, DocumentStarted, UnitChecked
from burnish.engine.fixes import DocumentWritten, FixEvent, UnitFixed

IN_MEMORY = 1_000_000
"""Characters of a side list that are kept in memory before it moves to a temporary file."""


class Aside:
    """A list that is written after the units, and filled while they pass."""

    def __init__(self) -> None:
        self._file: IO[str] = tempfile.SpooledTemporaryFile(  # noqa: SIM115 - closed by `pour`
            IN_MEMORY, "w+", encoding="utf-8", newline=""
        )
        self._count = 0

    def add(self, value: object) -> None:
        self._file.write(f"{',' if self._count else ''}{json_text(value)}")
        self._count += 1

    def pour(self, stream: TextIO) -> None:
        """Write the list and forget it."""
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
        """Begin the list of fixes, which may stay empty. It comes before the first document."""
        self._stream.write(',"fixed":[')
        self._fixes = 0

    def take_fix(self, event: FixEvent) -> None:
        """Say what a safe fix changed."""
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
        """Close whatever is open and write the rest."""
        if self._asides is not None:  # the check was broken off inside a document
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
        """Even a report that was broken off is valid JSON."""
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
    """Closed: a key that is not described here is not written."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)


class PlacedFinding(ReportedFinding):
    """One thing wrong, and where in the file."""

    line: int | None
    """Counted from 1; null where it is about the whole. In a file without lines: the row of a workbook, else the line
    in the text that was read from it."""
    column: int | None
    """In characters, counted from 1; null where it is about the whole. In a file without lines: in the text of the
    field."""


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
    """The id that the part goes by, where it has one: also where no unit could be made of it."""
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
    """What could not be read; the other units are listed all the same."""
    passed_through: tuple[ReportedPart, ...]
    ignored: tuple[PlacedFinding, ...]
    """Findings that the author ignores."""
    baseline: tuple[PlacedFinding, ...]
    """Findings that the baseline knows."""
    bank: dict[str, Any]
    """What can be said of the document as a whole: balance of the keys, blueprint, duplicates."""
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
    """A dimension in which no rule was able to look at some units, and no model looked."""

    dimension: str
    why: str
    units: int


class Summary(Shape):
    """Counts over all documents. Findings that are ignored or known count only there."""

    documents: int
    units: int
    findings: int
    by_rule: dict[str, int]
    by_severity: dict[Severity, int]
    fixable: int
    known: int
    """Findings that the baseline knows."""
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
    """Of Burnish."""
    fixed: tuple[ReportedFix, ...] = ()
    """Units that `--fix` corrected. Only with `--fix`, as the next."""
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
