"""The inbox of a run: people's decisions as rows of its journal.

Anyone may add one, also while another process is at work on the run: it is known by its mark, so nothing is added or
applied twice, and it needs no epoch. The owner of the run applies it. Until then whoever looks at the run sees it, and
taking it back costs nothing.

Everyone who adds something holds the inbox's guard meanwhile, so that the process at work lets them go first.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, fields
from typing import Any, Literal

from burnish.core.faultpoints import reach
from burnish.store.group_writer import PAUSE_SECONDS, guard_held, guard_of
from burnish.store.paths import RunFolder
from burnish.store.rows import pack, pack_name, pack_optional, unpack_optional
from burnish.store.schema import check_version, connect, migrate, sqlite_faults

Verdict = Literal["accept", "edit", "reject", "drop", "undo"]
State = Literal["waiting", "applied", "failed", "withdrawn", "told"]
"""Not applied yet; in effect; could not be applied, for people to see; taken back before it was applied; taken back,
and the journal tells of it."""
PATIENCE_SECONDS = 30.0
"""How long to wait for the process at work."""


@dataclass(frozen=True, slots=True)
class InboxEntry:
    """A decision of a person."""

    mark: str
    """Its own name, which the event in the journal carries too."""
    unit: str
    verdict: Verdict
    by: str
    note: str | None
    text: str | None
    """Of an edit."""
    seen: str
    """The moment of the unit's row when it was decided: with another one, the unit has moved since."""
    at: str
    due: str
    """From when on the process at work may apply it."""
    state: State = "waiting"
    why: str | None = None
    """Why it could not be applied."""
    delay: str | None = None
    """Why it could not be applied yet: that is tried again."""
    withdrawn_by: str | None = None
    withdrawn_at: str | None = None
    token: str | None = None
    """The mark of the token with which it was made, where one was used."""

    @property
    def waits(self) -> bool:
        return self.state == "waiting"


COLUMNS = ", ".join(field.name for field in fields(InboxEntry))
_PACKED = frozenset({"unit", "by", "note", "text", "why", "delay", "withdrawn_by"})
"""What people wrote, or a kind named."""
Refusal = Literal["moved", "decided"]
"""Why an entry was not added: the unit is not as it was seen; another decision about it waits."""


@dataclass(frozen=True, slots=True)
class Inbox:
    """The inbox of one run, for whoever adds to it without owning the run."""

    folder: RunFolder

    def add(self, entries: Sequence[InboxEntry], *, all_or_none: bool = False) -> dict[str, Refusal]:
        """Add decisions, all in one transaction. Unit -> why the decision about it was not added; with `all_or_none`
        none is added then."""
        refused: dict[str, Refusal] = {}
        with self._writing() as connection:
            for entry in entries:
                reason = _refusal(connection, entry)
                if reason is not None:
                    refused[entry.unit] = reason
                    continue
                _withdraw(connection, entry.unit, "failed", entry.by, entry.at)
                places = ", ".join("?" * len(COLUMNS.split(",")))
                query = f"INSERT INTO inbox ({COLUMNS}) VALUES ({places}) ON CONFLICT (mark) DO NOTHING"
                values = {name: getattr(entry, name) for name in COLUMNS.split(", ")}
                packed = {name: pack_optional(values[name]) for name in _PACKED}
                long = {"text": None if entry.text is None else pack(entry.text)}
                connection.execute(query, tuple((values | packed | long).values()))
            if refused and all_or_none:
                connection.execute("ROLLBACK")
        reach("inbox.added")
        return refused

    def withdraw(self, meant: Mapping[str, str | None], *, by: str, at: str) -> list[str]:
        """Take back what waits, or could not be applied; the units where that was done.

        `meant`: unit -> the moment of the decision; None: whichever there is.
        """
        done: list[str] = []
        with self._writing() as connection:
            for unit, of in meant.items():
                query = "SELECT at, state FROM inbox WHERE unit = ? AND state IN ('waiting', 'failed')"
                found = connection.execute(query, (pack_name(unit),)).fetchone()
                if found is not None and of in (None, found[0]):
                    _withdraw(connection, unit, found[1], by, at)
                    done.append(unit)
        return done

    def hasten(self, at: str, unit: str | None = None) -> int:
        """Let what waits be applied from now on, because somebody says so: all of it, or the decision about one unit.
        How many decisions that are."""
        which, values = ("", ()) if unit is None else (" AND unit = ?", (pack_name(unit),))
        with self._writing() as connection:
            query = f"UPDATE inbox SET due = min(due, ?) WHERE state = 'waiting'{which}"
            return connection.execute(query, (at, *values)).rowcount

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        path = self.folder.journal
        with guard_held(guard_of(path)), sqlite_faults(path), closing(connect(path, read_only=False)) as connection:
            check_version(connection, path)
            migrate(connection)
            _begin(connection)
            try:
                yield connection
                if connection.in_transaction:
                    connection.execute("COMMIT")
            finally:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")


def _begin(connection: sqlite3.Connection) -> None:
    """Begin to write as soon as the process at work lets go: it knows that somebody waits."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    connection.execute("PRAGMA busy_timeout = 0")  # SQLite's own waiting grows to a tenth of a second
    while True:
        try:
            connection.execute("BEGIN IMMEDIATE")
            connection.execute(f"PRAGMA busy_timeout = {PATIENCE_SECONDS * 1000:.0f}")
            return
        except sqlite3.OperationalError as busy:
            if not busy.sqlite_errorname.startswith("SQLITE_BUSY") or time.monotonic() > deadline:
                raise
            time.sleep(PAUSE_SECONDS)


def _refusal(connection: sqlite3.Connection, entry: InboxEntry) -> Refusal | None:
    unit = pack_name(entry.unit)
    other = "SELECT 1 FROM inbox WHERE unit = ? AND state = 'waiting' AND mark <> ?"
    if connection.execute(other, (unit, entry.mark)).fetchone() is not None:
        return "decided"
    row = connection.execute("SELECT at FROM units WHERE id = ?", (unit,)).fetchone()
    return None if row is not None and row[0] == entry.seen else "moved"


def _withdraw(connection: sqlite3.Connection, unit: str, state: State, by: str, at: str) -> None:
    query = "UPDATE inbox SET state = 'withdrawn', withdrawn_by = ?, withdrawn_at = ? WHERE unit = ? AND state = ?"
    connection.execute(query, (pack_name(by), at, pack_name(unit), state))


# -- rows


def entry_from(row: Sequence[Any]) -> InboxEntry:
    """From COLUMNS."""
    values: dict[str, Any] = dict(zip(COLUMNS.split(", "), row, strict=True))
    unpacked = {name: unpack_optional(values[name]) for name in _PACKED}
    return InboxEntry(**(values | unpacked))
