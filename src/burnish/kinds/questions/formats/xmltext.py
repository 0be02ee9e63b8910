"""Character data of XML over its source: CDATA sections, references, comments in between."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import regex

from burnish.kinds.questions.formats.escaping import (
    closes_cdata,
    escaped,
    guarded,
    refuse_forbidden,
    unreferenced,
    written,
)
from burnish.kinds.questions.formats.limits import TOKENS
from burnish.kinds.questions.formats.mapped import Layer, Run, Setting, merged
from burnish.kinds.questions.formats.places import bounded

PARTS = regex.compile(
    r"<!\[CDATA\[(?P<cdata>.*?)\]\]>|(?P<unseen><!--.*?-->|<\?.*?\?>|<[^>]*>)|(?P<reference>&[^;\s<&]{1,40};)"
    r"|(?P<text>[^<&\r]+|&)|(?P<line_end>\r\n?)",
    regex.DOTALL,
)
LINE_ENDS = regex.compile(r"(\r\n?)")
APART = "]]><![CDATA["
"""Ends a CDATA section and opens the next, so that `]]>` can be written in two halves."""


def character_layer(source: str, codec: str = "utf-8") -> Layer:
    """The characters that an XML parser reports for the content of an element without child elements."""
    return Layer(merged(_runs(source)), _encoder(codec))


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
    """A CDATA section; an empty one still marks where new text belongs."""
    for part in LINE_ENDS.split(content):
        ends_line = part.startswith("\r")
        yield Run("\n" if ends_line else part, at, at + len(part), "coded" if ends_line else "plain", "cdata")
        at += len(part)


def _encoder(codec: str) -> Callable[[str, Setting], str]:
    def encode(new: str, setting: Setting) -> str:
        refuse_forbidden(new)
        if setting.style == "cdata":
            return _in_cdata(new, setting, codec)
        return guarded("".join(written(character, codec) for character in escaped(new)), new, setting)

    return encode


def _in_cdata(new: str, setting: Setting, codec: str) -> str:
    pieces = ("".join(_outside_cdata(character, codec) for character in piece) for piece in new.split("]]>"))
    text = f"]]{APART}>".join(pieces)
    return f"{APART}{text}{APART}" if closes_cdata(new, setting) else text


def _outside_cdata(character: str, codec: str) -> str:
    """References mean nothing inside CDATA: the section is closed for them."""
    form = written(character, codec)
    return form if form == character else f"]]>{form}<![CDATA["
