"""File formats of question banks: reading, rewriting in place, and writing new files.

stream -> pieces -> questions, problems, content that passes through   (`read`)
stream -> pieces -> the same bytes with changed texts                  (`rewrite`)
questions -> a new file, and the losses                                (`write`)
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import jiter

from burnish.core.errors import UsageError
from burnish.kinds.questions.formats.aiken import Aiken
from burnish.kinds.questions.formats.base import CARRIABLE, NOTES, Changed, Format, Part
from burnish.kinds.questions.formats.gift import Gift
from burnish.kinds.questions.formats.json_files import JsonArray, JsonLines
from burnish.kinds.questions.formats.moodle import MoodleXml
from burnish.kinds.questions.formats.qti import QTI_FORMATS, shows_package
from burnish.kinds.questions.formats.source import family
from burnish.kinds.questions.formats.table import Table
from burnish.kinds.questions.formats.xlsx import Xlsx
from burnish.kinds.registry import beginning, extension

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
"""In the order in which they are tried on a file."""

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
    """The format of a file, recognised by its name and its first bytes (64 kB are enough)."""
    return next((format for format in FORMATS if format.recognise(path, head)), None)


def written_as(path: str, like: str) -> str:
    """The format for a new file with this name: `like`, or a related format that has the file's extension."""
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


ASKING, OFFERING = frozenset({"stem", "question"}), frozenset({"options", "choices"})
ANSWERING = frozenset({"correct_answer", "answer", "answer_idx", "answer_index", "answer_key", "correct"})
LISTS = ("questions", "items")
"""Names of members that hold the questions of an object."""
LOOKED_AT = 5
"""Entries of a list that are searched for a question."""


def shows_questions(head: bytes) -> bool:
    """Whether the beginning of a file shows a question bank.

    JSON must hold a question, because other kinds are written in JSON too, and a zip must be a QTI package. The other
    formats cannot be mistaken.
    """
    kind = family(head)
    if kind == "zip":
        return shows_package(head)
    return kind != "json" or any(map(_is_question, _first_values(beginning(head))))


def _first_values(text: str) -> Iterator[Any]:
    """Values at the beginning of a JSON text that may be questions, whole or cut off; each line may be a JSON text."""
    for part in (text, text.lstrip().partition("\n")[0]):
        try:
            value = jiter.from_json(part.encode("utf-8", "ignore"), partial_mode="trailing-strings")
        except ValueError:  # more lines follow, or it is broken: its first line may still be complete
            continue
        if isinstance(value, dict):
            yield value
            value = next((value[name] for name in LISTS if isinstance(value.get(name), list)), [])
        yield from value[:LOOKED_AT] if isinstance(value, list) else ()


def _is_question(value: Any) -> bool:
    if not isinstance(value, dict):
        return False
    given = value.keys()
    return "stem" in given or sum(not names.isdisjoint(given) for names in (ASKING, OFFERING, ANSWERING)) > 1
