"""The paragraphs of a plain text: what stands between blank lines."""

from __future__ import annotations

from collections.abc import Iterator

from burnish.kinds.manuscripts.formats.blocks import Block, Piece, framed, lines


def plain_blocks(source: str) -> Iterator[Block]:
    """The paragraphs of a text, in order. Between them is nothing but blanks."""
    newline = "\n"
    pieces: list[Piece] = []
    for line in lines(source):
        newline = line.newline or newline
        if line.text.strip():
            pieces.append(Piece(line, len(line.text) - len(line.text.lstrip())))
        elif pieces:
            yield framed("paragraph", pieces, newline=newline)
            pieces = []
    if pieces:
        yield framed("paragraph", pieces, newline=newline)
