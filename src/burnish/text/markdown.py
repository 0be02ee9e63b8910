"""The view of a Markdown text that all checks share: its blocks, and its prose with the positions of the original.

`prose` is as long as the text: everything else is blanked, so positions in it are positions in the text. Spans in
quotation marks, brackets, emphasis or links are titles, examples and quotations (`enclosed`). Linear in the length of
any text.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache

from burnish.languages.words import Slip
from burnish.text.structure import Block, BlockKind, Emphasis, Link, Span, Structure, read_structure

PROSE: frozenset[BlockKind] = frozenset({"paragraph", "heading", "item", "table", "footnote"})
STANDS_FOR = "\ufffc"
"""Replaces code, formulas and addresses: something readable that is not prose."""
LARGEST_KEPT = 64_000_000
"""The most characters of all cached views: every check of a batch of units uses the same ones."""

TAG = re.compile(r"<[A-Za-z/!][^<>]*>")
LONE_TAGS = re.compile(r"[ \t]*(?:</?[A-Za-z!?][^<>]*>[ \t]*)+\Z")
VERBATIM = re.compile(r"<(code|pre|kbd|samp|var|tt|script|style|textarea|svg|math)\b", re.IGNORECASE)
"""Tags whose content is shown verbatim, or not shown at all."""
UNREAD = re.compile(r"<(?:pre|script|style|textarea|svg|math)\b|<[!?]", re.IGNORECASE)
"""HTML without prose."""
ADDRESS = re.compile(r"\b(?:https?|s?ftp|file)://[^\s<>\])\"'`\ufffc]+")
LINE = re.compile(r"[^\n]+")
INDENT = re.compile(r"^[ \t]+", re.MULTILINE)


@dataclass(frozen=True, eq=False)
class Markdown:
    """The view of one text, made once for all checks."""

    text: str
    blocks: tuple[Block, ...]
    prose: str
    """The text with everything but prose blanked; as long as the text."""
    structure: Structure

    @property
    def links(self) -> list[Link]:
        """Links and images, in order."""
        return self.structure.links

    @property
    def emphasis(self) -> list[Emphasis]:
        """Words between marks of emphasis, in order."""
        return self.structure.emphasis

    @property
    def loose_marks(self) -> list[Span]:
        """Runs of `*` and `_` that are not emphasis, in order."""
        return self.structure.loose

    @cached_property
    def prose_blocks(self) -> tuple[Block, ...]:
        """The blocks with prose: no code, no tags."""
        return tuple(block for block in self.blocks if block.kind in PROSE)

    def prose_of(self, block: Block) -> str:
        return self.prose[block.start : block.end]


_views: dict[str, Markdown] = {}
_characters = 0
"""Cached views, and about how many characters they hold."""


def markdown(text: str, *, is_kept: bool = True) -> Markdown:
    """Return the view of a text. `is_kept`: cache it for further checks until the cache is full."""
    global _characters
    view = _views.get(text)
    if view is not None:
        return view
    found = read_structure(text)
    blocks = tuple(part for block in found.blocks for part in _read_parts(text, block))
    spans = [(block.start, block.end) for block in blocks if block.kind in PROSE and block.end > block.start]
    prose = _prose(text, spans, _blanks(text, found, blocks))
    # Inside tags of code, formulas and addresses nothing is emphasis.
    found.emphasis = [words for words in found.emphasis if prose[words.start] == text[words.start]]
    found.loose = [(start, end) for start, end in found.loose if prose[start] == text[start]]
    view = Markdown(text, blocks, prose, found)
    if is_kept:
        if _characters + len(text) > LARGEST_KEPT:
            forget_views()
        _views[text] = view
        _characters += len(text) + 200
    return view


def forget_views() -> None:
    """Clear the cache of views."""
    global _characters
    _views.clear()
    _characters = 0


def inline_markdown(text: str) -> Markdown:
    """Return the view of a text without Markdown blocks: marks at the start of lines are plain text."""
    found = read_structure(INDENT.sub(lambda blanks: "x" * len(blanks.group()), text))
    blocks = tuple(part for block in found.blocks for part in _read_parts(text, block))
    code = [(block.start, block.end, STANDS_FOR) for block in blocks if block.kind in ("code", "math")]
    tags = [(block.start, block.end, " ") for block in blocks if block.kind in ("html", "liquid", "directive")]
    blanks = sorted([*_blanks(text, found, blocks), *code, *tags], key=_longest_first)
    return Markdown(text, blocks, _prose(text, [(0, len(text))], blanks), found)


def _read_parts(text: str, block: Block) -> Iterator[Block]:
    """Split a block of HTML into lines of tags and lines of words, because its words are prose, too."""
    if block.kind != "html" or UNREAD.match(text, block.start):
        yield block
        return
    part: Block | None = None
    for line in LINE.finditer(text, block.start, block.end):
        kind: BlockKind = "html" if LONE_TAGS.match(line.group()) else "paragraph"
        if not line.group().strip():
            continue
        end = line.start() + len(line.group().rstrip())
        start = end - len(line.group().strip())
        if part is not None and part.kind == kind:
            part = part._replace(end=end)
            continue
        if part is not None:
            yield part
        part = block._replace(kind=kind, start=start, end=end, marker="<")
    if part is not None:
        yield part


Blank = tuple[int, int, str]
"""A stretch to blank, and the character that replaces each of its characters."""


def _blanks(text: str, found: Structure, blocks: tuple[Block, ...]) -> list[Blank]:
    """Return the stretches to blank inside lines, in order."""
    blanks = [(start, end, STANDS_FOR) for span in (found.code, found.formulas, found.autolinks) for start, end in span]
    blanks += _tags(text, found.tags)
    for link in found.links:
        blanks.append((link.start, link.end, STANDS_FOR) if link.image else (link.text_end + 1, link.end, " "))
    for block in blocks:
        if block.quotes:  # the marks at the beginning of its second and later lines
            marks = re.compile(rf"\n(?:[ \t]*>){{1,{block.quotes}}}[ \t]*")
            blanks += ((m.start() + 1, m.end(), " ") for m in marks.finditer(text, block.start, block.end))
        if block.kind == "paragraph" and block.marker == "<":
            blanks += _tags(text, [tag.span() for tag in TAG.finditer(text, block.start, block.end)])
    if "://" in text:
        blanks += ((address.start(), address.end(), STANDS_FOR) for address in ADDRESS.finditer(text))
    return sorted(blanks, key=_longest_first)


def _longest_first(blank: Blank) -> tuple[int, int]:
    return blank[0], -blank[1]


def _tags(text: str, tags: list[Span]) -> Iterator[Blank]:
    """Yield tags, and code between tags."""
    opened: tuple[str, int] | None = None
    for start, end in tags:
        yield start, end, " "
        verbatim = VERBATIM.match(text, start, end)
        if opened is None and verbatim is not None:
            opened = verbatim[1].lower(), start
        elif opened is not None and text[start:end].lower().rstrip("> \t\n") == f"</{opened[0]}":
            yield opened[1], end, STANDS_FOR
            opened = None


def _prose(text: str, spans: list[Span], blanks: list[Blank]) -> str:
    """Return the text with everything outside the spans, and the blanks inside them, replaced."""
    pieces: list[str] = []
    at = number = 0
    for start, end in spans:
        if start > at:
            pieces.append("\n" * (start - at))
            at = start
        while number < len(blanks) and blanks[number][0] < end:
            begins, stops, filler = blanks[number]
            begins, stops = max(begins, at), min(stops, end)
            if begins < stops:
                pieces += text[at:begins], filler * (stops - begins)
                at = stops
            if blanks[number][1] > end:
                break
            number += 1
        pieces.append(text[at:end])
        at = max(at, end)
    pieces.append("\n" * (len(text) - at))
    return "".join(pieces)


OPENING = dict(zip("“«„‹(（「『《〈[", "”»“›)）」』》〉]", strict=True))
CLOSINGS = {"„": "“”‟", "“": "”", "«": "»"}
"""„so“ in German, „so” in Polish."""
MARK = re.compile(r'["“”«»„‹›()（）「」『』《》〈〉\[\]\n]')
LONGEST = 400
"""The most characters between two paired marks; longer ones were never closed."""


@lru_cache(maxsize=256)
def enclosed(view: Markdown) -> tuple[tuple[int, int], ...]:
    """Return the spans between paired marks, without the marks, in order and without nesting."""
    spans = [*_between_marks(view.text), *emphasised(view)]
    spans += [(link.text_start, link.text_end) for link in view.links]
    merged: list[tuple[int, int]] = []
    for start, end in sorted(spans, key=lambda span: (span[0], -span[1])):
        # The outermost counts: a word in brackets inside a quotation is part of the quotation.
        if not merged or start >= merged[-1][1]:
            merged.append((start, end))
    return tuple(merged)


def span_around(view: Markdown, place: int) -> tuple[int, int] | None:
    """Return the enclosed span around a place."""
    spans = enclosed(view)
    at = bisect_right(spans, (place, len(view.text) + 1)) - 1
    return spans[at] if at >= 0 and place < spans[at][1] else None


def _between_marks(text: str) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    opened: tuple[int, str] | None = None
    for match in MARK.finditer(text):
        place, mark = match.start(), match.group()
        if opened is not None and place - opened[0] > LONGEST:
            opened = None
        if opened is not None and mark in opened[1]:
            found.append((opened[0] + 1, place))
            opened = None
        elif opened is None and mark == '"':
            opened = place, '"'
        elif opened is None and mark in OPENING:
            opened = place, CLOSINGS.get(mark, OPENING[mark])
    return found


def emphasised(view: Markdown) -> list[tuple[int, int]]:
    """Return the spans of emphasised words."""
    return [words.inside for words in view.emphasis if words.end - words.start <= LONGEST]


TARGET = r"(?:https?://|mailto:|www\.|/[\w-]+/)"
SPACED = re.compile(rf"(?<!\])\[(?P<text>[^\[\]\n]{{1,200}})\][ \t]+\((?P<target>{TARGET}[^\s()]+)\)")
REVERSED = re.compile(r"\((?P<text>[^()\[\]\n]{1,200})\)\[(?P<target>https?://[^\s\[\]]+)\]")
UNCLOSED = re.compile(rf"(?<!\\)\[(?P<text>[^\[\]\n]{{1,200}})\]\((?P<target>{TARGET}[^\s()<>\"]+)(?=\s|$)")
MALFORMED = re.compile(
    r"^(?:https?:/?[^/]|https?//|htt?ps?:?\\\\|hhttps?:|htps?:|http:///|https?://https?:)", re.IGNORECASE
)
PLACEHOLDER = re.compile(
    r"^(?:url|link|todo|tbd|insert[\w -]*|your[\w -]*|placeholder|enlace|lien|ссылка)$", re.IGNORECASE
)
USED = re.compile(r"\[\^([^\]\s]{1,60})\](?!:)")
NAMED_ANCHOR = re.compile(r"""\b(?:id|name)\s*=\s*["']?([\w:.-]{1,120})|\{:?[^{}\n]*#([\w:.-]{1,120})[^{}\n]*\}""")
LIKE_A_LABEL = re.compile(r"[^\W\d_]{2}")


def normal_label(label: str) -> str:
    """Normalise a label: they are compared without case and with single blanks."""
    return " ".join(label.lower().split())


def labels(view: Markdown) -> set[str]:
    """Return the labels that the text defines: those of links, and those of footnotes with a leading `^`."""
    found = {normal_label(block.marker) for block in view.blocks if block.kind == "definition"}
    return found | {f"^{normal_label(block.marker)}" for block in view.blocks if block.kind == "footnote"}


def anchor_key(name: str) -> str:
    """Reduce an anchor to letters and digits without accents, because sites derive anchors in different ways."""
    plain = unicodedata.normalize("NFKD", name.lower())
    return "".join(sign for sign in plain if sign.isalnum())


def named_anchors(text: str) -> list[str]:
    """Return the anchors that tags and attributes of a text define."""
    return [name for names in NAMED_ANCHOR.findall(text) for name in names if name]


def undefined(view: Markdown, defined: Collection[str]) -> Iterator[tuple[int, int, str]]:
    """Yield uses of undefined labels: where, and the label."""
    for link in view.links:
        if link.form == "inline":
            continue
        text = view.text[link.text_start : link.text_end]
        label = text if link.form == "collapsed" else view.text[link.target_start : link.target_end]
        before = view.text[link.start - 1] if link.start else " "
        # "a[0][1]" is an element of an array.
        is_array = before.isalnum() or not LIKE_A_LABEL.search(label + text)
        if normal_label(label) not in defined and not is_array and not label.startswith("^"):
            yield link.start, link.end, label
    for block in view.prose_blocks if "[^" in view.text else ():
        for use in USED.finditer(view.prose, block.start, block.end):
            if f"^{normal_label(use[1])}" not in defined:
                yield use.start(), use.end(), f"^{use[1]}"


def broken_links(view: Markdown, defined: Collection[str]) -> Iterator[Slip]:
    """Yield links with wrong marks, which can be repaired, and links without a target."""
    if "](" in view.text or "] (" in view.text or ")[" in view.text or "]\t(" in view.text:
        whole = {link.start for link in view.links}
        for block in view.prose_blocks:
            yield from _miswritten(view, block, whole)
    for link in view.links:
        if link.form == "inline":
            yield from _target(view, link)
    for start, end, label in undefined(view, defined):
        yield Slip(
            start, end, f"Nothing defines {label!r}.", "Define it, or take the reference away.", severity="warning"
        )


def _miswritten(view: Markdown, block: Block, whole: set[int]) -> Iterator[Slip]:
    text = view.text
    for pattern, message, suggestion in (
        (SPACED, "A blank stands between the words and the target, so that this is no link.", "Remove the space."),
        (REVERSED, "The brackets are the wrong way round, so that this is no link.", "Write [words](target)."),
        (UNCLOSED, "The target of this link is never closed.", "Close it with ')'."),
    ):
        for match in pattern.finditer(text, block.start, block.end):
            # Code and formulas are blanked in the prose; links inside them are examples.
            shown = view.prose[match.start()] != text[match.start()]
            if shown or match.start() in whole or (pattern is UNCLOSED and match.end() == block.end):
                continue
            repaired, rest = f"[{match['text']}]({match['target']})", ""
            if pattern is UNCLOSED and (stop := match["target"][-1]) in ".,;:!?":
                repaired, rest = f"[{match['text']}]({match['target'][:-1]})", stop
            yield Slip(match.start(), match.end(), message, suggestion, replacement=repaired + rest)


def _target(view: Markdown, link: Link) -> Iterator[Slip]:
    target = view.text[link.target_start : link.target_end].strip()
    words = view.text[link.text_start : link.text_end]
    if not target and not link.image and words.strip():
        message = "This link has no target."
        yield Slip(link.start, link.end, message, "Give it a target, or leave only the words.", replacement=words)
    elif not target or PLACEHOLDER.match(target.strip("<>")):
        message = f"The target of this {'image' if link.image else 'link'} was never filled in."
        yield Slip(link.start, link.end, message, "Give it its target.", severity="warning")
    elif MALFORMED.match(target):
        message = f"The address {target[:60]!r} is misspelt."
        yield Slip(link.start, link.end, message, "Spell the address out, with https://.", severity="warning")
