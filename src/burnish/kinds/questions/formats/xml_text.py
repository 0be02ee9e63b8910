"""XML with places: escapes, character data, elements, and documents split into the wanted elements.

Expat checks a document while it is streamed. Entities are never expanded: a document that declares one is refused, and
nothing outside the document is fetched. Element trees are built only from text that expat found well-formed.
"""

from __future__ import annotations

import html
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from xml.parsers import expat

import regex

from burnish.core.documents import Problem
from burnish.core.errors import InputError
from burnish.kinds.questions.formats.source import (
    ELEMENTS,
    MOST_ATTRIBUTES,
    TOKENS,
    XML_DEPTH,
    XML_ITEM_BYTES,
    Place,
    Source,
    bounded,
)
from burnish.kinds.registry import beginning
from burnish.text.mapped_text import Layer, NotCarried, Run, Setting, merged

REFERENCE = regex.compile(r"&(#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")
PREDEFINED = {"&amp;": "&", "&lt;": "<", "&gt;": ">", "&quot;": '"', "&apos;": "'"}
FORBIDDEN = regex.compile(r"[^\t\n\r\x20-\uD7FF\uE000-\uFFFD\U00010000-\U0010FFFF]")
"""Characters that XML 1.0 cannot hold in any form."""


def escaped(text: str) -> str:
    """Text escaped for use between tags."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def attribute(text: str) -> str:
    """Text escaped for use in a double-quoted attribute."""
    value = escaped(text).replace('"', "&quot;")
    return value.replace("\t", "&#9;").replace("\n", "&#10;").replace("\r", "&#13;")


def unreferenced(text: str) -> str:
    """Text with its character and entity references resolved."""
    return PREDEFINED.get(text) or REFERENCE.sub(lambda match: html.unescape(match.group()), text)


def refuse_forbidden(text: str) -> None:
    found = FORBIDDEN.search(text)
    if found:
        raise NotCarried("text", f"XML cannot hold the character U+{ord(found.group()):04X}.")


def written(character: str, codec: str) -> str:
    """The character, or its reference if line ends or the file's encoding would lose it."""
    if character == "\r":
        return "&#13;"
    if codec == "utf-8" or character.isascii():
        return character
    try:
        character.encode(codec)
    except UnicodeEncodeError:
        return f"&#{ord(character)};"
    return character


def closes_cdata(new: str, setting: Setting) -> bool:
    """Whether inserting `new` would create `]]>`, which XML forbids in text."""
    return "]]>" in setting.before[-2:] + new + setting.after[:2]


def guarded(text: str, new: str, setting: Setting) -> str:
    """Encoded `text` without `]]>`."""
    return (text.replace("]", "&#93;") or "<![CDATA[]]>") if closes_cdata(new, setting) else text


# Atomic throughout: a comment is never matched again as two.
PROLOG = regex.compile(
    r"\s*+(?:(?>(?s:<\?.*?\?>)|(?s:<!--.*?-->)|<!DOCTYPE[^>\[]*+(?:\[[^\]]*+\]\s*+)?>)\s*+)*+<(?:[\w.-]+:)?([\w.-]+)"
)


def root_name(head: bytes) -> str:
    """The name of an XML document's root element, without prefix; empty if it is not found."""
    match = PROLOG.match(beginning(head))
    return match.group(1) if match else ""


PARTS = regex.compile(
    r"<!\[CDATA\[(?P<cdata>.*?)\]\]>|(?P<unseen><!--.*?-->|<\?.*?\?>|<[^>]*>)|(?P<reference>&[^;\s<&]{1,40};)"
    r"|(?P<text>[^<&\r]+|&)|(?P<line_end>\r\n?)",
    regex.DOTALL,
)
LINE_ENDS = regex.compile(r"(\r\n?)")
APART = "]]><![CDATA["
"""Ends a CDATA section and opens the next, so that `]]>` can be written in two parts."""


def character_layer(source: str, codec: str = "utf-8") -> Layer:
    """The characters that an XML parser reports for an element without child elements."""
    return Layer(merged(_runs(source)), _encoder(codec))


def moved_runs(source: str, start: int, end: int, codec: str = "utf-8") -> Iterator[Run]:
    """The characters of a stretch of the source, with their places in the whole source."""
    for run in character_layer(source[start:end], codec).runs:
        yield replace(run, start=run.start + start, end=run.end + start)


def _runs(source: str) -> Iterator[Run]:
    for match in bounded(PARTS.finditer(source), TOKENS):
        kind = match.lastgroup
        if kind == "cdata":
            yield from _lined(match.group("cdata"), match.start("cdata"))
        elif kind == "reference":
            yield Run(unreferenced(match.group()), match.start(), match.end(), "coded")
        elif kind == "line_end":
            yield Run("\n", match.start(), match.end(), "coded")
        elif kind == "text":
            yield Run(match.group(), match.start(), match.end())


def _lined(content: str, at: int) -> Iterator[Run]:
    """A CDATA section; an empty one still marks a place for new text."""
    for part in LINE_ENDS.split(content):
        ends_line = part.startswith("\r")
        yield Run("\n" if ends_line else part, at, at + len(part), "coded" if ends_line else "plain", "cdata")
        at += len(part)


def _encoder(codec: str) -> Callable[[str, Setting], str]:
    def encode(new: str, setting: Setting) -> str:
        refuse_forbidden(new)
        if setting.style == "cdata":
            pieces = ("".join(_outside_cdata(character, codec) for character in piece) for piece in new.split("]]>"))
            text = f"]]{APART}>".join(pieces)
            return f"{APART}{text}{APART}" if closes_cdata(new, setting) else text
        return guarded("".join(written(character, codec) for character in escaped(new)), new, setting)

    return encode


def _outside_cdata(character: str, codec: str) -> str:
    """References are not allowed inside CDATA: the section is closed for them."""
    form = written(character, codec)
    return form if form == character else f"]]>{form}<![CDATA["


TAGS = regex.compile(
    r"""<!\[CDATA\[.*?\]\]> | <!--.*?--> | <\?.*?\?>
      | <(?P<close>/?)(?P<name>[^\s/>!?"'<]+)(?P<attributes>(?:[^>"']|"[^"]*"|'[^']*')*?)(?P<alone>/?)>""",
    regex.VERBOSE | regex.DOTALL,
)
ATTRIBUTES = regex.compile(r"""([^\s=]+)\s*=\s*(?:"([^"]*)"|'([^']*)')""")


@dataclass(frozen=True, slots=True)
class Attribute:
    """The value of an attribute and its place, without the quotes."""

    value: str
    start: int
    end: int


@dataclass(slots=True)
class Element:
    """An element; places are positions in the text that was parsed."""

    name: str
    """Without prefix."""
    start: int
    open_end: int
    attributes: dict[str, Attribute]
    close_start: int = 0
    end: int = 0
    children: list[Element] = field(default_factory=list)

    @property
    def inside(self) -> tuple[int, int]:
        """The place of the content."""
        return self.open_end, self.close_start

    @property
    def alone(self) -> bool:
        """Whether it is written as `<name/>`, without a place for content."""
        return self.open_end == self.end

    def attribute(self, name: str, default: str = "") -> str:
        found = self.attributes.get(name)
        return default if found is None else found.value

    def child(self, name: str) -> Element | None:
        return next((child for child in self.children if child.name == name), None)

    def all(self, name: str) -> list[Element]:
        """The children of that name."""
        return [child for child in self.children if child.name == name]

    def walk(self) -> Iterator[Element]:
        """Every element inside, in document order."""
        for child in self.children:
            yield child
            yield from child.walk()

    def plain(self, source: str) -> str:
        """The element's own characters, without blanks at the ends."""
        return character_layer(source[self.open_end : self.close_start]).text.strip()


def element_tree(text: str) -> Element:
    """The root element of `text`."""
    top = Element("", 0, 0, {})
    open_elements = [top]
    for match in bounded(TAGS.finditer(text), ELEMENTS):
        close, name, alone = match.group("close", "name", "alone")
        if name is None:
            continue
        if close:
            element = open_elements.pop()
            element.close_start, element.end = match.span()
            continue
        base, attributes = match.start("attributes"), {}
        for part in ATTRIBUTES.finditer(match["attributes"]):
            group = 2 if part[2] is not None else 3
            start, end = part.span(group)
            attributes[part[1]] = Attribute(unreferenced(part[group]), base + start, base + end)
        element = Element(name.rpartition(":")[2], match.start(), match.end(), attributes)
        open_elements[-1].children.append(element)
        if alone:
            element.close_start = element.end = match.end()
        else:
            open_elements.append(element)
    return top.children[0]


TAG = regex.compile(rb"""<(?:[^>"']++|"[^"]*+"|'[^']*+')*+>""")
CUT_SHORT = frozenset({"no element found", "unclosed token", "unclosed CDATA section"})


@dataclass(frozen=True, slots=True)
class Cut:
    """One wanted element."""

    raw: bytes
    place: Place


@dataclass(slots=True)
class _Watch:
    """Follows the parser: the depth, and where wanted elements begin and end."""

    path: str
    wanted: Callable[[int, str], bool]
    parser: expat.XMLParserType
    depth: int = 0
    opened: tuple[int, int] | None = None
    """Offset and line of the wanted element that is open."""
    opened_depth: int = 0
    closed: list[tuple[int, int, int]] = field(default_factory=list)
    """Offset, line, and offset of the closing tag."""

    def start(self, name: str, attributes: dict[str, str]) -> None:
        self.depth += 1
        if len(attributes) > MOST_ATTRIBUTES:
            raise self._refusal("too_complex", f"An element has more than {MOST_ATTRIBUTES:,} attributes.")
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
    """The wanted elements (chosen by depth, 1 for the root, and name), and everything between them as bytes.

    After a Problem only bytes follow: the rest of the file, unread.
    """
    parser, watch = _parser(source.path, wanted)
    shift, held, base = len(source.bom), b"", 0
    chunks = source.chunks()
    broken: Problem | None = None
    chunk = b"-"
    while chunk and broken is None:
        chunk = next(chunks, b"")
        held += chunk
        try:
            parser.Parse(chunk, not chunk)
        except expat.ExpatError as error:
            broken = _unsound(error, source.path)
        done = 0
        for start, line, close in watch.closed:
            end = _element_end(held, start - base, close - base)
            yield held[done : start - base]
            yield Cut(held[start - base : end], Place(source.path, line, start + shift))
            done = end
        watch.closed.clear()
        # Everything before an open element is complete; a tag cut in two by the chunk is not.
        settled = max(done, (watch.opened[0] if watch.opened else parser.CurrentByteIndex) - base)
        yield held[done:settled]
        held, base = held[settled:], base + settled
        if broken is None and len(held) > XML_ITEM_BYTES:
            line = watch.opened[1] if watch.opened else parser.CurrentLineNumber
            message = f"One question takes more than {XML_ITEM_BYTES >> 20} MB; the file is not read any further."
            broken = Problem("too_long", message, source.path, line, hint="Take out the files inside it.")
    if broken is not None:
        yield broken
    yield held
    yield from chunks


def _unsound(error: expat.ExpatError, path: str) -> Problem:
    reason = expat.ErrorString(error.code) or "syntax error"
    hint = "What comes before is read; the rest is not."
    if reason in CUT_SHORT:
        return Problem("truncated", "The file ends before the document does.", path, error.lineno, hint=hint)
    return Problem("invalid_xml", f"This is not well-formed XML: {reason}.", path, error.lineno, hint=hint)


def _element_end(held: bytes, start: int, close: int) -> int:
    """The end of the element that begins at `start`, if expat reported its end at `close`."""
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
