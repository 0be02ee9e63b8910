"""A process that competes for runs. Orders come on standard input, one a line; every answer is one line of JSON.

take <runs> <moment>   own the run `r` in the folder, at this moment of the monotonic clock
release                give it back
"""

import json
import sys
import time
from contextlib import ExitStack
from pathlib import Path

from burnish.core.errors import BurnishError, RunActive
from burnish.store.paths import RunFolder
from burnish.store.processes import system_clock
from burnish.store.sqlite_journal import own_run


def main() -> None:
    held = ExitStack()
    for line in sys.stdin:
        order, *arguments = line.split()
        if order == "take":
            answer = take(held, Path(arguments[0]), float(arguments[1]))
        else:
            held.close()
            answer = {"released": True}
        print(json.dumps(answer), flush=True)


def take(held: ExitStack, runs: Path, moment: float) -> dict[str, object]:
    while time.monotonic() < moment:
        pass  # all contenders start in the same instant
    try:
        run = held.enter_context(own_run(RunFolder.at(runs, "r"), system_clock))
    except RunActive as refused:
        return {"held": False, "told": str(refused)}
    except BurnishError as failure:
        return {"failed": f"{failure.code}: {failure}"}
    return {"held": True, "epoch": run.epoch}


if __name__ == "__main__":
    main()
