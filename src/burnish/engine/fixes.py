"""Fix documents: the safe fixes of all units of a document are written together, or not at all."""

from __future__ import annotations

import pickle
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, closing
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import BinaryIO, cast

from burnish.core.checks import apply_safe_fixes
from burnish.core.documents import Part, PassedThrough, Problem, Unit
from burnish.core.errors import InputError, StorageFailed
from burnish.core.findings import Finding
from burnish.core.kinds import Kind
from burnish.engine.check import Document, is_bad_input, opened, parts
from burnish.engine.check_pool import CheckPool, Note, interrupts_held
from burnish.store.files import atomic_writer, disk_refusals, refuse_unreplaceable


@dataclass(frozen=True, slots=True)
class UnitFixed:
    """A unit before and after its safe fixes."""

    document: Document
    before: Unit
    after: Unit
    settled: tuple[Finding, ...]


@dataclass(frozen=True, slots=True)
class FixRefused:
    """A fix that was not applied, and the reason."""

    document: Document
    finding: Finding
    reason: str


@dataclass(frozen=True, slots=True)
class DocumentWritten:
    """The document on disk now has the fixed units."""

    document: Document
    units: int


@dataclass(frozen=True, slots=True)
class DocumentLeft:
    """The document could not be read completely, or not be written, so it is unchanged."""

    document: Document
    error: InputError
    unwritten: bool = False
    """Its fixes cannot be written into it; checking the document does not show this."""


FixEvent = UnitFixed | FixRefused | DocumentWritten | DocumentLeft


class _MendedUnits:
    """The fixed units of one document, on disk if there are many."""

    def __init__(self) -> None:
        self._database = sqlite3.connect("")
        self._database.execute("CREATE TABLE mended (place INTEGER PRIMARY KEY, id BLOB UNIQUE, event BLOB NOT NULL)")
        self.count = 0

    def keep(self, fixed: UnitFixed) -> None:
        # Our own objects, in a file that only this process can open, so pickle is safe here.
        row = (_stored_id(fixed.after.id), pickle.dumps(fixed))
        self._database.execute("INSERT INTO mended (id, event) VALUES (?, ?)", row)
        self.count += 1

    def get(self, id: str) -> Unit | None:
        row = self._database.execute("SELECT event FROM mended WHERE id = ?", (_stored_id(id),)).fetchone()
        return cast(UnitFixed, pickle.loads(row[0])).after if row else None

    def in_order(self) -> Iterator[UnitFixed]:
        """Yield the kept units in order."""
        for (event,) in self._database.execute("SELECT event FROM mended ORDER BY place"):
            yield cast(UnitFixed, pickle.loads(event))

    def close(self) -> None:
        self._database.close()


def _stored_id(id: str) -> bytes:
    """Encode an id as bytes, because SQLite refuses text with lone surrogates."""
    return id.encode("utf-8", "surrogatepass")


def fix_documents(pool: CheckPool, kind: Kind, documents: list[Document]) -> Iterator[FixEvent]:
    """Fix documents one by one, each written at its end. A failure of one does not stop the others."""
    for document in documents:
        with closing(_MendedUnits()) as mended:
            try:
                seen = _state(document.path)
                yield from _mended(pool, kind, document, mended)
            except InputError as error:
                yield DocumentLeft(document, error)
                continue
            try:
                if mended.count:
                    yield from _written(kind, document, mended, seen)
            except InputError as error:
                yield DocumentLeft(document, error, unwritten=True)


def _mended(pool: CheckPool, kind: Kind, document: Document, mended: _MendedUnits) -> Iterator[FixRefused]:
    with opened(document.path) as stream:
        items = parts(kind, stream, document)
        bad: object = None
        for item, examination in pool.examined(items):
            if isinstance(item, Note):
                bad = bad or (item.content if is_bad_input(item.content) else None)
                continue
            assert examination is not None, "every unit is examined"
            mending = apply_safe_fixes(item, examination, pool.examine)
            yield from (FixRefused(document, finding, why) for finding, why in mending.refused.values())
            if mending.settled:
                mended.keep(UnitFixed(document, item, mending.unit, tuple(mending.settled)))
    if isinstance(bad, Problem) and mended.count:
        # The bad input may affect what we would write, so a person must look at it first.
        raise InputError(
            f"{bad.message} Nothing is fixed in a file with bad input.",
            path=document.path,
            line=bad.line,
            code=bad.code,
            hint="Correct the input, then run the same command again.",
        )


def _written(kind: Kind, document: Document, mended: _MendedUnits, seen: tuple[int, ...]) -> Iterator[FixEvent]:
    """Compose the new document separately, prove it, report the fixes, and only then replace the old one.

    An interrupt takes effect before the document is changed or after the change is reported, never in between.
    """
    path = Path(document.path)
    # A read-only file concerns only itself; a disk that fails concerns all files.
    try:
        refuse_unreplaceable(path)
    except StorageFailed as error:
        raise InputError(error.message, path=str(path), code="unwritable", hint=error.hint) from error
    with disk_refusals("write a copy of", path), tempfile.TemporaryFile() as copy:
        with opened(document.path) as source:
            kind.rewrite(source, document.path, document.format, mended.get, cast(BinaryIO, copy))
        copy.seek(0)
        _prove(kind, document, mended, cast(BinaryIO, copy))
        copy.seek(0)
        if _state(document.path) != seen:
            raise InputError(
                "The file changed while it was being fixed; nothing was written.",
                path=document.path,
                code="source_changed",
                hint="Run the same command again.",
            )
        yield from mended.in_order()
        with ExitStack() as moment:
            with atomic_writer(path) as target:
                shutil.copyfileobj(copy, target, 1 << 20)
                moment.enter_context(interrupts_held())
            yield DocumentWritten(document, mended.count)


def _prove(kind: Kind, document: Document, mended: _MendedUnits, copy: BinaryIO) -> None:
    """Check that fixed units read back as fixed, and all other parts as before."""
    with opened(document.path) as source:
        before = kind.read(source, document.path, document.format)
        after = kind.read(copy, document.path, document.format)
        for old, new in zip_longest(before, after):
            if _name(new) != _name(_expected(old, mended)):
                place = "the end" if old is None else old.code if isinstance(old, Problem) else old.id
                raise InputError(
                    f"The fixed copy does not read back as it should (at {place}); nothing was written.",
                    path=document.path,
                    code="fix_unproven",
                    hint="Please report this with the file; until then run without --fix.",
                )


def _expected(part: Part | None, mended: _MendedUnits) -> Part | None:
    if part is None or isinstance(part, Problem | PassedThrough):
        return part
    return mended.get(part.id) or part


def _name(part: Part | None) -> object:
    """Return what must be equal in both files. Lines may move, so a problem is identified by its code and unit."""
    if part is None:
        return None
    if isinstance(part, Problem):
        return part.code, part.unit, part.field
    if isinstance(part, PassedThrough):
        return part.id, part.type
    return part.id, part.content_hash


def _state(path: str) -> tuple[int, ...]:
    """Return a value that changes with the file."""
    try:
        status = Path(path).stat()
    except (OSError, ValueError) as error:
        raise InputError(f"This file cannot be read: {error}.", path=path, code="unreadable") from error
    return status.st_ino, status.st_size, status.st_mtime_ns
