"""Terminal output: content is escaped, quotes are marked, colours are used where the terminal supports them.

Only `Screen` writes to a terminal, and it escapes every piece just before: no byte of content can move the cursor, set
a title, hide or reorder text. Colour codes are added after the escaping, so they are always our own.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import textwrap
from dataclasses import dataclass
from typing import Any, Literal, TextIO

from rich.cells import cell_len

from burnish.core.json_bytes import dumps

Role = Literal[
    "critical", "error", "warning", "info", "path", "strong", "faint", "good", "added", "removed", "hunk", "plain"
]
Piece = str | tuple[Role, str]
"""Text, or text with the role that gives it its colour."""

COLOURS: dict[Role, str] = {
    "critical": "1;35",
    "error": "1;31",
    "warning": "1;33",
    "info": "1;36",
    "path": "1",
    "strong": "1",
    "faint": "2",
    "good": "32",
    "added": "32",
    "removed": "31",
    "hunk": "36",
}
"""The sixteen colours of the user's own theme: readable on a dark and on a light ground."""

UNSAFE = re.compile(
    "["
    "\x00-\x1f\x7f-\x9f"  # C0 and C1: escapes, bells, carriage returns
    "\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"  # invisible or bidirectional
    "\ud800-\udfff\ufffe\uffff"  # not characters: they cannot be encoded
    "\U000110bd\U000110cd\U00013430-\U0001345f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
    "]"
)
"""Characters that are always escaped. Joiners that scripts need (U+200C, U+200D) are not."""

WIDTH_ELSEWHERE = 100
"""Columns without a terminal, so that output to a file is the same everywhere."""
NARROWEST, WIDEST = 60, 120


def visible(text: str) -> str:
    """One line in which nothing is hidden: a line end is `↵`, a tab is `→`, a dangerous character its code."""
    return UNSAFE.sub(_escape, text)


def _escape(match: re.Match[str]) -> str:
    character = match.group()
    if character == "\n":
        return "↵"
    if character == "\t":
        return "→"
    code = ord(character)
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def wants_colour(stream: TextIO, *, no_color: bool = False) -> bool:
    """Whether to colour: the flag decides first, then NO_COLOR and FORCE_COLOR, then whether this is a terminal."""
    if no_color or os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return stream.isatty() and os.environ.get("TERM") != "dumb"


LABEL = 14
"""Columns of the labels on the left of a summary."""


class Screen:
    """A stream that receives only escaped text."""

    def __init__(self, stream: TextIO, *, no_color: bool = False) -> None:
        self.stream = stream
        self.coloured = wants_colour(stream, no_color=no_color)
        columns = shutil.get_terminal_size().columns if stream.isatty() else WIDTH_ELSEWHERE
        self.width = max(NARROWEST, min(columns, WIDEST))
        self._open = False
        """Whether the last line was not empty."""

    def line(self, *pieces: Piece) -> None:
        """Write one line made of `pieces`."""
        text = "".join(self._shown(piece) for piece in pieces).rstrip(" ")
        self.stream.write(f"{text}\n")
        self._open = bool(text)

    def gap(self) -> None:
        """Leave one empty line, unless there is one already or nothing before it."""
        if self._open:
            self.line()

    def paragraph(self, text: str, *, indent: str = "", first: tuple[Piece, ...] = ()) -> None:
        """Write `text` wrapped to the width. `first` replaces the indent of the first line."""
        head = first or (indent,)
        taken = sum(cell_len(visible(piece if isinstance(piece, str) else piece[1])) for piece in head)
        lines = textwrap.wrap(
            visible(text),
            max(self.width, len(indent) + 20, taken + 20),
            initial_indent=" " * taken,
            subsequent_indent=indent,
            break_on_hyphens=False,
        )
        self.line(*head, lines[0][taken:] if lines else "")
        for line in lines[1:]:
            self.line(line)

    def heading(self, title: str, note: str = "") -> None:
        """Write the heading of a section."""
        self.gap()
        self.line(("strong", title), ("faint", f"  {note}" if note else ""))

    def labelled(self, label: str, text: str, *, role: Role = "plain") -> None:
        """Write a line of a summary: a label and its text."""
        first = ("  ", ("faint" if role == "plain" else role, f"{label:<{LABEL}}"), "  ")
        self.paragraph(text, indent=" " * (LABEL + 4), first=first)

    def _shown(self, piece: Piece) -> str:
        if isinstance(piece, str):
            return visible(piece)
        role, text = piece
        clean = visible(text)
        code = COLOURS.get(role)
        return f"\x1b[{code}m{clean}\x1b[0m" if self.coloured and code and clean else clean


@dataclass(frozen=True, slots=True)
class Excerpt:
    """A line of text with a marked part. `mark` is its place, in columns of the terminal."""

    before: str
    marked: str
    after: str

    @property
    def line(self) -> str:
        return f"{self.before}{self.marked}{self.after}"

    @property
    def mark(self) -> tuple[int, int]:
        """Column and length of the mark. An empty quote still gets one caret."""
        return cell_len(self.before), max(1, cell_len(self.marked))


def excerpt(text: str, span: tuple[int, int] | None, width: int) -> Excerpt:
    """The part of `text` round `span` that fits into `width` columns; without a span, its beginning.

    Only that part is ever copied: a giant text with a thousand findings costs no more than a short one.
    """
    if span is None:
        return Excerpt(_beginning(text[: width + 1], width, width), "", "")
    start, end = (max(0, min(place, len(text))) for place in span)
    marked = _both_ends(text, start, end, width * 2 // 3)
    room = max(0, width - cell_len(marked))
    behind, ahead = text[max(0, start - width - 1) : start], text[end : end + width + 1]
    left, right = (min(room, cell_len(visible(side))) for side in (behind[-room:] if room else "", ahead[:room]))
    # Room that one side does not need goes to the other.
    after = _beginning(ahead, max(room // 2, room - left), width)
    before = _end(behind, max(room // 2, room - right), width)
    return Excerpt(before, marked, after)


def _beginning(text: str, room: int, width: int) -> str:
    """As much of the beginning as fits, followed by `…` if it is cut."""
    shown = visible(text[:width])
    return shown if len(text) <= width and cell_len(shown) <= room else f"{_cut(shown, room - 1)}…"


def _end(text: str, room: int, width: int) -> str:
    shown = visible(text[-width:])
    return shown if len(text) <= width and cell_len(shown) <= room else f"…{_cut(shown, room - 1, from_end=True)}"


def _both_ends(text: str, start: int, end: int, width: int) -> str:
    """The whole of a short quote; head and tail of a long one."""
    if end - start <= width:
        shown = visible(text[start:end])
        if cell_len(shown) <= width:
            return shown
    half = (width - 3) // 2
    head, tail = visible(text[start : start + half]), visible(text[max(start, end - half) : end])
    return f"{_cut(head, half)} … {_cut(tail, half, from_end=True)}"


def _cut(shown: str, room: int, *, from_end: bool = False) -> str:
    """The longest beginning (or end) of `shown` that takes at most `room` columns."""
    while shown and (excess := cell_len(shown) - room) > 0:
        # No character is wider than two columns, so this never cuts too much.
        drop = max(1, excess // 2)
        shown = shown[drop:] if from_end else shown[:-drop]
    return shown


def json_text(value: Any) -> str:
    """One line of JSON. Characters that could control a terminal are written as `\\u` escapes: the same JSON."""
    try:
        data = dumps(value)
    except ValueError:
        # UTF-8 cannot encode lone surrogates; the standard library writes them as escapes.
        return UNSAFE.sub(_json_escape, json.dumps(value, allow_nan=False, separators=(",", ":")))
    if data.isascii() and b"\x7f" not in data:
        return data.decode()
    return UNSAFE.sub(_json_escape, data.decode())


def _json_escape(match: re.Match[str]) -> str:
    units = match.group().encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[i]:02x}{units[i + 1]:02x}" for i in range(0, len(units), 2))
