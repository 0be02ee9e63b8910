"""The inbox of a run: people's decisions as rows of its journal.

Any process may add a decision, even while another one works on the run: it is identified by its mark, so nothing is
added or applied twice, and it needs no epoch. The owner of the run applies it. Until then every reader of the run sees
it, and undoing it costs nothing.

A process that adds something holds the inbox's guard meanwhile, so that the worker lets people go first.
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
"""Not applied yet; applied; could not be applied, shown to people; withdrawn before it was applied; withdrawn, and the
journal records it."""
PATIENCE_SECONDS = 30.0
"""How long to wait for the worker."""


@dataclass(frozen=True, slots=True)
class InboxEntry:
    """A decision of a person."""

    mark: str
    """Its unique name, which its event in the journal has too."""
    unit: str
    verdict: Verdict
    by: str
    note: str | None
    text: str | None
    """The text of an edit."""
    seen: str
    """The timestamp of the unit's row at the decision; if the row has another one, the unit has changed since."""
    at: str
    due: str
    """The time from which the worker may apply it."""
    state: State = "waiting"
    why: str | None = None
    """Why it could not be applied."""
    delay: str | None = None
    """Why it could not be applied yet; this is retried."""
    withdrawn_by: str | None = None
    withdrawn_at: str | None = None
    token: str | None = None
    """The mark of the token with which it was made, if any."""

    @property
    def waits(self) -> bool:
        return self.state == "waiting"


COLUMNS = ", ".join(field.name for field in fields(InboxEntry))
_PACKED = frozenset({"unit", "by", "note", "text", "why", "delay", "withdrawn_by"})
"""Columns with text from people or a kind."""
Refusal = Literal["moved", "decided"]
"""Why an entry was not added: the unit has changed, or another decision about it waits."""


@dataclass(frozen=True, slots=True)
class Inbox:
    """The inbox of one run, for processes that do not own the run."""

    folder: RunFolder

    def add(self, entries: Sequence[InboxEntry], *, all_or_none: bool = False) -> dict[str, Refusal]:
        """Add decisions, all in one transaction. Return unit -> why its decision was not added; with `all_or_none`, one
        refusal keeps all of them out."""
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
        """Withdraw decisions that wait or could not be applied. Return the units for which that was done.

        `meant`: unit -> the time of the decision; None: any decision.
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
        """Let all waiting decisions, or the one about `unit`, be applied from now on. Return how many there are."""
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
    """Begin to write as soon as the worker releases the journal: the guard tells it that a writer waits."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    connection.execute("PRAGMA busy_timeout = 0")  # SQLite's own pauses grow to a tenth of a second
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
    """Return the entry in a row of COLUMNS."""
    values: dict[str, Any] = dict(zip(COLUMNS.split(", "), row, strict=True))
    unpacked = {name: unpack_optional(values[name]) for name in _PACKED}
    return InboxEntry(**(values | unpacked))
