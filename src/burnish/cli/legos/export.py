"""`burnish legos export`: a course in another store, with nothing lost."""

from __future__ import annotations

import sys
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Literal

import typer

from burnish.app.reports.words import counted
from burnish.app.terminal import Screen
from burnish.app.wire import json_text
from burnish.cli.options import JsonOutput, NoColor
from burnish.core.errors import UsageError
from burnish.kinds.legos.evolving import LEDGER, OVERLAY
from burnish.store.files import disk_refusals
from burnish.store.paths import operator_path
from burnish.store.records import open_records
from burnish.store.records.copying import copy_course

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
    with open_records(source, store, read_only=True) as records:
        problems = records.problems()
        prompts = _prompts(source)
        copied = copy_course(records, target, into, gzip=gzip, keep=keep, more=prompts)
    screen = Screen(sys.stdout, no_color=no_color)
    if json:
        left = [{"path": one.where, "message": one.message} for one in problems]
        screen.stream.write(
            json_text({"to": str(target), "into": into, **asdict(copied), "prompts": [*prompts], "left": left}) + "\n"
        )
    else:
        for one in problems:
            screen.line(("path", one.where), ": ", ("warning", "left out"), f"  {one.message}")
        beside = f"; {counted(copied.archived, 'attempt')} in the archive" if keep is not None else ""
        learnt = f", with {' and '.join(prompts)}" if prompts else ""
        screen.line(
            ("strong", counted(copied.seeds, "SEED")),
            f" and {counted(copied.legos, 'LEGO')} copied to ",
            ("path", str(target)),
            f"{learnt}{beside}",
        )
    return BAD_INPUT if problems else 0


def _prompts(source: Path) -> dict[str, bytes]:
    """What the prompt of the course has learnt: file -> its bytes."""
    found = {}
    for name in PROMPTS:
        if (source / name).is_file():
            with disk_refusals("read", source / name):
                found[name] = (source / name).read_bytes()
    return found
