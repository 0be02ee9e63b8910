"""`burnish legos import`, `report` and `score`: pairs into a course, how good its cuts are, and cuts made by hand."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from burnish.app.course_delivery import report_on, write_reports
from burnish.app.course_exchange import Imported, import_pairs
from burnish.app.course_extraction import waiting_run
from burnish.app.course_text import show_course, show_scores
from burnish.app.labels import counted
from burnish.app.materials import read_file
from burnish.app.terminal import Role, Screen
from burnish.cli.legos import CourseFolder, InfinitiveTo, IronRuleVariant, RecordStore, Scoring
from burnish.cli.options import Output, RunFolderOption, Runs
from burnish.cli.summary import named
from burnish.core.documents import Problem
from burnish.core.errors import UsageError
from burnish.kinds.legos.hand_cuts import FORMATS, HandCut, Scored, read_cuts, score_cuts, summary
from burnish.kinds.legos.iron_rule import IronRule
from burnish.kinds.legos.model import Course
from burnish.kinds.legos.pairs import PairFormat
from burnish.kinds.legos.reports.inventory import Order
from burnish.kinds.legos.scoring import SCORING_VERSION
from burnish.store.paths import operator_path
from burnish.store.records import Store, open_records

BAD_INPUT, BELOW = 2, 1
LARGEST = 64 << 20
"""Bytes of a file of cuts: more than 10,000 SEEDs have."""
MOST_PROBLEMS = 20


def import_(
    pairs: Annotated[str, typer.Argument(metavar="PAIRS", help="A row a pair: .tsv, .csv, .jsonl, .xlsx or .apkg.")],
    course: Annotated[
        str, typer.Option("--course", metavar="CODE", help="Course code, for example mkd_for_eng_574seeds.")
    ],
    output: Output,
    dir: Annotated[
        str | None, typer.Option("--dir", metavar="DIR", help="The course's folder. Default: named as the course.")
    ] = None,
    format: Annotated[
        PairFormat | None, typer.Option("--format", help="How to read PAIRS. Default: as its name ends.")
    ] = None,
    store: Annotated[
        Store | None, typer.Option("--store", help="A file for each record, or one database. Default: files.")
    ] = None,
    replace: Annotated[
        bool,
        typer.Option("--replace", help="Give SEEDs that are there the sentences of their id in PAIRS; their LEGOs go."),
    ] = False,
) -> int:
    """Take sentence pairs into a course: source first, then target, one pair a row.

    A header (source, target, seed_id, Front and Back, or the languages of the course) may say which column is which;
    JSONL has these fields. Other columns, such as audio or notes, stay with the SEED. Without a header there are two
    columns, or three of which one has ids such as C0001. Pairs that the course has already are left as they are, so
    importing again changes nothing. New pairs get the next free SEED ids. Exit code 0:
    done. 2: rows that cannot be used are named; all others are in the course.
    """
    named = Course.of(course)
    folder = operator_path(dir) if dir is not None else Path(named.code)
    imported = import_pairs(pairs, named, folder, format=format, store=store, replace=replace)
    if output.json:
        output.write(imported.as_wire())
    else:
        _tell_import(output.screen, Screen(sys.stderr, no_color=output.no_color), imported)
    return 0 if imported.is_whole else BAD_INPUT


def _tell_import(screen: Screen, errors: Screen, imported: Imported) -> None:
    shown = imported.problems[:MOST_PROBLEMS]
    for problem in shown:
        place = f"{problem.path}:{problem.line}" if problem.line else problem.path
        role: Role = "faint" if problem.code == "duplicate" else "warning"
        errors.line(("path", place), ": ", (role, problem.code), f"  {problem.message}")
    for hint in dict.fromkeys(problem.hint for problem in shown if problem.hint):
        errors.paragraph(hint, indent="        ", first=(("faint", "  hint: "),))
    if len(imported.problems) > MOST_PROBLEMS:
        errors.line(("faint", f"and {len(imported.problems) - MOST_PROBLEMS:,} more; --json lists all"))
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


def report(
    dir: CourseFolder,
    output: Output,
    store: RecordStore = None,
    runs: Runs = None,
    order: Annotated[
        Order | None,
        typer.Option("--order", help="How SEEDs follow each other in teaching_order.json. It stays until changed."),
    ] = None,
) -> int:
    """Say how a course stands, and write its reports anew: quality_reports/ and teaching_order.json in its folder.

    No record is changed. Exit code 0: done. 2: records or files that cannot be used are left out; they are named.
    """
    folder = operator_path(dir)
    with open_records(folder, store, read_only=True) as records:
        made = report_on(folder, records, order=order)
    written = write_reports(folder, made)
    screen = output.screen
    if output.json:
        output.write(made.as_wire())
    else:
        waiting = waiting_run(RunFolderOption(runs).path, folder)
        run, seeds = (named(waiting.folder), waiting.seeds) if waiting is not None else ("", frozenset[str]())
        show_course(screen, made, shlex.quote(dir), run, seeds)
        screen.gap()
        screen.line(("faint", f"{len(written)} reports written to "), ("path", str(folder)))
    return BAD_INPUT if made.problems else 0


def score(
    file: Annotated[
        str, typer.Argument(metavar="FILE", help="Cuts: .tsv or .csv, a row a LEGO; .jsonl or .json, an object a SEED.")
    ],
    output: Output,
    course: Annotated[
        str | None,
        typer.Option("--course", metavar="CODE", help="Languages of the SEEDs that name no course: mkd_for_eng."),
    ] = None,
    iron_rule: IronRuleVariant = None,
    infinitive_to: InfinitiveTo = None,
    scoring: Scoring = None,
) -> int:
    """Score cuts that were made by hand, as every extraction is scored. Nothing is written, no model is called.

    A table has the columns source, target, lego_source, lego_target, and may have seed_id and course_code. JSON has
    {"source", "target", "legos": [{"source", "target"}]}. Exit code 0: all SEEDs are accepted. 1: some are not.
    2: input that cannot be used as it stands; the rest of it is scored all the same.
    """
    format = FORMATS.get(Path(file).suffix.lower())
    if format is None:
        raise UsageError(
            f"The name {file} does not say how the cuts are written down.", hint=f"Endings: {', '.join(FORMATS)}."
        )
    read = list(read_cuts(read_file(operator_path(file), LARGEST), file, format))
    cuts = [one for one in read if isinstance(one, HandCut)]
    problems = [one for one in read if isinstance(one, Problem)]
    scored = score_cuts(cuts, course, IronRule.of(iron_rule, infinitive_to), scoring or SCORING_VERSION)
    if output.json:
        output.write(_as_wire(file, scored, problems))
    else:
        show_scores(output.screen, scored, problems)
    if problems:
        return BAD_INPUT
    return 0 if all(one.status == "accepted" for one in scored) else BELOW


def _as_wire(file: str, scored: list[Scored], problems: list[Problem]) -> dict[str, Any]:
    return {
        "file": file,
        "summary": summary(scored, problems),
        "seeds": [one.as_wire() for one in scored],
        "problems": [
            {"code": one.code, "message": one.message, "line": one.line, "field": one.field} for one in problems
        ],
    }
