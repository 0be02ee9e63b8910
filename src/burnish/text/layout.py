"""Slips in the layout of a Markdown text: open code fences, heading levels, broken lists, repeated paragraphs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Generic, NamedTuple, TypeVar

from burnish.languages.slips import Slip
from burnish.languages.words import TOKEN
from burnish.text.markdown import Markdown
from burnish.text.structure import Block


def open_fences(view: Markdown) -> Iterator[Slip]:
    """The fence that is never closed; there is at most one, because it takes all that follows."""
    if view.blocks and (last := view.blocks[-1]).kind == "code" and not last.closed:
        end = view.text.find("\n", last.start)
        fence = last.marker if last.marker[:1] in ("`", "~") else f"{{% {last.marker} %}}"
        yield Slip(
            last.start,
            end if end > 0 else last.end,
            f"This code is opened with {fence} and never closed: the text breaks off in it, or swallows what follows.",
            "Close the code, or write the rest of it.",
            severity="critical",
        )


GLUED_HEADING = re.compile(r"(#{2,6})(?=[^\W\d_])")
"""`##Title`: CommonMark takes it for a paragraph. A single `#` may be a hashtag."""
LONGEST_TITLE = 120


def heading_slips(view: Markdown) -> Iterator[Slip]:
    """Levels that are left out, headings without words, and marks without a space behind them."""
    level = 0
    for block in view.blocks:
        if block.kind == "heading":
            yield from _heading(view, block.start, block.end, block.level, level)
            level = block.level
        elif (
            block.kind == "paragraph" and (glued := GLUED_HEADING.match(view.text, block.start, block.end)) is not None
        ):
            yield from _glued_heading(view, glued, block.end)


def _heading(view: Markdown, start: int, end: int, level: int, before: int) -> Iterator[Slip]:
    if not view.text[start:end].strip():
        yield Slip(max(0, start - level), end, "A heading has no words.", "Give it a title.", severity="warning")
    elif before and level > before + 1:
        yield Slip(
            start,
            end,
            f"A heading of level {level} follows one of level {before}: a level is left out.",
            f"Use level {before + 1}, or put a heading of that level before it.",
            severity="warning",
        )


def _glued_heading(view: Markdown, glued: re.Match[str], end: int) -> Iterator[Slip]:
    line_end = view.text.find("\n", glued.start(), end)
    if (line_end if line_end >= 0 else end) - glued.start() > LONGEST_TITLE:
        return
    yield Slip(
        glued.start(),
        glued.end() + 1,
        f"{glued.group()!r} without a space behind it makes no heading.",
        "Put a space after the marks.",
        replacement=f"{glued.group()} {view.text[glued.end()]}",
    )


GLUED_ITEM = re.compile(r"^[ \t]{0,12}(?P<mark>[-+]|[1-9]\d?[.)])(?=[^\W\d_]{2})(?P<first>.)", re.MULTILINE)
"""`-item` and `2.item`: a mark with no blank behind it."""
STARRED = re.compile(r"^[ \t]{0,12}(?P<mark>\*)(?=[^\W\d_]{2})(?P<first>.)(?=[^*\n]*$)", re.MULTILINE)
BULLET = re.compile(r"^[ \t]{0,12}(?P<mark>[•●◦▪‣·])(?P<first>[ \t]*\S)", re.MULTILINE)
FEWEST_BULLETS = 2


def broken_lists(view: Markdown) -> Iterator[Slip]:
    """Items that Markdown does not see as such, items without words, and numbers that are left out."""
    blocks = view.blocks
    for place, block in enumerate(blocks):
        if block.kind in ("item", "paragraph"):
            yield from _glued_item(view, block, blocks[place - 1] if place else None, blocks[place + 1 : place + 2])
        if block.kind == "paragraph":
            yield from _bullets(view, block)
        if block.kind == "item" and place:
            yield from _empty(view, place)
    yield from _lost_numbers(view)


def _glued_item(view: Markdown, block: Block, before: Block | None, after: tuple[Block, ...]) -> Iterator[Slip]:
    """Only beside a true item with the same mark: a dash before a word may also be a minus or a dash."""
    neighbours = {_sort(near.marker) for near in (block, before, *after) if near is not None and near.kind == "item"}
    if not neighbours:
        return
    line_start = view.text.rfind("\n", max(0, block.start - 20), block.start) + 1
    for pattern in (GLUED_ITEM, STARRED):
        for match in pattern.finditer(view.text, line_start, block.end):
            same = _sort(match["mark"]) in neighbours
            if match.start("mark") < block.start - 1 or not same or not view.prose[match.start("first")].strip():
                continue
            yield Slip(
                match.start("mark"),
                match.end("first"),
                f"{match['mark']!r} without a blank behind it makes no list item.",
                "Put a blank after the mark.",
                replacement=f"{match['mark']} {match['first']}",
            )


def _sort(marker: str) -> str:
    return marker[-1] if marker[:1].isdigit() else marker


def _bullets(view: Markdown, block: Block) -> Iterator[Slip]:
    """Bullets typed as characters: Markdown runs such lines together into one paragraph."""
    line_start = view.text.rfind("\n", max(0, block.start - 20), block.start) + 1
    found = list(BULLET.finditer(view.text, line_start, block.end))
    if len(found) < FEWEST_BULLETS:
        return
    for match in found:
        yield Slip(
            match.start("mark"),
            match.end("first"),
            f"{match['mark']!r} makes no list: the lines run together.",
            "Use '-' and a blank.",
            replacement=f"- {match['first'].lstrip()}",
        )


def _empty(view: Markdown, place: int) -> Iterator[Slip]:
    block, following = view.blocks[place], view.blocks[place + 1 : place + 2]
    if view.text[block.start : block.end].strip() or not following or following[0].kind != "item":
        return
    if following[0].level > block.level or _sort(following[0].marker) != _sort(block.marker):
        return
    start = view.text.rfind("\n", 0, block.start) + 1
    yield Slip(start, block.end, "A list item has no words.", "Fill it in, or take it away.", severity="warning")


def _lost_numbers(view: Markdown) -> Iterator[Slip]:
    """1., 2., 4. in one run of items: the third is missing. Lists that count otherwise are left alone."""
    counted: list[int] = []
    level = 0
    for block in view.blocks:
        if block.kind != "item" or not block.marker[0].isdigit():
            # What is indented belongs to the item before it; anything else ends the list.
            if block.level <= level:
                counted = []
            continue
        number = int(block.marker[:-1])
        if not counted or block.level != level:
            counted, level = [number], block.level
            continue
        if len(counted) > 1 and counted[-1] == counted[-2] + 1 and number == counted[-1] + 2:
            yield Slip(
                block.start,
                block.end,
                f"The list goes from {counted[-1]} to {number}: an item is missing, or the number is wrong.",
                "Put the missing item in, or count again.",
                severity="warning",
            )
        counted = [*counted[-1:], number]


FEWEST_WORDS = 15
"""Shorter ones recur on purpose: instructions, captions, notes."""


Name = TypeVar("Name")


class Repeat(NamedTuple, Generic[Name]):
    """A paragraph, and an earlier one that says the same."""

    name: Name
    """Of the text that holds it, as the caller named it."""
    start: int
    end: int
    first_name: Name
    first_start: int


def repeats(texts: Iterable[tuple[Name, Markdown]]) -> Iterator[Repeat[Name]]:
    """Every paragraph whose words, in order and whatever the marks, stood before in one of the texts."""
    seen: dict[int, tuple[Name, int]] = {}
    for name, view in texts:
        for block in view.blocks:
            if block.kind != "paragraph" or block.quoted:
                continue
            key = _words(view, block)
            if key is None:
                continue
            first = seen.setdefault(key, (name, block.start))
            if first != (name, block.start):
                yield Repeat(name, block.start, block.end, *first)


def _words(view: Markdown, block: Block) -> int | None:
    """One number for the words of a block; None where they are few. Long hashes do not collide in one lesson."""
    if block.end - block.start < FEWEST_WORDS * 3:
        return None
    words = TOKEN.findall(view.prose_of(block).lower())
    return hash(tuple(words)) if len(words) >= FEWEST_WORDS else None
