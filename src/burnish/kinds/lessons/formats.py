"""File formats of lessons: read, rewritten in place, written anew."""

from __future__ import annotations

from typing import BinaryIO

from burnish.core.errors import UsageError
from burnish.kinds.lessons.file_format import LARGEST, Changed, Format, Loaded, format_name
from burnish.kinds.lessons.json_lesson import JsonLesson
from burnish.kinds.lessons.markdown_lesson import MarkdownLesson
from burnish.kinds.registry import shows_lesson
from burnish.text.encoded import read_limited

FORMATS: tuple[Format, ...] = (JsonLesson(), MarkdownLesson())

__all__ = [
    "FORMATS",
    "LARGEST",
    "Changed",
    "Format",
    "Loaded",
    "bytes_of",
    "format_name",
    "format_named",
    "shows_lesson",
]


def bytes_of(stream: BinaryIO, path: str) -> bytes:
    """A lesson's file as a whole; InputError for one that is too large, of which no more than the limit is read."""
    return read_limited(stream, path, LARGEST)


def format_named(name: str) -> Format:
    """The format of that name."""
    for format in FORMATS:
        if format.name == name:
            return format
    known = ", ".join(format.name for format in FORMATS)
    raise UsageError(f"There is no format {name!r} of lessons.", hint=f"Formats are: {known}.")
