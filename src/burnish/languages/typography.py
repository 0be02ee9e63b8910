"""The typography of each language: quotation marks, dashes, opening marks, wide marks, and how sentences end."""

from __future__ import annotations

from typing import Literal

from burnish.languages.tables import key_of_each, table

Pair = tuple[str, str]

QUOTES: dict[str, tuple[Pair, ...]] = {
    language: tuple((pair[0], pair[1]) for pair in pairs.split())
    for language, pairs in table("typography")["quotes"].items()
}
"""Language -> the quotation marks that its typography knows; those of the first pair are put in by a fix."""

NARROW, WIDE = "\u202f", "\u00a0"

OPENED: dict[str, str] = {"?": "¿", "!": "¡"}

DASHES = key_of_each(table("typography")["dashes"])
WIDE_MARKS: dict[str, dict[str, str]] = {
    language: dict(zip(",.;:!?", signs, strict=True)) for language, signs in table("typography")["wide_marks"].items()
}


Closing = Literal[
    "period", "question", "exclamation", "ellipsis", "colon", "semicolon", "comma", "dash", "none", "other"
]
"""`none`: a letter or a digit. `other`: code, a formula, an address, a sign that closes nothing."""

MARKS: dict[str, Closing] = {
    mark: closing for closing, marks in table("typography")["closings"].items() for mark in marks
}

_SIGNS: dict[Closing, dict[str, str]] = {
    closing: key_of_each(signs) for closing, signs in table("typography")["signs"].items()
}
_PLAIN: dict[Closing, str] = {"period": ".", "question": "?", "exclamation": "!", "ellipsis": "…", "colon": ":"}


def sign_of(closing: Closing, language: str) -> str:
    """How the language writes such a mark."""
    return _SIGNS.get(closing, {}).get(language, _PLAIN.get(closing, ""))
