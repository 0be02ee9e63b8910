"""Lessons as JSON: `{lesson_id, content{...}, spec?}`, or the content object alone."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import regex

from burnish.core.documents import Field, Problem
from burnish.core.errors import InputError
from burnish.kinds.lessons.formats import (
    MOST_UNITS,
    RESERVED,
    Edited,
    Format,
    Loaded,
    Span,
    UnitIds,
    line_finder,
    name_of,
    placed,
    refuse_too_many,
)
from burnish.kinds.lessons.materials import embedded_spec
from burnish.kinds.lessons.model import PARTS, Lesson, LessonUnit, Role, wire_lesson
from burnish.text.json_text import Node, dumped, is_escaped, parsed, places_of, with_member
from burnish.text.mapped_text import Coded, Splice, applied, spliced

ESCAPE = regex.compile(r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u.{4}|\\.", regex.DOTALL)
NOT_A_LESSON = 'A lesson is {"lesson_id": ..., "content": {"intro": ..., "sections": [...], ...}}.'

ABSENT_IF_NULL = ("conclusion",)
"""Optional parts of a lesson: null means that there is none."""

Path = tuple[str | int, ...]


@dataclass
class _Reading:
    """The state while the units of one file are read."""

    path: str
    text: str
    root: Node
    prefix: Path
    """The place of the content object."""
    line_at: Callable[[int], int]
    problems: list[Problem] = field(default_factory=list)
    places: dict[tuple[str, Field], Path] = field(default_factory=dict)

    def line(self, place: Path) -> int:
        """The line where the value at `place`, or the nearest one around it, begins."""
        node = self.root
        for step in place:
            if step not in node.parts:
                break
            node = node.parts[step]
        return self.line_at(node.start)

    def wrong(self, place: Path, what: str) -> None:
        message = f"{what}, so it is carried along but not judged."
        self.problems.append(Problem("wrong_type", message, self.path, self.line(place), _dotted(place)))


class JsonLesson(Format):
    """The JSON format of lessons."""

    name = "json"
    extensions = (".json",)

    def parsed(self, text: str, path: str) -> tuple[Loaded, Edited]:
        value = parsed(text, path)
        content, prefix = _content(value, path)
        refuse_too_many(sum(_length(content.get(name)) for name in PARTS), MOST_UNITS, "parts", path)
        reading = _Reading(path, text, places_of(text), prefix, line_finder(text))
        units = tuple(_units(content, reading))
        if not units:
            raise InputError("There is nothing to read in this lesson.", path=path, code="empty", hint=NOT_A_LESSON)
        spec, spec_problems = embedded_spec(value.get("spec"), path)
        spans: dict[tuple[str, Field], Span] = {}
        for key, place in reading.places.items():
            node = _node(reading.root, place)
            if node is not None and text[node.start] == '"':
                spans[key] = (node.start + 1, node.end - 1)
        lesson = _lesson(value, content, placed(units, spans, text), path)
        loaded = Loaded(lesson, (*reading.problems, *spec_problems), spans, spec)
        return loaded, lambda units: _with_changes(text, lesson, units, reading.places)

    def write(self, lesson: Lesson) -> tuple[bytes, list[str]]:
        shown = json.dumps(wire_lesson(lesson), ensure_ascii=False, indent=2)
        return shown.encode("utf-8", "backslashreplace") + b"\n", []


def _content(value: Any, path: str) -> tuple[dict[str, Any], Path]:
    if isinstance(value, dict) and isinstance(value.get("content"), dict):
        return value["content"], ("content",)
    if isinstance(value, dict) and "sections" in value:
        return value, ()
    raise InputError("This JSON is not a lesson.", path=path, line=1, code="not_a_lesson", hint=NOT_A_LESSON)


def _lesson(value: dict[str, Any], content: dict[str, Any], units: tuple[LessonUnit, ...], path: str) -> Lesson:
    spec = value.get("spec") if isinstance(value.get("spec"), dict) else {}
    sources: list[Mapping[str, Any]] = [value, content, spec or {}]
    declared = _first(sources, "lesson_id")
    id = declared or name_of(path)
    known = {*PARTS, "lesson_id", "content", "title", "language"}
    details = {name: part for name, part in value.items() if name not in known}
    rest = {} if content is value else {name: part for name, part in content.items() if name not in PARTS}
    rest |= {name: None for name in ABSENT_IF_NULL if name in content and content[name] is None}
    details |= {"content": rest} if rest else {}
    language = _first(sources, "language") or _first(sources, "lang")
    return Lesson(id, _first(sources, "title") or id, language, units, details, declared is not None)


def _first(sources: list[Mapping[str, Any]], name: str) -> str | None:
    found = (source.get(name) for source in sources)
    return next((str(value) for value in found if isinstance(value, str | int) and str(value).strip()), None)


def _units(content: dict[str, Any], reading: _Reading) -> Iterator[LessonUnit]:
    yield from _plain_unit("intro", content, reading)
    others = {f"{name}/{index}" for name in ("examples", "exercises") for index in range(_length(content.get(name)))}
    ids = UnitIds(RESERVED | others, reading.path)
    for index, item in _objects(content, "sections", reading):
        place: Path = (*reading.prefix, "sections", index)
        id = ids.declared(item.get("id"), index + 1, reading.line(place), f"{_dotted(place)}.id")
        yield _unit(id, "section", item, ("sections", index), reading)
    reading.problems += ids.problems
    for role, name in (("example", "examples"), ("exercise", "exercises")):
        for index, item in _objects(content, name, reading):
            yield _unit(f"{name}/{index}", role, item, (name, index), reading)  # type: ignore[arg-type]  # both are roles
    yield from _plain_unit("conclusion", content, reading)


def _plain_unit(role: Role, content: dict[str, Any], reading: _Reading) -> Iterator[LessonUnit]:
    if role not in content or (role in ABSENT_IF_NULL and content[role] is None):
        return
    place = (*reading.prefix, role)
    text = content[role]
    if text is None or isinstance(text, str):
        reading.places[role, None] = place
        yield LessonUnit(role, role, {None: text or ""}, {}, reading.line(place))
    else:
        reading.wrong(place, f"The {role} is no text")


def _objects(content: dict[str, Any], name: str, reading: _Reading) -> Iterator[tuple[int, dict[str, Any]]]:
    listed = content.get(name)
    if not isinstance(listed, list):
        if listed is not None:
            reading.wrong((*reading.prefix, name), f"`{name}` is no list")
        return
    for index, item in enumerate(listed):
        if isinstance(item, dict):
            yield index, item
        else:
            reading.wrong((*reading.prefix, name, index), "This is no object")


def _dotted(place: Path) -> str:
    return "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in place).removeprefix(".")


def _length(value: object) -> int:
    return len(value) if isinstance(value, list) else 0


REQUIRED: Mapping[Role, tuple[tuple[str, Field], ...]] = {
    "section": (("title", "title"), ("content", None)),
    "example": (("title", "title"), ("content", None)),
    "exercise": (("question", "question"), ("hints", "hints"), ("solution", "solution")),
}
"""Members of each role, and their fields; they are listed even if they are missing."""
OPTIONAL = frozenset({"hints", "grading_rubric"})
"""Members that may be missing, or null."""


def _unit(id: str, role: Role, item: dict[str, Any], local: Path, reading: _Reading) -> LessonUnit:
    place = (*reading.prefix, *local)
    fields: dict[Field, str] = {}
    members = (*REQUIRED[role], ("grading_rubric", "grading_rubric")) if role == "exercise" else REQUIRED[role]
    read = {"id"} if role == "section" else set()
    for member, name in members:
        texts = _texts(item, member, name)
        if texts is None:
            reading.wrong((*place, member), f"`{member}` is no text")
            continue
        if texts or member not in OPTIONAL:
            read.add(member)
        for field_name, text, where in texts:
            fields[field_name] = text
            reading.places[id, field_name] = (*place, *where)
    carried = {name: part for name, part in item.items() if name not in read}
    return LessonUnit(id, role, fields, carried, reading.line(place))


def _texts(item: dict[str, Any], member: str, name: Field) -> list[tuple[Field, str, Path]] | None:
    """The texts of one member with their fields and places; None if it is not text.

    A rubric may have any form: one that is not text is carried like the rest of the unit.
    """
    value = item.get(member)
    if member in OPTIONAL and value is None:
        return []
    if value is None or isinstance(value, str):
        return [(name, value or "", (member,))]
    if member == "hints" and isinstance(value, list) and all(isinstance(hint, str) for hint in value):
        return [(f"hints.{index}", hint, ("hints", index)) for index, hint in enumerate(value)]
    return [] if member == "grading_rubric" else None


def _node(root: Node, place: Path) -> Node | None:
    node: Node | None = root
    for step in place:
        node = node.parts.get(step) if node is not None else None
    return node


def _with_changes(
    text: str, lesson: Lesson, units: Mapping[str, LessonUnit], places: Mapping[tuple[str, Field], Path]
) -> str:
    root, ascii_only = places_of(text), is_escaped(text)
    coded = Coded(ESCAPE, lambda raw: str(json.loads(f'"{raw}"')), lambda new: dumped(new, ascii_only)[1:-1])
    splices: list[Splice] = []
    missing: list[tuple[Path, str]] = []
    for id, unit in units.items():
        old = lesson.unit(id).fields
        for name, new in unit.fields.items():
            if new == old[name]:
                continue
            node = _node(root, places[id, name])
            if node is None:
                missing.append((places[id, name], new))
            elif text[node.start] == '"':
                inside = text[node.start + 1 : node.end - 1]
                splices.append(Splice(node.start + 1, node.end - 1, spliced(inside, new, coded)))
            else:
                splices.append(Splice(node.start, node.end, dumped(new, ascii_only)))
    text = applied(text, splices)
    for place, new in missing:
        parent = _node(places_of(text), place[:-1])
        assert parent is not None, "a member is only missing from an object that is there"
        text = with_member(text, parent, str(place[-1]), dumped(new, ascii_only))
    return text
