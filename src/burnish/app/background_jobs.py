"""BackgroundJobs: runs that the server has at work, each in a process of its own, with the operator's settings.

The server never works on a run itself: pages stay quick while models are asked, and a run that fails takes nobody with
it. When the server goes, its jobs are stopped as by Ctrl-C, and every one of them can be resumed.
"""

from __future__ import annotations

import logging
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from burnish.core.errors import BurnishError, RunActive, UsageError
from burnish.store.paths import existing_run

COMMAND = (sys.executable, "-m", "burnish.cli.main")
PATIENCE = 1.5
"""Seconds that jobs have for an orderly end when the server goes."""
GRACE = 30.0
"""Seconds in which the last decision on a run can still be undone before the run goes on by itself."""
LONGEST_WORD = 4_000
"""Characters that are kept of what a failed job said."""
QUIET_ENDS = frozenset({0, 1, 3, 4, 6, 130})
"""Exit codes that a run's own pages explain: done, written again, waiting for a person, at work elsewhere, at its
ceiling, stopped."""

log = logging.getLogger("burnish.web")


@dataclass(slots=True)
class BackgroundJob:
    """A run at work in a process of ours."""

    run: str
    process: subprocess.Popen[bytes]
    started: float = field(default_factory=time.monotonic)


class BackgroundJobs:
    """Starts runs, lets them go on, and knows which are at work."""

    def __init__(self, runs: Path, *, most: int, continues: bool = True, grace: float = GRACE) -> None:
        self._runs = runs
        self._most = most
        self._continues = continues
        self._grace = grace
        self._lock = threading.RLock()
        self._at_work: dict[str, BackgroundJob] = {}
        self._due: dict[str, float] = {}
        self._queue: dict[str, tuple[str, ...]] = {}
        """Runs that start when one at work has ended, in their order, each with its command."""
        self._told: dict[str, str] = {}
        self._rest: dict[str, str] = {}
        """Runs that somebody let rest, and how it is called."""
        self._closed = False
        self.rested: Callable[[str], None] = lambda run: None
        """Called in a thread of its own when a job has ended."""
        self.is_settled: Callable[[str], bool] = lambda run: True
        """Whether nothing in a run waits: somebody may have taken a decision back elsewhere."""

    # -- starting

    def go_on(self, run: str, *, approved_by: str | None = None, ceilings: Mapping[str, float] | None = None) -> None:
        """Let a run go on where it stands. `approved_by`: who approves that it publishes; `ceilings`: new ones, by the
        name of their setting."""
        existing_run(self._runs, run)
        raised = [f"--{name.replace('_', '-')}={value:.10g}" for name, value in (ceilings or {}).items()]
        self._start(run, ("resume", run, *raised, *((f"--by={approved_by}", "--approve") if approved_by else ())))

    def other(self, run: str, arguments: Sequence[str]) -> None:
        """Start any other command that works on `run`."""
        self._start(run, tuple(arguments))

    def _start(self, run: str, arguments: tuple[str, ...]) -> None:
        """Start a command, or queue it where as many runs are at work as may be."""
        command = [*COMMAND, *arguments, "--runs", str(self._runs), "--json", "--no-color"]
        # Looked at and started in one breath: of two who want the same run one gets it.
        with self._lock:
            self.refuse_if_closed()
            if run in self._at_work:
                raise RunActive(
                    f"The run {run} is working already.", hint="Decisions are saved and applied while it works."
                )
            self._due.pop(run, None)
            self._rest.pop(run, None)
            if len(self._at_work) >= self._most:
                self._queue[run] = arguments
                return
            self._queue.pop(run, None)
            # A session of its own: Ctrl-C at the terminal is for the server, which then stops its jobs in order.
            process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                start_new_session=True,
            )
            job = self._at_work[run] = BackgroundJob(run, process)
            self._told.pop(run, None)
        threading.Thread(target=self._watch, args=(job,), daemon=True, name=f"job {run}").start()

    def refuse_if_closed(self) -> None:
        """UsageError where nothing can be started any more."""
        with self._lock:
            if self._closed:
                raise UsageError("The server is shutting down.", hint="Start it again.")

    def stop(self, run: str, rests: str = "Stopped") -> None:
        """Stop a run that is at work for us, as Ctrl-C would: what was paid for is recorded, and it can go on. One that
        is queued leaves the queue. `rests`: how its rest is called, Stopped or Paused."""
        with self._lock:
            job = self._at_work.get(run)
            was_queued = self._queue.pop(run, None) is not None
            if was_queued or job is not None:
                self._rest[run] = rests
        if was_queued:
            return
        if job is None:
            existing_run(self._runs, run)
            raise UsageError(f"The run {run} is not working here.", hint="Stop it where it was started.")
        job.process.terminate()

    # -- watching

    def _watch(self, job: BackgroundJob) -> None:
        assert job.process.stderr is not None, "it is a pipe"
        with job.process.stderr as said:
            tail = b""
            while piece := os.read(said.fileno(), 65_536):
                tail = (tail + piece)[-LONGEST_WORD * 4 :]
        code = job.process.wait()
        with self._lock:
            del self._at_work[job.run]
            if code not in QUIET_ENDS and not self._closed:
                self._told[job.run] = tail.decode("utf-8", "replace").strip()[-LONGEST_WORD:]
        log.info("job %s ended with %s", job.run, code)
        if not self._closed:
            self.rested(job.run)
            self._start_next()

    def _start_next(self) -> None:
        """Start what has waited longest. What cannot start is told on its page, and the next one has its turn."""
        while True:
            with self._lock:
                if self._closed or not self._queue or len(self._at_work) >= self._most:
                    return
                run, arguments = next(iter(self._queue.items()))
                del self._queue[run]
            try:
                self._start(run, arguments)
            except (BurnishError, OSError) as trouble:
                log.warning("%s does not start: %s", run, trouble)
                with self._lock:
                    self._told[run] = str(trouble)

    def is_at_work(self, run: str) -> bool:
        with self._lock:
            return run in self._at_work

    def at_work(self) -> list[str]:
        """The runs at work in processes of ours."""
        with self._lock:
            return sorted(self._at_work)

    def on_their_way(self) -> frozenset[str]:
        """Runs that are at work here, are queued, or go on by themselves."""
        with self._lock:
            return frozenset((*self._at_work, *self._queue, *self._due))

    def place(self, run: str) -> int | None:
        """How many queued runs start before this one; None where it is not queued."""
        with self._lock:
            return list(self._queue).index(run) if run in self._queue else None

    def rest(self, run: str) -> str | None:
        """How a run rests that was at work here: Queued, Paused or Stopped; None where only its journal knows."""
        with self._lock:
            return "Queued" if run in self._queue else self._rest.get(run)

    def told(self, run: str) -> str | None:
        """What a job said that could not do its work; None where it did."""
        with self._lock:
            return self._told.get(run)

    # -- going on by itself

    def settled(self, run: str) -> None:
        """Nothing in the run waits for a person any more: it goes on after a while in which that can be undone."""
        if self._continues:
            with self._lock:
                self._due[run] = time.monotonic() + self._grace

    def unsettled(self, run: str) -> None:
        """Something in the run waits again."""
        with self._lock:
            self._due.pop(run, None)
            if self._queue.get(run) == ("resume", run):
                del self._queue[run]

    def seconds_left(self, run: str) -> int | None:
        """How long until the run goes on by itself; None where it does not."""
        with self._lock:
            due = self._due.get(run)
        return None if due is None else max(0, round(due - time.monotonic()))

    def start_due(self) -> None:
        """Let every run go on whose time has come. One that cannot start now is tried again."""
        with self._lock:
            due = [run for run, moment in self._due.items() if moment <= time.monotonic()]
        for run in due:
            try:
                if self.is_settled(run):
                    self.go_on(run)
                else:
                    self.unsettled(run)
            except (RunActive, OSError) as busy:
                log.info("%s goes on later: %s", run, busy)
                self.settled(run)
            except BurnishError as trouble:  # of this run alone: the others go on
                log.warning("%s does not go on by itself: %s", run, trouble)
                self.unsettled(run)

    # -- the end

    def close(self) -> None:
        """Stop every job cleanly; one that takes too long is left to end by itself, told that its time is up."""
        with self._lock:
            self._closed = True
            left = list(self._at_work.values())
        for job in left:
            job.process.terminate()
        until = time.monotonic() + PATIENCE
        for job in left:
            try:
                job.process.wait(max(0.0, until - time.monotonic()))
            except subprocess.TimeoutExpired:
                log.warning("%s is still ending (process %d)", job.run, job.process.pid)
