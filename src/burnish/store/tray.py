"""The tray of a run: decisions that people made while another process was at work on it.

Only the owner of a run may write to its journal. What somebody decides meanwhile is kept here, one decision a unit,
and put into effect when the run rests. Each has a mark of its own that its event in the journal carries too: found
there, it is in effect, however the process ended that was to clear it away.

A decision that is taken back before it was in effect is kept, too, until the journal tells of it.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeVar

from burnish.core.errors import StateCorrupt
from burnish.store.connections import connect, sqlite_faults
from burnish.store.files import disk_refusals
from burnish.store.packing import pack, pack_name, pack_optional, unpack, unpack_optional

T = TypeVar("T")
APPLICATION_ID = 0x42545259
"""Marks an SQLite file as a tray of ours: `BTRY`."""
VERSION = 2
_COLUMNS = "unit, mark, verdict, by, note, text, seen, at, why, delay"
_SCHEMA = """CREATE TABLE entries (
    unit PRIMARY KEY NOT NULL, mark TEXT NOT NULL, verdict TEXT NOT NULL, by NOT NULL, note, text, seen TEXT NOT NULL,
    at TEXT NOT NULL, why)"""
_STEPS = {
    1: (_SCHEMA,),
    2: (
        "ALTER TABLE entries ADD COLUMN delay",
        """CREATE TABLE withdrawn (
            unit NOT NULL, mark TEXT PRIMARY KEY NOT NULL, verdict TEXT NOT NULL, by NOT NULL, note, text,
            seen TEXT NOT NULL, at TEXT NOT NULL, why, delay, withdrawn_by NOT NULL, withdrawn_at TEXT NOT NULL)""",
    ),
}
"""What leads to each version from the one before it."""


@dataclass(frozen=True, slots=True)
class TrayEntry:
    """A decision that is not in effect."""

    unit: str
    mark: str
    """Its own name, which the event in the journal carries too."""
    verdict: Literal["accept", "edit", "reject"]
    by: str
    note: str | None
    text: str | None
    """Of an edit."""
    seen: str
    """The moment of the unit's row when it was decided: with another one, the unit has moved since."""
    at: str
    why: str | None = None
    """Why it could not be put into effect, for people to see; None: it waits for the run to rest."""
    delay: str | None = None
    """Why it could not be put into effect yet: that is tried again."""


@dataclass(frozen=True, slots=True)
class Withdrawn:
    """A decision that was taken back before it was in effect."""

    entry: TrayEntry
    by: str
    at: str


class HeldTray:
    """A tray that nobody else changes meanwhile."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def entries(self) -> list[TrayEntry]:
        """All of them, in the order in which they were laid."""
        rows = self._connection.execute(f"SELECT {_COLUMNS} FROM entries ORDER BY rowid").fetchall()
        return [_entry(row) for row in rows]

    def entry(self, unit: str) -> TrayEntry | None:
        row = self._connection.execute(f"SELECT {_COLUMNS} FROM entries WHERE unit = ?", (pack_name(unit),)).fetchone()
        return None if row is None else _entry(row)

    def lay(self, entry: TrayEntry) -> None:
        """Put a decision in; one about the same unit that could not be put into effect makes room for it."""
        self.remove(entry.unit)
        places = ", ".join("?" * len(_COLUMNS.split(",")))
        self._connection.execute(f"INSERT INTO entries ({_COLUMNS}) VALUES ({places})", _values(entry))

    def remove(self, unit: str) -> None:
        """Clear away a decision that is in effect."""
        self._connection.execute("DELETE FROM entries WHERE unit = ?", (pack_name(unit),))

    def withdraw(self, unit: str, *, by: str, at: str) -> None:
        """Take a decision back that is not in effect. It is kept until the journal tells of it."""
        query = f"INSERT INTO withdrawn ({_COLUMNS}, withdrawn_by, withdrawn_at) SELECT {_COLUMNS}, ?, ? FROM entries"
        self._connection.execute(f"{query} WHERE unit = ?", (pack_name(by), at, pack_name(unit)))
        self.remove(unit)

    def withdrawn(self) -> list[Withdrawn]:
        """All that was taken back and is not in the journal yet, in order."""
        query = f"SELECT {_COLUMNS}, withdrawn_by, withdrawn_at FROM withdrawn ORDER BY rowid"
        rows = self._connection.execute(query).fetchall()
        return [Withdrawn(_entry(row[:-2]), unpack(row[-2]), row[-1]) for row in rows]

    def forget_withdrawn(self) -> None:
        """The journal tells of all of them."""
        self._connection.execute("DELETE FROM withdrawn")

    def fail(self, unit: str, why: str) -> None:
        """Keep a decision that cannot be put into effect, for people to see."""
        query = "UPDATE entries SET why = ?, delay = NULL WHERE unit = ?"
        self._connection.execute(query, (pack_name(why), pack_name(unit)))

    def put_off(self, unit: str, why: str) -> None:
        """Leave a decision where it is: nothing speaks against it, but it cannot be put into effect now."""
        self._connection.execute("UPDATE entries SET delay = ? WHERE unit = ?", (pack_name(why), pack_name(unit)))


@dataclass(frozen=True, slots=True)
class Tray:
    """The tray of one run. Most runs have none."""

    path: Path

    def entries(self) -> list[TrayEntry]:
        """All that lies in it, in order."""
        return self._read(HeldTray.entries)

    def withdrawn(self) -> list[Withdrawn]:
        """All that was taken back and is not in the journal yet, in order."""
        return self._read(HeldTray.withdrawn)

    def _read(self, what: Callable[[HeldTray], list[T]]) -> list[T]:
        if not self.path.exists():
            return []
        with sqlite_faults(self.path), closing(_opened(self.path)) as connection:
            version = _version(connection, self.path)
            if version == VERSION:
                return what(HeldTray(connection))
        if version == 0:
            return []
        with self.held() as held:  # one of an older version is brought up to the present
            return what(held)

    @contextmanager
    def held(self) -> Iterator[HeldTray]:
        """The tray, for one who changes it: all of the block is durable at its end, or nothing of it was done."""
        with disk_refusals("create", self.path):
            self.path.touch()
        with sqlite_faults(self.path), closing(_opened(self.path)) as connection:
            connection.execute("BEGIN IMMEDIATE")
            try:
                _make(connection, _version(connection, self.path))
                yield HeldTray(connection)
                connection.execute("COMMIT")
            finally:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")


def _opened(path: Path) -> sqlite3.Connection:
    connection = connect(path, read_only=False)
    # What is laid in has to be there after a power cut, too: the folder is synced when the rollback journal goes.
    connection.execute("PRAGMA synchronous = EXTRA")
    return connection


def _version(connection: sqlite3.Connection, path: Path) -> int:
    """The version of a tray; 0: the file is still empty. Anything else is refused."""
    marked = int(connection.execute("PRAGMA application_id").fetchone()[0])
    version = int(connection.execute("PRAGMA user_version").fetchone()[0])
    if marked == APPLICATION_ID and version <= VERSION:
        return version
    if marked == APPLICATION_ID:
        raise StateCorrupt(
            f"{path} was written by a newer Burnish (version {version}; this one knows {VERSION}).",
            hint="Update Burnish and try again. Nothing was changed.",
        )
    if connection.execute("SELECT COUNT(*) FROM sqlite_master").fetchone()[0]:
        raise StateCorrupt(f"{path} is no tray of Burnish.", hint="Move it out of the run's folder.")
    return 0


def _make(connection: sqlite3.Connection, version: int) -> None:
    """Take every step that the tray lacks."""
    if version == VERSION:
        return
    for step in range(version + 1, VERSION + 1):
        for statement in _STEPS[step]:
            connection.execute(statement)
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    connection.execute(f"PRAGMA user_version = {VERSION}")


def _values(entry: TrayEntry) -> tuple[Any, ...]:
    return (
        pack_name(entry.unit),
        entry.mark,
        entry.verdict,
        pack_name(entry.by),
        pack_optional(entry.note),
        None if entry.text is None else pack(entry.text),
        entry.seen,
        entry.at,
        pack_optional(entry.why),
        pack_optional(entry.delay),
    )


def _entry(row: tuple[Any, ...]) -> TrayEntry:
    unit, mark, verdict, by, note, text, seen, at, why, delay = row
    return TrayEntry(
        unit=unpack(unit),
        mark=mark,
        verdict=verdict,
        by=unpack(by),
        note=unpack_optional(note),
        text=unpack_optional(text),
        seen=seen,
        at=at,
        why=unpack_optional(why),
        delay=unpack_optional(delay),
    )
