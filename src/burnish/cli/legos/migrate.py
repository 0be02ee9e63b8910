"""`burnish legos migrate`: records from before the self-review, made ones of today."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from burnish.app.legos.course_files import found_files
from burnish.app.legos.migrating import Migration, migrate_files
from burnish.app.reports.words import counted
from burnish.app.terminal import Screen
from burnish.app.wire import json_text
from burnish.cli.options import JsonOutput, NoColor

BAD_INPUT = 2
MOST_TOLD = 20


def migrate(
    paths: Annotated[
        list[str], typer.Argument(metavar="PATH...", help="Course folders, records (.json, .json.gz), databases.")
    ],
    json: JsonOutput = False,
    no_color: NoColor = False,
) -> int:
    """Give old translations the fields of the self-review, where they lie. Records of today stay as they are.

    One whose LEGOs are there gets a first attempt in the name of those who cut them, accepted with 7.5. No recorded
    score is changed. LEGOs that do not say where they stand are looked up in the sentences of their SEED. Exit code 0:
    done. 2: some could not be migrated, or would not be valid; they are named, and left as they are.
    """
    migration = migrate_files(found_files(paths))
    if json:
        sys.stdout.write(json_text(migration.as_wire()) + "\n")
    else:
        _tell(Screen(sys.stdout, no_color=no_color), Screen(sys.stderr, no_color=no_color), migration)
    return BAD_INPUT if migration.left else 0


def _tell(screen: Screen, errors: Screen, migration: Migration) -> None:
    for error in migration.left[:MOST_TOLD]:
        errors.line(("path", error.path or ""), ": ", ("warning", "left as it is"), f"  {error.message}")
        if error.hint:
            errors.line(("faint", "  hint: "), error.hint)
    if len(migration.left) > MOST_TOLD:
        errors.line(("faint", f"and {len(migration.left) - MOST_TOLD:,} more; --json tells all"))
    legos = f", {counted(migration.legos, 'LEGO')} among them" if migration.legos else ""
    synthetic = f", {migration.synthetic:,} with a first attempt for the LEGOs they had" if migration.synthetic else ""
    current = f"; {counted(migration.current, 'SEED')} needed no change" if migration.current else ""
    screen.line(("strong", f"{counted(len(migration.migrated), 'record')} migrated"), f"{legos}{synthetic}{current}")
