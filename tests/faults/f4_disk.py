"""F4: the disk refuses at the nth call. The error is clean, what was there before is there, nothing is left behind."""

import errno
import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from burnish.core.errors import StorageFailed
from burnish.store.files import TEMPORARY_PREFIX, atomic_writer, create_exclusively, make_folder, write_atomically
from burnish.store.lock import LockRecord, RunLock, take_lock
from burnish.store.paths import ExportFolder, RunFolder
from burnish.store.processes import system_clock
from burnish.store.sqlite_journal import open_journal, own_run
from tests.faults.faulty_disk import FaultyDisk, faulty_disk
from tests.store.samples import call

TITLE = "disk that refuses"
ERRORS = (errno.ENOSPC, errno.EIO, errno.EACCES)
OLD, NEW = b"old content\n", b"new content\n" * 40_000


def run(full: bool) -> str:
    refused = short = 0
    for name in SCENARIOS:
        for error in ERRORS:
            refused += _until_success(name, error)
        short += _until_success(name, None)
    step = 4096 if full else 180_224
    return f"{refused} refused calls, {short} short writes, {_in_child('limit', step)}, {_on_full_disk()}"


# Faults that are injected into the process


@dataclass(frozen=True)
class Scenario:
    """Something that changes one file of a folder."""

    prepare: Callable[[Path], Any]
    """Before the disk is faulty; what it returns is handed to `work`."""
    work: Callable[[Path, Any], object]
    target: str
    after: bytes | None = None
    """The target's content after success; None: any."""
    again: Callable[[Path], object] | None = None
    """What must work once the disk is sound again."""


def _nothing(folder: Path) -> None:
    """There is nothing before."""


def _old_file(folder: Path) -> None:
    (folder / "a.json").write_bytes(OLD)
    (folder / "a.json").chmod(0o640)


def _replace(folder: Path, _: object) -> None:
    write_atomically(folder / "a.json", NEW)


def _stream(folder: Path, _: object) -> None:
    with atomic_writer(folder / "a.json") as stream:
        for start in range(0, len(NEW), 7000):
            stream.write(NEW[start : start + 7000])


def _stale_lock(folder: Path) -> None:
    (folder / "RUNNING.lock").write_bytes(LockRecord(1, "elsewhere", "r", "", "2020-01-01T00:00:00Z").write())


def _take_lock(folder: Path, _: object = None) -> RunLock:
    return take_lock(RunFolder("r", folder), system_clock)


def _own(folder: Path, _: object = None) -> None:
    with own_run(RunFolder("r", folder), system_clock) as run:
        run.journal.write_now(call())


def _owned(folder: Path) -> None:
    (folder / "RUNNING.lock").unlink(missing_ok=True)  # left where its removal was refused; its process is dead by now
    _own(folder)


SCENARIOS = {
    "replace": Scenario(_old_file, _replace, "a.json", NEW),
    "new file": Scenario(_nothing, _replace, "a.json", NEW),
    "stream": Scenario(_old_file, _stream, "a.json", NEW),
    "exclusive": Scenario(_nothing, lambda folder, _: create_exclusively(folder / "a.json", NEW), "a.json", NEW),
    "lock": Scenario(_nothing, _take_lock, "RUNNING.lock"),
    "take-over": Scenario(_stale_lock, _take_lock, "RUNNING.lock"),
    "heartbeat": Scenario(_take_lock, lambda _, lock: lock.set_epoch(7), "RUNNING.lock"),
    "folder": Scenario(_nothing, lambda folder, _: make_folder(folder / "a" / "b"), "a/b/c"),
    "new run": Scenario(_nothing, _own, "a.json", again=_owned),
    "old run": Scenario(_owned, _own, "a.json", again=_owned),
}


def _until_success(name: str, error: int | None) -> int:
    """Fail at the first call, at the second, ... until there is no call left to fail at. How many failed."""
    failures = 0
    for fails_at in range(1, 500):
        with tempfile.TemporaryDirectory() as text:
            disk = _one_fault(SCENARIOS[name], Path(text), fails_at, error)
        if disk.calls < fails_at:
            return failures
        failures += disk.failed is not None
    raise AssertionError(f"{name}: never came to an end")


def _one_fault(scenario: Scenario, folder: Path, fails_at: int, error: int | None) -> FaultyDisk:
    prepared = scenario.prepare(folder)
    before = _content(folder / scenario.target)
    failure = None
    with faulty_disk(fails_at, error) as disk:
        try:
            scenario.work(folder, prepared)
        except StorageFailed as refused:
            failure = refused
    where = f"{scenario.target}: {disk.failed} at call {fails_at}"
    if failure is None:
        # Only the removal of a name that is no longer needed may fail without a word.
        assert error is None or disk.failed in (None, "unlink"), f"{where}: failed unnoticed"
        assert scenario.after in (None, _content(folder / scenario.target)), f"{where}: success without the content"
    else:
        assert error is not None, f"{where}: a short write is no failure"
        assert failure.code == "storage_failed", where
        assert errno.errorcode[error] in str(failure), str(failure)
        assert failure.hint, where
        _check_target(folder, scenario, before, failure, where)
    left = [path.name for path in folder.rglob(f"{TEMPORARY_PREFIX}*")]
    assert not left or disk.failed == "unlink", f"{where}: left behind {left}"
    if scenario.again is not None:
        scenario.again(folder)
    return disk


def _check_target(folder: Path, scenario: Scenario, before: bytes | None, failure: StorageFailed, where: str) -> None:
    now = _content(folder / scenario.target)
    if "confirm" in str(failure):  # the one step that cannot be taken back, and the message says so
        assert scenario.after in (None, now), f"{where}: half-written"
    elif scenario.prepare is _stale_lock and now is None:
        kept = list(folder.glob("RUNNING.stale.*.lock"))
        assert [path.read_bytes() for path in kept] == [before], f"{where}: the stale lock is lost"
    else:
        assert now == before, f"{where}: the previous file is not intact"


def _content(path: Path) -> bytes | None:
    return path.read_bytes() if path.exists() else None


# Faults that the kernel itself raises, in a child process


def _in_child(kind: str, *arguments: object, before: tuple[str, ...] = ()) -> str:
    command = [*before, sys.executable, "-m", "tests.faults.f4_disk", kind, *map(str, arguments)]
    told = subprocess.run(
        command, capture_output=True, text=True, timeout=600, cwd=Path(__file__).parents[2], check=False
    )
    assert told.returncode == 0, told.stderr[-2000:]
    return told.stdout.strip()


def _limits(step: int) -> str:
    """A limit on file sizes, raised until the work fits. SQLite's own writes fail here, at every length."""
    limit = failures = acknowledged = 0
    while True:
        with tempfile.TemporaryDirectory() as text:
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))
            done, failed = _write_until_refused(Path(text))
            resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
            _check_journal(Path(text), done)
        acknowledged += len(done)
        if not failed:
            return f"{failures} limits on file size ({acknowledged:,} acknowledged records, 0 lost)"
        failures += 1
        limit += step


def _write_until_refused(runs: Path) -> tuple[list[str], bool]:
    """Own a run and write to it. The keys that were acknowledged, and whether the disk refused something."""
    done: list[str] = []
    try:
        with own_run(RunFolder("r", runs / "r"), system_clock) as run:
            for number in range(100):
                run.journal.write_now(call(f"k{number}", raw=os.urandom(1500).hex()))
                done.append(f"k{number}")
            ExportFolder(run.folder, run.journal).write_json(
                "calls.json", [{"raw": c.raw} for c in run.journal.calls()]
            )
    except StorageFailed:
        return done, True
    return done, False


def _check_journal(runs: Path, done: list[str]) -> None:
    """Everything acknowledged is there, no half file is, and the run goes on as soon as the disk lets it."""
    folder = RunFolder("r", runs / "r")
    if folder.lock.exists():  # releasing it was refused too; the process would be dead by now
        folder.lock.unlink()
    if not folder.root.exists():
        assert not done
        return
    with own_run(folder, system_clock) as run:
        missing = [key for key in done if run.journal.call(key) is None]
        assert not missing, f"lost: {missing}"
        run.journal.write_now(call("afterwards"))
    with closing(open_journal(folder.journal, clock=system_clock, read_only=True)) as journal:
        assert journal.call("afterwards") is not None
    left = [path.name for path in folder.root.rglob(f"{TEMPORARY_PREFIX}*")]
    assert not left, f"left behind: {left}"


DISK = 8 << 20
"""Bytes of the small disk, as the mount below says it."""


def _on_full_disk() -> str:
    """A real disk that is full: a small tmpfs in a mount namespace of its own, where that is permitted."""
    with tempfile.TemporaryDirectory() as text:
        probe = ["unshare", "-m", "mount", "-t", "tmpfs", "-o", "size=8m", "none", text]
        if subprocess.run(probe, capture_output=True, check=False).returncode != 0:
            return "no full disk (mounting is not permitted here)"
        mount = f'mount -t tmpfs -o size=8m none {text} && exec "$@"'
        return _in_child("full", text, before=("unshare", "-m", "sh", "-c", mount, "sh"))


def _full_disk(mounted: Path) -> str:
    """Less and less room: ballast takes the rest of the disk."""
    failures = rounds = 0
    for ballast in _ballast(mounted):
        rounds += 1
        runs = mounted / f"runs{rounds}"
        runs.mkdir(exist_ok=True)
        done, failed = _write_until_refused(runs)
        ballast.unlink()
        failures += failed
        _check_journal(runs, done)
        _remove_all(runs)
    assert 0 < failures < rounds, f"the disk was always or never full: {failures} of {rounds}"
    return f"{failures} of {rounds} runs on a disk without room"


def _ballast(mounted: Path) -> Iterator[Path]:
    """From no room at all to more than enough."""
    for free in range(0, DISK, DISK // 8):
        path = mounted / "ballast"
        path.write_bytes(bytes(DISK - free - (1 << 14)))
        yield path


def _remove_all(folder: Path) -> None:
    for path in sorted(folder.rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()
    folder.rmdir()


if __name__ == "__main__":
    kind, argument = sys.argv[1:]
    print(_limits(int(argument)) if kind == "limit" else _full_disk(Path(argument)))
