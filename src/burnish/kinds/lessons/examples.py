"""A check's examples as whole lessons: each is a few facts laid over one sound lesson."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from burnish.core.checks import Check
from burnish.core.documents import Unit
from burnish.core.kinds import Illustration, Pictured
from burnish.kinds.lessons.model import Lesson, LessonContext, LessonUnit, Objective, Role, Spec, WholeLesson
from burnish.kinds.lessons.sources import Passage

SOUND_TEXT = (
    "Water moves in a circle. The sun warms the sea, and vapour rises into the air. High above the ground it cools "
    "and becomes clouds. Rain and snow fall, and rivers carry the water back to the sea."
)
"""No rule has anything to say about it."""

SOUND: Mapping[str, Any] = {"text": SOUND_TEXT, "role": "section", "language": "en", "title": "The circle of water"}

EXAMPLE_ID = "example"
"""The id of the unit that an example with `text` (or `fields`) describes."""


def example_lesson(partial: Mapping[str, Any]) -> tuple[LessonUnit, LessonContext]:
    """The unit that an example describes, in its lesson.

    `text`, `title`, `role`, `fields` (exact fields instead of text and title) and `carried` describe the unit;
    `units` are the other units of the lesson, in the same manner and after it, or all of them where there is no
    `text` and no `fields`. `language` is the expected one. `spec` holds the spec's members; `source` lists passages.
    """
    facts = {**SOUND, **partial}
    own = "units" not in partial or "text" in partial or "fields" in partial
    units = [_unit(facts, EXAMPLE_ID)] if own else []
    units += [_unit({"title": None, **other}, f"other-{place}") for place, other in enumerate(facts.get("units", ()))]
    lesson = Lesson("example", facts.get("lesson_title", "Water"), facts["language"], tuple(units))
    context = LessonContext(lesson, facts["language"], _spec(facts), tuple(_passages(facts.get("source", ()))))
    return units[0], context


def example_whole(partial: Mapping[str, Any]) -> tuple[WholeLesson, LessonContext]:
    """The same example for a check that looks at the document as a whole."""
    _, context = example_lesson(partial)
    return WholeLesson(context.lesson), context


def example_of(check: Check, partial: Mapping[str, Any]) -> tuple[Unit, LessonContext]:
    """The example as the check looks at it: one unit, or the lesson as a whole."""
    return example_whole(partial) if check.scope == "document" else example_lesson(partial)


def illustration(check: Check, partial: Mapping[str, Any]) -> Illustration:
    """The example as a reader sees it: the texts that it names, and what is expected of them."""
    looked_at, context = example_of(check, partial)
    return Illustration(looked_at, context, (*_expected(partial, context), *_texts(partial, context.lesson)))


def _expected(partial: Mapping[str, Any], context: LessonContext) -> Iterator[Pictured]:
    """What the lesson is held against: a language, the order, the source."""
    if "language" in partial:
        yield Pictured(partial["language"], "language: ")
    if context.spec is not None:
        ordered = partial["spec"]
        yield from (Pictured(f"{one.id} {one.text}", "objective: ") for one in context.spec.learning_objectives)
        yield from (Pictured(str(ordered[name]), f"{name}: ") for name in ("difficulty",) if name in ordered)
        yield from (Pictured(_listed(value), f"{name}: ") for name, value in context.spec.extra.items())
    yield from (Pictured(passage.text, "source: ") for passage in context.passages)


def _listed(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


def _texts(partial: Mapping[str, Any], lesson: Lesson) -> Iterator[Pictured]:
    """Every text of the lesson. Where there are several units, each is introduced by its title or its role."""
    several = len(lesson.units) > 1
    told = several or bool({"text", "fields"} & partial.keys()) or not {"spec", "title"} & partial.keys()
    for unit in lesson.units:
        for field, text in unit.texts().items():
            if field == "title":
                yield Pictured(text, "title: ", unit.id, field, is_said="title" in partial and unit.id == EXAMPLE_ID)
                continue
            name = field or unit.title or unit.role
            label = f"{name}: " if several or unit.role == "exercise" else ""
            yield Pictured(text, label, unit.id, field, is_said=told and bool(text))


def _unit(facts: Mapping[str, Any], id: str) -> LessonUnit:
    role: Role = facts.get("role", "section")
    return LessonUnit(facts.get("id", id), role, facts.get("fields") or _fields(facts, role), facts.get("carried", {}))


def _fields(facts: Mapping[str, Any], role: Role) -> dict[str | None, str]:
    text = facts.get("text", SOUND_TEXT)
    if role == "exercise":
        return {"question": text, "solution": facts.get("solution", SOUND_TEXT)}
    if role in ("intro", "conclusion"):
        return {None: text}
    return {"title": facts.get("title") or "A title", None: text}


def _spec(facts: Mapping[str, Any]) -> Spec | None:
    given = facts.get("spec")
    if given is None:
        return None
    objectives: Sequence[Any] = given.get("learning_objectives", ())
    return Spec(
        lesson_id=given.get("lesson_id", "example"),
        title=given.get("title", "Water"),
        language=given.get("language", facts["language"]),
        difficulty=given.get("difficulty", "beginner"),
        learning_objectives=tuple(_objective(objective, place) for place, objective in enumerate(objectives, 1)),
        content_archetype=given.get("content_archetype"),
        duration_minutes=given.get("duration_minutes"),
        extra=given.get("extra", {}),
    )


def _objective(given: Any, place: int) -> Objective:
    return Objective(f"LO{place}", given) if isinstance(given, str) else Objective(given["id"], given["text"])


def _passages(given: Sequence[str]) -> Iterator[Passage]:
    for place, text in enumerate(given, 1):
        yield Passage(f"source.md#p{place:04d}", text, "source.md", place)
