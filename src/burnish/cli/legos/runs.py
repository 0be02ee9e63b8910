"""`burnish legos extract` and `evolve`: the commands that start a run over a course."""

from __future__ import annotations

import sys
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Literal

import typer

from burnish.app.course_evolution import (
    EvolutionOrder,
    new_evolution,
    recorded_evolution,
    refuse_other_terms,
)
from burnish.app.course_extraction import (
    ExtractionOrder,
    extract_run,
    new_plan,
    recorded_extraction,
    resumed_plan,
)
from burnish.app.course_text import NOTHING_TO_TRY, estimated, print_suggested, print_trials_estimate, suggested_record
from burnish.app.materials import kind_for_reading
from burnish.app.polish_plan import AT_BATCH_PRICE, print_estimate
from burnish.app.run_sessions import refuse_unknown, resources_of, with_recorded_arguments
from burnish.app.settings import Loaded, Settings, load
from burnish.app.terminal import Screen
from burnish.cli.course_summary import evolve_to_end, print_evolution_end
from burnish.cli.execution import run_to_end, terminable
from burnish.cli.legos import CourseFolder, CutOptions, RecordStore, RunId
from burnish.cli.options import Estimate, ModelOptions, Output, RunOptions
from burnish.cli.summary import print_summary
from burnish.core.documents import Problem
from burnish.engine.plan import Plan
from burnish.engine.runner import RunResources
from burnish.kinds.legos.evolution.subject import Subject
from burnish.kinds.legos.model import UNSPACED, Course, word_breaker
from burnish.kinds.legos.requests import PROMPT_VERSION
from burnish.store.paths import RunFolder, default_run_id, operator_path
from burnish.store.processes import system_clock


def extract(
    dir: Annotated[str, typer.Argument(metavar="DIR", help="The course's folder, made by `burnish legos import`.")],
    limits: RunOptions,
    cuts: CutOptions,
    output: Output,
    model: Annotated[
        str | None, typer.Option("--model", metavar="M", help="Cuts and repairs. Default: the built-in extractor.")
    ] = None,
    reviewer: Annotated[
        str | None,
        typer.Option("--reviewer", metavar="M", help="Reviews as well as the rules; the lower score counts."),
    ] = None,
    extractor: Annotated[
        Literal["built-in", "model"] | None,
        typer.Option("--extractor", help="What cuts the SEEDs. Default: the model, if one is named."),
    ] = None,
    store: RecordStore = None,
    cut_again: Annotated[
        str | None,
        typer.Option("--again", metavar="IDS", help="Cut these again although they are accepted: C0001,C0044 or all."),
    ] = None,
    only: Annotated[
        bool, typer.Option("--only", help="With --again: leave every other SEED as it is, accepted or not.")
    ] = False,
    hold: Annotated[bool, typer.Option("--hold", help="Send every cut to a person before it is accepted.")] = False,
    retry_below: Annotated[
        float | None,
        typer.Option(
            "--retry-below", min=0.0, max=10.0, metavar="SCORE", help="Try again below this score. Default: 8.0."
        ),
    ] = None,
    run_id: RunId = None,
    estimate: Estimate = False,
) -> int:
    """Cut every SEED into LEGOs, score each cut, and try again what scores too low.

    Without a model, the built-in extractor cuts the whole course. Records, LEGOs and reports are written into DIR;
    the run's folder keeps every attempt. SEEDs that are accepted already stay as they are.

    Exit code 0: every SEED is accepted. 2: so is every SEED that can be used; the others are listed. 3: some need a
    person. 4: the run is active. 6: stopped at a limit, a model is away, or calls are with the provider in a
    batch.
    """
    flags = {**ModelOptions(model).flags(), **limits.flags()}
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
        **asdict(cuts),
    )
    folder = RunFolder.at(Path(loaded.settings.runs), order.run_id)
    with terminable(), ExitStack() as stack:
        known = recorded_extraction(folder)
        settings = with_recorded_arguments(folder, loaded) if known is not None else loaded.settings
        home = RunFolder.at(Path(stack.enter_context(TemporaryDirectory())), order.run_id) if estimate else folder
        plan, left_out = _extraction_plan(order, loaded, home, known)
        resources = resources_of(settings, plan.models)
        if estimate:
            return print_estimate(plan, settings, output.screen, json=output.json)
        if known is None:
            begun = "Aligning the words of the course, then cutting."
            errors = Screen(sys.stderr, no_color=output.no_color)
            errors.line(("faint", begun))
            course = Course.of(plan.arguments["options"]["course"])
            if {course.source_tag, course.target_tag} & UNSPACED and word_breaker() is None:
                missing = "Text without spaces is cut sign by sign. To cut it by words: pip install 'burnish[words]'."
                errors.line(("warning", "note: "), missing)
        kind = kind_for_reading(plan)
        result = run_to_end(
            folder, kind, lambda watcher: extract_run(folder, plan, resources, watcher, left_out=left_out)
        )
        return print_summary(folder, plan, result, output.screen, json=output.json)


def _extraction_plan(
    order: ExtractionOrder, loaded: Loaded, home: RunFolder, known: Plan | None
) -> tuple[Plan, tuple[Problem, ...]]:
    """The plan of a resumed or a new run, and the records that it leaves out. `home`: the folder in which a
    new run saves the current course."""
    if known is not None:
        return resumed_plan(known, order, loaded), ()
    return new_plan(order, loaded, home)


def evolve(
    folder: CourseFolder,
    limits: RunOptions,
    cuts: CutOptions,
    output: Output,
    model: Annotated[
        str | None, typer.Option("--model", metavar="M", help="Cuts the SEEDs, as provider:model (openai:gpt-5-mini).")
    ] = None,
    seeds: Annotated[
        int | None,
        typer.Option("--seeds", metavar="N", help="Number of SEEDs to test rules on, 63 to 200. Default: 100."),
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option("--seed", metavar="S", help="Seed of the random draw. Default: other SEEDs each time."),
    ] = None,
    store: RecordStore = None,
    run_id: RunId = None,
    estimate: Estimate = False,
) -> int:
    """Test the rules that attempts suggest for the prompt: the same SEEDs are cut with a rule and without it.

    A rule is adopted if scores rise, chance does not explain it (p < .05, shared among the tested rules), the effect
    is not small, and held-out SEEDs raise no more concerns. An adopted rule is withdrawn on the same terms. A fifth of
    the SEEDs is held out; at least 50 are compared. The adopted rules are in DIR/prompts.

    Exit code 0: all rules were tested. 2: bad input, or fewer than 63 SEEDs. 4: the run is active. 6: stopped at a
    limit, the model is away, or calls are with the provider in a batch; the same command with the same --run-id
    resumes it.
    """
    flags = {**ModelOptions(model).flags(), **limits.flags()}
    loaded = load(flags=flags)
    course = operator_path(folder)
    name = run_id or default_run_id(f"{course.resolve().name}-evolve", system_clock())
    run = RunFolder.at(Path(loaded.settings.runs), name)
    order = EvolutionOrder(course, name, seeds, seed, store, **asdict(cuts))
    with terminable():
        plan, subject, settings = _evolution_plan(order, loaded, run)
        if not subject.suggested.rules and not subject.before(PROMPT_VERSION).rules:
            return _nothing_to_try(subject, output)
        resources = resources_of(settings, plan.models)
        if estimate:
            refuse_unknown(settings, plan.models)
            return _print_estimate(plan, subject, resources, output)
        evolved = evolve_to_end(run, plan, subject, resources)
    return print_evolution_end(run, plan, subject, evolved, output)


def _evolution_plan(order: EvolutionOrder, loaded: Loaded, run: RunFolder) -> tuple[Plan, Subject, Settings]:
    """The plan of a resumed or a new run, with its subject and its settings."""
    known = recorded_evolution(run)
    if known is None:
        return *new_evolution(order, loaded), loaded.settings
    refuse_other_terms(known[0], order, loaded)
    return *known, with_recorded_arguments(run, loaded)


def _nothing_to_try(subject: Subject, output: Output) -> int:
    if output.json:
        output.write({"stopped": "nothing_to_try", "trials": [], "suggestions": suggested_record(subject.suggested)})
    else:
        output.screen.line(NOTHING_TO_TRY)
        print_suggested(subject.suggested, output.screen)
    return 0


def _print_estimate(plan: Plan, subject: Subject, resources: RunResources, output: Output) -> int:
    estimate = estimated(plan, subject, resources.prices)
    if output.json:
        output.write({**asdict(estimate), **({"batch_price": True} if resources.batches is not None else {})})
    else:
        print_trials_estimate(estimate, output.screen)
        if resources.batches is not None:
            output.screen.line(AT_BATCH_PRICE)
        print_suggested(subject.suggested, output.screen)
    return 0
