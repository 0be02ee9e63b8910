"""`burnish status`: how a run stands, and every blocker by name."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from burnish.app.loading import load
from burnish.app.reports.words import counted
from burnish.app.runs import View, counts_of, view
from burnish.app.terminal import Screen
from burnish.app.wire import json_text
from burnish.cli.endings import MOST_LISTED, bill, open_rules, tell_more, tell_waiting_unit
from burnish.cli.options import JsonOutput, NoColor, RunName, Runs, model_flags
from burnish.cli.sittings import hole_of, tell_endings
from burnish.core.records import EventRecord
from burnish.engine.exporting import totals_record
from burnish.engine.publishing import blockers, unreadable
from burnish.store.tray import Tray, TrayEntry


def status(run: RunName, runs: Runs = None, json: JsonOutput = False, no_color: NoColor = False) -> int:
    """Counts by state, and everything that keeps the run from being published.

    That is every part of the input that cannot be used, every unit that waits for a person, with the reason, and
    every unit that is not done yet. Decisions that were made while the run was at work are told, too.
    """
    folder = Path(load(flags=model_flags(runs=runs)).settings.runs)
    screen = Screen(sys.stdout, no_color=no_color)
    with view(folder, run) as opened:
        if json:
            screen.stream.write(json_text(_record(opened)) + "\n")
        else:
            _tell(opened, screen)
    return 0


def _record(run: View) -> dict[str, object]:
    return {
        "run_id": run.folder.id,
        "kind": run.plan.kind,
        "standing": run.standing,
        "states": counts_of(run),
        "tray": [_laid(entry) for entry in Tray(run.folder.tray).entries()],
        "blockers": [*(_input_blocker(part) for part in unreadable(run.journal)), *_unit_blockers(run)],
        "totals": totals_record(run.journal.totals()),
    }


def _input_blocker(part: EventRecord) -> dict[str, object]:
    place = {"document": part.data["document"], "line": part.data["line"], "message": part.data["message"]}
    return {"unit": None, "state": None, "reason": "unreadable_input", "rules": [], **place}


def _unit_blockers(run: View) -> Iterator[dict[str, object]]:
    for row in blockers(run.journal, run.kind):
        place = {"document": row.document, "line": None, "message": None}
        yield {
            "unit": row.id,
            "state": row.state,
            "reason": row.reason,
            "rules": open_rules(run.journal, row),
            **place,
        }


def _laid(entry: TrayEntry) -> dict[str, object]:
    """A decision that is not in effect yet, or could not be."""
    said = {"unit": entry.unit, "verdict": entry.verdict, "by": entry.by, "note": entry.note, "at": entry.at}
    return {**said, "could_not_be_put_into_effect": entry.why, "delayed": entry.delay}


def _tell_tray(run: View, screen: Screen) -> None:
    """Decisions that people made while the run was at work."""
    entries = Tray(run.folder.tray).entries()
    waiting = sum(entry.why is None for entry in entries)
    if waiting:
        lie = f"{counted(waiting, 'decision')} {'lies' if waiting == 1 else 'lie'} in the tray"
        screen.line("  ", ("info", "tray     "), f"{lie}: put into effect when the run rests, or by the next `resume`.")
    for entry in entries:
        if entry.why is not None or entry.delay is not None:
            yet = "" if entry.why is not None else " yet"
            said = f"  {entry.verdict} by {entry.by} could not be put into effect{yet}: {entry.why or entry.delay}"
            screen.line("  ", ("warning", "tray     "), ("strong", entry.unit), said)


def _tell(run: View, screen: Screen) -> None:
    screen.line(("strong", run.folder.id), f"  {run.plan.kind} {run.plan.task}".rstrip(), f"  {run.standing}")
    for document in run.plan.documents:
        screen.line("  ", ("path", document.path))
    for state, count in counts_of(run).items():
        screen.line(f"  {count:>8,}  {state}")
    waiting = run.journal.counts().get(run.kind.states.waiting, 0)
    tell_endings(run.kind, run.journal, screen, waiting=waiting)
    _tell_tray(run, screen)
    for part in unreadable(run.journal):
        screen.line("  ", ("error", "input    "), hole_of(part))
    open = 0
    for row in blockers(run.journal, run.kind):
        if row.state == run.kind.states.waiting:
            tell_waiting_unit(run.kind, run.journal, row, screen)
            continue
        open += 1
        if open <= MOST_LISTED:
            screen.line("  ", ("info", "open     "), ("strong", row.id), f"  {row.state}")
    tell_more(open, screen)
    for trial in run.journal.events(types=("trial_settled",)):
        screen.line(f"  {trial.data['decision']:>10}  ", trial.data["text"])
    screen.line(*bill(run.journal.totals()))
