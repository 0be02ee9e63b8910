"""The journal's only writing thread: all requests that wait when it is free share one commit.

A commit costs an fsync, however large it is. Waiting writers share that fsync, and each of them gets its result only
when its own records are durable.

People add decisions to the inbox and hold its guard meanwhile. The thread checks the guard after each commit and lets
them go first; otherwise a writer that never pauses would keep them waiting for seconds.
"""

from __future__ import annotations

import os
import queue
import sqlite3
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from filelock import unlock_descriptor

from burnish.core.errors import BurnishError, OwnershipLost, UsageError
from burnish.core.faultpoints import reach
from burnish.core.records import AttemptRecord, CallRecord
from burnish.store.files import CLOEXEC, NOFOLLOW, disk_refusals, locked_within
from burnish.store.processes import Clock, from_microseconds, iso, to_microseconds
from burnish.store.read_model import ReadModel
from burnish.store.rows import FORGET_INTENT, Insertion, Packed, pack_optional, trillionths, without_repeats
from burnish.store.schema import POISON, fault

PAUSE_SECONDS = 0.002
LONGEST_YIELD_SECONDS = 0.05
"""The longest pause of the worker for people after one commit: a frozen process must not stop a run."""
LARGEST_BATCH = 512
"""The most requests in one commit: bounded, so that no request waits long for the others."""

_STICKY = ("SQLITE_IOERR", "SQLITE_CORRUPT", "SQLITE_NOTADB")
"""After these errors the connection's reports of its state are not reliable."""

Work = Callable[["Transaction"], None]


class Transaction:
    """An open write transaction. The run's ownership was checked at its start."""

    def __init__(self, connection: sqlite3.Connection, clock: Clock, epoch: int, read_model: ReadModel) -> None:
        self.epoch = epoch
        self._read_model = read_model
        self.connection = connection
        self._clock = clock
        query = "SELECT last_stamp, (SELECT value FROM meta WHERE key = 'epoch') FROM books"
        self._stamp, recorded = connection.execute(query).fetchone()
        self._bills: Counter[str] = Counter()
        self._seconds: dict[int, list[int]] = {}
        if int(recorded) != epoch:
            raise OwnershipLost(
                f"Another process took this run over (epoch {recorded}; ours was {epoch}). Nothing was written.",
                hint="This process must end. The other one continues with everything recorded.",
            )

    def insert(self, *insertions: Insertion) -> None:
        """Write records, each with the next stamp; an existing record is not changed."""
        for insertion in insertions:
            record = insertion.record
            if isinstance(record, AttemptRecord) and record.number > 1 and record.content is not None:
                first = self._read_model.first_text(record.unit)
                insertion = insertion if first is None else without_repeats(insertion, record.content, first)
            stamp: tuple[str, ...] = ()
            if insertion.is_stamped:
                # The clock may stop or jump back; stamps must not.
                self._stamp = max(self._stamp + 1, to_microseconds(self._clock()))
                stamp = (iso(from_microseconds(self._stamp)),)
            cursor = self.connection.execute(insertion.statement, (*insertion.values, *stamp))
            if isinstance(record, CallRecord):
                self.connection.execute(FORGET_INTENT, insertion.values[:1])
            if cursor.rowcount == 1:
                self._read_model.note(record)
                if isinstance(record, CallRecord):
                    self._charge(record)

    def _charge(self, call: CallRecord) -> None:
        """Add a call to the running sums. Integers give the same sum in every order."""
        usage, cost, unpriced = call.usage, trillionths(call.usage.cost), int(call.usage.cost is None)
        self._bills.update(
            calls=1,
            failed_calls=int(call.status != "ok"),
            prompt_tokens=usage.prompt_tokens,
            completion_tokens=usage.completion_tokens,
            cost_trillionths=cost,
            unpriced_calls=unpriced,
        )
        more = (usage.total_tokens, cost, 1, unpriced)
        known = self._seconds.get(self._stamp // 1_000_000, (0, 0, 0, 0))
        self._seconds[self._stamp // 1_000_000] = [have + new for have, new in zip(known, more, strict=True)]

    def claim(self, mark: str, at: str) -> bool:
        """Mark a decision as applied, and return whether that was possible: it still waits, its unit's row has not
        changed, and no task began with the decision that it undoes."""
        last = "SELECT type FROM events WHERE unit = inbox.unit AND +type IN ('decision', 'task_begun')"
        query = (
            "UPDATE inbox SET state = 'applied', delay = NULL WHERE mark = ? AND state = 'waiting' AND "
            "EXISTS (SELECT 1 FROM units WHERE id = inbox.unit AND at = ?) AND "
            f"(verdict <> 'undo' OR ({last} ORDER BY seq DESC LIMIT 1) <> 'task_begun')"
        )
        return self.connection.execute(query, (mark, at)).rowcount == 1

    def claim_all(self, moments: Mapping[str, str]) -> bool:
        """Claim the decisions of one command, mark -> `at`: all of them or none."""
        with all_or_nothing(self.connection) as take_back:
            is_possible = all(self.claim(mark, at) for mark, at in moments.items())
            if not is_possible:
                take_back()
        return is_possible

    def note_trouble(self, mark: str, *, why: str | None = None, delay: str | None = None) -> None:
        """Record why a waiting decision cannot be applied, or not yet."""
        state = "failed" if why is not None else "waiting"
        query = "UPDATE inbox SET state = ?, why = ?, delay = ? WHERE mark = ? AND state = 'waiting'"
        self.connection.execute(query, (state, pack_optional(why), pack_optional(delay), mark))

    def set_recorded(self, mark: str) -> None:
        """Mark a decision that was withdrawn before it was applied as recorded in the journal."""
        self.connection.execute("UPDATE inbox SET state = 'told' WHERE mark = ? AND state = 'withdrawn'", (mark,))

    def set_meta(self, key: Packed, value: Packed) -> None:
        statement = "INSERT INTO meta VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value"
        self.connection.execute(statement, (key, value))

    def begin_epoch(self) -> None:
        """Fence off all earlier owners."""
        self.epoch += 1
        self.set_meta("epoch", str(self.epoch))

    def finish(self) -> None:
        """Write the running sums, the last stamp and the read model."""
        sums = "".join(f", {name} = {name} + {amount:d}" for name, amount in self._bills.items())
        self.connection.execute(f"UPDATE books SET last_stamp = ?{sums}", (self._stamp,))
        self.connection.executemany(
            "INSERT INTO spending VALUES (?, ?, ?, ?, ?) ON CONFLICT (second) DO UPDATE SET "
            "tokens = tokens + excluded.tokens, cost_trillionths = cost_trillionths + excluded.cost_trillionths, "
            "calls = calls + excluded.calls, unpriced = unpriced + excluded.unpriced",
            [(second, *amounts) for second, amounts in self._seconds.items()],
        )
        self._read_model.update()


@contextmanager
def all_or_nothing(connection: sqlite3.Connection) -> Iterator[Callable[[], None]]:
    """A part of a transaction that can be taken back by the yielded function, without the rest."""
    connection.execute("SAVEPOINT part")

    def take_back() -> None:
        connection.execute("ROLLBACK TO part")

    yield take_back
    connection.execute("RELEASE part")


@dataclass(frozen=True, slots=True)
class _Request:
    work: Work
    done: Future[None] = field(default_factory=Future)


class Writer:
    """Owns the writing connection and commits each request at once."""

    def __init__(self, connection: sqlite3.Connection, path: Path, clock: Clock, epoch: int) -> None:
        self.epoch = epoch
        self.read_model = ReadModel(connection)
        self._connection = connection
        self._path = path
        self._clock = clock
        self._broken: Exception | None = None
        self._lock = threading.Lock()
        self._closed = False

    def own(self) -> None:
        """Take over the epoch that is recorded now: whoever holds the run's lock may, and nobody else."""
        recorded = self._connection.execute("SELECT value FROM meta WHERE key = 'epoch'").fetchone()
        self.epoch = int(recorded[0])

    def submit(self, work: Work) -> Future[None]:
        """Run `work` in the next transaction. The future ends when that is durable, or fails if it does not commit."""
        request = _Request(work)
        with self._lock:
            if self._closed:
                raise UsageError(f"The journal {self._path} is closed.")
            self._take(request)
        return request.done

    def _take(self, request: _Request) -> None:
        self._commit([request])

    def close(self) -> None:
        """Finish all submitted work, then close the connection."""
        with self._lock:
            self._closed = True
            self._connection.close()

    def _commit(self, batch: list[_Request]) -> None:
        try:
            self._transact(batch)
        except Exception as error:  # noqa: BLE001 - every error must reach the waiting writers
            if isinstance(error, POISON) and len(batch) > 1:
                # One bad value must not make the other requests fail.
                for request in batch:
                    self._commit([request])
                return
            name = getattr(error, "sqlite_errorname", "")
            if isinstance(error, OwnershipLost) or name.startswith(_STICKY):
                self._broken = error
            for request in batch:
                request.done.set_exception(self._copy_of(error))
        else:
            for request in batch:
                request.done.set_result(None)

    def _transact(self, batch: list[_Request]) -> None:
        if self._broken is not None:
            raise self._broken
        connection = self._connection
        connection.execute("BEGIN IMMEDIATE")
        try:
            reach("journal.begun")
            transaction = Transaction(connection, self._clock, self.epoch, self.read_model)
            for request in batch:
                request.work(transaction)
            transaction.finish()
            reach("journal.inserted")
            connection.execute("COMMIT")
        finally:
            if connection.in_transaction:
                self.read_model.forget()
                connection.execute("ROLLBACK")
        self.epoch = transaction.epoch
        reach("journal.committed")

    def _copy_of(self, error: Exception) -> Exception:
        """Return a new exception for each waiting writer: a shared one would collect all their tracebacks."""
        if isinstance(error, BurnishError):
            copy: Exception = type(error)(error.message, hint=error.hint)
        elif isinstance(error, sqlite3.Error | OverflowError):
            copy = fault(error, self._path)
        else:
            return error
        copy.__cause__ = error
        return copy


class GroupWriter(Writer):
    """A writer in its own thread: all requests that wait when it is free share one transaction."""

    def __init__(self, connection: sqlite3.Connection, path: Path, clock: Clock, epoch: int) -> None:
        super().__init__(connection, path, clock, epoch)
        self._queue: queue.SimpleQueue[_Request | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._run, name="burnish-journal", daemon=True)
        self._thread.start()

    def _take(self, request: _Request) -> None:
        self._queue.put(request)

    def close(self) -> None:
        with self._lock:
            if not self._closed:
                self._closed = True
                self._queue.put(None)
        self._thread.join()

    def _run(self) -> None:
        while batch := self._next_batch():
            self._commit(batch)
            give_way(self._path)
        self._connection.close()

    def _next_batch(self) -> list[_Request]:
        """Return all waiting requests, at least one; an empty list after the writer was closed."""
        first = self._queue.get()
        if first is None:
            return []
        batch = [first]
        while len(batch) < LARGEST_BATCH:
            try:
                request = self._queue.get_nowait()
            except queue.Empty:
                break
            if request is None:
                self._queue.put(None)  # the end mark stays last, to be found after this batch
                break
            batch.append(request)
        return batch


# -- the guard of the inbox


def guard_of(journal: Path) -> Path:
    return journal.with_name(".inbox.guard")


@contextmanager
def guard_held(path: Path) -> Iterator[None]:
    """Signal that a process wants to write. The system releases the guard when its holder dies.

    Several processes may want to write: one holds the guard for all of them, because SQLite admits one writer at a time
    anyway. A process that does not get the guard in time writes without it.
    """
    with disk_refusals("open", path):
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | NOFOLLOW | CLOEXEC, 0o600)
    held = False
    try:
        held = locked_within(descriptor, LONGEST_YIELD_SECONDS, PAUSE_SECONDS)
        yield
    finally:
        if held:
            unlock_descriptor(descriptor)
            with suppress(OSError):  # Windows keeps open files; the next process finds it unlocked
                path.unlink(missing_ok=True)
        os.close(descriptor)


def give_way(journal: Path) -> None:
    """Let people write between two commits of the worker, for a short moment at most."""
    guard = guard_of(journal)
    if guard.exists():
        with suppress(OSError):  # a guard that is gone or cannot be read must not stop the writer
            descriptor = os.open(guard, os.O_RDWR | NOFOLLOW | CLOEXEC)
            try:
                if locked_within(descriptor, LONGEST_YIELD_SECONDS, PAUSE_SECONDS):
                    unlock_descriptor(descriptor)
            finally:
                os.close(descriptor)
