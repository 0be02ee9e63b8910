"""Putting a manuscript together again: `final.md` in the source's own layout, `candidate.md` for reviewers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import NamedTuple

from burnish.core.errors import InputError, InternalError
from burnish.kinds.manuscripts.model import Paragraph


class Placed(NamedTuple):
    """A paragraph in `candidate.md`."""

    paragraph: Paragraph
    text: str
    """The translation inside its frame, without the line end behind it."""
    start_line: int
    """1-based."""
    end_line: int


def final_pieces(source: str, paragraphs: Iterable[Paragraph]) -> Iterator[str]:
    """The final text, piece by piece: the source's own separators, a translation for every paragraph, and excluded
    blocks as they are in the source. `source` is the decoded text that the paragraphs were read from."""
    done = 0
    for paragraph in paragraphs:
        _refuse_lost_text(source[done : paragraph.start], paragraph)
        original = source[paragraph.start : paragraph.end]
        if paragraph.frame.around(paragraph.text) != original:
            raise InputError(
                f"{paragraph.id} is not in the source as it was read: the source has changed.",
                line=paragraph.line,
                code="source_changed",
                hint="A changed source needs a new run.",
            )
        yield source[done : paragraph.start]
        yield original if paragraph.excluded is not None else _framed(paragraph)
        done = paragraph.end
    _refuse_lost_text(source[done:], None)
    yield source[done:]


def _framed(paragraph: Paragraph) -> str:
    if not paragraph.translation:
        raise InternalError(f"{paragraph.id} has no translation, so no final text can be made.")
    return paragraph.frame.around(paragraph.translation)


def _refuse_lost_text(between: str, before: Paragraph | None) -> None:
    """Between two blocks are blanks and marks of quotes; words there belong to a paragraph that is missing."""
    if between.replace(">", " ").strip():
        where = f"before {before.id}" if before is not None else "at the end"
        raise InternalError(f"Text of the source {where} belongs to no paragraph, so no final text can be made.")


def candidate_pieces(paragraphs: Iterable[Paragraph], line: int = 1) -> Iterator[Placed]:
    """The paragraphs of `candidate.md` from a line on: each one contiguous block, one blank line between them.

    Excluded blocks are not in it, nor is what has no translation yet. Joined with `\\n\\n` the texts are the file.
    """
    for paragraph in paragraphs:
        if paragraph.excluded is not None or not paragraph.translation:
            continue
        text = _plain_framed(paragraph)
        last = line + text.count("\n")
        yield Placed(paragraph, text, line, last)
        line = last + 2


def _plain_framed(paragraph: Paragraph) -> str:
    frame = paragraph.frame
    last = frame.last.replace("\r\n", "\n").replace("\r", "\n")
    text = replace(frame, newline="\n", last=last).around(paragraph.translation)
    if any(not line.strip() for line in text.split("\n")):
        raise InternalError(f"The translation of {paragraph.id} holds a blank line, so it is no single block.")
    return text
