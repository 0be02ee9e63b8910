"""`burnish legos export`: a course in another store, with nothing lost."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Literal

import typer

from burnish.core.errors import UsageError
from burnish.kinds.legos.evolving import LEDGER, OVERLAY
from burnish.store.files import disk_refusals, make_folder, write_atomically
from burnish.store.paths import operator_path
from burnish.store.records import CourseRecords, FileRecords, SqliteRecords, open_records
from burnish.store.records.opening import DATABASE
from burnish.surfaces.cli.options import JsonOutput, NoColor
from burnish.surfaces.reports.words import counted
from burnish.surfaces.terminal import Screen
from burnish.surfaces.wire import json_text

BAD_INPUT = 2
PROMPTS = (OVERLAY, LEDGER)
"""What a course has beside its records that cannot be made from them."""


def export(
    dir: Annotated[str, typer.Argument(metavar="DIR", help="The course's folder.")],
    to: Annotated[str, typer.Option("--to", metavar="DIR", help="The folder of the copy; it holds no course yet.")],
    into: Annotated[Literal["files", "sqlite"], typer.Option("--into", help="How the copy is kept.")] = "files",
    store: Annotated[
        Literal["files", "sqlite"] | None,
        typer.Option("--store", help="Which records to copy. Default: whichever are there."),
    ] = None,
    gzip: Annotated[bool, typer.Option("--gzip", help="Files of the copy are compressed.")] = False,
    keep: Annotated[
        int | None,
        typer.Option("--keep", min=1, metavar="N", help="Attempts of a SEED that stay at hand; older are archived."),
    ] = None,
    json: JsonOutput = False,
    no_color: NoColor = False,
) -> int:
    """Copy all records of a course into another store: from files to SQLite and back, the same JSON on both sides.

    Attempts that are in the archive stay there. The rules that its prompt has learnt, and the ledger of what was tried,
    go with it; reports are made anew by `burnish legos report`. Exit code 0: done. 2: files that cannot be read were
    left out; they are named.
    """
    source, target = operator_path(dir), operator_path(to)
    if gzip and into == "sqlite":
        raise UsageError("A database is compressed anyway.", hint="Leave --gzip out.")
    with open_records(source, store) as records, _new(target, into, gzip=gzip) as copy:
        problems = records.problems()
        records.export_to(copy)
        archived = copy.archive(keep) if keep is not None else 0
        counts = {"seeds": len(copy.seed_ids()), "legos": sum(copy.lego_counts().values()), "archived": archived}
    prompts = _copy_prompts(source, target)
    screen = Screen(sys.stdout, no_color=no_color)
    if json:
        left = [{"path": one.where, "message": one.message} for one in problems]
        screen.stream.write(
            json_text({"to": str(target), "into": into, **counts, "prompts": prompts, "left": left}) + "\n"
        )
    else:
        for one in problems:
            screen.line(("path", one.where), ": ", ("warning", "left out"), f"  {one.message}")
        beside = f"; {counted(archived, 'attempt')} in the archive" if keep is not None else ""
        learnt = f", with {' and '.join(prompts)}" if prompts else ""
        screen.line(
            ("strong", counted(counts["seeds"], "SEED")),
            f" and {counted(counts['legos'], 'LEGO')} copied to ",
            ("path", str(target)),
            f"{learnt}{beside}",
        )
    return BAD_INPUT if problems else 0


def _copy_prompts(source: Path, target: Path) -> list[str]:
    """What the prompt of the course has learnt. Which files of it there are."""
    there = [name for name in PROMPTS if (source / name).is_file()]
    for name in there:
        with disk_refusals("read", source / name):
            data = (source / name).read_bytes()
        make_folder((target / name).parent)
        write_atomically(target / name, data)
    return there


def _new(folder: Path, into: str, *, gzip: bool) -> CourseRecords:
    """An empty store. One that holds something is left alone."""
    for name in PROMPTS:
        if (folder / name).exists():
            raise UsageError(f"There is a {name} in {folder} already.", hint="Name another folder with --to.")
    records: CourseRecords = SqliteRecords(folder / DATABASE) if into == "sqlite" else FileRecords(folder, gzip=gzip)
    if records.seed_ids() or records.lego_counts() or records.problems():
        records.close()
        raise UsageError(f"There is a course in {folder} already.", hint="Name another folder with --to.")
    return records
