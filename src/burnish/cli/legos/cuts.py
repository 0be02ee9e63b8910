"""`burnish legos cuts`: every SEED of a course with its LEGOs."""

from __future__ import annotations

import sys
from typing import Annotated, Literal

import typer

from burnish.app.legos.cut_lists import Choice, CutList, Sorting, cut_list, table
from burnish.app.legos.cut_pages import show_cuts
from burnish.app.terminal import Screen
from burnish.app.wire import json_text
from burnish.cli.options import NoColor
from burnish.store.paths import operator_path
from burnish.store.records import open_records

BAD_INPUT = 2


def cuts(
    dir: Annotated[str, typer.Argument(metavar="DIR", help="The course's folder.")],
    seeds: Annotated[list[str] | None, typer.Argument(metavar="SEED...", help="Only these, such as C0044.")] = None,
    waiting: Annotated[bool, typer.Option("--waiting", help="Only SEEDs that a person should look at.")] = False,
    below: Annotated[
        float | None, typer.Option("--below", min=0.0, max=10.0, metavar="SCORE", help="Only cuts that score less.")
    ] = None,
    doubtful: Annotated[
        bool, typer.Option("--doubtful", help="Only SEEDs with a LEGO whose halves may not say the same.")
    ] = False,
    sort: Annotated[Sorting, typer.Option("--sort", help="By SEED, or the lowest score or confidence first.")] = "seed",
    format: Annotated[
        Literal["text", "tsv", "json"],
        typer.Option("--format", help="tsv: a LEGO a row, for spreadsheets and flash cards."),
    ] = "text",
    store: Annotated[
        Literal["files", "sqlite"] | None,
        typer.Option("--store", help="Where the records are. Default: whichever of the two is there."),
    ] = None,
    no_color: NoColor = False,
) -> int:
    """Look through the cuts of a course: every SEED with its sentences, score and status, and its LEGOs.

    Beside each LEGO stands how sure it is that its halves say the same, from 0 to 1. Options narrow the list down
    together. In a table, a cell that a spreadsheet would take for a formula begins with an apostrophe. Nothing is
    written. Exit code 0: done. 2: records that cannot be used were left out; they are named.
    """
    folder = operator_path(dir)
    choice = Choice(frozenset(seed.upper() for seed in seeds or ()), waiting, below, doubtful)
    with open_records(folder, store, read_only=True) as records:
        found = cut_list(records, choice, sort)
    _show(found, format, sort, no_color=no_color)
    return BAD_INPUT if found.problems else 0


def _show(found: CutList, format: str, sort: Sorting, *, no_color: bool) -> None:
    if format == "text":
        show_cuts(Screen(sys.stdout, no_color=no_color), found)
        return
    if format == "json":
        sys.stdout.write(json_text(found.as_wire()) + "\n")
        return
    for line in table(found.seeds, sort):
        sys.stdout.write(line + "\n")
    errors = Screen(sys.stderr, no_color=no_color)
    for problem in found.problems:
        errors.line(("warning", "left out"), f"  {problem}")
