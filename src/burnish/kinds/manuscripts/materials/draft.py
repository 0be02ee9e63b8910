"""Drafts: a translation that exists already, laid beside its source block by block."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import NamedTuple

from burnish.core.errors import InputError
from burnish.kinds.manuscripts.formats import BookFormat, read_manuscript
from burnish.kinds.manuscripts.model import CARRIED, BlockKind, Paragraph


class _Block(NamedTuple):
    """What is compared of a block: all of it that the places of two files have in common."""

    kind: BlockKind
    id: str
    line: int
    text: str
    taken: bool
    """Whether it is to be translated: what a person left out takes no translation."""


def align(
    paragraphs: Iterable[Paragraph],
    draft: bytes,
    path: str,
    format: BookFormat,
    *,
    source_format: BookFormat | None = None,
) -> dict[str, str]:
    """Paragraph id -> its translation in the draft. InputError where the two files are not built alike.

    Every block of the source needs its like in the draft, in the same order; where the formats differ, blocks are only
    counted. Code, front matter and raw HTML are the source's own, so it does not matter whether the draft has them. A
    blank block of the draft is no translation and left out.
    """
    same_format = source_format in (None, format)
    # The draft all at once: its text is let go before that of the source is decoded, so only one of them is held.
    theirs = iter(list(_blocks(_read(draft, path, format))))
    mine = _blocks(paragraphs)
    found: dict[str, str] = {}
    count = 0
    for source in mine:
        other = next(theirs, None)
        if other is None or (same_format and other.kind != source.kind):
            raise _parted(source, other, count, mine, theirs, path)
        count += 1
        if source.taken and other.text.strip():
            found[source.id] = other.text
    surplus = next(theirs, None)
    if surplus is not None:
        raise _parted(None, surplus, count, mine, theirs, path)
    return found


def _read(draft: bytes, path: str, format: BookFormat) -> Iterator[Paragraph]:
    for part in read_manuscript(draft, path, format):
        if isinstance(part, Paragraph):
            yield part
        # Problems that hide no block are those of the source, which are told there.
        elif part.blocks:
            raise InputError(part.message, path=path, line=part.line, code=part.code, hint=part.hint)


def _blocks(paragraphs: Iterable[Paragraph]) -> Iterator[_Block]:
    for one in paragraphs:
        if one.block not in CARRIED:
            yield _Block(one.block, one.id, one.line, one.text, one.excluded is None)


def _parted(
    source: _Block | None,
    other: _Block | None,
    alike: int,
    mine: Iterator[_Block],
    theirs: Iterator[_Block],
    path: str,
) -> InputError:
    """Says how many blocks both have, and which is the first without its like."""
    in_source = alike + (source is not None) + sum(1 for _ in mine)
    in_draft = alike + (other is not None) + sum(1 for _ in theirs)
    amount = "too few" if in_draft < in_source else "too many" if in_draft > in_source else "other sorts of"
    expected = f"the source has a {_named(source)}" if source is not None else "the source is at its end"
    given = f"the draft has a {_named(other)}" if other is not None else "the draft is at its end"
    return InputError(
        f"The draft has {amount} blocks: {in_draft}, the source {in_source}. "
        f"They part at block {alike + 1}: {expected}, {given}.",
        path=path,
        line=other.line if other is not None else None,
        code="draft_parts",
        hint="Give the draft the same headings, lists, quotes and paragraphs as the source, in the same order.",
    )


def _named(block: _Block) -> str:
    kind = "list item" if block.kind == "list" else block.kind
    return f"{kind} in line {block.line} ({shown(block.text)})"


def shown(text: str) -> str:
    """The beginning of a text, on one line and without control characters."""
    plain = " ".join("".join(islice((sign if sign.isprintable() else " " for sign in text), 200)).split())
    return repr(plain if len(plain) <= 40 else f"{plain[:40]}…")
