"""`burnish demo`: the main job on a bundled sample, without a key or any service."""

from __future__ import annotations

import shutil
import sys
import tempfile
from contextlib import ExitStack
from importlib.resources import as_file, files
from pathlib import Path
from typing import Annotated

import typer

from burnish.surfaces.cli.check import check
from burnish.surfaces.cli.options import NoColor
from burnish.surfaces.cli.polish import polish
from burnish.surfaces.terminal import Screen

SAMPLE, SCRIPT = "biology.json", "biology_model.json"


def demo(
    keep: Annotated[
        str | None, typer.Option("--keep", metavar="DIR", help="Keep the sample and the run in this folder.")
    ] = None,
    no_color: NoColor = False,
) -> int:
    """Check a small bank of biology questions, then polish it with a scripted model in place of a real one."""
    screen = Screen(sys.stdout, no_color=no_color)
    with ExitStack() as stack:
        folder = Path(keep) if keep else Path(stack.enter_context(tempfile.TemporaryDirectory()))
        bank, script = _unpacked(folder)
        _say(screen, f"burnish check {SAMPLE}", "rules only: no model, no network")
        check([str(bank)], jobs=1, no_color=no_color)
        _say(screen, f"burnish polish {SAMPLE} --model scripted:{SCRIPT}", "the model is a script")
        polish(
            str(bank),
            model=f"scripted:{script}",
            run_id="demo",
            runs=str(folder / "runs"),
            no_color=no_color,
        )
        screen.line("")
        _next_steps(screen, folder if keep else None)
    return 0


def _unpacked(folder: Path) -> tuple[Path, Path]:
    folder.mkdir(parents=True, exist_ok=True)
    for name in (SAMPLE, SCRIPT):
        with as_file(files("burnish.samples") / name) as source:
            shutil.copyfile(source, folder / name)
    return folder / SAMPLE, folder / SCRIPT


def _say(screen: Screen, command: str, what: str) -> None:
    screen.line("")
    screen.line(("strong", f"$ {command}"), ("faint", f"   # {what}"))
    screen.line("")
    screen.stream.flush()


def _next_steps(screen: Screen, kept: Path | None) -> None:
    if kept is None:
        screen.line("This ran in a temporary folder. Keep it with: burnish demo --keep demo")
        return
    screen.line(f"Everything is in {kept}. Try:")
    for line in (
        f"burnish show demo bio-002 --runs {kept}/runs",
        f"burnish decide demo bio-009 accept --by YOU --runs {kept}/runs",
        f"burnish resume demo --runs {kept}/runs",
    ):
        screen.line("  ", line)
