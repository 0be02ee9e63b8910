"""`burnish report`: a run, summed up: as text, as JSON, or as one page to send to someone."""

from __future__ import annotations

import sys
from contextlib import closing
from pathlib import Path
from typing import Annotated

import typer

from burnish.app.loading import load
from burnish.app.reports.run_report import run_report
from burnish.app.reports.run_text import show_report
from burnish.app.run_index import RunIndex
from burnish.app.terminal import Screen
from burnish.app.wire import json_text
from burnish.cli.options import JsonOutput, NoColor, RunName, Runs, model_flags
from burnish.store.paths import operator_path


def report(
    run: RunName,
    html: Annotated[
        str | None,
        typer.Option(
            "--html", metavar="FILE", help="Write one page that stands alone: no script, nothing from elsewhere."
        ),
    ] = None,
    runs: Runs = None,
    json: JsonOutput = False,
    no_color: NoColor = False,
) -> int:
    """Sum a run up: progress, what blocks it, findings by rule, scores, tokens and money, decisions of people, and how
    often people agreed with each rule and judge.

    The page shows the same with its charts, the kind's own view, and every unit that waits or was changed, with what
    was changed; of a long run the first of them, and it says how many more there are. Nothing of the run is changed.
    """
    settings = load(flags=model_flags(runs=runs)).settings
    screen = Screen(sys.stdout, no_color=no_color)
    with closing(RunIndex(Path(settings.runs))) as index:
        opened = index.open(run)
        if html is not None:
            # Templates are loaded only for whoever wants a page.
            from burnish.web.report_page import write_report

            written = write_report(opened, index.precision(), operator_path(html))
            if not json:
                screen.line("report: ", ("path", str(written)))
        if json:
            screen.stream.write(json_text(run_report(opened, index.precision()).model_dump(mode="json")) + "\n")
        elif html is None:
            show_report(screen, run_report(opened, index.precision()))
    return 0
