"""Lessons as Markdown: front matter, an introduction, and sections under the first heading level that repeats."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import regex

from burnish.core.documents import Field
from burnish.core.errors import InputError
from burnish.kinds.files.splicing import Coded, Splice, applied, spliced
from burnish.kinds.lessons.formats.base import (
    RESERVED,
    Changed,
    Loaded,
    Span,
    UnitIds,
    cannot_write_back,
    changed_units,
    name_of,
    opened,
    placed,
    proved,
)
from burnish.kinds.lessons.formats.markdown_layout import Layout, Section, layout, slug
from burnish.kinds.lessons.formats.markdown_writing import written_lesson
from burnish.kinds.lessons.model import Lesson, LessonUnit
from burnish.kinds.lessons.spec import embedded_spec

LOWEST = 6
"""The lowest level of a heading."""
CRLF = regex.compile(r"\r\n")


class MarkdownLesson:
    """The format."""

    name = "markdown"
    extensions = (".md", ".markdown")

    def read(self, data: bytes, path: str) -> Loaded:
        text = opened(data, path).text
        return _loaded(text, layout(text, path), path)

    def rewrite(self, data: bytes, path: str, changed: Changed) -> bytes:
        encoded = opened(data, path)
        laid = layout(encoded.text, path)
        before = _loaded(encoded.text, laid, path)
        units = changed_units(before, changed, path)
        if not units:
            return data
        text = _with_changes(encoded.text, laid, before, units, path)
        try:
            written = encoded.encode(text)
        except UnicodeEncodeError as error:
            raise cannot_write_back(next(iter(units)), "it holds a character that no file can.", path) from error
        proved(before, lambda: self.read(written, path), units, path)
        return written

    def write(self, lesson: Lesson) -> tuple[bytes, list[str]]:
        text, lost = written_lesson(lesson)
        return text.encode("utf-8", "replace"), lost


def _loaded(text: str, laid: Layout, path: str) -> Loaded:
    ids = UnitIds(RESERVED - {"conclusion"}, path)
    units: list[LessonUnit] = []
    spans: dict[tuple[str, Field], Span] = {}
    if laid.intro is not None:
        spans["intro", None] = laid.intro
        line = text.count("\n", 0, laid.intro[0]) + 1
        units.append(LessonUnit("intro", "intro", {None: _plain(text[slice(*laid.intro)])}, {}, line))
    for position, section in enumerate(laid.sections, 1):
        id = _id(section, position, ids)
        heading = section.heading
        spans[id, "title"] = (heading.title_start, heading.title_end)
        spans[id, None] = (section.start, section.end)
        fields: dict[Field, str] = {"title": heading.title, None: _plain(text[section.start : section.end])}
        units.append(LessonUnit(id, "section", fields, {}, heading.line))
    if not units:
        raise InputError("There is nothing to read in this lesson.", path=path, code="empty", hint="Is this the file?")
    spec, told = _spec(laid.values, path)
    return Loaded(_lesson(laid, placed(units, spans, text), path), (*ids.problems, *told), spans, spec)


def _id(section: Section, position: int, ids: UnitIds) -> str:
    if section.explicit_id is not None:
        return ids.declared(section.explicit_id, position, section.heading.line, "id")
    return ids.slug(slug(section.heading.title))


def _plain(raw: str) -> str:
    """Lines that end as everyone expects: nobody should have to find a carriage return."""
    return raw.replace("\r\n", "\n")


def _lesson(laid: Layout, units: tuple[LessonUnit, ...], path: str) -> Lesson:
    values = laid.values
    declared = _text(values, "lesson_id") or _text(values, "id")
    id = declared or name_of(path)
    title = _text(values, "title") or (laid.title.title if laid.title else None) or id
    language = _text(values, "language") or _text(values, "lang")
    return Lesson(id, title, language, units, dict(values), declared is not None, _heading_level(laid))


def _heading_level(laid: Layout) -> int:
    """The level that repeats. Where none does, any two headings of one level would make sections."""
    levels = [section.heading.level for section in laid.sections]
    deepest = max(levels, default=0)
    return deepest if levels.count(deepest) > 1 else LOWEST


def _text(values: Mapping[str, Any], name: str) -> str | None:
    value = values.get(name)
    return value.strip() or None if isinstance(value, str) else None


def _spec(values: Mapping[str, Any], path: str) -> Any:
    """Front matter is a spec where it lists objectives under the contract's name and says all the rest, too."""
    wanted = ("lesson_id", "title", "language", "difficulty", "learning_objectives")
    return embedded_spec(values if all(name in values for name in wanted) else None, path)


def _with_changes(text: str, laid: Layout, before: Loaded, units: Mapping[str, LessonUnit], path: str) -> str:
    newline = "\r\n" if text.count("\r\n") * 2 > text.count("\n") else "\n"
    coded = Coded(CRLF, _plain, lambda new: new.replace("\n", newline))
    sections = dict(zip((u.id for u in before.lesson.units if u.role == "section"), laid.sections, strict=True))
    splices: list[Splice] = []
    for id, unit in units.items():
        old = before.lesson.unit(id).fields
        for name, new in unit.fields.items():
            if new == old[name]:
                continue
            start, end = before.spans[id, name]
            if name == "title":
                glued = start == end and text[start - 1 : start] == "#"
                splices.append(Splice(start, end, " " * glued + _title(id, new, sections[id], path)))
            elif start == end:
                splices.append(_filled(text, start, new, newline))
            else:
                splices.append(Splice(start, end, spliced(text[start:end], new, coded)))
    return applied(text, splices)


def _title(id: str, new: str, section: Section, path: str) -> str:
    """A new title keeps the section's id: links to it go on working, and so does everything that is known about it."""
    if not new.strip() or "\n" in new or "\r" in new:
        raise cannot_write_back(id, "a heading is one line with words in it.", path, "title")
    keeps = section.explicit_id is not None or slug(new) == slug(section.heading.title)
    return new if keeps else f"{new} {{#{id}}}"


def _filled(text: str, at: int, new: str, newline: str) -> Splice:
    """A first text below a heading that had none: a blank line before it and after it."""
    before = "" if text[:at].endswith("\n") else newline
    after = newline + newline if text[at:].lstrip("\r\n") else newline
    rest = len(text) - len(text[at:].lstrip("\r\n"))
    return Splice(at, rest, f"{before}{newline}{new.replace(chr(10), newline)}{after}")
