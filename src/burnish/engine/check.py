"""Checking: turn documents into a stream of events. No model, no network; doors only print the events.

A baseline holds the known findings of a bank, so that only new ones fail: a JSONL file with a header and one line for
every finding in document order.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, BinaryIO, Self

from burnish.core.checks import Examination
from burnish.core.documents import PassedThrough, Problem, Unit, Whole, text_digest
from burnish.core.errors import InputError
from burnish.core.findings import BLOCKING, SEVERITIES, Finding, Severity
from burnish.core.kinds import Kind, Overview
from burnish.engine.check_pool import CheckPool, Note

UNKNOWN_LANGUAGE = "unknown"


@dataclass(slots=True)
class Skipped:
    """Rules that cannot judge a language."""

    units: int = 0
    rules: set[str] = field(default_factory=set)


@dataclass(slots=True)
class Unheard:
    """Ignored findings, rules that could not judge a unit, and dimensions that were not judged."""

    ignored: Counter[str] = field(default_factory=Counter)
    """Findings that authors asked to ignore, by rule."""
    skipped: dict[str, Skipped] = field(default_factory=dict)
    """By language."""
    unjudged: Counter[tuple[str, str]] = field(default_factory=Counter)
    """Units that were not judged, by dimension and reason."""

    def take_unheard(
        self,
        ignored: Iterable[str],
        skipped: Collection[str],
        language: str | None,
        unjudged: Mapping[str, str] | None = None,
    ) -> None:
        """Add a unit: the rules of its ignored findings, the rules that cannot judge it, its language, and the
        dimensions that were not judged, with the reasons."""
        self.ignored.update(ignored)
        self.unjudged.update((unjudged or {}).items())
        if skipped:
            entry = self.skipped.setdefault(language or UNKNOWN_LANGUAGE, Skipped())
            entry.units += 1
            entry.rules.update(skipped)

    def unheard(self) -> dict[str, Any]:
        """Return everything as JSON-ready data."""
        return {
            "ignored": dict(sorted(self.ignored.items())),
            "skipped_rules": [
                {"language": language, "units": skipped.units, "rules": sorted(skipped.rules)}
                for language, skipped in sorted(self.skipped.items())
            ],
            **self.not_judged(),
        }

    def not_judged(self) -> dict[str, Any]:
        """Return the report's part about what was not judged; empty if everything was."""
        told = [
            {"dimension": dimension, "why": why, "units": units}
            for (dimension, why), units in sorted(self.unjudged.items())
        ]
        return {"not_judged": told} if told else {}

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> Self:
        skipped = {e["language"]: Skipped(e["units"], set(e["rules"])) for e in record["skipped_rules"]}
        unjudged = {(one["dimension"], one["why"]): one["units"] for one in record.get("not_judged", ())}
        return cls(ignored=Counter(record["ignored"]), skipped=skipped, unjudged=Counter(unjudged))


@dataclass(slots=True)
class CheckSummary(Unheard):
    """Counts over all documents of a check. Pass it every event."""

    documents: int = 0
    units: int = 0
    units_with_errors: int = 0
    fixable: int = 0
    known: int = 0
    """Findings in the baseline."""
    graded: Counter[tuple[Severity, str]] = field(default_factory=Counter)
    """Findings by severity and rule."""
    passed_through: Counter[str] = field(default_factory=Counter)
    """Parts that were not judged, by type."""
    problems: int = 0
    failures: int = 0
    """Documents that could not be read completely."""

    def take(self, event: CheckEvent) -> None:
        if isinstance(event, UnitChecked):
            self.units += not event.is_whole
            self.known += len(event.known)
            self.units_with_errors += not event.is_whole and any(finding.blocks for finding in event.findings)
            for finding in event.findings:
                self.graded[finding.severity, finding.rule] += 1
                self.fixable += finding.fix is not None
            examined = event.examination
            ignored = (finding.rule for finding in examined.ignored)
            self.take_unheard(ignored, examined.skipped, examined.language, examined.unjudged)
        elif isinstance(event, DocumentStarted):
            self.documents += 1
        elif isinstance(event, DocumentFailed):
            self.failures += 1
        elif isinstance(event, Problem):
            self.problems += is_bad_input(event)
        elif isinstance(event, PassedThrough):
            self.passed_through[event.type] += 1

    @property
    def findings(self) -> int:
        return self.graded.total()

    def rules_of(self, severity: Severity) -> Counter[str]:
        """Return how often each rule raised findings of this severity."""
        return Counter({rule: number for (level, rule), number in self.graded.items() if level == severity})

    @property
    def errors(self) -> int:
        """Findings that fail the check: `error` or worse."""
        return sum(number for (severity, _), number in self.graded.items() if severity in BLOCKING)

    @property
    def clean(self) -> bool:
        """Whether nothing was found, and everything could be read."""
        return not (self.findings or self.known or self.problems or self.failures)

    @property
    def exit_code(self) -> int:
        """2: input that cannot be used. 1: at least one error. 0: clean, warnings allowed."""
        if self.problems or self.failures:
            return 2
        return 1 if self.errors else 0

    def summary(self) -> Mapping[str, Any]:
        """Return the report's last part, as JSON-ready data."""
        by_rule: Counter[str] = Counter()
        for (_, rule), number in self.graded.items():
            by_rule[rule] += number
        unheard = self.unheard()
        return {
            "documents": self.documents,
            "units": self.units,
            "findings": self.findings,
            "by_rule": dict(sorted(by_rule.items())),
            "by_severity": {severity: self.rules_of(severity).total() for severity in SEVERITIES},
            "fixable": self.fixable,
            "known": self.known,
            "ignored": unheard["ignored"],
            "passed_through": dict(sorted(self.passed_through.items())),
            "problems": self.problems,
            "failures": self.failures,
            "skipped_rules": unheard["skipped_rules"],
            **self.not_judged(),
        }


HEADER = {"burnish_baseline": 1}
"""The first line, with the version of the file format."""
HEADER_LINE = json.dumps(HEADER).encode() + b"\n"
LONGEST_LINE = 1_000_000
HINT = "Write it again with --write-baseline."


def line(finding: Finding) -> bytes:
    """Return a finding's line in a baseline."""
    quote = text_digest(finding.quote) if finding.quote is not None else None
    return _written({"rule": finding.rule, "unit": finding.unit, "field": finding.field, "quote": quote})


class Baseline:
    """Known findings. Each line covers one finding: a second equal one is new."""

    def __init__(self, lines: Iterable[bytes] = ()) -> None:
        self._left = Counter(map(_name, lines))

    @classmethod
    def load(cls, path: str) -> Self:
        return cls(_lines(path))

    def split(self, findings: Iterable[Finding]) -> tuple[tuple[Finding, ...], tuple[Finding, ...]]:
        """Split findings into new and known ones."""
        new: list[Finding] = []
        known: list[Finding] = []
        for finding in findings:
            (known if self._excuses(finding) else new).append(finding)
        return tuple(new), tuple(known)

    def _excuses(self, finding: Finding) -> bool:
        name = _name(line(finding))
        if not self._left[name]:
            return False
        self._left[name] -= 1
        return True


def _name(line: bytes) -> bytes:
    """Return a short digest, because a baseline may have a million lines."""
    return hashlib.blake2b(line, digest_size=12).digest()


def _written(known: dict[str, str | None]) -> bytes:
    # Not as UTF-8, which refuses the lone surrogates that ids and fields may hold.
    return json.dumps(known, sort_keys=True, separators=(",", ":")).encode() + b"\n"


def _lines(path: str) -> Iterator[bytes]:
    """Yield the lines of a baseline in our own form."""
    try:
        with Path(path).open("rb") as file:
            if _parsed(file.readline(LONGEST_LINE), path, 1) != HEADER:
                raise InputError(
                    "This is no baseline that this version of Burnish reads.", path=path, line=1, hint=HINT
                )
            for number, line in enumerate(iter(lambda: file.readline(LONGEST_LINE), b""), start=2):
                value = _parsed(line, path, number)
                if not isinstance(value, dict) or set(value) != {"rule", "unit", "field", "quote"}:
                    raise InputError("This line is no baseline entry.", path=path, line=number, hint=HINT)
                yield _written(value)
    except OSError as error:
        raise InputError(f"The baseline cannot be read: {error.strerror}.", path=path, hint=HINT) from error


def _parsed(line: bytes, path: str, number: int) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError) as error:
        raise InputError(f"This line is not JSON: {error}.", path=path, line=number, hint=HINT) from error


HARMLESS = frozenset({"missing_id", "unknown_rule"})
"""Problems that are only reported: units without ids are named by position, unknown rules in an ignore do nothing."""
PROGRESS_EVERY = 100
"""Units between two progress events."""


@dataclass(frozen=True, slots=True)
class Document:
    """A file to read, and its format."""

    path: str
    """The path as the user gave it."""
    format: str


@dataclass(frozen=True, slots=True)
class DocumentStarted:
    """A document is started."""

    document: Document
    kind: str


@dataclass(frozen=True, slots=True)
class UnitChecked:
    """The result of the checks on one unit."""

    unit: Unit
    examination: Examination
    findings: tuple[Finding, ...]
    """All findings that count: of the checks, and of the document's overview."""
    known: tuple[Finding, ...] = ()
    """Findings in the baseline."""
    is_whole: bool = False
    """The unit stands for the document: it is listed only if it has findings, and never counted."""


@dataclass(frozen=True, slots=True)
class DocumentFailed:
    """The rest of the document cannot be read. Earlier units were judged."""

    document: Document
    error: InputError


@dataclass(frozen=True, slots=True)
class DocumentEnded:
    """The document is done; `bank` is the overview's result."""

    document: Document
    bank: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Progressed:
    """The number of bytes read of a document."""

    document: Document
    read: int


CheckEvent = DocumentStarted | UnitChecked | Problem | PassedThrough | DocumentFailed | DocumentEnded | Progressed
_NoteEvent = DocumentStarted | Problem | PassedThrough | DocumentFailed | Progressed | Document
"""Events between units; the bare document marks its end."""


@contextlib.contextmanager
def opened(path: str) -> Iterator[BinaryIO]:
    """Open a file. Errors of opening and reading it become InputErrors with the file's name."""
    try:
        with _open(path) as stream:
            yield stream
    except OSError as error:
        reason = error.strerror or type(error).__name__
        hint = "Name a file, or a folder to check every file in it." if isinstance(error, IsADirectoryError) else None
        raise InputError(f"This file cannot be read: {reason}.", path=path, code="unreadable", hint=hint) from error


held: dict[str, bytes] = {}
"""Data from standard input, by its name: documents are read several times, which a pipe does not allow."""


def _open(path: str) -> BinaryIO:
    if path in held:
        return io.BytesIO(held[path])
    try:
        return Path(path).open("rb")
    except ValueError as error:  # a NUL byte in the name
        raise InputError(f"This is no file name: {error}.", path=path, code="unreadable") from error


def survey_document(kind: Kind, document: Document) -> object:
    """Collect facts from one document."""
    with opened(document.path) as stream:
        return kind.survey(stream, document.path, document.format)


def survey(kind: Kind, documents: Iterable[Document], demands: Mapping[str, Any]) -> object:
    """Return the context of a check from the surveys of all documents."""
    surveys: list[object] = []
    for document in documents:
        try:
            surveys.append(survey_document(kind, document))
        except InputError:
            # The check reads the document again and reports the same error in its place.
            continue
    return kind.context(surveys, demands)


def check_documents(
    pool: CheckPool,
    kind: Kind,
    documents: Sequence[Document],
    overview: Overview,
    *,
    baseline: Baseline | None = None,
    strict_input: bool = False,
) -> Iterator[CheckEvent]:
    """Yield every event of checking `documents`, in order.

    `overview` may have seen other documents of the same check before, and outlives these. With `strict_input` the
    check ends after the document of the first problem.
    """
    for item in _held_back(_added(pool, _items(kind, documents, strict_input), kind, overview), overview):
        if isinstance(item, _Added):
            yield _checked(item.unit, item.examination, item.findings(overview), baseline)
        elif isinstance(item, Document):
            # Findings about the document as a whole, by subject: the whole, or a unit compared with others.
            about: dict[str, list[Finding]] = {}
            for finding in overview.conclude():
                about.setdefault(finding.unit, []).append(finding)
            for name, findings in about.items():
                yield replace(_checked(Whole(name), Examination(()), findings, baseline), is_whole=True)
            yield DocumentEnded(item, overview.result())
        else:
            yield item


@dataclass(frozen=True, slots=True)
class _Added:
    """An examined unit that was added to the overview."""

    unit: Unit
    examination: Examination
    compared: Sequence[Finding]

    def findings(self, overview: Overview) -> list[Finding]:
        """All findings but those that are told once for the document."""
        return [*(one for one in self.examination.findings if not overview.is_told_once(one)), *self.compared]


def _added(
    pool: CheckPool, items: Iterable[Unit | Note[_NoteEvent]], kind: Kind, overview: Overview
) -> Iterator[_Added | _NoteEvent]:
    """Examine the units and add them to the overview."""
    for item, examination in pool.examined(items):
        if not isinstance(item, Note):
            assert examination is not None, "every unit is examined"
            yield _Added(item, examination, overview.add(item, examination))
            continue
        event = item.content
        yield event
        if isinstance(event, DocumentStarted):
            # Problems with the data to compare with are reported in the first document.
            yield from overview.prepare()
            # As far as the units can be read: the check itself reports where that ends.
            units = (item for item in _read(kind, event.document) if not isinstance(item, Note))
            overview.begin(event.document.path, units, pool.context)


def _held_back(items: Iterable[_Added | _NoteEvent], overview: Overview) -> Iterator[_Added | _NoteEvent]:
    """The same items; the first ones of a document come when the overview knows what is usual in it."""
    waiting: list[_Added | _NoteEvent] = []
    units = 0
    for item in items:
        waiting.append(item)
        units += isinstance(item, _Added)
        is_end = isinstance(item, Document)
        if is_end or units >= overview.held_back:
            yield from waiting
            waiting.clear()
        if is_end:
            units = 0


def is_bad_input(event: object) -> bool:
    """Return whether an event means that the input cannot be used."""
    return isinstance(event, DocumentFailed) or (isinstance(event, Problem) and event.code not in HARMLESS)


def _checked(
    unit: Unit, examination: Examination, findings: Sequence[Finding], baseline: Baseline | None
) -> UnitChecked:
    if baseline is None:
        return UnitChecked(unit, examination, tuple(findings))
    new, known = baseline.split(findings)
    return UnitChecked(unit, examination, new, known)


def _items(kind: Kind, documents: Sequence[Document], strict_input: bool) -> Iterator[Unit | Note[_NoteEvent]]:
    """Yield the units of all documents as one stream, so that many small files keep a pool as busy as a big one."""
    for document in documents:
        yield Note(DocumentStarted(document, kind.name))
        bad = False
        for item in _read(kind, document):
            yield item
            bad = isinstance(item, Note) and is_bad_input(item.content)
            if bad and strict_input:
                break
        yield Note(document)
        if bad and strict_input:
            return


def _read(kind: Kind, document: Document) -> Iterator[Unit | Note[_NoteEvent]]:
    """Yield a document's parts; if reading fails, the last item says so."""
    try:
        with opened(document.path) as stream:
            yield from parts(kind, stream, document)
    except InputError as error:
        yield Note(DocumentFailed(document, error))


def parts(kind: Kind, stream: BinaryIO, document: Document) -> Iterator[Unit | Note[_NoteEvent]]:
    """Yield a document's units, and notes for all other parts."""
    for number, part in enumerate(kind.read(stream, document.path, document.format), start=1):
        yield Note(part) if isinstance(part, Problem | PassedThrough) else part
        if number % PROGRESS_EVERY == 0 and not stream.closed:
            yield Note(Progressed(document, stream.tell()))
