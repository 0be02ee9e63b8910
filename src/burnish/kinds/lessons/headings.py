"""Headings of a Markdown text with exact places: one walk over the lines, linear whatever they hold.

A fence that never closes hides no heading here: a lesson that lost one mark keeps its sections.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

LONGEST_TITLE = 300
"""A longer underlined line is a paragraph above a rule, not a heading."""

ATX = re.compile(r" {0,3}(#{1,6})(?:[ \t]+(.*))?$")
TRAILING_MARKS = re.compile(r"(?:^|[ \t]+)#+[ \t]*$")
ATTRIBUTES = re.compile(r"[ \t]*\{[:#][^{}]*\}[ \t]*$")
UNDERLINE = re.compile(r" {0,3}(=+|-{2,})[ \t]*$")
FENCE = re.compile(r" {0,3}(`{3,}|~{3,})(.*)$")
NO_TITLE = re.compile(r" {0,3}(?:[-*+>|<]|\d+[.)][ \t]|\[\^?[^\]\n]*\]:|\{[%:{])| {4}|\t")
"""Beginnings of lines that an underline does not turn into a heading: lists, quotes, tables, tags, definitions."""

BLOCKS = (
    (re.compile(r" {0,3}<!--"), "-->"),
    (re.compile(r" {0,3}<pre\b", re.IGNORECASE), "</pre>"),
    (re.compile(r" {0,3}<script\b", re.IGNORECASE), "</script>"),
    (re.compile(r" {0,3}<style\b", re.IGNORECASE), "</style>"),
    (re.compile(r"[ \t]*\{%-?[ \t]*highlight\b"), "endhighlight"),
    (re.compile(r"[ \t]*\{%-?[ \t]*raw\b"), "endraw"),
)
"""What opens a stretch that holds no headings, and what closes it (in lower case)."""


@dataclass(frozen=True, slots=True)
class Line:
    """One line, and whether it stands in code."""

    text: str
    start: int
    end: int
    """After its line end."""
    code: bool


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


def lines_of(text: str) -> list[Line]:
    """Every line with its place. What opens a block of code and never closes it opens nothing."""
    lines: list[Line] = []
    plain = _plain_lines(text)
    lower = text.lower() if "<" in text or "{%" in text else ""
    last = {closing: lower.rfind(closing) for _, closing in BLOCKS}
    closes: str | None = None
    for (line, start, end), closable in zip(plain, _closable(plain), strict=True):
        if closes is not None:
            lines.append(Line(line, start, end, True))
            closes = None if _closed(line, closes) else closes
            continue
        closes = _opened(line, start, closable, last)
        lines.append(Line(line, start, end, closes is not None))
        if closes is not None and not _is_fence(closes) and closes in line.lower():
            closes = None
    return lines


def _plain_lines(text: str) -> list[tuple[str, int, int]]:
    found, start = [], 0
    for whole in text.splitlines(keepends=True) if "\r" in text and "\n" not in text else _split(text):
        end = start + len(whole)
        found.append((whole.rstrip("\r\n"), start, end))
        start = end
    return found


def _split(text: str) -> Iterator[str]:
    """Lines that end in `\\n`; `str.splitlines` would also cut at form feeds and other rarities."""
    start = 0
    while start < len(text):
        end = text.find("\n", start) + 1 or len(text)
        yield text[start:end]
        start = end


def _closable(lines: list[tuple[str, int, int]]) -> list[tuple[int, int]]:
    """For each line, the longest fence of backticks and of tildes that closes something on a later line."""
    ticks = tildes = 0
    found: list[tuple[int, int]] = []
    for line, _, _ in reversed(lines):
        found.append((ticks, tildes))
        match = FENCE.match(line)
        if match is not None and not match[2].strip():
            length = len(match[1])
            ticks, tildes = (max(ticks, length), tildes) if match[1][0] == "`" else (ticks, max(tildes, length))
    return found[::-1]


def _opened(line: str, start: int, closable: tuple[int, int], last: dict[str, int]) -> str | None:
    """What will close the block that this line opens; None where it opens none."""
    match = FENCE.match(line)
    if match is not None:
        is_ticks = match[1][0] == "`"
        inline = is_ticks and "`" in match[2]
        return match[1] if closable[0 if is_ticks else 1] >= len(match[1]) and not inline else None
    for opening, closing in BLOCKS:
        # Positions in the lower-cased text may lie a little off where a letter changes its length; no harm is done.
        if last[closing] >= 0 and opening.match(line) and last[closing] >= start:
            return closing
    return None


def _is_fence(closes: str) -> bool:
    return closes[0] in "`~"


def _closed(line: str, closes: str) -> bool:
    if not _is_fence(closes):
        return closes in line.lower()
    match = FENCE.match(line)
    return match is not None and match[1].startswith(closes) and not match[2].strip()


def headings(text: str) -> list[Heading]:
    """Every heading, with `#` marks or underlined, outside code."""
    return list(_headings(lines_of(text)))


def _headings(lines: list[Line]) -> Iterator[Heading]:
    for index, line in enumerate(lines):
        if line.code:
            continue
        atx = ATX.match(line.text)
        if atx is not None:
            yield _atx(line, atx, index + 1)
        elif _is_underlined(lines, index):
            yield _underlined(line, lines[index + 1], index + 1)


def _atx(line: Line, match: re.Match[str], number: int) -> Heading:
    title = match[2] or ""
    offset = line.start + (match.start(2) if match[2] is not None else match.end(1))
    return _heading(len(match[1]), TRAILING_MARKS.sub("", _bare(title)), title, offset, line, line.end, number)


def _bare(title: str) -> str:
    return ATTRIBUTES.sub("", title).rstrip()


def _is_underlined(lines: list[Line], index: int) -> bool:
    """A single line with a paragraph's beginning before it: an underline below a longer paragraph is a rule."""
    line = lines[index]
    if index + 1 >= len(lines) or not line.text.strip() or NO_TITLE.match(line.text):
        return False
    below = lines[index + 1]
    if below.code or len(line.text) > LONGEST_TITLE or UNDERLINE.match(below.text) is None:
        return False
    before = lines[index - 1] if index else None
    return before is None or not before.text.strip() or before.code or ATX.match(before.text) is not None


def _underlined(line: Line, below: Line, number: int) -> Heading:
    mark = below.text.strip()[0]
    indent = len(line.text) - len(line.text.lstrip())
    title = line.text[indent:]
    return _heading(1 if mark == "=" else 2, _bare(title), title, line.start + indent, line, below.end, number)


def _heading(level: int, title: str, raw: str, offset: int, line: Line, end: int, number: int) -> Heading:
    shown = title.strip()
    start = offset + (raw.index(shown) if shown else 0)
    return Heading(level, shown, line.start, start, start + len(shown), end, number)
