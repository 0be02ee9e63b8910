"""`burnish legos evolve`: let the prompt of a course learn, and only what the evidence shows."""

from __future__ import annotations

import asyncio
import shlex
import sys
from pathlib import Path
from typing import Annotated

import typer

from burnish.app.legos.evolution_orders import EvolutionOrder, planned, recorded, refuse_others
from burnish.app.legos.evolving import Evolved, evolve_run
from burnish.app.legos.trials import (
    NOTHING_TO_TRY,
    estimate_record,
    estimated,
    evolved_record,
    suggested_record,
    tell_estimate,
    tell_evolved,
    tell_suggested,
)
from burnish.app.loading import Loaded, load
from burnish.app.polishing import means_of, with_recorded_arguments
from burnish.app.progress import Progress
from burnish.app.settings import Settings
from burnish.app.terminal import Screen
from burnish.app.wire import json_text
from burnish.cli.endings import bill, named
from burnish.cli.errors import UNCHANGED
from burnish.cli.options import BaseUrl, JsonOutput, MaxCost, MaxSeconds, MaxTokens, NoColor, Runs, Workers, model_flags
from burnish.cli.sittings import EXIT_CODES, terminable
from burnish.core.errors import UsageError
from burnish.core.records import Totals, Usage
from burnish.engine.means import Means
from burnish.engine.plan import Plan
from burnish.kinds.legos.asks import PROMPT_VERSION
from burnish.kinds.legos.evolving.evolution import Settled
from burnish.kinds.legos.evolving.subject import Subject
from burnish.kinds.legos.iron_rule import Variant
from burnish.store.clock import system_clock
from burnish.store.paths import RunFolder, default_run_id, operator_path
from burnish.store.records import Store


def evolve(
    folder: Annotated[str, typer.Argument(metavar="DIR", help="The folder of the course.")],
    model: Annotated[
        str | None,
        typer.Option("--model", metavar="M", help="Cuts the SEEDs, as provider:model (openai:gpt-5-mini)."),
    ] = None,
    seeds: Annotated[
        int | None, typer.Option("--seeds", metavar="N", help="SEEDs that rules are tried on, 63 to 200. Default: 100.")
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option("--seed", metavar="S", help="What the SEEDs are drawn with. Default: others every time."),
    ] = None,
    store: Annotated[
        Store | None, typer.Option("--store", help="Where the records are kept. Default: where they are.")
    ] = None,
    iron_rule: Annotated[
        Variant | None,
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
    """Try what attempts all over the course suggest as rules of the prompt: the same SEEDs with a rule and without it.

    A rule is adopted when scores gain, chance does not explain it (p < .05, shared among the rules on trial), the
    effect is not small, and SEEDs that were held out raise no more concerns; an adopted one is taken back on the same
    terms. A fifth of the SEEDs is held out, at least 50 are compared. What was learnt lies in DIR/prompts.

    Exit code 0: all rules were tried. 2: bad input, or fewer than 63 SEEDs. 4: the run is active. 6: stopped at a
    limit, or the model is away; the same command with the same --run-id goes on.
    """
    flags = model_flags(model, None, base_url, workers, max_tokens, max_cost, max_seconds, runs)
    loaded = load(flags=flags)
    course = operator_path(folder)
    name = run_id or default_run_id(f"{course.resolve().name}-evolve", system_clock())
    run = RunFolder.at(Path(loaded.settings.runs), name)
    order = EvolutionOrder(course, name, seeds, seed, store, iron_rule, infinitive_to)
    screen = Screen(sys.stdout, no_color=no_color)
    with terminable():
        plan, subject, settings = _planned(order, loaded, run)
        if not subject.suggested.rules and not subject.before(PROMPT_VERSION).rules:
            return _nothing_to_try(subject, screen, json=json)
        means = means_of(settings, plan.models)
        if estimate:
            return _print_estimate(plan, subject, means, screen, json=json)
        evolved = _evolved(run, plan, subject, means)
    return _ending(run, plan, subject, evolved, screen, json=json)


def go_on(run: RunFolder, loaded: Loaded, screen: Screen, *, json: bool) -> int:
    """Another sitting on an evolution, for `burnish resume`: whose model cuts is part of what it is about."""
    known = recorded(run)
    if known is None:
        raise UsageError(f"The run {run.id} was stopped before it had a plan.", hint="Start it again.")
    plan, subject = known
    refuse_others(plan, EvolutionOrder(Path(plan.arguments["path"]), run.id), loaded)
    evolved = _evolved(run, plan, subject, means_of(with_recorded_arguments(run, loaded), plan.models))
    return _ending(run, plan, subject, evolved, screen, json=json)


def _planned(order: EvolutionOrder, loaded: Loaded, run: RunFolder) -> tuple[Plan, Subject, Settings]:
    """A new run, or one that goes on with what it was about; and the settings that hold for it."""
    known = recorded(run)
    if known is None:
        return *planned(order, loaded), loaded.settings
    refuse_others(known[0], order, loaded)
    return *known, with_recorded_arguments(run, loaded)


def _nothing_to_try(subject: Subject, screen: Screen, *, json: bool) -> int:
    if json:
        told = {"stopped": "nothing_to_try", "trials": [], "suggestions": suggested_record(subject.suggested)}
        screen.stream.write(json_text(told) + "\n")
    else:
        screen.line(NOTHING_TO_TRY)
        tell_suggested(subject.suggested, screen)
    return 0


def _print_estimate(plan: Plan, subject: Subject, means: Means, screen: Screen, *, json: bool) -> int:
    estimate = estimated(plan, subject, means.prices)
    if json:
        screen.stream.write(json_text(estimate_record(estimate)) + "\n")
    else:
        tell_estimate(estimate, screen)
        tell_suggested(subject.suggested, screen)
    return 0


class Bar:
    """An EvolutionWatcher that shows progress on stderr."""

    def __init__(self) -> None:
        self._progress: Progress | None = None
        self._spent = Totals(0, 0, Usage(), 0)

    def started(self, answers: int) -> None:
        self._progress = Progress(answers, sys.stderr, what="Trying rules", noun="answer")

    def answered(self, totals: Totals) -> None:
        if self._progress is not None:
            spent, before = totals.usage, self._spent.usage
            self._progress.advance(
                1, spent.total_tokens - before.total_tokens, (spent.cost or 0.0) - (before.cost or 0.0)
            )
            self._spent = totals

    def settled(self, settled: Settled) -> None:
        """Told at the end, all together."""

    def close(self) -> None:
        if self._progress is not None:
            self._progress.close()


def _evolved(run: RunFolder, plan: Plan, subject: Subject, means: Means) -> Evolved:
    """Work to the end. Ctrl-C and SIGTERM stop it: what was answered is recorded, the lock is released."""
    watcher = Bar()
    try:
        return asyncio.run(evolve_run(run, plan, subject, means, watcher))
    except (asyncio.CancelledError, KeyboardInterrupt):
        begun = run.journal.is_file()
        raise KeyboardInterrupt(f"Go on with: {_again(run, plan)}" if begun else UNCHANGED) from None
    finally:
        watcher.close()


def _again(run: RunFolder, plan: Plan) -> str:
    return f"burnish legos evolve {shlex.quote(plan.arguments['path'])} --run-id {named(run)}"


def _ending(run: RunFolder, plan: Plan, subject: Subject, evolved: Evolved, screen: Screen, *, json: bool) -> int:
    if json:
        screen.stream.write(json_text(evolved_record(plan, subject, evolved)) + "\n")
    else:
        tell_evolved(subject, evolved, screen)
        screen.line(*bill(evolved.totals))
        if evolved.message is not None:
            screen.line(("warning", "Stopped: "), evolved.message)
            higher = ", with a higher --max-tokens, --max-cost or --max-seconds" * (evolved.stopped == "limit")
            screen.line(("faint", "  hint: "), f"Go on with: {_again(run, plan)}{higher}")
    return EXIT_CODES[evolved.stopped]
