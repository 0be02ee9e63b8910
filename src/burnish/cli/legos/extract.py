"""`burnish legos extract`: cut every SEED of a course into LEGOs."""

from __future__ import annotations

import sys
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Literal

import typer

from burnish.app.estimates import print_estimate
from burnish.app.legos.extracting import extract_run
from burnish.app.legos.extraction_orders import ExtractionOrder, again, new_plan, recorded
from burnish.app.loading import load
from burnish.app.materials import kind_to_look_with
from burnish.app.polishing import means_of, with_recorded_arguments
from burnish.app.terminal import Screen
from burnish.cli.options import BaseUrl, JsonOutput, MaxCost, MaxSeconds, MaxTokens, NoColor, Runs, Workers, model_flags
from burnish.cli.sittings import ending, run_sitting, terminable
from burnish.core.documents import Problem
from burnish.engine.crew import look_for_cycles_seldom
from burnish.store.clock import system_clock
from burnish.store.paths import RunFolder, default_run_id, operator_path


def extract(
    dir: Annotated[str, typer.Argument(metavar="DIR", help="The course's folder, made by `burnish legos import`.")],
    model: Annotated[
        str | None, typer.Option("--model", metavar="M", help="Cuts and mends. Default: the built-in extractor.")
    ] = None,
    reviewer: Annotated[
        str | None, typer.Option("--reviewer", metavar="M", help="Reviews beside the rules; the lower score counts.")
    ] = None,
    extractor: Annotated[
        Literal["built-in", "model"] | None,
        typer.Option("--extractor", help="Who cuts. Default: a model where one is named."),
    ] = None,
    store: Annotated[
        Literal["files", "sqlite"] | None,
        typer.Option("--store", help="Where the records are kept. Default: where they are."),
    ] = None,
    cut_again: Annotated[
        str | None,
        typer.Option("--again", metavar="IDS", help="Cut these anew though they were accepted: C0001,C0044 or all."),
    ] = None,
    only: Annotated[
        bool, typer.Option("--only", help="With --again: leave every other SEED as it is, accepted or not.")
    ] = False,
    hold: Annotated[bool, typer.Option("--hold", help="Have a person see every cut before it is accepted.")] = False,
    retry_below: Annotated[
        float | None,
        typer.Option("--retry-below", min=0.0, max=10.0, metavar="SCORE", help="Try again below it. Default: 8.0."),
    ] = None,
    iron_rule: Annotated[
        Literal["strict", "phrase_aware"] | None,
        typer.Option("--iron-rule", help="phrase_aware lets a LEGO begin with a preposition and its object."),
    ] = None,
    infinitive_to: Annotated[
        bool | None,
        typer.Option("--infinitive-to/--no-infinitive-to", help='Whether the "to" of "to be" counts as a preposition.'),
    ] = None,
    run_id: Annotated[
        str | None, typer.Option(metavar="ID", help="Name of the run. An unfinished one goes on.")
    ] = None,
    estimate: Annotated[
        bool, typer.Option("--estimate", help="Calls, tokens and money beforehand. Nothing is called or written.")
    ] = False,
    runs: Runs = None,
    workers: Workers = None,
    max_tokens: MaxTokens = None,
    max_cost: MaxCost = None,
    max_seconds: MaxSeconds = None,
    base_url: BaseUrl = None,
    json: JsonOutput = False,
    no_color: NoColor = False,
) -> int:
    """Cut every SEED into LEGOs, score each cut, and try again what scores too low.

    Without a model the built-in extractor does the whole course. Records, LEGOs and reports are written into DIR;
    the run itself, with everything that was tried, lies among the runs. SEEDs that were accepted before stay.

    Exit code 0: every SEED is accepted. 2: so is every one that could be used; the others are named. 3: some need a
    person. 4: the run is active. 6: stopped at a limit, or a model is away.
    """
    flags = model_flags(model, None, base_url, workers, max_tokens, max_cost, max_seconds, runs)
    loaded = load(flags={**flags, "models.reviewer": ("--reviewer", reviewer)})
    order = ExtractionOrder(
        operator_path(dir),
        run_id or default_run_id(str(Path(dir).resolve()), system_clock()),
        store=store,
        extractor=extractor,
        again=tuple(id.strip() for id in (cut_again or "").split(",") if id.strip()),
        only=only,
        hold=hold,
        retry_below=retry_below,
        iron_rule=iron_rule,
        infinitive_to=infinitive_to,
    )
    screen = Screen(sys.stdout, no_color=no_color)
    folder = RunFolder.at(Path(loaded.settings.runs), order.run_id)
    with terminable(), ExitStack() as stack:
        known = recorded(folder)
        left_out: tuple[Problem, ...] = ()
        settings = with_recorded_arguments(folder, loaded) if known is not None else loaded.settings
        if known is not None:
            plan = again(known, order, loaded)
        else:
            home = RunFolder.at(Path(stack.enter_context(TemporaryDirectory())), order.run_id) if estimate else folder
            plan, left_out = new_plan(order, loaded, home)
        means = means_of(settings, plan.models)
        if estimate:
            return print_estimate(plan, settings, screen, json=json)
        look_for_cycles_seldom()
        if known is None:
            Screen(sys.stderr, no_color=no_color).line(("faint", "Aligning the words of the course, then cutting."))
        result = run_sitting(
            folder,
            kind_to_look_with(plan),
            lambda watcher: extract_run(folder, plan, means, watcher, left_out=left_out),
        )
        return ending(folder, plan, result, screen, json=json)
