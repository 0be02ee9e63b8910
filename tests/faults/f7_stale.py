"""F7: stale locks of every sort. No live lock is taken away, and every take-over is in the journal."""

import os
import random
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path

from burnish.core.errors import RunActive
from burnish.store.lock import LockRecord
from burnish.store.paths import RunFolder
from burnish.store.processes import ProcessIdentity, iso, look_up, system_clock, this_process
from burnish.store.sqlite_journal import own_run

TITLE = "stale locks"


def run(full: bool) -> str:
    rng = random.Random(7)
    rounds = 100 if full else 2
    stolen = audited = kept = 0
    with _process() as alive, _process(frozen=True) as frozen:
        dead = _dead_process()
        for _ in range(rounds):
            for case in _cases(rng, alive, frozen, dead):
                outcome = _try(case)
                stolen += outcome is not None and case.reason is None
                audited += outcome is not None
                kept += outcome is None
                assert outcome == case.reason, (
                    f"{case.name}: {outcome or 'refused'} instead of {case.reason or 'refused'}"
                )
    return f"{kept} live locks, {stolen} stolen; {audited} stale locks taken over, {audited} audited"


@dataclass(frozen=True)
class Case:
    """A lock as it lies there, and why it may be taken; None: it may not."""

    name: str
    content: bytes
    modified: datetime
    reason: str | None


def _cases(rng: random.Random, alive: int, frozen: int, dead: int) -> Iterator[Case]:
    now = system_clock()
    fresh = now - timedelta(seconds=rng.uniform(0, 115))
    old = now - timedelta(seconds=rng.uniform(125, 1e7))
    future = now + timedelta(seconds=rng.uniform(60, 1e7))
    for seen in (fresh, old, future):  # on this host the age says nothing
        age = "old" if seen is old else "new"
        yield Case(f"live pid, {age}", _of(alive, seen).write(), seen, None)
        yield Case(f"frozen pid, {age}", _of(frozen, seen).write(), seen, None)
        yield Case(f"dead pid, {age}", _of(dead, seen).write(), seen, "dead_process")
        reused = replace(_of(alive, seen), process_start=rng.randrange(1, 10**6) * 10**9)
        yield Case(f"reused pid, {age}", reused.write(), seen, "reused_pid")
        rebooted = replace(_of(alive, seen), boot_id="another-boot", machine_id="machine")
        yield Case(f"before a reboot, {age}", rebooted.write(), seen, "rebooted")
    away = replace(_of(alive, fresh), host="another-host")
    yield Case("other host, heard of", away.write(), old, None)
    yield Case("other host, silent", replace(away, last_heartbeat_at=iso(old)).write(), fresh, "no_heartbeat")
    ahead = replace(away, last_heartbeat_at=iso(future))
    yield Case("other host, clock ahead, file new", ahead.write(), fresh, None)
    yield Case("other host, clock ahead, file old", ahead.write(), old, "no_heartbeat")
    yield Case("other host, everything ahead", ahead.write(), future, None)
    yield Case("other container", replace(_of(dead, fresh), pid_namespace="pid:[7]").write(), fresh, None)
    whole = _of(alive, fresh).write()
    for name, content in (
        ("empty", b""),
        ("cut off", whole[: rng.randrange(1, len(whole) - 3)]),
        ("noise", rng.randbytes(200)),
    ):
        yield Case(f"{name}, fresh", content, fresh, None)
        yield Case(f"{name}, future", content, future, None)
        yield Case(f"{name}, old", content, old, "unreadable")


def _here() -> ProcessIdentity:
    return replace(this_process(), machine_id="machine")  # tests run where there is no machine id, too


def _of(pid: int, seen: datetime) -> LockRecord:
    here, live = _here(), look_up(pid)
    return LockRecord(
        pid=pid,
        host=here.host,
        run_id="r",
        started_at=iso(seen),
        last_heartbeat_at=iso(seen),
        token="theirs",
        process_start=live.process_start if live else 1,
        boot_id=here.boot_id,
        machine_id=here.machine_id,
        pid_namespace=here.pid_namespace,
    )


def _try(case: Case) -> str | None:
    """Try to own a run with this lock. The recorded reason of the take-over; None if it was refused."""
    with tempfile.TemporaryDirectory() as text:
        folder = RunFolder.at(Path(text), "r")
        folder.root.mkdir()
        folder.lock.write_bytes(case.content)
        os.utime(folder.lock, (case.modified.timestamp(), case.modified.timestamp()))
        try:
            with own_run(folder, system_clock, identity=_here()) as owned:
                audit = list(owned.journal.events(types=["lock_taken_over"]))
        except RunActive as refused:
            assert folder.lock.read_bytes() == case.content, f"{case.name}: the live lock was changed"
            assert refused.hint, case.name
            return None
        kept = [path.read_bytes() for path in folder.stale_locks()]
        assert kept == [case.content], f"{case.name}: the stale lock was not kept"
        assert len(audit) == 1, f"{case.name}: {len(audit)} audit records"
        return str(audit[0].data["reason"])


@contextmanager
def _process(frozen: bool = False) -> Iterator[int]:
    child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    if frozen:
        child.send_signal(signal.SIGSTOP)
    try:
        yield child.pid
    finally:
        child.kill()
        child.communicate()


def _dead_process() -> int:
    child = subprocess.Popen([sys.executable, "-c", ""])
    child.wait()
    return child.pid
