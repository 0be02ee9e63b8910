"""`burnish legos archive`: old attempts out of the way, and back."""

from __future__ import annotations

import sys
from typing import Annotated, Literal

import typer

from burnish.app.reports.words import counted
from burnish.app.terminal import Screen
from burnish.app.wire import json_text
from burnish.cli.options import JsonOutput, NoColor
from burnish.core.errors import UsageError
from burnish.store.paths import operator_path
from burnish.store.records import open_records


def archive(
    dir: Annotated[str, typer.Argument(metavar="DIR", help="The course's folder.")],
    keep: Annotated[
        int | None, typer.Option("--keep", min=1, metavar="N", help="Attempts of a SEED that stay at hand. Default: 1.")
    ] = None,
    restore: Annotated[bool, typer.Option("--restore", help="Bring all attempts back.")] = False,
    store: Annotated[
        Literal["files", "sqlite"] | None,
        typer.Option("--store", help="Where the records are. Default: whichever of the two is there."),
    ] = None,
    json: JsonOutput = False,
    no_color: NoColor = False,
) -> int:
    """Move older attempts of every SEED into an archive beside the records, so that these stay small.

    Nothing is lost: reports, runs and `burnish legos validate` still count them, and --restore brings them back.
    """
    if restore and keep is not None:
        raise UsageError("--keep and --restore are opposites.", hint="Give one of them.")
    with open_records(operator_path(dir), store, must_exist=True) as records:
        moved = records.restore() if restore else records.archive(keep or 1)
    screen = Screen(sys.stdout, no_color=no_color)
    if json:
        screen.stream.write(json_text({"restored" if restore else "in_archive": moved}) + "\n")
    else:
        screen.line(("strong", counted(moved, "attempt")), " brought back" if restore else " in the archive")
    return 0
