"""`burnish legos validate`: whether the files of a course are what they should be."""

from __future__ import annotations

import sys
from itertools import groupby
from typing import Annotated

import typer

from burnish.app.legos.course_files import found_files
from burnish.app.legos.validating import Validation, validated
from burnish.app.reports.words import counted
from burnish.app.terminal import Screen
from burnish.app.wire import json_text
from burnish.cli.options import JsonOutput, NoColor

INVALID = 1
MOST_TOLD = 100
"""Files whose slips are shown; --json has all."""


def validate(
    paths: Annotated[
        list[str], typer.Argument(metavar="PATH...", help="Course folders, records (.json, .json.gz), databases.")
    ],
    json: JsonOutput = False,
    no_color: NoColor = False,
) -> int:
    """Say whether records keep their schema and the eight rules, and whether reports have their shape.

    In a course's folder everything is looked at that Burnish writes there. Nothing is changed. Exit code 0: valid,
    warnings or not. 1: there are errors. 2: a path that cannot be used, or a
    folder with nothing in it.
    """
    validation = validated(found_files(paths, must_hold=True))
    if json:
        sys.stdout.write(json_text(validation.as_wire()) + "\n")
    else:
        _tell(Screen(sys.stdout, no_color=no_color), validation)
    return INVALID if validation.invalid else 0


def _tell(screen: Screen, validation: Validation) -> None:
    by_file = [(where, list(slips)) for where, slips in groupby(validation.slips, key=lambda told: told[0])]
    for where, told in by_file[:MOST_TOLD]:
        screen.line(("path", where))
        for _, slip in sorted(told, key=lambda one: one[1].level):
            head = f"{slip.field}: " if slip.field else ""
            first = ("  ", (slip.level, f"{slip.level:<9}"))
            screen.paragraph(f"{head}{slip.message}  ({slip.rule})", indent=" " * 11, first=first)
        screen.gap()
    if len(by_file) > MOST_TOLD:
        screen.line(("faint", f"and {len(by_file) - MOST_TOLD:,} more; --json tells all"))
        screen.gap()
    _sum_up(screen, validation)


def _sum_up(screen: Screen, validation: Validation) -> None:
    valid = validation.records - validation.invalid
    warned = f", {validation.warned:,} of them with warnings" if validation.warned else ""
    looked_at = counted(validation.records, "record")
    if validation.invalid:
        screen.line(("error", f"{validation.invalid:,} of {looked_at} not valid"), f"; {valid:,} valid{warned}")
    else:
        screen.line(("good", f"{looked_at} valid"), warned)
