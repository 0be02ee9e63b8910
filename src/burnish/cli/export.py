"""`burnish export`: make every file of a run again from its journal."""

from __future__ import annotations

import sys
from pathlib import Path

from burnish.app.loading import load
from burnish.app.materials import kind_to_settle_with
from burnish.app.seating import seated
from burnish.app.secrecy import redactor_of
from burnish.app.terminal import Screen
from burnish.app.wire import json_text
from burnish.cli.options import JsonOutput, NoColor, RunName, Runs, model_flags
from burnish.core.errors import UsageError
from burnish.engine.means import Means
from burnish.engine.running import Outcome
from burnish.engine.session import recorded_plan
from burnish.store.clock import system_clock
from burnish.store.ownership import own_run
from burnish.store.paths import existing_run


def export(run: RunName, runs: Runs = None, json: JsonOutput = False, no_color: NoColor = False) -> int:
    """Write manifest, receipt, report, the kind's files and the candidates again; publish if nothing blocks.

    Exports are views of the journal. One that was edited by hand is named and made anew, never read.
    """
    settings = load(flags=model_flags(runs=runs)).settings
    folder = existing_run(Path(settings.runs), run)
    redactor = redactor_of(settings)
    with own_run(folder, system_clock, redactor=redactor) as owned:
        plan = recorded_plan(owned.journal)
        if plan is None:
            raise UsageError(f"The run {run} was stopped before it had a plan.", hint="Start it again.")
        if plan.task:
            raise UsageError(
                f"The run {run} holds no document to export: what it learnt lies in {plan.arguments['path']}.",
                hint="`burnish legos report DIR` shows it.",
            )
        kind = kind_to_settle_with(plan)
        stops = [str(stop.data["reason"]) for stop in owned.journal.events(types=("run_stopped",))]
        outcome = Outcome(owned.journal.counts(), owned.journal.totals(), stops[-1] if stops else "interrupted")
        result = seated(folder, owned.journal, plan, kind, Means(redactor=redactor)).write_out(outcome)
    screen = Screen(sys.stdout, no_color=no_color)
    if json:
        record = {
            "run_id": run,
            "folder": str(folder.root),
            "published": [proof.path for proof in result.published],
            "candidates": [proof.path for proof in result.candidates],
            "edited_by_hand": list(result.edited_exports),
        }
        screen.stream.write(json_text(record) + "\n")
        return 0
    for name in result.edited_exports:
        screen.line(("warning", "edited by hand, made anew: "), name)
    for proof in result.published or result.candidates:
        screen.line(("good", "published: ") if result.published else ("faint", "candidate: "), ("path", proof.path))
    screen.line("exports: ", ("path", str(folder.root)))
    return 0
