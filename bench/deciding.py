"""Four people deciding beside a run that writes without a pause: how long each waits, and what it costs the run."""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

from bench.lines import Line, below
from bench.long_runs import write_run
from burnish.app.reviews import ReviewService
from burnish.app.run_index import RunIndex
from burnish.app.settings import Settings
from burnish.core.records import CallRecord, Usage
from burnish.store.paths import RunFolder
from burnish.store.processes import system_clock
from burnish.store.sqlite_journal import own_run
from burnish.store.unit_queries import UnitFilter

TITLE = "four people deciding beside a busy run"
PEOPLE = 4
UNITS, DECISIONS = 4_000, 50
"""Units of the run, and decisions of each person."""
THINKING_SECONDS = 0.2
SLOWEST_MS = 300.0
PROJECT = Path(__file__).parents[1]


def run(full: bool, units: int = UNITS, decisions: int = DECISIONS) -> list[Line]:
    with tempfile.TemporaryDirectory(prefix="burnish-bench-") as place:
        folder = write_run(Path(place), "busy", units)
        with _busy(folder) as owner:
            waits = _decide(folder.root.parent, decisions * (4 if full else 1))
        commits = owner.communicate()[0].split()
    waits.sort()
    p99 = waits[min(len(waits) - 1, int(len(waits) * 0.99))]
    return [
        below(f"{len(waits)} decisions, 99 of 100 within", p99 * 1000, "ms", SLOWEST_MS),
        Line("  the middle one", statistics.median(waits) * 1000, "ms"),
        Line("  the run meanwhile", float(commits[-1]), "commits/s", "which never pauses by itself"),
    ]


@contextmanager
def _busy(folder: RunFolder) -> Iterator[subprocess.Popen[str]]:
    """A process that owns the run and commits all the time, until its input ends."""
    command = [sys.executable, "-m", "bench.deciding", str(folder.root.parent), folder.id]
    owner = subprocess.Popen(command, cwd=PROJECT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert owner.stdout is not None and owner.stdin is not None
    owner.stdout.readline()
    try:
        yield owner
    finally:
        owner.stdin.close()
        owner.stdin = None


def _decide(runs: Path, decisions: int) -> list[float]:
    index = RunIndex(runs)
    opened = index.open("busy")
    waiting = list(opened.moments(UnitFilter((opened.view.kind.states.waiting,))).items())
    index.close()
    service, shares = ReviewService(runs, Settings()), [waiting[number::PEOPLE][:decisions] for number in range(PEOPLE)]

    def person(number: int) -> list[float]:
        found = []
        for unit, seen in shares[number]:
            started = time.perf_counter()
            service.record("busy", unit, "accept", by=f"P{number}", seen=seen)
            found.append(time.perf_counter() - started)
            time.sleep(THINKING_SECONDS)
        return found

    with ThreadPoolExecutor(PEOPLE) as pool:
        return [wait for waits in pool.map(person, range(PEOPLE)) for wait in waits]


def _write_without_pause(runs: str, id: str) -> None:
    ended = threading.Event()
    threading.Thread(target=lambda: (sys.stdin.read(), ended.set()), daemon=True).start()
    with own_run(RunFolder.at(Path(runs), id), system_clock) as owned:
        print("ready", flush=True)
        number, started = 0, time.perf_counter()
        while not ended.is_set():
            number += 1
            owned.journal.write_now(_call(number))
        print(number / (time.perf_counter() - started), flush=True)


def _call(number: int) -> CallRecord:
    usage = Usage(800, 60, None)
    return CallRecord(f"busy{number}", "q", "reviewer", "m", "r", {"user": "x" * 2_400}, "ok", "y" * 600, usage, 1, 1)


if __name__ == "__main__":
    _write_without_pause(*sys.argv[1:])
