"""XML as a stream of events, read as if it were out to harm us: no entities, no DTD, no depth without end."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Literal, NamedTuple
from xml.parsers import expat

from burnish.core.errors import InputError
from burnish.languages.tags import UNKNOWN_LANGUAGE, primary_tag
from burnish.text.json_text import too_large

LARGEST = 256 << 20
"""Bytes of one file."""
DEEPEST = 64
LONGEST_TEXT = 1 << 20
"""Characters between two tags."""
LONGEST_OPEN = 2 << 20
"""Bytes of one tag, one comment, one declaration."""
STEP = 1 << 16
"""Bytes that are parsed before events are handed on: memory stays flat however large the file is."""
BUILT_IN = frozenset({"lt", "gt", "amp", "quot", "apos"})
EventKind = Literal["start", "end", "text"]


class Event(NamedTuple):
    """What the parser met."""

    kind: EventKind
    text: str
    """The name of the element without its prefix; of a `text` event, the text."""
    attributes: Mapping[str, str]
    """Names as they are written: `xml:lang`."""
    line: int


def events(data: bytes, path: str, what: str) -> Iterator[Event]:
    """Every element and text of the file, in order. `what`: the format's name, for messages."""
    if len(data) > LARGEST:
        raise too_large(path, LARGEST)
    if not data.strip():
        raise InputError(f"The {what} file is empty.", path=path, code="empty", hint="Is this the right file?")
    reader = _Reader(path, what)
    for start in range(0, len(data), STEP):
        reader.feed(data[start : start + STEP], last=start + STEP >= len(data))
        yield from reader.taken()


class _Reader:
    """The parser and what it has met since it was last asked."""

    def __init__(self, path: str, what: str) -> None:
        self.path, self.what = path, what
        self.met: list[Event] = []
        self.pieces: list[str] = []
        self.length = 0
        self.begun = 1
        self.depth = 0
        self.fed = 0
        # Without a namespace separator names keep their prefix, which is cut off: nobody can redefine `tu`.
        self.parser = parser = expat.ParserCreate()
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._text
        parser.EntityDeclHandler = self._entity
        parser.SkippedEntityHandler = self._skipped
        parser.SetParamEntityParsing(expat.XML_PARAM_ENTITY_PARSING_NEVER)

    def feed(self, data: bytes, *, last: bool) -> None:
        try:
            self.parser.Parse(data, last)
        except expat.ExpatError as error:
            raise self._broken(error) from error
        except (ValueError, LookupError) as error:  # an encoding that nobody knows, or one of several bytes a letter
            raise self._refused("The file is in an encoding that is not read.", "wrong_encoding") from error
        self.fed += len(data)
        # What is still open is read again with every step: a tag or a comment without end would take its square.
        if self.fed - self.parser.CurrentByteIndex > LONGEST_OPEN:
            raise self._refused("A tag or a comment has no end.", "too_long")

    def taken(self) -> list[Event]:
        met, self.met = self.met, []
        return met

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        self._flush()
        self.depth += 1
        if self.depth > DEEPEST:
            raise self._refused(f"Elements are nested deeper than {DEEPEST}.", "too_deep")
        self.met.append(Event("start", _bare(name), attributes, self.parser.CurrentLineNumber))

    def _end(self, name: str) -> None:
        self._flush()
        self.depth -= 1
        self.met.append(Event("end", _bare(name), {}, self.parser.CurrentLineNumber))

    def _text(self, text: str) -> None:
        if not self.pieces:
            self.begun = self.parser.CurrentLineNumber
        self.pieces.append(text)
        self.length += len(text)
        if self.length > LONGEST_TEXT:
            raise self._refused(f"There is a text of more than {LONGEST_TEXT >> 20} million characters.", "too_long")

    def _flush(self) -> None:
        if self.pieces:
            self.met.append(Event("text", "".join(self.pieces), {}, self.begun))
            self.pieces = []
            self.length = 0

    def _entity(self, name: str, *rest: object) -> None:
        raise self._refused(f"The file declares the entity {name[:60]!r}, which is not allowed.", "entities")

    def _skipped(self, name: str, is_parameter: bool) -> None:
        if not is_parameter:
            raise self._refused(f"The entity {name[:60]!r} is not known.", "entities")

    def _refused(self, message: str, code: str) -> InputError:
        return InputError(
            message,
            path=self.path,
            line=self.parser.CurrentLineNumber,
            code=code,
            hint=f"Export the {self.what} file again as plain UTF-8, without a DTD of its own.",
        )

    def _broken(self, error: expat.ExpatError) -> InputError:
        said = expat.ErrorString(error.code)
        return InputError(
            f"This {self.what} file is broken: {said} (column {error.offset + 1}).",
            path=self.path,
            line=error.lineno,
            code="broken_xml",
            hint="Mend that line, or export the file again.",
        )


def _bare(name: str) -> str:
    return name.rpartition(":")[2]


TAMAZIGHT = frozenset({"tamazight", "zgh", "tzm", "ber"})
"""What files call Standard Moroccan Tamazight; Kabyle and Tachelhit go by tags of their own."""


def bare_tag(declared: str | None) -> str:
    """The language without its region: `en` for `en-US`, `EN_gb` and `eng`."""
    tag = primary_tag(declared) or UNKNOWN_LANGUAGE
    return "zgh" if tag in TAMAZIGHT else tag


def is_same(one: str | None, other: str | None) -> bool:
    return bare_tag(one) == bare_tag(other)


def nearness(declared: str, wanted: str) -> int:
    """0: another language; 1: the language in another region; 2: the very tag."""
    if declared.replace("_", "-").lower() == wanted.replace("_", "-").lower():
        return 2
    return int(is_same(declared, wanted))


YES = frozenset({"yes", "y", "true", "1", "x", "✓", "do not translate", "do-not-translate", "dnt"})
NO = frozenset({"", "no", "n", "false", "0", "-"})


def yes_or_no(cell: str, path: str, line: int, field: str) -> bool:
    """What the cell says; InputError where it is neither."""
    said = cell.strip().lower()
    if said not in YES | NO:
        raise InputError(
            f"{cell[:60]!r} is neither yes nor no.",
            path=path,
            line=line,
            field=field,
            code="bad_field",
            hint="Write yes or no.",
        )
    return said in YES
