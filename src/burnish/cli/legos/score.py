"""`burnish legos score`: what cuts that were made by hand are worth."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from burnish.app.legos.cuts import show_scores
from burnish.app.materials import read_file
from burnish.app.terminal import Screen
from burnish.app.wire import json_text
from burnish.cli.options import JsonOutput, NoColor
from burnish.core.documents import Problem
from burnish.core.errors import UsageError
from burnish.kinds.legos.hand_cuts import FORMATS, Format, HandCut, read_cuts
from burnish.kinds.legos.hand_scores import Scored, score_cuts, summary
from burnish.kinds.legos.iron_rule import IronRule, Variant
from burnish.store.paths import operator_path

LARGEST = 64 << 20
"""Bytes of a file: more than 10,000 SEEDs have."""
BAD_INPUT, BELOW = 2, 1


def score(
    file: Annotated[
        str,
        typer.Argument(metavar="FILE", help="Cuts: .tsv or .csv, a row a LEGO; .jsonl or .json, an object a SEED."),
    ],
    course: Annotated[
        str | None,
        typer.Option("--course", metavar="CODE", help="Languages of the SEEDs that name no course: mkd_for_eng."),
    ] = None,
    iron_rule: Annotated[
        Variant, typer.Option("--iron-rule", help="phrase_aware lets a LEGO begin with a preposition and its object.")
    ] = "strict",
    infinitive_to: Annotated[
        bool,
        typer.Option("--infinitive-to/--no-infinitive-to", help='Whether the "to" of "to be" counts as a preposition.'),
    ] = True,
    json: JsonOutput = False,
    no_color: NoColor = False,
) -> int:
    """Score cuts that were made by hand, as every extraction is scored. Nothing is written, no model is called.

    A table has the columns source, target, lego_source, lego_target, and may have seed_id and course_code. JSON has
    {"source", "target", "legos": [{"source", "target"}]}. Exit code 0: all SEEDs are accepted. 1: some are not.
    2: input that cannot be used as it stands; the rest of it is scored all the same.
    """
    read = list(read_cuts(read_file(operator_path(file), LARGEST), file, _format(file)))
    cuts = [one for one in read if isinstance(one, HandCut)]
    problems = [one for one in read if isinstance(one, Problem)]
    scored = score_cuts(cuts, course, IronRule(iron_rule, infinitive_to))
    screen = Screen(sys.stdout, no_color=no_color)
    if json:
        screen.stream.write(json_text(_as_wire(file, scored, problems)) + "\n")
    else:
        show_scores(screen, scored, problems)
    if problems:
        return BAD_INPUT
    return 0 if all(one.status == "accepted" for one in scored) else BELOW


def _format(file: str) -> Format:
    format = FORMATS.get(Path(file).suffix.lower())
    if format is None:
        raise UsageError(
            f"The name {file} does not say how the cuts are written down.", hint=f"Endings: {', '.join(FORMATS)}."
        )
    return format


def _as_wire(file: str, scored: list[Scored], problems: list[Problem]) -> dict[str, Any]:
    return {
        "file": file,
        "summary": summary(scored, problems),
        "seeds": [one.as_wire() for one in scored],
        "problems": [
            {"code": one.code, "message": one.message, "line": one.line, "field": one.field} for one in problems
        ],
    }
