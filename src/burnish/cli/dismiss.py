"""`burnish dismiss`: say that a rule is wrong, about one claim or in a whole run."""

from __future__ import annotations

from contextlib import closing
from typing import Annotated

import typer

from burnish.app.dismissals import dismiss_claims, dismiss_rule, restore_rule
from burnish.app.labels import BulkResult, counted
from burnish.app.reviews import ReviewService
from burnish.app.run_index import RunIndex
from burnish.app.run_reader import RunReader
from burnish.app.runs import view
from burnish.app.terminal import Screen
from burnish.cli.options import RunFolderOption, RunName, TextOutput
from burnish.cli.units import SAVED, print_decisions, todo
from burnish.core.attempts import DISMISS
from burnish.core.errors import UsageError

MOST_LISTED = 10


def dismiss(
    run: RunName,
    runs: RunFolderOption,
    output: TextOutput,
    what: Annotated[str, typer.Argument(metavar="UNIT|RULE", help="The unit's id; or a rule, for the whole run.")],
    by: Annotated[str, typer.Option(metavar="NAME", help="Who decides. It is recorded.")],
    claims: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="CLAIM", help="Claims of rules in the unit, as `burnish show` lists them, or their rules."
        ),
    ] = None,
    note: Annotated[str | None, typer.Option(metavar="TEXT", help="The reason.")] = None,
    undo: Annotated[bool, typer.Option("--undo", help="Take the dismissal of a rule in the run back.")] = False,
    now: Annotated[
        bool,
        typer.Option("--now", help="While a process works on the run: apply it at its next pause, without waiting."),
    ] = False,
) -> int:
    """Dismiss what a rule claims: one claim, or all claims of a rule in a run. No model is asked.

    The unit is judged again without it. If nothing else is wrong, it is accepted, or goes to the readers who have not
    seen it yet: `burnish resume` asks them. A dismissal counts against the rule on the page Precision. What a judge
    says is not dismissed: accept the unit, or send it back. `burnish decide RUN UNIT undo` takes one back.

    To switch a rule off for good, name it in `ignore` of the table `[check]` of the settings. `burnish resume
    --ignore` leaves one out of a run before it claims anything.
    """
    if not by.strip():
        raise UsageError("A decision needs a name.", hint="Say who decides with --by NAME.")
    if undo and (claims or note is not None):
        raise UsageError("--undo takes a rule alone.", hint="`burnish decide RUN UNIT undo` takes one claim back.")
    reviews, screen = ReviewService(runs.path, runs.settings), output.screen
    if claims:
        [row] = reviews.rows(run, [what])
        text = dismiss_claims(claims)
        made = reviews.record(run, what, DISMISS, by=by, note=note, text=text, seen=row.at, now=now)
        with view(runs.path, run) as found:
            return print_decisions(found, [made], screen, now=now)
    with closing(RunIndex(runs.path)) as index:
        opened = index.open(run)
        if undo:
            number = restore_rule(reviews, opened, what, by=by)
            screen.line(("strong", what), f"  counts again; {counted(number, opened.view.kind.noun)} as before.")
        else:
            _show(opened, dismiss_rule(reviews, opened, what, by=by, note=note), screen)
        screen.line(("faint", todo(opened.view)))
    return 0


def _show(run: RunReader, made: BulkResult, screen: Screen) -> None:
    noun = run.view.kind.noun
    screen.line(f"Dismissed in {counted(len(made.decided), noun)}.")
    if not made.in_effect:
        screen.line("  ", SAVED)
    for unit, why in [*made.passed_over.items()][:MOST_LISTED]:
        screen.line(("strong", unit), f"  left as it is: {why}")
