"""The lock of a run: at most one process works on a run, and others learn which one it is.

The lock is read and changed under a guard (a file lock that the kernel releases when its holder dies), so two processes
never judge and replace it at the same time. The guard is held for milliseconds; RUNNING.lock lasts. If a lock is taken
from a process that was only suspended, the journal's epoch keeps that process from writing.
"""

from __future__ import annotations

import errno
import json
import os
import secrets
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Self, get_type_hints

from filelock import unlock_descriptor

from burnish.core.errors import RunActive, StorageFailed
from burnish.core.faultpoints import reach
from burnish.core.records import EventRecord, event
from burnish.store.files import (
    CLOEXEC,
    NOFOLLOW,
    NONBLOCK,
    create_exclusively,
    disk_refusals,
    locked_within,
    write_atomically,
)
from burnish.store.paths import RunFolder, shown
from burnish.store.processes import Clock, LookUp, ProcessIdentity, iso, look_up, this_process, whereabouts

STALE_AFTER = timedelta(seconds=120)
"""Silence after which the lock of another host is stale. On this host the process itself is looked up instead."""


WORK, DECIDE = "work", "decide"
"""Purposes of holding a run: working on it, or deciding about its units for a moment."""


@dataclass(frozen=True, slots=True)
class LockRecord:
    """The holder of a run, since when it holds it, and its last heartbeat."""

    pid: int
    host: str
    run_id: str
    started_at: str
    last_heartbeat_at: str
    token: str = ""
    """Random: distinguishes this lock from others of the same process."""
    epoch: int | None = None
    """The journal's epoch under this lock; None until the journal is open."""
    process_start: int | None = None
    boot_id: str | None = None
    machine_id: str | None = None
    pid_namespace: str | None = None
    purpose: str = WORK
    """The reason for holding the run: WORK or DECIDE."""

    @classmethod
    def read(cls, data: bytes) -> Self | None:
        """Return the record in a lock file's bytes; None if they are not a complete one.

        A field of the wrong type makes the whole record invalid: a guess here could take over a live lock.
        """
        types = get_type_hints(cls)
        try:
            values = json.loads(data)
            record = cls(**{name: values[name] for name in types if name in values})
        except (ValueError, TypeError, RecursionError):
            return None
        held = {name: getattr(record, name) for name in types}
        is_sound = all(isinstance(held[name], types[name]) and not isinstance(held[name], bool) for name in types)
        return record if is_sound and 0 < record.pid < 1 << 31 and moment(record.last_heartbeat_at) else None

    @property
    def is_brief(self) -> bool:
        """Whether the holder only decides about a unit, and releases the run in a moment."""
        return self.purpose == DECIDE

    def write(self) -> bytes:
        return json.dumps(asdict(self), indent=2).encode() + b"\n"

    @property
    def process(self) -> ProcessIdentity:
        return ProcessIdentity(
            self.pid, self.host, self.process_start, self.boot_id, self.machine_id, self.pid_namespace
        )

    def summary(self) -> dict[str, Any]:
        """Return the fields that matter to people, for the audit."""
        names = ("pid", "host", "run_id", "started_at", "last_heartbeat_at", "epoch")
        return {name: getattr(self, name) for name in names}


def why_stale(
    record: LockRecord | None, modified: datetime, now: datetime, here: ProcessIdentity, look_up: LookUp
) -> str | None:
    """Return why a lock may be taken over, or None while it is valid.

    `record` is None for an empty or damaged file: a process may be writing it just now, so its age decides.
    """
    if record is None:
        return "unreadable" if now - modified > STALE_AFTER else None
    place = whereabouts(record.process, here, look_up)
    if place != "elsewhere":
        return None if place == "alive" else place
    heartbeat = moment(record.last_heartbeat_at) or modified
    # A heartbeat from the future means that clocks disagree, so the file's own time is used instead.
    seen = modified if heartbeat > now else heartbeat
    return "no_heartbeat" if now - seen > STALE_AFTER else None


def moment(text: str) -> datetime | None:
    """Parse a timestamp with a time zone; None if the text is not one."""
    try:
        parsed = datetime.fromisoformat(text)
    except (ValueError, TypeError):
        return None
    return parsed if parsed.tzinfo is not None else None


HEARTBEAT_SECONDS = 10.0
GUARD_PATIENCE_SECONDS = 10.0
"""How long to wait for the guard. Its holder needs milliseconds, unless it was frozen."""

_LARGEST_LOCK = 1 << 16


@dataclass(frozen=True, slots=True)
class TakeOver:
    """The audit record of a stale lock that was set aside."""

    kept_as: str
    """The name under which the old lock is kept in the run's folder."""
    reason: str
    previous: dict[str, Any] | None
    """The old holder; None if its lock could not be read."""

    def event(self) -> EventRecord:
        """Return an event that is written only once, even if writing is retried."""
        data = {"kept_as": self.kept_as, "reason": self.reason, "previous": self.previous}
        return event("lock_taken_over", dedupe=f"lock_taken_over:{self.kept_as}", data=data)


class RunLock:
    """A lock that is held until `release` or the end of its `with` block."""

    def __init__(self, folder: RunFolder, record: LockRecord, clock: Clock, taken_over: TakeOver | None) -> None:
        self.folder = folder
        self.taken_over = taken_over
        self.lost = False
        """Another process holds the run now; this process must stop."""
        self.record = record
        self._clock = clock
        self._owner = os.getpid()
        self._released = False
        self._ended = threading.Event()
        self._thread: threading.Thread | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.release()

    def start_heartbeat(self, seconds: float = HEARTBEAT_SECONDS) -> None:
        """Renew the lock every few seconds until it is released."""
        self._thread = threading.Thread(
            target=self._keep_beating, args=(seconds,), name="burnish-heartbeat", daemon=True
        )
        self._thread.start()

    def beat(self) -> bool:
        """Renew the lock once. Return False if another process holds it."""
        return self._rewrite({"last_heartbeat_at": iso(self._clock())})

    def set_epoch(self, epoch: int) -> bool:
        """Write the journal's epoch into the lock."""
        return self._rewrite({"epoch": epoch})

    def release(self) -> None:
        """Remove the lock if it is still ours. May be called more than once."""
        self._ended.set()
        if self._thread is not None and self._thread.is_alive():
            self._thread.join()
        # A forked child inherits this object, but not the lock.
        if self._released or self._owner != os.getpid():
            return
        with _guarded(self.folder):
            if self._is_ours():
                reach("lock.releasing")
                with disk_refusals("remove", self.folder.lock):
                    self.folder.lock.unlink()
        self._released = True
        reach("lock.released")

    def _keep_beating(self, seconds: float) -> None:
        while not self._ended.wait(seconds):
            try:
                if not self.beat():
                    return
            except (StorageFailed, RunActive):
                # A full disk may have room in ten seconds; the journal reports lasting trouble to the run.
                continue

    def _rewrite(self, changes: dict[str, Any]) -> bool:
        with _guarded(self.folder):
            if not self._is_ours():
                self.lost = True
                return False
            reach("lock.beating")
            self.record = replace(self.record, **changes)
            write_atomically(self.folder.lock, self.record.write())
        return True

    def _is_ours(self) -> bool:
        found = _read(self.folder.lock)
        return found is not None and found.record is not None and found.record.token == self.record.token


def take_lock(
    folder: RunFolder, clock: Clock, *, identity: ProcessIdentity | None = None, purpose: str = WORK
) -> RunLock:
    """Take the run's lock, setting a stale one aside. Raise RunActive if a live process holds it.

    The folder must exist. The heartbeat is not started: see `RunLock.start_heartbeat`.
    """
    here = identity or this_process()
    with _guarded(folder):
        taken_over = _set_stale_aside(folder, clock(), here)
        now, token = iso(clock()), secrets.token_hex(16)
        who: dict[str, Any] = asdict(here)
        record = LockRecord(
            run_id=folder.id, started_at=now, last_heartbeat_at=now, token=token, purpose=purpose, **who
        )
        try:
            create_exclusively(folder.lock, record.write())
        except FileExistsError as error:
            # Only a program that ignores the guard can have created it.
            raise RunActive(f"The run {folder.id} was taken by another process just now.") from error
        reach("lock.created")
    return RunLock(folder, record, clock, taken_over)


def live_holder(folder: RunFolder, clock: Clock) -> LockRecord | None:
    """Return the live holder of the run; None if there is none, or its lock is stale."""
    seen = seen_lock(folder, clock)
    return seen.record if seen is not None and seen.stale is None else None


def is_at_work(folder: RunFolder, clock: Clock) -> bool:
    """Return whether a process is at work on the run, and not only recording a decision."""
    holder = live_holder(folder, clock)
    return holder is not None and not holder.is_brief


@dataclass(frozen=True, slots=True)
class SeenLock:
    """A lock as found by a process that only reads it."""

    record: LockRecord | None
    """None: it cannot be read."""
    stale: str | None
    """Why it may be taken over (`dead`, `no_heartbeat`, ...); None: it is valid."""


def seen_lock(folder: RunFolder, clock: Clock) -> SeenLock | None:
    """Return the run's lock; None if there is none."""
    found = _read(folder.lock)
    if found is None:
        return None
    return SeenLock(found.record, why_stale(found.record, found.modified, clock(), this_process(), look_up))


def kept_take_overs(folder: RunFolder) -> list[TakeOver]:
    """Return every stale lock kept in the folder, for a journal that may not have recorded it.

    A process can be killed between setting a lock aside and writing its audit record.
    """
    kept = [(path.name, _read(path)) for path in folder.stale_locks()]
    return [
        TakeOver(name, "not_recorded", found.record.summary() if found and found.record else None)
        for name, found in kept
    ]


@dataclass(frozen=True, slots=True)
class _Found:
    """The contents of a lock file."""

    record: LockRecord | None
    modified: datetime


def _set_stale_aside(folder: RunFolder, now: datetime, here: ProcessIdentity) -> TakeOver | None:
    """Make room for a new lock. Raise RunActive that names the holder if the present one is valid."""
    found = _read(folder.lock)
    if found is None:
        return None
    record = found.record
    reason = why_stale(record, found.modified, now, here, look_up)
    if reason is None and record is None:
        raise RunActive(
            f"The run {folder.id} has a lock that cannot be read, last changed {iso(found.modified)}.",
            hint=f"Another process may be writing it: try again in two minutes. If none is, remove {folder.lock}.",
        )
    if reason is None and record is not None:
        raise RunActive(
            f"The run {folder.id} is held by process {record.pid} on host {shown(record.host)}, since "
            f"{shown(record.started_at)}, last heard of {shown(record.last_heartbeat_at)}.",
            hint=f"Wait until it ends, or stop that process; `burnish status {folder.id}` shows how far it is.",
        )
    stamp = f"{now.astimezone(UTC):%Y%m%dT%H%M%S.%fZ}"
    names = [f"RUNNING.stale.{stamp}.lock", *(f"RUNNING.stale.{stamp}-{n}.lock" for n in range(1, 1000))]
    kept = next(path for name in names if not os.path.lexists(path := folder.root / name))
    with disk_refusals("set aside", folder.lock):
        folder.lock.rename(kept)
    reach("lock.stale_moved")
    return TakeOver(kept.name, str(reason), record.summary() if record else None)


def _read(path: Path) -> _Found | None:
    """Return the lock file at `path`; None if there is none. Links and pipes are not followed: they are unreadable."""
    with disk_refusals("read", path):
        try:
            modified = datetime.fromtimestamp(path.lstat().st_mtime, UTC)
            descriptor = os.open(path, os.O_RDONLY | NOFOLLOW | NONBLOCK | CLOEXEC)
        except FileNotFoundError:
            return None
        except OSError as error:
            if error.errno == errno.ELOOP:
                return _Found(None, modified)
            raise
        try:
            data = os.read(descriptor, _LARGEST_LOCK)
        except IsADirectoryError:
            data = b""
        finally:
            os.close(descriptor)
    return _Found(LockRecord.read(data), modified)


@contextmanager
def _guarded(folder: RunFolder) -> Iterator[None]:
    """Exclude other processes from this run's lock."""
    with disk_refusals("open", folder.guard):
        descriptor = os.open(folder.guard, os.O_RDWR | os.O_CREAT | NOFOLLOW | CLOEXEC, 0o600)
    try:
        with disk_refusals("lock", folder.guard):
            if not locked_within(descriptor, GUARD_PATIENCE_SECONDS):
                raise RunActive(
                    f"The run {folder.id} is being taken by another process, which does not continue.",
                    hint="A process may be suspended while it takes the lock: end that process, then try again.",
                )
        try:
            reach("lock.guarded")
            yield
        finally:
            # A child forked meanwhile shares the descriptor: only an explicit unlock releases the guard for all.
            unlock_descriptor(descriptor)
    finally:
        os.close(descriptor)
