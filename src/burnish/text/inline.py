"""What stands inside the lines of a Markdown text: code, formulas, links, tags, emphasis. One linear walk.

What opens and never closes is looked for once in its block, not once for each opening: content is hostile.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

STANDS_FOR = "\ufffc"
"""Blanks code, formulas and addresses: something that is read is there, though no prose."""

LinkForm = Literal["inline", "reference", "collapsed"]

SPECIAL = re.compile(r"[*_\[\]`<:${\\>]")
"""Looked for first: one set of characters is found ten times faster than a choice of patterns."""
RUN = re.compile(r"\*+|_+|`+")
MATH = re.compile(r"\$(?=\S)[^$\n]{1,400}(?<=\S)\$(?!\d)")
"""$x$, but not the prices in "$5 or $6"."""
TAG = re.compile(r"<[A-Za-z/!][^<>]*>")
VERBATIM = re.compile(r"<(code|pre|kbd|samp|var|tt|script|style|textarea|svg|math)\b", re.IGNORECASE)
"""Tags whose content is shown as it is written, or not shown at all."""
VERBATIM_END = re.compile(r"</(code|pre|kbd|samp|var|tt|script|style|textarea|svg|math)\s*>", re.IGNORECASE)
ENVIRONMENT = re.compile(r"\\(begin|end)\{([^{}\n]{1,60})\}")
ADDRESS = re.compile(r"://[^\s<>\])\"'`]+")
SCHEME = re.compile(r"(?:https?|s?ftp|file)$")
ESCAPED = re.compile(r"\\[^\w\s]")
QUOTE_MARKS = re.compile(r">[> \t]*")
CLOSING = {"$$": "$$", "\\[": "\\]", "\\(": "\\)", "{%": "%}", "{{": "}}", "{:": "}"}
BACKTICKS = re.compile(r"`+")
TARGET = re.compile(
    r"""[ \t]*\n?[ \t]*(?:<[^<>\n]*>|(?:[^\s()\\]|\\.|\((?:[^\s()\\]|\\.|\([^\s()]*\))*\))*)
    (?:[ \t\n]+(?:"[^"]{0,500}"|'[^']{0,500}'|\([^()]{0,500}\)))?[ \t]*\n?[ \t]*\)""",
    re.VERBOSE,
)
"""The target of a link, with its title, up to and with the closing bracket."""
LABEL = re.compile(r"[^\[\]\n]{0,999}\]")
LONGEST_TARGET = 4000


class Link(NamedTuple):
    """A link or an image."""

    start: int
    text_start: int
    text_end: int
    target_start: int
    target_end: int
    end: int
    form: LinkForm
    image: bool


class Mark(NamedTuple):
    """A run of `*` or `_`, which may open or close emphasis."""

    start: int
    end: int
    block: int
    """Which of the spans it stands in."""


@dataclass(slots=True)
class Inline:
    """All that the walk found."""

    prose: str = ""
    links: list[Link] = field(default_factory=list)
    marks: list[Mark] = field(default_factory=list)


def scan(text: str, spans: Sequence[tuple[int, int]]) -> Inline:
    """Walk through the spans of prose; what lies between them is blanked."""
    found = Inline()
    pieces: list[str] = []
    at = 0
    for number, (start, end) in enumerate(spans):
        if start > at:
            pieces.append("\n" * (start - at))
        if end > start:
            _Walk(text, start, end, number, found, pieces).walk()
        at = max(at, end)
    pieces.append("\n" * (len(text) - at))
    found.prose = "".join(pieces)
    return found


class _Walk:
    """The walk through one block."""

    __slots__ = (
        *("at", "block", "brackets", "code_ends", "end", "environments", "found"),
        *("hopeless", "pieces", "start", "text", "verbatim_ends"),
    )

    def __init__(self, text: str, start: int, end: int, block: int, found: Inline, pieces: list[str]) -> None:
        self.text, self.start, self.end = text, start, end
        self.block, self.found, self.pieces = block, found, pieces
        self.at = start
        """Up to where the prose is written."""
        self.brackets: list[int] = []
        self.hopeless: set[str] = set()
        self.code_ends: dict[int, int] | None = None
        self.environments: dict[int, int] | None = None
        self.verbatim_ends: dict[str, list[int]] | None = None

    def walk(self) -> None:
        text, end, search = self.text, self.end, SPECIAL.search
        position = self.start
        while (match := search(text, position, end)) is not None:
            place = match.start()
            character = text[place]
            if character in "*_":
                position = self._run_end(place)
                self.found.marks.append(Mark(place, position, self.block))
            elif character == "[":
                self.brackets.append(place)
                position = place + 1
            elif character == "]":
                position = self._closed(place)
            else:
                position = self._read(character, place)
        self.pieces.append(text[self.at : end])

    def _run_end(self, place: int) -> int:
        run = RUN.match(self.text, place, self.end)
        return run.end() if run is not None else place + 1

    def _read(self, character: str, place: int) -> int:
        """Where the walk goes on after a character that may open code, a formula, a tag or an address."""
        if character == "`":
            return self._code(place)
        if character == ":":
            return self._address(place)
        if character == ">":
            return self._quote_marks(place)
        if character == "<":
            return self._tag(place)
        if character == "\\" and (end := self._environment(place)) > 0:
            return self._blank(place, end, STANDS_FOR)
        pair = self.text[place : min(place + 2, self.end)]
        if pair in CLOSING and (end := self._closing_end(pair, place + 2)) > 0:
            return self._blank(place, end, " " if character == "{" else STANDS_FOR)
        pattern, filler = {"$": (MATH, STANDS_FOR), "\\": (ESCAPED, "")}.get(character, (None, ""))
        whole = pattern.match(self.text, place, self.end) if pattern is not None else None
        if whole is None:
            return place + 1
        return self._blank(place, whole.end(), filler) if filler else whole.end()

    def _tag(self, place: int) -> int:
        """A tag; with what stands in it, where that is code."""
        tag = TAG.match(self.text, place, self.end)
        if tag is None:
            return place + 1
        verbatim = VERBATIM.match(self.text, place, tag.end())
        end = self._verbatim_end(verbatim[1].lower(), tag.end()) if verbatim is not None else None
        return self._blank(place, tag.end(), " ") if end is None else self._blank(place, end, STANDS_FOR)

    def _verbatim_end(self, name: str, start: int) -> int | None:
        if self.verbatim_ends is None:
            self.verbatim_ends = {}
            for tag in VERBATIM_END.finditer(self.text, start, self.end):
                self.verbatim_ends.setdefault(tag[1].lower(), []).append(tag.end())
            for ends in self.verbatim_ends.values():
                ends.reverse()
        ends = self.verbatim_ends.get(name, [])
        while ends and ends[-1] <= start:
            ends.pop()
        return ends[-1] if ends else None

    def _environment(self, place: int) -> int:
        """Where a LaTeX environment that begins here ends; 0 where none does."""
        if not self.text.startswith("\\begin{", place, self.end):
            return 0
        if self.environments is None:
            self.environments = environment_ends(self.text, place, self.end)
        return self.environments.get(place, 0)

    def _code(self, place: int) -> int:
        if self.code_ends is None:
            self.code_ends = code_ends(self.text, place, self.end)
        end = self.code_ends.get(place)
        return self._run_end(place) if end is None else self._blank(place, end, STANDS_FOR)

    def _address(self, place: int) -> int:
        address = ADDRESS.match(self.text, place, self.end)
        scheme = SCHEME.search(self.text, max(self.start, place - 5), place) if address is not None else None
        if address is None or scheme is None:
            return place + 1
        return self._blank(scheme.start(), address.end(), STANDS_FOR)

    def _quote_marks(self, place: int) -> int:
        """The marks of a block quote at the beginning of its second and later lines."""
        line = self.text.rfind("\n", max(self.start, place - 8), place)
        if line < 0 or self.text[line:place].strip():  # asked first: a row of such marks is read once, not at each one
            return place + 1
        marks = QUOTE_MARKS.match(self.text, place, self.end)
        return self._blank(place, place + 1 if marks is None else marks.end(), " ")

    def _blank(self, start: int, end: int, filler: str) -> int:
        """Blank a stretch; the walk goes on after it. What an image held is blanked with the image."""
        if start >= self.at:
            self.pieces.append(self.text[self.at : start])
            self.pieces.append(filler * (end - start))
            self.at = end
        return end

    def _closing_end(self, opening: str, start: int) -> int:
        closing = CLOSING[opening]
        if closing in self.hopeless:
            return -1
        found = self.text.find(closing, start, self.end)
        if found < 0:
            self.hopeless.add(closing)
            return -1
        return found + len(closing)

    def _closed(self, place: int) -> int:
        """A closing bracket: with a target or a label behind it, it ends a link."""
        if not self.brackets:
            return place + 1
        opening = self.brackets.pop()
        after = self.text[place + 1 : min(place + 2, self.end)]
        if after not in ("(", "["):
            return place + 1
        begins = place + 2
        limit = min(self.end, begins + LONGEST_TARGET)
        target = (TARGET if after == "(" else LABEL).match(self.text, begins, limit)
        if target is None:
            return place + 1
        self._link(opening, place, target.end(), after)
        return target.end()

    def _link(self, opening: int, closing: int, end: int, after: str) -> None:
        image = opening > self.start and self.text[opening - 1] == "!"
        form: LinkForm = "inline" if after == "(" else "collapsed" if closing + 3 == end else "reference"
        start = opening - image
        self.found.links.append(Link(start, opening + 1, closing, closing + 2, end - 1, end, form, image))
        if image and start >= self.at:
            self._blank(start, end, STANDS_FOR)
        else:
            self._blank(max(closing + 1, self.at), end, " ")


def code_ends(text: str, start: int, end: int) -> dict[int, int]:
    """Where a run of backticks opens code -> where the next run of that length ends it."""
    ends: dict[int, int] = {}
    opened: dict[int, int] = {}
    for run in BACKTICKS.finditer(text, start, end):
        length = run.end() - run.start()
        if length in opened:
            ends[opened[length]] = run.end()
        opened[length] = run.start()
    return ends


def environment_ends(text: str, start: int, end: int) -> dict[int, int]:
    """Where a LaTeX environment begins -> where it ends, with those of the same name inside it."""
    ends: dict[int, int] = {}
    opened: dict[str, list[int]] = {}
    for mark in ENVIRONMENT.finditer(text, start, end):
        places = opened.setdefault(mark[2], [])
        if mark[1] == "begin":
            places.append(mark.start())
        elif places:
            ends[places.pop()] = mark.end()
    return ends
