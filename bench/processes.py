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
    resident_megabytes: float
    """The same with shared pages counted for each process that uses them, as `ps` and `top` do."""
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
    held, resident = (bytes / MEGABYTE for bytes in memory.most())
    return Taken(seconds, usage.ru_utime + usage.ru_stime, held, resident, process.returncode)


class _Memory(threading.Thread):
    """Looks at the memory of a process and its descendants until it ends."""

    def __init__(self, pid: int) -> None:
        super().__init__(daemon=True)
        self._root = psutil.Process(pid)
        self._ended = threading.Event()
        self._most = self._most_resident = 0
        self.start()

    def run(self) -> None:
        while not self._ended.wait(SAMPLED_EVERY):
            held, resident = tree_memory(self._root)
            self._most = max(self._most, held)
            self._most_resident = max(self._most_resident, resident)

    def most(self) -> tuple[int, int]:
        self._ended.set()
        self.join()
        return self._most, self._most_resident


def tree_memory(root: psutil.Process) -> tuple[int, int]:
    """Bytes that a process and all its descendants hold together: shared pages counted once, and for each of them."""
    try:
        family = [root, *root.children(recursive=True)]
    except psutil.Error:  # it has just ended
        return 0, 0
    memory = [_memory(process, alone=len(family) == 1) for process in family]
    return sum(held for held, _ in memory), sum(resident for _, resident in memory)


def _memory(process: psutil.Process, *, alone: bool) -> tuple[int, int]:
    """Its own part and its resident bytes. Alone, it has to answer for all that it holds."""
    try:
        resident = process.memory_info().rss
        if alone or not psutil.LINUX:
            return resident, resident
        return process.memory_full_info().pss, resident
    except psutil.Error:  # it has just ended
        return 0, 0


def burnish(*arguments: str) -> list[str]:
    """The command line of this very environment."""
    return [str(Path(sys.executable).with_name("burnish")), *arguments]


@contextmanager
def compiled() -> Iterator[dict[str, str]]:
    """An environment in which Python keeps compiled modules, as an installed program has them."""
    with tempfile.TemporaryDirectory(prefix="burnish-bench-") as folder:
        environ = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
        yield {**environ, "PYTHONPYCACHEPREFIX": str(Path(folder))}
