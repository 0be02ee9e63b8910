"""`burnish legos import`: sentence pairs into a course folder."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Literal

import typer

from burnish.kinds.legos.courses import Course
from burnish.store.paths import operator_path
from burnish.surfaces.cli.options import JsonOutput, NoColor
from burnish.surfaces.legos.courses import Imported, import_pairs
from burnish.surfaces.reports.words import counted
from burnish.surfaces.terminal import Role, Screen
from burnish.surfaces.wire import json_text

BAD_INPUT = 2
MOST_TOLD = 20


def import_(
    pairs: Annotated[str, typer.Argument(metavar="PAIRS", help="A row a pair: .tsv, .csv or .jsonl.")],
    course: Annotated[str, typer.Option("--course", metavar="CODE", help="Who is taught what: mkd_for_eng_574seeds.")],
    dir: Annotated[
        str | None, typer.Option("--dir", metavar="DIR", help="The course's folder. Default: named as the course.")
    ] = None,
    format: Annotated[
        Literal["tsv", "csv", "jsonl"] | None,
        typer.Option("--format", help="How to read PAIRS. Default: as its name ends."),
    ] = None,
    store: Annotated[
        Literal["files", "sqlite"] | None,
        typer.Option("--store", help="A file for each record, or one database. Default: files."),
    ] = None,
    json: JsonOutput = False,
    no_color: NoColor = False,
) -> int:
    """Take sentence pairs into a course: source first, then target, one pair a row.

    A header (source, target, seed_id) may say which column is which; JSONL has these fields. Pairs that the course has
    already are left as they are, so importing again changes nothing. New pairs get the next free SEED ids. Exit code 0:
    done. 2: rows that cannot be used are named; all others are in the course.
    """
    named = Course.of(course)
    folder = operator_path(dir) if dir is not None else Path(named.code)
    imported = import_pairs(pairs, named, folder, format=format, store=store)
    if json:
        sys.stdout.write(json_text(imported.as_wire()) + "\n")
    else:
        _tell(Screen(sys.stdout, no_color=no_color), Screen(sys.stderr, no_color=no_color), imported)
    return 0 if imported.is_whole else BAD_INPUT


def _tell(screen: Screen, errors: Screen, imported: Imported) -> None:
    for problem in imported.problems[:MOST_TOLD]:
        place = f"{problem.path}:{problem.line}" if problem.line else problem.path
        role: Role = "faint" if problem.code == "duplicate" else "warning"
        errors.line(("path", place), ": ", (role, problem.code), f"  {problem.message}")
    if len(imported.problems) > MOST_TOLD:
        errors.line(("faint", f"and {len(imported.problems) - MOST_TOLD:,} more; --json tells all"))
    ids = f" ({imported.added[0]} to {imported.added[-1]})" if len(imported.added) > 1 else ""
    screen.line(
        ("strong", imported.course.code),
        f"  {counted(len(imported.added), 'new SEED')}{ids}, {imported.unchanged:,} there already",
    )
    screen.line(("faint", "next: "), f"burnish legos extract {imported.folder}")
