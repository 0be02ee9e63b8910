"""Owning a run: the lock, the journal and the epoch, taken together and given back together."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass

from burnish.core.faultpoints import reach
from burnish.store.clock import Clock
from burnish.store.files import make_folder, remove_leftovers
from burnish.store.lock import HEARTBEAT_SECONDS, RunLock, TakeOver, kept_take_overs, take_lock
from burnish.store.lock_record import WORK
from burnish.store.paths import RunFolder
from burnish.store.processes import ProcessIdentity
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
    make_folder(folder.root)
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
            yield OwnedRun(folder, lock, journal, epoch, is_new, lock.taken_over)


def _audit(folder: RunFolder, lock: RunLock) -> list[TakeOver]:
    """Our own take-over with its reason first; then whatever a killed process left unrecorded."""
    ours = [lock.taken_over] if lock.taken_over is not None else []
    return ours + kept_take_overs(folder)
