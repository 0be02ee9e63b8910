"""The base of all lesson formats: recognition, ids, limits, and proof of written files."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import PurePosixPath

from burnish.core.documents import Field, Problem
from burnish.core.errors import CannotWriteBack, InputError
from burnish.kinds.lessons.model import Lesson, LessonUnit, Spec
from burnish.kinds.registry import MARKDOWN, extension, shows_lesson
from burnish.text.docx import Docx, is_docx
from burnish.text.json_text import Encoded, decoded, too_large
from burnish.text.mapped_text import NotCarried

LARGEST = 8 << 20
"""The most bytes of a lesson. The longest known ones have a few hundred thousand; larger files are not loaded."""
MARKS = "*_[`<$~"
"""Characters from which Markdown makes inline marks: each costs up to a kilobyte once it is read."""
MOST_MARKS = 100_000
"""A lesson of a megabyte has about 20,000."""
MOST_UNITS = 5000
"""The most sections, examples and exercises of one lesson."""
ID_CHARACTERS = 200
RESERVED = frozenset({"intro", "conclusion", "lesson"})
"""Ids of fixed units, which sections must not use."""

Changed = Callable[[str], LessonUnit | None]
"""Id -> the changed unit, or None if it is unchanged."""
Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Loaded:
    """A lesson read from its file."""

    lesson: Lesson
    problems: tuple[Problem, ...] = ()
    spans: Mapping[tuple[str, Field], Span] = field(default_factory=dict)
    """Unit id and field -> the place of its raw text in the file's text (without byte order mark)."""
    spec: Spec | None = None
    """The specification in the file, if any."""


Edited = Callable[[Mapping[str, LessonUnit]], str]
"""Changed units by id -> the file's text with the changes."""


class Format(ABC):
    """One file format of lessons."""

    name: str
    extensions: tuple[str, ...]
    """Usual file extensions, with the dot."""

    @abstractmethod
    def parsed(self, text: str, path: str) -> tuple[Loaded, Edited]:
        """The lesson in a file's text. Raise InputError if it is incomplete: half a lesson is never judged."""

    @abstractmethod
    def write(self, lesson: Lesson) -> tuple[bytes, list[str]]:
        """A new file in this format, and its losses, one sentence each."""

    def read(self, data: bytes, path: str) -> Loaded:
        return self.parsed(self.opened(data, path).text, path)[0]

    def opened(self, data: bytes, path: str) -> Encoded | Docx:
        """The file's text within limits, and an encoder for a new text."""
        if len(data) > LARGEST:
            raise too_large(path, LARGEST)
        encoded = decoded(data, path)
        if sum(map(encoded.text.count, MARKS)) > MOST_MARKS:
            raise InputError(
                f"The file has more than {MOST_MARKS:,} marks of Markdown, as no lesson has.",
                path=path,
                code="too_complex",
                hint="Is this the right file? Cut it into several files.",
            )
        if not encoded.text.strip():
            raise InputError("The file is empty.", path=path, code="empty", hint="Is this the right file?")
        return encoded

    def rewrite(self, data: bytes, path: str, changed: Changed) -> bytes:
        """The file with the changed texts replaced and every other byte unchanged.

        A change that the format cannot hold raises InputError with the code `cannot_write_back`.
        """
        encoded = self.opened(data, path)
        before, edited = self.parsed(encoded.text, path)
        # The units that really change, by id. Only existing texts may change: fields cannot be added or removed.
        units: dict[str, LessonUnit] = {}
        for unit in before.lesson.units:
            after = changed(unit.id)
            if after is None or after.content_hash == unit.content_hash:
                continue
            if after.id != unit.id or after.carried != unit.carried or after.fields.keys() != unit.fields.keys():
                raise cannot_write_back(unit.id, "only the texts that it has can be changed.", path)
            units[unit.id] = after
        if not units:
            return data
        try:
            written = encoded.encode(edited(units))
        except UnicodeEncodeError as error:
            raise cannot_write_back(next(iter(units)), "it holds a character that no file can.", path) from error
        except NotCarried as refusal:
            raise cannot_write_back(next(iter(units)), refusal.why, path) from refusal
        proved(before, lambda: self.read(written, path), units, path)
        return written


def refuse_too_many(count: int, most: int, what: str, path: str) -> None:
    """Raise InputError for a file with too many parts for a lesson."""
    if count > most:
        message = f"It has more than {most} {what}."
        raise InputError(message, path=path, code="too_complex", hint="Split it into several files.")


def name_of(path: str) -> str:
    """The lesson's id if the file has none: the file's name without its extension."""
    return PurePosixPath(path.replace("\\", "/")).stem or "lesson"


def line_finder(text: str) -> Callable[[int], int]:
    """Return a function that gives the line, from 1, of a character."""
    ends = [match.start() for match in re.finditer("\n", text)]
    return lambda position: bisect_left(ends, position) + 1


def placed(units: Iterable[LessonUnit], spans: Mapping[tuple[str, Field], Span], text: str) -> tuple[LessonUnit, ...]:
    """The units, with the lines of their texts in the file."""
    line = line_finder(text)
    lines: dict[str, dict[Field, tuple[int, int]]] = {}
    for (id, name), (start, end) in spans.items():
        lines.setdefault(id, {})[name] = (line(start), line(max(start, end - 1)))
    return tuple(replace(unit, lines=lines.get(unit.id, {})) for unit in units)


class UnitIds:
    """Assigns a unique id to every section: the declared one, or one made from its position."""

    def __init__(self, taken: frozenset[str], path: str) -> None:
        self._taken = set(taken)
        self._path = path
        self._counts: dict[str, int] = {}
        """The number of uses of each id, so that repeated headings do not search all numbers again."""
        self.problems: list[Problem] = []

    def declared(self, id: object, position: int, line: int | None, field: str) -> str:
        """The id given in a file, if it can be used. Changes to it are reported."""
        text = str(id) if isinstance(id, int) and not isinstance(id, bool) else id
        if not isinstance(text, str) or not text.strip():
            return self._reported("missing_id", "The section has no id", f"section-{position}", line, field)
        if len(text) > ID_CHARACTERS or not text.isprintable():
            return self._reported("bad_id", "The section's id cannot be used", f"section-{position}", line, field)
        if text in self._taken:
            return self._reported("duplicate_id", f"The id {text!r} was used before", f"{text}#{position}", line, field)
        self._taken.add(text)
        return text

    def _reported(self, code: str, what: str, wanted: str, line: int | None, field: str) -> str:
        id = self.unused(wanted, "#")
        hint = "Give every section an id of its own, so that it keeps its name when others are added."
        message = f"{what}; this section goes by {id!r}."
        self.problems.append(Problem(code, message, self._path, line, field, id, hint, blocks=False))
        return id

    def unused(self, wanted: str, mark: str = "-") -> str:
        """A heading's own id; the second heading with the same words gets `-2`."""
        id, count = wanted, self._counts.get(wanted, 1)
        while id in self._taken:
            count += 1
            id = f"{wanted}{mark}{count}"
        self._counts[wanted] = count
        self._taken.add(id)
        return id


def cannot_write_back(unit: str, why: str, path: str, field: Field = None) -> InputError:
    refusal = InputError(
        f"The change to {unit!r} cannot be written back: {why}",
        path=path,
        field=field,
        hint="Change it in the file by hand, or write the lesson as JSON.",
    )
    return CannotWriteBack({unit: refusal})


def proved(before: Loaded, again: Callable[[], Loaded], changed: Mapping[str, LessonUnit], path: str) -> None:
    """Raise InputError unless the rewritten file has the changed units as requested, and all others unchanged.

    `again` reads the rewritten file.
    """
    first = next(iter(changed))
    try:
        after = again()
    except InputError as error:
        raise cannot_write_back(first, f"the file could not be read any more ({error.message})", path) from error
    for old, new in zip(before.lesson.units, after.lesson.units, strict=False):
        wanted = changed.get(old.id, old)
        if wanted.content_hash != new.content_hash:
            culprit = old.id if old.id in changed else first
            raise cannot_write_back(culprit, "it would not read back as it was written.", path)
    if len(before.lesson.units) != len(after.lesson.units):
        raise cannot_write_back(first, "the file would have other sections than before.", path)


def format_name(path: str, head: bytes) -> str | None:
    """`json`, `markdown`, `docx` or None. Markdown is recognised by its name, JSON by its content."""
    if is_docx(path):
        return "docx"
    if extension(path) in MARKDOWN:
        return "markdown"
    return "json" if shows_lesson(head) else None
