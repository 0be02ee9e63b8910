"""`burnish review`: check one lesson with rules, safe fixes and a cheap model, and print the verdict."""

from __future__ import annotations

import asyncio
import sys
from dataclasses import replace
from typing import Annotated, Literal

import typer

from burnish.app.check_summary import show_diff
from burnish.app.labels import counted
from burnish.app.lesson_calls import TRUNCATED, Study, study
from burnish.app.materials import rule_settings
from burnish.app.polish_plan import print_reading
from burnish.app.run_sessions import client_for_models
from burnish.app.settings import Loaded, load
from burnish.app.terminal import Piece, Role, Screen, excerpt, json_text
from burnish.cli.options import BaseUrl, Estimate, ModelOptions, RunOptions, Source, TextOutput
from burnish.core.errors import InputError, ModelAway, UsageError
from burnish.engine.interpreters import InMemory
from burnish.kinds.lessons.kind import LessonsKind
from burnish.kinds.lessons.model import Lesson
from burnish.kinds.lessons.self_review import (
    WHOLE,
    IssueSeverity,
    ReviewIssue,
    SelfReview,
    SelfReviewResponse,
    Status,
    unreadable,
)

STATUS: dict[Status, tuple[Role, str]] = {
    "PASS": ("good", "Ready for the judges."),
    "PASS_WITH_FLAGS": ("good", "Ready for the judges, with remarks."),
    "FIXED": ("good", "Repaired by safe fixes; ready for the judges."),
    "FLAG_TO_JUDGE": ("warning", "A judge must check what is flagged."),
    "REGENERATE": ("error", "Cannot be used; must be rewritten."),
}
"""The colour of a status, and what it means."""
SEVERITIES: dict[IssueSeverity, Role] = {
    "CRITICAL": "critical",
    "FIXABLE": "good",
    "COMPLEX": "warning",
    "INFO": "info",
}
BAR = "   | "
DEGRADED = "The model gave no usable answer; only the rules were applied."


def show_review(
    screen: Screen, path: str, response: SelfReviewResponse, read: Study | None, fixed: Lesson | None
) -> None:
    """Print the verdict. `read` and `fixed` are the lesson before and after the fixes, if it could be read."""
    role, meaning = STATUS[response.status]
    screen.line(("path", path))
    screen.line((role, response.status), "  ", meaning)
    screen.paragraph(response.reasoning, indent="")
    if response.degraded:
        screen.paragraph(DEGRADED, first=(("warning", "degraded: "),))
    _print_issues(screen, response.issues, read.lesson if read else None)
    if read is not None and fixed is not None and response.patch:
        screen.gap()
        screen.line(("strong", f"{counted(len(response.patch), 'text')} fixed:"))
        for old, new in zip(read.lesson.units, fixed.units, strict=True):
            if old.content_hash != new.content_hash:
                show_diff(screen, old, new)
        screen.gap()
        screen.line(("faint", "Nothing was written. `burnish check --fix` makes these fixes in the file."))


def _print_issues(screen: Screen, issues: tuple[ReviewIssue, ...], lesson: Lesson | None) -> None:
    """Print the issues by unit, in the lesson's order; issues about no unit come first."""
    order = [unit.id for unit in lesson.units] if lesson else []
    elsewhere = [issue.location for issue in issues if issue.location not in order]
    for location in dict.fromkeys([*elsewhere, *order]):
        here = [issue for issue in issues if issue.location == location]
        if not here:
            continue
        screen.gap()
        unit = lesson.unit(location) if lesson and location in lesson else None
        if location == WHOLE:
            screen.line(("strong", "the lesson as a whole"))
        else:
            screen.line(("strong", location), ("faint", f"  {unit.title}" if unit is not None and unit.title else ""))
        for issue in here:
            head: tuple[Piece, ...] = ("  ", (SEVERITIES[issue.severity], issue.severity), ("faint", f"[{issue.type}]"))
            screen.paragraph(issue.description, indent="    ", first=(*head, ": "))
            if issue.quote:
                screen.line(("hunk", BAR), ("faint", excerpt(issue.quote, None, screen.width - len(BAR)).line))


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
    estimate: Estimate = False,
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
        read = study(lesson, spec, source or (), rule_settings(LessonsKind(), loaded).selection)
    except InputError as error:
        if error.code != TRUNCATED:
            raise
        response = unreadable(error.field or f"line {error.line}", error.message)
        return _print_answer(response, None, None, lesson, screen, format)
    if read.context.spec is None:
        raise UsageError("A review needs the specification of the lesson.", hint="Give it with --spec FILE.")
    if estimate:
        reader = loaded.settings.models.reviewer or loaded.settings.models.model
        return print_reading(read, reader, loaded.settings, screen, json=format == "json")
    reviewed, failures, away = asyncio.run(_run_review(read, loaded))
    for failure in dict.fromkeys(failures if reviewed.degraded else ()):
        Screen(sys.stderr).paragraph(failure, indent="  ", first=(("warning", "no usable answer: "),))
    code = _print_answer(reviewed.response(), reviewed, read, lesson, screen, format)
    return ModelAway.exit_code if away else code


async def _run_review(read: Study, loaded: Loaded) -> tuple[SelfReview, list[str], bool]:
    """The verdict, why the model gave no usable answers, and whether it is away: then only the rules are applied."""
    reader = loaded.settings.models.reviewer or loaded.settings.models.model
    async with client_for_models(loaded.settings, (reader,) if reader else ()) as client:
        performance = InMemory(client)
        try:
            return await read.review(reader, performance), performance.failures, False
        except ModelAway as away:
            return replace(await read.review(None, InMemory(None)), degraded=True), [away.message], True


def _print_answer(
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
