"""The catalogue's file: a small SQLite database beside the journal. A cache: whatever is odd about it, it is made anew.

Several servers may use one file. Each portion is one transaction that begins by reading how far the file goes, so it
does not matter who wrote the portion before.
"""

from __future__ import annotations

import os
import sqlite3
import tempfile
import threading
import uuid
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from urllib.parse import quote

from burnish.app.catalogue.schema import APPLICATION_ID, STATEMENTS, TABLES, VERSION
from burnish.core.errors import StorageFailed
from burnish.store.files import alone_in

BUSY_SECONDS = 5.0
"""How long to wait for another server's portion."""
MOST_IDLE = 4
"""Connections that are kept open for the next reader."""
_ROOM = -16_000
"""Of the writer's page cache, in kilobytes (below zero: SQLite's way to say that it is no number of pages)."""
_SUFFIXES = ("", "-wal", "-shm", "-journal")

DAMAGED = ("SQLITE_CORRUPT", "SQLITE_NOTADB", "SQLITE_ERROR", "SQLITE_SCHEMA", "SQLITE_MISMATCH", "SQLITE_CONSTRAINT")
"""What SQLite says of a file that is not what we made: our own queries are right, so an error in one means that."""


class Damaged(Exception):
    """The file is not a catalogue that we made of this journal."""


class Unwritable(StorageFailed):
    """Nothing can be written into the file: the disk is full, or another server does not let go."""


class Database:
    """A catalogue's file, for any number of threads."""

    def __init__(self, path: Path, *, is_private: bool = False) -> None:
        """The file must have been prepared. `is_private`: it is nobody else's, and goes when we go."""
        self.path = path
        self._is_private = is_private
        self._idle: list[sqlite3.Connection] = []
        self._door = threading.Lock()
        self._closed = False
        # As long as it is open, no other file can have the number of this one.
        self._keeper = _connect(path)
        self._keeper.execute("SELECT key FROM meta").fetchone()
        self._inode = path.stat().st_ino

    @classmethod
    def opened(cls, path: Path, identity: str) -> Database:
        """The catalogue at `path`, empty if there was none of this identity; elsewhere where nothing can be written."""
        try:
            with alone_in(path.parent):
                _prepare(path, identity)
                return cls(path)
        except (OSError, StorageFailed, sqlite3.OperationalError):
            return cls.aside(path, identity)

    @classmethod
    def aside(cls, path: Path, identity: str) -> Database:
        """A file of our own for as long as we are there, where the one at `path` cannot be used."""
        del path
        descriptor, name = tempfile.mkstemp(prefix="burnish-catalogue-", suffix=".sqlite")
        os.close(descriptor)
        _prepare(Path(name), identity)
        return cls(Path(name), is_private=True)

    @property
    def is_there(self) -> bool:
        """Whether the file still is the one that was opened."""
        try:
            return self.path.stat().st_ino == self._inode
        except OSError:
            return False

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """A connection for reading, which sees one state of the file until the block ends."""
        connection = self._taken()
        try:
            with _damage():
                connection.execute("BEGIN")
                yield connection
        finally:
            self._given_back(connection)

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """A connection for writing, all or nothing."""
        try:
            with closing(_connect(self.path)) as connection, _damage():
                connection.execute(f"PRAGMA cache_size = {_ROOM}")
                connection.execute("BEGIN IMMEDIATE")
                yield connection
                connection.execute("COMMIT")
        except sqlite3.OperationalError as refused:
            raise Unwritable(
                f"The catalogue {self.path} cannot be written: {refused}.",
                hint="It is only a cache: delete it, or free some space on that disk.",
            ) from refused

    def close(self) -> None:
        with self._door:
            self._closed = True
            idle, self._idle = [*self._idle, self._keeper], []
        for connection in idle:
            connection.close()
        if self._is_private:
            _remove(self.path)

    def remove(self) -> None:
        """Close it and have it made anew by whoever opens it next."""
        if not self._is_private:
            # What cannot be removed is found out again by whoever opens it.
            with suppress(OSError, StorageFailed), alone_in(self.path.parent):
                if self.is_there:
                    _remove(self.path)
        self.close()

    def _taken(self) -> sqlite3.Connection:
        with self._door:
            if self._idle:
                return self._idle.pop()
        with _damage():
            connection = _connect(self.path)
            connection.execute("PRAGMA query_only = ON")
            return connection

    def _given_back(self, connection: sqlite3.Connection) -> None:
        with self._door:
            keeps = not self._closed and len(self._idle) < MOST_IDLE
            if keeps and _ended(connection):
                self._idle.append(connection)
                return
        connection.close()


def _ended(connection: sqlite3.Connection) -> bool:
    """End the transaction; whether that worked."""
    try:
        connection.execute("COMMIT")
    except sqlite3.Error:
        return False
    return True


@contextmanager
def _damage() -> Iterator[None]:
    try:
        yield
    except sqlite3.DatabaseError as error:
        name = getattr(error, "sqlite_errorname", "")
        if name.startswith((*DAMAGED, "SQLITE_CANTOPEN")) or not isinstance(error, sqlite3.OperationalError):
            raise Damaged(str(error)) from error
        raise


def _connect(path: Path, *, create: bool = False) -> sqlite3.Connection:
    uri = f"file:{quote(str(path))}?mode={'rwc' if create else 'rw'}"
    connection = sqlite3.connect(uri, uri=True, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False)
    try:
        connection.execute("PRAGMA trusted_schema = OFF")  # a run's folder handed to us may not run functions
        # A cache need not survive a power loss in its last state, only in a sound one.
        connection.execute("PRAGMA synchronous = NORMAL")
    except BaseException:
        connection.close()
        raise
    return connection


def _prepare(path: Path, identity: str) -> None:
    """Make sure that there is a catalogue of this identity. Nobody else prepares it at the same time."""
    try:
        if path.exists() and _is_ours(path, identity):
            return
    except Damaged:
        pass  # it is made anew, as one of another journal is
    _remove(path)
    with closing(_connect(path, create=True)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("BEGIN IMMEDIATE")
        for statement in STATEMENTS:
            connection.execute(statement)
        # `made` tells it from every other catalogue, also of the same journal.
        made = ("identity", identity), ("made", uuid.uuid4().hex)
        connection.executemany("INSERT INTO meta VALUES (?, ?)", made)
        connection.execute("COMMIT")


def _is_ours(path: Path, identity: str) -> bool:
    with _damage(), closing(_connect(path)) as connection:
        marks = [connection.execute(f"PRAGMA {name}").fetchone()[0] for name in ("application_id", "user_version")]
        if marks != [APPLICATION_ID, VERSION]:
            return False
        tables = {row[0] for row in connection.execute("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL")}
        found = connection.execute("SELECT value FROM meta WHERE key = 'identity'").fetchone()
        return tables == TABLES and found == (identity,)


def _remove(path: Path) -> None:
    for suffix in _SUFFIXES:
        path.with_name(path.name + suffix).unlink(missing_ok=True)
