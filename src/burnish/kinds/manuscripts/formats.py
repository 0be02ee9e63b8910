"""File formats of manuscripts: a stream of paragraphs with their exact offsets.

A text is first cut into blocks, each with the frame of markers around its text; blocks become paragraphs.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from os.path import commonprefix
from pathlib import PurePosixPath
from typing import Literal, NamedTuple, get_args

from burnish.core.documents import Problem
from burnish.core.errors import InputError, UsageError
from burnish.kinds.manuscripts.model import BlockKind, Frame, Paragraph
from burnish.languages.words import WORD
from burnish.text import structure
from burnish.text.docx import Docx, is_docx
from burnish.text.front_matter import front_matter
from burnish.text.json_text import decoded, too_large
from burnish.text.structure import read_structure

LINE = re.compile(r"([^\r\n]*)(\r\n|\n|\r|\Z)")
BLANK = " \t"
_NO_MARK_OF_A_QUOTE = re.compile(r"[^>\t]")


class Line(NamedTuple):
    """One line of the source."""

    start: int
    text: str
    """Without its end."""
    newline: str
    """Its line end; empty for the last line of many files."""
    number: int
    """1-based."""

    @property
    def end(self) -> int:
        """The end of the line without trailing white space."""
        return self.start + len(self.text.rstrip())


class Piece(NamedTuple):
    """A line of a block, and where its words begin after markers and indentation."""

    line: Line
    at: int


@dataclass(frozen=True, slots=True)
class Block:
    """Lines that belong together: source[start:end] == frame.around(text)."""

    kind: BlockKind
    text: str
    frame: Frame
    start: int
    end: int
    line: int
    excluded: str | None = None
    """Why it is carried unchanged."""
    closed: bool = True
    """False if its end is missing, so that it includes everything after it."""


def lines(text: str, start: int = 0, number: int = 1) -> Iterator[Line]:
    """The lines of a text from `start` on. Only `\\n`, `\\r\\n` and `\\r` end a line."""
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
    """Lines of prose as a block. `last`: the text after their words; `rest` and `newline`: the prefix of further lines,
    and the line end, if there is only one line.

    Lines whose markers follow no pattern (a quote with a line without its marker) are kept whole, so nothing is lost.
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
    """The common prefix of all further lines; None if more than spaces would remain of one prefix."""
    shared = commonprefix(prefixes)  # noqa: RUF071 - the common prefix letter by letter
    return shared if all(not prefix[len(shared) :].strip(BLANK) for prefix in prefixes) else None


def carried(kind: BlockKind, source: str, first: Line, end: int, excluded: str, *, closed: bool = True) -> Block:
    """A block that is not translated, with its markers: from the beginning of a line up to `end`."""
    raw = source[first.start : end]
    plain = raw.replace("\r\n", "\n")
    if "\r" in raw and "\n" in plain and "\r" not in plain and raw.count("\n") == raw.count("\r\n"):
        return Block(kind, plain, Frame(newline="\r\n"), first.start, end, first.number, excluded, closed)
    return Block(kind, raw, Frame(), first.start, end, first.number, excluded, closed)


def rest_of(opening: str) -> str:
    """The prefix of further lines of a block that opens like this: the quote markers again, spaces for the rest."""
    return _NO_MARK_OF_A_QUOTE.sub(" ", opening)


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
"""Blocks that are not translated -> their kind here, and why they are carried."""
HELD: dict[structure.Holder, BlockKind] = {"": "paragraph", "footnote": "paragraph", "item": "list", "quote": "quote"}
ATTRIBUTES = re.compile(r"\{:?[ \t]*[#.][^{}]*\}")


def markdown_blocks(source: str) -> Iterator[Block]:
    """The blocks of a Markdown text, in order. Between them are only white space, and quote markers on otherwise empty
    lines."""
    start = front_matter_end(source)
    all_lines = list(lines(source))
    if start:
        yield carried("front_matter", source, all_lines[0], len(source[:start].rstrip()), "front matter")
    yield from _Framer(source, start, all_lines).blocks()


def front_matter_end(source: str) -> int:
    """Where the front matter ends; 0 if there is none. A book may also begin with a thematic break."""
    toml = _TOML.match(source)
    if toml is not None:
        closing = _TOML_END.search(source, toml.end(), toml.end() + LONGEST_FRONT_MATTER)
        return closing.end() if closing else 0
    matter = front_matter(source) if _FILLED.match(source) else None
    return matter.end if matter is not None and matter.values else 0


class _Framer:
    """Makes framed blocks from the structure, and covers every line that is not blank."""

    def __init__(self, source: str, start: int, all_lines: list[Line]) -> None:
        self.source, self.begin, self.lines = source, start, all_lines
        self.starts = [line.start for line in all_lines]
        self.last = len(source.rstrip())
        self.done = bisect_right(self.starts, start - 1) if start else 0
        """How many lines are covered."""

    def blocks(self) -> Iterator[Block]:
        for found in read_structure(self.source[self.begin :]).blocks:
            moved = found._replace(start=found.start + self.begin, end=found.end + self.begin)
            first = self._number(moved.start)
            last = max(first, self._number(moved.end - 1) if moved.end > moved.start else first)
            # The marker of an item on the same line as its content is no separate block.
            behind = self.lines[first].text[moved.end - self.lines[first].start :]
            if last < self.done or (moved.start == moved.end and moved.kind == "item" and behind.strip()):
                continue
            moved, first = self._without_blank_lines(moved, first, last)
            yield from self._uncovered(first)
            first = max(first, self.done)
            yield self._framed(moved, first, last)
            self.done = max(self.done, last + 1)
            if moved.kind == "heading" and moved.marker != "#":
                self.done += 1
        yield from self._uncovered(len(self.lines))

    def _without_blank_lines(self, found: structure.Block, first: int, last: int) -> tuple[structure.Block, int]:
        """A block without leading lines of blank characters that Markdown does not treat as blank."""
        while found.kind not in CARRIED and first < last:
            line = self.lines[first]
            if found.start >= line.start and line.text[found.start - line.start :].strip():
                break
            first += 1
            text = self.lines[first].text
            words = text.lstrip(" \t>" if found.quotes else " \t")
            found = found._replace(start=self.lines[first].start + len(text) - len(words))
        return found, first

    def _number(self, place: int) -> int:
        return max(0, bisect_right(self.starts, place) - 1)

    def _uncovered(self, until: int) -> Iterator[Block]:
        """Lines outside all blocks with more than quote markers: the lone marker of an item or a note."""
        for line in self.lines[self.done : until]:
            if line.text.replace(">", " ").strip():
                yield self._mark(line)
        self.done = max(self.done, until)

    def _mark(self, line: Line) -> Block:
        frame = Frame(line.text.rstrip(), newline=self._newline(line))
        return Block("list", "", frame, line.start, line.end, line.number, "nothing to translate")

    def _newline(self, line: Line) -> str:
        """The line end here, or of the line before."""
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
            return self._mark(line)
        pieces = self._pieces(found, first, last)
        if found.kind == "heading":
            above, underline = self.lines[last], self.lines[last + 1].text.rstrip()
            behind = above.text[len(above.text.rstrip()) :] + above.newline
            return framed("heading", pieces, last=behind + underline, newline=self._newline(above))
        kind: BlockKind = "table" if found.kind == "table" else HELD[found.holder]
        rest = rest_of(line.text[: pieces[0].at])
        after = self.lines[min(last + 1, len(self.lines) - 1)]
        return framed(kind, pieces, rest=rest, newline=self._newline(after), closed=found.closed)

    def _pieces(self, found: structure.Block, first: int, last: int) -> list[Piece]:
        marks = re.compile(rf"(?:[ \t]*>){{0,{found.quotes}}}[ \t]*")
        pieces = [Piece(self.lines[first], found.start - self.lines[first].start)]
        for line in self.lines[first + 1 : last + 1]:
            head = marks.match(line.text)
            pieces.append(Piece(line, head.end() if head is not None else 0))
        return pieces

    def _heading(self, line: Line, found: structure.Block) -> Block:
        """A heading. Closing markers and its id belong to the frame, so that links to it work in any language."""
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
"""Characters of a block that are read for this."""
_DELIMITERS = " \t*_'\"“‘«„(—–-"


def is_indented_prose(text: str) -> bool:
    """Whether an indented block of code is probably prose: it begins with a capital and has no character of code."""
    if text[:1] not in (" ", "\t"):
        return False
    head = text[:LONGEST_READ]
    opening = head.lstrip(_DELIMITERS)[:1]
    words = WORD.findall(head)
    if not opening.isupper() or len(words) < FEWEST_WORDS or MARKS_OF_CODE & set(head):
        return False
    return "\n" in head.strip() or head.rstrip(" *_'\"”’»)")[-1:] in (".", "!", "?", ",", ":", "…")


def plain_blocks(source: str) -> Iterator[Block]:
    """The paragraphs of a plain text, in order. Between them is only white space."""
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


BookFormat = Literal["markdown", "text", "docx"]
BOOK_FORMATS: tuple[BookFormat, ...] = get_args(BookFormat)
ENDINGS: dict[BookFormat, tuple[str, ...]] = {
    "markdown": (".md", ".markdown", ".mdown", ".mkd"),
    "text": (".txt", ".text"),
    "docx": (".docx", ".docm"),
}

LARGEST_BOOK = 256 << 20
"""Bytes of one manuscript: a hundred long novels."""
LONGEST_PARAGRAPH = 100_000
"""Characters of one paragraph to translate: about thirty pages, more than a model can answer at once."""

_READERS: dict[BookFormat, Callable[[str], Iterator[Block]]] = {
    "markdown": markdown_blocks,
    "text": plain_blocks,
    "docx": markdown_blocks,
}


def format_of(path: str) -> BookFormat | None:
    """The format by the ending of a file's name; None if it is unknown."""
    suffix = PurePosixPath(path.replace("\\", "/")).suffix.lower()
    return next((name for name, endings in ENDINGS.items() if suffix in endings), None)


def source_text(data: bytes, path: str) -> str:
    """The decoded text, without byte order mark, to which all offsets refer. Raise InputError if it is no text."""
    if len(data) > LARGEST_BOOK:
        raise too_large(path, LARGEST_BOOK)
    return Docx(data, path).text if is_docx(path) else decoded(data, path).text


def blocks_of(text: str, format: BookFormat) -> Iterator[Block]:
    """The blocks of a text in one of the formats."""
    reader = _READERS.get(format)
    if reader is None:
        known = ", ".join(BOOK_FORMATS)
        raise UsageError(f"There is no format {format!r} of manuscripts.", hint=f"Formats are: {known}.")
    return reader(text)


def read_manuscript(data: bytes, path: str, format: BookFormat) -> Iterator[Paragraph | Problem]:
    """The paragraphs of a manuscript, in order, as a stream. Raise InputError if there is nothing to translate."""
    return read_paragraphs(source_text(data, path), path, format)


def read_paragraphs(text: str, path: str, format: BookFormat) -> Iterator[Paragraph | Problem]:
    """The same for a decoded source."""
    index = translatable = 0
    for index, block in enumerate(blocks_of(text, format), 1):
        translatable += block.excluded is None
        yield from _read(block, index, path)
    if not translatable:
        message = "There is nothing to translate in it, only code, tags, rules and marks without words."
        message = message if index else "The manuscript is empty."
        raise InputError(message, path=path, code="empty", hint="Is this the right file?")


def _read(block: Block, index: int, path: str) -> Iterator[Paragraph | Problem]:
    id = f"p_{index:04d}"
    problem = partial(Problem, path=path, line=block.line, unit=id)
    if block.excluded is None and len(block.text) > LONGEST_PARAGRAPH:
        yield problem(
            "paragraph_too_long",
            f"The {block.kind} that begins here has {len(block.text):,} characters; at most {LONGEST_PARAGRAPH:,} can "
            "be translated at once, so it is left out.",
            hint="Add blank lines where paragraphs end, and start a new run.",
        )
        return
    if block.excluded is not None and not block.closed:
        opening = block.text.lstrip().split("\n", 1)[0][:40].strip()
        yield problem(
            "never_closed",
            f"{opening!r} is never closed, so everything after it is read as a {block.excluded} and is not translated.",
            hint="Close it where it ends, and start a new run.",
        )
    elif block.kind == "code" and is_indented_prose(block.text):
        yield problem(
            "prose_as_code",
            "These lines look like prose, but they are indented by four spaces or more: Markdown reads them as code, "
            "so they are not translated.",
            hint="If they are to be translated, indent them less, or begin each of them with `> `.",
            blocks=False,
        )
    yield Paragraph(
        id,
        index,
        block.kind,
        block.text,
        frame=block.frame,
        start=block.start,
        end=block.end,
        line=block.line,
        excluded=block.excluded,
    )
