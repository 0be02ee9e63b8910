"""One lesson without a run: read with all that lies beside it, and gone through the first stage."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from burnish.app.kinds import detect
from burnish.app.materials import materials
from burnish.core.checks import Examination, Selection, select
from burnish.core.documents import Problem
from burnish.core.effects import ModelRoles
from burnish.core.errors import InputError, UsageError
from burnish.core.forecasts import Forecast
from burnish.engine.check import opened
from burnish.engine.estimate import UNKNOWN, Estimate, Habits
from burnish.engine.interpreters import InMemory
from burnish.kinds.lessons.estimate import moods
from burnish.kinds.lessons.findings import examine
from burnish.kinds.lessons.formats import Loaded, bytes_of, format_named
from burnish.kinds.lessons.kind import LessonsKind
from burnish.kinds.lessons.model import Lesson, LessonContext, LessonUnit, Passage, Spec
from burnish.kinds.lessons.prejudge import first_review
from burnish.kinds.lessons.progress import LessonProgress, source_index
from burnish.kinds.lessons.refinement.config import config_for
from burnish.kinds.lessons.self_review import ReviewIssue, SelfReview
from burnish.kinds.lessons.sources import read_source
from burnish.kinds.lessons.spec import read_spec, spec_of
from burnish.models.budget import Price

GivenLesson = Lesson | Mapping[str, Any] | str | Path
"""A lesson, the contract's JSON as a mapping, the path of a file, or the text of one: what has several lines."""
GivenSpec = Spec | Mapping[str, Any] | str | Path | None
GivenSources = Sequence[str | Path] | Mapping[str, str]
"""Paths of files and folders, or name -> text."""

GIVEN, GIVEN_TEXT = "lesson.json", "lesson.md"
"""What a lesson that comes as a mapping or as text is called in messages."""
GIVEN_SPEC = "the spec"
LONGEST_PATH = 4096
"""Characters: what is longer names no file, so it is never opened, and never said again in full."""
TRUNCATED = "truncated"
"""The code of an input that breaks off."""


@dataclass(frozen=True, slots=True)
class Study:
    """A lesson with everything that is known about it, and the rules it is held against."""

    context: LessonContext
    selection: Selection
    problems: tuple[Problem, ...] = ()
    """What could not be read as it stands, or was understood and is worth a word."""

    @property
    def lesson(self) -> Lesson:
        return self.context.lesson

    @property
    def holes(self) -> tuple[Problem, ...]:
        """Parts that made no unit."""
        return tuple(problem for problem in self.problems if problem.blocks and problem.code != "bad_spec")

    def examine(self, lesson: Lesson, unit: LessonUnit) -> Examination:
        return examine(unit, self.selection, replace(self.context, lesson=lesson))

    def progress(self, roles: ModelRoles) -> LessonProgress:
        """For the stages before anything is refined: the mode does not matter yet."""
        context = self.context
        index = source_index(context)
        return LessonProgress(self.lesson, context, roles, config_for("semi-auto"), self.examine, index)

    def estimate(self, reviewer: str | None, prices: Mapping[str, Price], habits: Habits = UNKNOWN) -> Estimate:
        """What stage 1 would cost. No call is made."""
        roles = ModelRoles(roles={"reviewer": reviewer} if reviewer is not None and not self.holes else {})
        result = Estimate(unpriced=tuple({reviewer} - {None, *prices}))  # type: ignore[arg-type]
        charges = [
            charge
            for mood in moods(self.lesson.units, roles)
            if mood.with_rules or mood.is_likely
            for charge in mood.charges(first_review(self.progress(roles)))
        ]
        result.add([Forecast(len(self.lesson.units), charges=charges, is_unique=True)], prices, habits=habits)
        return result

    async def review(self, reviewer: str | None, performance: InMemory) -> SelfReview:
        """Stage 1. A part that cannot be read leaves nothing to be read by a model: it decides at once."""
        roles = {"reviewer": reviewer} if reviewer is not None and not self.holes else {}
        review = await performance.result(first_review(self.progress(ModelRoles(roles=roles))))
        remarks = map(_remark, (problem for problem in self.problems if problem not in self.holes))
        return replace(review, issues=(*map(_missing, self.holes), *remarks, *review.issues))


def _missing(hole: Problem) -> ReviewIssue:
    return ReviewIssue(type="EMPTY", severity="CRITICAL", location=hole.field or "lesson", description=hole.message)


def _remark(problem: Problem) -> ReviewIssue:
    """What was understood all the same, such as an id that is there twice."""
    location = problem.unit or "lesson"
    return ReviewIssue(type="HYGIENE", severity="INFO", location=location, description=problem.message)


def study(lesson: GivenLesson, spec: GivenSpec, sources: GivenSources, selection: Selection | None = None) -> Study:
    """Read everything. InputError where something cannot be used; half a lesson is never taken for a whole one."""
    loaded, path = _loaded(lesson)
    kind = LessonsKind(specs=tuple(_specs(spec)), passages=tuple(_passages(sources)))
    surveyed = {"lesson": loaded.lesson, "spec": loaded.spec, "path": path}
    return Study(kind.context([surveyed], {}), selection or select(kind.checks), loaded.problems)


def _loaded(given: GivenLesson) -> tuple[Loaded, str]:
    if isinstance(given, Lesson):
        return Loaded(given), GIVEN
    if isinstance(given, Mapping):
        return format_named("json").read(_bytes(given), GIVEN), GIVEN
    if _is_text(given):
        name, format = (GIVEN, "json") if str(given).lstrip().startswith("{") else (GIVEN_TEXT, "markdown")
        return format_named(format).read(_encoded(str(given)), name), name
    path = _path(given)
    _, format = detect(path, "lessons")
    with opened(path) as stream:
        return format_named(format).read(bytes_of(stream, path), path), path


def _is_text(given: str | Path) -> bool:
    """Whether it is a file's text and not its name."""
    return isinstance(given, str) and "\n" in given


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _path(given: str | Path) -> str:
    path = str(given)
    if len(path) > LONGEST_PATH:
        hint = "A text has several lines; a lesson as JSON can be given as a mapping."
        raise InputError("This is too long for a file name.", path=f"{path[:60]}...", code="unreadable", hint=hint)
    return path


def _bytes(given: Mapping[str, Any]) -> bytes:
    try:
        return json.dumps(given, allow_nan=False).encode()
    except (TypeError, ValueError, RecursionError) as wrong:
        raise InputError(f"This is not the JSON of a lesson: {wrong}.", path=GIVEN) from wrong


def _specs(given: GivenSpec) -> Iterator[Spec]:
    if isinstance(given, Spec):
        yield given
    elif isinstance(given, Mapping):
        yield spec_of(given, GIVEN_SPEC)
    elif given is not None and _is_text(given):
        yield read_spec(_encoded(str(given)), GIVEN_SPEC)
    elif given is not None:
        yield from (read_spec(one.data, one.path) for one in materials(_path(given), ()).specs)


def _passages(given: GivenSources) -> Iterator[Passage]:
    if isinstance(given, str | Path):
        raise UsageError("`sources` is a list of paths.", hint="Put the one path into a list.")
    if isinstance(given, Mapping):
        for name, text in given.items():
            yield from read_source(_encoded(text), name)
        return
    for source in materials(None, [_path(path) for path in given]).sources:
        yield from read_source(source.data, source.name)
