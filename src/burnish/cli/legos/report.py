"""`burnish legos report`: how good the cuts of a course are, and who is needed where."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import Annotated

import typer

from burnish.app.legos.reporting import report_on, write_reports
from burnish.app.legos.showing import show_course
from burnish.app.legos.waiting import waiting_run
from burnish.app.loading import load
from burnish.app.terminal import Screen
from burnish.app.wire import json_text
from burnish.cli.endings import named
from burnish.cli.options import JsonOutput, NoColor, Runs, model_flags
from burnish.store.paths import operator_path
from burnish.store.records import Store, open_records

BAD_INPUT = 2


def report(
    dir: Annotated[str, typer.Argument(metavar="DIR", help="The course's folder.")],
    store: Annotated[
        Store | None,
        typer.Option("--store", help="Where its records are. Default: whichever of the two is there."),
    ] = None,
    runs: Runs = None,
    json: JsonOutput = False,
    no_color: NoColor = False,
) -> int:
    """Say how a course stands, and write its reports anew: quality_reports/ and teaching_order.json in its folder.

    No record is changed. Exit code 0: done. 2: records or files that cannot be used are left out; they are named.
    """
    folder = operator_path(dir)
    with open_records(folder, store, read_only=True) as records:
        made = report_on(folder, records)
    written = write_reports(folder, made)
    screen = Screen(sys.stdout, no_color=no_color)
    if json:
        screen.stream.write(json_text(made.as_wire()) + "\n")
    else:
        waiting = waiting_run(Path(load(flags=model_flags(runs=runs)).settings.runs), folder)
        run, seeds = (named(waiting.folder), waiting.seeds) if waiting is not None else ("", frozenset[str]())
        show_course(screen, made, shlex.quote(dir), run, seeds)
        screen.gap()
        screen.line(("faint", f"{len(written)} reports written to "), ("path", str(folder)))
    return BAD_INPUT if made.problems else 0
