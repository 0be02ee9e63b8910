"""Records and cells of a text table, with their places."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import regex

from burnish.kinds.questions.formats.source import COLUMNS, ITEM_BYTES, ITEM_LINES, Line, Lines, Source, TooComplex
from burnish.text.mapped_text import Layer, Run, applied, field_text

DELIMITERS = (",", ";", "\t")
FORMULA = regex.compile(r"'*[=+\-@\t\r]")
"""A cell that spreadsheets may read as a formula. It is written with an apostrophe, which is removed on reading."""
QUOTES = regex.compile(r'""|[^"]+|"')
LINE_END = regex.compile(r"[\r\n]+\Z")


class Record(NamedTuple):
    """One record, with several lines if a quoted cell has line ends."""

    raw: bytes
    line: int
    offset: int
    fault: str = ""
    """The code of its fault: `too_long`, or `unclosed_quote`."""


def records(source: Source, delimiter: str) -> Iterator[Record | bytes]:
    """The records of a table. After an incomplete one only bytes follow, the rest of the file."""
    mark = delimiter.encode()
    held, count, inside = bytearray(), 0, False
    first: Line | None = None
    lines = Lines(source, ITEM_BYTES)
    for line in lines:
        first = first or line
        held += line.raw
        count += 1
        inside = _ends_inside(line.raw, inside, mark)
        if len(held) > ITEM_BYTES or count > ITEM_LINES or line.piece:
            yield Record(bytes(held), first.number, first.offset, "too_long")
            yield from lines.rest()
            return
        if not inside:
            yield Record(bytes(held), first.number, first.offset)
            held, count, first = bytearray(), 0, None
    if first is not None:
        yield Record(bytes(held), first.number, first.offset, "unclosed_quote")


@lru_cache(maxsize=8)
def _cell_pattern(delimiter: bytes) -> regex.Pattern[bytes]:
    other = b"[^" + regex.escape(delimiter) + b"\r\n]*+"
    return regex.compile(b'(?:"(?:[^"]++|"")*+("?))?' + other, regex.DOTALL)


def _ends_inside(line: bytes, inside: bool, delimiter: bytes) -> bool:
    """Whether a quoted cell is open at the end of this line."""
    if b'"' not in line:
        return inside
    pattern, at = _cell_pattern(delimiter), 0
    if inside:
        match = pattern.match(b'"' + line)
        at = match.end() - 1 if match else 0
        if match and match.group(1) == b"":
            return True
        at += len(delimiter)
    while at < len(line):
        match = pattern.match(line, at)
        if match is None:
            return False
        if match.group(1) == b"":
            return True
        at = match.end() + 1
    return False


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell and its place in the record's text."""

    text: str
    start: int
    end: int
    quoted: bool


@lru_cache(maxsize=8)
def _text_pattern(delimiter: str) -> regex.Pattern[str]:
    other = f"[^{regex.escape(delimiter)}\r\n]*+"
    return regex.compile(f'(?:"((?:[^"]++|"")*+)")?({other})', regex.DOTALL)


def cells(text: str, delimiter: str) -> list[Cell]:
    """The cells of a record."""
    body = LINE_END.sub("", text)
    pattern, at = _text_pattern(delimiter), 0
    found: list[Cell] = []
    while True:
        match = pattern.match(body, at)
        if match is None:
            return found
        if len(found) == COLUMNS:
            raise TooComplex
        inner, rest = match.group(1), match.group(2)
        quoted = inner is not None and not rest.strip()
        content = inner.replace('""', '"') if quoted else match.group()
        if not quoted:
            content = content.strip(" ")
        if FORMULA.match(content) and content.startswith("'"):
            content = content[1:]
        found.append(Cell(content, match.start(), match.end(), quoted))
        at = match.end()
        if at >= len(body) or body[at] != delimiter:
            return found
        at += 1


def written(text: str, delimiter: str, *, always: bool = False) -> str:
    """A cell as written: safe to open in a spreadsheet, quoted if necessary."""
    safe = f"'{text}" if FORMULA.match(text) else text
    needs = always or safe != safe.strip() or any(character in safe for character in f'{delimiter}"\r\n')
    return '"' + safe.replace('"', '""') + '"' if needs else safe


def with_cell(text: str, cell: Cell, delimiter: str, new: str) -> str:
    """The record with one cell's text replaced; in a quoted cell only the changed words."""
    if not cell.quoted or FORMULA.match(new):
        plain = written(new, delimiter)
        plain = written(new, delimiter, always=cell.quoted) if plain == new else plain
        return text[: cell.start] + plain + text[cell.end :]
    inner = field_text("text", text, cell.start + 1, text.rindex('"', cell.start, cell.end), _quoted_layer)
    return applied(text, inner.rewritten(text, new))


def _quoted_layer(source: str) -> list[Layer]:
    return [Layer(_quoted_runs(source), lambda new, _setting: new.replace('"', '""'))]


def _quoted_runs(source: str) -> Iterator[Run]:
    for match in QUOTES.finditer(source):
        doubled = match.group() == '""'
        yield Run('"' if doubled else match.group(), match.start(), match.end(), "coded" if doubled else "plain")
