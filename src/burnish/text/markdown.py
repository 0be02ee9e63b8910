"""A Markdown text seen once for all checks: its blocks, and its prose with every position as in the original.

`prose` has the length of the text: whatever is no prose is blanked, so a position found there is a position in the
text. Linear in the length of the text, whatever it holds.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

from burnish.text.blocks import PROSE, Block, blocks
from burnish.text.inline import Inline, Link, Mark, scan

LARGEST_KEPT = 64_000_000
"""Characters of all views that are kept: every check of a batch of units looks at the same ones."""


@dataclass(frozen=True, eq=False)
class Markdown:
    """One text, looked at once."""

    text: str
    blocks: tuple[Block, ...]
    _inline: Inline = field(repr=False)

    @property
    def prose(self) -> str:
        """The text with everything that is no prose blanked; as long as the text."""
        return self._inline.prose

    @property
    def links(self) -> list[Link]:
        """Links and images, in order."""
        return self._inline.links

    @property
    def marks(self) -> list[Mark]:
        """Runs of `*` and `_` that may be emphasis, in order."""
        return self._inline.marks

    @cached_property
    def prose_blocks(self) -> tuple[Block, ...]:
        """The blocks that are read: no code, no tags."""
        return tuple(block for block in self.blocks if block.kind in PROSE)

    def prose_of(self, block: Block) -> str:
        return self.prose[block.start : block.end]


class _Views(dict[str, Markdown]):
    """Text -> its view; emptied when it has grown large."""

    def __init__(self) -> None:
        super().__init__()
        self.characters = 0

    def __missing__(self, text: str) -> Markdown:
        if self.characters + len(text) > LARGEST_KEPT:
            self.clear()
            self.characters = 0
        view = self[text] = _viewed(text)
        self.characters += len(text) + 200
        return view


_VIEWS = _Views()


def markdown(text: str) -> Markdown:
    """The view of a text: made once, then kept for the next check that asks."""
    return _VIEWS[text]


def forget_views() -> None:
    """Give back the memory of all views."""
    _VIEWS.clear()
    _VIEWS.characters = 0


def _viewed(text: str) -> Markdown:
    found = blocks(text)
    spans = [(block.start, block.end) for block in found if block.kind in PROSE]
    return Markdown(text, tuple(found), scan(text, spans))
