"""Background jobs: runs that the server works on, each in its own process, with the operator's settings.

The server does not work on runs itself: pages stay fast while models are called, and a run that fails does not affect
the server. When the server stops, its jobs are stopped as by Ctrl-C, and each of them can be resumed.
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
"""Seconds that jobs have for an orderly end when the server stops."""
GRACE = 30.0
"""Seconds in which the last decision on a run can still be undone before the run resumes automatically."""
LONGEST_WORD = 4_000
"""Characters that are kept of the error output of a failed job."""
QUIET_ENDS = frozenset({0, 1, 3, 4, 6, 130})
"""Exit codes that a run's own pages explain: done, to be regenerated, waiting for a person, at work elsewhere, at its
ceiling, stopped."""

log = logging.getLogger("burnish.web")


@dataclass(slots=True)
class BackgroundJob:
    """A run at work in a process of this server."""

    run: str
    process: subprocess.Popen[bytes]
    started: float = field(default_factory=time.monotonic)


class BackgroundJobs:
    """Starts and resumes runs, and knows which are at work."""

    def __init__(self, runs: Path, *, most: int, continues: bool = True, grace: float = GRACE) -> None:
        self._runs = runs
        self._most = most
        self._continues = continues
        self._grace = grace
        self._lock = threading.RLock()
        self._at_work: dict[str, BackgroundJob] = {}
        self._due: dict[str, float] = {}
        self._queue: dict[str, tuple[str, ...]] = {}
        """Queued runs in their order, each with its command."""
        self._errors: dict[str, str] = {}
        self._stopped: dict[str, str] = {}
        """Runs that a person stopped -> Stopped or Paused."""
        self._closed = False
        self.on_end: Callable[[str], None] = lambda run: None
        """Called in a separate thread when a job has ended."""
        self.is_settled: Callable[[str], bool] = lambda run: True
        """Whether nothing in a run waits for a person: a decision may have been undone by another process."""

    # -- starting

    def resume(self, run: str, *, approved_by: str | None = None, ceilings: Mapping[str, float] | None = None) -> None:
        """Resume a run. `approved_by`: the person who approves publishing; `ceilings`: new ones, by the name of their
        setting."""
        existing_run(self._runs, run)
        raised = [f"--{name.replace('_', '-')}={value:.10g}" for name, value in (ceilings or {}).items()]
        self._start(run, ("resume", run, *raised, *((f"--by={approved_by}", "--approve") if approved_by else ())))

    def other(self, run: str, arguments: Sequence[str]) -> None:
        """Start any other command that works on `run`."""
        self._start(run, tuple(arguments))

    def _start(self, run: str, arguments: tuple[str, ...]) -> None:
        """Start a command, or queue it if the maximum number of runs is at work."""
        command = [*COMMAND, *arguments, "--runs", str(self._runs), "--json", "--no-color"]
        # Check and start under one lock: of two requests for the same run only one gets it.
        with self._lock:
            self.refuse_if_closed()
            if run in self._at_work:
                raise RunActive(
                    f"The run {run} is working already.", hint="Decisions are saved and applied while it works."
                )
            self._due.pop(run, None)
            self._stopped.pop(run, None)
            if len(self._at_work) >= self._most:
                self._queue[run] = arguments
                return
            self._queue.pop(run, None)
            # A new session: Ctrl-C at the terminal goes to the server only, which then stops its jobs in order.
            process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                start_new_session=True,
            )
            job = self._at_work[run] = BackgroundJob(run, process)
            self._errors.pop(run, None)
        threading.Thread(target=self._watch, args=(job,), daemon=True, name=f"job {run}").start()

    def refuse_if_closed(self) -> None:
        """Raise UsageError if the server is shutting down."""
        with self._lock:
            if self._closed:
                raise UsageError("The server is shutting down.", hint="Start it again.")

    def stop(self, run: str, label: str = "Stopped") -> None:
        """Stop a run of this server as Ctrl-C would: paid replies are recorded, and it can be resumed. A queued run
        leaves the queue. `label`: Stopped or Paused."""
        with self._lock:
            job = self._at_work.get(run)
            was_queued = self._queue.pop(run, None) is not None
            if was_queued or job is not None:
                self._stopped[run] = label
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
                self._errors[job.run] = tail.decode("utf-8", "replace").strip()[-LONGEST_WORD:]
        log.info("job %s ended with %s", job.run, code)
        if not self._closed:
            self.on_end(job.run)
            self._start_next()

    def _start_next(self) -> None:
        """Start the run that has waited longest. If it cannot start, its page shows why, and the next one is tried."""
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
                    self._errors[run] = str(trouble)

    def is_at_work(self, run: str) -> bool:
        with self._lock:
            return run in self._at_work

    def at_work(self) -> list[str]:
        """The runs at work in processes of this server."""
        with self._lock:
            return sorted(self._at_work)

    def active(self) -> frozenset[str]:
        """Runs that are at work here, queued, or due to resume automatically."""
        with self._lock:
            return frozenset((*self._at_work, *self._queue, *self._due))

    def place(self, run: str) -> int | None:
        """How many queued runs start before this one; None if it is not queued."""
        with self._lock:
            return list(self._queue).index(run) if run in self._queue else None

    def idle_state(self, run: str) -> str | None:
        """Queued, Paused or Stopped for a run that was at work here; None if only its journal knows."""
        with self._lock:
            return "Queued" if run in self._queue else self._stopped.get(run)

    def error_of(self, run: str) -> str | None:
        """The error output of a failed job; None if it did not fail."""
        with self._lock:
            return self._errors.get(run)

    # -- resuming automatically

    def schedule_resume(self, run: str) -> None:
        """Note that nothing in the run waits for a person: it resumes after a grace period in which that can be
        undone."""
        if self._continues:
            with self._lock:
                self._due[run] = time.monotonic() + self._grace

    def cancel_resume(self, run: str) -> None:
        """Note that something in the run waits for a person again."""
        with self._lock:
            self._due.pop(run, None)
            if self._queue.get(run) == ("resume", run):
                del self._queue[run]

    def seconds_left(self, run: str) -> int | None:
        """Seconds until the run resumes automatically; None if it does not."""
        with self._lock:
            due = self._due.get(run)
        return None if due is None else max(0, round(due - time.monotonic()))

    def start_due(self) -> None:
        """Resume every run that is due. One that cannot start now is tried again."""
        with self._lock:
            due = [run for run, moment in self._due.items() if moment <= time.monotonic()]
        for run in due:
            try:
                if self.is_settled(run):
                    self.resume(run)
                else:
                    self.cancel_resume(run)
            except (RunActive, OSError) as busy:
                log.info("%s resumes later: %s", run, busy)
                self.schedule_resume(run)
            except BurnishError as trouble:  # only this run is affected
                log.warning("%s does not resume automatically: %s", run, trouble)
                self.cancel_resume(run)

    # -- the end

    def close(self) -> None:
        """Stop every job cleanly; one that takes too long was sent the signal and is left to end alone."""
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
