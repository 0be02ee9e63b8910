"""Paragraphs that stand twice."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Generic, NamedTuple, TypeVar

from burnish.kinds.text.blocks import Block
from burnish.kinds.text.markdown import Markdown
from burnish.kinds.text.words import TOKEN

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
