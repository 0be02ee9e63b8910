"""`burnish status`: how a run stands, and every blocker by name."""

from __future__ import annotations

import sys
from pathlib import Path

from burnish.engine.exporting import totals_record
from burnish.surfaces.cli.options import JsonOutput, NoColor, RunName, Runs, model_flags
from burnish.surfaces.cli.sittings import bill, open_rules, tell_waiting_unit
from burnish.surfaces.loading import load
from burnish.surfaces.runs import View, view
from burnish.surfaces.terminal import Screen
from burnish.surfaces.wire import json_text


def status(run: RunName, runs: Runs = None, json: JsonOutput = False, no_color: NoColor = False) -> int:
    """Counts by state, and every unit that waits for a person, with the reason."""
    folder = Path(load(flags=model_flags(runs=runs)).settings.runs)
    screen = Screen(sys.stdout, no_color=no_color)
    with view(folder, run) as opened:
        if json:
            screen.stream.write(json_text(_record(opened)) + "\n")
        else:
            _tell(opened, screen)
    return 0


def _record(run: View) -> dict[str, object]:
    waiting = run.journal.units(states=(run.kind.states.waiting,))
    return {
        "run_id": run.folder.id,
        "kind": run.plan.kind,
        "standing": run.standing,
        "states": run.journal.counts(),
        "blockers": [{"unit": row.id, "reason": row.reason, "rules": open_rules(run.journal, row)} for row in waiting],
        "totals": totals_record(run.journal.totals()),
    }


def _tell(run: View, screen: Screen) -> None:
    screen.line(("strong", run.folder.id), f"  {run.plan.kind}  {run.standing}")
    for document in run.plan.documents:
        screen.line("  ", ("path", document.path))
    for state, count in run.journal.counts().items():
        screen.line(f"  {count:>8,}  {state}")
    for row in run.journal.units(states=(run.kind.states.waiting,)):
        tell_waiting_unit(run.journal, row, screen)
    screen.line(*bill(run.journal.totals()))
