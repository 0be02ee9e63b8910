"""Reads and writes files in constant memory: file families, encodings, chunks, lines, places, and the limits.

Inside `formats` everything is UTF-8. UTF-8 files (with or without BOM) are not converted; UTF-16 with a BOM, and for
XML the usual single-byte encodings, are decoded on reading and encoded again on writing, bit for bit. Content is
hostile: files beyond the limits are refused, not loaded.
"""

from __future__ import annotations

import codecs
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import BinaryIO, NamedTuple, Protocol, TypeVar

import regex

from burnish.core.documents import Problem
from burnish.core.errors import InputError
from burnish.kinds.registry import beginning
from burnish.text.json_text import BOMS, UTF_32
from burnish.text.mapped_text import NotCarried

ITEM_BYTES = 8 << 20
"""One question: a line of JSON Lines, an item of a JSON array, a record of a table, a block of GIFT or Aiken."""
XML_ITEM_BYTES = 32 << 20
"""One question in XML, which can include pictures and sounds as base64."""
ITEM_LINES = 100_000
"""Lines of one question in a text format."""
FIELD_CHARACTERS = 1 << 18
"""One text of a question."""
ID_CHARACTERS = 500
OPTIONS = 100
ITEMS = 1000
"""Items of one set."""
XML_DEPTH = 64
ELEMENTS = 100_000
MOST_ATTRIBUTES = 1_000
"""The most attributes of one element."""
"""Elements of one question in XML."""
TOKENS = 200_000
"""Words, blanks, tags and escapes of one text: a text of FIELD_CHARACTERS has fewer."""
COLUMNS = 10_000
"""Cells of one row of a table."""
BRACKETS = 100_000
"""Objects and arrays inside one JSON item; an item with more is a bomb, not a question."""
COMMAS = 500_000


@dataclass(frozen=True, slots=True)
class Place:
    """The beginning of a question in its file."""

    path: str
    line: int
    """Counted from 1."""
    offset: int = 0
    """In bytes from the start of the file (for UTF-16, of its UTF-8 form)."""

    def problem(
        self,
        code: str,
        message: str,
        *,
        field: str | None = None,
        unit: str | None = None,
        hint: str | None = None,
        line: int | None = None,
        blocks: bool | None = None,
    ) -> Problem:
        """A problem here, or on a later `line` of the same question. By default it blocks if it has no unit."""
        blocking = unit is None if blocks is None else blocks
        return Problem(code, message, self.path, line or self.line, field, unit, hint, blocking)


class TooComplex(Exception):
    """Raised for content that costs much more time than its size suggests. Caught in `formats`."""

    def at(self, place: Place) -> Problem:
        return place.problem("too_complex", "It has too many parts to be a question.")


T = TypeVar("T")


def bounded(things: Iterable[T], limit: int) -> Iterator[T]:
    """The same things; raises TooComplex if there are more than `limit`."""
    for count, thing in enumerate(things):
        if count >= limit:
            raise TooComplex
        yield thing


def cannot_write_back(refusal: NotCarried, place: Place, unit: str) -> InputError:
    """The InputError for a change that a format cannot hold."""
    return InputError(
        f"The change to question {unit!r} cannot be written back: {refusal.why}",
        path=place.path,
        line=place.line,
        field=refusal.field,
        hint="Change this field in the file by hand, or write the bank in another format such as JSON.",
        code="cannot_write_back",
    )


CHUNK = 1 << 20
UTF_8 = "utf-8"
XML_ENCODINGS = frozenset(
    {"utf-8", "ascii", "iso8859-1", "iso8859-2", "iso8859-5", "iso8859-15"} | {f"cp125{digit}" for digit in range(8)}
)
"""Encodings allowed in an XML declaration (Python's names); each decodes and encodes to the same bytes."""
DECLARATION = regex.compile(rb"""^\s*<\?xml[^>]{0,200}?\bencoding\s*=\s*["']([A-Za-z0-9._-]{1,40})["']""")


def family(head: bytes) -> str:
    """`json`, `xml`, `zip`, `text`, or `nothing` for a file without content."""
    if head.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return "zip"
    start = beginning(head).lstrip()[:1]
    return {"": "nothing", "{": "json", "[": "json", "<": "xml"}.get(start, "text")


class Sink(Protocol):
    """The destination of a rewritten file."""

    def write(self, data: bytes, /) -> object: ...


@dataclass(frozen=True, slots=True)
class Source:
    """An open file with its first chunk and its encoding."""

    stream: BinaryIO
    path: str
    bom: bytes
    codec: str
    head: bytes
    """The first chunk, without the BOM, as in the file."""

    def chunks(self) -> Iterator[bytes]:
        """The file without its BOM, as UTF-8. Only the recoded encodings are verified here."""
        decoder = None if self.codec == UTF_8 else codecs.getincrementaldecoder(self.codec)("strict")
        chunk, done = self.head, len(self.bom)
        while chunk:
            yield chunk if decoder is None else self._recoded(decoder, chunk, done)
            done += len(chunk)
            chunk = self.stream.read(CHUNK)
        if decoder is not None:
            yield self._recoded(decoder, b"", done, final=True)

    def sink(self, target: BinaryIO) -> Sink:
        """A sink that writes UTF-8 to `target` in the file's own encoding. The BOM is written at once."""
        target.write(self.bom)
        return target if self.codec == UTF_8 else _Recoder(target, self.codec)

    def _recoded(self, decoder: codecs.IncrementalDecoder, chunk: bytes, done: int, final: bool = False) -> bytes:
        try:
            return decoder.decode(chunk, final).encode()
        except UnicodeError as error:
            message = f"The file is not valid {self.codec} near byte {done + getattr(error, 'start', 0)}."
            hint = "Save it again as UTF-8."
            raise InputError(message, path=self.path, hint=hint, code="wrong_encoding") from error


class _Recoder:
    """Writes UTF-8 as another encoding; pieces may end inside a character."""

    def __init__(self, target: BinaryIO, codec: str) -> None:
        self._target = target
        self._codec = codec
        self._decoder = codecs.getincrementaldecoder(UTF_8)("strict")

    def write(self, data: bytes) -> None:
        self._target.write(self._decoder.decode(data).encode(self._codec))


def open_text(stream: BinaryIO, path: str) -> Source:
    """A file of UTF-8, or of UTF-16 with a BOM."""
    source = _open(stream, path)
    start = source.head[:64]
    if source.codec == UTF_8 and start.count(0) * 3 > len(start):
        raise _not_read("The file looks like UTF-16 or UTF-32 without a byte order mark.", path)
    return source


def _not_read(message: str, path: str) -> InputError:
    return InputError(message, path=path, line=1, hint="Save it as UTF-8.", code="wrong_encoding")


def open_xml(stream: BinaryIO, path: str) -> Source:
    """An XML file in UTF-8, UTF-16 with a BOM, or one of XML_ENCODINGS."""
    source = _open(stream, path)
    if source.codec == UTF_8 and b"\x00" in source.head[:4]:
        # expat would read it as UTF-16, and count bytes of that form.
        raise _not_read("The file looks like UTF-16 or UTF-32 without a byte order mark.", path)
    declared = DECLARATION.match(source.head[:400])
    if source.bom or declared is None:
        return source
    name = declared.group(1).decode()
    codec = ""
    with suppress(LookupError):
        codec = codecs.lookup(name).name
    if codec not in XML_ENCODINGS:
        raise _not_read(f"XML in the encoding {name!r} is not read.", path)
    return replace(source, codec=UTF_8 if codec == "ascii" else codec)


def _open(stream: BinaryIO, path: str) -> Source:
    head = stream.read(CHUNK)
    if head.startswith(UTF_32):
        raise _not_read("The file is UTF-32.", path)
    for bom, codec in BOMS:
        if head.startswith(bom):
            # Streams may return their first bytes one by one: an empty chunk would look like the end of the file.
            rest = head[len(bom) :] or stream.read(CHUNK)
            return Source(stream, path, bom, codec, rest)
    return Source(stream, path, b"", UTF_8, head)


class Line(NamedTuple):
    """One physical line with its line end."""

    raw: bytes
    number: int
    offset: int
    piece: int
    """0 for a whole line; 1, 2, ... for the pieces of a line over the limit, which have the same line number."""


class Lines:
    """The lines of a file; `\\n`, `\\r\\n` and `\\r` all end one. A line over `limit` is returned in pieces."""

    def __init__(self, source: Source, limit: int) -> None:
        self._chunks = source.chunks()
        self._limit = limit
        self._block = b""
        self._done = 0
        """The number of bytes of the block that were returned."""
        self._lines = self._cut(len(source.bom))

    def __iter__(self) -> Iterator[Line]:
        return self._lines

    def rest(self) -> Iterator[bytes]:
        """Everything not yet returned, without splitting it."""
        yield self._block[self._done :]
        self._block = b""
        yield from self._chunks

    def _cut(self, offset: int) -> Iterator[Line]:
        number, piece = 1, 0
        for chunk in self._chunks:
            self._block, self._done = self._block[self._done :] + chunk, 0
            lines = self._block.splitlines(keepends=True)
            # The last line may continue in the next chunk; a "\r" there may be half of "\r\n".
            tail = lines.pop() if lines and not lines[-1].endswith(b"\n") else b""
            for line in lines:
                self._done += len(line)
                yield Line(line, number, offset, self._piece(line, piece))
                number, offset, piece = number + 1, offset + len(line), 0
            if tail and not tail.endswith(b"\r") and self._piece(tail, piece):
                self._done, piece = self._done + len(tail), piece + 1
                yield Line(tail, number, offset, piece)
                offset += len(tail)
        tail = self._block[self._done :]
        if tail:
            self._done = len(self._block)
            yield Line(tail, number, offset, self._piece(tail, piece))

    def _piece(self, raw: bytes, before: int) -> int:
        """The number of this piece of a line after `before` pieces; 0 if it is the whole line."""
        return before + 1 if before or len(raw) > self._limit else 0


def decoded(raw: bytes, place: Place) -> str | Problem:
    """The text of `raw`, or the problem with its encoding."""
    try:
        return raw.decode(UTF_8)
    except UnicodeDecodeError as error:
        return wrong_encoding(raw, place, error)


def wrong_encoding(raw: bytes, place: Place, error: UnicodeDecodeError) -> Problem:
    """The problem with the line, the byte, and the most likely encoding."""
    line = place.line + raw.count(b"\n", 0, error.start)
    guess = "Windows-1252" if 0x80 <= raw[error.start] <= 0x9F else "Windows-1252 or ISO-8859-1"
    return place.problem(
        "wrong_encoding",
        f"Byte {place.offset + error.start} (0x{raw[error.start]:02x}) is not UTF-8.",
        line=line,
        hint=f"The file looks like {guess}; save it as UTF-8.",
    )
