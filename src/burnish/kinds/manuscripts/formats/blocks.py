"""The blocks of a text: their lines, the containers that they stand in, and how each kind of block opens."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from burnish.kinds.manuscripts.model import BlockKind, Frame

LINE = re.compile(r"([^\r\n]*)(\r\n|\n|\r|\Z)")
BLANK = " \t"
_NO_MARK_OF_A_QUOTE = re.compile(r"[^>\t]")


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


def rest_of(opening: str) -> str:
    """What stands before further lines of a block that opens like this: marks of quotes again, blanks for the rest."""
    return _NO_MARK_OF_A_QUOTE.sub(" ", opening)
