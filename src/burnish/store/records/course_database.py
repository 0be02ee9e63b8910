"""The SQLite file of a course: its tables, how it is opened, and what SQLite's complaints mean to a user."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from burnish.core.errors import BurnishError, InputError, StateCorrupt, StorageFailed, UsageError
from burnish.store.connections import POISON, connect
from burnish.store.files import create_exclusively, make_folder

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
    """A connection to the file, which is made where there is none. What is no course of ours is refused."""
    if not read_only and path.is_symlink():
        raise InputError(
            "This is a link, and records are not written through links.",
            path=str(path),
            code="link",
            hint="Put what it points to in its place, or move it away.",
        )
    if not read_only and not path.exists():
        make_folder(path.parent)
        with _lost_race():
            create_exclusively(path, b"")
    connection = connect(path, read_only=read_only, immutable=read_only and _lies_still(path))
    try:
        _check(connection, path, build=not read_only)
        if not read_only:
            connection.execute("PRAGMA journal_mode = WAL")  # not before it is known to be ours
    except BaseException:
        connection.close()
        raise
    return connection


def _lies_still(path: Path) -> bool:
    """Whether nobody can write there, and nothing waits beside it to be taken in: readers need no lock then, for which
    there would be no room."""
    ahead = path.with_name(f"{path.name}-wal")
    return not os.access(path.parent, os.W_OK) and not (ahead.exists() and ahead.stat().st_size)


@contextmanager
def _lost_race() -> Iterator[None]:
    """Somebody else may have made the file in this moment: then it is there."""
    try:
        yield
    except FileExistsError:
        return


def _check(connection: sqlite3.Connection, path: Path, *, build: bool) -> None:
    """Whether it is a course of ours; an empty file becomes one where `build` is said."""
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
    """SQLite's complaints as ours."""
    try:
        yield
    except (sqlite3.Error, OverflowError) as error:
        raise _told(error, path) from error


def _told(error: Exception, path: Path) -> BurnishError:
    name = getattr(error, "sqlite_errorname", "")
    if isinstance(error, POISON):
        return UsageError(f"A record cannot be kept in {path}: {error}.")
    if name.startswith(("SQLITE_CORRUPT", "SQLITE_NOTADB", "SQLITE_ERROR")):
        return StateCorrupt(f"{path} is damaged: {error} ({name}).", hint="Restore it from a copy.")
    return StorageFailed(
        f"{path} cannot be used: {error} ({name}).",
        hint="Check that the disk has room and the folder can be written to.",
    )
