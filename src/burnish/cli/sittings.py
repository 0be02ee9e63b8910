"""Running a sitting from a terminal: progress while it works, a clean stop, and what it came to."""

from __future__ import annotations

import asyncio
import signal
import sys
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from typing import Any

import orjson

from burnish.app.materials import kind_to_look_with
from burnish.app.progress import Progress
from burnish.app.reports.holes import foretell_holes, hole, list_holes, mend_first
from burnish.app.reports.summary import tell_ignored, tell_skipped
from burnish.app.reports.words import counted
from burnish.app.terminal import Piece, Role, Screen
from burnish.app.wire import json_text
from burnish.cli.endings import MOST_LISTED, bill, named, tell_change, tell_more, tell_waiting_unit
from burnish.cli.errors import UNCHANGED
from burnish.cli.legos.outcome import tell_course
from burnish.cli.staged import Told, tell_staged
from burnish.core.attempts import blocking_rules
from burnish.core.decisions import standing_decisions
from burnish.core.kinds import DirectedKind, PublishedKind, Remark
from burnish.core.records import AttemptRecord, EventRecord, Totals, UnitRow
from burnish.core.stages import StagedKind
from burnish.engine.exporting import totals_record
from burnish.engine.plan import Plan
from burnish.engine.publishing import unreadable
from burnish.engine.running import Watcher
from burnish.engine.session import Result, recorded_plan
from burnish.engine.tally import Unheard
from burnish.store.clock import system_clock
from burnish.store.journal import Journal
from burnish.store.paths import RunFolder
from burnish.store.sqlite_journal import open_journal

EXIT_CODES = {
    "done": 0,
    "regenerate": 1,
    "source_changed": 1,
    "bad_input": 2,
    "needs_person": 3,
    "best_effort": 3,
    "awaiting_approval": 3,
    "limit": 6,
    "model_away": 6,
}
STAGED_ENDINGS = {"legos": tell_course}
"""Kinds that move through stages and whose sittings end in words of their own."""
PATIENCE = 0.5
"""Seconds that a stopped run has for an orderly end before it is interrupted wherever it is."""


class Bar:
    """A Watcher that shows progress on stderr."""

    def __init__(self, kind: PublishedKind) -> None:
        self._noun = kind.noun
        self._said = kind.said
        self._tells_steps = isinstance(kind, DirectedKind)
        self._what = kind.doing if isinstance(kind, StagedKind) else "Polishing"
        self._progress: Progress | None = None
        self._tokens, self._cost = 0, 0.0

    def started(self, total: int, done: int) -> None:
        if self._tells_steps:  # its units rest all at once, so a bar would say nothing
            return
        self._progress = Progress(total, sys.stderr, what=self._what, noun=self._noun, already=done)

    def unit_rested(self, row: UnitRow, totals: Totals) -> None:
        if self._progress is not None:
            tokens, cost = totals.usage.total_tokens, totals.usage.cost or 0.0
            self._progress.advance(1, tokens - self._tokens, cost - self._cost)
            self._tokens, self._cost = tokens, cost

    def happened(self, event: EventRecord, totals: Totals) -> None:
        """A line for every step of a document that takes many: the bar would stand still for minutes."""
        line = self._said(event)
        if line is not None:
            Screen(sys.stderr).line(("faint", "  "), line, ("faint", f"  {totals.usage.total_tokens:,} tokens"))

    def unreadable(self, parts: Iterator[EventRecord]) -> None:
        foretell_holes([hole_of(part) for part in parts], Screen(sys.stderr))

    def close(self) -> None:
        if self._progress is not None:
            self._progress.close()


def run_sitting(folder: RunFolder, kind: PublishedKind, work: Callable[[Watcher], Awaitable[Result]]) -> Result:
    """Run `work` on documents of a kind to its end.

    Ctrl-C and SIGTERM stop it cleanly: paid replies are recorded, the lock is released.
    """

    async def main() -> Result:
        task = asyncio.current_task()
        assert task is not None
        with _stopped_by_signals(task):
            return await work(watcher)

    watcher = Bar(kind)
    try:
        return asyncio.run(main())
    except (asyncio.CancelledError, KeyboardInterrupt):
        begun = folder.journal.is_file()
        raise KeyboardInterrupt(f"Go on with: burnish resume {named(folder)}" if begun else UNCHANGED) from None
    finally:
        watcher.close()


@contextmanager
def _stopped_by_signals(task: asyncio.Task[Result]) -> Iterator[None]:
    """Inside the block a signal cancels `task`; if that does not get a turn soon, it is interrupted where it is.

    Writing a large bank out takes a while without a pause. Every file is replaced whole, so it may stop anywhere.
    """
    loop = asyncio.get_running_loop()

    def stop(*_: object) -> None:
        loop.call_soon_threadsafe(task.cancel)
        signal.setitimer(signal.ITIMER_REAL, PATIENCE)

    with ExitStack() as handlers:
        for name, handler in (
            (signal.SIGALRM, signal.default_int_handler),
            (signal.SIGINT, stop),
            (signal.SIGTERM, stop),
        ):
            handlers.callback(signal.signal, name, signal.signal(name, handler))
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)


@contextmanager
def terminable() -> Iterator[None]:
    """Inside the block SIGTERM ends the command as Ctrl-C does."""
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def ending(folder: RunFolder, plan: Plan, result: Result, screen: Screen, *, json: bool) -> int:
    """Say what a sitting came to. The exit code."""
    code = EXIT_CODES[result.outcome.stopped]
    with closing(open_journal(folder.journal, clock=system_clock, read_only=True)) as journal:
        kind = kind_to_look_with(plan)
        if isinstance(kind, StagedKind):
            tell = STAGED_ENDINGS.get(plan.kind, tell_staged)
            is_whole = tell(Told(folder, plan, kind, journal, result), screen, json=json)
            if code == 0 and not is_whole:
                code = EXIT_CODES["bad_input"]
        elif json:
            screen.stream.write(json_text(summary(folder, kind, journal, result)) + "\n")
        else:
            _tell(folder, kind, journal, result, screen)
    return code


def summary(folder: RunFolder, kind: PublishedKind, journal: Journal, result: Result) -> dict[str, Any]:
    """The end of a run for programs."""
    return {
        "run_id": folder.id,
        "stopped": result.outcome.stopped,
        "message": result.outcome.message,
        "states": result.outcome.counts,
        "needs_person": [
            {"unit": row.id, "reason": row.reason, "open_errors": row.open_errors}
            for row in journal.units(states=(kind.states.waiting,))
        ],
        "published": [proof.path for proof in result.published],
        "candidates": [proof.path for proof in result.candidates],
        "receipt": str(folder.receipt),
        "totals": totals_record(result.outcome.totals),
        "edited_exports": list(result.edited_exports),
        **recorded_unheard(journal),
    }


def _tell(folder: RunFolder, kind: PublishedKind, journal: Journal, result: Result, screen: Screen) -> None:
    counts = result.outcome.counts
    total, ready, waiting = sum(counts.values()), counts.get(kind.states.ready, 0), counts.get(kind.states.waiting, 0)
    changed = sum(1 for _ in _changed(kind, journal))
    screen.line(
        ("strong", counted(total, kind.noun)),
        f": {ready} accepted, {changed} of them changed" if changed else f": {ready} accepted",
        f", {waiting} for a person" if waiting else "",
    )
    tell_endings(kind, journal, screen, waiting=waiting)
    _tell_changed(kind, journal, screen)
    _tell_waiting(folder, kind, journal, screen, waiting)
    _tell_problems(journal, screen)
    _tell_carried(journal, screen)
    tell_away(journal, screen)
    unheard = Unheard.from_record(recorded_unheard(journal))
    tell_ignored(screen, unheard)
    tell_skipped(screen, unheard, noun=kind.noun)
    screen.line("")
    screen.line(*bill(result.outcome.totals))
    for name in result.edited_exports:
        screen.line(("warning", "note: "), f"{name} had been edited by hand; it is made anew from the journal.")
    _tell_result(folder, result, screen, waiting=waiting, holes=sum(1 for _ in unreadable(journal)))


def tell_endings(kind: PublishedKind, journal: Journal, screen: Screen, *, waiting: int) -> None:
    """How the work on each document ended, where its units belong together."""
    plan = recorded_plan(journal)
    if plan is None or not isinstance(kind, DirectedKind):
        return
    # Where a person has settled what was left, how the models ended is no longer how the document stands.
    settled = not waiting and bool(standing_decisions(journal.events(types=("decision",))))
    for document in plan.documents[:MOST_LISTED]:
        facts = journal.get_meta(f"overview:{document.name}")
        remarks = [part for part in kind.describe(orjson.loads(facts)) if isinstance(part, Remark)] if facts else []
        for remark in remarks if not (settled and any(each.alarming for each in remarks)) else ():
            role: Role = "warning" if remark.alarming else "good"
            head: tuple[Piece, ...] = ("  ", (role, f"{remark.label:<9}"), ("strong", document.name), "  ")
            screen.paragraph(remark.text, indent=" " * 11, first=head)
    tell_more(len(plan.documents), screen)


def recorded_unheard(journal: Journal) -> dict[str, Any]:
    """What was ignored, and what could not be judged, as the last export counted it."""
    text = journal.get_meta("unheard")
    return dict(orjson.loads(text)) if text else {"ignored": {}, "skipped_rules": []}


def _tell_changed(kind: PublishedKind, journal: Journal, screen: Screen) -> None:
    number = 0
    for number, (attempts, best) in enumerate(_changed(kind, journal), start=1):
        if number > MOST_LISTED:
            continue
        before = attempts[0]
        rules = sorted(blocking_rules(before) or {finding["rule"] for finding in before.findings})
        who = "by a person  " if best.cause == "person" else ""
        screen.line("  ", ("good", "changed  "), ("strong", best.unit), f"  {who}", ("faint", ", ".join(rules)))
        for edit in best.edits or _edits_behind(attempts, best):
            tell_change(edit["field"] or "text", edit["find"], edit["replace"], screen)
    tell_more(number, screen)


def _edits_behind(attempts: Sequence[AttemptRecord], best: AttemptRecord) -> list[Mapping[str, Any]]:
    """The edits that led to a draft which was only looked at once more: from it back to the text as it came."""
    found: list[Mapping[str, Any]] = []
    wanted = best.content_hash
    for attempt in reversed(attempts[: best.number]):
        if attempt.content_hash == wanted and attempt.edits and attempt.failure is None:
            found = [*attempt.edits, *found]
            wanted = attempt.receipt["before"] if attempt.receipt else attempts[0].content_hash
    return found


def _changed(kind: PublishedKind, journal: Journal) -> Iterator[tuple[list[AttemptRecord], AttemptRecord]]:
    """Every accepted unit that is not as it came: its attempts, and the best of them."""
    for row in journal.units(states=(kind.states.ready,)):
        if row.best_attempt > 1:
            attempts = journal.attempts(row.id)
            best = attempts[row.best_attempt - 1]
            if best.content is not None:
                yield attempts, best


def _tell_waiting(folder: RunFolder, kind: PublishedKind, journal: Journal, screen: Screen, waiting: int) -> None:
    for row in journal.units(states=(kind.states.waiting,), limit=MOST_LISTED):
        tell_waiting_unit(kind, journal, row, screen)
    tell_more(waiting, screen)


def _tell_problems(journal: Journal, screen: Screen) -> None:
    list_holes([hole_of(problem) for problem in journal.events(types=("input_problem",))], screen)


def _tell_carried(journal: Journal, screen: Screen) -> None:
    """What is in the documents and was not judged: it must not pass for clean."""
    number = 0
    for number, part in enumerate(journal.events(types=("passed_through",)), start=1):
        if number <= MOST_LISTED:
            what = f"  {part.data['type']}: not judged, carried unchanged"
            screen.line("  ", ("info", "carried  "), ("strong", part.data["id"]), what)
    tell_more(number, screen)


def hole_of(problem: EventRecord) -> str:
    """A recorded problem with the input, in words."""
    return hole(problem.data["document"], problem.data["line"], problem.data["message"])


def tell_away(journal: Journal, screen: Screen) -> None:
    """The judges that were away while others took their role."""
    silent = (told for one in journal.events(types=("model_degraded",)) for told in one.data["silent"])
    away = dict.fromkeys(told.partition(": model_failed: ")[0] for told in silent if ": model_failed: " in told)
    for judge in away:
        screen.line(("warning", "note: "), f"{judge} was away; the other judges decided without it.")


def _tell_result(folder: RunFolder, result: Result, screen: Screen, *, waiting: int, holes: int) -> None:
    best_effort = result.outcome.stopped == "best_effort"
    for proof in result.published:
        label: Piece = ("warning", "Published as best effort: ") if best_effort else ("good", "Published: ")
        screen.line(label, ("path", proof.path))
        for lost in proof.lost:
            screen.line("  ", ("warning", "not carried by this format: "), lost)
    if not result.published:
        screen.line(("warning", "Not published: "), _why_not(result, waiting=waiting, holes=holes))
        for proof in result.candidates:
            screen.line("As it stands: ", ("path", proof.path))
    screen.line("Receipt: ", ("path", str(folder.receipt)))
    for line in _next_steps(folder, result):
        screen.line(("faint", line))


def _why_not(result: Result, *, waiting: int, holes: int) -> str:
    """Everything that stands in the way: whoever settles one thing must not be surprised by the next."""
    stopped, reasons = result.outcome.stopped, []
    if stopped in ("limit", "model_away"):
        reasons.append(str(result.outcome.message))
    elif stopped == "regenerate":
        reasons.append("it has to be written again, all of it or the parts that are named.")
    elif waiting or not holes:
        reasons.append("some units need a person first.")
    return " ".join([*reasons, mend_first(holes)] if holes else reasons)


def _next_steps(folder: RunFolder, result: Result) -> Iterator[str]:
    stopped = result.outcome.stopped
    if stopped in ("needs_person", "regenerate"):
        yield f"Look:    burnish show {named(folder)} UNIT"
        yield f"Decide:  burnish decide {named(folder)} UNIT accept|edit|reject --by NAME"
        yield f"Go on:   burnish resume {named(folder)}"
    if stopped == "regenerate":
        yield "Or have it written again: start a new run with --generator M."
    if result.outcome.stopped == "limit":
        yield f"Go on:   burnish resume {named(folder)}, with a higher --max-tokens, --max-cost or --max-seconds"
    if stopped == "model_away":
        yield f"Go on:   burnish resume {named(folder)}, when the model answers again, or with --model M"
