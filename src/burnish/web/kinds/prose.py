"""Markdown as a learner reads it, as pieces for a template: headings, lists, code, emphasis. Never as HTML.

Content never becomes a URL or a tag: a link is its text followed by the target, and everything else (tags, formulas,
definitions) is shown as written. Every piece keeps its place in the text, so that the marks of findings stay in place.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from burnish.text.markdown import Markdown, markdown
from burnish.text.structure import Block
from burnish.web.pieces import Mark, Piece

Style = Literal["strong", "em", "code", "link", "target"]
Shape = Literal["paragraph", "heading", "item", "code", "rule"]
SHAPES: dict[str, Shape] = {
    "paragraph": "paragraph",
    "footnote": "paragraph",
    "heading": "heading",
    "item": "item",
    "rule": "rule",
}
"""Block kind -> shape; other blocks are shown as written."""
QUOTE_MARKS = re.compile(r"\n[ \t]*>[> \t]*")
LARGEST = 60_000
"""Characters of a text that is rendered; a longer one is shown as written."""
INDENT = 2
"""Spaces by which a nested list is usually indented."""
DEEPEST = 4


@dataclass(frozen=True, slots=True)
class Run:
    """Text in one style."""

    pieces: tuple[Piece, ...]
    styles: frozenset[Style] = frozenset()


@dataclass(frozen=True, slots=True)
class ProseBlock:
    """A paragraph, a heading, an item of a list, some code."""

    shape: Shape
    runs: tuple[Run, ...]
    level: int = 0
    """Of a heading: 1 to 6. Of an item: the nesting depth of its list."""
    marker: str = ""
    """The number or bullet of an item."""
    quoted: bool = False


def prose(text: str, pieces: Sequence[Piece]) -> tuple[ProseBlock, ...]:
    """The text as blocks; `pieces` are the same text with marks."""
    if len(text) > LARGEST:
        return (ProseBlock("code", (Run(tuple(pieces)),)),)
    view = markdown(text, is_kept=False)  # a server shows very many texts, and rarely the same one again
    return tuple(
        _block(view, block, pieces) for block in view.blocks if block.start < block.end or block.kind == "rule"
    )


def _block(view: Markdown, block: Block, pieces: Sequence[Piece]) -> ProseBlock:
    shape = SHAPES.get(block.kind, "code")
    if shape == "rule":
        return ProseBlock("rule", (), quoted=block.quoted)
    if shape == "code":
        return ProseBlock("code", (Run(cut(pieces, *_inside(view.text, block))),), quoted=block.quoted)
    runs = tuple(_runs(view, block, pieces))
    if shape == "heading":
        return ProseBlock("heading", runs, level=min(max(block.level, 1), 6), quoted=block.quoted)
    if shape == "item":
        depth = min(block.level // INDENT, DEEPEST)
        # A number as written; any other marker is a bullet.
        return ProseBlock(
            "item", runs, depth, block.marker.strip() if block.marker[:1].isdigit() else "•", block.quoted
        )
    return ProseBlock("paragraph", runs, quoted=block.quoted)


def _inside(text: str, block: Block) -> tuple[int, int]:
    """The part of a block that is shown: of fenced code, the lines between the fences."""
    if block.kind != "code" or text[block.start : block.start + 1] not in ("`", "~"):
        return block.start, block.end
    first = text.find("\n", block.start, block.end)
    last = text.rfind("\n", block.start, block.end) if block.closed else block.end
    return (first + 1, last) if 0 <= first < last else (block.start, block.end)


@dataclass(frozen=True, slots=True)
class _Turn:
    """A place where a style begins or ends, or where marks are hidden."""

    at: int
    style: Style | None
    opens: bool
    width: int = 0
    """Number of mark characters here, which are not shown."""


def _runs(view: Markdown, block: Block, pieces: Sequence[Piece]) -> Iterator[Run]:
    on: dict[Style, int] = {}
    at = block.start
    for turn in sorted(_turns(view, block), key=lambda turn: turn.at):
        if turn.at > at:
            yield _run(pieces, at, turn.at, on)
        at = max(at, turn.at + turn.width)
        if turn.style is not None:
            on[turn.style] = on.get(turn.style, 0) + (1 if turn.opens else -1)
    if at < block.end:
        yield _run(pieces, at, block.end, on)


def _run(pieces: Sequence[Piece], start: int, end: int, on: dict[Style, int]) -> Run:
    return Run(cut(pieces, start, end), frozenset(style for style, depth in on.items() if depth > 0))


def _turns(view: Markdown, block: Block) -> Iterator[_Turn]:
    for start, end in [span for span in view.structure.code if block.start <= span[0] < block.end]:
        ticks = len(view.text[start:end]) - len(view.text[start:end].lstrip("`"))
        yield _Turn(start, "code", True, ticks)
        yield _Turn(end - ticks, "code", False, ticks)
    for link in view.links:
        if block.start <= link.start and link.end <= block.end:
            yield _Turn(link.start, "link", True, link.text_start - link.start)
            yield _Turn(link.text_end, "link", False, link.target_start - link.text_end)
            yield _Turn(link.target_start, "target", True)
            yield _Turn(link.target_end, "target", False, link.end - link.target_end)
    # Emphasised text. A mark without a partner is shown.
    for words in view.emphasis:
        if block.start <= words.start and words.end <= block.end:
            style: Style = "em" if words.width == 1 else "strong"
            yield _Turn(words.start, style, True, words.width)
            yield _Turn(words.end - words.width, style, False, words.width)
    if block.quoted:
        found = QUOTE_MARKS.finditer(view.text, block.start, block.end)
        yield from (_Turn(one.start() + 1, None, False, one.end() - one.start() - 1) for one in found)


def cut(pieces: Sequence[Piece], start: int, end: int) -> tuple[Piece, ...]:
    """The pieces between two places of the text. The number of a mark stays with its last piece."""
    starts = [piece.start for piece in pieces]
    first = max(0, bisect_left(starts, start) - 1)
    found = []
    for piece in pieces[first:]:
        if piece.start > end or (piece.start == end and piece.text):
            break
        stops = piece.start + len(piece.text)
        if stops < start or (stops == start and piece.text):
            continue
        from_, to = max(start, piece.start), min(end, stops)
        ends: tuple[Mark, ...] = piece.ends if to == stops else ()
        found.append(replace(piece, text=piece.text[from_ - piece.start : to - piece.start], start=from_, ends=ends))
    return tuple(found)


def without_numbers(pieces: Sequence[Piece]) -> tuple[Piece, ...]:
    """The pieces without the numbers of marks, for pages without a list of findings."""
    return tuple(replace(piece, ends=()) for piece in pieces)
