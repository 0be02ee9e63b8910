"""`burnish resume`: go on with a run where it stands."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from burnish.app.legos.evolution import TASK as EVOLVE
from burnish.app.loading import load
from burnish.app.polishing import OtherModels, resume_run, with_recorded_arguments
from burnish.app.runs import view
from burnish.app.terminal import Screen
from burnish.cli.approving import approval
from burnish.cli.legos.runs import go_on
from burnish.cli.options import (
    BaseUrl,
    JsonOutput,
    Judges,
    MaxCost,
    MaxSeconds,
    MaxTokens,
    Model,
    NoColor,
    RunName,
    Runs,
    Workers,
    model_flags,
)
from burnish.cli.sittings import ending, run_sitting, terminable
from burnish.core.stages import StagedKind
from burnish.engine.crew import look_for_cycles_seldom
from burnish.engine.staged import nobody
from burnish.store.paths import existing_run


def resume(
    run: RunName,
    model: Model = None,
    judges: Judges = None,
    runs: Runs = None,
    workers: Workers = None,
    max_tokens: MaxTokens = None,
    max_cost: MaxCost = None,
    max_seconds: MaxSeconds = None,
    base_url: BaseUrl = None,
    approve: Annotated[
        bool, typer.Option("--approve", help="Manuscripts: publish as soon as every paragraph is ready.")
    ] = False,
    by: Annotated[str | None, typer.Option(metavar="NAME", help="Who approves. It is recorded.")] = None,
    json: JsonOutput = False,
    no_color: NoColor = False,
) -> int:
    """Go on with a run: after a stop, a crash, a limit, or a decision. No recorded answer is paid for again.

    The arguments it was started with are repeated; ceilings and models may be given anew. Units that only wait because
    a model was away are tried again.
    """
    with terminable():
        loaded = load(flags=model_flags(model, judges, base_url, workers, max_tokens, max_cost, max_seconds, runs))
        folder = existing_run(Path(loaded.settings.runs), run)
        settings = with_recorded_arguments(folder, loaded)
        others = OtherModels(model, tuple(name.strip() for name in (judges or "").split(",") if name.strip()))
        look_for_cycles_seldom()
        with view(folder.root.parent, folder.id) as opened:
            kind, task = opened.kind, opened.plan.task
        if task == EVOLVE:
            return go_on(folder, loaded, Screen(sys.stdout, no_color=no_color), json=json)
        who = approval(approve, by) if isinstance(kind, StagedKind) else nobody
        result = run_sitting(
            folder, kind, lambda watcher: resume_run(folder, settings, watcher, others=others, approve=who)
        )
        with view(folder.root.parent, folder.id) as opened:
            plan = opened.plan
        return ending(folder, plan, result, Screen(sys.stdout, no_color=no_color), json=json)
