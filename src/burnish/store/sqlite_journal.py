"""The journal as one SQLite file (WAL, synchronous=FULL): one thread writes, everyone reads without waiting."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar

from burnish.core.errors import OwnershipLost, StateCorrupt, StorageFailed, UsageError
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
from burnish.store.files import disk_refusals, publish_exclusively, temporary_name
from burnish.store.group_writer import GroupWriter, Transaction, Work
from burnish.store.inbox import COLUMNS as INBOX_COLUMNS
from burnish.store.inbox import InboxEntry, State, entry_from
from burnish.store.journal import role_totals, unreadable_replies
from burnish.store.processes import Clock
from burnish.store.read_model import Presenter
from burnish.store.redaction import Redactor
from burnish.store.rows import pack, pack_name, unpack, unpack_json
from burnish.store.schema import check_version, connect, fault, known_version, migrate, sqlite_faults

PAGE = 500
"""Rows that are read at a time: memory stays the same however long the run is."""
HEAVY_PAGE = 32
"""The same for rows that carry whole replies."""

MOST_IDLE = 4
"""Reading connections that are kept open for the next reader."""
_RESERVED_META = frozenset({"epoch"})
_LAST_ROW = (1 << 63) - 1
T = TypeVar("T")
Key = tuple[int, ...]
"""Where a page ends, in the order of its index."""


class SqliteJournal:
    """See `burnish.store.journal.Journal`. Made by `create_journal` and `open_journal`."""

    def __init__(self, path: Path, reader: sqlite3.Connection, writer: GroupWriter | None, redactor: Redactor) -> None:
        self._path = path
        self._idle = [reader]
        self._door = threading.Lock()
        self._closed = False
        self._writer = writer
        self._redactor = redactor

    # Writing

    async def write(self, *records: Record) -> None:
        if records:
            # Shielded: a reply that was paid for is recorded even if its worker is being stopped.
            await asyncio.shield(asyncio.wrap_future(self._hand_over(records)))

    def write_now(self, *records: Record) -> None:
        if records:
            self._hand_over(records).result()

    def set_meta(self, key: str, value: str) -> None:
        if key in _RESERVED_META:
            raise UsageError(f"The journal keeps {key!r} itself.")
        packed = pack_name(key), pack(value)
        self._submit(lambda transaction: transaction.set_meta(*packed)).result()

    def present_with(self, presenter: Presenter) -> None:
        if self._writer is not None:
            self._writer.read_model.presenter = presenter

    def begin_epoch(self, *records: Record) -> int:
        """Fence off every earlier owner, and write `records` in the same transaction. The new epoch."""
        insertions = self._insertions(records)

        def work(transaction: Transaction) -> None:
            transaction.begin_epoch()
            for insertion in insertions:
                transaction.insert(insertion)

        self._submit(work).result()
        return self._open_writer().epoch

    def apply_decisions(
        self,
        decided: Mapping[str, tuple[str, Sequence[Record]]],
        *,
        failed: Mapping[str, str] | None = None,
        delayed: Mapping[str, str] | None = None,
    ) -> None:
        """Write what follows from decisions of the inbox, all in one transaction: mark -> the moment of the unit's row
        that it follows from, and what is to be written. One that was taken back meanwhile is passed over, and one whose
        unit has moved stays. `failed`, `delayed`: mark -> why it cannot be applied, or not yet."""
        prepared = {mark: (at, self._insertions(records)) for mark, (at, records) in decided.items()}

        def work(transaction: Transaction) -> None:
            for mark, (at, insertions) in prepared.items():
                if transaction.claim(mark, at):
                    for insertion in insertions:
                        transaction.insert(insertion)
            for mark, why in (failed or {}).items():
                transaction.note_trouble(mark, why=why)
            for mark, delay in (delayed or {}).items():
                transaction.note_trouble(mark, delay=delay)

        self._submit(work).result()

    def tell_withdrawn(self, told: Mapping[str, Record]) -> None:
        """Write that decisions were taken back before they were applied, by their marks."""
        insertions = self._insertions(told.values())

        def work(transaction: Transaction) -> None:
            for mark, insertion in zip(told, insertions, strict=True):
                transaction.insert(insertion)
                transaction.set_told(mark)

        self._submit(work).result()

    def _hand_over(self, records: Sequence[Record]) -> Future[None]:
        insertions = self._insertions(records)

        def work(transaction: Transaction) -> None:
            for insertion in insertions:
                transaction.insert(insertion)

        return self._submit(work)

    def _insertions(self, records: Iterable[Record]) -> list[rows.Insertion]:
        return [rows.insertion(record, self._redactor, self._path.parent) for record in records]

    def _submit(self, work: Work) -> Future[None]:
        return self._open_writer().submit(work)

    def _open_writer(self) -> GroupWriter:
        if self._writer is None:
            raise UsageError(f"The journal {self._path} was opened for reading only.")
        return self._writer

    # Reading

    def get_meta(self, key: str) -> str | None:
        found = self._read("SELECT value FROM meta WHERE key = ?", (pack_name(key),), lambda row: unpack(row[0]))
        return found[0] if found else None

    def call(self, key: str) -> CallRecord | None:
        query = f"SELECT {rows.CALL_COLUMNS} FROM calls WHERE key = ? AND status = "
        found = self._read(f"{query} 'ok'", (pack_name(key),), rows.call_from) or self._read(
            f"{query} 'failed' ORDER BY id DESC LIMIT 1", (pack_name(key),), rows.call_from
        )
        return found[0] if found else None

    def calls(self, unit: str | None = None) -> Iterator[CallRecord]:
        where, values = ("", ()) if unit is None else ("AND unit = ?", (pack_name(unit),))
        query = f"SELECT id, {rows.CALL_COLUMNS} FROM calls WHERE id > ? {where} ORDER BY id LIMIT ?"

        def page(after: Key, size: int) -> list[tuple[Key, CallRecord]]:
            return self._read(query, (*after, *values, size), lambda row: ((row[0],), rows.call_from(row[1:])))

        return _paged(page, (0,), None, HEAVY_PAGE)

    def events(
        self, *, after: int = 0, unit: str | None = None, types: Sequence[str] = (), limit: int | None = None
    ) -> Iterator[EventRecord]:
        where, values = "", [pack_name(text) for text in ((unit,) if unit is not None else ())]
        if unit is not None:
            where += " AND unit = ?"
        if types:
            # One type is found by its index; several are picked out while walking in order of `seq`.
            where += f" AND {'' if len(types) == 1 and unit is None else '+'}type IN ({_places(types)})"
            values += [pack_name(type) for type in types]
        query = f"SELECT seq, {rows.EVENT_COLUMNS} FROM events WHERE seq > ? {where} ORDER BY seq LIMIT ?"

        def page(after: Key, size: int) -> list[tuple[Key, EventRecord]]:
            return self._read(query, (*after, *values, size), lambda row: ((row[0],), rows.event_from(row)))

        return _paged(page, (after,), limit, PAGE)

    def inbox(self, *states: State, unit: str | None = None) -> list[InboxEntry]:
        """People's decisions in the order in which they were made: those in one of the states, of one unit or all."""
        where, values = f"state IN ({_places(states)})", list[Any](states)
        if unit is not None:
            where += " AND unit = ?"
            values.append(pack_name(unit))
        query = f"SELECT {INBOX_COLUMNS} FROM inbox WHERE {where} ORDER BY seq"
        return self._read(query, values, entry_from)

    def has_due(self, now: str) -> bool:
        """Whether a decision in the inbox may be applied by the process at work."""
        query = "SELECT EXISTS (SELECT 1 FROM inbox WHERE state = 'waiting' AND due <= ?)"
        return bool(self._read(query, (now,), lambda row: row[0])[0])

    def how_many_decided(self) -> int:
        """How many decisions wait in the inbox."""
        return self._read("SELECT COUNT(*) FROM inbox WHERE state = 'waiting'", (), lambda row: int(row[0]))[0]

    def latest(self, type: str | None = None) -> EventRecord | None:
        """The last event, or the last of a type."""
        where, values = ("", ()) if type is None else ("WHERE type = ?", (pack_name(type),))
        query = f"SELECT seq, {rows.EVENT_COLUMNS} FROM events {where} ORDER BY seq DESC LIMIT 1"
        return next(iter(self._read(query, values, rows.event_from)), None)

    def last_event(self) -> int:
        """The number of the last event; 0 where there is none."""
        [last] = self._read("SELECT COALESCE(MAX(seq), 0) FROM events", (), lambda row: int(row[0]))
        return last

    def unit(self, id: str) -> UnitRow | None:
        query = f"SELECT {rows.UNIT_COLUMNS} FROM units WHERE id = ?"
        found = self._read(query, (pack_name(id),), rows.unit_from)
        return found[0] if found else None

    def units(
        self, *, states: Sequence[str] = (), after_position: int = -1, limit: int | None = None
    ) -> Iterator[UnitRow]:
        # One state is found by its index; several are picked out while walking in order of position.
        where = f"AND {'' if len(states) == 1 else '+'}state IN ({_places(states)})" if states else ""
        values = [pack_name(state) for state in states]
        query = (
            f"SELECT number, {rows.UNIT_COLUMNS} FROM units WHERE (position, number) > (?, ?) {where} "
            "ORDER BY position, number LIMIT ?"
        )

        def page(after: Key, size: int) -> list[tuple[Key, UnitRow]]:
            return self._read(query, (*after, *values, size), lambda row: ((row[3], row[0]), rows.unit_from(row[1:])))

        return _paged(page, (after_position, _LAST_ROW), limit, PAGE)

    def attempts(self, unit: str) -> list[AttemptRecord]:
        query = f"SELECT {rows.ATTEMPT_COLUMNS} FROM attempts WHERE unit = ? ORDER BY number"
        with self._readable():
            return rows.attempts_from(self._read(query, (pack_name(unit),), tuple))

    def source(self, unit: str) -> Json | None:
        query = "SELECT content FROM sources WHERE unit = ?"
        return next(iter(self._read(query, (pack_name(unit),), lambda row: unpack_json(row[0]))), None)

    def standing(self) -> Iterator[tuple[UnitRow, Json]]:
        columns = ", ".join(f"u.{name}" for name in rows.UNIT_COLUMNS.split(", "))
        query = (
            f"SELECT u.number, COALESCE(a.content, s.content), {columns} FROM units u JOIN sources s ON s.unit = u.id "
            "LEFT JOIN attempts a ON a.unit = u.id AND a.number = u.best_attempt "
            "WHERE (u.position, u.number) > (?, ?) ORDER BY u.position, u.number LIMIT ?"
        )

        def decode(row: Sequence[Any]) -> tuple[Key, tuple[UnitRow, Json]]:
            unit = rows.unit_from(row[2:])
            return (unit.position, row[0]), (unit, unpack_json(row[1]))

        return _paged(lambda after, size: self._read(query, (*after, size), decode), (-1, _LAST_ROW), None, PAGE)

    def outermost(self) -> tuple[UnitRow, UnitRow] | None:
        """The first and the last unit of the documents; None while there is none."""
        query = f"SELECT {rows.UNIT_COLUMNS} FROM units WHERE document <> '' ORDER BY position"
        ends = [self._read(f"{query} {way} LIMIT 1", (), rows.unit_from) for way in ("", "DESC")]
        return (ends[0][0], ends[1][0]) if ends[0] else None

    def counts(self) -> dict[str, int]:
        query = "SELECT state, COUNT(*) FROM units GROUP BY state ORDER BY state"
        return dict(self._read(query, (), lambda row: (unpack(row[0]), row[1])))

    def totals_by_role(self) -> list[RoleTotals]:
        columns = (
            "prompt_tokens",
            "completion_tokens",
            "cost",
            "reasoning_tokens",
            "cached_tokens",
            "cache_write_tokens",
        )
        sums = ", ".join(f"SUM({column})" for column in columns)
        query = f"SELECT role, error, COUNT(*), SUM(cost IS NULL), {sums} FROM calls GROUP BY role, error"
        recorded = "SELECT role FROM calls WHERE key = ? AND status = 'ok'"
        keys = unreadable_replies(self.events(types=("unanswered",)))
        unreadable = Counter(role for key in keys for role in self._read(recorded, (pack_name(key),), _name))
        bills = (
            (unpack(role), rows.unpack_optional(error), calls, Usage(*usage), unpriced)
            for role, error, calls, unpriced, *usage in self._read(query, (), tuple)
        )
        return role_totals(bills, unreadable)

    def usage_by_model(self) -> list[ModelUsage]:
        """What each model has written in each role, for the estimates of later runs."""
        sums = "SUM(status = 'ok'), SUM(completion_tokens), SUM(reasoning_tokens)"
        query = f"SELECT model, role, {sums} FROM calls GROUP BY role, model"
        return self._read(query, (), lambda row: ModelUsage(unpack(row[0]), unpack(row[1]), *row[2:]))

    def submitted(self) -> list[CallIntent]:
        columns = "key, role, model, tokens, cost, batch, call, at"
        return self._read(f"SELECT {columns} FROM intents WHERE batch IS NOT NULL ORDER BY id", (), rows.intent_from)

    def totals(self) -> Totals:
        columns = "calls, failed_calls, prompt_tokens, completion_tokens, cost_trillionths, unpriced_calls"
        calls, failed, prompt, completion, cost, unpriced = self._read(f"SELECT {columns} FROM books", (), tuple)[0]
        sums = "COUNT(*), COALESCE(SUM(tokens), 0), COALESCE(SUM(cost), 0.0)"
        lost = self._read(f"SELECT {sums} FROM intents WHERE batch IS NULL", (), tuple)[0]
        return Totals(calls, failed, Usage(prompt, completion, rows.dollars(cost)), unpriced, *lost)

    def close(self) -> None:
        reach("journal.closing")
        # The writing connection goes last: only it can fold the write-ahead log into the file.
        with self._door:
            self._closed = True
            idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()
        if self._writer is not None:
            self._writer.close()

    def ask(self, question: Callable[[sqlite3.Connection], T]) -> T:
        """The answer to a question that takes several queries: nothing changes for it meanwhile."""
        with self._reader() as connection, self._readable():
            connection.execute("BEGIN")
            try:
                return question(connection)
            finally:
                connection.execute("COMMIT")

    def _read(self, query: str, values: Sequence[Any], decode: Callable[[Any], T]) -> list[T]:
        """Every row of a query, decoded. No read lasts longer than this, so none holds the writer up."""
        with self._reader() as connection:
            found = connection.execute(query, values).fetchall()
        with self._readable():
            return [decode(row) for row in found]

    @contextmanager
    def _readable(self) -> Iterator[None]:
        try:
            yield
        except (ValueError, TypeError, zlib.error) as error:
            raise fault(error, self._path) from error

    @contextmanager
    def _reader(self) -> Iterator[sqlite3.Connection]:
        """A connection for one thread at a time."""
        with sqlite_faults(self._path):
            with self._door:
                if self._closed:
                    raise UsageError(f"The journal {self._path} is closed.")
                connection = self._idle.pop() if self._idle else None
            connection = connection or _connect_reader(self._path)
            try:
                yield connection
            finally:
                with self._door:
                    is_kept = not self._closed and len(self._idle) < MOST_IDLE
                    if is_kept:
                        self._idle.append(connection)
                if not is_kept:
                    connection.close()


def create_journal(path: Path, *, clock: Clock, redactor: Redactor | None = None) -> SqliteJournal:
    """A new journal. It is built under a temporary name, so one that is there is complete."""
    temporary = path.with_name(temporary_name())
    try:
        with disk_refusals("create", path):
            temporary.touch(0o600, exist_ok=False)
        with sqlite_faults(path):
            _build(temporary)
        reach("journal.built")
        publish_exclusively(temporary, path)
    except FileExistsError:
        raise UsageError(f"There is a journal at {path} already.", hint="Open it, or choose another run id.") from None
    finally:
        for suffix in ("", "-journal", "-wal", "-shm"):
            with suppress(OSError):  # what cannot be removed now is left to `remove_leftovers`
                temporary.with_name(temporary.name + suffix).unlink(missing_ok=True)
    reach("journal.created")
    return open_journal(path, clock=clock, redactor=redactor)


def open_journal(
    path: Path, *, clock: Clock, epoch: int | None = None, read_only: bool = False, redactor: Redactor | None = None
) -> SqliteJournal:
    """A journal that exists, brought up to the present version.

    Writes are fenced by `epoch`; without one, by the epoch found now. A journal for reading takes no lock and may be
    opened while another process writes.
    """
    if not path.is_file():
        raise StateCorrupt(f"There is no journal at {path}.", hint="Check the run's folder, or start a new run.")
    with ExitStack() as opened, sqlite_faults(path):
        writing = None if read_only else opened.enter_context(closing(_connect_writer(path)))
        reader = opened.enter_context(closing(_connect_reader(path)))
        writer = None if writing is None else GroupWriter(writing, path, clock, _agreed_epoch(reader, epoch))
        opened.pop_all()
    return SqliteJournal(path, reader, writer, redactor or Redactor())


def _build(path: Path) -> None:
    """The whole schema in an empty file. WAL comes last: until then no second file belongs to the database."""
    with closing(connect(path, read_only=False)) as connection:
        reach("journal.building")
        migrate(connection)
        _use_wal(connection, path)


def _connect_writer(path: Path) -> sqlite3.Connection:
    connection = connect(path, read_only=False)
    with _closed_on_failure(connection):
        check_version(connection, path)
        migrate(connection)
        _use_wal(connection, path)
    return connection


def _connect_reader(path: Path) -> sqlite3.Connection:
    connection = connect(path, read_only=True)
    with _closed_on_failure(connection):
        if check_version(connection, path) == known_version():
            return connection
        # Only an owner may change the file, so an older one is read from a copy that is brought up to date.
        copy = sqlite3.connect("", isolation_level=None, check_same_thread=False)
        connection.backup(copy)
        migrate(copy)
    connection.close()
    return copy


def _use_wal(connection: sqlite3.Connection, path: Path) -> None:
    mode = connection.execute("PRAGMA journal_mode = WAL").fetchone()[0]
    if mode != "wal":
        raise StorageFailed(
            f"The journal {path} cannot be written ahead on this file system (mode {mode}).",
            hint="Put the runs on a local disk with --runs.",
        )


def _agreed_epoch(reader: sqlite3.Connection, expected: int | None) -> int:
    recorded = int(reader.execute("SELECT value FROM meta WHERE key = 'epoch'").fetchone()[0])
    if expected is not None and expected != recorded:
        raise OwnershipLost(
            f"Another process took this run over (epoch {recorded}; ours was {expected}).",
            hint="This process must end. The other one continues with everything recorded.",
        )
    return recorded


@contextmanager
def _closed_on_failure(connection: sqlite3.Connection) -> Iterator[None]:
    try:
        yield
    except BaseException:
        connection.close()
        raise


def _places(values: Sequence[object]) -> str:
    return ", ".join("?" for _ in values)


def _paged(page: Callable[[Key, int], list[tuple[Key, T]]], after: Key, limit: int | None, size: int) -> Iterator[T]:
    """All that `page` gives, page after page, at most `limit`."""
    left = limit
    while left is None or left > 0:
        wanted = size if left is None else min(size, left)
        found = page(after, wanted)
        yield from (record for _, record in found)
        if len(found) < wanted:
            return
        after = found[-1][0]
        left = None if left is None else left - wanted


def _name(row: Any) -> str:
    return unpack(row[0])
