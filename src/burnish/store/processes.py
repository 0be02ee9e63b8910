"""Processes: the identity of this one, and whether another one still exists; and clocks.

A pid alone is not enough: it is reused, and it has no meaning on another host or in another container. So a process is
identified by its pid together with its start time, counted by the kernel since boot.
"""

from __future__ import annotations

import gc
import hashlib
import os
import socket
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Literal

Clock = Callable[[], datetime]
"""Returns the present time, with its time zone. Tests pass one that jumps."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


def system_clock() -> datetime:
    return datetime.now(UTC)


def iso(moment: datetime) -> str:
    """Return ISO 8601 in UTC with microseconds and `Z`: fixed width, so that text order is time order."""
    return moment.astimezone(UTC).isoformat(timespec="microseconds").removesuffix("+00:00") + "Z"


def to_microseconds(moment: datetime) -> int:
    """Return whole microseconds since 1970: integers, because floats lose the last digits."""
    return (moment - _EPOCH) // _MICROSECOND


def from_microseconds(count: int) -> datetime:
    return _EPOCH + count * _MICROSECOND


@dataclass(frozen=True, slots=True)
class ProcessIdentity:
    """The unique identity of a process. Fields are None if the system does not provide them."""

    pid: int
    host: str
    process_start: int | None = None
    """Clock ticks from boot to the start of the process."""
    boot_id: str | None = None
    """New with every boot of the kernel; containers on one machine share it."""
    machine_id: str | None = None
    """A hash of the machine's own id, which outlives boots."""
    pid_namespace: str | None = None
    """The namespace in which pids are unique: differs between containers."""


@dataclass(frozen=True, slots=True)
class LiveProcess:
    """A process that exists now."""

    process_start: int | None


LookUp = Callable[[int], LiveProcess | None]
"""Finds a process of this host by its pid; None if there is none."""

Whereabouts = Literal["alive", "dead_process", "reused_pid", "rebooted", "elsewhere"]
"""The possible states of a process; `elsewhere`: it cannot be seen from here."""


def this_process() -> ProcessIdentity:
    pid = os.getpid()
    live = look_up(pid)
    return ProcessIdentity(
        pid=pid,
        host=socket.gethostname(),
        process_start=live.process_start if live else None,
        boot_id=_first_line("/proc/sys/kernel/random/boot_id"),
        machine_id=_machine_id(),
        pid_namespace=_pid_namespace(),
    )


IS_WINDOWS = os.name == "nt"
"""`os.kill` would end the process on Windows, so processes are not looked up there."""


def whereabouts(other: ProcessIdentity, here: ProcessIdentity, look_up: LookUp) -> Whereabouts:
    """Return the state of `other`, as far as `here` can see it."""
    if IS_WINDOWS and other.pid != here.pid:
        return "elsewhere"
    if other.host != here.host or _differ(other.machine_id, here.machine_id):
        return "elsewhere"
    if _differ(other.boot_id, here.boot_id):
        # Two machines can share a host name: only a known machine counts as rebooted.
        return "rebooted" if other.machine_id is not None and here.machine_id is not None else "elsewhere"
    if _differ(other.pid_namespace, here.pid_namespace):
        return "elsewhere"
    live = look_up(other.pid)
    if live is None:
        return "dead_process"
    return "reused_pid" if _differ(other.process_start, live.process_start) else "alive"


def look_up(pid: int) -> LiveProcess | None:
    """Return the process `pid` on this host. In doubt report it alive: a living owner must not be taken for dead."""
    if IS_WINDOWS:
        return LiveProcess(None)
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return None
    except PermissionError:
        return LiveProcess(_status(pid)[1])
    state, start = _status(pid)
    # A zombie has ended, but its parent has not collected the result yet.
    return None if state in ("Z", "X") else LiveProcess(start)


def _status(pid: int) -> tuple[str | None, int | None]:
    """Return a process's state and start from /proc, which may be hidden or missing."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text(errors="replace")
    except OSError:
        return None, None
    fields = text.rpartition(")")[2].split()  # the command before it may contain spaces and parentheses
    return fields[0], int(fields[19])


def _differ(one: object | None, other: object | None) -> bool:
    return one is not None and other is not None and one != other


@cache
def _machine_id() -> str | None:
    """Return a hash of the machine's id, because systemd asks to keep the id itself private."""
    id = _first_line("/etc/machine-id")
    return hashlib.sha256(f"burnish:{id}".encode()).hexdigest()[:32] if id else None


def _pid_namespace() -> str | None:
    try:
        return str(Path("/proc/self/ns/pid").readlink())
    except OSError:
        return None


def _first_line(path: str) -> str | None:
    try:
        return Path(path).read_text(errors="replace").strip() or None
    except OSError:
        return None


def look_for_cycles_seldom() -> None:
    """For a process of our own: units and findings hold no cycles, and searching for them takes a tenth of the time."""
    gc.freeze()
    gc.set_threshold(50_000, 20, 50)
