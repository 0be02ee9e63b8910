"""Checking: documents go in, events come out, one at a time. No model, no network; doors only print what they hear."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, BinaryIO, cast

from burnish.core.checks import Examination
from burnish.core.documents import PassedThrough, Problem, Unit, Whole
from burnish.core.errors import InputError
from burnish.core.findings import Finding
from burnish.core.kinds import Kind, Overview
from burnish.engine.baselines import Baseline
from burnish.engine.crew import Crew, Note

HARMLESS = frozenset({"missing_id", "unknown_rule"})
"""Problems that are only told: units without ids go by their position, an ignore that names no rule ignores nothing."""
PROGRESS_EVERY = 100
"""Units between two notes of how far reading has come."""


@dataclass(frozen=True, slots=True)
class Document:
    """A file to be read, and how."""

    path: str
    """As the user named it."""
    format: str


@dataclass(frozen=True, slots=True)
class DocumentStarted:
    """A document's turn has come."""

    document: Document
    kind: str


@dataclass(frozen=True, slots=True)
class UnitChecked:
    """What the checks say about one unit."""

    unit: Unit
    examination: Examination
    findings: tuple[Finding, ...]
    """All that counts: of the checks, and of the overview of the document."""
    known: tuple[Finding, ...] = ()
    """Findings that the baseline excuses."""
    is_whole: bool = False
    """The unit stands for the document itself: it is listed only where there is something to say, never counted."""


@dataclass(frozen=True, slots=True)
class DocumentFailed:
    """Nothing after this point of the document can be read. What came before has been judged."""

    document: Document
    error: InputError


@dataclass(frozen=True, slots=True)
class DocumentEnded:
    """The document is done; `bank` is what can be said of it as a whole."""

    document: Document
    bank: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Progressed:
    """How many bytes of a document have been read."""

    document: Document
    read: int


CheckEvent = DocumentStarted | UnitChecked | Problem | PassedThrough | DocumentFailed | DocumentEnded | Progressed
_NoteEvent = DocumentStarted | Problem | PassedThrough | DocumentFailed | Progressed | Document
"""What travels between the units; the bare document marks its end."""


@contextlib.contextmanager
def opened(path: str) -> Iterator[BinaryIO]:
    """The file's bytes. Whatever the disk refuses, now or while it is read, is an InputError with the file's name."""
    try:
        with _open(path) as stream:
            yield stream
    except OSError as error:
        reason = error.strerror or type(error).__name__
        hint = "Name a file, or a folder to check every file in it." if isinstance(error, IsADirectoryError) else None
        raise InputError(f"This file cannot be read: {reason}.", path=path, code="unreadable", hint=hint) from error


def _open(path: str) -> BinaryIO:
    try:
        return Path(path).open("rb")
    except ValueError as error:  # a NUL byte in the name
        raise InputError(f"This is no file name: {error}.", path=path, code="unreadable") from error


def survey_document(kind: Kind, document: Document) -> object:
    """A first, cheap look over one document."""
    with opened(document.path) as stream:
        return kind.survey(stream, document.path, document.format)


def survey(kind: Kind, documents: Iterable[Document], demands: Mapping[str, Any]) -> object:
    """The context of a check, from a look over every document."""
    surveys: list[object] = []
    for document in documents:
        try:
            surveys.append(survey_document(kind, document))
        except InputError:
            # The check reads the document again and reports this very error in its place.
            continue
    return kind.context(surveys, demands)


def check_documents(
    crew: Crew,
    kind: Kind,
    documents: Sequence[Document],
    overview: Overview,
    *,
    baseline: Baseline | None = None,
    strict_input: bool = False,
) -> Iterator[CheckEvent]:
    """Every event of checking `documents`, in order.

    `overview` may have seen other documents of the same check before, and outlives these. With `strict_input` the
    first problem ends the whole check, after its document has been closed.
    """
    for item, examination in crew.examined(_items(kind, documents, strict_input)):
        event = item.content if isinstance(item, Note) else None
        if event is None:
            assert examination is not None, "every unit is examined"
            yield _checked(cast(Unit, item), examination, overview.add(cast(Unit, item), examination), baseline)
        elif isinstance(event, Document):
            yield from _of_document(overview, baseline)
            yield DocumentEnded(event, overview.result())
        else:
            yield event
            if isinstance(event, DocumentStarted):
                # What the documents are compared with is told of in the first of them.
                yield from overview.prepare()
                overview.begin(event.document.path)


def _of_document(overview: Overview, baseline: Baseline | None) -> Iterator[UnitChecked]:
    """What is wrong with the document as a whole, by what it is about: the whole, or a unit beside others."""
    about: dict[str, list[Finding]] = {}
    for finding in overview.conclude():
        about.setdefault(finding.unit, []).append(finding)
    for name, findings in about.items():
        yield replace(_checked(Whole(name), Examination(()), findings, baseline), is_whole=True)


def is_bad_input(event: object) -> bool:
    """Whether an event means that the input cannot be used as it stands."""
    return isinstance(event, DocumentFailed) or (isinstance(event, Problem) and event.code not in HARMLESS)


def _checked(unit: Unit, examination: Examination, beside: list[Finding], baseline: Baseline | None) -> UnitChecked:
    findings = (*examination.findings, *beside)
    if baseline is None:
        return UnitChecked(unit, examination, findings)
    new, known = baseline.split(findings)
    return UnitChecked(unit, examination, new, known)


def _items(kind: Kind, documents: Sequence[Document], strict_input: bool) -> Iterator[Unit | Note[_NoteEvent]]:
    """The units of all documents as one stream, so that many small files keep a crew as busy as one big one."""
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
    """A document's parts; where reading stops for good, the last item says so."""
    try:
        with opened(document.path) as stream:
            yield from parts(kind, stream, document)
    except InputError as error:
        yield Note(DocumentFailed(document, error))


def parts(kind: Kind, stream: BinaryIO, document: Document) -> Iterator[Unit | Note[_NoteEvent]]:
    """A document's units, and notes of all else."""
    for number, part in enumerate(kind.read(stream, document.path, document.format), start=1):
        yield Note(part) if isinstance(part, Problem | PassedThrough) else part
        if number % PROGRESS_EVERY == 0 and not stream.closed:
            yield Note(Progressed(document, stream.tell()))
