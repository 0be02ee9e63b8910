"""`burnish demo`: the main job on bundled samples, without a key or any service."""

from __future__ import annotations

import shlex
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, closing, nullcontext, redirect_stdout
from dataclasses import dataclass
from importlib.resources import as_file, files
from io import StringIO
from pathlib import Path
from typing import Annotated, Literal, get_args

import typer

from burnish.app.labels import about
from burnish.app.terminal import Screen
from burnish.cli import main
from burnish.cli.group import group
from burnish.cli.options import TextOutput
from burnish.cli.summary import print_recorded_results
from burnish.core.records import Usage
from burnish.models.budget import listed_price
from burnish.models.calls import TokenCount
from burnish.store.paths import existing_runs
from burnish.store.processes import system_clock
from burnish.store.sqlite_journal import open_journal

KindName = Literal["questions", "lessons", "manuscripts", "legos"]


@dataclass(frozen=True, slots=True)
class Step:
    """One command of the demonstration, as it is typed in the folder of the samples."""

    command: str
    what: str
    run: str | None = None
    """The run whose results the short form shows; None: the command is shown only with --verbose."""


@dataclass(frozen=True, slots=True)
class Sample:
    """What is shown of one kind."""

    files: tuple[str, ...]
    steps: tuple[Step, ...]
    alone: tuple[Step, ...] = ()
    """What is shown besides with --verbose, where this kind is shown alone."""
    next: tuple[str, ...] = ()
    """What to try afterwards in a folder that is kept."""


PROPOSED = "openai:gpt-5-mini"
"""The model of the examples in the README and in `--help`."""
BREAD = "--spec bread_spec.json --source bread_source.md"
SAMPLES: dict[KindName, Sample] = {
    "questions": Sample(
        ("biology.json", "biology_model.json", "biology_judge.json"),
        (
            Step("check biology.json --jobs 1", "rules only: no model, no network"),
            Step(
                "polish biology.json --model scripted:biology_model.json --judges scripted:biology_judge.json"
                " --run-id demo",
                "one script repairs, another judges",
                "demo",
            ),
        ),
        next=("show demo bio-002", "decide demo bio-009 accept --by YOU", "resume demo"),
    ),
    "lessons": Sample(
        (
            "bread.json",
            "bread_spec.json",
            "bread_source.md",
            "bread_model.json",
            "bread_judge_1.json",
            "bread_judge_2.json",
        ),
        (
            Step(f"check bread.json {BREAD} --jobs 1", "rules only: no model, no network"),
            Step(
                f"polish bread.json {BREAD} --model scripted:bread_model.json"
                " --judges scripted:bread_judge_1.json,scripted:bread_judge_2.json --run-id lesson",
                "one model edits, two judge",
                "lesson",
            ),
        ),
        next=("show lesson warmth", "status lesson"),
    ),
    "manuscripts": Sample(
        ("lighthouse.md", "lighthouse_terms.csv", "lighthouse_style.md", "lighthouse_model.json"),
        (
            Step(
                "translate --source lighthouse.md --to es --glossary lighthouse_terms.csv --style lighthouse_style.md"
                " --model scripted:lighthouse_model.json --run-id book",
                "translate, review, rework",
                "book",
            ),
        ),
        (Step("show book p_0013", "a play on words that no model gets right"),),
        ("show book p_0013", "decide book p_0013 accept --by YOU", "resume book --approve"),
    ),
    "legos": Sample(
        ("neighbours.tsv", "neighbours_model.json"),
        (
            Step("legos import neighbours.tsv --course spa_for_eng_40seeds --dir neighbours", "one pair a row"),
            Step("legos extract neighbours --extractor built-in --run-id course", "no model, no network", "course"),
            Step("legos report neighbours", "how good the cuts are"),
        ),
        (
            Step(
                "legos extract neighbours --again C0012,C0014,C0019 --model scripted:neighbours_model.json"
                " --run-id anew",
                "a model cuts three of them again",
            ),
            Step("show anew C0012", "one of them, attempt by attempt"),
        ),
        (
            "show course C0017",
            "decide course C0017 accept --also C0019 --also C0032 --also C0036 --also C0040 --by YOU",
            "resume course",
        ),
    ),
}


def demo(
    output: TextOutput,
    kind: Annotated[
        KindName | None,
        typer.Argument(metavar="KIND", help="questions, lessons, manuscripts or legos. Default: all of them."),
    ] = None,
    keep: Annotated[
        str | None, typer.Option("--keep", metavar="DIR", help="Keep the samples and the runs in this folder.")
    ] = None,
    verbose: Annotated[
        bool, typer.Option("--verbose", "-v", help="Show every command with all that it prints.")
    ] = False,
) -> int:
    """Polish a small question bank and a lesson, translate a short book and cut a small language course.

    Scripts stand in for the models. For each kind you see what was wrong, what was repaired, what waits for a person,
    and what it cost.
    """
    screen = output.screen
    with ExitStack() as stack:
        folder = Path(keep) if keep else Path(stack.enter_context(tempfile.TemporaryDirectory()))
        folder.mkdir(parents=True, exist_ok=True)
        for name in get_args(KindName):
            if kind in (None, name):
                _show(name, folder, output, verbose=verbose, alone=kind == name)
        screen.line("")
        _print_money(folder, screen)
        _next_steps(screen, folder if keep else None, kind)
    return 0


def _show(kind: KindName, folder: Path, output: TextOutput, *, verbose: bool, alone: bool) -> None:
    sample, screen = SAMPLES[kind], output.screen
    for name in sample.files:
        with as_file(files("burnish") / "samples" / name) as source:
            shutil.copyfile(source, folder / name)
    for step in (*sample.steps, *(sample.alone if verbose and alone else ())):
        if verbose or step.run is not None:
            screen.line("")
            screen.line(("strong", f"$ burnish {step.command}"), ("faint", f"   # {step.what}"))
        if verbose:
            screen.line("")
            screen.stream.flush()
        arguments = list(_arguments(step.command, sample, folder, output))
        with (
            nullcontext() if verbose else redirect_stdout(StringIO()),
            group(main.COMMANDS).make_context("burnish", arguments) as context,
        ):
            context.command.invoke(context)
        if step.run is not None and not verbose:
            print_recorded_results(folder / "runs", step.run, screen)


def _arguments(command: str, sample: Sample, folder: Path, output: TextOutput) -> Iterator[str]:
    """The command as it is run: with the full paths of the samples, and with the runs beside them."""
    here = (*sample.files, "neighbours")
    words = shlex.split(command)
    for word in words:
        parts = word.split(",")
        yield ",".join(_placed(part, here, folder) for part in parts)
    if words[0] not in ("check",) and words[:2] != ["legos", "import"]:
        yield from ("--runs", str(folder / "runs"))
    if output.no_color:
        yield "--no-color"


def _placed(word: str, here: tuple[str, ...], folder: Path) -> str:
    scripted, _, name = word.rpartition(":")
    if name not in here:
        return word
    return f"{scripted}:{folder / name}" if scripted else str(folder / name)


def _print_money(folder: Path, screen: Screen) -> None:
    """What the runs of the demonstration would cost with the model that the README proposes."""
    used = Usage()
    for one in existing_runs(folder / "runs"):
        with closing(open_journal(one.journal, clock=system_clock, read_only=True)) as journal:
            used += journal.totals().usage
    price = listed_price(PROPOSED)
    if not used.total_tokens or price is None:
        return
    cost = about(price.of(TokenCount(used.prompt_tokens, used.completion_tokens)))
    screen.line(f"Scripts stood in for models. With {PROPOSED}, the same {used.total_tokens:,} tokens cost {cost},")
    screen.line("plus its hidden thinking. Add --estimate to a command to see the price before it runs.")


def _next_steps(screen: Screen, kept: Path | None, kind: KindName | None) -> None:
    again = f"burnish demo {f'{kind} ' if kind else ''}"
    if kept is None:
        screen.line(
            f"This ran in a temporary folder. To keep it: {again}--keep demo. For every detail: {again}--verbose"
        )
        screen.line("The same samples in a browser, with one click each: burnish serve --open")
        return
    screen.line(f"Everything is in {kept}. Try:")
    for name, sample in SAMPLES.items():
        for line in sample.next if kind in (None, name) else ():
            screen.line("  ", f"burnish {line} --runs {kept}/runs")
    screen.line("Or review in a browser:")
    screen.line("  ", f"burnish serve --runs {kept}/runs --open")
