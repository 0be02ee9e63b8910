"""Running a command and seeing what it takes: time, processor time, and the memory of all its processes together."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psutil

SAMPLED_EVERY = 0.05
"""Seconds between two looks at the memory."""
MEGABYTE = 1_000_000


@dataclass(frozen=True, slots=True)
class Taken:
    """What a command took."""

    seconds: float
    processor_seconds: float
    """Of all its processes that have ended: what it costs whatever else the machine is doing."""
    megabytes: float
    """The most that all its processes held at once. Pages that they share count once, where the system can tell."""
    exit_code: int


def measured(command: Sequence[str], *, environment: Mapping[str, str] | None = None) -> Taken:
    """Run a command to its end; what it prints goes nowhere."""
    started = time.perf_counter()
    with subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=dict(environment or os.environ)
    ) as process:
        memory = _Memory(process.pid)
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - started
        process.returncode = os.waitstatus_to_exitcode(status)
    return Taken(seconds, usage.ru_utime + usage.ru_stime, memory.most() / MEGABYTE, process.returncode)


class _Memory(threading.Thread):
    """Looks at the memory of a process and its descendants until it ends."""

    def __init__(self, pid: int) -> None:
        super().__init__(daemon=True)
        self._root = psutil.Process(pid)
        self._ended = threading.Event()
        self._most = 0
        self.start()

    def run(self) -> None:
        while not self._ended.wait(SAMPLED_EVERY):
            self._most = max(self._most, tree_memory(self._root))

    def most(self) -> int:
        self._ended.set()
        self.join()
        return self._most


def tree_memory(root: psutil.Process) -> int:
    """Bytes that a process and all its descendants hold together."""
    try:
        family = [root, *root.children(recursive=True)]
    except psutil.Error:  # it has just ended
        return 0
    if len(family) == 1:
        return _memory(root, alone=True)
    return sum(_memory(process, alone=False) for process in family)


def _memory(process: psutil.Process, *, alone: bool) -> int:
    """Resident bytes; of several processes each its share (PSS), or the libraries that all use would count for each."""
    try:
        if alone or not psutil.LINUX:
            return process.memory_info().rss
        return process.memory_full_info().pss
    except psutil.Error:  # it has just ended
        return 0


def burnish(*arguments: str) -> list[str]:
    """The command line of this very environment."""
    return [str(Path(sys.executable).with_name("burnish")), *arguments]


@contextmanager
def compiled() -> Iterator[dict[str, str]]:
    """An environment in which Python keeps compiled modules, as an installed program has them."""
    with tempfile.TemporaryDirectory(prefix="burnish-bench-") as folder:
        environ = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
        yield {**environ, "PYTHONPYCACHEPREFIX": str(Path(folder))}
