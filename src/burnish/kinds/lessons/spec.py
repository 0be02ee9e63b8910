"""Specifications: what a lesson was ordered to be, read from JSON or from the front matter of a Markdown file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from burnish.core.documents import Problem
from burnish.core.errors import InputError
from burnish.kinds.lessons.model import Lesson, Objective, Spec
from burnish.languages.tags import may_be_language, primary_tag
from burnish.text.front_matter import front_matter
from burnish.text.json_text import decoded, parsed, too_large

LARGEST = 1 << 20
KNOWN = ("lesson_id", "title", "language", "difficulty", "content_archetype", "learning_objectives", "duration_minutes")
SHAPE = (
    'A spec is {"lesson_id", "title", "language", "difficulty", "content_archetype"?, '
    '"learning_objectives": [{"id", "text"}], "duration_minutes"?}.'
)


def read_spec(data: bytes, path: str) -> Spec:
    """The spec of a JSON file, or of a Markdown file's front matter. InputError names the field that is wrong."""
    if len(data) > LARGEST:
        raise too_large(path, LARGEST)
    text = decoded(data, path).text
    if text.lstrip()[:1] in ("{", "["):
        value = parsed(text, path)
        nested = value.get("spec") if isinstance(value, dict) else None
        return spec_of(nested if isinstance(nested, dict) else value, path)
    matter = front_matter(text)
    if matter is None:
        raise InputError("This is no spec: it is neither JSON nor has it front matter.", path=path, hint=SHAPE)
    return spec_of(matter.values, path)


def spec_of(value: object, path: str) -> Spec:
    """The spec of plain data."""
    if not isinstance(value, Mapping):
        raise InputError("A spec must be an object.", path=path, hint=SHAPE)
    objectives = value.get("learning_objectives")
    if not isinstance(objectives, list) or not objectives:
        raise _wrong("The spec needs a list of objectives.", path, "learning_objectives")
    # A tag that nobody knows is a slip of the pen: every text would be in another language than that.
    given = _text(value, "language", path)
    if not may_be_language(primary_tag(given) or ""):
        raise _wrong("This is no language that is known: give its BCP 47 tag, such as `en`.", path, "language")
    return Spec(
        lesson_id=_text(value, "lesson_id", path),
        title=_text(value, "title", path),
        language=given,
        difficulty=_text(value, "difficulty", path),
        learning_objectives=tuple(_objectives(objectives, path)),
        content_archetype=_text(value, "content_archetype", path) if value.get("content_archetype") else None,
        duration_minutes=_minutes(value.get("duration_minutes"), path),
        extra={name: part for name, part in value.items() if name not in KNOWN},
    )


def _wrong(message: str, path: str, field: str) -> InputError:
    return InputError(message, path=path, field=field, hint=SHAPE, code="bad_spec")


def _text(value: Mapping[str, Any], name: str, path: str) -> str:
    given = value.get(name)
    if isinstance(given, bool) or not isinstance(given, str | int | float) or not str(given).strip():
        raise _wrong("This is missing or no text.", path, name)
    return str(given).strip()


def _objectives(given: list[Any], path: str) -> list[Objective]:
    """Objects with id and text, or texts alone, which are numbered."""
    found: dict[str, Objective] = {}
    for place, objective in enumerate(given):
        field = f"learning_objectives[{place}]"
        if isinstance(objective, str) and objective.strip():
            objective = {"id": f"LO{place + 1}", "text": objective}
        if not isinstance(objective, Mapping):
            raise _wrong("An objective is an object with `id` and `text`.", path, field)
        id = _text(objective, "id", path) if "id" in objective else f"LO{place + 1}"
        text = objective.get("text")
        if not isinstance(text, str) or not text.strip():
            raise _wrong("The objective has no text.", path, f"{field}.text")
        text = text.strip()
        if id in found:
            raise _wrong(f"The id {id!r} is there twice.", path, f"{field}.id")
        found[id] = Objective(id, text)
    return list(found.values())


def _minutes(given: object, path: str) -> float | None:
    if given is None or given == "":
        return None
    try:
        minutes = float(given) if isinstance(given, str | int | float) and not isinstance(given, bool) else -1.0
    except (ValueError, OverflowError):
        minutes = -1.0
    if not 0 < minutes < 100_000:
        raise _wrong("The duration must be a number of minutes above 0.", path, "duration_minutes")
    return minutes


def embedded_spec(value: object, path: str) -> tuple[Spec | None, list[Problem]]:
    """The spec that a lesson's own file brings along; one that cannot be used is told, and the lesson is read."""
    if value is None:
        return None, []
    try:
        return spec_of(value, path), []
    except InputError as error:
        message = f"The lesson's own spec cannot be used: {error.message}"
        return None, [Problem("bad_spec", message, path, None, f"spec.{error.field}", None, error.hint)]


def refuse_other_lesson(spec: Spec, lesson: Lesson, path: str | None = None) -> None:
    """InputError where the spec belongs to another lesson: judging by it would condemn a sound one."""
    if lesson.id_declared and spec.lesson_id != lesson.lesson_id:
        raise InputError(
            f"The spec is for the lesson {spec.lesson_id!r}, but this lesson is {lesson.lesson_id!r}.",
            path=path,
            field="lesson_id",
            code="other_lesson",
            hint="Give the spec of this lesson, or correct the id in one of the two files.",
        )
