"""`burnish legos`: a course and its records: import, report, score, validate, migrate, archive, export."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence
from dataclasses import asdict
from itertools import groupby
from pathlib import Path
from typing import Annotated, Any

import typer

from burnish.app.course_delivery import report_on, write_reports
from burnish.app.course_exchange import WRITERS, Contents, Imported, course_table, import_pairs, write_table
from burnish.app.course_extraction import waiting_run
from burnish.app.course_files import Migration, Validation, found_files, migrate_files, validated
from burnish.app.course_text import show_course, show_problems, show_scores
from burnish.app.labels import counted
from burnish.app.materials import read_file
from burnish.app.terminal import Role, Screen
from burnish.cli.execution import named
from burnish.cli.legos import CourseFolder, CutOptions, RecordStore
from burnish.cli.options import Output, RunFolderOption, Runs
from burnish.core.documents import Problem
from burnish.core.errors import UsageError
from burnish.kinds.legos.evolution import LEDGER, OVERLAY
from burnish.kinds.legos.hand_cuts import FORMATS, HandCut, Scored, read_cuts, score_cuts, summary
from burnish.kinds.legos.iron_rule import IronRule
from burnish.kinds.legos.model import Course
from burnish.kinds.legos.pairs import PairFormat
from burnish.kinds.legos.reports.inventory import Order
from burnish.kinds.legos.scoring import SCORING_VERSION
from burnish.store.files import disk_refusals
from burnish.store.paths import operator_path
from burnish.store.records import Store, copy_course, open_records

BAD_INPUT, INVALID, BELOW = 2, 1, 1
LARGEST = 64 << 20
"""Bytes of a file of cuts: more than 10,000 SEEDs have."""
MOST_PROBLEMS = 20


def import_(
    pairs: Annotated[
        str, typer.Argument(metavar="PAIRS", help="Sentence pairs, one a row: .tsv, .csv, .jsonl, .xlsx or .apkg.")
    ],
    course: Annotated[
        str, typer.Option("--course", metavar="CODE", help="Course code, for example mkd_for_eng_574seeds.")
    ],
    output: Output,
    dir: Annotated[
        str | None, typer.Option("--dir", metavar="DIR", help="Folder for the course. Default: the course code.")
    ] = None,
    format: Annotated[
        PairFormat | None, typer.Option("--format", help="Format of PAIRS. Default: by the ending of the file.")
    ] = None,
    store: Annotated[
        Store | None, typer.Option("--store", help="A file for each record, or one database. Default: files.")
    ] = None,
    replace: Annotated[
        bool,
        typer.Option(
            "--replace", help="Replace the sentences of SEEDs by those with the same id in PAIRS; their LEGOs go."
        ),
    ] = False,
) -> int:
    """Add sentence pairs to a course: source first, then target, one pair a row.

    A header (source, target, seed_id, Front and Back, or the languages of the course) may name the columns; JSONL has
    these fields. Other columns, such as audio or notes, stay with the SEED. Without a header there are two columns, or
    three, one of which has ids such as C0001. Pairs that the course already has stay as they are, so importing again
    changes nothing. New pairs get the next free SEED ids. Exit code 0: done. 2: some rows cannot be used; they are
    listed, and all others are in the course.
    """
    named = Course.of(course)
    folder = operator_path(dir) if dir is not None else Path(named.code)
    imported = import_pairs(pairs, named, folder, format=format, store=store, replace=replace)
    if output.json:
        output.write(imported.as_wire())
    else:
        _print_import(output.screen, Screen(sys.stderr, no_color=output.no_color), imported)
    return 0 if imported.is_whole else BAD_INPUT


def _print_import(screen: Screen, errors: Screen, imported: Imported) -> None:
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
    counts.append(f"{imported.unchanged:,} already there")
    screen.line(("strong", imported.course.code), f"  {', '.join(counts)}")
    screen.line(("faint", "next: "), f"burnish legos extract {shlex.quote(str(imported.folder))}")


def _ids(seeds: Sequence[str]) -> str:
    """The first and the last id, in brackets."""
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
        typer.Option("--order", help="Order of the SEEDs in teaching_order.json. It is kept until you change it."),
    ] = None,
) -> int:
    """Show the quality of a course, and write its reports again: quality_reports/ and teaching_order.json.

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
    cuts: CutOptions,
    output: Output,
    course: Annotated[
        str | None,
        typer.Option("--course", metavar="CODE", help="Languages of the SEEDs that name no course: mkd_for_eng."),
    ] = None,
) -> int:
    """Score cuts that were made by hand, as every extraction is scored. Nothing is written, no model is called.

    A table has the columns source, target, lego_source, lego_target, and may have seed_id and course_code. JSON has
    {"source", "target", "legos": [{"source", "target"}]}. Exit code 0: all SEEDs are accepted. 1: some are not.
    2: some input cannot be used; the rest is scored.
    """
    format = FORMATS.get(Path(file).suffix.lower())
    if format is None:
        raise UsageError(f"The format of {file} is not known.", hint=f"Endings: {', '.join(FORMATS)}.")
    read = list(read_cuts(read_file(operator_path(file), LARGEST), file, format))
    made = [one for one in read if isinstance(one, HandCut)]
    problems = [one for one in read if isinstance(one, Problem)]
    scored = score_cuts(made, course, IronRule.of(cuts.iron_rule, cuts.infinitive_to), cuts.scoring or SCORING_VERSION)
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


MOST_FILES = 100
"""Files whose errors are listed; --json has all."""


def validate(
    paths: Annotated[
        list[str], typer.Argument(metavar="PATH...", help="Course folders, records (.json, .json.gz), databases.")
    ],
    output: Output,
) -> int:
    """Check records against their schema and the eight rules, and reports against their schema.

    In a course's folder, everything that Burnish writes there is checked. Nothing is changed. Exit code 0: no errors;
    warnings are allowed. 1: there are errors. 2: a path cannot be used, or a folder has nothing to check.
    """
    validation = validated(found_files(paths, must_hold=True))
    if output.json:
        output.write(validation.as_wire())
    else:
        _print_validation(output.screen, validation)
    return INVALID if validation.invalid else 0


def _print_validation(screen: Screen, validation: Validation) -> None:
    by_file = [(where, list(slips)) for where, slips in groupby(validation.slips, key=lambda slip: slip[0])]
    for where, slips in by_file[:MOST_FILES]:
        screen.line(("path", where))
        for _, slip in sorted(slips, key=lambda one: one[1].level):
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
    """Add the fields of the self-review to old translations, in place. Current records stay as they are.

    A translation that has LEGOs gets a first attempt, accepted with a score of 7.5. Recorded scores are not changed.
    LEGOs without a position are located in the sentences of their SEED. Exit code 0: done. 2: some records cannot be
    migrated, or would not be valid; they are listed and left as they are.
    """
    migration = migrate_files(found_files(paths))
    if output.json:
        output.write(migration.as_wire())
    else:
        _print_migration(output.screen, Screen(sys.stderr, no_color=output.no_color), migration)
    return BAD_INPUT if migration.left else 0


def _print_migration(screen: Screen, errors: Screen, migration: Migration) -> None:
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
        int | None,
        typer.Option("--keep", min=1, metavar="N", help="Attempts of each SEED to keep in its record. Default: 1."),
    ] = None,
    restore: Annotated[bool, typer.Option("--restore", help="Bring all attempts back.")] = False,
    store: RecordStore = None,
) -> int:
    """Move older attempts of every SEED into an archive beside the records, so that the records stay small.

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
"""Files of a course that cannot be made again from its records."""


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
    into: Annotated[Store, typer.Option("--into", help="How the records of the copy are stored.")] = "files",
    store: RecordStore = None,
    gzip: Annotated[bool, typer.Option("--gzip", help="Compress the files of the copy.")] = False,
    keep: Annotated[
        int | None,
        typer.Option("--keep", min=1, metavar="N", help="Attempts of each SEED to keep in its record."),
    ] = None,
    what: Annotated[
        Contents, typer.Option("--what", help="Content of the file. practice is a plan of spaced repetition.")
    ] = "legos",
) -> int:
    """Write a course for learners or other programs, or copy all its records into another store.

    A file holds the LEGOs, the SEEDs or a plan of practice, in the order of teaching, with imported audio and notes. A
    folder gets a copy of all records, from files to SQLite or back; their JSON is the same in both. Archived attempts
    stay in the archive. The rules that the prompt has learnt and their ledger are copied too; `burnish legos report`
    writes the reports again. Exit code 0: done. 2: some files cannot be read; they are listed and left out.
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
        archived = f"; {counted(copied.archived, 'attempt')} in the archive" if keep is not None else ""
        learnt = f", with {' and '.join(prompts)}" if prompts else ""
        screen.line(
            ("strong", counted(copied.seeds, "SEED")),
            f" and {counted(copied.legos, 'LEGO')} copied to ",
            ("path", str(target)),
            f"{learnt}{archived}",
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
    """The learnt rules of the course's prompt and their ledger: file -> its bytes."""
    found = {}
    for name in PROMPTS:
        if (source / name).is_file():
            with disk_refusals("read", source / name):
                found[name] = (source / name).read_bytes()
    return found
