"""F19: a manuscript of 10,000 paragraphs is killed near its end. The resumed run is at work at once and stays small."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.faults.novelist import write_book

TITLE = "long manuscript killed near the end"
SECONDS, MEGABYTES = 3.0, 500
"""What a resumed run may take, from the start of its process to its first settled batch; and its peak memory."""


def run(full: bool) -> str:
    units = 10_000 if full else 100
    with tempfile.TemporaryDirectory() as text:
        home = Path(text)
        write_book(home, units)
        batches = _batches(units)
        left = max(2, batches // 50)
        killed = _Sitting(home, batches - left)
        assert killed.returncode == -9, f"it was not killed, but ended with {killed.returncode}: {killed.said}"
        assert not (home / "runs/tx/final/final.md").exists()
        resumed = _Sitting(home, 0)
        assert resumed.returncode == 0, resumed.said
        end = json.loads(resumed.said[-1])
        assert end["stopped"] == "done", f"it ended {end['stopped']}"
        assert end["batches"] <= left + 1, f"{end['batches']} batches were worked on, {left} were left"
        _check(home, units)
    if full:  # a busy machine is no reason for a test to fail
        assert resumed.seconds < SECONDS, f"at work after {resumed.seconds:.1f} s"
        assert end["peak_mb"] < MEGABYTES, f"{end['peak_mb']} MB"
    return (
        f"{units:,} paragraphs, killed at batch {batches - left} of {batches}; at work again after "
        f"{resumed.seconds:.2f} s, at most {end['peak_mb']} MB"
    )


def _batches(units: int) -> int:
    """Of a run with a memory and rules: translated, assembled, reviewed."""
    return sum(-(-units // size) for size in (200, 500, 50))


class _Sitting:
    """One process on the run, and when it was at work."""

    def __init__(self, home: Path, kill_at: int) -> None:
        command = [sys.executable, "-m", "tests.faults.novelist", str(home), str(kill_at)]
        started = time.monotonic()
        self.seconds, self.said = 0.0, list[str]()
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=Path(__file__).parents[2])
        assert process.stdout is not None
        for line in process.stdout:
            if line == "working\n":
                self.seconds = time.monotonic() - started
            self.said.append(line)
        self.returncode = process.wait()


def _check(home: Path, units: int) -> None:
    final = (home / "runs/tx/final/final.md").read_text(encoding="utf-8").split("\n\n")
    assert len(final) == units, f"{len(final)} paragraphs were published"
    for number, paragraph in enumerate(final, start=1):
        assert paragraph.startswith(f"La casa número {number} está"), f"paragraph {number} is not where it should be"
