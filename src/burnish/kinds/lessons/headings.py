"""Headings of a Markdown text with exact places: one walk from mark to mark, linear whatever the text holds.

A fence that never closes hides no heading here: a lesson that lost one mark keeps its sections.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass

LONGEST_TITLE = 300
"""A longer underlined line is a paragraph above a rule, not a heading."""

MARK = re.compile(
    r"""
    ^(?:[ ]{0,3}(?:
        (?P<hashes>\#{1,6})(?![^ \t\r\n])
      | (?P<fence>`{3,}|~{3,})
      | (?P<line>=+|-{2,})[ \t]*\r?$
      | <(?P<tag>!--|pre\b|script\b|style\b)
    ) | [ \t]*\{%-?[ \t]*(?P<liquid>highlight|raw)\b)
    """,
    re.MULTILINE | re.VERBOSE | re.IGNORECASE,
)
"""What may be a heading, and what opens a stretch without headings."""
CLOSING_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})[ \t]*\r?$", re.MULTILINE)
TRAILING_MARKS = re.compile(r"(?:^|[ \t])#+$")
ATTRIBUTES = re.compile(r"\{[:#][^{}]*\}$")
NO_TITLE = re.compile(r" {0,3}(?:[-*+>|<#]|\d+[.)][ \t]|\[\^?[^\]\n]*\]:|\{[%:{])| {4}|\t")
"""Beginnings of lines that an underline does not turn into a heading: lists, quotes, tables, tags, definitions."""


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
    """Every heading, with `#` marks or underlined, outside code. One by one: a hostile text holds millions."""
    skips = _Skips(text)
    at = settled = counted = 0
    line = 1
    while mark := MARK.search(text, at):
        at = max(mark.end(), at + 1)
        heading: Heading | None = None
        if mark["hashes"]:
            heading = _with_hashes(text, mark)
        elif mark["line"]:
            heading = _underlined(text, mark, settled)
        elif (end := skips.end(mark)) is not None:
            at = settled = end
        if heading is not None:
            line += text.count("\n", counted, heading.start)
            counted, at, settled = heading.start, heading.end, heading.end
            yield Heading(
                heading.level,
                heading.title,
                heading.start,
                heading.title_start,
                heading.title_end,
                heading.end,
                line,
            )


class _Skips:
    """Where code, comments and the like end. What does not occur any more is looked for once, not at every opening."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._lower: str | None = None
        self._hopeless: set[str] = set()
        self._fences = list(CLOSING_FENCE.finditer(text)) if "```" in text or "~~~" in text else []
        self._starts = [fence.start() for fence in self._fences]
        self._longest = self._longest_after()

    def _longest_after(self) -> list[tuple[int, int]]:
        """For each closing fence, the longest one of backticks and of tildes from there on."""
        ticks = tildes = 0
        found: list[tuple[int, int]] = []
        for fence in reversed(self._fences):
            length = len(fence[1])
            ticks, tildes = (max(ticks, length), tildes) if fence[1][0] == "`" else (ticks, max(tildes, length))
            found.append((ticks, tildes))
        return found[::-1]

    def end(self, mark: re.Match[str]) -> int | None:
        """After the line on which the stretch ends that `mark` opens; None where it opens none."""
        if mark["fence"]:
            return self._fence_end(mark)
        name = (mark["tag"] or mark["liquid"]).lower()
        closing = "-->" if name == "!--" else f"</{name}>" if mark["tag"] else f"end{name}"
        if closing in self._hopeless:
            return None
        if self._lower is None:
            lower = self._text.lower()
            # Some letters change their length; then the few tags in capitals are not worth the wrong places.
            self._lower = lower if len(lower) == len(self._text) else self._text
        found = self._lower.find(closing, mark.end())
        if found < 0:
            self._hopeless.add(closing)
            return None
        return _line_end(self._text, found)

    def _fence_end(self, mark: re.Match[str]) -> int | None:
        fence, ticks = mark["fence"], mark["fence"][0] == "`"
        first_end = _line_end(self._text, mark.end())
        if ticks and "`" in self._text[mark.end() : first_end]:
            return None  # three backticks that close on their own line are code within the line
        index = bisect_left(self._starts, first_end)
        if index == len(self._fences) or self._longest[index][0 if ticks else 1] < len(fence):
            return None
        while not self._fences[index][1].startswith(fence):
            index += 1
        return _line_end(self._text, self._fences[index].start())


def _line_end(text: str, at: int) -> int:
    return text.find("\n", at) + 1 or len(text)


def _with_hashes(text: str, mark: re.Match[str]) -> Heading:
    end = _line_end(text, mark.end())
    title = _bare(text[mark.end() : end])
    words = mark.end() + (text[mark.end() : mark.end() + 1] in (" ", "\t"))
    return _heading(text, len(mark["hashes"]), title, mark.start(), words, end)


def _bare(line: str) -> str:
    """A heading's words, without attributes behind them and marks that close them."""
    return TRAILING_MARKS.sub("", ATTRIBUTES.sub("", line.strip()).rstrip()).strip()


def _underlined(text: str, mark: re.Match[str], settled: int) -> Heading | None:
    """A single line with a paragraph's beginning before it: an underline below a longer paragraph is a rule.

    `settled` is where the last heading or code ends: nothing before it is looked at again.
    """
    start = text.rfind("\n", 0, max(0, mark.start() - 1)) + 1
    line = text[start : mark.start()]
    if start < settled or not line.strip() or len(line) > LONGEST_TITLE or NO_TITLE.match(line):
        return None
    if start > settled and text[text.rfind("\n", 0, start - 1) + 1 : start].strip():
        return None
    level = 1 if mark["line"][0] == "=" else 2
    title = ATTRIBUTES.sub("", line.strip()).rstrip()
    return _heading(text, level, title, start, start, _line_end(text, mark.end()))


def _heading(text: str, level: int, title: str, start: int, after: int, end: int) -> Heading:
    title_start = text.index(title, after) if title else after
    return Heading(level, title, start, title_start, title_start + len(title), end, 0)
