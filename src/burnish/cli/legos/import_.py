"""`burnish legos import`: sentence pairs into a course folder."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Literal

import typer

from burnish.app.legos.courses import Imported, import_pairs
from burnish.app.reports.words import counted
from burnish.app.terminal import Role, Screen
from burnish.app.wire import json_text
from burnish.cli.options import JsonOutput, NoColor
from burnish.kinds.legos.courses import Course
from burnish.store.paths import operator_path

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
    replace: Annotated[
        bool,
        typer.Option("--replace", help="Give SEEDs that are there the sentences of their id in PAIRS; their LEGOs go."),
    ] = False,
    json: JsonOutput = False,
    no_color: NoColor = False,
) -> int:
    """Take sentence pairs into a course: source first, then target, one pair a row.

    A header (source, target, seed_id, or the languages of the course) may say which column is which; JSONL has these
    fields. Without one there are two columns, or three of which one has ids such as C0001. Pairs that the course has
    already are left as they are, so importing again changes nothing. New pairs get the next free SEED ids. Exit code 0:
    done. 2: rows that cannot be used are named; all others are in the course.
    """
    named = Course.of(course)
    folder = operator_path(dir) if dir is not None else Path(named.code)
    imported = import_pairs(pairs, named, folder, format=format, store=store, replace=replace)
    if json:
        sys.stdout.write(json_text(imported.as_wire()) + "\n")
    else:
        _tell(Screen(sys.stdout, no_color=no_color), Screen(sys.stderr, no_color=no_color), imported)
    return 0 if imported.is_whole else BAD_INPUT


def _tell(screen: Screen, errors: Screen, imported: Imported) -> None:
    shown = imported.problems[:MOST_TOLD]
    for problem in shown:
        place = f"{problem.path}:{problem.line}" if problem.line else problem.path
        role: Role = "faint" if problem.code == "duplicate" else "warning"
        errors.line(("path", place), ": ", (role, problem.code), f"  {problem.message}")
    for hint in dict.fromkeys(problem.hint for problem in shown if problem.hint):
        errors.paragraph(hint, indent="        ", first=(("faint", "  hint: "),))
    if len(imported.problems) > MOST_TOLD:
        errors.line(("faint", f"and {len(imported.problems) - MOST_TOLD:,} more; --json tells all"))
    counts = [f"{counted(len(imported.added), 'new SEED')}{_ids(imported.added)}"]
    if imported.replaced:
        counts.append(f"{len(imported.replaced):,} with new sentences{_ids(imported.replaced)}, to be cut again")
    counts.append(f"{imported.unchanged:,} there already")
    screen.line(("strong", imported.course.code), f"  {', '.join(counts)}")
    screen.line(("faint", "next: "), f"burnish legos extract {shlex.quote(str(imported.folder))}")


def _ids(seeds: Sequence[str]) -> str:
    """The first and the last of them, in brackets."""
    if not seeds:
        return ""
    return f" ({seeds[0]})" if len(seeds) == 1 else f" ({seeds[0]} to {seeds[-1]})"
