"""`burnish runs`: every run in the folder."""

from __future__ import annotations

import sys
from dataclasses import asdict
from pathlib import Path

from burnish.app.loading import load
from burnish.app.reports.words import counted, minute
from burnish.app.runs import RunLine, run_lines
from burnish.app.terminal import Screen
from burnish.app.wire import json_text
from burnish.cli.options import JsonOutput, NoColor, Runs, model_flags


def runs(runs: Runs = None, json: JsonOutput = False, no_color: NoColor = False) -> int:
    """List the runs: kind, how they stand, how far they are, what they cost."""
    folder = Path(load(flags=model_flags(runs=runs)).settings.runs)
    screen = Screen(sys.stdout, no_color=no_color)
    lines = list(run_lines(folder))
    if json:
        shown = [asdict(line) if isinstance(line, RunLine) else {"id": line[0], "error": line[1]} for line in lines]
        screen.stream.write(json_text({"runs": shown}) + "\n")
        return 0
    if not lines:
        screen.line(f"No runs in {folder}. `burnish polish PATH` starts one.")
    for line in lines:
        _tell(line, screen)
    return 0


def _tell(line: RunLine | tuple[str, str], screen: Screen) -> None:
    if not isinstance(line, RunLine):
        screen.line(("strong", line[0]), "  ", ("error", line[1]))
        return
    waiting = f", {line.waiting} for a person" if line.waiting else ""
    accepted = counted(line.trials, "trial") if line.task else f"{line.ready} of {line.wanted} accepted"
    cost = f", {line.totals.usage.total_tokens:,} tokens" if line.totals.calls else ""
    screen.line(
        ("strong", line.id),
        f"  {line.kind} {line.task}".rstrip() + "  ",
        ("good" if line.standing == "published" else "warning", line.standing),
        f"  {accepted}{waiting}{cost}  ",
        ("faint", minute(line.started_at)),
    )
