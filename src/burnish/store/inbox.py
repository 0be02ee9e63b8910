"""The inbox of a run: people's decisions as rows of its journal.

Any process may add a decision, even while another one works on the run: it is identified by its mark, so nothing is
added or applied twice, and it needs no epoch. The owner of the run applies it. Until then every reader of the run sees
it, and undoing it costs nothing.

A process that adds something holds the inbox's guard meanwhile, so that the worker lets people go first.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field, fields
from typing import Any, Literal, TypeVar

from burnish.core.faultpoints import reach
from burnish.store.group_writer import PAUSE_SECONDS, all_or_nothing, guard_held, guard_of
from burnish.store.paths import RunFolder
from burnish.store.rows import pack, pack_json, pack_name, pack_optional, unpack_json, unpack_optional
from burnish.store.schema import connect_writer, sqlite_faults

Verdict = Literal["accept", "edit", "reject", "drop", "dismiss", "reopen", "undo"]
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
    command: str | None = None
    """The command that it belongs to: decisions of one command are added and applied all together, or none of them is.
    None: it stands alone."""
    beside: Mapping[str, str] = field(default_factory=dict)
    """With `drop`: near-duplicates that must stay, with the timestamps of their rows at the decision."""

    @property
    def waits(self) -> bool:
        return self.state == "waiting"


COLUMNS = ", ".join(column.name for column in fields(InboxEntry))
_PACKED = frozenset({"unit", "by", "note", "text", "why", "delay", "withdrawn_by"})
"""Columns with text from people or a kind."""
Refusals = dict[str, str]
"""Unit -> the unit that keeps its decision out, itself, one beside it or another one of its command: it has changed, or
another decision about it waits."""


@dataclass(frozen=True, slots=True)
class Withdrawal:
    """A decision that its maker, or somebody else, takes out of the inbox before it is applied."""

    mark: str
    unit: str
    by: str
    at: str
    command: str | None = None


Step = InboxEntry | Withdrawal
"""One part of a command."""
StepT = TypeVar("StepT", InboxEntry, Withdrawal, Step)


@dataclass(frozen=True, slots=True)
class Inbox:
    """The inbox of one run, for processes that do not own the run."""

    folder: RunFolder
    connection: sqlite3.Connection | None = None
    """An open connection to the journal, to be used for writing; None: each write opens one."""

    def add(self, steps: Sequence[Step]) -> Refusals:
        """Add decisions and withdraw others in one transaction, all of a command or nothing of it."""
        with self._writing() as connection:
            refused = added(connection, steps)
        reach("inbox.added")
        return refused

    def hasten(self, at: str, unit: str | None = None) -> int:
        """Let all waiting decisions, or the one about `unit`, be applied from now on. Return how many there are."""
        which, values = ("", ()) if unit is None else (" AND unit = ?", (pack_name(unit),))
        with self._writing() as connection:
            query = f"UPDATE inbox SET due = min(due, ?) WHERE state = 'waiting'{which}"
            return connection.execute(query, (at, *values)).rowcount

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        path = self.folder.journal
        with ExitStack() as opened, sqlite_faults(path):
            opened.enter_context(guard_held(guard_of(path)))
            connection = self.connection or opened.enter_context(closing(connect_writer(path)))
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


def commands(steps: Iterable[StepT]) -> list[list[StepT]]:
    """Return the steps by command, in order; a step without a command stands alone."""
    found: dict[str, list[StepT]] = {}
    for step in steps:
        found.setdefault(step.command or step.mark, []).append(step)
    return list(found.values())


def added(
    connection: sqlite3.Connection, steps: Sequence[Step], claim: Callable[[str, str], bool] = lambda mark, at: True
) -> Refusals:
    """Take the steps inside a transaction, all of a command or nothing of it. `claim`: marks an added decision as
    applied at once, and returns whether that was possible."""
    refused: Refusals = {}
    for command in commands(steps):
        with all_or_nothing(connection) as take_back:
            in_the_way = {step.unit: unit for step in command if (unit := _taken(connection, step, claim)) is not None}
            if in_the_way:
                take_back()
                first = next(iter(in_the_way.values()))
                refused |= {step.unit: in_the_way.get(step.unit, first) for step in command}
    return refused


def _taken(connection: sqlite3.Connection, step: Step, claim: Callable[[str, str], bool]) -> str | None:
    """Take one step. Return the unit that keeps it out, or None."""
    if isinstance(step, Withdrawal):
        query = (
            "UPDATE inbox SET state = 'withdrawn', withdrawn_by = ?, withdrawn_at = ? "
            "WHERE mark = ? AND state IN ('waiting', 'failed')"
        )
        is_done = connection.execute(query, (pack_name(step.by), step.at, step.mark)).rowcount == 1
        return None if is_done else step.unit
    in_the_way = _in_the_way(connection, step)
    if in_the_way is not None:
        return in_the_way
    _withdraw(connection, step.unit, "failed", step.by, step.at)
    places = ", ".join("?" * len(COLUMNS.split(",")))
    query = f"INSERT INTO inbox ({COLUMNS}) VALUES ({places}) ON CONFLICT (mark) DO NOTHING"
    values = {name: getattr(step, name) for name in COLUMNS.split(", ")}
    packed = {name: pack_optional(values[name]) for name in _PACKED}
    long = {
        "text": None if step.text is None else pack(step.text),
        "beside": pack_json(step.beside) if step.beside else None,
    }
    connection.execute(query, tuple((values | packed | long).values()))
    return None if claim(step.mark, step.seen) else step.unit


def _in_the_way(connection: sqlite3.Connection, entry: InboxEntry) -> str | None:
    """Return the unit that keeps a decision out: the decision is about it, or relies on it. None if there is none."""
    waiting = "SELECT 1 FROM inbox WHERE unit = ? AND state = 'waiting' AND mark <> ?"
    unchanged = "SELECT 1 FROM units WHERE id = ? AND at = ?"
    for unit, at in {**entry.beside, entry.unit: entry.seen}.items():
        name = pack_name(unit)
        other = waiting if unit == entry.unit else f"{waiting} AND verdict = 'drop'"
        if connection.execute(other, (name, entry.mark)).fetchone() is not None:
            return unit
        if connection.execute(unchanged, (name, at)).fetchone() is None:
            return unit
    return None


def _withdraw(connection: sqlite3.Connection, unit: str, state: State, by: str, at: str) -> None:
    query = "UPDATE inbox SET state = 'withdrawn', withdrawn_by = ?, withdrawn_at = ? WHERE unit = ? AND state = ?"
    connection.execute(query, (pack_name(by), at, pack_name(unit), state))


# -- rows


def entry_from(row: Sequence[Any]) -> InboxEntry:
    """Return the entry in a row of COLUMNS."""
    values: dict[str, Any] = dict(zip(COLUMNS.split(", "), row, strict=True))
    unpacked = {name: unpack_optional(values[name]) for name in _PACKED}
    beside = {"beside": unpack_json(values["beside"]) if values["beside"] else {}}
    return InboxEntry(**(values | unpacked | beside))
