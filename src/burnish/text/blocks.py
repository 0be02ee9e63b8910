"""The blocks of a Markdown text: one pass over its lines, linear whatever they hold.

A line scanner, not a parser: it tells prose from code, formulas, tags, addresses and attributes, which is all that
text checks need. CommonMark, GitHub's tables, Kramdown's attributes and Liquid's tags are understood.
"""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

BlockKind = Literal[
    "paragraph", "heading", "item", "table", "footnote", "definition", "code", "html", "liquid", "math", "rule"
]
PROSE: frozenset[BlockKind] = frozenset({"paragraph", "heading", "item", "table", "footnote"})


class Block(NamedTuple):
    """A stretch of lines that belong together."""

    kind: BlockKind
    start: int
    """Of the content, after list marks, quote marks and heading marks."""
    end: int
    """After the last character that is not blank."""
    level: int = 0
    """A heading's level; how far anything else is indented."""
    marker: str = ""
    """The list mark, the fence, the label of a definition."""
    quoted: bool = False
    """Whether it stands in a block quote."""
    closed: bool = True
    """False for code, a tag or a formula whose end never comes."""


def blocks(text: str) -> list[Block]:
    """The blocks of a text, in order."""
    return _Scanner(text).blocks()


LINE = re.compile(r"[^\n]+")
PREFIX = re.compile(r"[ \t]*(?:>[ \t]?)*[ \t]*")
HEADING = re.compile(r"(#{1,6})(?:[ \t]+|$)")
FENCE = re.compile(r"(`{3,})[^`]*$|(~{3,})")
ITEM = re.compile(r"(?:[-*+]|\d{1,9}[.)])(?:[ \t]+|$)")
RULE = re.compile(r"(?:\*[ \t]*){3,}$|(?:-[ \t]*){3,}$|(?:_[ \t]*){3,}$")
UNDERLINE = re.compile(r"(?:=+|-+)[ \t\r]*$")
DEFINITION = re.compile(r"\[(\^?)([^\]\n]{1,999})\]:(?![:\]])")
DELIMITER_ROW = re.compile(r"[ \t|:-]*-[ \t|:-]*$")
LONE_TAGS = re.compile(r"(?:</?[A-Za-z!][^<>]*>[ \t]*)+$")
RAW = re.compile(r"<(pre|script|style|textarea|svg|math)\b|<(!--)|\{%-?[ \t]*(highlight|raw|comment)\b", re.IGNORECASE)
LIQUID_LINE = re.compile(r"\{[%:{]")
ENVIRONMENT = re.compile(r"\\(begin|end)(\{[^{}\n]{1,60}\})")
STOPS_PARAGRAPH = frozenset("#`~-*+0123456789=|[<{$_\\")
"""First characters of lines that may be something else than the next line of a paragraph."""


class _Open(NamedTuple):
    """A stretch that runs on until a line closes it."""

    kind: BlockKind
    start: int
    closing: str
    marker: str
    quoted: bool


class _Scanner:
    """One pass over the lines."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.found: list[Block] = []
        self.opened: _Open | None = None
        self.running = False
        """Whether the last block is a paragraph, item or footnote that the next line may continue."""
        self.list_indent = -1
        """How far the content of the last list item is indented; -1 outside lists."""
        self.after_blank = True
        self.line_end = 0
        """Where the line before this one ends."""
        self.last_ends: dict[str, int] | None = None
        """LaTeX environment -> where it ends for the last time; None before anyone asked."""

    def blocks(self) -> list[Block]:
        for match in LINE.finditer(self.text):
            start, end = match.span()
            if start - self.line_end > 1:
                self._blank()
            if self.opened is not None:
                self._inside(match.group(), end)
            else:
                self._line(match.group(), start)
            self.line_end = end
        if self.opened is not None:
            self._close(len(self.text.rstrip()), closed=False)
        return self.found

    def _blank(self) -> None:
        self.running = False
        self.after_blank = True
        if self.opened is not None and self.opened.kind == "liquid":
            self._close(self.line_end, closed=False)

    def _inside(self, line: str, end: int) -> None:
        """A line of code, of a formula, of a tag over several lines."""
        opened = self.opened
        assert opened is not None
        if opened.closing[0] in "`~":
            bare = line.strip(" \t\r>") if opened.quoted else line.strip()
            ends = bare.startswith(opened.closing) and not bare.strip(opened.closing[0])
        else:
            ends = opened.closing in (line if opened.kind != "html" else line.lower())
        if ends:
            self._close(end, closed=True)

    def _close(self, end: int, *, closed: bool) -> None:
        opened = self.opened
        assert opened is not None
        end = max(end, opened.start)
        self.found.append(Block(opened.kind, opened.start, end, 0, opened.marker, opened.quoted, closed))
        self.opened = None
        self.running = False
        self.after_blank = True

    def _line(self, line: str, start: int) -> None:
        prefix = PREFIX.match(line)
        at = prefix.end() if prefix is not None else 0
        if not line[at:].strip():
            self._blank()
            return
        quoted = ">" in line[:at]
        indent = at if not quoted else 0
        if "\t" in line[:at]:
            indent = len(line[:at].expandtabs(4))
        content = line[at:].rstrip()
        stop = start + at + len(content)
        if self.running and content[0] not in STOPS_PARAGRAPH:
            self._extend(stop)
        elif not self.running and self._is_indented_code(indent):
            self._code_line(start + at, stop)
        else:
            if indent < self.list_indent and self.after_blank:
                self.list_indent = -1
            self._block(content, start + at, stop, indent, quoted)
        self.after_blank = False

    def _is_indented_code(self, indent: int) -> bool:
        if indent < 4:
            return False
        return indent >= (self.list_indent + 4 if self.list_indent >= 0 else 4)

    def _code_line(self, start: int, stop: int) -> None:
        last = self.found[-1] if self.found else None
        if last is not None and last.kind == "code" and last.marker == "":
            self.found[-1] = last._replace(end=stop)
        else:
            self.found.append(Block("code", start, stop))

    def _extend(self, stop: int) -> None:
        self.found[-1] = self.found[-1]._replace(end=stop)

    def _add(self, kind: BlockKind, start: int, stop: int, level: int, marker: str, quoted: bool) -> None:
        self.found.append(Block(kind, start, stop, level, marker, quoted))
        self.running = kind in ("paragraph", "item", "footnote")

    def _block(self, content: str, start: int, stop: int, indent: int, quoted: bool) -> None:
        """A line that begins with a mark, or after a blank line."""
        first = content[0]
        if first in STOPS_PARAGRAPH and self._marked(first, content, start, stop, indent, quoted):
            return
        if self.running:
            self._extend(stop)
        else:
            self._add("paragraph", start, stop, indent, "", quoted)

    def _marked(self, first: str, content: str, start: int, stop: int, indent: int, quoted: bool) -> bool:
        if first == "#":
            return self._heading(content, start, stop, quoted)
        if first in "`~":
            return self._fence(content, start, quoted)
        if first in "=-*_+0123456789":
            return self._rule(content, start, stop) or self._item(content, start, stop, indent, quoted)
        if first == "|":
            return self._row(start, stop, indent, quoted)
        if first == "[":
            return self._definition(content, start, stop, indent, quoted)
        return self._raw(first, content, start, stop, indent, quoted)

    def _heading(self, content: str, start: int, stop: int, quoted: bool) -> bool:
        match = HEADING.match(content)
        if match is None:
            return False
        title = content[match.end() :].rstrip("# \t")
        begins = start + match.end()
        self._add("heading", min(begins, stop), max(begins, begins + len(title)), len(match[1]), "#", quoted)
        self.list_indent = -1
        return True

    def _fence(self, content: str, start: int, quoted: bool) -> bool:
        match = FENCE.match(content)
        if match is None:
            return False
        mark = match[1] or match[2]
        self.opened = _Open("code", start, mark, mark, quoted)
        return True

    def _rule(self, content: str, start: int, stop: int) -> bool:
        last = self.found[-1] if self.found else None
        if self.running and last is not None and UNDERLINE.match(content) and last.kind == "paragraph":
            if len(content) > 1 or content == "=":
                level = 1 if content[0] == "=" else 2
                self.found[-1] = last._replace(kind="heading", level=level, marker=content[0])
                self.running = False
                return True
        elif RULE.match(content):
            self._add("rule", start, stop, 0, content[0], False)
            return True
        elif "|" in content and DELIMITER_ROW.match(content):
            return self._row(start, stop, 0, False)
        return False

    def _item(self, content: str, start: int, stop: int, indent: int, quoted: bool) -> bool:
        match = ITEM.match(content)
        if match is None:
            return False
        marker = match.group().rstrip()
        if self.running and self.found[-1].kind == "paragraph" and content[0].isdigit() and marker not in ("1.", "1)"):
            return False
        self._add("item", start + match.end(), stop, indent, marker, quoted)
        self.list_indent = indent + len(marker) + 1
        rest = content[match.end() :]
        if rest[:1] in ("`", "~") and (fence := FENCE.match(rest)) is not None:
            mark = fence[1] or fence[2]
            self.opened = _Open("code", start + match.end(), mark, mark, quoted)
        return True

    def _row(self, start: int, stop: int, indent: int, quoted: bool) -> bool:
        """A row of a table. A delimiter row makes a table of the line above it, too."""
        last = self.found[-1] if self.found else None
        if last is not None and self.running and last.kind == "paragraph" and self.text[start] != "|":
            self.found[-1] = last._replace(kind="table", end=stop)
            self.running = False
        elif last is not None and last.kind == "table" and not self.after_blank:
            self.found[-1] = last._replace(end=stop)
        else:
            self._add("table", start, stop, indent, "|", quoted)
        return True

    def _definition(self, content: str, start: int, stop: int, indent: int, quoted: bool) -> bool:
        match = DEFINITION.match(content)
        if match is None or (self.running and self.found[-1].kind in ("paragraph", "item")):
            return False
        begins = min(start + match.end(), stop)
        if match[1]:
            space = len(content) - match.end() - len(content[match.end() :].lstrip())
            self._add("footnote", min(begins + space, stop), stop, indent, match[2], quoted)
        else:
            self._add("definition", start, stop, indent, match[2], quoted)
        return True

    def _raw(self, first: str, content: str, start: int, stop: int, indent: int, quoted: bool) -> bool:
        """Tags, Liquid, attributes and displayed formulas."""
        if first == "$":
            return self._formula(content, start, stop, quoted)
        if first == "\\":
            return self._environment(content, start, stop, quoted)
        raw = RAW.match(content) if first in "<{" else None
        if raw is not None:
            return self._verbatim(raw, content, start, stop, quoted)
        if first == "{" and LIQUID_LINE.match(content):
            closing = {"%": "%}", ":": "}", "{": "}}"}[content[1]]
            if closing in content:
                return self._liquid_line(content, closing, start, stop, indent, quoted)
            self.opened = _Open("liquid", start, closing, content[:2], quoted)
            return True
        if first == "<" and LONE_TAGS.match(content):
            self._add("html", start, stop, indent, "<", quoted)
            return True
        return False

    def _liquid_line(self, content: str, closing: str, start: int, stop: int, indent: int, quoted: bool) -> bool:
        """A line that is a tag and nothing else; with words after the tag it is prose."""
        if content[content.index(closing) + len(closing) :].strip(" \t{}%") and closing != "%}":
            return False
        if not content.endswith(closing):
            return False
        if self.running and content.startswith("{:"):
            self.running = False
        self._add("liquid", start, stop, indent, content[:2], quoted)
        return True

    def _verbatim(self, raw: re.Match[str], content: str, start: int, stop: int, quoted: bool) -> bool:
        name = next(group for group in raw.groups() if group)
        closing = "-->" if name == "!--" else f"</{name.lower()}" if raw[1] else f"end{name.lower()}"
        kind: BlockKind = "html" if raw[1] or raw[2] else "code"
        if closing in content[raw.end() :].lower():
            self._add(kind, start, stop, 0, name, quoted)
            return True
        self.opened = _Open(kind, start, closing, name, quoted)
        return True

    def _formula(self, content: str, start: int, stop: int, quoted: bool) -> bool:
        if not content.startswith("$$"):
            return False
        if content.count("$$") == 1:
            if self.text.find("$$", stop) < 0:
                return False
            self.opened = _Open("math", start, "$$", "$$", quoted)
        elif content.endswith("$$"):
            self._add("math", start, stop, 0, "$$", quoted)
        else:
            return False
        return True

    def _environment(self, content: str, start: int, stop: int, quoted: bool) -> bool:
        """A LaTeX environment that begins a line, up to the line that ends it; on a single line it is part of it."""
        opening = ENVIRONMENT.match(content)
        if opening is None or opening[1] != "begin":
            return False
        closing = f"\\end{opening[2]}"
        if closing in content or self._last_end(opening[2]) < stop:
            return False
        self.opened = _Open("math", start, closing, closing, quoted)
        return True

    def _last_end(self, name: str) -> int:
        if self.last_ends is None:
            marks = ENVIRONMENT.finditer(self.text)
            self.last_ends = {mark[2]: mark.start() for mark in marks if mark[1] == "end"}
        return self.last_ends.get(name, -1)
