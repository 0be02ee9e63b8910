"""Quotes, list items and footnotes: what other blocks stand in, and how far into its line each of them reaches."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from burnish.kinds.manuscripts.model import BlockKind

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
