"""Phrases that a chatbot said to its user and that were left in a text; quoted or reported, they are only mentions.

Each pattern begins where a sentence begins; the rest of the sentence belongs to it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from burnish.languages.sentences import sentences
from burnish.languages.slips import Slip
from burnish.languages.tables import joined_lines, table
from burnish.text.markdown import Markdown
from burnish.text.structure import Block


class Patterns(NamedTuple):
    """What gives a chatbot away; each is explained in the data file."""

    openings: re.Pattern[str]
    alone: re.Pattern[str]
    closings: re.Pattern[str]
    about_itself: re.Pattern[str]
    people: re.Pattern[str]


@cache
def _patterns() -> Patterns:
    listed = table("chatbot")
    return Patterns(*(_joined(listed[name]) for name in Patterns._fields))


def _joined(listed: list[str]) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{joined_lines(pattern)})" for pattern in listed), re.IGNORECASE)


SENTENCE_END = re.compile(r"[.!?:]+[\"”’)]*(?=\s|$)|[。！？]")
BLANKS = re.compile(r"\s*")
LONGEST_SENTENCE = 400
LONGEST_BLOCK = 4000
"""Longer paragraphs are looked at from their beginning and their end only."""
PAIRS = (("“", "”"), ("«", "»"), ("„", "“"), ("(", ")"))


def chatbot_phrases(view: Markdown) -> Iterator[Slip]:
    """Every leak, with the edit that takes it away."""
    paragraphs = [block for block in view.prose_blocks if block.kind == "paragraph" and not block.quoted]
    if not paragraphs:
        return
    first = view.prose_blocks[0]
    speaks_of_itself = any(sign in view.prose for sign in table("chatbot")["signs"])
    for place, block in enumerate(paragraphs):
        if _is_introduced(view, block):
            continue
        end = _leak_at_start(view, block, is_first=block is first)
        if end > block.start:
            yield _slip(view, block, block.start, end)
        closing = place >= len(paragraphs) - 2
        if end < block.end and (speaks_of_itself or closing):
            for leak in _leaks_inside(view, block, end, closing=closing):
                yield _slip(view, block, *leak)


def _is_introduced(view: Markdown, block: Block) -> bool:
    """Whether the text before it ends with a colon: then it is shown, not said."""
    before = view.text[max(0, block.start - 200) : block.start].rstrip(" \t\r\n>*_")
    return before.endswith((":", "："))


def _leak_at_start(view: Markdown, block: Block, *, is_first: bool) -> int:
    """Where the leak ends with which the block begins, sentence after sentence; its start where there is none."""
    prose, at = view.prose, block.start
    ended = at
    if not prose[at].isalpha() and prose[at] not in "¡¿(":
        return ended
    while at < block.end:
        end = _leaking_sentence(prose, at, block.end)
        if (
            end is None
            and is_first
            and at == block.start
            and (alone := _patterns().alone.match(prose, at, block.end)) is not None
        ):
            end = alone.end()
        if end is None:
            break
        ended = end
        blanks = BLANKS.match(prose, end, block.end)
        at = blanks.end() if blanks is not None else end
    return ended


def _leaking_sentence(prose: str, start: int, stop: int) -> int | None:
    known = _patterns()
    for pattern in (known.openings, known.closings, known.about_itself):
        match = pattern.match(prose, start, stop)
        if match is not None:
            end = _sentence_end(prose, match.end(), stop)
            if pattern is not known.closings or not known.people.search(prose, start, end):
                return end
    return None


def _sentence_end(prose: str, start: int, end: int) -> int:
    found = SENTENCE_END.search(prose, max(start - 1, 0), min(end, start + LONGEST_SENTENCE))
    return found.end() if found is not None else end


def _leaks_inside(view: Markdown, block: Block, start: int, *, closing: bool) -> Iterator[tuple[int, int]]:
    """Sentences after the first; neighbours make one leak. Only the last paragraphs may say farewell."""
    start = max(start, block.end - LONGEST_BLOCK)
    leak: tuple[int, int] | None = None
    for sentence in sentences(view.prose[start : block.end]):
        begins, ends = start + sentence.start, start + sentence.end
        if begins == block.start or not _leaks(view, block, sentence.text, begins, closing):
            continue
        if leak is not None and not view.prose[leak[1] : begins].strip():
            leak = (leak[0], ends)
            continue
        if leak is not None:
            yield leak
        leak = (begins, ends)
    if leak is not None:
        yield leak


def _leaks(view: Markdown, block: Block, sentence: str, begins: int, closing: bool) -> bool:
    known = _patterns()
    about_itself = known.about_itself.match(sentence) is not None
    farewell = closing and known.closings.match(sentence) is not None and not known.people.search(sentence)
    return (about_itself or farewell) and not _in_quotes(view.prose, block.start, begins)


def _in_quotes(prose: str, start: int, place: int) -> bool:
    before = prose[start:place]
    if before.count('"') % 2:
        return True
    return any(before.rfind(opening) > before.rfind(closing) for opening, closing in PAIRS)


def _slip(view: Markdown, block: Block, start: int, end: int) -> Slip:
    shown = view.text[start:end]
    left, right = _with_blanks(view.text, block, start, end)
    return Slip(
        left,
        right,
        f"A chatbot speaks to its user here ({shown[:80]!r}).",
        "Take the phrase away.",
        replacement="",
    )


def _with_blanks(text: str, block: Block, start: int, end: int) -> tuple[int, int]:
    """The sentence with the blanks that would be left over: of a whole paragraph, with its empty line."""
    if start > block.start:
        while start > block.start and text[start - 1] in " \t":
            start -= 1
        return start, end
    while end < len(text) and text[end] in (" \t" if end < block.end else " \t\r\n"):
        end += 1
    if end < block.end or end < len(text):
        while end < block.end and text[end] in "\r\n":
            end += 1
        return start, end
    while start and text[start - 1] in " \t\r\n":
        start -= 1
    return start, end
