"""`burnish review`: the first stage of a lesson, whole: rules, safe fixes, and what a cheap reader adds."""

from __future__ import annotations

import asyncio
import sys
from dataclasses import replace
from typing import Annotated, Literal

import typer

from burnish.app.loading import Loaded, load
from burnish.app.polishing import asker_of
from burnish.app.reports.reviews import show_review
from burnish.app.selection import wanted
from burnish.app.studying import TRUNCATED, Study, study
from burnish.app.terminal import Screen
from burnish.app.wire import json_text
from burnish.cli.options import BaseUrl, ModelOptions, RunOptions, Source, TextOutput
from burnish.core.errors import InputError, ModelAway, UsageError
from burnish.engine.interpreters import InMemory
from burnish.kinds.lessons.kind import LessonsKind
from burnish.kinds.lessons.self_review import SelfReview, SelfReviewResponse, Status, unreadable

EXIT_CODES: dict[Status, int] = {"PASS": 0, "PASS_WITH_FLAGS": 0, "FIXED": 0, "REGENERATE": 1, "FLAG_TO_JUDGE": 0}


def review(
    lesson: Annotated[str, typer.Argument(metavar="LESSON", help="A lesson, as JSON or Markdown.")],
    output: TextOutput,
    spec: Annotated[
        str | None,
        typer.Option(
            "--spec",
            metavar="PATH",
            help="Specification of the lesson, or a folder of them. Required unless the lesson contains it.",
        ),
    ] = None,
    source: Source = None,
    model: Annotated[
        str | None,
        typer.Option("--model", metavar="M", help="A cheap model that reads the lesson. Default: rules only."),
    ] = None,
    base_url: BaseUrl = None,
    format: Annotated[Literal["text", "json"], typer.Option("--format", help="For people, or for programs.")] = "text",
) -> int:
    """Check at the lowest cost whether a lesson meets its specification and can be used. Nothing is written.

    Rules run first and apply their safe fixes; then a model reads what passed. `burnish check --fix` makes the same
    fixes in the file. Exit code 0: PASS, PASS_WITH_FLAGS, FIXED, or FLAG_TO_JUDGE, where the next step is a judge.
    1: REGENERATE.
    """
    loaded = load(flags={**ModelOptions(model).flags(), **RunOptions(base_url=base_url).flags()})
    screen = output.screen
    try:
        read = study(lesson, spec, source or (), wanted(LessonsKind(), loaded).selection)
    except InputError as error:
        if error.code != TRUNCATED:
            raise
        response = unreadable(error.field or f"line {error.line}", error.message)
        return _answer(response, None, None, lesson, screen, format)
    if read.context.spec is None:
        raise UsageError(
            "A review needs the specification: what the lesson was ordered to be.", hint="Give it with --spec FILE."
        )
    reviewed, failures, away = asyncio.run(_reviewed(read, loaded))
    for failure in dict.fromkeys(failures if reviewed.degraded else ()):
        Screen(sys.stderr).paragraph(failure, indent="  ", first=(("warning", "no usable answer: "),))
    code = _answer(reviewed.response(), reviewed, read, lesson, screen, format)
    return ModelAway.exit_code if away else code


async def _reviewed(read: Study, loaded: Loaded) -> tuple[SelfReview, list[str], bool]:
    """The verdict, why the reader gave no usable answer where it did not, and whether it is away: then the rules speak
    alone."""
    reader = loaded.settings.models.reviewer or loaded.settings.models.model
    async with asker_of(loaded.settings, (reader,) if reader else ()) as asker:
        performance = InMemory(asker)
        try:
            return await read.review(reader, performance), performance.failures, False
        except ModelAway as away:
            return replace(await read.review(None, InMemory(None)), degraded=True), [away.message], True


def _answer(
    response: SelfReviewResponse,
    reviewed: SelfReview | None,
    read: Study | None,
    path: str,
    screen: Screen,
    format: str,
) -> int:
    if format == "json":
        screen.stream.write(json_text(response.model_dump(mode="json")) + "\n")
    else:
        show_review(screen, path, response, read, reviewed.lesson if reviewed else None)
    return EXIT_CODES[response.status]
