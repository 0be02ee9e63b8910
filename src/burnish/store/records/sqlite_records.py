"""A course in one SQLite file: for courses too large for a file per LEGO.

Bodies are compressed JSON with their keys in order; the texts of concerns and suggestions are stored once, in a
separate table. Records come out exactly as they went in: exported as files they are the same bytes.
"""

from __future__ import annotations

import hashlib
import sqlite3
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from burnish.core.errors import BurnishError, InputError, StateCorrupt, StorageFailed, UsageError
from burnish.core.json_bytes import loads
from burnish.store.files import create_exclusively, make_folder
from burnish.store.records.course_folder import SHELVES, Shelf, checked, mismatch
from burnish.store.records.course_records import (
    ATTEMPTS,
    LARGEST,
    CourseRecords,
    Json,
    RecordProblem,
    Stored,
    archived_in,
    encoded,
    lego_place,
    packed,
)
from burnish.store.schema import POISON, closed_on_failure, connect

APPLICATION_ID = 0x424C4547
"""Marks an SQLite file as the records of a course: `BLEG`."""
VERSION = 1
_TABLES = (
    "CREATE TABLE translations (uuid TEXT PRIMARY KEY NOT NULL, seed_id TEXT NOT NULL, body BLOB NOT NULL)",
    "CREATE TABLE archive (uuid TEXT PRIMARY KEY NOT NULL, body BLOB NOT NULL)",
    """CREATE TABLE legos (
        uuid TEXT PRIMARY KEY NOT NULL, owner TEXT NOT NULL, seed_id TEXT NOT NULL, place INTEGER NOT NULL,
        body BLOB NOT NULL)""",
    "CREATE INDEX legos_by_owner ON legos (owner, seed_id, place, uuid)",
    "CREATE INDEX legos_in_order ON legos (seed_id, place, uuid)",
    "CREATE TABLE texts (number INTEGER PRIMARY KEY, digest BLOB NOT NULL UNIQUE, text BLOB NOT NULL)",
    f"PRAGMA application_id = {APPLICATION_ID}",
    f"PRAGMA user_version = {VERSION}",
)


def opened(path: Path, *, read_only: bool) -> sqlite3.Connection:
    """Open the file, creating it if it is missing. Raise StateCorrupt if it is not a course of ours."""
    if not read_only and path.is_symlink():
        raise InputError(
            "This is a link, and records are not written through links.",
            path=str(path),
            code="link",
            hint="Put what it points to in its place, or move it away.",
        )
    if not read_only and not path.exists():
        make_folder(path.parent)
        with suppress(FileExistsError):  # another process may have created it just now
            create_exclusively(path, b"")
    connection = connect(path, read_only=read_only)
    with closed_on_failure(connection):
        _check(connection, path, build=not read_only)
        if not read_only:
            connection.execute("PRAGMA journal_mode = WAL")  # only after the file is known to be ours
    return connection


def _check(connection: sqlite3.Connection, path: Path, *, build: bool) -> None:
    """Raise StateCorrupt unless the file is a course of ours; with `build`, make an empty file one."""
    connection.execute("BEGIN IMMEDIATE" if build else "BEGIN")
    mark = int(connection.execute("PRAGMA application_id").fetchone()[0])
    version = int(connection.execute("PRAGMA user_version").fetchone()[0])
    is_new = not mark and not version and not connection.execute("SELECT 1 FROM sqlite_master").fetchall()
    if is_new and build:
        for statement in _TABLES:
            connection.execute(statement)
        mark = APPLICATION_ID
    connection.execute("COMMIT")
    if mark != APPLICATION_ID:
        raise StateCorrupt(f"{path} holds no course of Burnish.", hint="Name another folder, or move the file away.")
    if version > VERSION:
        raise StateCorrupt(
            f"{path} was written by a newer Burnish (version {version}; this one knows {VERSION}).",
            hint="Update Burnish and try again. Nothing was changed.",
        )


@contextmanager
def faults(path: Path) -> Iterator[None]:
    """Turn SQLite's errors inside the block into ours."""
    try:
        yield
    except (sqlite3.Error, OverflowError) as error:
        raise _ours(error, path) from error


def _ours(error: Exception, path: Path) -> BurnishError:
    name = getattr(error, "sqlite_errorname", "")
    if isinstance(error, POISON):
        return UsageError(f"A record cannot be kept in {path}: {error}.")
    if name.startswith(("SQLITE_CORRUPT", "SQLITE_NOTADB", "SQLITE_ERROR")):
        return StateCorrupt(f"{path} is damaged: {error} ({name}).", hint="Restore it from a copy.")
    return StorageFailed(
        f"{path} cannot be used: {error} ({name}).",
        hint="Check that the disk has room and the folder can be written to.",
    )


TEXTS = {
    "concerns": ("description", "suggested_fix"),
    "suggestions": ("current_prompt_excerpt", "suggested_change", "rationale", "expected_improvement"),
}
"""List in an attempt -> the fields of its items whose texts are stored separately."""


def shared(attempts: Any, number_of: Callable[[str], int]) -> Any:
    """Replace the texts in attempts by numbers. `number_of` stores a text and returns its number."""
    return _mapped(attempts, lambda text: number_of(text) if isinstance(text, str) else [text])


def filled(attempts: Any, text_of: Callable[[int], str]) -> Any:
    """Put the texts back into attempts. Raise ValueError if `shared` did not make them."""

    def put_back(mark: Any) -> Any:
        if isinstance(mark, list) and len(mark) == 1:
            return mark[0]
        if not isinstance(mark, int):
            raise ValueError("a text is not a number")
        return text_of(mark)

    return _mapped(attempts, put_back)


def _mapped(attempts: Any, change: Callable[[Any], Any]) -> Any:
    """Return attempts with `change` applied to every such text; other shapes are not changed."""

    def in_item(item: Any, fields: tuple[str, ...]) -> Any:
        if not isinstance(item, Mapping):
            return item
        return {name: change(value) if name in fields else value for name, value in item.items()}

    def in_attempt(attempt: Any) -> Any:
        if not isinstance(attempt, Mapping):
            return attempt
        lists = {name: attempt[name] for name in TEXTS if isinstance(attempt.get(name), list)}
        return {**attempt, **{name: [in_item(item, TEXTS[name]) for item in held] for name, held in lists.items()}}

    return [in_attempt(attempt) for attempt in attempts] if isinstance(attempts, list) else attempts


_REMEMBERED = 20_000
"""The most texts that are cached in memory."""
_MOST_TEXTS = 1 << 62
"""Larger than any number of a text, and still valid for SQLite."""


class SqliteRecords(CourseRecords):
    """The records of a course in one SQLite file, which is created if it is missing."""

    def __init__(self, path: Path, *, read_only: bool = False) -> None:
        """`read_only`: the file must exist, and is not changed."""
        super().__init__(path)
        self._numbers: dict[bytes, int] = {}
        self._texts: dict[int, str] = {}
        with faults(path):
            self._connection = opened(path, read_only=read_only)

    def close(self) -> None:
        self._connection.close()

    def seed_ids(self) -> dict[str, str]:
        of_texts = "typeof(uuid) = 'text' AND typeof(seed_id) = 'text'"  # SQLite does not enforce the types of columns
        return dict(self._rows(f"SELECT uuid, seed_id FROM translations WHERE {of_texts}"))

    def lego_counts(self) -> dict[str, int]:
        return dict(self._rows("SELECT owner, count(*) FROM legos GROUP BY owner ORDER BY owner"))

    def legos(self, of: str) -> list[Json]:
        rows = self._rows("SELECT uuid FROM legos WHERE owner = ? ORDER BY seed_id, place, uuid", of)
        return [record for (uuid,) in rows if (record := self._readable("legos", uuid)) is not None]

    def all_legos(self) -> Iterator[Json]:
        for (uuid,) in self._rows("SELECT uuid FROM legos ORDER BY seed_id, place, uuid"):
            record = self._readable("legos", uuid)
            if record is not None:
                yield record

    def problems(self) -> list[RecordProblem]:
        """Return the rows whose bodies cannot be read or do not match."""
        return [
            RecordProblem(f"{self.place}: {table} {uuid}", f"This cannot be read as a record: {why}.")
            for table in SHELVES
            for uuid, why in self._broken(table)
        ]

    def _broken(self, table: Shelf) -> Iterator[tuple[str, str]]:
        for (uuid,) in self._rows(f"SELECT uuid FROM {table} ORDER BY uuid"):
            try:
                record = self._record(table, uuid)
                why = None if table != "archive" or record is None else self._mismatch(uuid, record)
            except ValueError as error:
                why = str(error)
            if why is not None:
                yield str(uuid), why.rstrip(".")

    def _mismatch(self, uuid: str, archive: Json) -> str | None:
        record = self._readable("translations", uuid)
        return mismatch(None if record is None else archived_in(record), archive)

    def _stored(self, uuid: str) -> Stored | None:
        """Return None also if its archived attempts do not match its count."""
        try:
            record, archive = self._record("translations", uuid), self._record("archive", uuid)
        except ValueError:
            return None
        if record is None or archive is None:
            return None if record is None else Stored(record)
        return None if mismatch(archived_in(record), archive) is not None else Stored(record, archive[ATTEMPTS])

    def _readable(self, table: Shelf, uuid: str) -> Json | None:
        """Return None for a row that is missing or cannot be read; `problems` reports the latter."""
        try:
            return self._record(table, uuid)
        except ValueError:
            return None

    def _record(self, table: Shelf, uuid: str) -> Json | None:
        """Return None if there is no such row. Raise ValueError with the reason for an invalid body."""
        rows = self._rows(f"SELECT body FROM {table} WHERE uuid = ?", uuid)
        return checked(table, str(uuid), self._unpacked(rows[0][0])) if rows else None

    def _unpacked(self, body: Any) -> Json:
        try:
            unzipped = zlib.decompressobj().decompress(body, LARGEST)
        except (zlib.error, TypeError) as error:
            raise ValueError(f"it is damaged ({error})") from error
        record = loads(unzipped)
        if not isinstance(record, dict):
            raise ValueError("it is no JSON object")
        if ATTEMPTS not in record:
            return record
        return {**record, ATTEMPTS: filled(record[ATTEMPTS], self._text)}

    def _store(self, stored: Stored) -> None:
        uuid = stored.record["uuid"]
        if self._stored(uuid) is None:
            self._refuse_row("translations", uuid)
            self._refuse_row("archive", uuid)
        body = self._packed(stored.record)
        older = self._packed({"uuid": uuid, ATTEMPTS: list(stored.older)}) if stored.older else None
        self._replace("translations", uuid, stored.record["seed_id"], body)
        if older is not None:
            self._replace("archive", uuid, older)
        else:
            self._rows("DELETE FROM archive WHERE uuid = ?", uuid)

    def _store_legos(self, owner: str, records: Sequence[Json]) -> None:
        for record in records:
            if self._readable("legos", record["uuid"]) is None:
                self._refuse_row("legos", record["uuid"])
        bodies = [self._packed(record) for record in records]  # an invalid record is refused before anything is deleted
        self._rows("DELETE FROM legos WHERE owner = ?", owner)
        for record, body in zip(records, bodies, strict=True):
            seed_id = str(record.get("source_seed_id"))
            self._replace("legos", record["uuid"], owner, seed_id, lego_place(record), body)

    def _replace(self, table: str, *values: Any) -> None:
        places = ", ".join("?" for _ in values)
        self._rows(f"INSERT OR REPLACE INTO {table} VALUES ({places})", *values)

    def _refuse_row(self, table: Shelf, uuid: str) -> None:
        """Raise InputError if the row exists; it is called for rows that cannot be read."""
        if self._rows(f"SELECT 1 FROM {table} WHERE uuid = ?", uuid):
            raise InputError(
                f"The row {uuid} of {table} belongs here, but cannot be read and is not overwritten.",
                path=str(self.place),
                code="unreadable_record",
                hint="Restore the file from a copy.",
            )

    def _packed(self, record: Json) -> bytes:
        encoded(record)  # refuses a record that could not be exported; repeated texts count every time
        if ATTEMPTS in record:
            record = {**record, ATTEMPTS: shared(record[ATTEMPTS], self._number)}
        return zlib.compress(packed(record))

    def _number(self, text: str) -> int:
        try:
            data = text.encode()
        except UnicodeEncodeError as error:
            raise UsageError(f"A record cannot be kept: {error}.") from error
        digest = hashlib.sha256(data).digest()[:16]
        if digest not in self._numbers:
            found = self._rows("SELECT number FROM texts WHERE digest = ?", digest)
            if not found:
                self._rows("INSERT INTO texts (digest, text) VALUES (?, ?)", digest, data)
                found = self._rows("SELECT number FROM texts WHERE digest = ?", digest)
            _make_room(self._numbers)
            self._numbers[digest] = found[0][0]
        return self._numbers[digest]

    def _text(self, number: int) -> str:
        if number not in self._texts:
            found = self._rows("SELECT text FROM texts WHERE number = ?", number) if number < _MOST_TEXTS else []
            if not found or not isinstance(found[0][0], bytes):
                raise ValueError(f"its text {number} is gone")
            _make_room(self._texts)
            self._texts[number] = found[0][0].decode()
        return self._texts[number]

    def _rows(self, statement: str, *values: Any) -> list[Any]:
        with faults(self.place):
            return self._connection.execute(statement, values).fetchall()

    def _begin(self) -> None:
        self._rows("BEGIN IMMEDIATE")

    def _commit(self) -> None:
        try:
            self._rows("COMMIT")
        except BaseException:
            self._roll_back()
            raise

    def _roll_back(self) -> None:
        self._numbers, self._texts = {}, {}  # the numbers of this batch may be reused
        if self._connection.in_transaction:
            self._rows("ROLLBACK")


def _make_room(memory: dict[Any, Any]) -> None:
    if len(memory) >= _REMEMBERED:
        memory.clear()
