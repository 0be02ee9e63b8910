"""File formats of question banks: read, rewritten in place, written anew.

stream -> pieces -> questions, problems, what passes through        (`read`)
stream -> pieces -> the same bytes with changed texts exchanged      (`rewrite`)
questions -> a new file, and what it could not carry                 (`write`)
"""

from __future__ import annotations

from burnish.core.errors import UsageError
from burnish.kinds.questions.formats.aiken import Aiken
from burnish.kinds.questions.formats.base import CARRIABLE, NOTES, Changed, Format, Part
from burnish.kinds.questions.formats.gift import Gift
from burnish.kinds.questions.formats.json_files import JsonArray, JsonLines
from burnish.kinds.questions.formats.moodle import MoodleXml
from burnish.kinds.questions.formats.qti import QTI_FORMATS
from burnish.kinds.questions.formats.recognition import shows_questions
from burnish.kinds.questions.formats.table import Table
from burnish.kinds.questions.formats.xlsx import Xlsx
from burnish.kinds.registry import extension

FORMATS: tuple[Format, ...] = (
    JsonLines(),
    JsonArray(),
    MoodleXml(),
    Xlsx(),
    *QTI_FORMATS,
    Aiken(),
    Table("csv", (".csv",), ","),
    Table("tsv", (".tsv", ".tab"), "\t"),
    Gift(),
)
"""In the order in which they are asked whether a file is theirs."""

__all__ = [
    "CARRIABLE",
    "FORMATS",
    "NOTES",
    "Changed",
    "Format",
    "Part",
    "format_named",
    "format_of",
    "shows_questions",
    "written_as",
]


def format_of(path: str, head: bytes) -> Format | None:
    """The format of a file, judged by its name and its first bytes (64 kB are plenty)."""
    return next((format for format in FORMATS if format.recognise(path, head)), None)


def written_as(path: str, like: str) -> str:
    """The format in which a file of this name is written: `like`, or its nearest relative that has such names."""
    ending = extension(path)
    if ending in format_named(like).extensions:
        return like
    named = [format.name for format in FORMATS if ending in format.extensions]
    relatives = [name for name in named if name.removesuffix("_item") == like.removesuffix("_item")]
    return next(iter((*relatives, *named)), like)


def format_named(name: str) -> Format:
    """The format of that name."""
    for format in FORMATS:
        if format.name == name:
            return format
    known = ", ".join(format.name for format in FORMATS)
    raise UsageError(f"There is no format {name!r}.", hint=f"Formats are: {known}.")
