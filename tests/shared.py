"""Folders that take long to make are made once for all workers of a test run, by the first that needs one."""

from __future__ import annotations

import fcntl
from collections.abc import Callable
from pathlib import Path

import pytest


def made_once(factory: pytest.TempPathFactory, name: str, make: Callable[[Path], None]) -> Path:
    """A folder that `make` fills once for all workers. Later workers wait until it is full, and only read it."""
    base = factory.getbasetemp()
    # Each worker of pytest-xdist has a folder of its own inside the one of the test run.
    home = (base.parent if base.name.startswith("popen-") else base) / name
    with home.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        done = home / ".made"
        if not done.exists():
            home.mkdir(exist_ok=True)
            make(home)
            done.touch()
    return home
