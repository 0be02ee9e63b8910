"""Create, open and own journals of runs: the lock, the journal and the epoch are acquired and released together."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from burnish.core.errors import BurnishError, OwnershipLost, StateCorrupt, StorageFailed, UsageError
from burnish.core.faultpoints import reach
from burnish.core.records import EventRecord, event
from burnish.store.files import disk_refusals, make_folder, publish_exclusively, remove_leftovers, temporary_name
from burnish.store.group_writer import GroupWriter
from burnish.store.journal import BriefJournal, Journal
from burnish.store.lock import DECIDE, HEARTBEAT_SECONDS, WORK, RunLock, TakeOver, kept_take_overs, take_lock
from burnish.store.paths import RunFolder
from burnish.store.processes import Clock, ProcessIdentity
from burnish.store.redaction import Redactor
from burnish.store.schema import connect, connect_reader, connect_writer, migrate, sqlite_faults, use_wal

BEGAN_BY = "began_by"
"""The journal's key for the command that began the run."""


def create_journal(path: Path, *, clock: Clock, redactor: Redactor | None = None) -> Journal:
    """Create a journal. It is built under a temporary name, so a journal at `path` is always complete."""
    temporary = path.with_name(temporary_name())
    try:
        with disk_refusals("create", path):
            temporary.touch(0o600, exist_ok=False)
        with sqlite_faults(path), closing(connect(temporary, read_only=False)) as connection:
            reach("journal.building")
            migrate(connection)
            use_wal(connection, temporary)  # last: from here on the database has a second file
        reach("journal.built")
        publish_exclusively(temporary, path)
    except FileExistsError:
        raise UsageError(f"There is a journal at {path} already.", hint="Open it, or choose another run id.") from None
    finally:
        for suffix in ("", "-journal", "-wal", "-shm"):
            with suppress(OSError):  # `remove_leftovers` removes it later
                temporary.with_name(temporary.name + suffix).unlink(missing_ok=True)
    reach("journal.created")
    return open_journal(path, clock=clock, redactor=redactor)


def open_journal(path: Path, *, clock: Clock, read_only: bool = False, redactor: Redactor | None = None) -> Journal:
    """Open an existing journal, migrated to the current version.

    Writes are fenced by the epoch found now. A read-only journal takes no lock and may be opened while another process
    writes.
    """
    if not path.is_file():
        raise StateCorrupt(f"There is no journal at {path}.", hint="Check the run's folder, or start a new run.")
    with ExitStack() as opened, sqlite_faults(path):
        writing = None if read_only else opened.enter_context(closing(connect_writer(path)))
        reader = opened.enter_context(closing(connect_reader(path)))
        found = int(reader.execute("SELECT value FROM meta WHERE key = 'epoch'").fetchone()[0])
        writer = None if writing is None else GroupWriter(writing, path, clock, found)
        opened.pop_all()
    return Journal(path, reader, writer, redactor or Redactor())


def open_briefly(path: Path, *, clock: Clock, redactor: Redactor) -> BriefJournal:
    """Open an existing journal with one connection, for one command of a person."""
    if not path.is_file():
        raise StateCorrupt(f"There is no journal at {path}.", hint="Check the run's folder, or start a new run.")
    with sqlite_faults(path):
        return BriefJournal(path, connect_writer(path), clock, redactor)


@contextmanager
def hold_briefly(folder: RunFolder, clock: Clock) -> Iterator[list[EventRecord]]:
    """Hold the run's lock for one transaction. Yield the events of take-overs, to be written in it."""
    with take_lock(folder, clock, purpose=DECIDE) as lock:
        reach("ownership.locked")
        yield _take_overs(folder, lock)


def _take_overs(folder: RunFolder, lock: RunLock) -> list[EventRecord]:
    """Our own take-over with its reason first, then those that killed processes left unrecorded."""
    ours = [lock.taken_over] if lock.taken_over is not None else []
    return [over.event() for over in (*ours, *kept_take_overs(folder))]


@dataclass(frozen=True, slots=True)
class OwnedRun:
    """A run that only this process may write to."""

    folder: RunFolder
    lock: RunLock
    journal: Journal
    epoch: int
    taken_over: TakeOver | None
    """The stale lock that was taken over. Its audit record is in the journal already."""


@contextmanager
def own_run(
    folder: RunFolder,
    clock: Clock,
    *,
    redactor: Redactor | None = None,
    identity: ProcessIdentity | None = None,
    purpose: str = WORK,
    began_by: str = "",
    heartbeat_seconds: float = HEARTBEAT_SECONDS,
) -> Iterator[OwnedRun]:
    """Own the run until the block ends. Raise RunActive if another process owns it.

    `identity` replaces this process's identity in tests. `purpose`: why the run is held. `began_by`: the command that
    begins a new run, after `burnish`; it is recorded before anything else, for a run that gets no further.
    """
    make_folder(folder.root, private=True)
    with take_lock(folder, clock, identity=identity, purpose=purpose) as lock:
        reach("ownership.locked")
        lock.start_heartbeat(heartbeat_seconds)
        remove_leftovers(folder.root)
        opener = open_journal if folder.journal.exists() else create_journal
        with closing(opener(folder.journal, clock=clock, redactor=redactor)) as journal:
            reach("ownership.opened")
            if began_by and journal.get_meta(BEGAN_BY) is None:
                journal.set_meta(BEGAN_BY, began_by)
            epoch = journal.begin_epoch(*_take_overs(folder, lock))
            reach("ownership.fenced")
            lock.set_epoch(epoch)
            try:
                yield OwnedRun(folder, lock, journal, epoch, lock.taken_over)
            except (OwnershipLost, StorageFailed):
                raise  # nothing more can be written
            except Exception as failure:
                # Recorded before the run is released, so that every reader of the settled run sees the reason.
                if purpose == WORK:
                    code, message = "unexpected", f"{type(failure).__name__}: {failure}"
                    if isinstance(failure, BurnishError):
                        code, message = failure.code, " ".join(filter(None, (failure.message, failure.hint)))
                    journal.write_now(event("run_failed", data={"code": code, "message": message}))
                raise


def trouble_of(journal: Journal) -> str | None:
    """Return the error that ended the last session; None if there was none, or another session began or ended since."""
    failed = journal.latest("run_failed")
    if failed is None:
        return None
    later = (journal.latest(type) for type in ("run_started", "run_resumed", "run_stopped"))
    return None if any(one is not None and one.seq > failed.seq for one in later) else str(failed.data["message"])
