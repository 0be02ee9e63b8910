"""broken_list: a list that is not displayed as a list, or lacks an item.

What it looks for: list marks without a space after them, bullets typed as characters, items without words, and missing
numbers. A dash before a word counts as a list mark only next to other items.
Why it matters: the items run together into one paragraph.
Fix: safe for marks; a missing item needs an author.
"""

import re
from collections.abc import Iterator

from burnish.core.checks import check
from burnish.core.findings import Finding
from burnish.kinds.lessons.findings import text_findings
from burnish.kinds.lessons.model import LessonUnit
from burnish.languages.words import Slip
from burnish.text.markdown import Markdown
from burnish.text.structure import Block

GLUED_ITEM = re.compile(r"^[ \t]{0,12}(?P<mark>[-+]|[1-9]\d?[.)])(?=[^\W\d_]{2})(?P<first>.)", re.MULTILINE)
"""`-item` and `2.item`: a mark without a space after it."""
STARRED = re.compile(r"^[ \t]{0,12}(?P<mark>\*)(?=[^\W\d_]{2})(?P<first>.)(?=[^*\n]*$)", re.MULTILINE)
BULLET = re.compile(r"^[ \t]{0,12}(?P<mark>[•●◦▪‣·])(?P<first>[ \t]*\S)", re.MULTILINE)
FEWEST_BULLETS = 2


def broken_lists(view: Markdown) -> Iterator[Slip]:
    """Items that Markdown does not recognise, items without words, and missing numbers."""
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
    """Items without a space after the mark; only next to another item, because a dash may also be a minus."""
    neighbours = {_sort(near.marker) for near in (block, before, *after) if near is not None and near.kind == "item"}
    if not neighbours:
        return
    line_start = _line_start(view, block)
    for pattern in (GLUED_ITEM, STARRED):
        for match in pattern.finditer(view.text, line_start, block.end):
            same = _sort(match["mark"]) in neighbours
            if match.start("mark") < block.start - 1 or not same or not view.prose[match.start("first")].strip():
                continue
            yield Slip(
                match.start("mark"),
                match.end("first"),
                f"{match['mark']!r} needs a space after it to begin a list item.",
                "Put a space after the mark.",
                replacement=f"{match['mark']} {match['first']}",
            )


def _line_start(view: Markdown, block: Block) -> int:
    """The start of the block's line. A mark stands near it, so nothing further back is looked at."""
    furthest = max(0, block.start - 20)
    return max(furthest, view.text.rfind("\n", furthest, block.start) + 1)


def _sort(marker: str) -> str:
    return marker[-1] if marker[:1].isdigit() else marker


def _bullets(view: Markdown, block: Block) -> Iterator[Slip]:
    """Bullets typed as characters: Markdown joins such lines into one paragraph."""
    line_start = _line_start(view, block)
    found = list(BULLET.finditer(view.text, line_start, block.end))
    if len(found) < FEWEST_BULLETS:
        return
    for match in found:
        yield Slip(
            match.start("mark"),
            match.end("first"),
            f"{match['mark']!r} makes no list: the lines run together.",
            "Use '-' and a space.",
            replacement=f"- {match['first'].lstrip()}",
        )


def _empty(view: Markdown, place: int) -> Iterator[Slip]:
    block, following = view.blocks[place], view.blocks[place + 1 : place + 2]
    if view.text[block.start : block.end].strip() or not following or following[0].kind != "item":
        return
    if following[0].level > block.level or _sort(following[0].marker) != _sort(block.marker):
        return
    start = view.text.rfind("\n", 0, block.start) + 1
    yield Slip(start, block.end, "A list item has no words.", "Fill it in, or remove it.", severity="warning")


def _lost_numbers(view: Markdown) -> Iterator[Slip]:
    """1., 2., 4. in one list: the third is missing. Lists with another numbering are ignored."""
    counted: list[int] = []
    level = 0
    for block in view.blocks:
        if block.kind != "item" or not block.marker[0].isdigit():
            # Indented blocks belong to the item before them; any other block ends the list.
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


@check(
    id="broken_list",
    severity="error",
    bad=(
        {"text": "You need:\n\n- light\n-water\n- air"},
        {"text": "You need:\n\n• light\n• water"},
        {"text": "1. Warm the water.\n2. Wait.\n4. Look at the vapour."},
        {"text": "- light\n-\n- air"},
    ),
    good=(
        {"text": "You need:\n\n- light\n- water\n\n1. Warm it.\n1. Wait.\n\n3. Look."},
        {"text": "It is -5 degrees\n-and falling."},
        {"text": "* *light*\n* **water** and air"},
    ),
)
def broken_list(unit: LessonUnit) -> Iterator[Finding]:
    yield from text_findings(unit, broken_lists)
