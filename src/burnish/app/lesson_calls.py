"""The stages of a lesson as Python calls in memory, without a run: the same procedure as `review` and `polish`."""

from __future__ import annotations

import json
import secrets
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Required, TypedDict, Unpack, cast, get_args

from pydantic import ValidationError

from burnish.app.kinds import detect
from burnish.app.materials import materials
from burnish.app.run_sessions import refuse_alike
from burnish.app.settings import Settings, redactor_of
from burnish.core.checks import Selection, select
from burnish.core.choices import refuse_slip
from burnish.core.documents import Problem
from burnish.core.effects import ModelRoles, Outcome
from burnish.core.errors import InputError, ModelFailed, UsageError
from burnish.core.forecasts import Forecast
from burnish.engine.check import opened
from burnish.engine.client import ModelClient
from burnish.engine.estimate import UNKNOWN, Estimate, Habits
from burnish.engine.interpreters import InMemory, Performed
from burnish.kinds.lessons.arbiter import consolidate
from burnish.kinds.lessons.controller import RefinementResult
from burnish.kinds.lessons.events import ExtendedStage6NodeName, PhaseName, node_of, phase_of
from burnish.kinds.lessons.findings import rules_on
from burnish.kinds.lessons.formats import Loaded
from burnish.kinds.lessons.kind import LessonsKind, bytes_of, format_named
from burnish.kinds.lessons.materials import read_source, read_spec, spec_of
from burnish.kinds.lessons.model import Lesson, LessonContext, LessonUnit, Passage, Spec, wire_content
from burnish.kinds.lessons.panel import judge_lesson
from burnish.kinds.lessons.policy import STATES, OperationMode, RefinementLimits
from burnish.kinds.lessons.prejudge import first_review, flag
from burnish.kinds.lessons.progress import LessonProgress, content_sections
from burnish.kinds.lessons.refinement import ArbiterInput, ArbiterOutput, JudgeAggregatedResult, RefinementStatus
from burnish.kinds.lessons.self_review import ReviewIssue, SelfReview, SelfReviewResponse, unreadable
from burnish.kinds.lessons.verdicts import PanelFailed
from burnish.kinds.lessons.work import LessonWork, moods
from burnish.models.budget import Budget, Price, context_sizes
from burnish.models.calls import Call, Provider, RawReply
from burnish.models.gateway import Gateway
from burnish.models.profiles import Endpoint
from burnish.models.providers import LiveModels, Models
from burnish.store.journal import MemoryJournal

GivenLesson = Lesson | Mapping[str, Any] | str | Path
"""A lesson, the contract's JSON as a mapping, the path of a file, or a text of several lines."""
GivenSpec = Spec | Mapping[str, Any] | str | Path | None
GivenSources = Sequence[str | Path] | Mapping[str, str]
"""Paths of files and folders, or name -> text."""

GIVEN, GIVEN_TEXT = "lesson.json", "lesson.md"
"""File names in messages about a lesson that was given as a mapping or as text."""
GIVEN_SPEC = "the spec"
LONGEST_PATH = 4096
"""Characters. A longer string is no path: it is not opened, and not quoted in full."""
TRUNCATED = "truncated"
"""Error code of truncated input."""


@dataclass(frozen=True, slots=True)
class Study:
    """A lesson with its specification and sources, and the rules that check it."""

    context: LessonContext
    selection: Selection
    problems: tuple[Problem, ...] = ()
    """Parts that could not be read, and remarks about parts that could."""

    @property
    def lesson(self) -> Lesson:
        return self.context.lesson

    @property
    def holes(self) -> tuple[Problem, ...]:
        """Parts of which no unit was made."""
        return tuple(problem for problem in self.problems if problem.blocks and problem.code != "bad_spec")

    def progress(
        self, roles: ModelRoles, mode: OperationMode = "semi-auto", limits: RefinementLimits | None = None
    ) -> LessonProgress:
        """The progress of the lesson. Mode and limits matter only for refinement."""
        return LessonProgress.begun(self.context, roles, rules_on(self.context, self.selection), mode, limits)

    def _first_roles(self, reviewer: str | None) -> ModelRoles:
        """The roles of stage 1: none if a part cannot be read, because that decides without a model."""
        return ModelRoles(roles={"reviewer": reviewer} if reviewer is not None and not self.holes else {})

    def estimate(self, reviewer: str | None, prices: Mapping[str, Price], habits: Habits = UNKNOWN) -> Estimate:
        """The cost of stage 1. No call is made."""
        roles = self._first_roles(reviewer)
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
        """Stage 1."""
        review = await performance.result(first_review(self.progress(self._first_roles(reviewer))))
        missing = [
            ReviewIssue(type="EMPTY", severity="CRITICAL", location=one.field or "lesson", description=one.message)
            for one in self.holes
        ]
        # Remarks about input that could be used, such as an id that occurs twice.
        remarks = [
            ReviewIssue(type="HYGIENE", severity="INFO", location=one.unit or "lesson", description=one.message)
            for one in self.problems
            if one not in self.holes
        ]
        return replace(review, issues=(*missing, *remarks, *review.issues))


def study(lesson: GivenLesson, spec: GivenSpec, sources: GivenSources, selection: Selection | None = None) -> Study:
    """Read everything. Raise InputError if a part cannot be used: half a lesson never passes for a whole one."""
    loaded, path = _loaded(lesson)
    kind = LessonsKind(specs=tuple(_specs(spec)), passages=tuple(_passages(sources)))
    surveyed = {"lesson": loaded.lesson, "spec": loaded.spec, "path": path}
    return Study(kind.context([surveyed], {}), selection or select(kind.checks), loaded.problems)


def _loaded(given: GivenLesson) -> tuple[Loaded, str]:
    if isinstance(given, Lesson):
        return Loaded(given), GIVEN
    if isinstance(given, Mapping):
        try:
            data = json.dumps(given, allow_nan=False).encode()
        except (TypeError, ValueError, RecursionError) as wrong:
            raise InputError(f"This is not the JSON of a lesson: {wrong}.", path=GIVEN) from wrong
        return format_named("json").read(data, GIVEN), GIVEN
    if (text := _text_of(given)) is not None:
        name, format = (GIVEN, "json") if str(given).lstrip().startswith("{") else (GIVEN_TEXT, "markdown")
        return format_named(format).read(text, name), name
    path = _path(given)
    _, format = detect(path, "lessons")
    with opened(path) as stream:
        return format_named(format).read(bytes_of(stream, path), path), path


def _text_of(given: str | Path) -> bytes | None:
    """The text as bytes; None for a string of one line, which is a path."""
    return given.encode("utf-8", "surrogatepass") if isinstance(given, str) and "\n" in given else None


def _path(given: str | Path) -> str:
    path = str(given)
    if len(path) > LONGEST_PATH:
        hint = "A text has several lines; a lesson as JSON can be given as a mapping."
        raise InputError("This is too long for a file name.", path=f"{path[:60]}...", code="unreadable", hint=hint)
    return path


def _specs(given: GivenSpec) -> Iterator[Spec]:
    if isinstance(given, Spec):
        yield given
    elif isinstance(given, Mapping):
        yield spec_of(given, GIVEN_SPEC)
    elif given is not None and (text := _text_of(given)) is not None:
        yield read_spec(text, GIVEN_SPEC)
    elif given is not None:
        yield from (read_spec(one.data, one.path) for one in materials(_path(given), ()).specs)


def _passages(given: GivenSources) -> Iterator[Passage]:
    if isinstance(given, str | Path):
        raise UsageError("`sources` is a list of paths.", hint="Put the one path into a list.")
    if isinstance(given, Mapping):
        for name, text in given.items():
            yield from read_source(text.encode("utf-8", "surrogatepass"), name)
        return
    for source in materials(None, [_path(path) for path in given]).sources:
        yield from read_source(source.data, source.name)


KIND = LessonsKind()
Model = str | Provider
"""A `provider:model` string, or anything with a `send` method, such as a ScriptedModel."""
AT_ONCE = 8
"""Calls under way at the same time."""
JUDGES_FAILED_HINT = "Try again, or with other judges."
JUDGES_HINT = "Name two or three judges of different families: judges=[...]."


@dataclass(frozen=True, slots=True)
class RefinementEvent:
    """An event of a refinement. The last one carries the result."""

    type: str
    """One of the fourteen types of a refinement, of another stage (`self_reviewed`, `judged`, ...), or `ended`."""
    unit: str | None
    data: Mapping[str, Any]
    result: RefinementResult | None = None
    """Only in the last event, `ended`."""

    @property
    def node(self) -> ExtendedStage6NodeName:
        """The source of the event: `arbiter`, `patcher`, `judge`, ..., or `system`."""
        return node_of(self.type)

    @property
    def phase(self) -> PhaseName | None:
        """`stage_6_arbiter`, `stage_6_judge`, ...; None for an event outside the phases."""
        return phase_of(self.type)


async def review(
    lesson: GivenLesson,
    spec: GivenSpec = None,
    sources: GivenSources = (),
    *,
    model: Model | None = None,
    profile: str = "default",
    base_url: str | None = None,
) -> SelfReviewResponse:
    """Stage 1: the rules, the safe fixes, and the verified findings of a cheap model.

    Without a model the rules decide. A lesson whose JSON is truncated is REGENERATE, with the place.
    """
    try:
        read = study(lesson, spec, sources, _selection(profile))
    except InputError as error:
        if error.code != TRUNCATED:
            raise
        return unreadable(error.field or f"line {error.line}", error.message)
    table = RoleTable()
    reviewer = table.name("reviewer", model)
    async with table.client(base_url) as client:
        return (await read.review(reviewer, InMemory(client))).response()


async def judge(
    lesson: GivenLesson,
    spec: GivenSpec = None,
    sources: GivenSources = (),
    *,
    judges: Sequence[Model],
    review: SelfReviewResponse | None = None,
    profile: str = "default",
    base_url: str | None = None,
    allow_same_family: bool = False,
) -> JudgeAggregatedResult:
    """Stage 2: two judges at once, and the third if one of them fails, is unsure, or they disagree.

    `review` is the result of stage 1: the judges see what it flagged. Raise ModelFailed if no judge answers.
    """
    read = study(lesson, spec, sources, _selection(profile))
    table = RoleTable()
    panel = table.panel(judges, allow_same_family=allow_same_family)
    progress = read.progress(ModelRoles(panel, contexts=context_sizes(panel)))
    for issue in review.issues if review else ():
        if issue.severity in ("COMPLEX", "INFO"):
            flag(progress, issue)
    async with table.client(base_url) as client:
        verdict = await InMemory(client).result(judge_lesson(progress))
    if isinstance(verdict, PanelFailed):
        raise ModelFailed(verdict.message, hint=JUDGES_FAILED_HINT)
    return verdict


def arbitrate(
    lesson: GivenLesson, judged: JudgeAggregatedResult | Mapping[str, Any], *, mode: OperationMode = "semi-auto"
) -> ArbiterOutput:
    """Stage 3: the agreement of the judges, the issues that count, and the plan of repairs. Computed, without a model.

    Raise InputError if this is no panel, such as two verdicts of one judge.
    """
    refuse_slip("mode", mode, OperationMode)
    try:
        verdict = JudgeAggregatedResult.model_validate(judged)
    except ValidationError as wrong:
        first = wrong.errors()[0]
        field = ".".join(str(part) for part in first["loc"])
        raise InputError(f"This is no verdict of a panel: {first['msg']}.", field=field) from wrong
    models = [one.judge_model for one in verdict.verdicts]
    if len(set(models)) < len(models):
        raise InputError("The same model judges twice in this panel: its issues would count double.", field="verdicts")
    sections = content_sections(study(lesson, None, ()).lesson)
    return consolidate(ArbiterInput(clev_result=verdict, content_sections=sections, operation_mode=mode))


class Terms(TypedDict, total=False):
    """Arguments of `refine` besides the lesson and its materials."""

    judges: Required[Sequence[Model]]
    """Two or three of different families; the first two judge at once. One alone never accepts."""
    model: Model | None
    """Reviews first and, without a patcher, edits."""
    patcher: Model | None
    """Edits sections, or regenerates one."""
    generator: Model | None
    """Regenerates lessons that cannot be repaired, at most twice."""
    mode: OperationMode
    """`semi-auto` (the default): below the threshold a person decides. `full-auto`: the best version is published."""
    limits: RefinementLimits
    profile: str
    base_url: str | None
    allow_same_family: bool


async def refine(
    lesson: GivenLesson, spec: GivenSpec = None, sources: GivenSources = (), **terms: Unpack[Terms]
) -> RefinementResult:
    """Stages 1 to 5, as in `burnish polish`. The result's `content` is the best version.

    A lesson that must be regenerated is `escalated`, with the reason in `blocked`; its score is 0 if it was not judged.
    Raise ModelFailed if no judge answers.
    """
    async for event in refine_events(lesson, spec, sources, **terms):
        if event.result is not None:
            return event.result
    raise AssertionError("the last event carries the result")


async def refine_events(
    lesson: GivenLesson, spec: GivenSpec = None, sources: GivenSources = (), **terms: Unpack[Terms]
) -> AsyncIterator[RefinementEvent]:
    """The events of `refine` as they happen; the last one carries the result."""
    refuse_slip("mode", terms.get("mode"), OperationMode)
    read = study(lesson, spec, sources, _selection(terms.get("profile", "default")))
    if read.holes:
        raise InputError(read.holes[0].message, path=read.holes[0].path, field=read.holes[0].field)
    table = RoleTable()
    roles = table.roles(terms)
    progress = read.progress(roles, terms.get("mode", "semi-auto"), terms.get("limits"))
    async with table.client(terms.get("base_url")) as client:
        performance = InMemory(client)
        async for item in performance.events(LessonWork(progress).run()):
            if isinstance(item, Performed):
                ending = item.value
                result = _result(ending, read.lesson, performance)
                yield RefinementEvent("ended", None, {"status": ending.status, "reason": ending.reason}, result)
            else:
                yield RefinementEvent(item.type, item.unit, item.data)


def _result(ending: Outcome, lesson: Lesson, performance: InMemory) -> RefinementResult:
    """The result of a refinement, with the content of the kept version."""
    kept = (performance.draft(one.unit, one.best or 1) for one in ending.units)
    content = wire_content(lesson.replaced(cast(LessonUnit, unit) for unit in kept))
    refinement = ending.result["refinement"]
    if refinement is None:
        if ending.status == "judges_failed":
            raise ModelFailed("No judge gave a usable verdict.", hint=JUDGES_FAILED_HINT)
        # It ended before the refinement.
        judged = ending.result["clevResult"]
        waiting = ", ".join(ending.units_in(STATES.waiting))
        return RefinementResult(
            status="escalated",
            score=judged["aggregatedScore"] if judged else 0.0,
            content=content,
            quality_status="below_standard",
            blocked=f"It has to be written again: {ending.reason}.",
            improvement_hints=(f"To be written again: {waiting}.",),
        )
    result = RefinementResult.model_validate(refinement)
    best = result.best_effort.model_copy(update={"content": content}) if result.best_effort else None
    status = ending.status if ending.status in get_args(RefinementStatus) else "escalated"
    return result.model_copy(update={"status": status, "content": content, "best_effort": best})


@dataclass(slots=True)
class RoleTable:
    """The models and their roles. A model given as an object gets a name for its calls: one per object, even in several
    roles, so that one model cannot pass for two."""

    given: dict[str, Provider] = field(default_factory=dict)

    def name(self, role: str, model: Model | None) -> str | None:
        """The name of the model in a role."""
        if model is None or isinstance(model, str):
            return model
        known = next((name for name, one in self.given.items() if one is model), None)
        name = known or f"given:{role}"
        self.given[name] = model
        return name

    def panel(
        self, judges: Sequence[Model], generator: Model | None = None, *, allow_same_family: bool
    ) -> tuple[str, ...]:
        """The judges' names. Raise UsageError if there are too few, too many, or two of one family."""
        if isinstance(judges, str) or not 1 <= len(judges) <= 3:
            raise UsageError("A panel is a list of one to three judges.", hint=JUDGES_HINT)
        named = [self.name(f"judge-{number}", judge) for number, judge in enumerate(judges, start=1)]
        names = tuple(name for name in named if name is not None)
        refuse_alike(names, self.name("generator", generator), allowed=allow_same_family)
        return names

    def roles(self, terms: Terms) -> ModelRoles:
        """All models of a refinement."""
        model, generator = terms.get("model"), terms.get("generator")
        allowed = terms.get("allow_same_family", False)
        panel = self.panel(terms.get("judges", ()), generator, allow_same_family=allowed)
        given = {"reviewer": model, "patcher": terms.get("patcher") or model, "generator": generator}
        roles = {role: name for role, one in given.items() if (name := self.name(role, one)) is not None}
        return ModelRoles(panel, roles, context_sizes(panel))

    @asynccontextmanager
    async def client(self, base_url: str | None) -> AsyncIterator[ModelClient]:
        """A client for all of them; its connections close after the block."""
        async with Models(LiveModels(Endpoint(base_url))) as live:
            redactor = redactor_of(Settings(), base_url)
            gateway = Gateway(
                MemoryJournal(), GivenModels(self.given, live), budget=Budget(), holds_key=redactor.holds_key
            )
            yield ModelClient(gateway, secrets.token_hex(16), at_once=AT_ONCE, redactor=redactor)


@dataclass(frozen=True, slots=True)
class GivenModels:
    """A Provider that passes each call to the model that the call names."""

    given: Mapping[str, Provider]
    live: Provider

    async def send(self, call: Call) -> RawReply:
        return await self.given.get(call.model, self.live).send(call)


def _selection(profile: str) -> Selection:
    refuse_slip("profile", profile, list(KIND.profiles))
    return select(KIND.checks, severities=dict(KIND.profiles[profile]))
