"""The blocks of a text: their lines, the containers that they stand in, and how each kind of block opens."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import regex

from burnish.kinds.manuscripts.model import BlockKind, Frame
from burnish.text.blocks import ENVIRONMENT, FENCE

LINE = re.compile(r"([^\r\n]*)(\r\n|\n|\r|\Z)")
BLANK = " \t"


class Line(NamedTuple):
    """One line of the source."""

    start: int
    text: str
    """Without its end."""
    newline: str
    """How it ends; the last line of a file often does not."""
    number: int
    """1-based."""

    @property
    def end(self) -> int:
        """After the last character that is not blank."""
        return self.start + len(self.text.rstrip())


class Piece(NamedTuple):
    """A line of a block, and where its words begin behind marks and indentation."""

    line: Line
    at: int


@dataclass(frozen=True, slots=True)
class Block:
    """A stretch of lines that belong together: source[start:end] == frame.around(text)."""

    kind: BlockKind
    text: str
    frame: Frame
    start: int
    end: int
    line: int
    excluded: str | None = None
    """Why it is carried along and not translated."""
    closed: bool = True
    """False where its end never came, so that it took in all that follows it."""


def lines(text: str, start: int = 0, number: int = 1) -> Iterator[Line]:
    """The lines of a text from one on, whatever they end with: `\\n`, `\\r\\n` or `\\r`. Nothing else ends a line."""
    for match in LINE.finditer(text, start):
        if match.start() == match.end():
            return
        yield Line(match.start(), match[1], match[2], number)
        number += 1


def framed(
    kind: BlockKind,
    pieces: Sequence[Piece],
    *,
    last: str = "",
    rest: str = "",
    newline: str = "\n",
    closed: bool = True,
) -> Block:
    """Lines of prose as a block. `last`: what stands behind their words; `rest` and `newline`: what goes before further
    lines, and between them, where there are none yet.

    Lines whose marks follow no pattern (a quote that goes on without its mark) are kept whole: nothing is lost.
    """
    first, ended = pieces[0], [piece.line.newline for piece in pieces[:-1]]
    words = pieces[-1].line.text.rstrip()
    end = pieces[-1].line.end + len(last)
    if len(set(ended)) > 1:
        raw = "".join(piece.line.text + piece.line.newline for piece in pieces[:-1]) + words
        return Block(kind, raw, Frame(last=last), first.line.start, end, first.line.number, closed=closed)
    opening, shared = first.line.text[: first.at], _shared([piece.line.text[: piece.at] for piece in pieces[1:]])
    if shared is None:
        opening = shared = ""
    cuts = [len(opening), *(len(shared) for _ in ended)]
    texts = [piece.line.text[cut:] for piece, cut in zip(pieces[:-1], cuts[:-1], strict=True)]
    text = "\n".join([*texts, words[cuts[-1] :]])
    frame = Frame(opening, shared if ended else rest, last, ended[0] if ended else newline)
    return Block(kind, text, frame, first.line.start, end, first.line.number, closed=closed)


def _shared(prefixes: list[str]) -> str | None:
    """What stands before every further line; None where more than blanks would be left over on one of them."""
    if not prefixes:
        return ""
    least, most = min(prefixes), max(prefixes)
    alike = next((at for at, (one, other) in enumerate(zip(least, most, strict=False)) if one != other), len(least))
    shared = least[: min(alike, len(most))]
    return shared if all(not prefix[len(shared) :].strip(BLANK) for prefix in prefixes) else None


def carried(kind: BlockKind, source: str, first: Line, end: int, excluded: str, *, closed: bool = True) -> Block:
    """A stretch that nobody translates, with its marks: from the beginning of a line up to `end`."""
    raw = source[first.start : end]
    plain = raw.replace("\r\n", "\n")
    if "\r" in raw and "\n" in plain and "\r" not in plain and raw.count("\n") == raw.count("\r\n"):
        return Block(kind, plain, Frame(newline="\r\n"), first.start, end, first.number, excluded, closed)
    return Block(kind, raw, Frame(), first.start, end, first.number, excluded, closed)


TAB = 4
CODE_INDENT = 4
"""What is indented so far inside its containers is code."""
MOST_NESTED = 64
"""Marks beyond this depth are letters: nobody reads a quote in a hundred quotes."""
_NOTE_WIDTH = 4

ITEM = re.compile(r"([-+*]|\d{1,9}[.)])(?=[ \t]|$)")
NOTE = re.compile(r"\[\^[^\]\s]{1,200}\]:[ \t]*")
_NO_MARK_OF_A_QUOTE = re.compile(r"[^>\t]")


class Container(NamedTuple):
    """Something that holds blocks."""

    kind: BlockKind
    """Of the paragraphs in it."""
    width: int = 0
    """Columns by which the lines in it are indented; a quote has its mark instead."""


class Cursor:
    """A place in a line, in characters and in columns: a tab may be half used up."""

    __slots__ = ("at", "col", "indent", "pos", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self.pos = self.col = 0
        self._look()

    def _look(self) -> None:
        """Find the next character that is neither blank nor tab."""
        at, col, text = self.pos, self.col, self.text
        while at < len(text) and text[at] in " \t":
            col += 1 if text[at] == " " else TAB - col % TAB
            at += 1
        self.at, self.indent = at, col - self.col

    @property
    def content(self) -> str:
        return self.text[self.at :]

    @property
    def is_blank(self) -> bool:
        return not self.content.strip()

    def pass_over(self, characters: int) -> None:
        """Go behind a mark that begins where the blanks end."""
        self.col += self.indent + characters
        self.pos = self.at + characters
        self._look()

    def indent_by(self, columns: int) -> None:
        """Use up so many columns of blanks."""
        while columns and self.pos < self.at:
            width = 1 if self.text[self.pos] == " " else TAB - self.col % TAB
            used = min(width, columns)
            self.pos += used == width
            self.col += used
            columns -= used
        self._look()


def matched(cursor: Cursor, containers: Sequence[Container]) -> int:
    """How many of the open containers the line goes on with; the cursor is moved behind their marks."""
    for depth, container in enumerate(containers):
        if container.width == 0:
            if cursor.indent >= CODE_INDENT or not cursor.text.startswith(">", cursor.at):
                return depth
            _pass_quote(cursor)
        elif cursor.indent >= container.width:
            cursor.indent_by(container.width)
        elif not cursor.is_blank:
            return depth
    return len(containers)


def _pass_quote(cursor: Cursor) -> None:
    cursor.pass_over(1)
    cursor.indent_by(1)


def entered(cursor: Cursor, *, inside_paragraph: bool) -> Container | None:
    """The container that begins here, if one does; the cursor is moved behind its mark."""
    first = cursor.text[cursor.at : cursor.at + 1]
    if first == ">":
        _pass_quote(cursor)
        return Container("quote")
    if first == "[":
        note = NOTE.match(cursor.text, cursor.at)
        if note is None:
            return None
        cursor.pass_over(note.end() - note.start())
        return Container("paragraph", _NOTE_WIDTH)
    return _item(cursor, inside_paragraph)


def _item(cursor: Cursor, inside_paragraph: bool) -> Container | None:
    """Inside a paragraph a number is a number: only 1 begins a list there, and an empty item never does."""
    item = ITEM.match(cursor.text, cursor.at)
    if item is None:
        return None
    mark = item[1]
    if inside_paragraph and ((mark[0].isdigit() and mark[:-1] != "1") or not cursor.text[item.end() :].strip()):
        return None
    width = cursor.indent + len(mark)
    cursor.pass_over(len(mark))
    blanks = 1 if cursor.is_blank or cursor.indent > CODE_INDENT else cursor.indent
    cursor.indent_by(blanks)
    return Container("list", width + blanks)


def rest_of(opening: str) -> str:
    """What stands before further lines of a block that opens like this: marks of quotes again, blanks for the rest."""
    return _NO_MARK_OF_A_QUOTE.sub(" ", opening)


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
