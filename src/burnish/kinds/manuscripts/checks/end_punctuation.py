"""end_punctuation: a translation that does not end as its source ends.

What it looks for: a source that ends with a full stop, a question or exclamation mark or an ellipsis, and a translation
that ends with a letter or a comma; the other way round, a full stop behind what has none in the source, such as a
heading; a colon that got lost before a list. Closing quotation marks, brackets, emphasis and notes are looked past,
and marks of all scripts are known.
Why it matters: a missing full stop is the trace of a translation that broke off, and readers see it at once.
Fix: safe where only the mark is missing at the very end, or one too many stands there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from burnish.core.checks import check
from burnish.core.findings import Finding
from burnish.kinds.manuscripts.findings import told
from burnish.kinds.manuscripts.model import Paragraph, pair
from burnish.kinds.manuscripts.sides import Side, source_of, target_of
from burnish.languages.slips import Slip
from burnish.languages.typography import MARKS, Closing, sign_of
from burnish.text.markdown import STANDS_FOR
from burnish.text.truncation import TRAILING

SENTENCE_ENDS: frozenset[Closing] = frozenset({"period", "question", "exclamation", "ellipsis"})
CLOSERS = "\"'”’“‘»«›‹)]}）」』》〉】*_~| \t\r\n\u00a0\u202f"
TAIL = 400
"""Characters that are looked at: what a text ends with stands at its end."""
UNPUNCTUATED = frozenset({"th", "lo", "km", "my", "bo", "dz"})
"""A sentence may end with a letter."""


class End(NamedTuple):
    """The end of a text."""

    closing: Closing
    start: int
    """Where the mark stands, or the last letter where there is none."""
    end: int
    bare: bool
    """Whether nothing stands behind the mark: no quotation mark, no bracket, no emphasis."""


def end_of(side: Side) -> End | None:
    """None for a text without anything that is read."""
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
"""Marks that belong to the letter before them: vowels of Hindi, the sign of a rounded consonant."""
NAMES: dict[Closing, str] = {
    "period": "a full stop",
    "question": "a question mark",
    "exclamation": "an exclamation mark",
    "ellipsis": "an ellipsis",
    "colon": "a colon",
    "comma": "a comma",
    "semicolon": "a semicolon",
    "none": "no mark",
}
SENTENCE = 3
"""Words of a source that is a sentence rather than an abbreviation."""


@check(
    id="end_punctuation",
    title="End punctuation differs",
    severity="error",
    bad=(
        pair("en>es", "The rain stopped at noon.", "La lluvia cesó al mediodía"),
        pair("zh>en", "彗星可能是水的来源。", "Comets may be the source of water"),
        pair("en>es", "“Where were you all night?” she asked.", "«¿Dónde estuviste toda la noche?», preguntó ella,"),
        pair("en>es", "He was **very** tired.[^1]", "Estaba **muy cansado**[^1]"),
        pair("en>zh", "Comets bring water to us.", "彗星给我们带来水"),
        pair("en>es", "The second chapter", "El segundo capítulo.", block="heading"),
    ),
    good=(
        pair("en>es", "He said: “The rain stopped at noon.”", "Dijo: «La lluvia cesó al mediodía»."),
        pair("en>ja", "The rain stopped at noon.", "正午に雨がやんだ。"),
        pair("en>es", "The second chapter", "El segundo capítulo", block="heading"),
        pair("en>es", "Run `pip install`.", "Ejecuta `pip install`"),
        pair("en>th", "It rains.", "ฝนตก"),
        pair("en>es", "It ends with a question, does it not?", "Termina con una pregunta."),
    ),
)
def end_punctuation(paragraph: Paragraph) -> Iterator[Finding]:
    source, target = source_of(paragraph), target_of(paragraph)
    wanted, found = end_of(source), end_of(target)
    if paragraph.block == "table" or wanted is None or found is None:
        return
    slip = _slip(paragraph, source, target, wanted, found)
    if slip is not None:
        yield from told(paragraph, [slip])


def _slip(paragraph: Paragraph, source: Side, target: Side, wanted: End, found: End) -> Slip | None:
    if wanted.closing in SENTENCE_ENDS and found.closing in ("none", "comma", "semicolon"):
        if target.language in UNPUNCTUATED:
            return None
        # Items of a list may do without full stops: that is a choice, as it is in headings.
        plain = paragraph.block not in ("heading", "list") and len(source.prose.split(maxsplit=SENTENCE)) >= SENTENCE
        unspaced = "Han" in source.scripts and len(source.prose) > SENTENCE
        return _missing(target, wanted, found, certain=(plain or unspaced) and found.closing != "semicolon")
    if wanted.closing == "colon" and found.closing == "none":
        return _missing(target, wanted, found, certain=False)
    if wanted.closing == "none" and found.closing == "period":
        return _too_many(found)
    return None


def _missing(target: Side, wanted: End, found: End, *, certain: bool) -> Slip:
    sign = sign_of(wanted.closing, target.language)
    mended = found.bare and found.closing == "none" and not (wanted.closing == "question" and target.language == "es")
    last = target.view.text[found.start : found.end]
    return Slip(
        found.start,
        found.end,
        f"The source ends with {NAMES[wanted.closing]}, the translation with {NAMES[found.closing]}.",
        f"End it with {NAMES[wanted.closing]}.",
        replacement=last + sign if mended else None,
        severity="error" if certain else "warning",
    )


def _too_many(found: End) -> Slip:
    return Slip(
        found.start,
        found.end,
        "The translation ends with a full stop, the source with no mark.",
        "Leave the full stop away, as in the source.",
        replacement="" if found.bare else None,
        severity="warning",
    )
