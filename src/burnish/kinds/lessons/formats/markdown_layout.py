"""How a Markdown lesson is laid out: front matter, title, what comes before the first section, and the sections."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from burnish.kinds.files.front_matter import front_matter
from burnish.kinds.lessons.formats.base import MOST_UNITS, refuse_too_many
from burnish.kinds.lessons.headings import Heading, headings
from burnish.text.markdown import markdown

BLANK = " \t\r\n"
EXPLICIT_ID = re.compile(r"\{[:#][^{}\n]{0,200}\}[ \t]*$")
ID_IN_ATTRIBUTES = re.compile(r"#([^\s{}#.]{1,200})")
LONGEST_SLUG = 80
MOST_HEADINGS = 10 * MOST_UNITS
CONTENTS = re.compile(r"^[ \t]*[*-][ \t]+TOC\b.*$", re.MULTILINE | re.IGNORECASE)
"""Kramdown's mark for a table of contents: nothing to read."""


@dataclass(frozen=True, slots=True)
class Section:
    """One section: its heading, and the place of the text below it."""

    heading: Heading
    explicit_id: str | None
    start: int
    """Where its text begins, without blank lines around it; the end of the heading where there is none."""
    end: int


@dataclass(frozen=True, slots=True)
class Layout:
    """The parts of the file."""

    values: Mapping[str, Any] = field(default_factory=dict)
    """Front matter."""
    title: Heading | None = None
    """The heading of the whole lesson."""
    intro: tuple[int, int] | None = None
    """The text before the first section; None where there is nothing to read."""
    sections: tuple[Section, ...] = ()


def layout(text: str, path: str) -> Layout:
    """The layout of a Markdown text. InputError where it has so many headings that it can be no lesson."""
    matter = front_matter(text)
    body = matter.end if matter else 0
    first = list(islice(headings(text[body:]), MOST_HEADINGS + 1))
    refuse_too_many(len(first), MOST_HEADINGS, "headings", path)
    found = _moved(first, body, text)
    title = _title(found)
    level = section_level(found, title)
    opening = [heading for heading in found if heading is not title and heading.level <= level]
    refuse_too_many(len(opening), MOST_UNITS, "sections", path)
    bounds = [*(heading.start for heading in opening), len(text)]
    sections = tuple(_section(text, head, end) for head, end in zip(opening, bounds[1:], strict=True))
    return Layout(matter.values if matter else {}, title, _intro(text, body, title, bounds[0]), sections)


def _moved(found: list[Heading], by: int, text: str) -> list[Heading]:
    """Headings with their places in the whole file."""
    lines = text.count("\n", 0, by)
    return [
        Heading(h.level, h.title, h.start + by, h.title_start + by, h.title_end + by, h.end + by, h.line + lines)
        for h in found
    ]


def _title(found: Sequence[Heading]) -> Heading | None:
    """The first heading, where it is the only one of the first level and others follow (or it stands alone)."""
    if not found or found[0].level != 1:
        return None
    return found[0] if all(heading.level > 1 for heading in found[1:]) else None


def section_level(found: Sequence[Heading], title: Heading | None) -> int:
    """The first level that repeats makes the sections; where none does, the highest one there is."""
    counts = Counter(heading.level for heading in found if heading is not title)
    repeated = [level for level in sorted(counts) if counts[level] > 1]
    return repeated[0] if repeated else min(counts, default=0)


def _section(text: str, heading: Heading, end: int) -> Section:
    start, stop = _trimmed(text, heading.end, end)
    line_end = text.find("\n", heading.title_end)
    attributes = EXPLICIT_ID.search(text[heading.title_end : line_end if line_end >= 0 else len(text)].rstrip())
    id = ID_IN_ATTRIBUTES.search(attributes.group()) if attributes else None
    return Section(heading, id[1] if id else None, start, stop)


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    """The stretch without blank lines at its ends; indentation of its first line stays, it may be code."""
    first, stop = start, end
    while stop > start and text[stop - 1] in BLANK:
        stop -= 1
    if stop == start:
        return start, start
    while text[first] in BLANK:
        first += 1
    return max(start, text.rfind("\n", start, first) + 1), stop


def _intro(text: str, body: int, title: Heading | None, end: int) -> tuple[int, int] | None:
    """From the first line after the title. What comes before the title belongs to it where there is such."""
    start = body
    if title is not None and not text[body : title.start].strip():
        start = title.end
    start, stop = _trimmed(text, start, end)
    shown = text[start:stop]
    if title is not None and start <= title.start < stop:
        shown = text[start : title.start] + text[title.end : stop]
    return (start, stop) if re.search(r"\w", markdown(CONTENTS.sub("", shown)).prose) else None


def slug(title: str) -> str:
    """A heading's words as an id: lower case, hyphens, letters of every script."""
    kept = (char if char.isalnum() or unicodedata.category(char)[0] == "M" else " " for char in title.lower())
    return "-".join("".join(kept).split())[:LONGEST_SLUG].strip("-") or "section"
