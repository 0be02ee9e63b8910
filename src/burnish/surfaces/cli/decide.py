"""`burnish decide`: a person settles one unit."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Literal

import typer

from burnish.core.errors import InputError, UsageError
from burnish.core.kinds import UnitStory
from burnish.core.records import UnitRow
from burnish.engine.deciding import Deciding, Decision
from burnish.engine.means import Means
from burnish.engine.publishing import unreadable
from burnish.engine.session import examining_of, neighbours_of, recorded_plan
from burnish.store.clock import system_clock
from burnish.store.ownership import own_run
from burnish.store.paths import existing_run, nearest_path, operator_path
from burnish.surfaces.cli.endings import named, open_rules
from burnish.surfaces.cli.options import NoColor, RunName, Runs, model_flags
from burnish.surfaces.loading import load
from burnish.surfaces.materials import kind_of, kind_to_settle_with
from burnish.surfaces.reports.holes import mend_first
from burnish.surfaces.reports.reasons import reason_of
from burnish.surfaces.runs import View
from burnish.surfaces.seating import seated
from burnish.surfaces.secrecy import redactor_of
from burnish.surfaces.terminal import Screen

LONGEST_TEXT = 1_000_000
BELOW = "scores below the line. `accept` it if it is as it should be."


def decide(
    run: RunName,
    unit: Annotated[str, typer.Argument(metavar="UNIT", help="The unit's id.")],
    decision: Annotated[
        Literal["accept", "edit", "reject"],
        typer.Argument(help="Accept it as it is, accept an edited text, or send it back with a note."),
    ],
    by: Annotated[str, typer.Option(metavar="NAME", help="Who decides. It is recorded.")],
    note: Annotated[str | None, typer.Option(metavar="TEXT", help="Why; `reject` needs it: what to do better.")] = None,
    text_file: Annotated[
        str | None, typer.Option(metavar="F", help="The edited unit: its text; for a question, JSON of what changes.")
    ] = None,
    also: Annotated[
        list[str] | None,
        typer.Option(metavar="UNIT", help="Another unit of which the same is decided. Repeatable; not for `edit`."),
    ] = None,
    runs: Runs = None,
    no_color: NoColor = False,
) -> int:
    """Record a person's decision. `burnish resume RUN` goes on from it, and publishes when nothing is left.

    Exit code 0: the unit is settled or sent back. 1: the edited text still breaks rules, so it keeps waiting.
    """
    if not by.strip():
        raise UsageError("A decision needs a name.", hint="Say who decides with --by NAME.")
    if also and decision == "edit":
        raise UsageError("A text is one unit's.", hint="Leave --also out, and edit one unit after the other.")
    settings = load(flags=model_flags(runs=runs)).settings
    folder = existing_run(Path(settings.runs), run)
    text = _text(text_file)
    redactor = redactor_of(settings)
    with own_run(folder, system_clock, redactor=redactor) as owned:
        plan = recorded_plan(owned.journal)
        if plan is None:
            raise UsageError(f"The run {run} was stopped before it had a plan.", hint="Start it again.")
        # A new text is judged by everything that the run was started with; nothing else is judged again.
        kind = kind_of(plan) if decision == "edit" else kind_to_settle_with(plan)
        opened = View(folder, owned.journal, plan, kind)
        stories = [opened.story(name) for name in dict.fromkeys((unit, *(also or ())))]
        neighbours = neighbours_of(plan, opened.kind, owned.journal)
        held = seated(folder, owned.journal, plan, opened.kind, Means(redactor=redactor)).why_not_held
        deciding = Deciding(owned.journal, examining_of(plan, opened.kind), neighbours, redactor, held)
        screen = Screen(sys.stdout, no_color=no_color)
        with _told_of(text_file):
            rows = _decided(deciding, stories, decision, by=by.strip(), note=note, text=text)
        for row in rows:
            screen.line(("strong", row.id), f"  {row.state}  {reason_of(opened.kind, row)}")
        [row, *_] = rows
        if row.reason == "edit_has_errors":
            rules = ", ".join(open_rules(owned.journal, row))
            screen.line("  The text is kept, but it still ", f"breaks: {rules}" if rules else BELOW)
            return 1
        refusal = held(row) if decision == "edit" else None
        if refusal is not None:
            screen.line("  ", ("warning", "Its document cannot hold this text: "), refusal)
        screen.line(("faint", _todo(opened)))
    return 0


def _decided(
    deciding: Deciding,
    stories: Sequence[UnitStory],
    decision: Decision,
    *,
    by: str,
    note: str | None,
    text: str | None,
) -> list[UnitRow]:
    """The units after the decision: it is about all of them, so it is refused where one of them does not allow it."""
    for story in stories if len(stories) > 1 else ():
        deciding.consequence(story.row, story.source, decision, by=by, note=note, text=text)
    return [deciding.decide(each.row, each.source, decision, by=by, note=note, text=text) for each in stories]


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
