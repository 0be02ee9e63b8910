"""The structure of a Markdown text as pyromark reads it: CommonMark with tables, footnotes, formulas and strikethrough.

Blocks and inline marks come with their exact places, in characters. Two things are read beyond that: markup that
Markdown does not know (`foreign_markup`), and rows of a table without the row that makes one of them.
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
    quotes: int = 0
    """How many block quotes it stands in."""
    closed: bool = True
    """False for code, a tag or a formula whose end never comes."""
    holder: Holder = ""
    """What it stands in, the innermost."""

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
    """Words between two marks of emphasis, with the marks."""

    start: int
    end: int
    width: int
    """Of each mark: 1 for emphasis, 2 for strong emphasis."""

    @property
    def inside(self) -> Span:
        return self.start + self.width, self.end - self.width


@dataclass(slots=True)
class Structure:
    """What was read: blocks in order, and what stands inside their lines."""

    blocks: list[Block] = field(default_factory=list)
    links: list[Link] = field(default_factory=list)
    emphasis: list[Emphasis] = field(default_factory=list)
    code: list[Span] = field(default_factory=list)
    """Code inside lines, with its backticks."""
    formulas: list[Span] = field(default_factory=list)
    tags: list[Span] = field(default_factory=list)
    autolinks: list[Span] = field(default_factory=list)
    loose: list[Span] = field(default_factory=list)
    """Runs of `*` and `_` that stand for themselves: they opened or closed nothing."""


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
"""How HTML opens that ends with a mark of its own instead of a blank line; the closing tag of a name where empty."""
RUN = re.compile(r"\*+|_+")
LINE = re.compile(r"[^\r\n]+")
RARE_BLANK = re.compile(r"[^\S \t\r\n]")
BLANK_LINE = re.compile(r"(?<![^\r\n])[^\S\r\n]+(?![^\r\n])")
HEAD = re.compile(r"(?:[ \t]*(?:>|(?:[-+*]|\d{1,9}[.)])(?=[ \t])))*[ \t]*")
DEFINITION = re.compile(r"\[(?!\^)((?:[^\[\]\\]|\\.){1,999})\]:(?![:\]])")
LONGEST_FORMULA = 400
"""Characters of a formula inside a line; two prices on distant lines make none."""
MOST_READINGS = 4
"""Other markup may hide what looked like code, and the other way round: so often a text is read again."""


def _refers(link: Any) -> tuple[str, str] | None:
    """References count as links whether or not this text defines them: the definition may stand in another one."""
    return ("", "") if link["link_type"] in ("Reference", "Collapsed") else None


_READER = pyromark.Markdown(options=OPTIONS, broken_link_callback=_refers)


def read_structure(text: str) -> Structure:
    """The structure of a text. Linear in its length, whatever it holds."""
    source = _plain_blanks(text if text.isascii() else text.encode("utf-8", "replace").decode())
    found = _Walk(source, source, ()).structure()
    if not has_foreign(source):
        return found
    known: list[Foreign] = []
    for _ in range(MOST_READINGS):
        masks = {stretch.start for stretch in known}
        # Blocks of code and HTML, in which other markup is only shown.
        unread = [(b.start, b.end) for b in found.blocks if b.kind in ("code", "html") and b.start not in masks]
        stretches = foreign_markup(source, found.code, unread)
        if stretches == known:
            break
        known = stretches
        found = _Walk(source, masked(source, known), known).structure()
    return found


def _plain_blanks(text: str) -> str:
    """The text with lines that only look blank made of plain blanks: every reader of ours takes them for blank."""
    if RARE_BLANK.search(text) is None:
        return text
    return BLANK_LINE.sub(lambda line: " " * len(line.group()), text)


def _places(source: str, events: list[tuple[Any, Any]]) -> dict[int, int] | None:
    """Byte -> character for every place of the events; None where they are the same."""
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
    """Whether nothing was met in it yet."""


@dataclass(slots=True)
class _Leaf:
    """The block whose lines are being read."""

    kind: BlockKind
    start: int
    end: int
    level: int = 0
    marker: str = ""
    implicit: bool = False
    """Words of a tight list item, which make no paragraph."""
    first: int = -1
    last: int = -1
    """Where what stands inside its lines begins and ends."""
    formulas: int = 0
    """Displayed formulas in it; -1 once there is anything else."""


@dataclass(slots=True)
class _OpenLink:
    start: int
    end: int
    form: LinkForm
    image: bool
    last: int


class _Walk:
    """One walk through the events of a text. `masked` is what was read, `source` what it stands for."""

    def __init__(self, source: str, masked: str, masks: list[Foreign] | tuple[()]) -> None:
        self.source, self.masked = source, masked
        self.masks = {mask.start: mask for mask in masks}
        self.flat = source.replace("\r", "\n")
        """For finding the beginnings of lines."""
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
        """A paragraph; the first one of an item or a note carries its mark."""
        holder = self.containers[-1] if self.containers else None
        if holder is not None and holder.fresh and holder.kind in ("item", "footnote"):
            holder.fresh = False
            kind: BlockKind = "item" if holder.kind == "item" else "footnote"
            return _Leaf(kind, start, end, holder.level, holder.marker, implicit)
        self._used()
        return _Leaf("paragraph", start, end, self._indent(start), "", implicit)

    def _used(self) -> None:
        """Something else than words begins the container: its mark stands alone."""
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
        """The block in hand is complete."""
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
                return  # signs that are blank, though Markdown does not know them
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
                wanted = closing or f"</{match[1].lower()}>"
                return wanted in self.source[match.end() : end].lower()
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
        """Columns before a place on its line; marks of items count as blanks do."""
        line = self.flat.rfind("\n", 0, start) + 1
        head = self.source[line:start]
        return len(head.expandtabs(4)) if "\t" in head else len(head)

    # -- what stands inside lines

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
        """The block in hand, which reaches at least from here to there; words of a tight item open it."""
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
            end += 2  # which the range leaves out
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
        """Runs of marks that stand for themselves."""
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

    # -- definitions of links, which are no events

    def _with_definitions(self) -> Iterator[Block]:
        """The blocks in order, with definitions of links from the lines between them."""
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
