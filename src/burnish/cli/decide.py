"""`burnish decide`: a person settles one unit."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Literal

import typer

from burnish.app.check_summary import mend_first
from burnish.app.labels import DecisionResult, reason_of, state_words
from burnish.app.reviews import GRACE, ReviewService
from burnish.app.runs import View, view
from burnish.app.terminal import Screen
from burnish.cli.options import RunFolderOption, RunName, TextOutput
from burnish.cli.summary import named
from burnish.core.errors import InputError, UsageError
from burnish.engine.publish import unreadable
from burnish.store.lock import live_holder
from burnish.store.paths import nearest_path, operator_path
from burnish.store.processes import system_clock

LONGEST_TEXT = 1_000_000
BELOW = "scores below the threshold. Use `accept` if the text is right."
SAVED = f"Saved; applied when the run pauses, in {GRACE.seconds} s at the earliest. --now does not wait for that."
SAVED_NOW = "Saved; applied at the next pause of the run."


def decide(
    run: RunName,
    runs: RunFolderOption,
    output: TextOutput,
    unit: Annotated[str, typer.Argument(metavar="UNIT", help="The unit's id.")],
    decision: Annotated[
        Literal["accept", "edit", "reject", "drop", "undo"],
        typer.Argument(
            help="accept: keep it; edit: accept an edited text; reject: send it back; drop: leave it out; "
            "undo: undo the decision."
        ),
    ],
    by: Annotated[str, typer.Option(metavar="NAME", help="Who decides. It is recorded.")],
    note: Annotated[
        str | None, typer.Option(metavar="TEXT", help="The reason; required for `reject` (what to improve) and `drop`.")
    ] = None,
    text_file: Annotated[
        str | None,
        typer.Option(metavar="F", help="The edited unit: its text, or for a question the changed fields as JSON."),
    ] = None,
    also: Annotated[
        list[str] | None,
        typer.Option(metavar="UNIT", help="Another unit with the same decision. Repeatable; not for `edit`."),
    ] = None,
    now: Annotated[
        bool,
        typer.Option("--now", help="While a process works on the run: apply it at its next pause, without waiting."),
    ] = False,
) -> int:
    """Record a person's decision. `burnish resume RUN` continues from it, and publishes when nothing is left to decide.

    While a process works on the run, the decision is saved, and that process applies it between two tasks, 30 seconds
    later at the earliest. `undo` reverses a decision until the run works with it: the unit returns to its earlier
    state, and the journal keeps both.

    Exit code 0: the unit is decided, sent back, or restored. 1: the edited text still breaks rules, so the unit still
    waits.
    """
    if not by.strip():
        raise UsageError("A decision needs a name.", hint="Say who decides with --by NAME.")
    if also and decision == "edit":
        raise UsageError("An edited text belongs to one unit.", hint="Leave --also out, and edit one unit at a time.")
    if decision == "undo" and (note is not None or text_file is not None):
        raise UsageError("`undo` takes neither a note nor a text.", hint="Undo first, then decide again.")
    reviews = ReviewService(runs.path, runs.settings, is_thorough=True)
    text = _text(text_file)
    units = list(dict.fromkeys((unit, *(also or ()))))
    with _told_of(text_file):
        if decision == "undo":
            results = reviews.undo_together(run, units, by=by)
        else:
            seen: dict[str, str | None] = {row.id: row.at for row in reviews.rows(run, units)}
            results = reviews.record_together(run, seen, decision, by=by, note=note, text=text, now=now)
    with view(runs.path, run) as found:
        return _print(found, results, output.screen, now=now)


def _print(run: View, results: list[DecisionResult], screen: Screen, *, now: bool) -> int:
    """Say where the units stand, and what is left to do. The exit code."""
    for result in results:
        screen.line(("strong", result.unit), f"  {state_words(result.row.state)}  {reason_of(run.kind, result.row)}")
    if not all(result.in_effect for result in results):
        screen.line("  ", SAVED_NOW if now or results[0].verdict == "undo" else SAVED)
    for result in results:
        if result.keeps_waiting:
            rules = ", ".join(dict.fromkeys(finding.rule for finding in result.errors))
            screen.line("  The text is kept, but it still ", f"breaks: {rules}" if rules else BELOW)
            return 1
        if result.warning is not None:
            screen.line("  ", ("warning", "The document cannot hold this text: "), result.warning)
    screen.line(("faint", _todo(run)))
    return 0


@contextmanager
def _told_of(text_file: str | None) -> Iterator[None]:
    """Inside the block, what is wrong with the edited text names the file that it came from."""
    try:
        yield
    except InputError as error:
        if error.path is None:
            error.path = text_file
        raise


def _todo(run: View) -> str:
    """What is left to do after a decision, all of it."""
    saved = {entry.unit for entry in run.journal.inbox("waiting")}
    left = sum(1 for row in run.journal.units(states=(run.kind.states.waiting,)) if row.id not in saved)
    holes = sum(1 for _ in unreadable(run.journal))
    if holes:
        return f"{f'{left} more' if left else 'No more'} to decide, but {mend_first(holes)}"
    if left:
        return f"{left} more to decide."
    holder = live_holder(run.folder, system_clock)
    if holder is not None and not holder.is_brief:
        return "Nothing left to decide. A process is at work on the run."
    return f"Nothing left to decide. Resume: burnish resume {named(run.folder)}"


def _text(path: str | None) -> str | None:
    if path is None:
        return None
    try:
        with operator_path(path).open("rb") as file:
            data = file.read(LONGEST_TEXT + 1)
        if len(data) > LONGEST_TEXT:
            raise InputError(f"The text is longer than {LONGEST_TEXT:,} bytes.", path=path)
        return data.decode("utf-8-sig")
    except OSError as error:
        raise InputError(f"This file cannot be read: {error.strerror}.", path=path, hint=nearest_path(path)) from error
    except UnicodeDecodeError as error:
        raise InputError(f"This file is not UTF-8 (byte {error.start}).", path=path) from error
