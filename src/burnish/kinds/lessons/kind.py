"""The lessons kind, as the engine, the commands and the pages use it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, BinaryIO, cast

from burnish.core.checks import Check, Examination, Selection, discover
from burnish.core.damage import Damage
from burnish.core.documents import Field, Material, Part, Unit
from burnish.core.effects import Effect, Work
from burnish.core.errors import InputError, UsageError
from burnish.core.findings import Finding
from burnish.core.forecasts import Forecast, Rehearsal
from burnish.core.gate import Count, GatePolicy
from burnish.core.kinds import Issue, Kind, Overview
from burnish.core.presentation import Display, ExportRow, Illustration, KindWords, Remark, Table
from burnish.core.records import EventRecord
from burnish.core.tasks import Environment, Task
from burnish.kinds.lessons import checks, policy, requests
from burnish.kinds.lessons.findings import examine, rules_on, unknown
from burnish.kinds.lessons.formats import LARGEST, Format, format_name
from burnish.kinds.lessons.json_lesson import JsonLesson
from burnish.kinds.lessons.markdown_lesson import DocxLesson, MarkdownLesson
from burnish.kinds.lessons.materials import read_source, read_spec, refuse_other_lesson
from burnish.kinds.lessons.model import Lesson, LessonContext, LessonUnit, Passage, Spec
from burnish.kinds.lessons.progress import LessonProgress
from burnish.kinds.lessons.views import (
    CONTRACTS,
    DISPLAYS,
    EXPORTS,
    LessonOverview,
    describe,
    illustration,
    said,
)
from burnish.kinds.lessons.work import LessonWork, forecasts
from burnish.kinds.registry import extension, shows_lesson
from burnish.text.docx import LARGEST as LARGEST_DOCX
from burnish.text.json_text import read_limited

FORMATS: tuple[Format, ...] = (JsonLesson(), MarkdownLesson(), DocxLesson())


def bytes_of(stream: BinaryIO, path: str) -> bytes:
    """The whole file of a lesson. Raise InputError if it is too large; no more than the limit is read."""
    return read_limited(stream, path, LARGEST_DOCX if extension(path) in DocxLesson.extensions else LARGEST)


def format_named(name: str) -> Format:
    for format in FORMATS:
        if format.name == name:
            return format
    known = ", ".join(format.name for format in FORMATS)
    raise UsageError(f"There is no format {name!r} of lessons.", hint=f"Formats are: {known}.")


@dataclass(frozen=True)
class LessonsKind(Kind):
    """Lessons: a draft with its specification and source is turned into a proven lesson."""

    specs: tuple[Spec, ...] = ()
    """The specifications of the lessons."""
    passages: tuple[Passage, ...] = ()
    """The source material, split into passages."""
    name: str = "lessons"
    noun: str = "unit"
    is_whole = True
    states = policy.STATES
    profiles = policy.PROFILES
    reasons = policy.REASONS
    contracts = CONTRACTS
    words = KindWords("Lessons", "lesson", ready="units accepted")
    prompts = tuple(requests.prompt(name) for name in requests.CALLS)

    def supplied(self, materials: Mapping[str, Sequence[Material]], options: Mapping[str, Any]) -> LessonsKind:
        """The kind with specifications (`spec`) and source material (`source`)."""
        read = tuple(read_spec(spec.data, spec.path) for spec in materials.get("spec", ()))
        sources = materials.get("source", ())
        passages = tuple(passage for source in sources for passage in read_source(source.data, source.name))
        return replace(self, specs=read, passages=passages)

    @cached_property
    def checks(self) -> tuple[Check, ...]:
        return discover(checks)

    # -- documents

    def recognise(self, path: str, head: bytes) -> str | None:
        return format_name(path, head)

    def is_evident(self, path: str, head: bytes) -> bool:
        """Whether the file is clearly a lesson: Markdown and Word files are, JSON must show it."""
        return format_name(path, head) in ("markdown", "docx") or shows_lesson(head)

    def read(self, stream: BinaryIO, path: str, format: str) -> Iterator[Part]:
        loaded = format_named(format).read(bytes_of(stream, path), path)
        yield from loaded.lesson.units
        yield from loaded.problems
        yield from unknown(loaded.lesson, [check.id for check in self.checks], path)

    def survey(self, stream: BinaryIO, path: str, format: str) -> object:
        """The whole lesson, because checks may look at all of it."""
        loaded = format_named(format).read(bytes_of(stream, path), path)
        return {"lesson": loaded.lesson, "spec": loaded.spec, "path": path}

    def context(self, surveys: list[object], demands: Mapping[str, Any]) -> LessonContext:
        """The context of the last lesson: lessons do not depend on each other."""
        if not surveys:
            return LessonContext.of(Lesson("", "", None, ()))
        surveyed = cast(dict[str, Any], surveys[-1])
        lesson: Lesson = surveyed["lesson"]
        return LessonContext.of(lesson, self._spec_of(lesson, surveyed["spec"], surveyed["path"]), self.passages)

    def _spec_of(self, lesson: Lesson, own: Spec | None, path: str) -> Spec | None:
        """The specification given for this lesson; one for another lesson is refused."""
        for spec in self.specs:
            if spec.lesson_id == lesson.lesson_id:
                return spec
        if len(self.specs) == 1:
            refuse_other_lesson(self.specs[0], lesson, path)
            return self.specs[0]
        return own

    def overview(self, options: Mapping[str, Any], off: Collection[str] = ()) -> Overview:
        return LessonOverview()

    def rewrite(
        self, source: BinaryIO, path: str, format: str, changed: Callable[[str], Unit | None], target: BinaryIO
    ) -> None:
        data = bytes_of(source, path)
        target.write(format_named(format).rewrite(data, path, cast(Callable[[str], LessonUnit | None], changed)))

    @cached_property
    def formats(self) -> Mapping[str, tuple[str, ...]]:
        return {known.name: known.extensions for known in FORMATS}

    def output_format(self, path: str, like: str) -> str:
        if any(path.lower().endswith(ending) for ending in self.formats[like]):
            return like
        wanted = [name for name, endings in self.formats.items() if path.lower().endswith(endings)]
        return wanted[0] if wanted else like

    def convert(self, units: Iterator[Unit], format: str, target: BinaryIO) -> list[str]:
        found = tuple(_unit(unit) for unit in units)
        data, lost = format_named(format).write(Lesson("lesson", "", None, found))
        target.write(data)
        return lost

    # -- display

    def describe(self, facts: Mapping[str, Any]) -> list[Remark | Table]:
        return describe(facts)

    def example(self, check: Check, partial: Mapping[str, Any]) -> Illustration:
        return illustration(check, partial)

    def ignoring(self, rule: str) -> str:
        listed = f'`"burnish_ignore": ["{rule}"]`'
        return f"`<!-- burnish-ignore: {rule} -->` in the text; {listed} in a section or in the lesson as a whole"

    # -- judging

    def examine(self, unit: Unit, selection: Selection, context: object) -> Examination:
        return examine(_unit(unit), selection, cast(LessonContext, context))

    def gate(self, judges: int) -> GatePolicy:
        return policy.GATE

    def scores(self, examination: Examination, objections: Count[Issue] | None) -> Mapping[str, object]:
        return policy.scores(examination)

    @property
    def damages(self) -> tuple[Damage, ...]:
        from burnish.kinds.lessons.damage import damages

        return damages()

    def rule_findings(self, changed: Sequence[Unit], env: Environment) -> list[Finding]:
        from burnish.kinds.lessons.damage import rule_findings

        return rule_findings(changed, env)

    def judge_findings(self, changed: Sequence[Unit], env: Environment) -> Generator[Effect, Any, tuple[Finding, ...]]:
        from burnish.kinds.lessons.damage import judge_findings

        return judge_findings(changed, env)

    def work(self, task: Task, env: Environment) -> Work:
        """The five stages for one lesson. `env.options`: the mode."""
        known = cast(LessonContext, env.context)
        mode = env.options.get("mode", "semi-auto")
        progress = LessonProgress.begun(known, env.roles, rules_on(known, env.selection), mode)
        progress.lesson = known.lesson.replaced(_unit(item.unit) for item in task.units)
        progress.notes, progress.settled = dict(task.notes), task.settled
        if any(item.attempts for item in task.units):
            progress.first_cause = "review"
        return (yield from LessonWork(progress, task.number, bool(env.options.get("rules_only"))).run())

    def forecasts(self, run: Rehearsal) -> Iterator[Forecast]:
        return forecasts(self, run)

    # -- storage and display

    def to_record(self, unit: Unit) -> Mapping[str, Any]:
        return _unit(unit).as_record()

    def from_record(self, record: Mapping[str, Any]) -> LessonUnit:
        return LessonUnit.from_record(record)

    def from_person(self, unit: Unit, text: str) -> LessonUnit:
        """A person's edit is the new text of the unit; for an exercise, which has several texts, its solution."""
        if not text.strip():
            raise InputError("The edited text is empty.", hint="Give the whole text of the unit.")
        known = _unit(unit)
        field: Field = None if None in known.fields else "solution"
        # Editors end a file with a line end, which is not part of the text.
        return known.with_text(field, text.strip("\r\n").rstrip())

    def shown(self, unit: Unit) -> str:
        known = _unit(unit)
        if known.is_plain:
            return f"# {known.title}\n\n{known.text}" if known.title else known.text
        return "\n\n".join(f"{field}: {text}" for field, text in known.fields.items())

    def exports(self) -> Mapping[str, ExportRow]:
        return EXPORTS

    def displays(self) -> Mapping[str, Display]:
        return DISPLAYS

    def said(self, event: EventRecord) -> str | None:
        return said(event)


def _unit(unit: Unit) -> LessonUnit:
    """The unit as a lesson's. Another type is a mistake of the caller, not of the content."""
    assert isinstance(unit, LessonUnit), f"no unit of a lesson: {unit!r}"
    return unit


KIND: Kind = LessonsKind()
"""The instance that commands and pages load."""
