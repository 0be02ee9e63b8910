"""A process that works on a run until it is killed. Every line it prints is a promise that must be kept.

python -m tests.store.killed_writer <runs>     work until somebody kills it
python -m tests.store.killed_writer            for every line `<runs>\t<point>` that comes in, fork a process that kills
                                               itself at that fault point; tell its end and its promises as JSON
"""

import asyncio
import json
import os
import signal
import sys
from pathlib import Path

from burnish.core.faultpoints import install
from burnish.store.paths import ExportFolder, RunFolder
from burnish.store.processes import system_clock
from burnish.store.sqlite_journal import OwnedRun, own_run
from tests.store.samples import attempt, call, happened, unit


def main(runs: Path, point: str) -> None:
    if point != "-":
        install(lambda name: os.kill(os.getpid(), signal.SIGKILL) if name == point else None)
    with own_run(RunFolder.at(runs, "r"), system_clock) as run:
        if point == "-":
            asyncio.run(_produce(run))
        else:
            _a_little_of_everything(run)
    print("ended", flush=True)


async def _produce(run: OwnedRun) -> None:
    """Eight workers that write until the end."""

    async def worker(name: int) -> None:
        for number in range(1_000_000):
            key = f"{os.getpid()}-{name}-{number}"
            await run.journal.write(call(key, raw="x" * 3000), unit(key, number), attempt(key), happened(number))
            print(key, flush=True)

    await asyncio.gather(*(worker(name) for name in range(8)))


def _a_little_of_everything(run: OwnedRun) -> None:
    run.journal.write_now(call(f"{os.getpid()}"))
    print(os.getpid(), flush=True)
    run.lock.beat()
    ExportFolder(run.folder, run.journal).write_json("report.json", {"by": os.getpid()})


def serve() -> None:
    """Imports take longer than all that a process does before it is killed: they are done once."""
    for line in sys.stdin:
        runs, point = line.rstrip("\n").split("\t")
        ours, theirs = os.pipe()
        child = os.fork()
        if child == 0:
            os.dup2(theirs, 1)
            main(Path(runs), point)
            os._exit(0)
        os.close(theirs)
        with os.fdopen(ours) as promises:
            told = promises.read().split()
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        print(json.dumps([status, told]), flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), "-") if len(sys.argv) > 1 else serve()
