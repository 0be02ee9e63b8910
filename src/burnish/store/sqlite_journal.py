"""Journals of runs, created, opened and owned: the lock, the journal and the epoch, taken and given back together."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from burnish.core.errors import BurnishError, OwnershipLost, StateCorrupt, StorageFailed, UsageError
from burnish.core.faultpoints import reach
from burnish.core.records import event
from burnish.store.files import disk_refusals, make_folder, publish_exclusively, remove_leftovers, temporary_name
from burnish.store.group_writer import GroupWriter
from burnish.store.journal import Journal
from burnish.store.lock import HEARTBEAT_SECONDS, WORK, RunLock, TakeOver, kept_take_overs, take_lock
from burnish.store.paths import RunFolder
from burnish.store.processes import Clock, ProcessIdentity
from burnish.store.redaction import Redactor
from burnish.store.schema import connect, connect_reader, connect_writer, migrate, sqlite_faults, use_wal


def create_journal(path: Path, *, clock: Clock, redactor: Redactor | None = None) -> Journal:
    """Return a new journal. It is built under a temporary name, so one that is there is complete."""
    temporary = path.with_name(temporary_name())
    try:
        with disk_refusals("create", path):
            temporary.touch(0o600, exist_ok=False)
        with sqlite_faults(path), closing(connect(temporary, read_only=False)) as connection:
            reach("journal.building")
            migrate(connection)
            use_wal(connection, temporary)  # last: until then no second file belongs to the database
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


def open_journal(path: Path, *, clock: Clock, read_only: bool = False, redactor: Redactor | None = None) -> Journal:
    """Return a journal that exists, brought up to the present version.

    Writes are fenced by the epoch found now. A journal for reading takes no lock and may be opened while another
    process writes.
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


@dataclass(frozen=True, slots=True)
class OwnedRun:
    """A run that this process alone may write to."""

    folder: RunFolder
    lock: RunLock
    journal: Journal
    epoch: int
    taken_over: TakeOver | None
    """The stale lock that stood in the way. Its audit record is in the journal already."""


@contextmanager
def own_run(
    folder: RunFolder,
    clock: Clock,
    *,
    redactor: Redactor | None = None,
    identity: ProcessIdentity | None = None,
    purpose: str = WORK,
    heartbeat_seconds: float = HEARTBEAT_SECONDS,
) -> Iterator[OwnedRun]:
    """Own the run for as long as the block lasts, however it ends. RunActive if somebody else does.

    `identity` is who we say we are, for tests that play another host. `purpose`: what we hold it for.
    """
    make_folder(folder.root, private=True)
    with take_lock(folder, clock, identity=identity, purpose=purpose) as lock:
        reach("ownership.locked")
        lock.start_heartbeat(heartbeat_seconds)
        remove_leftovers(folder.root)
        opener = open_journal if folder.journal.exists() else create_journal
        with closing(opener(folder.journal, clock=clock, redactor=redactor)) as journal:
            reach("ownership.opened")
            # Our own take-over with its reason first; then whatever a killed process left unrecorded.
            ours = [lock.taken_over] if lock.taken_over is not None else []
            epoch = journal.begin_epoch(*(over.event() for over in (*ours, *kept_take_overs(folder))))
            reach("ownership.fenced")
            lock.set_epoch(epoch)
            try:
                yield OwnedRun(folder, lock, journal, epoch, lock.taken_over)
            except (OwnershipLost, StorageFailed):
                raise  # nothing can be written any more
            except Exception as failure:
                # Written before the run is given back: whoever sees it at rest sees why.
                if purpose == WORK:
                    code, said = "unexpected", f"{type(failure).__name__}: {failure}"
                    if isinstance(failure, BurnishError):
                        code, said = failure.code, " ".join(filter(None, (failure.message, failure.hint)))
                    journal.write_now(event("run_failed", data={"code": code, "message": said}))
                raise


def trouble_of(journal: Journal) -> str | None:
    """What kept the last process from its work; None where nothing did, or another one has begun or ended since."""
    failed = journal.latest("run_failed")
    if failed is None:
        return None
    later = (journal.latest(type) for type in ("run_started", "run_resumed", "run_stopped"))
    return None if any(one is not None and one.seq > failed.seq for one in later) else str(failed.data["message"])
