"""The blocks of a Markdown manuscript: what the shared reader finds, each text inside its frame."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator

from burnish.kinds.manuscripts.formats.blocks import Block, Line, Piece, carried, framed, lines, rest_of
from burnish.kinds.manuscripts.model import BlockKind, Frame
from burnish.languages.words import WORD
from burnish.text import structure
from burnish.text.front_matter import front_matter
from burnish.text.structure import read_structure

_TOML = re.compile(r"\+\+\+[ \t]*(?:\r\n|\n|\r)(?=\S[^\n\r]*[=\]]|#)")
_TOML_END = re.compile(r"^\+\+\+[ \t]*$", re.MULTILINE)
_FILLED = re.compile(r"---[ \t]*\r?\n(?=[ \t]*\S)")
LONGEST_FRONT_MATTER = 1 << 18
CARRIED: dict[structure.BlockKind, tuple[BlockKind, str]] = {
    "code": ("code", "code block"),
    "html": ("html", "HTML block"),
    "liquid": ("html", "template tag"),
    "directive": ("html", "directive"),
    "math": ("code", "formula"),
    "rule": ("rule", "thematic break"),
    "definition": ("paragraph", "link definition"),
}
"""Blocks that nobody translates: what they are called here, and why they are carried along."""
HELD: dict[structure.Holder, BlockKind] = {"": "paragraph", "footnote": "paragraph", "item": "list", "quote": "quote"}
ATTRIBUTES = re.compile(r"\{:?[ \t]*[#.][^{}]*\}")


def markdown_blocks(source: str) -> Iterator[Block]:
    """The blocks of a Markdown text, in order. Between them is nothing but blanks, and marks of quotes on lines that
    hold nothing else."""
    start = front_matter_end(source)
    all_lines = list(lines(source))
    if start:
        yield carried("front_matter", source, all_lines[0], len(source[:start].rstrip()), "front matter")
    yield from _Framer(source, start, all_lines).blocks()


def front_matter_end(source: str) -> int:
    """Where the head of the file ends; 0 where it has none. A book may well begin with a thematic break."""
    toml = _TOML.match(source)
    if toml is not None:
        closing = _TOML_END.search(source, toml.end(), toml.end() + LONGEST_FRONT_MATTER)
        return closing.end() if closing else 0
    matter = front_matter(source) if _FILLED.match(source) else None
    return matter.end if matter is not None and matter.values else 0


class _Framer:
    """Puts every block of the structure into its frame, and covers every line that is not blank."""

    def __init__(self, source: str, start: int, all_lines: list[Line]) -> None:
        self.source, self.begin, self.lines = source, start, all_lines
        self.starts = [line.start for line in all_lines]
        self.last = len(source.rstrip())
        self.done = bisect_right(self.starts, start - 1) if start else 0
        """How many lines are handed out."""

    def blocks(self) -> Iterator[Block]:
        for found in read_structure(self.source[self.begin :]).blocks:
            moved = found._replace(start=found.start + self.begin, end=found.end + self.begin)
            first = self._number(moved.start)
            last = max(first, self._number(moved.end - 1) if moved.end > moved.start else first)
            if last < self.done or (
                moved.start == moved.end and moved.kind == "item" and self._is_shared(moved, first)
            ):
                continue
            yield from self._uncovered(first)
            first = max(first, self.done)
            yield self._framed(moved, first, last)
            self.done = max(self.done, last + 1)
            if moved.kind == "heading" and moved.marker != "#":
                self.done += 1
        yield from self._uncovered(len(self.lines))

    def _number(self, place: int) -> int:
        return max(0, bisect_right(self.starts, place) - 1)

    def _is_shared(self, mark: structure.Block, number: int) -> bool:
        """Whether more than the mark of an item stands on its line."""
        line = self.lines[number]
        return bool(line.text[mark.end - line.start :].strip())

    def _uncovered(self, until: int) -> Iterator[Block]:
        """Lines that belong to no block and hold more than marks of quotes: the mark of an item or a note alone."""
        for line in self.lines[self.done : until]:
            if line.text.replace(">", " ").strip():
                frame = Frame(line.text.rstrip(), newline=self._newline(line))
                yield Block("list", "", frame, line.start, line.end, line.number, "nothing to translate")
        self.done = max(self.done, until)

    def _newline(self, line: Line) -> str:
        """How lines end around here."""
        if line.newline or line.number < 2:
            return line.newline or "\n"
        return self.lines[line.number - 2].newline

    def _framed(self, found: structure.Block, first: int, last: int) -> Block:
        line = self.lines[first]
        if found.kind in CARRIED and (found.closed or found.kind != "liquid"):
            carried_as, why = CARRIED[found.kind]
            closed = found.closed or found.end < self.last
            why = "block attributes" if found.kind == "liquid" and found.marker == "{:" else why
            return carried(carried_as, self.source, line, self.lines[last].end, why, closed=closed)
        if found.kind == "heading" and found.marker == "#":
            return self._heading(line, found)
        if found.start == found.end:
            frame = Frame(line.text.rstrip(), newline=self._newline(line))
            return Block("list", "", frame, line.start, line.end, line.number, "nothing to translate")
        pieces = self._pieces(found, first, last)
        if found.kind == "heading":
            return self._underlined(pieces, last)
        kind: BlockKind = "table" if found.kind == "table" else HELD[found.holder]
        rest = rest_of(line.text[: pieces[0].at])
        behind = self.lines[min(last + 1, len(self.lines) - 1)]
        return framed(kind, pieces, rest=rest, newline=self._newline(behind), closed=found.closed)

    def _pieces(self, found: structure.Block, first: int, last: int) -> list[Piece]:
        marks = re.compile(rf"(?:[ \t]*>){{0,{found.quotes}}}[ \t]*")
        pieces = [Piece(self.lines[first], found.start - self.lines[first].start)]
        for line in self.lines[first + 1 : last + 1]:
            head = marks.match(line.text)
            pieces.append(Piece(line, head.end() if head is not None else 0))
        return pieces

    def _underlined(self, pieces: list[Piece], last: int) -> Block:
        above, line = self.lines[last], self.lines[last + 1]
        behind = above.text[len(above.text.rstrip()) :] + above.newline
        return framed("heading", pieces, last=behind + line.text.rstrip(), newline=self._newline(above))

    def _heading(self, line: Line, found: structure.Block) -> Block:
        """Marks that close it and its id belong to its frame, so that links to it go on working in any language."""
        whole = line.text.rstrip()
        begins = min(found.start - line.start, len(whole))
        stop = max(begins, _words_end(whole, begins))
        words = whole[begins:stop]
        frame = Frame(whole[:begins], "", whole[stop:], self._newline(line))
        return Block(
            "heading", words, frame, line.start, line.end, line.number, None if words else "nothing to translate"
        )


def _words_end(whole: str, begins: int) -> int:
    stop = len(whole)
    if whole.endswith("}"):
        opens = whole.rfind("{", begins)
        if opens > begins and whole[opens - 1] in " \t" and ATTRIBUTES.fullmatch(whole, opens):
            stop = len(whole[:opens].rstrip())
    unmarked = whole[:stop].rstrip("#")
    if len(unmarked) < stop and (len(unmarked) <= begins or unmarked[-1] in " \t"):
        stop = len(unmarked.rstrip())
    return stop


MARKS_OF_CODE = frozenset("={}<>;$\\|`#@/[]+%&^~_0123456789")
FEWEST_WORDS = 4
LONGEST_READ = 2000
"""Characters that are looked at: more tells nothing new."""
_DELIMITERS = " \t*_'\"“‘«„(—–-"


def is_indented_prose(text: str) -> bool:
    """Whether a block of code is indented, and holds words that begin with a capital and no mark of code."""
    if text[:1] not in (" ", "\t"):
        return False
    head = text[:LONGEST_READ]
    opening = head.lstrip(_DELIMITERS)[:1]
    words = WORD.findall(head)
    if not opening.isupper() or len(words) < FEWEST_WORDS or MARKS_OF_CODE & set(head):
        return False
    return "\n" in head.strip() or head.rstrip(" *_'\"”’»)")[-1:] in (".", "!", "?", ",", ":", "…")


def plain_blocks(source: str) -> Iterator[Block]:
    """The paragraphs of a text, in order. Between them is nothing but blanks."""
    newline = "\n"
    pieces: list[Piece] = []
    for line in lines(source):
        newline = line.newline or newline
        if line.text.strip():
            pieces.append(Piece(line, len(line.text) - len(line.text.lstrip())))
        elif pieces:
            yield framed("paragraph", pieces, newline=newline)
            pieces = []
    if pieces:
        yield framed("paragraph", pieces, newline=newline)
