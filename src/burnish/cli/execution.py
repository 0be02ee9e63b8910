"""Run a command's work in a terminal: progress, a clean stop, and what it cost."""

from __future__ import annotations

import asyncio
import shlex
import signal
import sys
from collections import Counter
from collections.abc import Callable, Coroutine, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import typer

from burnish.app.check_summary import part_text, warn_unusable
from burnish.app.labels import FAILURES, WORK_OF_ROLE, about, counted
from burnish.app.progress import Progress
from burnish.app.runs import PHASES
from burnish.app.terminal import Screen
from burnish.cli.group import UNCHANGED
from burnish.core.kinds import Kind
from burnish.core.records import EventRecord, RoleTotals, Totals, UnitRow, Usage
from burnish.engine.publish import emptied_words
from burnish.engine.session import Approval, Result, Watcher, no_approval
from burnish.models.calls import ProviderFault
from burnish.store.journal import Journal
from burnish.store.paths import RunFolder
from burnish.store.processes import look_for_cycles_seldom

TICK = 1.0
"""Seconds between two looks at what a run waits for."""
PATIENCE = 0.5
"""Seconds that a stopped run has to end cleanly before it is interrupted."""


class Meter:
    """A progress bar on stderr for paid work: a step costs what the totals have grown by."""

    def __init__(self) -> None:
        self._progress: Progress | None = None
        self._tokens, self._cost = 0, 0.0

    @property
    def is_open(self) -> bool:
        return self._progress is not None

    def begin(self, total: int | None, what: str, noun: str, already: int = 0, *, is_plain: bool = False) -> None:
        self.close()
        self._progress = Progress(total, sys.stderr, what=what, noun=noun, already=already, is_plain=is_plain)

    def wait(self, note: str) -> None:
        if self._progress is not None:
            self._progress.wait(note)

    def told(self) -> None:
        if self._progress is not None:
            self._progress.told()

    def advance(self, steps: int, totals: Totals) -> None:
        if self._progress is not None:
            tokens, cost = totals.usage.total_tokens, totals.usage.cost or 0.0
            self._progress.advance(steps, tokens - self._tokens, cost - self._cost)
            self._tokens, self._cost = tokens, cost

    def close(self) -> None:
        if self._progress is not None:
            self._progress.close()
            self._progress = None


class Bar(Meter, Watcher):
    """Shows progress on stderr, and what the run waits for while nothing moves."""

    def __init__(self, kind: Kind) -> None:
        super().__init__()
        self._kind = kind
        self._is_reading, self._is_answered, self._under_way, self._trouble = True, False, 0, ""
        self.begin(None, kind.words.doing, kind.noun, is_plain=True)

    async def tick(self) -> None:
        """Say now and then what the run waits for, until it is cancelled."""
        while True:
            await asyncio.sleep(TICK)
            if note := self.waiting():
                self.wait(note)

    def waiting(self) -> str:
        """What the run waits for; empty if it is at work itself."""
        if self._is_reading:
            return f"reading the {self._kind.words.document}"
        if not self._under_way:
            return ""
        calls = counted(self._under_way, "call")
        waits = f"waiting for {calls}" if self._is_answered else f"waiting for a first answer, {calls} under way"
        return f"{waits}; {self._trouble}" if self._trouble else waits

    def call_began(self, model: str) -> None:
        self._under_way += 1

    def call_paused(self, model: str, fault: ProviderFault, seconds: float) -> None:
        what = f"answered {fault.status}" if fault.status else f"was {FAILURES.get(fault.kind, fault.kind)}"
        self._trouble = f"{model} {what}: tried again in {seconds:.0f} s" if seconds >= 1 else f"{model} {what}"
        self.wait(self.waiting())

    def call_ended(self, model: str, *, is_answered: bool) -> None:
        self._under_way -= 1
        self._is_answered = self._is_answered or is_answered
        self._trouble = "" if is_answered else self._trouble

    def started(self, total: int, done: int) -> None:
        self._is_reading = False
        if not (self._kind.is_whole or self._kind.is_phased):  # else all units finish at once
            self.begin(total, self._kind.words.doing, self._kind.noun, already=done)

    def on_settled(self, row: UnitRow, totals: Totals) -> None:
        if not self._kind.is_phased:
            self.advance(1, totals)

    def stage_began(self, stage: str, units: int) -> None:
        """A bar for each stage, because the pace of one stage says nothing about the next."""
        self.begin(units, PHASES.get(stage, self._kind.words.doing), self._kind.noun)

    def stage_passed(self, units: int, totals: Totals) -> None:
        self.advance(units, totals)

    def on_event(self, event: EventRecord, totals: Totals) -> None:
        """A line for each step of a document that takes many: the bar would not move for minutes."""
        line = _batch_progress(event) if event.type == "calls_submitted" else self._kind.said(event)
        if line is not None:
            self.told()
            Screen(sys.stderr).line(("faint", "  "), line, ("faint", f"  {totals.usage.total_tokens:,} tokens"))

    def unreadable(self, parts: Iterator[EventRecord]) -> None:
        warn_unusable([problem_text(part) for part in parts], Screen(sys.stderr))


def _batch_progress(submitted: EventRecord) -> str:
    """The progress of a provider's batch, which may take hours."""
    done, calls = submitted.data.get("done", 0), counted(submitted.data["calls"], "call")
    return f"{submitted.data['model']} {submitted.data['id']}: {done:,} of {calls} in a batch done"


def run_to_end(folder: RunFolder, kind: Kind, work: Callable[[Watcher], Coroutine[Any, Any, Result]]) -> Result:
    """Run `work` on documents of a kind to its end.

    Ctrl-C and SIGTERM stop it cleanly: paid replies are recorded, the lock is released.
    """
    look_for_cycles_seldom()
    watcher = Bar(kind)
    try:
        with asyncio.Runner() as runner:
            task = runner.get_loop().create_task(work(watcher))
            ticking = runner.get_loop().create_task(watcher.tick())
            with _stopped_by_signals(task):
                try:
                    return runner.get_loop().run_until_complete(task)
                finally:
                    ticking.cancel()
    except (asyncio.CancelledError, KeyboardInterrupt):
        begun = folder.journal.is_file()
        raise KeyboardInterrupt(f"Continue with: burnish resume {named(folder)}" if begun else UNCHANGED) from None
    finally:
        watcher.close()


HAS_ALARMS = hasattr(signal, "setitimer")
"""Whether the system has SIGALRM. Windows has not: there a run stops only at its next pause."""


@contextmanager
def _stopped_by_signals(task: asyncio.Task[Result]) -> Iterator[None]:
    """Inside the block a signal cancels `task`; if that has no effect soon, the task is interrupted.

    Writing a large bank takes a while without a pause. Files are replaced atomically, so it may stop anywhere.
    """

    def stop(*_: object) -> None:
        task.get_loop().call_soon_threadsafe(task.cancel)
        if HAS_ALARMS:
            signal.setitimer(signal.ITIMER_REAL, PATIENCE)

    alarm: list[tuple[int, Callable[..., Any]]] = [(signal.SIGALRM, signal.default_int_handler)] if HAS_ALARMS else []
    with ExitStack() as handlers:
        for name, handler in (*alarm, (signal.SIGINT, stop), (signal.SIGTERM, stop)):
            handlers.callback(signal.signal, name, signal.signal(name, handler))
        try:
            yield
        finally:
            if HAS_ALARMS:
                signal.setitimer(signal.ITIMER_REAL, 0)


@contextmanager
def terminable() -> Iterator[None]:
    """Inside the block SIGTERM ends the command as Ctrl-C does."""
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def approval(kind: Kind, given: bool, by: str | None = None) -> Approval:
    """Who approves: the flag, with the given name; the person at the terminal, who is asked; or nobody."""
    if given:
        return lambda left_empty: {"by": by or "--approve"}
    if not is_at_a_terminal():
        return no_approval

    def ask(left_empty: Sequence[str]) -> dict[str, Any] | None:
        done, files = emptied_words(kind, left_empty) if left_empty else ("Every paragraph is ready", "")
        question = f"{done}. Publish{' ' if files else ''}{files}? [y/N]"
        answer = typer.prompt(question, default="n", show_default=False, err=True)
        return {"by": "terminal"} if answer.strip().lower() in ("y", "yes") else None

    return ask


def is_at_a_terminal() -> bool:
    """Whether somebody can be asked."""
    return sys.stdin.isatty() and sys.stderr.isatty()


def named(folder: RunFolder) -> str:
    """The arguments that name the run in the next command."""
    home = folder.root.parent
    return folder.id if home == Path("runs").resolve() else f"{folder.id} --runs {shlex.quote(str(home))}"


def print_bill(journal: Journal, screen: Screen, totals: Totals | None = None) -> None:
    """Print the cost of the run: the total, the cost by kind of work, and the calls that failed. `totals` of a run
    that is at work say which calls are lost; None: nobody is at work, so all calls without an answer are."""
    totals, roles, batches = (
        totals or journal.totals(),
        journal.totals_by_role(),
        list(journal.events(types=("calls_submitted",))),
    )
    if totals.calls or not (batches or totals.lost_calls):
        screen.line(*bill(totals))
    works = dict.fromkeys(WORK_OF_ROLE.get(one.role, one.role) for one in roles)
    usage = sum((one.usage for one in roles), Usage())
    is_detailed = len(works) > 1 or usage.reasoning_tokens or usage.cached_tokens or usage.cache_write_tokens
    for work in works if is_detailed else ():
        of_work = [one for one in roles if WORK_OF_ROLE.get(one.role, one.role) == work]
        screen.line(f"  {work:<12}", "".join(_work_cost(of_work)))
    failures = sum((Counter(one.failures) for one in roles), Counter[str]())
    if failures:
        named = ", ".join(f"{number:,} {FAILURES.get(kind, kind)}" for kind, number in failures.most_common())
        screen.line(f"  {counted(failures.total(), 'call')} failed: {named}.")
    for other in journal.events(types=("other_model",)):
        screen.line("  ", ("warning", f"{other.data['answered_by']} answered in the place of {other.data['model']}."))
    if batches:
        submitted = counted(sum(batch.data["calls"] for batch in batches), "call")
        waiting = f", {open:,} not collected yet" if (open := len(journal.submitted())) else ""
        screen.line(f"  At batch price: {submitted}, submitted in {len(batches):,} of the provider's batches{waiting}.")
    if totals.lost_calls:
        lost = f"{counted(totals.lost_calls, 'call')} without a recorded answer: perhaps paid"
        money = f", {about(totals.lost_cost)}" if totals.lost_cost else ""
        screen.line("  ", ("warning", lost), f", at most {counted(totals.lost_tokens, 'token')}{money}.")


def _work_cost(roles: Sequence[RoleTotals]) -> Iterator[str]:
    usage = sum((one.usage for one in roles), Usage())
    unpriced = sum(one.unpriced_calls for one in roles)
    calls = sum(one.calls for one in roles)
    yield f"{counted(calls, 'call')}, {counted(usage.total_tokens, 'token')}"
    yield f", {usage.reasoning_tokens:,} of them thinking" if usage.reasoning_tokens else ""
    yield f", {usage.cached_tokens:,} cached" if usage.cached_tokens else ""
    yield f", {usage.cache_write_tokens:,} put into the cache" if usage.cache_write_tokens else ""
    yield f", {about(usage.cost or 0.0)}" if unpriced < calls else ""


def bill(totals: Totals) -> Iterator[str]:
    """The cost in words, and the number of calls without a known price."""
    if not totals.calls:
        yield "No model was called."
        return
    yield f"{counted(totals.calls, 'call')}, {counted(totals.usage.total_tokens, 'token')}"
    yield f" ({totals.usage.prompt_tokens:,} in, {totals.usage.completion_tokens:,} out)"
    priced = totals.calls - totals.unpriced_calls
    yield f", {about(totals.usage.cost or 0.0)}" if priced else ""
    yield f", no price known for {counted(totals.unpriced_calls, 'call')}" if totals.unpriced_calls else ""
    yield "."


def problem_text(problem: EventRecord) -> str:
    """A recorded problem with the input, in words."""
    return part_text(problem.data["document"], problem.data["line"], problem.data["message"])
