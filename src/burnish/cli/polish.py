"""`burnish polish` and `burnish resume`: run the whole loop, and continue it."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from burnish.app.kinds import kind_named
from burnish.app.labels import counted
from burnish.app.materials import materials
from burnish.app.polish_plan import Order, plan_of, print_estimate
from burnish.app.run_sessions import (
    RESUMED,
    OtherModels,
    resources_of,
    resume_run,
    start_run,
    with_recorded_arguments,
)
from burnish.app.runs import EVOLVE, view
from burnish.app.settings import load
from burnish.app.terminal import Screen
from burnish.cli.execution import approval, run_to_end, terminable
from burnish.cli.options import (
    Against,
    Approve,
    Estimate,
    Generator,
    KindName,
    Mode,
    ModelOptions,
    Output,
    Patcher,
    RuleOptions,
    RunName,
    RunOptions,
    Source,
    Spec,
    StrictInput,
    lesson_flags,
    rule_ids,
)
from burnish.cli.summary import print_summary
from burnish.core.tasks import MOST_ATTEMPTS
from burnish.engine.plan import Plan
from burnish.engine.session import Result
from burnish.store.paths import RunFolder, existing_run


def polish(
    path: Annotated[str, typer.Argument(metavar="PATH", help="A file, or a folder of files.")],
    models: ModelOptions,
    limits: RunOptions,
    rules: RuleOptions,
    output: Output,
    estimate: Estimate = False,
    out: Annotated[
        str | None, typer.Option(metavar="FILE", help="Where to publish. Default: out/ in the run's folder.")
    ] = None,
    out_format: Annotated[
        str | None, typer.Option(metavar="NAME", help="Format to publish in. Default: by the ending of --out.")
    ] = None,
    run_id: Annotated[
        str | None, typer.Option(metavar="ID", help="Name of the run. Default: file name and time.")
    ] = None,
    spec: Spec = None,
    source: Source = None,
    mode: Annotated[
        Mode | None,
        typer.Option(
            "--mode",
            help="Lessons. semi-auto: send to review below the threshold; full-auto: publish the best version.",
        ),
    ] = None,
    patcher: Patcher = None,
    generator: Generator = None,
    allow_same_family: Annotated[
        bool, typer.Option("--allow-same-family", help="Lessons: judges may be of one model family.")
    ] = False,
    rules_only: Annotated[
        bool, typer.Option("--rules-only", help="Accept what rules alone can judge, where no model judges.")
    ] = False,
    max_attempts: Annotated[
        int | None,
        typer.Option(
            "--max-attempts", min=1, max=MOST_ATTEMPTS, metavar="N", help="Questions: corrections of each. Default: 2."
        ),
    ] = None,
    against: Against = None,
    kind: KindName = None,
    strict_input: StrictInput = False,
) -> int:
    """Find what is wrong, repair only that, and publish when nothing is left to decide.

    Without a model, everything is done that needs none. The run can be stopped at any time and resumed.
    Exit code 0: everything is accepted and published. 1: a lesson must be rewritten. 3: some units need a person, or a
    lesson is published as best effort. 6: stopped at a limit, a model does not answer, or
    calls are with the provider in a batch.
    """
    loaded = load(
        flags={
            **models.flags(),
            **limits.flags(),
            **rules.flags(),
            **lesson_flags(patcher, generator, allow_same_family),
        }
    )
    beside = materials(spec, source or ())
    order = Order(path, kind, out, run_id, against, strict_input, out_format, beside, mode, rules_only, max_attempts)
    with terminable():
        plan = plan_of(order, loaded)
        resources = resources_of(loaded.settings, plan.models)
        if estimate:
            return print_estimate(plan, loaded.settings, output.screen, json=output.json)
        folder, kind_of_run = RunFolder.at(Path(loaded.settings.runs), plan.run_id), kind_named(plan.kind)
        if not output.json:
            _say_who_judges(plan)
        who = approval(kind_of_run, given=False)
        result: Result = run_to_end(
            folder, kind_of_run, lambda watcher: start_run(folder, plan, resources, watcher, approve=who)
        )
        return print_summary(folder, plan, result, output.screen, json=output.json)


def _say_who_judges(plan: Plan) -> None:
    """Before anything begins: that nobody judges, and what that means."""
    kind = kind_named(plan.kind)
    if plan.judges:
        return
    judged = counted(len(plan.documents), kind.words.document)
    told = f"No model judges {'the ' + kind.words.document if len(plan.documents) == 1 else f'the {judged}'}: "
    told += "rules see form, not whether it is true. "
    if plan.arguments["options"].get("rules_only"):
        told += "What has no error is accepted (--rules-only); what nobody judged is listed at the end."
    else:
        told += "What has no error waits for a person. "
        told += "Name judges with --judges, or accept the rules' word with --rules-only."
    Screen(sys.stderr).line(("warning", "note: "), told)


def resume(
    run: RunName,
    models: ModelOptions,
    limits: RunOptions,
    output: Output,
    approve: Approve = False,
    by: Annotated[str | None, typer.Option(metavar="NAME", help="Who approves or ignores. It is recorded.")] = None,
    ignore: Annotated[
        str | None, typer.Option(metavar="IDS", help="Dismiss all claims of these rules, from now on too.")
    ] = None,
) -> int:
    """Continue a run: after a stop, a crash, a limit, or a decision. No recorded answer is paid for again.

    The run uses the arguments it was started with; limits and models can be changed. Units that wait only because a
    model did not answer are tried again. A rule that is ignored loses its claims: units that wait only for them are
    accepted, or go to the readers who have not seen them yet. `burnish dismiss RUN RULE --undo` takes that back.
    """
    with terminable():
        loaded = load(flags={**models.flags(), **limits.flags()})
        folder = existing_run(Path(loaded.settings.runs), run)
        settings = with_recorded_arguments(folder, loaded)
        others = OtherModels(models.model, models.panel)
        ignored = rule_ids("--ignore", ignore) or ()
        with view(folder.root.parent, folder.id) as opened:
            kind, task = opened.kind, opened.plan.task
        if task == EVOLVE:
            # It needs all of a course, which no other run should have to load.
            from burnish.cli.course_summary import resume_evolution

            return resume_evolution(folder, loaded, output)
        who = approval(kind, approve, by)
        result = run_to_end(
            folder,
            kind,
            lambda watcher: resume_run(
                folder, settings, watcher, others=others, approve=who, ignored=ignored, by=by or RESUMED
            ),
        )
        with view(folder.root.parent, folder.id) as opened:
            plan = opened.plan
        return print_summary(folder, plan, result, output.screen, json=output.json)
