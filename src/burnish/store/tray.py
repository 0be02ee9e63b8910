"""The tray of a run: decisions that people made while another process was at work on it.

Only the owner of a run may write to its journal. What somebody decides meanwhile is kept here, one decision a unit,
and put into effect when the run rests. Each has a mark of its own that its event in the journal carries too: found
there, it is in effect, however the process ended that was to clear it away.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from burnish.core.errors import StateCorrupt
from burnish.store.connections import connect, sqlite_faults
from burnish.store.files import disk_refusals
from burnish.store.packing import pack, pack_name, pack_optional, unpack, unpack_optional

APPLICATION_ID = 0x42545259
"""Marks an SQLite file as a tray of ours: `BTRY`."""
VERSION = 1
_COLUMNS = "unit, mark, verdict, by, note, text, seen, at, why"
_SCHEMA = """CREATE TABLE entries (
    unit PRIMARY KEY NOT NULL, mark TEXT NOT NULL, verdict TEXT NOT NULL, by NOT NULL, note, text, seen TEXT NOT NULL,
    at TEXT NOT NULL, why)"""


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
        text = None if entry.text is None else pack(entry.text)
        values = (
            pack_name(entry.unit),
            entry.mark,
            entry.verdict,
            pack_name(entry.by),
            pack_optional(entry.note),
            text,
            entry.seen,
            entry.at,
            pack_optional(entry.why),
        )
        self.remove(entry.unit)
        self._connection.execute(f"INSERT INTO entries ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", values)

    def remove(self, unit: str) -> None:
        self._connection.execute("DELETE FROM entries WHERE unit = ?", (pack_name(unit),))

    def fail(self, unit: str, why: str) -> None:
        """Keep a decision that cannot be put into effect, for people to see."""
        self._connection.execute("UPDATE entries SET why = ? WHERE unit = ?", (pack_name(why), pack_name(unit)))


@dataclass(frozen=True, slots=True)
class Tray:
    """The tray of one run. Most runs have none."""

    path: Path

    def entries(self) -> list[TrayEntry]:
        """All that lies in it, in order."""
        if not self.path.exists():
            return []
        with sqlite_faults(self.path), closing(_opened(self.path)) as connection:
            return HeldTray(connection).entries() if _is_made(connection, self.path) else []

    @contextmanager
    def held(self) -> Iterator[HeldTray]:
        """The tray, for one who changes it: all of the block is durable at its end, or nothing of it was done."""
        with disk_refusals("create", self.path):
            self.path.touch()
        with sqlite_faults(self.path), closing(_opened(self.path)) as connection:
            connection.execute("BEGIN IMMEDIATE")
            try:
                if not _is_made(connection, self.path):
                    _make(connection)
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


def _is_made(connection: sqlite3.Connection, path: Path) -> bool:
    """Whether the file is a tray; False: it is still empty. Anything else is refused."""
    marked = int(connection.execute("PRAGMA application_id").fetchone()[0])
    version = int(connection.execute("PRAGMA user_version").fetchone()[0])
    if (marked, version) == (APPLICATION_ID, VERSION):
        return True
    if marked == APPLICATION_ID:
        raise StateCorrupt(
            f"{path} was written by a newer Burnish (version {version}; this one knows {VERSION}).",
            hint="Update Burnish and try again. Nothing was changed.",
        )
    if connection.execute("SELECT COUNT(*) FROM sqlite_master").fetchone()[0]:
        raise StateCorrupt(f"{path} is no tray of Burnish.", hint="Move it out of the run's folder.")
    return False


def _make(connection: sqlite3.Connection) -> None:
    connection.execute(_SCHEMA)
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    connection.execute(f"PRAGMA user_version = {VERSION}")


def _entry(row: tuple[Any, ...]) -> TrayEntry:
    unit, mark, verdict, by, note, text, seen, at, why = row
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
    )
