"""The wire form: a lesson as the contract's JSON, and where in it a unit's text stands."""

from __future__ import annotations

from typing import Any

from burnish.core.documents import Field
from burnish.kinds.lessons.model import Lesson, LessonUnit

PARTS = ("intro", "sections", "examples", "exercises", "conclusion")
"""The members of `content`, in reading order."""

LISTS = {"section": "sections", "example": "examples", "exercise": "exercises"}


def wire_lesson(lesson: Lesson) -> dict[str, Any]:
    """The whole lesson: `lesson_id`, `content`, and all that was carried along."""
    details = {name: part for name, part in lesson.details.items() if name != "content"}
    wired: dict[str, Any] = {"lesson_id": lesson.lesson_id, "title": lesson.title}
    if lesson.language is not None:
        wired["language"] = lesson.language
    return {**wired, **details, "content": wire_content(lesson)}


def wire_content(lesson: Lesson) -> dict[str, Any]:
    """The contract's `content` object. Patches (RFC 6902) are made against this form."""
    content: dict[str, Any] = {"sections": [], "examples": [], "exercises": []}
    for unit in lesson.units:
        if unit.role in LISTS:
            content[LISTS[unit.role]].append(_wired(unit))
        else:
            content[unit.role] = unit.text
    extra = lesson.details.get("content")
    ordered = {name: content[name] for name in PARTS if name in content}
    return {**ordered, **(extra if isinstance(extra, dict) else {})}


def _wired(unit: LessonUnit) -> dict[str, Any]:
    wired: dict[str, Any] = {"id": unit.id} if unit.role == "section" else {}
    for name, text in unit.fields.items():
        if name is not None and name.startswith("hints."):
            wired.setdefault("hints", []).append(text)
        else:
            wired["content" if name is None else name] = text
    return {**wired, **unit.carried}


def pointer(lesson: Lesson, unit: str, field: Field) -> str:
    """The JSON Pointer (RFC 6901) of a unit's text inside `wire_content`: `/sections/2/content`, `/intro`."""
    found = lesson.unit(unit)
    if found.role not in LISTS:
        return f"/{found.role}"
    place = [other.id for other in lesson.units if other.role == found.role].index(unit)
    member = "content" if field is None else field.replace(".", "/")
    return f"/{LISTS[found.role]}/{place}/{member}"
