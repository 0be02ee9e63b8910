"""The structure of a Markdown text as parsed by pyromark: CommonMark, tables, footnotes, formulas, strikethrough.

Blocks and inline marks have exact places in characters. Two things are read in addition: markup that Markdown does not
know (`foreign_markup`), and rows of a table that lacks its delimiter row.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

import pyromark
from pyromark import Options

from burnish.text.foreign_markup import Foreign, foreign_markup, has_foreign, masked

BlockKind = Literal[
    "paragraph",
    "heading",
    "item",
    "table",
    "footnote",
    "definition",
    "code",
    "html",
    "liquid",
    "directive",
    "math",
    "rule",
]
Holder = Literal["", "quote", "item", "footnote"]
LinkForm = Literal["inline", "reference", "collapsed"]
Span = tuple[int, int]


class Block(NamedTuple):
    """A stretch of lines that form one block."""

    kind: BlockKind
    start: int
    """The start of the content, after list marks, quote marks and heading marks."""
    end: int
    """The end, after the last character that is not blank."""
    level: int = 0
    """A heading's level; the indentation of other blocks."""
    marker: str = ""
    """The list mark, the fence, or the label of a definition."""
    quotes: int = 0
    """The number of block quotes around it."""
    closed: bool = True
    """False for code, a tag or a formula that never ends."""
    holder: Holder = ""
    """The innermost block around it."""

    @property
    def quoted(self) -> bool:
        return self.quotes > 0


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


class Emphasis(NamedTuple):
    """Words between two marks of emphasis, including the marks."""

    start: int
    end: int
    width: int
    """Width of each mark: 1 for emphasis, 2 for strong emphasis."""

    @property
    def inside(self) -> Span:
        return self.start + self.width, self.end - self.width


@dataclass(slots=True)
class Structure:
    """The parsed text: blocks in order, and the inline marks in their lines."""

    blocks: list[Block] = field(default_factory=list)
    links: list[Link] = field(default_factory=list)
    emphasis: list[Emphasis] = field(default_factory=list)
    code: list[Span] = field(default_factory=list)
    """Inline code, with its backticks."""
    formulas: list[Span] = field(default_factory=list)
    tags: list[Span] = field(default_factory=list)
    autolinks: list[Span] = field(default_factory=list)
    loose: list[Span] = field(default_factory=list)
    """Literal runs of `*` and `_`, which open or close nothing."""


OPTIONS = (
    Options.ENABLE_TABLES
    | Options.ENABLE_FOOTNOTES
    | Options.ENABLE_MATH
    | Options.ENABLE_STRIKETHROUGH
    | Options.ENABLE_TASKLISTS
)
ITEM = re.compile(r"[-+*]|\d{1,9}[.)]")
FENCE = re.compile(r"`{3,}|~{3,}")
UNCLOSED_HTML: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"<(script|pre|style|textarea)(?=[\s>]|$)", re.IGNORECASE), ""),
    (re.compile("<!--"), "-->"),
    (re.compile(r"<\?"), "?>"),
    (re.compile(r"<!\[CDATA\["), "]]>"),
    (re.compile("<![A-Za-z]"), ">"),
)
"""HTML that ends with its own mark instead of a blank line: opening and closing; "" for the tag's own end."""
RUN = re.compile(r"\*+|_+")
LINE = re.compile(r"[^\r\n]+")
RARE_BLANK = re.compile(r"[^\S \t\r\n]")
BLANK_LINE = re.compile(r"(?<![^\r\n])[^\S\r\n]+(?![^\r\n])")
HEAD = re.compile(r"(?:[ \t]*(?:>|(?:[-+*]|\d{1,9}[.)])(?=[ \t])))*[ \t]*")
DEFINITION = re.compile(r"\[(?!\^)((?:[^\[\]\\]|\\.){1,999})\]:(?![:\]])")
LONGEST_FORMULA = 400
"""The most characters of an inline formula, because two prices on distant lines are not one."""
MOST_READINGS = 4
"""The most readings of a text: foreign markup may hide apparent code, and the other way round."""


def _refers(link: Any) -> tuple[str, str] | None:
    """Count references as links even if this text does not define them: another text may."""
    return ("", "") if link["link_type"] in ("Reference", "Collapsed") else None


_READER = pyromark.Markdown(options=OPTIONS, broken_link_callback=_refers)


def read_structure(text: str) -> Structure:
    """Return the structure of a text. Linear in the length of any text."""
    source = _plain_blanks(text if text.isascii() else text.encode("utf-8", "replace").decode())
    found = _Walk(source, source, ()).structure()
    if not has_foreign(source):
        return found
    known: list[Foreign] = []
    for _ in range(MOST_READINGS):
        masks = {stretch.start for stretch in known}
        # Blocks of code and HTML, in which foreign markup is only shown.
        unread = [(b.start, b.end) for b in found.blocks if b.kind in ("code", "html") and b.start not in masks]
        stretches = foreign_markup(source, found.code, unread)
        if stretches == known:
            break
        known = stretches
        found = _Walk(source, masked(source, known), known).structure()
    return found


def _plain_blanks(text: str) -> str:
    """Return the text with plain blanks in lines that look blank, because all our readers treat them as blank."""
    if RARE_BLANK.search(text) is None:
        return text
    return BLANK_LINE.sub(lambda line: " " * len(line.group()), text)


def _places(source: str, events: list[tuple[Any, Any]]) -> dict[int, int] | None:
    """Map the byte of every place in the events to its character; None if they are the same."""
    if source.isascii():
        return None
    data = source.encode()
    places: dict[int, int] = {}
    at = count = 0
    for place in sorted({place for _, span in events for place in span.values()}):
        count += len(data[at:place].decode())
        places[place] = count
        at = place
    return places


@dataclass(slots=True)
class _Container:
    kind: Holder
    start: int
    marker: str = ""
    level: int = 0
    fresh: bool = True
    """Whether it is still empty."""


@dataclass(slots=True)
class _Leaf:
    """The block that is being read."""

    kind: BlockKind
    start: int
    end: int
    level: int = 0
    marker: str = ""
    implicit: bool = False
    """Words of a tight list item, which have no paragraph."""
    first: int = -1
    last: int = -1
    """The start and end of the inline content."""
    formulas: int = 0
    """The number of displayed formulas; -1 if there is anything else."""


@dataclass(slots=True)
class _OpenLink:
    start: int
    end: int
    form: LinkForm
    image: bool
    last: int


class _Walk:
    """Walks through the events of a text. `masked` is the text that was parsed, `source` the original."""

    def __init__(self, source: str, masked: str, masks: list[Foreign] | tuple[()]) -> None:
        self.source, self.masked = source, masked
        self.masks = {mask.start: mask for mask in masks}
        self.flat = source.replace("\r", "\n")
        """The source with plain line ends, for finding starts of lines."""
        self.found = Structure()
        self.containers: list[_Container] = []
        self.quotes = 0
        self.leaf: _Leaf | None = None
        self.links: list[_OpenLink] = []

    def structure(self) -> Structure:
        events: list[tuple[Any, Any]] = list(_READER.events_with_range(self.masked))
        places = _places(self.masked, events)
        for event, span in events:
            start, end = span["start"], span["end"]
            if places is not None:
                start, end = places[start], places[end]
            if isinstance(event, str):
                self._inline(event, "", start, end)
                continue
            [(name, value)] = event.items()
            if name == "Start":
                tag, detail = (value, None) if isinstance(value, str) else next(iter(value.items()))
                if tag in _LEAVES:
                    self._settle()
                    paragraph = tag == "Paragraph"
                    self.leaf = self._paragraph(start, end) if paragraph else self._leaf(tag, detail, start, end)
                else:
                    self._open(tag, detail, start, end)
            elif name == "End":
                tag = value if isinstance(value, str) else next(iter(value))
                if tag in _LEAVES:
                    self._settle()
                else:
                    self._close(tag)
            else:
                self._inline(name, value, start, end)
        self._settle()
        for mask in self.masks.values():
            if not mask.alone:
                (self.found.formulas if mask.kind == "formula" else self.found.tags).append((mask.start, mask.end))
        self.found.tags.sort()
        self.found.blocks = list(self._with_definitions())
        self.found.links.sort()
        return self.found

    # -- blocks

    def _open(self, tag: str, detail: Any, start: int, end: int) -> None:
        if tag in _INLINE_TAGS:
            self._open_inline(tag, detail, start, end)
        elif tag == "BlockQuote":
            self._settle()
            self._used()
            self.containers.append(_Container("quote", start))
            self.quotes += 1
        elif tag == "Item":
            self._settle()
            marker = ITEM.match(self.source, start)
            self.containers.append(
                _Container("item", start, marker.group() if marker is not None else "-", self._indent(start))
            )
        elif tag == "FootnoteDefinition":
            self._settle()
            self._used()
            self.containers.append(_Container("footnote", start, str(detail)))
        elif tag == "List":
            self._settle()
            self._used()

    def _leaf(self, tag: str, detail: Any, start: int, end: int) -> _Leaf:
        self._used()
        if tag == "Heading":
            marker = self.source[start : start + 1]
            underlined = self._trimmed(start, end)
            marker = "#" if marker == "#" else self.source[underlined - 1 : underlined]
            return _Leaf("heading", start, end, int(detail["level"][1]), marker)
        if tag == "CodeBlock":
            fence = FENCE.match(self.source, start) if detail != "Indented" else None
            return _Leaf("code", start, end, marker=fence.group() if fence is not None else "")
        if tag == "HtmlBlock":
            return _Leaf("html", start, end, self._indent(start), "<")
        return _Leaf("table", start, end, self._indent(start), "|")

    def _paragraph(self, start: int, end: int, *, implicit: bool = False) -> _Leaf:
        """Start a paragraph. The first one in a list item or footnote gets its mark."""
        holder = self.containers[-1] if self.containers else None
        if holder is not None and holder.fresh and holder.kind in ("item", "footnote"):
            holder.fresh = False
            kind: BlockKind = "item" if holder.kind == "item" else "footnote"
            return _Leaf(kind, start, end, holder.level, holder.marker, implicit)
        self._used()
        return _Leaf("paragraph", start, end, self._indent(start), "", implicit)

    def _used(self) -> None:
        """Note that the container begins with something other than words, so its mark is alone."""
        holder = self.containers[-1] if self.containers else None
        if holder is None or not holder.fresh:
            return
        holder.fresh = False
        if holder.kind == "item":
            self._mark_alone(holder)

    def _mark_alone(self, holder: _Container) -> None:
        behind = holder.start + len(holder.marker)
        behind += self.source[behind : behind + 1] in (" ", "\t")
        self._add(_Leaf("item", behind, behind, holder.level, holder.marker), behind, behind)

    def _close(self, tag: str) -> None:
        if tag in ("Link", "Image"):
            link = self.links.pop()
            if self.links:
                self.links[-1].last = max(self.links[-1].last, link.end)
            if link.form not in ("inline", "reference", "collapsed"):
                return
            closing = self.masked.find("]", link.last, link.end)
            if closing >= 0:
                begins = link.start + 1 + link.image
                self.found.links.append(
                    Link(link.start, begins, closing, closing + 2, link.end - 1, link.end, link.form, link.image)
                )
        elif tag in ("BlockQuote", "Item", "FootnoteDefinition"):
            self._settle()
            if self.containers[-1].fresh and self.containers[-1].kind == "item":
                self._mark_alone(self.containers[-1])
            self.quotes -= self.containers.pop().kind == "quote"
        elif tag == "List":
            self._settle()

    def _settle(self) -> None:
        """Finish the current block."""
        leaf, self.leaf = self.leaf, None
        if leaf is None:
            return
        if leaf.kind == "heading":
            self._settle_heading(leaf)
        elif leaf.kind == "html" and (mask := self.masks.get(leaf.start)) is not None:
            kinds: dict[str, BlockKind] = {"verbatim": "code", "directive": "directive", "formula": "math"}
            leaf.kind, leaf.marker = kinds.get(mask.kind, "liquid"), mask.marker
            self._add(leaf, leaf.start, self._trimmed(leaf.start, leaf.end), closed=mask.closed)
        elif leaf.kind in ("code", "html", "table"):
            self._add(leaf, leaf.start, self._trimmed(leaf.start, leaf.end))
        else:
            start, end = leaf.start, self._trimmed(leaf.start, leaf.last if leaf.implicit else leaf.end)
            if end <= start and leaf.kind == "paragraph":
                return  # characters that are blank, but not to Markdown
            mask = self.masks.get(start)
            if mask is not None and not mask.closed:
                leaf.kind, leaf.marker = "liquid", mask.marker
                self._add(leaf, start, end, closed=False)
                return
            if leaf.kind == "paragraph" and leaf.formulas > 0:
                leaf.kind, leaf.marker = "math", "$$"
            elif leaf.kind == "paragraph" and self._is_all_rows(start, end):
                leaf.kind, leaf.marker = "table", "|"
            self._add(leaf, start, end)

    def _settle_heading(self, leaf: _Leaf) -> None:
        if leaf.first < 0:
            behind = leaf.start
            while self.source[behind : behind + 1] == "#" and behind < leaf.end:
                behind += 1
            behind += self.source[behind : behind + 1] in (" ", "\t")
            self._add(leaf, behind, behind)
        else:
            self._add(leaf, leaf.first, self._trimmed(leaf.first, leaf.last))

    def _add(self, leaf: _Leaf, start: int, end: int, *, closed: bool | None = None) -> None:
        if closed is None:
            closed = leaf.kind not in ("code", "html") or self._is_closed(leaf, end)
        holder: Holder = self.containers[-1].kind if self.containers else ""
        level = leaf.level if leaf.kind == "heading" or not self.quotes else 0
        self.found.blocks.append(Block(leaf.kind, start, end, level, leaf.marker, self.quotes, closed, holder))

    def _is_closed(self, leaf: _Leaf, end: int) -> bool:
        if leaf.kind == "code":
            last = self.flat.rfind("\n", leaf.start, end)
            line = self.source[last + 1 : end].strip(" \t>") if last >= 0 else ""
            return not leaf.marker or (line.startswith(leaf.marker) and not line.strip(leaf.marker[0]))
        for opening, closing in UNCLOSED_HTML:
            if (match := opening.match(self.source, leaf.start, end)) is not None:
                ending = closing or f"</{match[1].lower()}>"
                return ending in self.source[match.end() : end].lower()
        return True

    def _is_all_rows(self, start: int, end: int) -> bool:
        if self.source[start : start + 1] != "|":
            return False
        lines = LINE.findall(self.source, start, end)
        return all(line.lstrip(" \t>").startswith("|") for line in lines)

    def _trimmed(self, start: int, end: int) -> int:
        while end > start and self.source[end - 1].isspace():
            end -= 1
        return end

    def _indent(self, start: int) -> int:
        """Return the columns before a place on its line; marks of items count like blanks."""
        line = self.flat.rfind("\n", 0, start) + 1
        head = self.source[line:start]
        return len(head.expandtabs(4)) if "\t" in head else len(head)

    # -- inline content

    def _inline(self, name: str, value: Any, start: int, end: int) -> None:
        if name == "Rule":
            self._settle()
            self._used()
            self._add(_Leaf("rule", start, end, 0, self.source[start]), start, self._trimmed(start, end))
            return
        if name == "TaskListMarker" or (name == "Html" and self.leaf is not None):
            return
        leaf = self._touched(start, end)
        if leaf.kind == "code":
            return
        if name == "Text":
            if self.source[start:end].strip():
                leaf.formulas = -1
            self._marks(start, end)
        elif name == "DisplayMath" or name == "InlineMath":
            leaf.formulas = leaf.formulas + 1 if name == "DisplayMath" and leaf.formulas >= 0 else -1
            if name == "DisplayMath" or ("\n" not in value and end - start <= LONGEST_FORMULA):
                self.found.formulas.append((start, end))
        elif name not in ("SoftBreak", "HardBreak"):
            leaf.formulas = -1
            if name == "Code":
                self.found.code.append((start, end))
            elif name == "InlineHtml":
                self.found.tags.append((start, end))

    def _touched(self, start: int, end: int) -> _Leaf:
        """Extend the current block to this range; words of a tight item begin one."""
        leaf = self.leaf
        if leaf is None:
            leaf = self.leaf = self._paragraph(start, end, implicit=True)
        leaf.first = start if leaf.first < 0 else leaf.first
        leaf.last = max(leaf.last, end)
        if self.links:
            self.links[-1].last = max(self.links[-1].last, end)
        return leaf

    def _open_inline(self, tag: str, detail: Any, start: int, end: int) -> None:
        form: Any = detail["link_type"].removesuffix("Unknown").lower() if tag in ("Link", "Image") else ""
        if form == "collapsed" and self.source.startswith("[]", end):
            end += 2  # not included in the range
        leaf = self._touched(start, end)
        if form in ("autolink", "email"):
            self.found.autolinks.append((start, end))
        if form:
            leaf.formulas = -1
            self.links.append(_OpenLink(start, end, form, tag == "Image", start + (2 if tag == "Image" else 1)))
        elif tag in ("Emphasis", "Strong"):
            leaf.formulas = -1
            self.found.emphasis.append(Emphasis(start, end, 1 if tag == "Emphasis" else 2))

    def _marks(self, start: int, end: int) -> None:
        """Record literal runs of marks."""
        text = self.masked
        if "*" not in text[start:end] and "_" not in text[start:end]:
            return
        for run in RUN.finditer(text, start, end):
            begins, stops = run.span()
            if begins == start and begins and text[begins - 1] == "\\":
                begins += 1  # escaped
            last = self.found.loose[-1] if self.found.loose else None
            if begins < stops and last is not None and last[1] == begins and text[begins] == text[begins - 1]:
                self.found.loose[-1] = (last[0], stops)
            elif begins < stops:
                self.found.loose.append((begins, stops))

    # -- definitions of links, which have no events

    def _with_definitions(self) -> Iterator[Block]:
        """Yield the blocks in order, with the definitions of links between them."""
        at = 0
        for block in self.found.blocks:
            if block.start >= at:
                line = self.flat.rfind("\n", at, block.start) + 1
                yield from self._definitions(at, max(line, at))
            yield block
            at = max(at, block.end)
        yield from self._definitions(at, len(self.source))

    def _definitions(self, start: int, end: int) -> Iterator[Block]:
        if self.source.find("]:", start, end) < 0:
            return
        found: Block | None = None
        for line in LINE.finditer(self.source, start, end):
            head = HEAD.match(line.group())
            begins = line.start() + (head.end() if head is not None else 0)
            stops = self._trimmed(begins, line.end())
            match = DEFINITION.match(self.source, begins, stops)
            if match is not None:
                if found is not None:
                    yield found
                quotes = line.group()[: begins - line.start()].count(">")
                found = Block("definition", begins, stops, 0, match[1], quotes)
            elif found is not None and stops > begins and not ITEM.fullmatch(self.source, begins, stops):
                found = found._replace(end=stops)
        if found is not None:
            yield found


_LEAVES = frozenset({"Paragraph", "Heading", "CodeBlock", "HtmlBlock", "Table"})
"""Blocks that hold words and no other blocks."""
_INLINE_TAGS = frozenset({"Emphasis", "Strong", "Strikethrough", "Link", "Image", "Superscript", "Subscript"})
