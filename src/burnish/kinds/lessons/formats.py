"""File formats of lessons: read, rewritten in place, written anew."""

from __future__ import annotations

from dataclasses import replace
from typing import BinaryIO

from burnish.core.errors import InputError, UsageError
from burnish.kinds.lessons.file_format import LARGEST, Changed, Edited, Format, Loaded, format_name
from burnish.kinds.lessons.json_lesson import JsonLesson
from burnish.kinds.lessons.markdown_lesson import MarkdownLesson
from burnish.kinds.lessons.model import Lesson
from burnish.kinds.registry import extension, shows_lesson
from burnish.text.docx import LARGEST as LARGEST_DOCX
from burnish.text.docx import Docx
from burnish.text.json_text import read_limited


class DocxLesson(MarkdownLesson):
    """A document of Word: its headings make the sections, as in Markdown. It has no lines."""

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
        raise UsageError("A lesson is not converted to .docx.", hint="Write Markdown, and open it with Word or pandoc.")


FORMATS: tuple[Format, ...] = (JsonLesson(), MarkdownLesson(), DocxLesson())

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
    return read_limited(stream, path, LARGEST_DOCX if extension(path) in DocxLesson.extensions else LARGEST)


def format_named(name: str) -> Format:
    """The format of that name."""
    for format in FORMATS:
        if format.name == name:
            return format
    known = ", ".join(format.name for format in FORMATS)
    raise UsageError(f"There is no format {name!r} of lessons.", hint=f"Formats are: {known}.")
