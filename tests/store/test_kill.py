"""Processes that are really killed (SIGKILL): everything they acknowledged is there afterwards, and the run goes on."""

import json
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from burnish.core.faultpoints import STORE_POINTS
from burnish.store.lock import LockRecord
from burnish.store.paths import ExportFolder, RunFolder
from burnish.store.processes import system_clock
from burnish.store.sqlite_journal import open_journal, own_run

Killed = Callable[[Path, str], tuple[int, list[str]]]


def start(*arguments: str, **how: Any) -> "subprocess.Popen[str]":
    command = [sys.executable, "-m", "tests.store.killed_writer", *arguments]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=Path(__file__).parents[2], **how)


@pytest.fixture(scope="module")
def killed() -> Iterator[Killed]:
    """Works on the run in a folder until a fault point is reached: how the process ended, and what it promised."""
    with start(stdin=subprocess.PIPE) as server:
        assert server.stdin is not None and server.stdout is not None

        def ended(runs: Path, point: str) -> tuple[int, list[str]]:
            print(runs, point, sep="\t", file=server.stdin, flush=True)
            status, told = json.loads(server.stdout.readline())  # type: ignore[union-attr]
            return status, told

        yield ended


def check(folder: RunFolder, acknowledged: list[str]) -> int:
    """Own the run after the crash; the number of take-overs in its journal."""
    with own_run(folder, system_clock) as run:
        missing = [key for key in acknowledged if run.journal.call(key) is None]
        assert missing == []
        numbers = [event.seq for event in run.journal.events()]
        assert numbers == list(range(1, len(numbers) + 1))
        assert ExportFolder(folder, run.journal).edited_by_hand() == []
        audit = list(run.journal.events(types=["lock_taken_over"]))
    assert not list(folder.root.rglob(".burnish-*"))
    with closing(sqlite3.connect(folder.journal)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    return len(audit)


def test_killed_again_and_again_nothing_acknowledged_is_lost(tmp_path: Path) -> None:
    folder = RunFolder.at(tmp_path, "r")
    acknowledged: list[str] = []
    for kills, lines in enumerate([1, 40, 333], start=1):
        child = start(str(tmp_path))
        assert child.stdout is not None
        acknowledged += [child.stdout.readline().strip() for _ in range(lines)]
        child.kill()
        rest, _ = child.communicate()
        acknowledged += [line for line in rest.split("\n")[:-1] if line]
        with closing(open_journal(folder.journal, clock=system_clock, read_only=True)) as reader:
            assert all(reader.call(key) is not None for key in acknowledged)
        assert check(folder, acknowledged) == kills
    assert len(acknowledged) >= 374
    with closing(open_journal(folder.journal, clock=system_clock, read_only=True)) as journal:
        units, calls = list(journal.units()), list(journal.calls())
        assert len(units) == len(calls) == journal.totals().calls == len(list(journal.events(types=["ingested"])))
        assert all(len(journal.attempts(unit.id)) == 1 for unit in units)


@pytest.mark.parametrize("point", [point for point in STORE_POINTS if point != "lock.stale_moved"])
def test_killed_at_every_point_of_the_store(tmp_path: Path, point: str, killed: Killed) -> None:
    folder = RunFolder.at(tmp_path, "r")
    status, acknowledged = killed(tmp_path, point)
    assert status == -9, f"{point} was not reached"
    check(folder, acknowledged)
    assert not folder.lock.exists()


def test_killed_while_taking_over(tmp_path: Path, killed: Killed) -> None:
    folder = RunFolder.at(tmp_path, "r")
    folder.root.mkdir()
    folder.lock.write_bytes(LockRecord(7, "elsewhere", "r", "", "2020-01-01T00:00:00Z").write())
    assert killed(tmp_path, "lock.stale_moved")[0] == -9
    assert check(folder, []) == 1


def test_an_export_is_whole_after_a_kill(tmp_path: Path, killed: Killed) -> None:
    folder = RunFolder.at(tmp_path, "r")
    for point in ("export.recorded", "files.synced", "files.replaced"):
        assert killed(tmp_path, point)[0] == -9
        if (folder.root / "report.json").exists():
            assert json.loads((folder.root / "report.json").read_text())["by"] > 0
    assert (folder.root / "report.json").exists()
