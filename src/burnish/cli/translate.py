"""`burnish translate`: translate a book, with a quality gate for every paragraph."""

from __future__ import annotations

import sys
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Annotated, Any, Literal, cast

import typer

from burnish.app.materials import kind_of
from burnish.app.polish_plan import print_estimate
from burnish.app.run_sessions import (
    resources_of,
    start_run,
    with_recorded_arguments,
)
from burnish.app.settings import Loaded, Settings, load
from burnish.app.terminal import Screen
from burnish.app.translation_plan import (
    TranslationOrder,
    again,
    harvested_terms,
    new_plan,
    record_plan,
    recorded,
)
from burnish.cli.execution import approval, run_to_end, terminable
from burnish.cli.options import (
    Approve,
    Estimate,
    ModelOptions,
    Output,
    RuleOptions,
    RunFolderOption,
    RunOptions,
)
from burnish.cli.runs import status
from burnish.cli.summary import print_summary
from burnish.core.errors import UsageError
from burnish.engine.plan import Plan
from burnish.kinds.manuscripts.kind import ManuscriptsKind
from burnish.store.paths import RunFolder, default_run_id
from burnish.store.processes import system_clock

Mode = Literal["full", "rework-only", "status"]
PipelineProfile = Literal["standard_single_pass", "tamazight_two_pass"]
Orthography = Literal["ircam", "kabyle"]


@dataclass(frozen=True, slots=True)
class TranslationOptions:
    """The book, the languages, and the files that are read with it."""

    source: Annotated[str | None, typer.Option(metavar="FILE", help="The book: Markdown, text or .docx.")] = None
    to: Annotated[
        str | None, typer.Option("--to", metavar="LANG", help="Target language, by code or English name: es, Russian.")
    ] = None
    source_language: Annotated[
        str | None, typer.Option("--from", metavar="LANG", help="Source language. Default: detected.")
    ] = None
    pipeline_profile: Annotated[
        PipelineProfile | None,
        typer.Option("--pipeline-profile", help="One pass; or Tamazight in Latin letters first, then in Tifinagh."),
    ] = None
    orthography: Annotated[
        Orthography | None,
        typer.Option("--orthography", help="Spelling of Tamazight. Default: kabyle for kab, otherwise ircam."),
    ] = None
    translator: Annotated[
        str | None,
        typer.Option("--translator", metavar="NAME", help="model, memory, or apertium:PAIR such as apertium:eng-spa."),
    ] = None
    memories: Annotated[
        list[str] | None, typer.Option("--memory", metavar="FILE", help="Translation memory, TMX or JSONL. Repeatable.")
    ] = None
    draft: Annotated[
        str | None, typer.Option("--draft", metavar="FILE", help="An existing translation to review and repair.")
    ] = None
    glossary: Annotated[
        str | None, typer.Option("--glossary", metavar="FILE", help="Terms and names to keep, CSV or TBX.")
    ] = None
    lexicon: Annotated[
        str | None,
        typer.Option(
            "--lexicon", metavar="FILE", help="Your own lexicon, from `burnish lexicon build`; preferred to others."
        ),
    ] = None
    style: Annotated[
        str | None, typer.Option("--style", metavar="FILE", help="A short style sheet with sample paragraphs.")
    ] = None
    reviews: Annotated[
        list[str] | None, typer.Option("--review", metavar="FILE", help="Issues that other tools found. Repeatable.")
    ] = None
    critics: Annotated[
        str | None, typer.Option("--critics-dir", metavar="DIR", help="Your own critics, one Markdown file each.")
    ] = None
    exclude: Annotated[
        str | None,
        typer.Option("--exclude", metavar="FILE", help="Paragraphs to leave unchanged: ids or patterns, with reasons."),
    ] = None
    reauthorize: Annotated[
        bool, typer.Option("--reauthorize", help="Change the exclusions of a run that has begun.")
    ] = False
    max_attempts: Annotated[
        int | None,
        typer.Option("--max-paragraph-attempts", min=1, metavar="N", help="Attempts for each paragraph. Default: 4."),
    ] = None
    paragraphs: Annotated[
        int | None, typer.Option("--paragraphs", metavar="N", help="Paragraphs in a request, 5 to 20. Default: 10.")
    ] = None
    rules_only: Annotated[
        bool,
        typer.Option(
            "--rules-only",
            help="If no model reviews: accept what rules alone can judge; what they cannot judge is listed.",
        ),
    ] = False
    auto_merge: Annotated[
        bool, typer.Option("--auto-merge", help="Like --approve, now and whenever the run is resumed.")
    ] = False

    def order(self, run_id: str) -> TranslationOrder:
        given = {one.name: getattr(self, one.name) for one in fields(self)}
        given["profile"], given["batch"] = given.pop("pipeline_profile"), given.pop("paragraphs")
        values: dict[str, Any] = {
            name: tuple(value) if isinstance(value, list) else value for name, value in given.items()
        }
        return TranslationOrder(run_id, **{name: value for name, value in values.items() if value is not None})


def translate(
    book: TranslationOptions,
    models: ModelOptions,
    limits: RunOptions,
    rules: RuleOptions,
    output: Output,
    run_id: Annotated[
        str | None,
        typer.Option(
            metavar="ID", help="Name of the run; an unfinished one is continued. Default: file name and time."
        ),
    ] = None,
    mode: Annotated[
        Mode,
        typer.Option(
            "--mode", help="full: all phases; rework-only: only paragraphs that failed; status: show the run."
        ),
    ] = "full",
    terms: Annotated[
        bool, typer.Option("--terms", help="Print candidates for a glossary as CSV, and translate nothing.")
    ] = False,
    estimate: Estimate = False,
    approve: Approve = False,
) -> int:
    """Translate a book paragraph by paragraph: review each one, rework only what fails, publish when all are ready.

    Exit code 0: published. 1: the source has changed since the run began. 3: some paragraphs need a person, or the
    result waits for approval. 4: the run is active. 6: stopped at a limit, a model does not answer, or calls
    are with the provider in a batch.
    """
    if terms:
        sys.stdout.write(harvested_terms(book.source))
        return 0
    if run_id is None:
        if mode != "full" or book.source is None:
            raise UsageError("The run is not named.", hint="Name it with --run-id ID, or start one with --source FILE.")
        run_id = default_run_id(book.source, system_clock())
    if mode == "status":
        return status(run_id, RunFolderOption(limits.runs), output)
    loaded = load(flags={**models.flags(), **limits.flags(), **rules.flags()})
    folder, order = RunFolder.at(Path(loaded.settings.runs), run_id), book.order(run_id)
    is_new = recorded(folder) is None
    with terminable():
        plan, settings = _plan(order, loaded, folder, mode)
        resources = resources_of(settings, plan.models)
        if estimate:
            return print_estimate(plan, settings, output.screen, json=output.json)
        _warn_unreviewed(plan)
        kind = kind_of(plan)
        for note in cast(ManuscriptsKind, kind).equipment.draft_notes if is_new else ():
            Screen(sys.stderr).line(("warning", "note: "), note)
        approver, only_rework = approval(kind, approve), mode == "rework-only"
        result = run_to_end(
            folder,
            kind,
            lambda watcher: start_run(
                folder, plan, resources, watcher, approve=approver, only_rework=only_rework, record=record_plan
            ),
        )
        return print_summary(folder, plan, result, output.screen, json=output.json)


def _warn_unreviewed(plan: Plan) -> None:
    """Warn before the run starts if no model reviews, and say what follows from it."""
    if plan.judges or plan.roles.get("reviewer"):
        return
    if plan.arguments["options"].get("rules_only"):
        rest = "What they cannot judge is accepted (--rules-only) and listed at the end."
    else:
        rest = "What they cannot judge waits for a person. Name a model with --model, or accept it with --rules-only."
    Screen(sys.stderr).line(("warning", "note: "), f"No model reviews this translation: rules alone judge it. {rest}")


def _plan(order: TranslationOrder, loaded: Loaded, folder: RunFolder, mode: Mode) -> tuple[Plan, Settings]:
    """The plan of a new or of a resumed run, and the settings that apply to it."""
    known = recorded(folder)
    if known is not None:
        return again(known, order, loaded), with_recorded_arguments(folder, loaded)
    if mode == "rework-only":
        raise UsageError(f"There is no run {folder.id} to rework.", hint="Start it with --mode full.")
    return new_plan(order, loaded), loaded.settings
