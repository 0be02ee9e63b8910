"""Markdown as a learner reads it, as pieces for a template: headings, lists, code, emphasis. Never as markup of ours.

Nothing of the content becomes an address or a tag: a link is its words with the target beside them, and what is no
prose (tags, formulas, definitions) is shown as it is written. Every piece keeps its place in the text, so that what a
finding marks stays marked.
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
"""What blocks are drawn as; whatever is not here is shown as it is written."""
QUOTE_MARKS = re.compile(r"\n[ \t]*>[> \t]*")
LARGEST = 60_000
"""Characters that are drawn as Markdown. A longer text is shown as it is written: nobody reads it on a page."""
INDENT = 2
"""Blanks by which a list inside a list is usually moved."""
DEEPEST = 4


@dataclass(frozen=True, slots=True)
class Run:
    """Words of one style."""

    pieces: tuple[Piece, ...]
    styles: frozenset[Style] = frozenset()


@dataclass(frozen=True, slots=True)
class ProseBlock:
    """A paragraph, a heading, an item of a list, some code."""

    shape: Shape
    runs: tuple[Run, ...]
    level: int = 0
    """Of a heading: 1 to 6. Of an item: how deep its list lies in others."""
    marker: str = ""
    """An item's number, or its dot."""
    quoted: bool = False


def prose(text: str, pieces: Sequence[Piece]) -> tuple[ProseBlock, ...]:
    """The text as blocks; `pieces` are the same text with its marks."""
    if len(text) > LARGEST:
        return (ProseBlock("code", (Run(tuple(pieces)),)),)
    view = markdown(text, is_kept=False)  # a server shows very many texts, and none of them twice
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
        # A number as it is written; any other mark is a dot.
        return ProseBlock(
            "item", runs, depth, block.marker.strip() if block.marker[:1].isdigit() else "•", block.quoted
        )
    return ProseBlock("paragraph", runs, quoted=block.quoted)


def _inside(text: str, block: Block) -> tuple[int, int]:
    """What a block shows: of fenced code, what lies between its fences."""
    if block.kind != "code" or text[block.start : block.start + 1] not in ("`", "~"):
        return block.start, block.end
    first = text.find("\n", block.start, block.end)
    last = text.rfind("\n", block.start, block.end) if block.closed else block.end
    return (first + 1, last) if 0 <= first < last else (block.start, block.end)


@dataclass(frozen=True, slots=True)
class _Turn:
    """Where a style begins or ends, or something that is only a mark of it."""

    at: int
    style: Style | None
    opens: bool
    width: int = 0
    """Characters here that are marks and are not shown."""


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
    # Words between marks of emphasis. A mark without its partner is shown.
    for words in view.emphasis:
        if block.start <= words.start and words.end <= block.end:
            style: Style = "em" if words.width == 1 else "strong"
            yield _Turn(words.start, style, True, words.width)
            yield _Turn(words.end - words.width, style, False, words.width)
    if block.quoted:
        found = QUOTE_MARKS.finditer(view.text, block.start, block.end)
        yield from (_Turn(one.start() + 1, None, False, one.end() - one.start() - 1) for one in found)


def cut(pieces: Sequence[Piece], start: int, end: int) -> tuple[Piece, ...]:
    """The pieces between two places of the text. The number behind a mark stays with the last piece of it."""
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
    """The same marks without their numbers, where no list of findings stands under the text."""
    return tuple(replace(piece, ends=()) for piece in pieces)
