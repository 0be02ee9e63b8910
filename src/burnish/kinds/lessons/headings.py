"""Headings of a Markdown text with exact places.

A fence that never closes hides no heading here: a lesson that lost one mark keeps its sections.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from burnish.text.structure import Block, read_structure

LONGEST_TITLE = 300
"""A longer underlined line is a paragraph above a rule, not a heading."""
MOST_OPEN = 8
"""Code and comments that never close, of which each makes the text be read once more."""
TRAILING_MARKS = re.compile(r"(?:^|[ \t])#+$")
ATTRIBUTES = re.compile(r"\{[:#][^{}]*\}$")


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading and its place."""

    level: int
    title: str
    start: int
    """Where its first line begins."""
    title_start: int
    title_end: int
    end: int
    """After the line end of its last line."""
    line: int
    """1-based."""


def headings(text: str) -> Iterator[Heading]:
    """Every heading, with `#` marks or underlined, outside code, quotes and lists."""
    line, counted = 1, 0
    for block in _blocks(text):
        if block.kind != "heading" or block.holder or not _is_one_line(text, block):
            continue
        start = text.rfind("\n", 0, block.start) + 1
        line += text.count("\n", counted, start)
        counted = start
        title = _bare(text[block.start : block.end])
        title_start = text.index(title, block.start) if title else block.start
        end = _line_end(text, block.end)
        end = end if block.marker == "#" else _line_end(text, end)
        yield Heading(block.level, title, start, title_start, title_start + len(title), end, line)


def _blocks(text: str) -> list[Block]:
    """The blocks of the text, where what never closes is taken for words."""
    blocks = read_structure(text).blocks
    for _ in range(MOST_OPEN):
        opened = next((block for block in blocks if not block.closed and block.kind in ("code", "html")), None)
        if opened is None:
            break
        text = f"{text[: opened.start]}xx{text[opened.start + 2 :]}"
        blocks = read_structure(text).blocks
    return blocks


def _is_one_line(text: str, block: Block) -> bool:
    """A title; an underline below several lines, or below the row of a table, is a rule."""
    if block.marker == "#":
        return True
    title = text[block.start : block.end]
    return len(title) <= LONGEST_TITLE and "\n" not in title and not title.startswith("|")


def _line_end(text: str, at: int) -> int:
    return text.find("\n", at) + 1 or len(text)


def _bare(words: str) -> str:
    """A heading's words, without attributes behind them and marks that close them."""
    return TRAILING_MARKS.sub("", ATTRIBUTES.sub("", words.strip()).rstrip()).strip()
