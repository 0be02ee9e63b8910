"""Lessons as Markdown: front matter, an introduction, and sections under the first heading level that repeats.

Lessons of other formats can be written as Markdown too; content without a place in Markdown is reported.
A Word document is read as Markdown.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any

import regex

from burnish.core.documents import Field
from burnish.core.errors import InputError, UsageError
from burnish.kinds.lessons.formats import (
    MOST_UNITS,
    RESERVED,
    Edited,
    Format,
    Loaded,
    Span,
    UnitIds,
    cannot_write_back,
    name_of,
    placed,
    refuse_too_many,
)
from burnish.kinds.lessons.materials import embedded_spec
from burnish.kinds.lessons.model import Heading, Lesson, LessonUnit, headings
from burnish.text.docx import Docx
from burnish.text.front_matter import front_matter, written
from burnish.text.mapped_text import Coded, Splice, applied, spliced
from burnish.text.markdown import markdown

BLANK = " \t\r\n"
EXPLICIT_ID = re.compile(r"\{[:#][^{}\n]{0,200}\}[ \t]*$")
ID_IN_ATTRIBUTES = re.compile(r"#([^\s{}#.]{1,200})")
LONGEST_SLUG = 80
MOST_HEADINGS = 10 * MOST_UNITS
CONTENTS = re.compile(r"^[ \t]*[*-][ \t]+TOC\b.*$", re.MULTILINE | re.IGNORECASE)
"""Kramdown's mark for a table of contents, which is not read."""


@dataclass(frozen=True, slots=True)
class Section:
    """One section: its heading, and the place of its text."""

    heading: Heading
    explicit_id: str | None
    start: int
    """Where its text begins, without blank lines around it; the end of the heading if there is no text."""
    end: int


@dataclass(frozen=True, slots=True)
class Layout:
    """The parts of the file."""

    values: Mapping[str, Any] = field(default_factory=dict)
    """Front matter."""
    title: Heading | None = None
    """The heading of the whole lesson."""
    intro: tuple[int, int] | None = None
    """The text before the first section; None if there is none."""
    sections: tuple[Section, ...] = ()


def layout(text: str, path: str) -> Layout:
    """The layout of a Markdown text. Raise InputError if it has too many headings for a lesson."""
    matter = front_matter(text)
    body = matter.end if matter else 0
    first = list(islice(headings(text[body:]), MOST_HEADINGS + 1))
    refuse_too_many(len(first), MOST_HEADINGS, "headings", path)
    # Headings with their places in the whole file.
    lines = text.count("\n", 0, body)
    found = [
        Heading(
            h.level, h.title, h.start + body, h.title_start + body, h.title_end + body, h.end + body, h.line + lines
        )
        for h in first
    ]
    # The first heading, if it is the only one of the first level and others follow (or it is the only heading).
    is_titled = bool(found) and found[0].level == 1 and all(heading.level > 1 for heading in found[1:])
    title = found[0] if is_titled else None
    # The first level that occurs twice makes the sections, or else the highest level.
    counts = Counter(heading.level for heading in found if heading is not title)
    level = min((level for level, count in counts.items() if count > 1), default=min(counts, default=0))
    opening = [heading for heading in found if heading is not title and heading.level <= level]
    refuse_too_many(len(opening), MOST_UNITS, "sections", path)
    bounds = [*(heading.start for heading in opening), len(text)]
    sections = tuple(_section(text, head, end) for head, end in zip(opening, bounds[1:], strict=True))
    return Layout(matter.values if matter else {}, title, _intro(text, body, title, bounds[0]), sections)


def _section(text: str, heading: Heading, end: int) -> Section:
    start, stop = _trimmed(text, heading.end, end)
    line_end = text.find("\n", heading.title_end)
    attributes = EXPLICIT_ID.search(text[heading.title_end : line_end if line_end >= 0 else len(text)].rstrip())
    id = ID_IN_ATTRIBUTES.search(attributes.group()) if attributes else None
    return Section(heading, id[1] if id else None, start, stop)


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    """The stretch without blank lines at its ends; the first line keeps its indentation, because it may be code."""
    first, stop = start, end
    while stop > start and text[stop - 1] in BLANK:
        stop -= 1
    if stop == start:
        return start, start
    while text[first] in BLANK:
        first += 1
    return max(start, text.rfind("\n", start, first) + 1), stop


def _intro(text: str, body: int, title: Heading | None, end: int) -> tuple[int, int] | None:
    """From the first line after the title. Text before the title is included."""
    start = body
    if title is not None and not text[body : title.start].strip():
        start = title.end
    start, stop = _trimmed(text, start, end)
    shown = text[start:stop]
    if title is not None and start <= title.start < stop:
        shown = text[start : title.start] + text[title.end : stop]
    return (start, stop) if re.search(r"\w", markdown(CONTENTS.sub("", shown)).prose) else None


def slug(title: str) -> str:
    """An id from a heading's words: lower case, hyphens, letters of every script."""
    kept = (char if char.isalnum() or unicodedata.category(char)[0] == "M" else " " for char in title.lower())
    return "-".join("".join(kept).split())[:LONGEST_SLUG].strip("-") or "section"


def _level(lesson: Lesson) -> int:
    """The second level, unless there are several sections with headings of that level inside."""
    inner = [heading.level for unit in lesson.units for heading in headings(unit.text)]
    return 1 if min(inner, default=6) <= 2 else 2


def _is_flat(value: object) -> bool:
    if isinstance(value, list):
        return all(isinstance(item, str | int | float) for item in value)
    return isinstance(value, str | int | float) and not isinstance(value, bool)


def _parts(unit: LessonUnit, marks: str) -> Iterator[str]:
    if unit.role == "exercise":
        yield f"{marks} {_heading(unit)}"
        yield from (text for text in unit.fields.values() if text.strip())
        return
    if unit.role != "intro":
        title = _heading(unit)
        explicit = f" {{#{unit.id}}}" if unit.role == "section" and slug(title) != unit.id else ""
        yield f"{marks} {title}{explicit}"
    yield unit.text.strip("\r\n")
    if unit.role == "example" and isinstance(unit.carried.get("code"), str):
        code = unit.carried["code"]
        fence = "```"
        while fence in code:
            fence += "`"
        yield f"{fence}\n{code.strip(chr(10))}\n{fence}"


def _heading(unit: LessonUnit) -> str:
    """The heading on one line, whatever the title contains."""
    place = unit.id.rpartition("/")[2]
    made = {"exercise": f"Exercise {place}", "conclusion": "Conclusion", "example": f"Example {place}"}
    title = " ".join((unit.title or "").split())
    return title or made.get(unit.role, unit.id)


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


LOWEST = 6
"""The lowest level of a heading."""
CRLF = regex.compile(r"\r\n")


class MarkdownLesson(Format):
    """The Markdown format of lessons."""

    name = "markdown"
    extensions = (".md", ".markdown")

    def parsed(self, text: str, path: str) -> tuple[Loaded, Edited]:
        laid = layout(text, path)
        before = _loaded(text, laid, path)
        return before, lambda units: _with_changes(text, laid, before, units, path)

    def write(self, lesson: Lesson) -> tuple[bytes, list[str]]:
        marks = "#" * _level(lesson)
        parts = [part for unit in lesson.units for part in _parts(unit, marks)]
        values: dict[str, Any] = {"lesson_id": lesson.lesson_id, "title": lesson.title}
        if lesson.language is not None:
            values["language"] = lesson.language
        values |= {name: value for name, value in lesson.details.items() if name not in values and _is_flat(value)}
        text = written(values) + "\n" + "\n\n".join(parts) + "\n"
        return text.encode("utf-8", "replace"), list(_lost(lesson))


class DocxLesson(MarkdownLesson):
    """A Word document: its headings make the sections, as in Markdown. It has no line numbers."""

    name = "docx"
    extensions = (".docx", ".docm")

    def opened(self, data: bytes, path: str) -> Docx:
        document = Docx(data, path)
        if not document.text.strip():
            raise InputError("The document has no text.", path=path, code="empty", hint="Is this the right file?")
        return document

    def parsed(self, text: str, path: str) -> tuple[Loaded, Edited]:
        loaded, edited = super().parsed(text, path)
        units = tuple(replace(unit, line=None, lines={}) for unit in loaded.lesson.units)
        return replace(loaded, lesson=replace(loaded.lesson, units=units)), edited

    def write(self, lesson: Lesson) -> tuple[bytes, list[str]]:
        raise UsageError("A lesson cannot become .docx.", hint="Write Markdown, and open it with Word or pandoc.")


def _loaded(text: str, laid: Layout, path: str) -> Loaded:
    ids = UnitIds(RESERVED - {"conclusion"}, path)
    units: list[LessonUnit] = []
    spans: dict[tuple[str, Field], Span] = {}
    if laid.intro is not None:
        spans["intro", None] = laid.intro
        line = text.count("\n", 0, laid.intro[0]) + 1
        units.append(LessonUnit("intro", "intro", {None: _plain(text[slice(*laid.intro)])}, {}, line))
    for position, section in enumerate(laid.sections, 1):
        heading = section.heading
        if section.explicit_id is not None:
            id = ids.declared(section.explicit_id, position, heading.line, "id")
        else:
            id = ids.unused(slug(heading.title))
        spans[id, "title"] = (heading.title_start, heading.title_end)
        spans[id, None] = (section.start, section.end)
        fields: dict[Field, str] = {"title": heading.title, None: _plain(text[section.start : section.end])}
        units.append(LessonUnit(id, "section", fields, {}, heading.line, level=heading.level))
    if not units:
        raise InputError("There is nothing to read in this lesson.", path=path, code="empty", hint="Is this the file?")
    # Front matter is a spec if it lists objectives under the contract's name and all other required fields.
    wanted = ("lesson_id", "title", "language", "difficulty", "learning_objectives")
    spec, spec_problems = embedded_spec(laid.values if all(name in laid.values for name in wanted) else None, path)
    return Loaded(_lesson(laid, placed(units, spans, text), path), (*ids.problems, *spec_problems), spans, spec)


def _plain(raw: str) -> str:
    """Normal line ends: nobody should have to find a carriage return."""
    return raw.replace("\r\n", "\n")


def _lesson(laid: Layout, units: tuple[LessonUnit, ...], path: str) -> Lesson:
    values = laid.values
    declared = _text(values, "lesson_id") or _text(values, "id")
    id = declared or name_of(path)
    title = _text(values, "title") or (laid.title.title if laid.title else None) or id
    language = _text(values, "language") or _text(values, "lang")
    # The level that repeats. If none does, two headings of the same level would create sections.
    levels = [section.heading.level for section in laid.sections]
    deepest = max(levels, default=0)
    return Lesson(
        id, title, language, units, dict(values), declared is not None, deepest if levels.count(deepest) > 1 else LOWEST
    )


def _text(values: Mapping[str, Any], name: str) -> str | None:
    value = values.get(name)
    return value.strip() or None if isinstance(value, str) else None


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
                splices.append(Splice(start, end, " " * glued + _new_title(id, new, sections[id], path)))
            elif start == end:
                splices.append(_filled(text, start, new, newline))
            else:
                splices.append(Splice(start, end, spliced(text[start:end], new, coded)))
    return applied(text, splices)


def _new_title(id: str, new: str, section: Section, path: str) -> str:
    """The heading with a new title. The section's id is kept, so that links and records about it stay valid."""
    if not new.strip() or "\n" in new or "\r" in new:
        raise cannot_write_back(id, "a heading is one line with words in it.", path, "title")
    keeps = section.explicit_id is not None or slug(new) == slug(section.heading.title)
    return new if keeps else f"{new} {{#{id}}}"


def _filled(text: str, at: int, new: str, newline: str) -> Splice:
    """A first text below a heading without text: with a blank line before and after it."""
    before = "" if text[:at].endswith("\n") else newline
    after = newline + newline if text[at:].lstrip("\r\n") else newline
    rest = len(text) - len(text[at:].lstrip("\r\n"))
    return Splice(at, rest, f"{before}{newline}{new.replace(chr(10), newline)}{after}")
