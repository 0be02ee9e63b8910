"""`burnish demo`: the main job on bundled samples, without a key or any service."""

from __future__ import annotations

import shutil
import sys
import tempfile
from contextlib import ExitStack
from importlib.resources import as_file, files
from pathlib import Path
from typing import Annotated, Literal

import typer

from burnish.app.terminal import Screen
from burnish.cli.check import check
from burnish.cli.legos.course import import_, report
from burnish.cli.legos.runs import extract
from burnish.cli.options import NoColor
from burnish.cli.polish import polish
from burnish.cli.show import show
from burnish.cli.translate import translate

BANK, SCRIPT = "biology.json", "biology_model.json"
LESSON, SPEC, SOURCE = "bread.json", "bread_spec.json", "bread_source.md"
READER, JUDGES = "bread_model.json", ("bread_judge_1.json", "bread_judge_2.json")
BOOK, TERMS, STYLE, TRANSLATOR = (
    "lighthouse.md",
    "lighthouse_terms.csv",
    "lighthouse_style.md",
    "lighthouse_model.json",
)
LEFT_OVER = "p_0013"
"""The paragraph of the book that no model gets right: it plays on a word."""
PAIRS, CUTTER, COURSE, CODE = "neighbours.tsv", "neighbours_model.json", "neighbours", "spa_for_eng_40seeds"
CUT_ANEW = ("C0012", "C0014", "C0019")
"""SEEDs that the model cuts once more: one it gets right at once, one by an edit, one not at all."""
MENDED = "C0012"
ANEW = "anew"
"""The run in which it does."""
RUNS = {"questions": "demo", "lessons": "lesson", "manuscripts": "book", "legos": "course"}
"""What the run of each kind is called."""


def demo(
    kind: Annotated[
        Literal["questions", "lessons", "manuscripts", "legos"] | None,
        typer.Argument(metavar="KIND", help="questions, lessons, manuscripts or legos. Default: all of them."),
    ] = None,
    keep: Annotated[
        str | None, typer.Option("--keep", metavar="DIR", help="Keep the samples and the runs in this folder.")
    ] = None,
    no_color: NoColor = False,
) -> int:
    """Polish a small bank of questions and a lesson, translate a short book and cut a small language course, with
    scripts in place of models."""
    screen = Screen(sys.stdout, no_color=no_color)
    with ExitStack() as stack:
        folder = Path(keep) if keep else Path(stack.enter_context(tempfile.TemporaryDirectory()))
        folder.mkdir(parents=True, exist_ok=True)
        if kind in (None, "questions"):
            _questions(screen, folder, no_color)
        if kind in (None, "lessons"):
            _lesson(screen, folder, no_color)
        if kind in (None, "manuscripts"):
            _book(screen, folder, no_color)
        if kind == "manuscripts":
            _paragraph(screen, folder, no_color)
        if kind in (None, "legos"):
            _course(screen, folder, no_color)
        if kind == "legos":
            _cut_anew(screen, folder, no_color)
        screen.line("")
        _next_steps(screen, folder if keep else None, kind)
    return 0


def _questions(screen: Screen, folder: Path, no_color: bool) -> None:
    bank, script = _unpacked(folder, BANK, SCRIPT)
    _say(screen, f"burnish check {BANK}", "rules only: no model, no network")
    check([bank], jobs=1, no_color=no_color)
    _say(screen, f"burnish polish {BANK} --model scripted:{SCRIPT}", "the model is a script")
    polish(bank, model=f"scripted:{script}", run_id=RUNS["questions"], runs=str(folder / "runs"), no_color=no_color)


def _lesson(screen: Screen, folder: Path, no_color: bool) -> None:
    lesson, spec, source, reader, *judges = _unpacked(folder, LESSON, SPEC, SOURCE, READER, *JUDGES)
    beside = f"--spec {SPEC} --source {SOURCE}"
    _say(screen, f"burnish check {LESSON} {beside}", "rules only: no model, no network")
    check([lesson], spec=spec, source=[source], jobs=1, no_color=no_color)
    models = f"--model scripted:{READER} --judges {','.join(f'scripted:{name}' for name in JUDGES)}"
    _say(screen, f"burnish polish {LESSON} {beside} {models}", "a reader who edits, and two judges")
    polish(
        lesson,
        spec=spec,
        source=[source],
        model=f"scripted:{reader}",
        judges=",".join(f"scripted:{judge}" for judge in judges),
        run_id=RUNS["lessons"],
        runs=str(folder / "runs"),
        no_color=no_color,
    )


def _book(screen: Screen, folder: Path, no_color: bool) -> None:
    book, terms, style, model = _unpacked(folder, BOOK, TERMS, STYLE, TRANSLATOR)
    run = RUNS["manuscripts"]
    beside = f"--glossary {TERMS} --style {STYLE}"
    command = f"burnish translate --run-id {run} --source {BOOK} --to es {beside} --model scripted:{TRANSLATOR}"
    _say(screen, command, "it translates, reviews and reworks")
    translate(
        run_id=run,
        source=book,
        to="es",
        glossary=terms,
        style=style,
        model=f"scripted:{model}",
        runs=str(folder / "runs"),
        no_color=no_color,
    )


def _paragraph(screen: Screen, folder: Path, no_color: bool) -> None:
    run = RUNS["manuscripts"]
    _say(screen, f"burnish show {run} {LEFT_OVER}", "what was tried, and why it did not do")
    show(run, LEFT_OVER, runs=str(folder / "runs"), no_color=no_color)


def _course(screen: Screen, folder: Path, no_color: bool) -> None:
    [pairs] = _unpacked(folder, PAIRS)
    course, runs = str(folder / COURSE), str(folder / "runs")
    _say(screen, f"burnish legos import {PAIRS} --course {CODE} --dir {COURSE}", "a pair a row")
    import_(pairs, course=CODE, dir=course, no_color=no_color)
    _say(screen, f"burnish legos extract {COURSE} --run-id {RUNS['legos']}", "no model, no network")
    extract(course, extractor="built-in", run_id=RUNS["legos"], runs=runs, no_color=no_color)
    _say(screen, f"burnish legos report {COURSE}", "how good the cuts are")
    report(course, runs=runs, no_color=no_color)


def _cut_anew(screen: Screen, folder: Path, no_color: bool) -> None:
    [model] = _unpacked(folder, CUTTER)
    course, runs, seeds = str(folder / COURSE), str(folder / "runs"), ",".join(CUT_ANEW)
    command = f"burnish legos extract {COURSE} --run-id {ANEW} --again {seeds} --model scripted:{CUTTER}"
    _say(screen, command, "a model cuts three of them anew")
    extract(course, model=f"scripted:{model}", cut_again=seeds, run_id=ANEW, runs=runs, no_color=no_color)
    _say(screen, f"burnish show {ANEW} {MENDED}", "one that broke the Iron Rule, and what mended it")
    show(ANEW, MENDED, runs=runs, no_color=no_color)


def _unpacked(folder: Path, *names: str) -> list[str]:
    for name in names:
        with as_file(files("burnish.samples") / name) as source:
            shutil.copyfile(source, folder / name)
    return [str(folder / name) for name in names]


def _say(screen: Screen, command: str, what: str) -> None:
    screen.line("")
    screen.line(("strong", f"$ {command}"), ("faint", f"   # {what}"))
    screen.line("")
    screen.stream.flush()


def _next_steps(screen: Screen, kept: Path | None, kind: str | None) -> None:
    if kept is None:
        screen.line(
            f"This ran in a temporary folder. Keep it with: burnish demo {f'{kind} ' if kind else ''}--keep demo"
        )
        return
    screen.line(f"Everything is in {kept}. Try:")
    steps = {
        "questions": ("show demo bio-002", "decide demo bio-009 accept --by YOU", "resume demo"),
        "lessons": ("show lesson warmth", "status lesson"),
        "manuscripts": ("show book p_0013", "decide book p_0013 accept --by YOU", "resume book --approve"),
        "legos": ("show course C0040", "decide course C0040 accept --by YOU", "resume course"),
    }
    for name, lines in steps.items():
        for line in lines if kind in (None, name) else ():
            screen.line("  ", f"burnish {line} --runs {kept}/runs")
    screen.line("Or look and decide in a browser:")
    screen.line("  ", f"burnish serve --runs {kept}/runs --open")
