"""`burnish decide`: a person settles one unit."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Annotated, Literal

import typer

from burnish.app.decision_results import NOT_TAKEN_BACK, refuse_decided
from burnish.app.decisions import DecisionRequest, RunDecisions, acquire_run, apply_pending
from burnish.app.labels import reason_of
from burnish.app.reports.check_summary import mend_first
from burnish.app.secrecy import redactor_of
from burnish.cli.options import RunFolderOption, RunName, TextOutput
from burnish.cli.summary import blocking_rule_ids, named
from burnish.core.errors import InputError, UsageError
from burnish.core.records import Record, UnitRow
from burnish.engine.decisions import Decision
from burnish.engine.publish import unreadable
from burnish.store.clock import iso, system_clock
from burnish.store.inbox import Inbox
from burnish.store.paths import existing_run, nearest_path, operator_path

LONGEST_TEXT = 1_000_000
BELOW = "scores below the threshold. Use `accept` if the text is right."


def decide(
    run: RunName,
    runs: RunFolderOption,
    output: TextOutput,
    unit: Annotated[str, typer.Argument(metavar="UNIT", help="The unit's id.")],
    decision: Annotated[
        Literal["accept", "edit", "reject", "undo"],
        typer.Argument(
            help="accept: keep it; edit: accept an edited text; reject: send it back; undo: take a decision back."
        ),
    ],
    by: Annotated[str, typer.Option(metavar="NAME", help="Who decides. It is recorded.")],
    note: Annotated[
        str | None, typer.Option(metavar="TEXT", help="The reason; required for `reject`: what to improve.")
    ] = None,
    text_file: Annotated[
        str | None,
        typer.Option(metavar="F", help="The edited unit: its text, or for a question the changed fields as JSON."),
    ] = None,
    also: Annotated[
        list[str] | None,
        typer.Option(metavar="UNIT", help="Another unit with the same decision. Repeatable; not for `edit`."),
    ] = None,
) -> int:
    """Record a person's decision. `burnish resume RUN` continues from it, and publishes when nothing is left to decide.

    Until then `undo` takes it back: the unit returns to its earlier state, and the journal keeps both.

    Exit code 0: the unit is decided, sent back, or restored. 1: the edited text still breaks rules, so the unit still
    waits.
    """
    if not by.strip():
        raise UsageError("A decision needs a name.", hint="Say who decides with --by NAME.")
    if also and decision == "edit":
        raise UsageError("An edited text belongs to one unit.", hint="Leave --also out, and edit one unit at a time.")
    if decision == "undo" and (note is not None or text_file is not None):
        raise UsageError("`undo` takes neither a note nor a text.", hint="Undo first, then decide again.")
    folder = existing_run(runs.path, run)
    text = _text(text_file)
    screen = output.screen
    with acquire_run(folder, system_clock, redactor_of(runs.settings), thorough=True) as owned:
        apply_pending(owned)
        names = list(dict.fromkeys((unit, *(also or ()))))
        with _told_of(text_file):
            rows = _decided(owned, names, decision, by.strip(), note, text)
        for row in rows:
            screen.line(("strong", row.id), f"  {row.state}  {reason_of(owned.kind, row)}")
        [row, *_] = rows
        if decision == "edit" and row.reason == "edit_has_errors":
            rules = ", ".join(blocking_rule_ids(owned.journal, row))
            screen.line("  The text is kept, but it still ", f"breaks: {rules}" if rules else BELOW)
            return 1
        refusal = owned.why_not_held(row) if decision == "edit" else None
        if refusal is not None:
            screen.line("  ", ("warning", "Its document cannot hold this text: "), refusal)
        screen.line(("faint", _todo(owned)))
    return 0


def _decided(
    run: RunDecisions,
    units: Sequence[str],
    decision: Decision | Literal["undo"],
    by: str,
    note: str | None,
    text: str | None,
) -> list[UnitRow]:
    """The units after the decision: it is about all of them, so it is refused where one of them does not allow it."""
    records: list[Record] = []
    rows = [run.row(unit) for unit in units]
    if decision == "undo":
        failed = [entry.unit for entry in run.journal.inbox("failed") if entry.unit in units]
        if failed:
            Inbox(run.folder).withdraw(dict.fromkeys(failed), by=by, at=iso(system_clock()))
        rows = [row for row in rows if row.id not in failed]
    for row in rows:
        refuse_decided(run.folder.id, run.journal, row, *([NOT_TAKEN_BACK] if decision == "undo" else []))
        follows = (
            run.undone(row, by=by)
            if decision == "undo"
            else run.follows(row, DecisionRequest(decision, by, note, text))
        )
        records += follows.records
    run.journal.write_now(*records)
    return [run.row(unit) for unit in units]


@contextmanager
def _told_of(text_file: str | None) -> Iterator[None]:
    """Inside the block, what is wrong with the edited text names the file that it came from."""
    try:
        yield
    except InputError as error:
        if error.path is None:
            error.path = text_file
        raise


def _todo(run: RunDecisions) -> str:
    """What is left to do after a decision, all of it."""
    left = sum(1 for _ in run.journal.units(states=(run.kind.states.waiting,)))
    holes = sum(1 for _ in unreadable(run.journal))
    if holes:
        return f"{f'{left} more' if left else 'No more'} to decide, but {mend_first(holes)}"
    return f"{left} more to decide." if left else f"Nothing else waits. Go on with: burnish resume {named(run.folder)}"


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
