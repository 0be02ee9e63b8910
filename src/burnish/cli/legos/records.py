"""`burnish legos validate`, `migrate`, `archive` and `export`: the records of a course looked after."""

from __future__ import annotations

import sys
from dataclasses import asdict
from itertools import groupby
from pathlib import Path
from typing import Annotated

import typer

from burnish.app.course_delivery import report_on
from burnish.app.course_exchange import WRITERS, Contents, course_table, write_table
from burnish.app.course_files import Migration, Validation, found_files, migrate_files, validated
from burnish.app.course_text import show_problems
from burnish.app.labels import counted
from burnish.app.terminal import Screen
from burnish.cli.legos import CourseFolder, RecordStore
from burnish.cli.options import Output
from burnish.core.errors import UsageError
from burnish.kinds.legos.evolution import LEDGER, OVERLAY
from burnish.store.files import disk_refusals
from burnish.store.paths import operator_path
from burnish.store.records import Store, copy_course, open_records

INVALID, BAD_INPUT = 1, 2
MOST_FILES = 100
"""Files whose slips are shown; --json has all."""


def validate(
    paths: Annotated[
        list[str], typer.Argument(metavar="PATH...", help="Course folders, records (.json, .json.gz), databases.")
    ],
    output: Output,
) -> int:
    """Say whether records keep their schema and the eight rules, and whether reports have their shape.

    In a course's folder everything is looked at that Burnish writes there. Nothing is changed. Exit code 0: valid,
    warnings or not. 1: there are errors. 2: a path that cannot be used, or a
    folder with nothing in it.
    """
    validation = validated(found_files(paths, must_hold=True))
    if output.json:
        output.write(validation.as_wire())
    else:
        _tell_validation(output.screen, validation)
    return INVALID if validation.invalid else 0


def _tell_validation(screen: Screen, validation: Validation) -> None:
    by_file = [(where, list(slips)) for where, slips in groupby(validation.slips, key=lambda told: told[0])]
    for where, told in by_file[:MOST_FILES]:
        screen.line(("path", where))
        for _, slip in sorted(told, key=lambda one: one[1].level):
            head = f"{slip.field}: " if slip.field else ""
            first = ("  ", (slip.level, f"{slip.level:<9}"))
            screen.paragraph(f"{head}{slip.message}  ({slip.rule})", indent=" " * 11, first=first)
        screen.gap()
    if len(by_file) > MOST_FILES:
        screen.line(("faint", f"and {len(by_file) - MOST_FILES:,} more; --json lists all"))
        screen.gap()
    valid = validation.records - validation.invalid
    warned = f", {validation.warned:,} of them with warnings" if validation.warned else ""
    looked_at = counted(validation.records, "record")
    if validation.invalid:
        screen.line(("error", f"{validation.invalid:,} of {looked_at} not valid"), f"; {valid:,} valid{warned}")
    else:
        screen.line(("good", f"{looked_at} valid"), warned)


MOST_LEFT = 20


def migrate(
    paths: Annotated[
        list[str], typer.Argument(metavar="PATH...", help="Course folders, records (.json, .json.gz), databases.")
    ],
    output: Output,
) -> int:
    """Give old translations the fields of the self-review, where they lie. Records of today stay as they are.

    One whose LEGOs are there gets a first attempt in the name of those who cut them, accepted with 7.5. No recorded
    score is changed. LEGOs that do not say where they stand are looked up in the sentences of their SEED. Exit code 0:
    done. 2: some could not be migrated, or would not be valid; they are named, and left as they are.
    """
    migration = migrate_files(found_files(paths))
    if output.json:
        output.write(migration.as_wire())
    else:
        _tell_migration(output.screen, Screen(sys.stderr, no_color=output.no_color), migration)
    return BAD_INPUT if migration.left else 0


def _tell_migration(screen: Screen, errors: Screen, migration: Migration) -> None:
    for error in migration.left[:MOST_LEFT]:
        errors.line(("path", error.path or ""), ": ", ("warning", "left as it is"), f"  {error.message}")
        if error.hint:
            errors.line(("faint", "  hint: "), error.hint)
    if len(migration.left) > MOST_LEFT:
        errors.line(("faint", f"and {len(migration.left) - MOST_LEFT:,} more; --json lists all"))
    legos = f", {counted(migration.legos, 'LEGO')} among them" if migration.legos else ""
    synthetic = f", {migration.synthetic:,} with a first attempt for the LEGOs they had" if migration.synthetic else ""
    current = f"; {counted(migration.current, 'SEED')} needed no change" if migration.current else ""
    screen.line(("strong", f"{counted(len(migration.migrated), 'record')} migrated"), f"{legos}{synthetic}{current}")


def archive(
    dir: CourseFolder,
    output: Output,
    keep: Annotated[
        int | None, typer.Option("--keep", min=1, metavar="N", help="Attempts of a SEED that stay at hand. Default: 1.")
    ] = None,
    restore: Annotated[bool, typer.Option("--restore", help="Bring all attempts back.")] = False,
    store: RecordStore = None,
) -> int:
    """Move older attempts of every SEED into an archive beside the records, so that these stay small.

    Nothing is lost: reports, runs and `burnish legos validate` still count them, and --restore brings them back.
    """
    if restore and keep is not None:
        raise UsageError("--keep and --restore are opposites.", hint="Give one of them.")
    with open_records(operator_path(dir), store, must_exist=True) as records:
        moved = records.restore() if restore else records.archive(keep or 1)
    if output.json:
        output.write({"restored" if restore else "in_archive": moved})
    else:
        output.screen.line(("strong", counted(moved, "attempt")), " brought back" if restore else " in the archive")
    return 0


PROMPTS = (OVERLAY, LEDGER)
"""What a course has beside its records that cannot be made from them."""


def export(
    dir: CourseFolder,
    to: Annotated[
        str,
        typer.Option(
            "--to",
            metavar="PATH",
            help="A folder for a copy of the course, or a file: .apkg (Anki), .xlsx, .csv or .tsv.",
        ),
    ],
    output: Output,
    into: Annotated[Store, typer.Option("--into", help="How the copy is kept.")] = "files",
    store: RecordStore = None,
    gzip: Annotated[bool, typer.Option("--gzip", help="Files of the copy are compressed.")] = False,
    keep: Annotated[
        int | None,
        typer.Option("--keep", min=1, metavar="N", help="Attempts of a SEED that stay at hand; older are archived."),
    ] = None,
    what: Annotated[
        Contents, typer.Option("--what", help="What a file holds. practice is a plan of spaced repetition.")
    ] = "legos",
) -> int:
    """Write a course for learners or other programs, or copy all its records into another store.

    A file has the LEGOs, the SEEDs or a plan of practice, in the order of teaching; audio and notes that were imported
    go with them. A folder gets a copy of all records, from files to SQLite and back, the same JSON on both sides.
    Attempts that are in the archive stay there. The rules that its prompt has learnt, and the ledger of what was tried,
    go with it; reports are made anew by `burnish legos report`. Exit code 0: done. 2: files that cannot be read were
    left out; they are named.
    """
    source, target = operator_path(dir), operator_path(to)
    if target.suffix.lower() in WRITERS:
        return _export_file(source, target, what, output, store)
    if gzip and into == "sqlite":
        raise UsageError("A database is compressed anyway.", hint="Leave --gzip out.")
    with open_records(source, store, read_only=True) as records:
        problems = records.problems()
        prompts = _prompts(source)
        copied = copy_course(records, target, into, gzip=gzip, keep=keep, more=prompts)
    screen = output.screen
    if output.json:
        left = [{"path": one.where, "message": one.message} for one in problems]
        output.write({"to": str(target), "into": into, **asdict(copied), "prompts": [*prompts], "left": left})
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


def _export_file(folder: Path, file: Path, what: Contents, output: Output, store: RecordStore) -> int:
    with open_records(folder, store, read_only=True) as records:
        made = report_on(folder, records)
        table = course_table(records, made["teaching_order"], what)
    write_table(table, file)
    if output.json:
        output.write({"to": str(file), "what": what, "rows": len(table.rows), "left_out": len(made.problems)})
    else:
        show_problems(output.screen, [(str(one), one.hint) for one in made.problems])
        noun = {"legos": "LEGO", "seeds": "SEED", "practice": "step"}[what]
        output.screen.line(("strong", counted(len(table.rows), noun)), " written to ", ("path", str(file)))
    return BAD_INPUT if made.problems else 0


def _prompts(source: Path) -> dict[str, bytes]:
    """What the prompt of the course has learnt: file -> its bytes."""
    found = {}
    for name in PROMPTS:
        if (source / name).is_file():
            with disk_refusals("read", source / name):
                found[name] = (source / name).read_bytes()
    return found
