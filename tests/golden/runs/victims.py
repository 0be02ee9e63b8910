"""Commands that are killed: one process imports everything once and forks a child for each of them.

killed(["polish", ...], home, place="reply recorded", nth=3, step=1)      # the exit code: -9
"""

from __future__ import annotations

import atexit
import importlib
import json
import os
import pkgutil
import subprocess
import sys
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from tests.golden.runs import seams


def killed(arguments: Sequence[str], home: Path, *, place: str, nth: int, step: int) -> int:
    """How a command ends in `home` that dies the nth time it comes to a place."""
    server = _server()
    assert server.stdin is not None and server.stdout is not None
    task = {"arguments": list(arguments), "home": str(home), "place": place, "nth": nth, "step": step}
    server.stdin.write(json.dumps(task) + "\n")
    server.stdin.flush()
    return int(server.stdout.readline())


@cache
def _server() -> subprocess.Popen[str]:
    """The process that forks; it ends with this one."""
    command = [sys.executable, "-m", __name__]
    server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert server.stdin is not None
    atexit.register(server.wait)
    atexit.register(server.stdin.close)
    return server


def serve() -> None:
    """Fork a child for every line. Nothing here starts a thread, so forking is safe."""
    import burnish

    for module in pkgutil.walk_packages(burnish.__path__, "burnish."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    for line in sys.stdin:
        child = os.fork()
        if child == 0:
            os._exit(_be_killed(**json.loads(line)))
        _, status = os.waitpid(child, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)


def _be_killed(arguments: list[str], home: str, place: str, nth: int, step: int) -> int:
    os.chdir(home)
    with Path(os.devnull).open("w") as nowhere:
        os.dup2(nowhere.fileno(), 1)
    with seams.pinned(step):
        seams.kill_at(place, nth)
        return seams.main(arguments)


if __name__ == "__main__":
    serve()
