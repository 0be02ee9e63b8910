"""A lesson written as a new Markdown file. What Markdown has no place for is named."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from burnish.kinds.files.front_matter import written
from burnish.kinds.lessons.formats.markdown_layout import slug
from burnish.kinds.lessons.headings import headings
from burnish.kinds.lessons.model import Lesson, LessonUnit


def written_lesson(lesson: Lesson) -> tuple[str, list[str]]:
    """The file's text, and what it could not carry, one sentence each."""
    marks = "#" * _level(lesson)
    lost = list(_lost(lesson))
    parts = [part for unit in lesson.units for part in _parts(unit, marks)]
    return written(_values(lesson)) + "\n" + "\n\n".join(parts) + "\n", lost


def _level(lesson: Lesson) -> int:
    """The second, unless the sections have headings of that level inside and are several."""
    inner = [heading.level for unit in lesson.units for heading in headings(unit.text)]
    return 1 if min(inner, default=6) <= 2 else 2


def _values(lesson: Lesson) -> dict[str, Any]:
    values: dict[str, Any] = {"lesson_id": lesson.lesson_id, "title": lesson.title}
    if lesson.language is not None:
        values["language"] = lesson.language
    return values | {name: value for name, value in lesson.details.items() if name not in values and _is_flat(value)}


def _is_flat(value: object) -> bool:
    if isinstance(value, list):
        return all(isinstance(item, str | int | float) for item in value)
    return isinstance(value, str | int | float) and not isinstance(value, bool)


def _parts(unit: LessonUnit, marks: str) -> Iterator[str]:
    if unit.role == "exercise":
        yield f"{marks} {_heading(unit)}"
        yield from (text for text in unit.fields.values() if text.strip())
        return
    if unit.role in ("section", "example") or unit.role == "conclusion":
        title = _heading(unit)
        explicit = f" {{#{unit.id}}}" if unit.role == "section" and slug(title) != unit.id else ""
        yield f"{marks} {title}{explicit}"
    yield unit.text.strip("\r\n")
    if unit.role == "example" and isinstance(unit.carried.get("code"), str):
        yield _fenced(unit.carried["code"])


def _heading(unit: LessonUnit) -> str:
    """One line, whatever the title holds."""
    place = unit.id.rpartition("/")[2]
    made = {"exercise": f"Exercise {place}", "conclusion": "Conclusion", "example": f"Example {place}"}
    title = " ".join((unit.title or "").split())
    return title or made.get(unit.role, unit.id)


def _fenced(code: str) -> str:
    fence = "```"
    while fence in code:
        fence += "`"
    return f"{fence}\n{code.strip(chr(10))}\n{fence}"


def _lost(lesson: Lesson) -> Iterator[str]:
    for unit in lesson.units:
        if unit.role in ("example", "exercise", "conclusion"):
            yield f"{unit.id} becomes a section: Markdown has no place of its own for it."
        for name in unit.carried:
            if (unit.role, name) != ("example", "code"):
                yield f"{unit.id}: `{name}` is not carried."
    for name, value in lesson.details.items():
        if not _is_flat(value):
            yield f"`{name}` of the lesson is not carried."
    if _level(lesson) == 1 and any(h.level == 1 for unit in lesson.units for h in headings(unit.text)):
        yield "Headings of the first level inside a section begin sections of their own."
