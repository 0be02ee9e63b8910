"""Headings with `#`: their words, and what stands around them."""

from __future__ import annotations

import re

from burnish.kinds.manuscripts.formats.blocks import Block, Line
from burnish.kinds.manuscripts.model import Frame
from burnish.text.blocks import HEADING

_ATTRIBUTES = re.compile(r"\{:?[ \t]*[#.][^{}]*\}")


def heading(line: Line, at: int, newline: str) -> Block | None:
    """The heading whose marks begin at this character of the line. Marks that close it and its id belong to its frame,
    so that links to it go on working whatever language its words are in."""
    match = HEADING.match(line.text[at:])
    if match is None:
        return None
    whole = line.text.rstrip()
    begins = min(at + match.end(), len(whole))
    stop = max(begins, _words_end(whole, begins))
    frame = Frame(whole[:begins], "", whole[stop:], newline)
    words = whole[begins:stop]
    excluded = None if words else "nothing to translate"
    return Block("heading", words, frame, line.start, line.end, line.number, excluded)


def _words_end(whole: str, begins: int) -> int:
    stop = len(whole)
    if whole.endswith("}"):
        opens = whole.rfind("{", begins)
        if opens > begins and whole[opens - 1] in " \t" and _ATTRIBUTES.fullmatch(whole, opens):
            stop = len(whole[:opens].rstrip())
    unmarked = whole[:stop].rstrip("#")
    if len(unmarked) < stop and (len(unmarked) <= begins or unmarked[-1] in " \t"):
        stop = len(unmarked.rstrip())
    return stop
