"""Markup inside Markdown that Markdown does not know: Liquid tags, Kramdown attributes, directives, LaTeX.

It is masked character by character before Markdown is read, so that positions do not change: tags become processing
instructions, which Markdown passes through, and formulas become letters. Linear for any text.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from typing import Literal, NamedTuple

from burnish.core.edits import environment_ends

Span = tuple[int, int]
ForeignKind = Literal["liquid", "attributes", "verbatim", "directive", "formula"]

OPENING = re.compile(
    r"""
    (?P<verbatim>\{%-?[ \t]*(?P<name>highlight|raw|comment)\b)
  | (?P<tag>\{%|\{\{|\{:)
  | (?P<formula>\\\(|\\\[|\$\$)
  | (?P<environment>\\begin\{(?P<of>[^{}\n]{1,60})\})
  | (?P<directive>^[ \t]*:{3,}[^:\n]*$)
    """,
    re.VERBOSE | re.MULTILINE,
)
CLOSING = {"{%": "%}", "{{": "}}", "{:": "}", "\\(": "\\)", "\\[": "\\]", "$$": "$$"}
BLANK_LINE = re.compile(r"\n[ \t>]*\r?(?=\n|\Z)")
BLANKS = re.compile(r"[ \t]*")
LINE_HEAD = re.compile(r"^[ \t>]*", re.MULTILINE)
INSIDE = re.compile(r"[^\n\r]")
PREFIX = re.compile(r"(?:[ \t>]|(?:[-+*]|\d{1,9}[.)])[ \t])*")
LONGEST_HEAD = 200
"""The most characters before a mark on its line that are searched."""
SHORTEST = 3
"""The fewest characters of a masked tag: `<?>`."""


class Foreign(NamedTuple):
    """A stretch of foreign markup."""

    start: int
    end: int
    kind: ForeignKind
    marker: str
    """Its opening: `{%`, `{:`, `$$`, or the name of a verbatim tag."""
    closed: bool = True
    alone: bool = False
    """Whether there is nothing else on its lines: then it is a block."""


def has_foreign(text: str) -> bool:
    """Return whether there may be foreign markup; most texts have none."""
    return "{" in text or "\\" in text or "$$" in text or ":::" in text


def foreign_markup(text: str, code: Sequence[Span], blocks: Sequence[Span]) -> list[Foreign]:
    """Return foreign markup outside code and outside blocks of code and HTML, in order and without nesting.

    Only verbatim markup may reach into such a block.
    """
    search = _Search(text, code, blocks)
    return search.alone(search.found())


def masked(text: str, stretches: Sequence[Foreign]) -> str:
    """Return the text with these stretches masked; its length and line ends do not change."""
    pieces: list[str] = []
    at = 0
    for stretch in stretches:
        pieces += text[at : stretch.start], _mask(text[stretch.start : stretch.end], stretch)
        at = stretch.end
    return "".join((*pieces, text[at:]))


def _mask(written: str, stretch: Foreign) -> str:
    if not stretch.alone or (stretch.closed and "\n" in written[-2:]):
        return INSIDE.sub("x", written)
    # The quote marks and blanks before further lines stay, because they belong to the containing block.
    head, *rest = written.split("\n")
    body = "\n".join([INSIDE.sub("x", head), *map(_masked_line, rest)])
    if len(body) == SHORTEST:
        return "<?>"
    return f"<?{body[2:-2]}?>" if stretch.closed else f"<?{body[2:]}"


def _masked_line(line: str) -> str:
    head = LINE_HEAD.match(line)
    kept = head.end() if head is not None else 0
    return line[:kept] + INSIDE.sub("x", line[kept:])


class _Search:
    """Finds markup in one pass. A closing mark that is missing is searched for only once."""

    def __init__(self, text: str, code: Sequence[Span], blocks: Sequence[Span]) -> None:
        self.text = text
        self.opaque = sorted((*code, *blocks))
        self.walls = sorted(start for start, _ in blocks)
        self.starts = [start for start, _ in self.opaque]
        self.blanks: list[int] | None = None
        self.hopeless: dict[str, int] = {}
        self.environments: dict[int, int] | None = None

    def found(self) -> list[Foreign]:
        found: list[Foreign] = []
        at = 0
        while (match := OPENING.search(self.text, at)) is not None:
            place = match.start()
            index = bisect_right(self.starts, place) - 1
            covered = self.opaque[index][1] if index >= 0 and place < self.opaque[index][1] else None
            if covered is not None:
                at = covered
                continue
            stretch = self._read(match)
            at = match.end() if stretch is None else max(stretch.end, match.end())
            if stretch is not None:
                found.append(stretch)
        return found

    def alone(self, found: list[Foreign]) -> list[Foreign]:
        """Set `alone` if the lines of a stretch hold nothing else. A formula must also begin a paragraph."""
        leading: list[bool] = []
        for number, stretch in enumerate(found):
            behind = number > 0 and leading[-1] and self._only_blanks(found[number - 1].end, stretch.start)
            begins = self._begins_line(stretch.start)
            leading.append(behind or (begins and (stretch.kind != "formula" or self._after_blank(stretch.start))))
        trailing = False
        for number in range(len(found) - 1, -1, -1):
            stretch = found[number]
            follows = number + 1 < len(found) and trailing and self._only_blanks(stretch.end, found[number + 1].start)
            trailing = follows or self._ends_line(stretch.end)
            runs_on = stretch.kind == "liquid" and not stretch.closed
            found[number] = stretch._replace(alone=leading[number] and trailing and not runs_on)
        return found

    def _only_blanks(self, start: int, end: int) -> bool:
        return (
            end - start <= LONGEST_HEAD and not self.text[start:end].strip(" \t") and "\n" not in self.text[start:end]
        )

    def _ends_line(self, place: int) -> bool:
        behind = BLANKS.match(self.text, place)
        end = behind.end() if behind is not None else place
        return self.text[end : end + 1] in ("", "\n", "\r")

    def _read(self, match: re.Match[str]) -> Foreign | None:
        start = match.start()
        if match["directive"] is not None:
            mark = match.group().lstrip(" \t")
            return Foreign(match.end() - len(mark), match.end(), "directive", ":::")
        if match["verbatim"] is not None and self._begins_line(start):
            return self._verbatim(start, match["name"])
        if start and self.text[start - 1] == "\\":
            return None  # escaped
        if match["environment"] is not None:
            end = self._environment_end(start)
            if end is None or self._crosses(start, end):
                return None
            return Foreign(start, end, "formula", f"\\begin{{{match['of']}}}")
        opening = match["formula"] or self.text[start : start + 2]
        kind: ForeignKind = "formula" if match["formula"] else "attributes" if opening == "{:" else "liquid"
        end = self._closing_end(CLOSING[opening], match.end() if match["formula"] else start + 2, start)
        if end is not None and self._crosses(start, end):
            return None
        if end is None:
            return self._unclosed(start, opening) if kind != "formula" else None
        if opening == "$$" and not self._begins_line(start):
            return None  # a formula inside a line is read with the line
        return Foreign(start, end, kind, opening)

    def _crosses(self, start: int, end: int) -> bool:
        """Return whether a block of code or HTML begins in between."""
        wall = bisect_right(self.walls, start)
        return wall < len(self.walls) and self.walls[wall] < end

    def _unclosed(self, start: int, opening: str) -> Foreign | None:
        """Return a tag that begins a paragraph and never ends, or None."""
        if not self._begins_line(start) or not self._after_blank(start):
            return None
        return Foreign(start, self._trimmed(start, self._next_blank(start)), "liquid", opening, closed=False)

    def _verbatim(self, start: int, name: str) -> Foreign:
        at = self._find(f"end{name}", start, len(self.text))
        if at < 0:
            return Foreign(start, self._trimmed(start, len(self.text)), "verbatim", name, closed=False)
        end = self.text.find("\n", at)
        return Foreign(start, self._trimmed(start, end if end >= 0 else len(self.text)), "verbatim", name)

    def _trimmed(self, start: int, end: int) -> int:
        while end > start + SHORTEST and self.text[end - 1].isspace():
            end -= 1
        return end

    def _find(self, closing: str, start: int, end: int) -> int:
        """Return the place of a closing mark before `end`; -1 if there is none, which is then not searched again."""
        if start < self.hopeless.get(closing, 0):
            return -1
        at = self.text.find(closing, start, end)
        if at < 0:
            self.hopeless[closing] = end
        return at

    def _closing_end(self, closing: str, start: int, begins: int) -> int | None:
        """Return the end of the closing mark if it comes before the next blank line."""
        at = self._find(closing, start, self._next_blank(begins))
        return at + len(closing) if at >= 0 else None

    def _environment_end(self, start: int) -> int | None:
        """Return the end of a LaTeX environment, including nested ones; inside a paragraph it must end there too."""
        if self.environments is None:
            self.environments = environment_ends(self.text)
        end = self.environments.get(start)
        is_block = self._begins_line(start) and self._after_blank(start)
        return end if end is not None and (is_block or end <= self._next_blank(start)) else None

    def _next_blank(self, place: int) -> int:
        if self.blanks is None:
            self.blanks = [match.start() for match in BLANK_LINE.finditer(self.text)]
        index = bisect_left(self.blanks, place)
        return self.blanks[index] if index < len(self.blanks) else len(self.text)

    def _begins_line(self, place: int) -> bool:
        """Return whether only blanks and marks of quotes and items come before it on its line."""
        line = self._line_start(place)
        prefix = PREFIX.match(self.text, line, place) if line is not None else None
        return prefix is not None and prefix.end() == place

    def _line_start(self, place: int) -> int | None:
        """Return None if the line begins too far away to be searched."""
        line = self.text.rfind("\n", max(0, place - LONGEST_HEAD), place) + 1
        return line if line or place <= LONGEST_HEAD else None

    def _after_blank(self, place: int) -> bool:
        line = self._line_start(place) or 0
        above = self._line_start(line - 1) if line else 0
        return not line or (above is not None and not self.text[above : line - 1].strip(" \t>\r"))
