"""What a line of Markdown may begin: marks of blocks, told one by one. CommonMark, GitHub's tables, Kramdown's
attributes, Liquid's tags and displayed formulas are understood. Linear, whatever the line holds.
"""

from __future__ import annotations

import re
from typing import NamedTuple

import regex

from burnish.kinds.manuscripts.model import BlockKind
from burnish.text.blocks import ENVIRONMENT, FENCE

MARKS = frozenset("#`~-*+0123456789=|[<{$_\\>: \t")
"""First characters of lines that may be something else than the next line of a paragraph."""

TASK = re.compile(r"\[[ xX]\][ \t]+(?=\S)")
UNDERLINE = re.compile(r"(?:=+|-+)[ \t]*$")
_DIRECTIVE = re.compile(r":{3,}[^:]*$")
_TITLE = r"""(?:"(?:[^"\\]|\\.)*+"|'(?:[^'\\]|\\.)*+'|\((?:[^()\\]|\\.)*+\))[ \t]*+$"""
DEFINITION = regex.compile(
    rf"\[(?!\^)(?:[^\[\]\\]|\\.){{1,999}}+\]:[ \t]*+(?:<[^<>]*+>|[^\s<]\S*+)(?:[ \t]++{_TITLE}|[ \t]*+$)"
)
DEFINITION_TITLE = regex.compile(_TITLE)

_BLOCK_TAGS = (
    "address article aside base basefont blockquote body caption center col colgroup dd details dialog dir div dl dt "
    "fieldset figcaption figure footer form frame frameset h1 h2 h3 h4 h5 h6 head header hr html iframe legend li link "
    "main menu menuitem nav noframes ol optgroup option p param search section summary table tbody td tfoot th thead "
    "title tr track ul"
)
_RAW_TAG = re.compile(r"<(script|pre|style|textarea)(?=[\s>]|$)", re.IGNORECASE)
_BLOCK_TAG = re.compile(rf"</?(?:{'|'.join(_BLOCK_TAGS.split())})(?=[\s>]|/>|$)", re.IGNORECASE)
_LONE_TAG = regex.compile(
    r"""<(?:/[A-Za-z][\w-]*+\s*+|[A-Za-z][\w-]*+"""
    r"""(?:\s++[A-Za-z_:][\w:.-]*+(?:\s*+=\s*+(?:[^"'=<>`\s]++|'[^']*+'|"[^"]*+"))?+)*+\s*+/?)>[ \t]*+$"""
)
_MARKUP = (("<!--", "-->"), ("<?", "?>"), ("<![CDATA[", "]]>"))
_LIQUID_LINE = regex.compile(r"(?:(?:\{%(?:[^%]|%(?!\}))*+%\}|\{\{(?:[^}]|\}(?!\}))*+\}\}|\{:[^{}]*+\})[ \t]*+)++$")
_LIQUID_BLOCK = re.compile(r"\{%-?[ \t]*(highlight|raw|comment)\b")
_LIQUID_CLOSING = {"{%": "%}", "{{": "}}", "{:": "}"}
_DELIMITER_CELL = re.compile(r":?-+:?")


class Stretch(NamedTuple):
    """Lines that nobody translates: code, tags, formulas."""

    kind: BlockKind
    why: str
    """As in `Paragraph.excluded`."""
    closing: str | None = None
    """What the line holds that closes it. Empty: it ends before a blank line. None: it is this one line."""
    fence: bool = False
    """The closing mark must stand alone, and may be longer."""
    folded: bool = False
    """Capitals and small letters of the closing are the same."""
    doubtful: bool = False
    """Only its end proves it: where a blank line comes first, it was a paragraph."""


def stretch(content: str, *, inside_paragraph: bool) -> Stretch | None:
    """What begins here that nobody translates."""
    first = content[0]
    if first in "`~":
        return _fence(content)
    if first in "-*_":
        return Stretch("rule", "thematic break") if _is_rule(content) else None
    if first == "<":
        return _html(content, inside_paragraph)
    if first == "{":
        return _liquid(content, inside_paragraph)
    if first in "$\\":
        return _formula(content, inside_paragraph)
    if first == ":" and _DIRECTIVE.match(content):
        return Stretch("html", "directive")
    return None


def _fence(content: str) -> Stretch | None:
    match = FENCE.match(content)
    return Stretch("code", "code block", match[1] or match[2], fence=True) if match else None


def _is_rule(content: str) -> bool:
    """Three or more of one mark and nothing else."""
    bare = content.replace(" ", "").replace("\t", "")
    return len(bare) > 2 and not bare.strip(bare[0])


def _html(content: str, inside_paragraph: bool) -> Stretch | None:
    """A tag that no block is made of must stand alone, and never ends a paragraph."""
    raw = _RAW_TAG.match(content)
    if raw is not None:
        return _until(content, f"</{raw[1].lower()}>", raw.end(), folded=True)
    for opening, closing in _MARKUP:
        if content.startswith(opening):
            return _until(content, closing, len(opening))
    if content[1:2] == "!" and content[2:3].isascii() and content[2:3].isalpha():
        return _until(content, ">", 2)
    if _BLOCK_TAG.match(content) or (not inside_paragraph and _LONE_TAG.match(content)):
        return Stretch("html", "HTML block", "")
    return None


def _until(content: str, closing: str, begins: int, *, folded: bool = False) -> Stretch:
    behind = content[begins:].lower() if folded else content[begins:]
    return Stretch("html", "HTML block", None if closing in behind else closing, folded=folded)


def _liquid(content: str, inside_paragraph: bool) -> Stretch | None:
    block = _LIQUID_BLOCK.match(content)
    if block is not None:
        closing = f"end{block[1]}"
        return Stretch("code", "code block", None if closing in content else closing)
    why = "block attributes" if content.startswith("{:") else "template tag"
    if _LIQUID_LINE.match(content):
        return Stretch("html", why)
    closes = _LIQUID_CLOSING.get(content[:2])
    if closes is None or closes in content or inside_paragraph:
        return None
    return Stretch("html", why, closes, doubtful=True)


def _formula(content: str, inside_paragraph: bool) -> Stretch | None:
    bare = content.rstrip()
    if bare.startswith("$$"):
        if bare.count("$$") == 2 and bare.endswith("$$") and len(bare) > 4:
            return Stretch("code", "formula")
        opens = bare.count("$$") == 1 and not inside_paragraph
        return Stretch("code", "formula", "$$", doubtful=True) if opens else None
    opening = ENVIRONMENT.match(bare)
    if opening is None or opening[1] != "begin" or inside_paragraph:
        return None
    closing = f"\\end{opening[2]}"
    if closing not in bare:
        return Stretch("code", "formula", closing, doubtful=True)
    return Stretch("code", "formula") if bare.endswith(closing) else None


def cells(row: str) -> int:
    """How many cells a row of a table has."""
    inner = row.strip().replace("\\\\", "").replace("\\|", "").removeprefix("|").removesuffix("|")
    return inner.count("|") + 1


def is_delimiter_row(content: str) -> bool:
    """The row that makes a table of the line above it."""
    bare = content.strip()
    if "|" not in bare or "-" not in bare or bare.strip("|:- \t"):
        return False
    inner = bare.removeprefix("|").removesuffix("|")
    return all(_DELIMITER_CELL.fullmatch(cell.strip()) for cell in inner.split("|"))
