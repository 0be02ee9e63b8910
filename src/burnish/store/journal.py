"""The journal: all data of a run in one SQLite file (WAL, synchronous=FULL). One thread writes, and readers do not
wait. Also a journal in memory, for corrections in a program without a run."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from burnish.core.errors import UsageError
from burnish.core.faultpoints import reach
from burnish.core.records import (
    AttemptRecord,
    CallIntent,
    CallRecord,
    EventRecord,
    Json,
    ModelUsage,
    Record,
    RoleTotals,
    Totals,
    UnitRow,
    Usage,
)
from burnish.store import rows
from burnish.store.group_writer import Transaction, Work, Writer
from burnish.store.inbox import COLUMNS as INBOX_COLUMNS
from burnish.store.inbox import InboxEntry, Refusals, State, Step, added, entry_from
from burnish.store.processes import Clock, system_clock
from burnish.store.read_model import Presenter
from burnish.store.redaction import Redactor
from burnish.store.rows import pack, pack_name, unpack, unpack_json
from burnish.store.schema import connect_reader, fault, migrate, sqlite_faults

PAGE = 500
"""Rows that are read at a time, so that memory use does not depend on the length of the run."""
HEAVY_PAGE = 32
"""The page size for rows with whole replies."""

MOST_IDLE = 4
"""Reading connections that are kept open for reuse."""
_RESERVED_META = frozenset({"epoch"})
_LAST_ROW = (1 << 63) - 1
T = TypeVar("T")
Key = tuple[int, ...]
"""The position of a page's end, in the order of its index."""


class Journal:
    """The records of a run. Acknowledged writes survive a crash; others may or may not.

    Writing raises StorageFailed if the disk fails and OwnershipLost if another process took over the run; in both cases
    nothing was written. New records have no `at`: the journal stamps them, each later than all before it. Created by
    `create_journal` and `open_journal` of `store.sqlite_journal`.
    """

    def __init__(self, path: Path, reader: sqlite3.Connection, writer: Writer | None, redactor: Redactor) -> None:
        self._path = path
        self._idle = [reader]
        self._lock = threading.Lock()
        self._closed = False
        self._writer = writer
        self._as_row = partial(rows.insertion, redactor=redactor, folder=path.parent)

    # Writing

    async def write(self, *records: Record) -> None:
        """Write all of `records` or none; durable on return. Writers that wait at the same time share one commit.

        A submitted write is carried out even if its caller is cancelled.
        """
        if records:
            written = asyncio.wrap_future(self._hand_over(records))
            # asyncio prints a failure that nobody asks for, and a worker that was stopped does not.
            written.add_done_callback(lambda done: done.cancelled() or done.exception())
            await asyncio.wait([written])  # not awaited itself: a paid reply is recorded even if its worker is stopped
            written.result()

    def write_now(self, *records: Record) -> None:
        """Write records from code outside an event loop."""
        if records:
            self._hand_over(records).result()

    def set_meta(self, key: str, value: str) -> None:
        """Store a single value, durably."""
        if key in _RESERVED_META:
            raise UsageError(f"The journal keeps {key!r} itself.")
        packed = pack_name(key), pack(value)
        self._submit(lambda transaction: transaction.set_meta(*packed)).result()

    def present_with(self, presenter: Presenter) -> None:
        """Use a kind's presenter for the drafts in lists, from the next write on."""
        if self._writer is not None:
            self._writer.read_model.presenter = presenter

    def begin_epoch(self, *records: Record) -> int:
        """Fence off every earlier owner, and write `records` in the same transaction. Return the new epoch."""
        insertions = list(map(self._as_row, records))

        def work(transaction: Transaction) -> None:
            transaction.begin_epoch()
            transaction.insert(*insertions)

        self._submit(work).result()
        return self._open_writer().epoch

    def apply_decisions(
        self,
        decided: Mapping[str, tuple[str, Sequence[Record]]],
        *,
        together: Iterable[Sequence[str]] = (),
        failed: Mapping[str, str] | None = None,
        delayed: Mapping[str, str] | None = None,
    ) -> None:
        """Write the results of decisions in the inbox, all in one transaction: mark -> the timestamp of the unit's row
        that they are based on, and the records. A decision that was withdrawn meanwhile is skipped, and one whose unit
        has changed stays in the inbox; so do all of its command. `together`: the marks of each command. `failed`,
        `delayed`: mark -> why it cannot be applied, or not yet."""
        prepared = {mark: (at, list(map(self._as_row, records))) for mark, (at, records) in decided.items()}
        grouped = list(together)
        alone = prepared.keys() - {mark for marks in grouped for mark in marks}

        def work(transaction: Transaction) -> None:
            for marks in (*grouped, *([mark] for mark in prepared if mark in alone)):
                if transaction.claim_all({mark: prepared[mark][0] for mark in marks}):
                    transaction.insert(*(each for mark in marks for each in prepared[mark][1]))
            for mark, why in (failed or {}).items():
                transaction.note_trouble(mark, why=why)
            for mark, delay in (delayed or {}).items():
                transaction.note_trouble(mark, delay=delay)

        self._submit(work).result()

    def decide(
        self, steps: Sequence[Step], decided: Mapping[str, Sequence[Record]], take_overs: Sequence[Record] = ()
    ) -> Refusals:
        """Add decisions to the inbox and apply them at once, in one transaction that begins an epoch: all of a command
        or nothing of it. `decided`: mark -> the records of its consequence. Only for the holder of the run's lock."""
        prepared = {mark: list(map(self._as_row, records)) for mark, records in decided.items()}
        audits = list(map(self._as_row, take_overs))
        refused: Refusals = {}

        def work(transaction: Transaction) -> None:
            transaction.begin_epoch()
            transaction.insert(*audits)
            refused.update(added(transaction.connection, steps, transaction.claim))
            for step in steps:
                if step.unit not in refused:
                    transaction.insert(*prepared.get(step.mark, ()))

        self._open_writer().own()
        self._submit(work).result()
        reach("inbox.added")
        return refused

    def record_withdrawn(self, withdrawn: Mapping[str, Record]) -> None:
        """Record that decisions were withdrawn before they were applied, by their marks."""
        insertions = list(map(self._as_row, withdrawn.values()))

        def work(transaction: Transaction) -> None:
            for mark, insertion in zip(withdrawn, insertions, strict=True):
                transaction.insert(insertion)
                transaction.set_recorded(mark)

        self._submit(work).result()

    def _hand_over(self, records: Sequence[Record]) -> Future[None]:
        insertions = list(map(self._as_row, records))
        return self._submit(lambda transaction: transaction.insert(*insertions))

    def _submit(self, work: Work) -> Future[None]:
        return self._open_writer().submit(work)

    def _open_writer(self) -> Writer:
        if self._writer is None:
            raise UsageError(f"The journal {self._path} was opened for reading only.")
        return self._writer

    # Reading

    def get_meta(self, key: str) -> str | None:
        found = self._read("SELECT value FROM meta WHERE key = ?", (pack_name(key),), lambda row: unpack(row[0]))
        return found[0] if found else None

    def call(self, key: str) -> CallRecord | None:
        """Return the first recorded reply, otherwise the newest failure; None if the call was never made."""
        query = f"SELECT {rows.CALL_COLUMNS} FROM calls WHERE key = ? AND status = "
        found = self._read(f"{query} 'ok'", (pack_name(key),), rows.call_from) or self._read(
            f"{query} 'failed' ORDER BY id DESC LIMIT 1", (pack_name(key),), rows.call_from
        )
        return found[0] if found else None

    def has_answered(self, model: str) -> bool:
        """Return whether the model has answered any call."""
        query = "SELECT 1 FROM calls WHERE model = ? AND status = 'ok' LIMIT 1"
        return bool(self._read(query, (pack_name(model),), tuple))

    def calls(self, unit: str | None = None) -> Iterator[CallRecord]:
        """Yield every call, including failed ones, in the order of recording."""
        where, values = ("", ()) if unit is None else ("AND unit = ?", (pack_name(unit),))
        query = f"SELECT id, {rows.CALL_COLUMNS} FROM calls WHERE id > ? {where} ORDER BY id LIMIT ?"
        return self._paged(query, (0,), values, rows.call_from, size=HEAVY_PAGE)

    def replies(self, role: str, model: str) -> Iterator[tuple[str, str]]:
        """Yield the replies of a model in a role, in order: name of the reply, and text."""
        query = (
            "SELECT id, reply_name, raw FROM calls WHERE id > ? AND status = 'ok' AND +role = ? AND model = ? "
            "ORDER BY id LIMIT ?"
        )
        values = pack_name(role), pack_name(model)
        return self._paged(query, (0,), values, lambda row: (unpack(row[1]), unpack(row[2])), size=HEAVY_PAGE)

    def failures(self, key: str, model: str) -> tuple[int, bool]:
        """Return how often a call failed, but for limits of the run, and whether the model answered another since."""
        query = "SELECT id FROM calls WHERE key = ? AND status = 'failed' AND error NOT LIKE 'limit:%' ORDER BY id"
        failed = self._read(query, (pack_name(key),), lambda row: int(row[0]))
        if not failed:
            return 0, False
        query = "SELECT EXISTS (SELECT 1 FROM calls WHERE id > ? AND status = 'ok' AND model = ?)"
        return len(failed), bool(self._read(query, (failed[0], pack_name(model)), lambda row: row[0])[0])

    def events(
        self, *, after: int = 0, unit: str | None = None, types: Sequence[str] = (), limit: int | None = None
    ) -> Iterator[EventRecord]:
        """Yield the events with a `seq` above `after`, in order."""
        where, values = "", [pack_name(text) for text in ((unit,) if unit is not None else ())]
        if unit is not None:
            where += " AND unit = ?"
        if types:
            # One type is found by its index; several are filtered in order of `seq`.
            where += f" AND {'' if len(types) == 1 and unit is None else '+'}type IN ({_places(types)})"
            values += [pack_name(type) for type in types]
        query = f"SELECT seq, {rows.EVENT_COLUMNS} FROM events WHERE seq > ? {where} ORDER BY seq LIMIT ?"
        return self._paged(query, (after,), values, rows.event_from, limit)

    def inbox(self, *states: State, unit: str | None = None) -> list[InboxEntry]:
        """Return people's decisions in the order they were made: those in the given states, of one unit or all."""
        where, values = f"state IN ({_places(states)})", list[Any](states)
        if unit is not None:
            where += " AND unit = ?"
            values.append(pack_name(unit))
        query = f"SELECT {INBOX_COLUMNS} FROM inbox WHERE {where} ORDER BY seq"
        return self._read(query, values, entry_from)

    def has_due(self, now: str) -> bool:
        """Return whether the worker may apply a decision in the inbox."""
        query = "SELECT EXISTS (SELECT 1 FROM inbox WHERE state = 'waiting' AND due <= ?)"
        return bool(self._read(query, (now,), lambda row: row[0])[0])

    def how_many_decided(self) -> int:
        """Return the number of decisions that wait in the inbox."""
        return self._read("SELECT COUNT(*) FROM inbox WHERE state = 'waiting'", (), lambda row: int(row[0]))[0]

    def latest(self, type: str | None = None) -> EventRecord | None:
        """Return the last event, or the last of a type."""
        where, values = ("", ()) if type is None else ("WHERE type = ?", (pack_name(type),))
        query = f"SELECT seq, {rows.EVENT_COLUMNS} FROM events {where} ORDER BY seq DESC LIMIT 1"
        return next(iter(self._read(query, values, rows.event_from)), None)

    def last_event(self) -> int:
        """Return the number of the last event; 0 if there is none."""
        [last] = self._read("SELECT COALESCE(MAX(seq), 0) FROM events", (), lambda row: int(row[0]))
        return last

    def unit(self, id: str) -> UnitRow | None:
        query = f"SELECT {rows.UNIT_COLUMNS} FROM units WHERE id = ?"
        found = self._read(query, (pack_name(id),), rows.unit_from)
        return found[0] if found else None

    def units(
        self, *, states: Sequence[str] = (), after_position: int = -1, limit: int | None = None
    ) -> Iterator[UnitRow]:
        """Yield units by position; only those in `states`, if given."""
        # One state is found by its index; several are filtered in order of position.
        where = f"AND {'' if len(states) == 1 else '+'}state IN ({_places(states)})" if states else ""
        values = [pack_name(state) for state in states]
        query = (
            f"SELECT position, number, {rows.UNIT_COLUMNS} FROM units WHERE (position, number) > (?, ?) {where} "
            "ORDER BY position, number LIMIT ?"
        )
        return self._paged(query, (after_position, _LAST_ROW), values, rows.unit_from, limit)

    def attempts(self, unit: str) -> list[AttemptRecord]:
        """Return a unit's attempts, by number."""
        query = f"SELECT {rows.ATTEMPT_COLUMNS} FROM attempts WHERE unit = ? ORDER BY number"
        with self._readable():
            return rows.attempts_from(self._read(query, (pack_name(unit),), tuple))

    def source(self, unit: str) -> Json | None:
        """Return a unit as it was read, if that was recorded."""
        query = "SELECT content FROM sources WHERE unit = ?"
        return next(iter(self._read(query, (pack_name(unit),), lambda row: unpack_json(row[0]))), None)

    def standing(self) -> Iterator[tuple[UnitRow, Json]]:
        """Yield every unit with a recorded source, by position, with its current text: the best draft, or the
        source."""
        columns = ", ".join(f"u.{name}" for name in rows.UNIT_COLUMNS.split(", "))
        query = (
            f"SELECT u.position, u.number, COALESCE(a.content, s.content), {columns} FROM units u "
            "JOIN sources s ON s.unit = u.id LEFT JOIN attempts a ON a.unit = u.id AND a.number = u.best_attempt "
            "WHERE (u.position, u.number) > (?, ?) ORDER BY u.position, u.number LIMIT ?"
        )
        return self._paged(query, (-1, _LAST_ROW), (), lambda row: (rows.unit_from(row), unpack_json(row[2])))

    def outermost(self) -> tuple[UnitRow, UnitRow] | None:
        """Return the first and the last unit of the documents; None if there is none."""
        query = f"SELECT {rows.UNIT_COLUMNS} FROM units WHERE document <> '' ORDER BY position"
        ends = [self._read(f"{query} {way} LIMIT 1", (), rows.unit_from) for way in ("", "DESC")]
        return (ends[0][0], ends[1][0]) if ends[0] else None

    def counts(self) -> dict[str, int]:
        """Return the number of units in each state."""
        query = "SELECT state, COUNT(*) FROM units GROUP BY state ORDER BY state"
        return dict(self._read(query, (), lambda row: (unpack(row[0]), row[1])))

    def totals_by_role(self) -> list[RoleTotals]:
        """Return the cost of each role so far, by the role's name."""
        sums = ", ".join(f"SUM({name})" for name in rows.USAGE)
        query = f"SELECT role, error, COUNT(*), SUM(cost IS NULL), {sums} FROM calls GROUP BY role, error ORDER BY role"
        found: dict[str, RoleTotals] = {}
        for packed, error, calls, unpriced, *amounts in self._read(query, (), tuple):
            role, kind = unpack(packed), (rows.unpack_optional(error) or "").partition(":")[0]
            known = found.get(role, RoleTotals(role, 0, Usage(), 0, {}))
            usage = Usage(*amounts)
            found[role] = RoleTotals(
                role,
                known.calls + calls,
                known.usage + replace(usage, cost=usage.cost or 0.0),
                known.unpriced_calls + unpriced,
                {**known.failures, kind: known.failures.get(kind, 0) + calls} if kind else known.failures,
            )
        # Replies that came complete and could not be parsed: a reply that was cut off or refused has a failed record.
        unanswered = [event.data for event in self.events(types=("unanswered",))]
        unread = [data for data in unanswered if str(data.get("failure", "")).startswith("reply_unreadable")]
        keys = {key for data in unread for key in data["calls"][-1:]}
        recorded = "SELECT role FROM calls WHERE key = ? AND status = 'ok'"
        unreadable = Counter(name for key in keys for name in self._read(recorded, (pack_name(key),), _name))
        for role, number in unreadable.items():
            found[role] = replace(found[role], failures={**found[role].failures, "unreadable": number})
        return list(found.values())

    def usage_by_model(self) -> list[ModelUsage]:
        """Return what each model has written in each role, for the estimates of later runs."""
        sums = "SUM(status = 'ok'), SUM(completion_tokens), SUM(reasoning_tokens)"
        query = f"SELECT model, role, {sums} FROM calls GROUP BY role, model"
        return self._read(query, (), lambda row: ModelUsage(unpack(row[0]), unpack(row[1]), *row[2:]))

    def submitted(self) -> list[CallIntent]:
        """Return the calls that were or may have been submitted in a batch, in the order of their intents."""
        query = f"SELECT {rows.INTENT_COLUMNS} FROM intents WHERE batch IS NOT NULL ORDER BY id"
        return self._read(query, (), rows.intent_from)

    def totals(self, *, is_at_work: bool = False) -> Totals:
        """Return the cost of the run so far, including failed calls. `cost` sums up the calls with a known price.

        `is_at_work`: a process is at work on the run, so the calls without an answer that it began are not lost.
        """
        columns = "calls, failed_calls, prompt_tokens, completion_tokens, cost_trillionths, unpriced_calls"
        calls, failed, prompt, completion, cost, unpriced = self._read(f"SELECT {columns} FROM books", (), tuple)[0]
        sums = "COUNT(*), COALESCE(SUM(tokens), 0), COALESCE(SUM(cost), 0.0)"
        before = "AND epoch < (SELECT CAST(value AS INTEGER) FROM meta WHERE key = 'epoch')" if is_at_work else ""
        lost = self._read(f"SELECT {sums} FROM intents WHERE batch IS NULL {before}", (), tuple)[0]
        return Totals(calls, failed, Usage(prompt, completion, rows.dollars(cost)), unpriced, *lost)

    def close(self) -> None:
        """Finish all submitted writes, then close. May be called more than once."""
        reach("journal.closing")
        # The writing connection is closed last: only it can checkpoint the write-ahead log into the file.
        with self._lock:
            self._closed = True
            idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()
        if self._writer is not None:
            self._writer.close()

    def ask(self, question: Callable[[sqlite3.Connection], T]) -> T:
        """Return the result of several queries on one consistent snapshot."""
        with self._reader() as connection, self._readable():
            connection.execute("BEGIN")
            try:
                return question(connection)
            finally:
                connection.execute("COMMIT")

    def _read(self, query: str, values: Sequence[Any], decode: Callable[[Any], T]) -> list[T]:
        """Return every row of a query, decoded. Reads end at once, so none blocks the writer."""
        with self._reader() as connection:
            found = connection.execute(query, values).fetchall()
        with self._readable():
            return list(map(decode, found))

    def _paged(
        self,
        query: str,
        after: Key,
        values: Sequence[Any],
        decode: Callable[[Any], T],
        limit: int | None = None,
        size: int = PAGE,
    ) -> Iterator[T]:
        """Yield the rows of a query page by page, at most `limit`. They must begin with the columns of their order."""
        left = limit
        while left is None or left > 0:
            count = size if left is None else min(size, left)
            found = self._read(query, (*after, *values, count), tuple)
            with self._readable():
                yield from map(decode, found)
            if len(found) < count:
                return
            after = found[-1][: len(after)]
            left = None if left is None else left - count

    @contextmanager
    def _readable(self) -> Iterator[None]:
        try:
            yield
        except (ValueError, TypeError, zlib.error) as error:
            raise fault(error, self._path) from error

    @contextmanager
    def _reader(self) -> Iterator[sqlite3.Connection]:
        """Lend a connection to one thread at a time."""
        with sqlite_faults(self._path):
            with self._lock:
                self._refuse_if_closed()
                connection = self._idle.pop() if self._idle else None
            connection = connection or connect_reader(self._path)
            try:
                yield connection
            finally:
                with self._lock:
                    is_kept = not self._closed and len(self._idle) < MOST_IDLE
                    if is_kept:
                        self._idle.append(connection)
                if not is_kept:
                    connection.close()

    def _refuse_if_closed(self) -> None:
        if self._closed:
            raise UsageError(f"The journal {self._path} is closed.")


class BriefJournal(Journal):
    """A journal with one connection, which writes at once and reads: for a few writes of one thread."""

    def __init__(self, path: Path, connection: sqlite3.Connection, clock: Clock, redactor: Redactor) -> None:
        super().__init__(path, connection, Writer(connection, path, clock, epoch=0), redactor)
        self.connection = connection

    async def write(self, *records: Record) -> None:
        self.write_now(*records)

    @contextmanager
    def _reader(self) -> Iterator[sqlite3.Connection]:
        with sqlite_faults(self._path), self._lock:
            self._refuse_if_closed()
            yield self.connection


class MemoryJournal(BriefJournal):
    """A journal that ends with the process."""

    def __init__(self, *, clock: Clock = system_clock) -> None:
        connection = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
        migrate(connection)
        super().__init__(Path("memory"), connection, clock, Redactor())


def _places(values: Sequence[object]) -> str:
    return ", ".join("?" for _ in values)


def _name(row: Any) -> str:
    return unpack(row[0])
