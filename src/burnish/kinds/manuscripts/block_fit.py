"""Whether a translation stays the one block that its source is, once it stands in the file."""

from __future__ import annotations

import re
from dataclasses import replace

from burnish.kinds.manuscripts.formats import BookFormat, blocks_of
from burnish.kinds.manuscripts.formats.blocks import Block, rest_of
from burnish.kinds.manuscripts.model import BlockKind, Frame, Paragraph

_BLANKS = re.compile(r"[ \t]+")
_TASK = re.compile(r"\[[ xX]\] $")
_PROSE: frozenset[BlockKind] = frozenset({"paragraph", "list", "quote"})
"""Kinds that differ only in what they stand in."""


def fits_one_block(text: str, paragraph: Paragraph | None = None, format: BookFormat = "markdown") -> str | None:
    """Why a translation cannot stand in the place of its paragraph; None where it can.

    Without a paragraph: in that of an ordinary one. The text is put into its frame and read back: it must come out as
    one block with the same text.
    """
    reason = _unfit_characters(text)
    if reason is not None:
        return reason
    frame = paragraph.frame if paragraph is not None else Frame()
    kind: BlockKind = paragraph.block if paragraph is not None else "paragraph"
    if format == "text":
        return None
    if paragraph is not None and kind == "table" and text.count("\n") != paragraph.text.count("\n"):
        return f"it has {text.count(chr(10)) + 1} rows and its table has {paragraph.text.count(chr(10)) + 1}"
    for trial in _trials(frame, text):
        reason = _misread(list(blocks_of(trial.around(text), "markdown")), trial, frame, kind, text)
        if reason is not None:
            return reason
    return None


def _unfit_characters(text: str) -> str | None:
    if not text.strip():
        return "it is empty"
    if text != text.strip(" \t\n"):
        return "it begins or ends with blanks"
    if any(not line.strip() for line in text.split("\n")):
        return "it holds a blank line, so it would be two blocks"
    if "\r" in text or "\x00" in text:
        return "it holds a carriage return or NUL character"
    if any("\ud800" <= char <= "\udfff" for char in text):
        return "it holds half a character (a lone surrogate), which no file can"
    return None


def _trials(frame: Frame, text: str) -> list[Frame]:
    """The frame as it is when it stands alone: indentation only has a meaning below what it is indented under."""
    opening = _BLANKS.sub(" ", frame.first.lstrip())
    rest = rest_of(_TASK.sub("", opening))
    usual = Frame(opening, rest, _last(frame.last, rest))
    is_lazy = bool(opening.strip()) and not frame.rest.strip() and len(frame.rest) < len(rest)
    if "\n" in text and is_lazy:
        # Its further lines go on without marks, and are read more strictly.
        return [usual, replace(usual, rest="")]
    return [usual]


def _last(last: str, rest: str) -> str:
    """The underline of a heading behind the marks that stand before every line."""
    behind, newline, underline = last.replace("\r\n", "\n").replace("\r", "\n").partition("\n")
    return f"{behind}\n{rest}{underline.lstrip(' >' + chr(9))}" if newline else last


def _misread(found: list[Block], frame: Frame, own: Frame, kind: BlockKind, text: str) -> str | None:
    if len(found) != 1:
        return f"it would be read as {len(found)} blocks ({', '.join(block.kind for block in found[:4])})"
    [block] = found
    # A quote or item without a frame was kept whole: its marks are in its text, and must be in the translation.
    same_kind = block.kind == kind or (
        kind in _PROSE and block.kind in _PROSE and bool(own.first or kind == "paragraph")
    )
    if not same_kind or block.excluded is not None or not block.closed:
        return f"it would be read as {block.excluded or block.kind}, not as {kind}"
    if block.frame.first != frame.first or block.frame.last != frame.last or bare_lines(block.text) != bare_lines(text):
        return f"its beginning or end would be read as marks of a {block.kind}"
    return None


def stands_as(wanted: Paragraph, read: Paragraph) -> bool:
    """Whether what is read back from a published file is the paragraph that should stand there. What was translated
    must not read as something that is carried through; what was excluded may read either way."""
    text = wanted.text if wanted.excluded is not None else wanted.translation
    same_sort = read.block == wanted.block and (read.excluded is None or wanted.excluded is not None)
    return same_sort and bare_lines(read.text) == bare_lines(text)


def bare_lines(text: str) -> list[str]:
    """Indentation of further lines of a paragraph says nothing."""
    return [line.strip() for line in text.split("\n")]
