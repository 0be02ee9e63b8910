"""How a text ends: with which sort of mark, past quotation marks, brackets, emphasis and notes."""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

from burnish.kinds.manuscripts.wording.sides import Side
from burnish.text.inline import STANDS_FOR
from burnish.text.truncation import TRAILING

Closing = Literal[
    "period", "question", "exclamation", "ellipsis", "colon", "semicolon", "comma", "dash", "none", "other"
]
"""`none`: a letter or a digit. `other`: code, a formula, an address, a sign that closes nothing."""

SENTENCE_ENDS: frozenset[Closing] = frozenset({"period", "question", "exclamation", "ellipsis"})
MARKS: dict[str, Closing] = {
    **dict.fromkeys(".。．｡।॥۔።։။།", "period"),
    **dict.fromkeys("?？؟⁇⁈‽", "question"),
    **dict.fromkeys("!！‼", "exclamation"),
    **dict.fromkeys("…⋯", "ellipsis"),
    **dict.fromkeys(":：", "colon"),
    **dict.fromkeys(";；؛", "semicolon"),
    **dict.fromkeys(",，、،", "comma"),
    **dict.fromkeys("-–—―", "dash"),
}
CLOSERS = "\"'”’“‘»«›‹)]}）」』》〉】*_~| \t\r\n\u00a0\u202f"
TAIL = 400
"""Characters that are looked at: what a text ends with stands at its end."""
UNPUNCTUATED = frozenset({"th", "lo", "km", "my", "bo", "dz"})
"""A sentence may end with a letter."""

_SIGNS: dict[Closing, dict[str, str]] = {
    "period": {
        **dict.fromkeys(("zh", "ja", "yue"), "。"),
        **dict.fromkeys(("hi", "mr", "ne", "sa", "bn", "as", "pa", "or", "mai", "bho"), "।"),
        **dict.fromkeys(("am", "ti"), "።"),
        "hy": "։",
        "ur": "۔",
    },
    "question": {
        **dict.fromkeys(("zh", "ja", "yue"), "？"),
        **dict.fromkeys(("ar", "fa", "ur", "ps", "sd", "ug", "ckb"), "؟"),
        "el": ";",
        "fr": "\u202f?",
    },
    "exclamation": {**dict.fromkeys(("zh", "ja", "yue"), "！"), "fr": "\u202f!"},
    "ellipsis": {"zh": "……", "yue": "……"},
    "colon": {**dict.fromkeys(("zh", "ja", "yue"), "："), "fr": "\u00a0:"},
}
_PLAIN: dict[Closing, str] = {"period": ".", "question": "?", "exclamation": "!", "ellipsis": "…", "colon": ":"}


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


def sign_of(closing: Closing, language: str) -> str:
    """How the language writes such a mark."""
    return _SIGNS.get(closing, {}).get(language, _PLAIN.get(closing, ""))
