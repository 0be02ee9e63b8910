"""A process that owns a run, is frozen while another takes it over, and tries to go on when it wakes.

    python -m tests.faults.sleeper <runs> wait    write a little, say so, and wait for a line on standard input
    python -m tests.faults.sleeper <runs> busy    write all the time

It ends when it hears that it lost the run, and says on standard output what it could still do: nothing, we hope.
"""

import json
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from burnish.core.errors import OwnershipLost
from burnish.core.records import event
from burnish.store.paths import ExportFolder, RunFolder
from burnish.store.processes import system_clock
from burnish.store.sqlite_journal import OwnedRun, own_run


def main(runs: Path, mode: str) -> None:
    with own_run(RunFolder.at(runs, "r"), system_clock, heartbeat_seconds=0.01) as run:
        written = 0
        exports = ExportFolder(run.folder, run.journal)
        exports.write_json("report.json", "by the first owner")
        if mode == "wait":
            for written in range(1, 6):
                run.journal.write_now(event("ingested", data={"by": "old", "n": written}))
            print("ready", flush=True)
            sys.stdin.readline()
        else:
            print("ready", flush=True)
            with suppress(OwnershipLost):  # that is how it is to end
                while True:
                    run.journal.write_now(event("ingested", data={"by": "old", "n": written + 1}))
                    written += 1
        print(json.dumps({"acknowledged": written, "succeeded": _still_possible(run, exports)}), flush=True)


def _still_possible(run: OwnedRun, exports: ExportFolder) -> list[str]:
    """What an owner does, tried once each; the names of those that were let through."""
    deeds: dict[str, Callable[[], object]] = {
        "event": lambda: run.journal.write_now(event("ingested", data={"by": "old", "n": -1})),
        "meta": lambda: run.journal.set_meta("by", "old"),
        "epoch": run.journal.begin_epoch,
        "export": lambda: exports.write_json("report.json", "by the old owner"),
    }
    succeeded = [name for name, deed in deeds.items() if not _is_refused(deed)]
    if run.lock.beat():
        succeeded.append("heartbeat")
    return succeeded


def _is_refused(deed: Callable[[], object]) -> bool:
    try:
        deed()
    except OwnershipLost:
        return True
    return False


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
