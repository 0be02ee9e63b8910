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

from burnish.surfaces.cli.check import check
from burnish.surfaces.cli.options import NoColor
from burnish.surfaces.cli.polish import polish
from burnish.surfaces.terminal import Screen

BANK, SCRIPT = "biology.json", "biology_model.json"
LESSON, SPEC, SOURCE = "bread.json", "bread_spec.json", "bread_source.md"
READER, JUDGES = "bread_model.json", ("bread_judge_1.json", "bread_judge_2.json")
RUNS = {"questions": "demo", "lessons": "lesson"}
"""What the run of each kind is called."""


def demo(
    kind: Annotated[
        Literal["questions", "lessons"] | None,
        typer.Argument(metavar="KIND", help="questions or lessons. Default: both."),
    ] = None,
    keep: Annotated[
        str | None, typer.Option("--keep", metavar="DIR", help="Keep the samples and the runs in this folder.")
    ] = None,
    no_color: NoColor = False,
) -> int:
    """Check and polish a small bank of biology questions, then a lesson, with scripts in place of real models."""
    screen = Screen(sys.stdout, no_color=no_color)
    with ExitStack() as stack:
        folder = Path(keep) if keep else Path(stack.enter_context(tempfile.TemporaryDirectory()))
        folder.mkdir(parents=True, exist_ok=True)
        if kind != "lessons":
            _questions(screen, folder, no_color)
        if kind != "questions":
            _lesson(screen, folder, no_color)
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
    }
    for name, lines in steps.items():
        for line in lines if kind in (None, name) else ():
            screen.line("  ", f"burnish {line} --runs {kept}/runs")
