"""How much `requirements/base.txt` and Burnish itself take in an environment of their own."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path

from bench.lines import Line, below
from bench.processes import MEGABYTE

TITLE = "Installation (without extras, from the lock; files may come from uv's cache)"
PROJECT = Path(__file__).parents[1]
MOST_MEGABYTES = 180
LARGEST = 6
BLOCK = 512
"""Bytes of a block, as the system counts them."""


def run(full: bool) -> list[Line]:
    with tempfile.TemporaryDirectory() as place:
        seconds = installed(Path(place))
        [packages] = Path(place).rglob("site-packages")
        sizes = sorted(((_bytes(path), path.name) for path in packages.iterdir()), reverse=True)
        on_disk = sum(path.lstat().st_blocks for path in packages.rglob("*")) * BLOCK / MEGABYTE
    largest = ", ".join(f"{name} {size / MEGABYTE:.0f}" for size, name in sizes[:LARGEST])
    return [
        below("all its files", sum(size for size, _ in sizes) / MEGABYTE, "MB", MOST_MEGABYTES),
        Line("blocks on this disk (du)", on_disk, "MB", f"the largest in MB of files: {largest}"),
        Line("time, by the clock", seconds, "s"),
    ]


def installed(place: Path) -> float:
    """Install into `place`; return the seconds that it took."""
    uv, python = [sys.executable, "-m", "uv"], ["--python", str(place)]
    lock = ["--build-constraints", "requirements/build.txt"]
    started = time.perf_counter()
    _run([*uv, "venv", "--quiet", "--clear", "--python", sys.executable, str(place)])
    _run([*uv, "pip", "install", "--quiet", *python, "--require-hashes", "-r", "requirements/base.txt"])
    _run([*uv, "pip", "install", "--quiet", *python, "--no-deps", *lock, "."])
    return time.perf_counter() - started


def _run(command: Iterable[str]) -> None:
    subprocess.run(list(command), cwd=PROJECT, check=True)


def _bytes(path: Path) -> int:
    inside = path.rglob("*") if path.is_dir() else [path]
    return sum(one.lstat().st_size for one in inside if one.is_file())
