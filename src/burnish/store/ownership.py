"""Owning a run: the lock, the journal and the epoch, taken together and given back together."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass

from burnish.core.errors import BurnishError, OwnershipLost, StorageFailed
from burnish.core.faultpoints import reach
from burnish.core.records import EventRecord, event
from burnish.store.files import make_folder, remove_leftovers
from burnish.store.lock import HEARTBEAT_SECONDS, WORK, RunLock, TakeOver, kept_take_overs, take_lock
from burnish.store.paths import RunFolder
from burnish.store.processes import Clock, ProcessIdentity
from burnish.store.redaction import Redactor
from burnish.store.sqlite_journal import SqliteJournal, create_journal, open_journal


@dataclass(frozen=True, slots=True)
class OwnedRun:
    """A run that this process alone may write to."""

    folder: RunFolder
    lock: RunLock
    journal: SqliteJournal
    epoch: int
    is_new: bool
    """The journal was made just now: there is nothing to resume."""
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
        is_new = not folder.journal.exists()
        opener = create_journal if is_new else open_journal
        with closing(opener(folder.journal, clock=clock, redactor=redactor)) as journal:
            reach("ownership.opened")
            epoch = journal.begin_epoch(*(over.event() for over in _audit(folder, lock)))
            reach("ownership.fenced")
            lock.set_epoch(epoch)
            try:
                yield OwnedRun(folder, lock, journal, epoch, is_new, lock.taken_over)
            except (OwnershipLost, StorageFailed):
                raise  # nothing can be written any more
            except Exception as failure:
                # Written before the run is given back: whoever sees it at rest sees why.
                if purpose == WORK:
                    journal.write_now(_failed(failure))
                raise


def _failed(failure: Exception) -> EventRecord:
    """The end of the work on a run that something kept from it."""
    if isinstance(failure, BurnishError):
        message = " ".join(part for part in (failure.message, failure.hint) if part)
        return event("run_failed", data={"code": failure.code, "message": message})
    return event("run_failed", data={"code": "unexpected", "message": f"{type(failure).__name__}: {failure}"})


def trouble_of(journal: SqliteJournal) -> str | None:
    """What kept the last process from its work; None where nothing did, or another one has begun or ended since."""
    failed = journal.latest("run_failed")
    if failed is None:
        return None
    later = (journal.latest(type) for type in ("run_started", "run_resumed", "run_stopped"))
    return None if any(one is not None and one.seq > failed.seq for one in later) else str(failed.data["message"])


def _audit(folder: RunFolder, lock: RunLock) -> list[TakeOver]:
    """Our own take-over with its reason first; then whatever a killed process left unrecorded."""
    ours = [lock.taken_over] if lock.taken_over is not None else []
    return ours + kept_take_overs(folder)
