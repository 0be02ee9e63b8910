"""Resuming a run that nothing is left to do in: rows are compared before anything is examined."""

from __future__ import annotations

import tempfile
from pathlib import Path

from bench.lines import Line, below
from bench.long_runs import write_run
from bench.processes import Taken, burnish, compiled, measured

TITLE = "burnish resume on a settled run: no unit is examined, no file is written"
QUESTIONS, FULL_QUESTIONS = 5_000, 100_000
QUICK = 20
"""Seconds for 100,000 questions."""
LEAN = 300
"""Megabytes, whatever the number of questions."""
WAITS = 3
"""The exit code of a run in which units wait for a person."""


def run(full: bool, questions: int | None = None) -> list[Line]:
    size = questions or (FULL_QUESTIONS if full else QUESTIONS)
    with compiled() as environment, tempfile.TemporaryDirectory(prefix="burnish-bench-") as place:
        write_run(Path(place), "r", size, is_settled=True)

        def resumed() -> Taken:
            command = burnish("resume", "r", "--runs", str(Path(place) / "runs"))
            taken = measured(command, environment=environment)
            if taken.exit_code != WAITS:
                raise RuntimeError(f"burnish resume ended with {taken.exit_code}; {WAITS} is right")
            return taken

        first, again = resumed(), resumed()
    return [
        Line(f"resume that writes all exports, {size:,} questions", first.seconds, "s"),
        below(f"resume with nothing to do, {size:,} questions", again.seconds, "s", QUICK),
        below(f"memory, {size:,} questions", again.megabytes, "MB", LEAN),
        Line("the second over the first", again.seconds / first.seconds, "times"),
    ]
