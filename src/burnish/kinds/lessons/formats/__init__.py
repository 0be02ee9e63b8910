"""File formats of lessons: read, rewritten in place, written anew."""

from __future__ import annotations

from burnish.core.errors import UsageError
from burnish.kinds.lessons.formats.base import LARGEST, Changed, Format, Loaded
from burnish.kinds.lessons.formats.json_lesson import JsonLesson
from burnish.kinds.lessons.formats.markdown_lesson import MarkdownLesson
from burnish.kinds.lessons.formats.recognition import format_name, shows_lesson

FORMATS: tuple[Format, ...] = (JsonLesson(), MarkdownLesson())

__all__ = ["FORMATS", "LARGEST", "Changed", "Format", "Loaded", "format_name", "format_named", "shows_lesson"]


def format_named(name: str) -> Format:
    """The format of that name."""
    for format in FORMATS:
        if format.name == name:
            return format
    known = ", ".join(format.name for format in FORMATS)
    raise UsageError(f"There is no format {name!r} of lessons.", hint=f"Formats are: {known}.")
