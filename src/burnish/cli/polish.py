"""`burnish polish`: the whole loop, resumable."""

from __future__ import annotations

import sys
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated

import typer

from burnish.app.estimates import print_estimate
from burnish.app.kinds import kind_named
from burnish.app.loading import Loaded, load
from burnish.app.materials import materials
from burnish.app.polishing import Order, means_of, plan_of, polish_run, replay_means, replay_of, replayed_journal
from burnish.app.terminal import Screen
from burnish.cli.options import (
    Against,
    BaseUrl,
    Generator,
    Institution,
    JsonOutput,
    Judges,
    KindName,
    MaxCost,
    MaxSeconds,
    MaxTokens,
    Mode,
    Model,
    NoColor,
    Patcher,
    Profile,
    Runs,
    Source,
    Spec,
    StrictInput,
    Workers,
    lesson_flags,
    model_flags,
)
from burnish.cli.sittings import ending, run_sitting, terminable
from burnish.engine.crew import look_for_cycles_seldom
from burnish.engine.means import Means
from burnish.engine.plan import Plan
from burnish.engine.session import Result
from burnish.store.paths import RunFolder


def polish(
    path: Annotated[str, typer.Argument(metavar="PATH", help="A file, or a folder of them.")],
    model: Model = None,
    judges: Judges = None,
    estimate: Annotated[bool, typer.Option("--estimate", help="Say what it would cost, and make no call.")] = False,
    out: Annotated[
        str | None, typer.Option(metavar="FILE", help="Where to publish. Default: out/ in the run's folder.")
    ] = None,
    out_format: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Publish in this format. Default: what the ending of --out says."),
    ] = None,
    run_id: Annotated[
        str | None, typer.Option(metavar="ID", help="Name of the run. Default: file name and time.")
    ] = None,
    runs: Runs = None,
    workers: Workers = None,
    max_tokens: MaxTokens = None,
    max_cost: MaxCost = None,
    max_seconds: MaxSeconds = None,
    base_url: BaseUrl = None,
    replay: Annotated[
        str | None, typer.Option(metavar="RUN", help="Repeat a run from its journal, with no call at all.")
    ] = None,
    spec: Spec = None,
    source: Source = None,
    mode: Annotated[
        Mode | None, typer.Option("--mode", help="Lessons: ask a person below the line, or deliver the best there is.")
    ] = None,
    patcher: Patcher = None,
    generator: Generator = None,
    allow_same_family: Annotated[
        bool, typer.Option("--allow-same-family", help="Lessons: judges may be of one model family.")
    ] = False,
    against: Against = None,
    kind: KindName = None,
    profile: Profile = None,
    institution: Institution = None,
    strict_input: StrictInput = False,
    json: JsonOutput = False,
    no_color: NoColor = False,
) -> int:
    """Find what is wrong, repair only that, and publish when nothing is left to settle.

    Without a model, everything is done that needs none. The run can be stopped at any time and resumed.
    Exit code 0: all accepted and published. 1: a lesson has to be written again. 3: some units need a person, or a
    lesson is delivered as best effort. 6: stopped at a limit.
    """
    flags = {
        **model_flags(model, judges, base_url, workers, max_tokens, max_cost, max_seconds, runs),
        **lesson_flags(patcher, generator, allow_same_family),
        "check.profile": ("--profile", profile),
        "check.institution": ("--institution", institution),
    }
    loaded = load(flags=flags)
    beside = materials(spec, source or ())
    order = Order(path, kind, out, run_id, against, strict_input, out_format, beside, mode)
    screen = Screen(sys.stdout, no_color=no_color)
    with terminable(), ExitStack() as stack:
        plan, means = _prepared(order, loaded, replay, stack)
        if estimate:
            return print_estimate(plan, loaded.settings, screen, json=json)
        folder = RunFolder.at(Path(loaded.settings.runs), plan.run_id)
        look_for_cycles_seldom()
        result: Result = run_sitting(
            folder, kind_named(plan.kind), lambda watcher: polish_run(folder, plan, means, watcher)
        )
        return ending(folder, plan, result, screen, json=json)


def _prepared(order: Order, loaded: Loaded, replay: str | None, stack: ExitStack) -> tuple[Plan, Means]:
    """The plan and the means; a replay takes everything but names and places from the run that it repeats."""
    if replay is None:
        plan = plan_of(order, loaded)
        return plan, means_of(loaded.settings, plan.models)
    journal, recorded = replayed_journal(Path(loaded.settings.runs), replay, stack)
    return replay_of(recorded, plan_of(order, loaded)), replay_means(loaded.settings, journal)
