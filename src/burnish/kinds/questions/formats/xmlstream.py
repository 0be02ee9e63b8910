"""XML cut into the elements that matter, in constant memory, with expat watching over it.

Entities are never expanded: a document that declares one is refused, and nothing outside the document is ever fetched.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from xml.parsers import expat

import regex

from burnish.core.documents import Problem
from burnish.core.errors import InputError
from burnish.kinds.questions.formats.limits import XML_DEPTH, XML_ITEM_BYTES
from burnish.kinds.questions.formats.places import Place
from burnish.kinds.questions.formats.source import Source

TAG = regex.compile(rb"""<(?:[^>"']++|"[^"]*+"|'[^']*+')*+>""")
CUT_SHORT = frozenset({"no element found", "unclosed token", "unclosed CDATA section"})


@dataclass(frozen=True, slots=True)
class Cut:
    """One wanted element."""

    raw: bytes
    place: Place


@dataclass(slots=True)
class _Watch:
    """Follows the parser: how deep we are, and where wanted elements begin and end."""

    path: str
    wanted: Callable[[int, str], bool]
    parser: expat.XMLParserType
    depth: int = 0
    opened: tuple[int, int] | None = None
    """Offset and line of the wanted element that is open."""
    opened_depth: int = 0
    closed: list[tuple[int, int, int]] = field(default_factory=list)
    """Offset, line, and offset of the closing tag."""

    def start(self, name: str, _attributes: dict[str, str]) -> None:
        self.depth += 1
        if self.depth > XML_DEPTH:
            raise self._refusal("too_deep", f"Elements are nested more than {XML_DEPTH} deep.")
        if self.opened is None and self.wanted(self.depth, name.rpartition(":")[2]):
            self.opened = (self.parser.CurrentByteIndex, self.parser.CurrentLineNumber)
            self.opened_depth = self.depth

    def end(self, _name: str) -> None:
        if self.opened is not None and self.depth == self.opened_depth:
            self.closed.append((*self.opened, self.parser.CurrentByteIndex))
            self.opened = None
        self.depth -= 1

    def refuse_entity(self, name: str, *_rest: object) -> None:
        raise self._refusal("entities_refused", f"The document declares the entity {name!r}.")

    def _refusal(self, code: str, message: str) -> InputError:
        line = self.parser.CurrentLineNumber
        return InputError(message, path=self.path, line=line, code=code, hint="Remove it; a question bank needs none.")


def _parser(path: str, wanted: Callable[[int, str], bool]) -> tuple[expat.XMLParserType, _Watch]:
    parser = expat.ParserCreate("utf-8")
    watch = _Watch(path, wanted, parser)
    parser.StartElementHandler = watch.start
    parser.EndElementHandler = watch.end
    parser.EntityDeclHandler = watch.refuse_entity
    return parser, watch


def xml_cuts(source: Source, wanted: Callable[[int, str], bool]) -> Iterator[bytes | Cut | Problem]:
    """The wanted elements (told by depth, the root being 1, and name), and everything between them as bytes.

    After a Problem only bytes follow: what is left of the file, unread.
    """
    parser, watch = _parser(source.path, wanted)
    shift, held, base = len(source.bom), b"", 0
    chunks = source.chunks()
    broken: Problem | None = None
    chunk = b"-"
    while chunk and broken is None:
        chunk = next(chunks, b"")
        held += chunk
        broken = _fed(parser, chunk, source.path)
        done = 0
        for start, line, close in watch.closed:
            end = _element_end(held, start - base, close - base)
            yield held[done : start - base]
            yield Cut(held[start - base : end], Place(source.path, line, start + shift))
            done = end
        watch.closed.clear()
        # What is not an open element and was looked at is settled; a tag cut in two by the chunk is not.
        settled = max(done, (watch.opened[0] if watch.opened else parser.CurrentByteIndex) - base)
        yield held[done:settled]
        held, base = held[settled:], base + settled
        if broken is None and len(held) > XML_ITEM_BYTES:
            broken = _too_long(source.path, watch, parser)
    if broken is not None:
        yield broken
    yield held
    yield from chunks


def _fed(parser: expat.XMLParserType, chunk: bytes, path: str) -> Problem | None:
    try:
        parser.Parse(chunk, not chunk)
    except expat.ExpatError as error:
        reason = expat.ErrorString(error.code) or "syntax error"
        cut_short = reason in CUT_SHORT
        message = "The file ends before the document does." if cut_short else f"This is not well-formed XML: {reason}."
        hint = "What comes before is read; the rest is not."
        return Problem("truncated" if cut_short else "invalid_xml", message, path, error.lineno, hint=hint)
    return None


def _too_long(path: str, watch: _Watch, parser: expat.XMLParserType) -> Problem:
    line = watch.opened[1] if watch.opened else parser.CurrentLineNumber
    message = f"One question takes more than {XML_ITEM_BYTES >> 20} MB; the file is not read any further."
    return Problem("too_long", message, path, line, hint="Take out the files inside it.")


def _element_end(held: bytes, start: int, close: int) -> int:
    """Where the element ends that begins at `start` and whose end expat reported at `close`."""
    opening = TAG.match(held, start)
    if opening is not None and opening.group().endswith(b"/>"):
        return opening.end()
    return held.index(b">", close) + 1


def well_formed(raw: bytes) -> bool:
    """Whether one element on its own is well-formed XML (prefixes are not resolved)."""
    parser, _ = _parser("", lambda _depth, _name: False)
    try:
        parser.Parse(raw, True)
    except expat.ExpatError:
        return False
    return True
