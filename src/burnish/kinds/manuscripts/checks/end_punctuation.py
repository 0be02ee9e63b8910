"""end_punctuation: an extra or a missing mark at the end of the translation.

What it looks for: a full stop where the source has none, such as after a heading; a missing colon before a list.
Closing quotation marks, brackets, emphasis and notes are ignored, and marks of all scripts are known. For a sentence
without its end see `text_breaks_off`.
Why it matters: readers see it at once.
Fix: safe if an extra full stop is the last character.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from burnish.core.checks import check
from burnish.core.findings import Finding
from burnish.kinds.manuscripts.findings import slip_findings
from burnish.kinds.manuscripts.model import Paragraph, pair
from burnish.kinds.manuscripts.sides import Side, source_of, target_of
from burnish.languages.sentences import MARKS, Closing
from burnish.languages.words import Slip, word_set
from burnish.text.markdown import STANDS_FOR
from burnish.text.truncation import TRAILING

SENTENCE_ENDS: frozenset[Closing] = frozenset({"period", "question", "exclamation", "ellipsis"})
CLOSERS = "\"'”’“‘»«›‹)]}）」』》〉】*_~| \t\r\n\u00a0\u202f"
TAIL = 400
"""Characters at the end of a text that are read."""
OFTEN_WITHOUT = word_set("ar fa ur hi vi")
"""Languages in which sentences are often written without a final mark."""
UNPUNCTUATED = frozenset({"th", "lo", "km", "my", "bo", "dz"})
"""Languages in which a sentence may end with a letter."""


class End(NamedTuple):
    """The end of a text."""

    closing: Closing
    start: int
    """The position of the mark, or of the last letter if there is none."""
    end: int
    bare: bool
    """Whether the mark is the last character: no quotation mark, bracket or emphasis after it."""


def end_of(side: Side) -> End | None:
    """The end of a text; None if it has no readable text."""
    prose, text = side.prose, side.view.text
    tail = prose[-TAIL:]
    trailing = TRAILING.search(tail)
    kept = len(prose) - len(tail) + (trailing.start() if trailing is not None else len(tail))
    closed = prose[:kept][-TAIL:].rstrip(CLOSERS)
    end = kept - len(prose[:kept][-TAIL:]) + len(closed)
    if not closed:
        return None
    return End(_closing(closed, side.language), end - 1, end, end == len(text.rstrip()))


def _closing(closed: str, language: str) -> Closing:
    last = closed[-1]
    if closed.endswith(("...", ". . .")):
        return "ellipsis"
    if language == "el" and last == ";":
        return "question"
    if last in MARKS:
        return MARKS[last]
    return "none" if last != STANDS_FOR and (last.isalnum() or ABOVE_OR_BELOW.match(last)) else "other"


ABOVE_OR_BELOW = re.compile(r"[\u0300-\u036f\u0900-\u0dff\u2d7f\u2d6f]")
"""Marks that belong to the letter before them: vowel signs of Hindi, the mark of a rounded consonant."""
NAMES: dict[Closing, str] = {
    "period": "a full stop",
    "question": "a question mark",
    "exclamation": "an exclamation mark",
    "ellipsis": "an ellipsis",
    "colon": "a colon",
    "comma": "a comma",
    "semicolon": "a semicolon",
    "dash": "a dash",
    "none": "no mark",
}


@check(
    id="end_punctuation",
    title="End punctuation differs",
    severity="warning",
    bad=(
        pair("en>es", "The second chapter", "El segundo capítulo.", block="heading"),
        pair("en>es", "You need three things:", "Necesitas tres cosas"),
    ),
    good=(
        pair("ar>en", "نحن في الطابق الثامن", "We are on the eighth floor."),
        pair("en>es", "The second chapter", "El segundo capítulo", block="heading"),
        pair("en>es", "You need three things:", "Necesitas tres cosas:"),
        pair("en>es", "The rain stopped at noon.", "La lluvia cesó al mediodía"),
    ),
)
def end_punctuation(paragraph: Paragraph) -> Iterator[Finding]:
    wanted, found = end_of(source_of(paragraph)), end_of(target_of(paragraph))
    if paragraph.block == "table" or wanted is None or found is None:
        return
    if wanted.closing == "colon" and found.closing == "none":
        yield from slip_findings(paragraph, [_lost_colon(found)])
    elif wanted.closing == "none" and found.closing == "period" and source_of(paragraph).language not in OFTEN_WITHOUT:
        yield from slip_findings(paragraph, [_too_many(found)])


def _lost_colon(found: End) -> Slip:
    return Slip(
        found.start,
        found.end,
        "The source ends with a colon, the translation with no mark.",
        "End it with a colon.",
    )


def _too_many(found: End) -> Slip:
    return Slip(
        found.start,
        found.end,
        "The translation ends with a full stop, the source with no mark.",
        "Remove the full stop, as in the source.",
        replacement="" if found.bare else None,
    )
