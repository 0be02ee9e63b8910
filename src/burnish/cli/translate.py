"""`burnish translate`: a book into another language, with a gate at every paragraph."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Literal

import typer

from burnish.app.estimates import print_estimate
from burnish.app.loading import Loaded, load
from burnish.app.polishing import means_of, with_recorded_arguments
from burnish.app.settings import Settings
from burnish.app.terminal import Screen
from burnish.app.translating import again, harvested_terms, new_plan, recorded, staged_kind, translate_run
from burnish.app.translation_orders import TranslationOrder
from burnish.cli.approving import approval
from burnish.cli.options import (
    BaseUrl,
    JsonOutput,
    Judges,
    MaxCost,
    MaxSeconds,
    MaxTokens,
    Model,
    NoColor,
    Runs,
    Workers,
    model_flags,
)
from burnish.cli.sittings import ending, run_sitting, terminable
from burnish.cli.status import status
from burnish.core.errors import UsageError
from burnish.engine.crew import look_for_cycles_seldom
from burnish.engine.plan import Plan
from burnish.store.paths import RunFolder

Mode = Literal["full", "rework-only", "status"]
PipelineProfile = Literal["standard_single_pass", "tamazight_two_pass"]
Orthography = Literal["ircam", "kabyle"]


def translate(
    run_id: Annotated[
        str | None, typer.Option(metavar="ID", help="Name of the run. An unfinished one goes on.")
    ] = None,
    source: Annotated[str | None, typer.Option(metavar="FILE", help="The book: Markdown or text.")] = None,
    to: Annotated[str | None, typer.Option("--to", metavar="LANG", help="Into which language: es, Russian.")] = None,
    from_: Annotated[
        str | None, typer.Option("--from", metavar="LANG", help="Out of which language. Default: found out.")
    ] = None,
    mode: Annotated[
        Mode, typer.Option("--mode", help="All phases; only what waits for its rework; or how the run stands.")
    ] = "full",
    pipeline_profile: Annotated[
        PipelineProfile | None,
        typer.Option("--pipeline-profile", help="One pass; or Tamazight in Latin letters, then in Tifinagh."),
    ] = None,
    orthography: Annotated[
        Orthography | None,
        typer.Option("--orthography", help="Spelling of Tamazight. Default: ircam; of kab, kabyle."),
    ] = None,
    model: Model = None,
    judges: Judges = None,
    translator: Annotated[
        str | None,
        typer.Option("--translator", metavar="NAME", help="model, memory, or apertium:PAIR such as apertium:eng-spa."),
    ] = None,
    memory: Annotated[
        list[str] | None, typer.Option("--memory", metavar="FILE", help="Translation memory, TMX or JSONL. Repeatable.")
    ] = None,
    draft: Annotated[
        str | None, typer.Option("--draft", metavar="FILE", help="A translation to be reviewed and repaired only.")
    ] = None,
    glossary: Annotated[
        str | None, typer.Option("--glossary", metavar="FILE", help="Terms and names to keep, CSV or TBX.")
    ] = None,
    style: Annotated[
        str | None, typer.Option("--style", metavar="FILE", help="A short style sheet with sample paragraphs.")
    ] = None,
    terms: Annotated[
        bool, typer.Option("--terms", help="Print candidates for a glossary as CSV, and translate nothing.")
    ] = False,
    review: Annotated[
        list[str] | None, typer.Option("--review", metavar="FILE", help="Issues that other tools found. Repeatable.")
    ] = None,
    critics_dir: Annotated[
        str | None, typer.Option("--critics-dir", metavar="DIR", help="Critics of your own, one Markdown file each.")
    ] = None,
    exclude: Annotated[
        str | None,
        typer.Option("--exclude", metavar="FILE", help="What stays as it is: ids or patterns, with reasons."),
    ] = None,
    reauthorize: Annotated[
        bool, typer.Option("--reauthorize", help="Change the exclusions of a run that was begun.")
    ] = False,
    max_paragraph_attempts: Annotated[
        int | None, typer.Option("--max-paragraph-attempts", min=1, metavar="N", help="Default: 4.")
    ] = None,
    batch: Annotated[
        int | None, typer.Option("--batch", metavar="N", help="Paragraphs in a request, 5 to 20. Default: 10.")
    ] = None,
    estimate: Annotated[
        bool, typer.Option("--estimate", help="Calls, tokens and money beforehand. Nothing is called or written.")
    ] = False,
    approve: Annotated[bool, typer.Option("--approve", help="Publish as soon as every paragraph is ready.")] = False,
    auto_merge: Annotated[
        bool, typer.Option("--auto-merge", help="The same, now and whenever the run is resumed.")
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
    """Translate paragraph by paragraph: review each, rework only what fails, publish when nothing is left to settle.

    Exit code 0: published. 1: the source has changed since the run began. 3: some paragraphs need a person, or the
    result waits for approval. 4: the run is active. 6: stopped at a limit, or a model is away.
    """
    if terms:
        sys.stdout.write(harvested_terms(source))
        return 0
    if run_id is None:
        raise UsageError("A translation needs a name.", hint="Name its run with --run-id ID.")
    if mode == "status":
        return status(run_id, runs, json, no_color)
    loaded = load(flags=model_flags(model, judges, base_url, workers, max_tokens, max_cost, max_seconds, runs))
    folder = RunFolder.at(Path(loaded.settings.runs), run_id)
    order = TranslationOrder(
        run_id,
        source=source,
        to=to,
        source_language=from_,
        profile=pipeline_profile,
        orthography=orthography,
        translator=translator,
        memories=tuple(memory or ()),
        glossary=glossary,
        draft=draft,
        exclude=exclude,
        reviews=tuple(review or ()),
        critics=critics_dir,
        style=style,
        max_attempts=max_paragraph_attempts,
        batch=batch,
        auto_merge=auto_merge,
        reauthorize=reauthorize,
    )
    screen = Screen(sys.stdout, no_color=no_color)
    with terminable():
        plan, settings = _planned(order, loaded, folder, mode)
        means = means_of(settings, plan.models)
        if estimate:
            return print_estimate(plan, settings, screen, json=json)
        look_for_cycles_seldom()
        who, only_rework = approval(approve), mode == "rework-only"
        result = run_sitting(
            folder,
            staged_kind(plan),
            lambda watcher: translate_run(folder, plan, means, watcher, approve=who, only_rework=only_rework),
        )
        return ending(folder, plan, result, screen, json=json)


def _planned(order: TranslationOrder, loaded: Loaded, folder: RunFolder, mode: Mode) -> tuple[Plan, Settings]:
    """The plan of a new run, or of one that goes on, and the settings that hold for it."""
    known = recorded(folder)
    if known is not None:
        return again(known, order, loaded), with_recorded_arguments(folder, loaded)
    if mode == "rework-only":
        raise UsageError(f"There is no run {folder.id} to rework.", hint="Start it with --mode full.")
    return new_plan(order, loaded), loaded.settings
