"""Emphasis that opens and never closes, or closes and never opened. The words stay, the unpaired mark goes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import groupby

from burnish.languages.slips import Slip
from burnish.text.blocks import Block
from burnish.text.inline import Mark
from burnish.text.markdown import Markdown

FOOTNOTE = re.compile(r"\*{1,3}\s")
"""A block that begins with stars and a blank is a note."""
CAMEL_CASE = re.compile(r"[a-z][A-Z]")
PATTERN_NEIGHBOURS = frozenset("./\\|=+<>%^~(){}[]0123456789")
"""Beside these a single star is more likely a wildcard, a product or a pattern than emphasis."""


def unpaired(view: Markdown) -> Iterator[Slip]:
    """Strong emphasis without its other half, and single marks where nothing else can be meant."""
    spans = view.prose_blocks
    for number, marks in groupby(view.marks, key=lambda mark: mark.block):
        block = spans[number]
        if block.kind == "table":  # a cell ends what it opened; rows are rarely prose
            continue
        yield from _in_block(view, block, list(marks))


def _in_block(view: Markdown, block: Block, marks: list[Mark]) -> Iterator[Slip]:
    for mark, kept in _unmatched(view.text, marks):
        if _is_noise(view.text, block, mark):
            continue
        name = view.text[mark.start : mark.end]
        yield Slip(
            mark.start,
            mark.end,
            f"The emphasis mark {name!r} has no partner in its paragraph.",
            "Take the mark away, or set the other one.",
            replacement=name[0] * kept,
        )


def _unmatched(text: str, marks: list[Mark]) -> Iterator[tuple[Mark, int]]:
    """Marks that stay behind when all pairs are made, and how many of their characters found a partner.

    A stack for each character: closing marks take the nearest opening one, as CommonMark pairs them.
    """
    opened: dict[str, list[tuple[Mark, int]]] = {"*": [], "_": []}
    left: list[tuple[Mark, int]] = []
    for mark in marks:
        character, length = text[mark.start], mark.end - mark.start
        opens, closes = _flanking(text, mark, character)
        stack = opened[character]
        rest = length
        while closes and rest and stack:
            opening, unused = stack.pop()
            taken = min(unused, rest)
            rest -= taken
            if unused > taken:
                stack.append((opening, unused - taken))
        if rest and opens:
            stack.append((mark, rest))
        elif rest and closes:
            left.append((mark, rest))
    left += [entry for stack in opened.values() for entry in stack]
    for mark, rest in sorted(left):
        yield mark, mark.end - mark.start - rest


def _flanking(text: str, mark: Mark, character: str) -> tuple[bool, bool]:
    """Whether the run may open and may close emphasis, by its neighbours (CommonMark's rule)."""
    before = text[mark.start - 1] if mark.start else " "
    after = text[mark.end] if mark.end < len(text) else " "
    word_before, word_after = before.isalnum(), after.isalnum()
    left = not after.isspace() and (word_after or before.isspace() or not word_before)
    right = not before.isspace() and (word_before or after.isspace() or not word_after)
    if character == "_":
        return left and (not right or not word_before), right and (not left or not word_after)
    return left, right


def _is_noise(text: str, block: Block, mark: Mark) -> bool:
    """A wildcard, a product, a footnote mark, an identifier: no emphasis was meant."""
    length = mark.end - mark.start
    before = text[mark.start - 1] if mark.start else " "
    after = text[mark.end] if mark.end < len(text) else " "
    if length > 3 or (before in "\"'`“‘(" and after in "\"'`”’)"):
        return True
    if text[mark.start] == "_" or length == 1:
        # One mark alone is an asterisk as often as an emphasis, unless it hangs on a word that is like any other.
        alone = before.isspace() or mark.start == block.start
        if length == 1 and not (alone and after.isalpha()):
            return True
        tail = text[mark.end : mark.end + 40].split(None, 1)
        if not tail or not tail[0].rstrip(".,;:!?)").isalpha() or CAMEL_CASE.search(tail[0]):
            return True
        return before in PATTERN_NEIGHBOURS
    if FOOTNOTE.match(text, mark.start) and mark.start == block.start:
        return True
    word = re.match(r"[\w.]+", text[mark.end : mark.end + 40])
    # `**kwargs` and `2**8` are code without its backticks.
    return (
        before.isdigit() or before in "./\\|=" or bool(word and re.search(r"[a-z]_[a-z]|\bkwargs\b|\d$", word.group()))
    )
