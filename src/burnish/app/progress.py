"""Progress of long work: a bar on a terminal, plain lines elsewhere, nothing for short work."""

from __future__ import annotations

import time
from collections.abc import Callable
from types import TracebackType
from typing import TYPE_CHECKING, Self, TextIO

from burnish.app.labels import counted
from burnish.app.terminal import Screen

if TYPE_CHECKING:
    from rich.progress import Progress as Bar

PATIENCE = 2.0
"""Seconds before anything is shown: short work needs no progress."""
LINE_EVERY = 5.0
"""Seconds between two plain lines."""
REDRAW_EVERY = 0.1
LONG_WAIT = 60.0
"""Seconds after which waiting is told only now and then."""
WAIT_EVERY = 30.0
"""Seconds between two plain lines after that."""


class Progress:
    """The progress of the work: done, rate, tokens, money, time left. A context manager."""

    def __init__(
        self,
        total: int | None,
        stream: TextIO,
        *,
        what: str = "Checking",
        noun: str = "unit",
        already: int = 0,
        is_plain: bool = False,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`already` was done before, so it does not count for the rate. `is_plain`: plain lines on a terminal, too."""
        self._total, self._what, self._noun = total, what, noun
        self._done = self._already = already
        self._tokens, self._cost, self._unpriced = 0, 0.0, False
        self._share: float | None = None
        self._clock = clock
        self._began = clock()
        self._shown = self._began + PATIENCE - LINE_EVERY
        self._screen = Screen(stream)
        self._has_bar = stream.isatty() and not is_plain
        self._note = ""
        self._bar: Bar | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Take the bar off the terminal."""
        if self._bar is not None:
            self._bar.stop()

    def advance(self, done: int = 1, tokens: int = 0, cost: float | None = 0.0, *, share: float | None = None) -> None:
        """Add to the work done. `share` is the share of the whole, if the total is not known in units."""
        self._done += done
        self._tokens += tokens
        self._cost += cost or 0.0
        self._unpriced = self._unpriced or cost is None
        self._share = share if share is not None else self._share
        self._note = ""
        self._show(REDRAW_EVERY if self._has_bar else LINE_EVERY)

    def wait(self, note: str) -> None:
        """Say what the work waits for, if nothing was shown for a while."""
        is_long = self._clock() - self._began > LONG_WAIT
        self._note = note
        self._show(REDRAW_EVERY if self._has_bar else WAIT_EVERY if is_long else LINE_EVERY)

    def told(self) -> None:
        """Something else was shown instead."""
        self._shown = self._clock()

    def _show(self, every: float) -> None:
        now = self._clock()
        if now - self._began < PATIENCE or now - self._shown < every:
            return
        self._shown = now
        if self._has_bar:
            if self._bar is None:
                self._bar = self._started()
            task = self._bar.tasks[0].id
            share = self._share_done()
            self._bar.update(task, completed=share or 0.0, total=None if share is None else 1.0, status=self.status())
        else:
            self._screen.line(f"{self._what}: {self.status()}")

    def _started(self) -> Bar:
        from rich.console import Console
        from rich.progress import BarColumn, SpinnerColumn, TextColumn
        from rich.progress import Progress as Bar

        console = Console(file=self._screen.stream, no_color=not self._screen.coloured)
        columns = (
            SpinnerColumn(),
            TextColumn("{task.description}"),
            BarColumn(24),
            TextColumn("{task.fields[status]}"),
        )
        bar = Bar(*columns, console=console, transient=True, redirect_stdout=False, redirect_stderr=False)
        bar.add_task(self._what, total=None, status="")
        bar.start()
        return bar

    def _share_done(self) -> float | None:
        if self._total:
            return min(1.0, self._done / self._total)
        return self._share

    def status(self) -> str:
        """The progress in one line."""
        elapsed = max(self._clock() - self._began, 1e-9)
        if self._total is None and self._note:
            return self._note
        done = (
            f"{self._done:,} of {counted(self._total, self._noun)}" if self._total else counted(self._done, self._noun)
        )
        parts = [done, f"{(self._done - self._already) / elapsed:,.1f}/s"] if self._done > self._already else [done]
        if self._tokens:
            parts.append(counted(self._tokens, "token"))
        if self._cost or self._unpriced:
            parts.append(f"${self._cost:,.4f}{' and some unpriced calls' if self._unpriced else ''}")
        left = self._time_left(elapsed)
        ends = (None if left is None else f"{left} left", self._note)
        return ", ".join([*parts, *filter(None, ends)])

    def _time_left(self, elapsed: float) -> str | None:
        share = self._share_done()
        begun = self._already / self._total if self._total else 0.0
        if share is None or share <= begun:
            return None
        seconds = round(elapsed * (1.0 - share) / (share - begun))
        minutes, seconds = divmod(seconds, 60)
        hours, minutes = divmod(minutes, 60)
        return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"
