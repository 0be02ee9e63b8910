"""How much text each language needs to say the same, and how much a text says in sentences and letters."""

from __future__ import annotations

import re

from burnish.languages.cache import kept
from burnish.languages.scripts import letters_of
from burnish.languages.sentences import sentences

_MEASURED = "en 1.0 es 1.07 fr 1.12 de 1.12 it 1.12 ru 0.98 mk 0.98 bg 0.98 pl 1.03 cs 0.97 kab 0.92 tzm 0.97 zgh 0.76"
_MEASURED_DENSE = "hi 0.97 zh 0.35 ja 0.44"
_ESTIMATED = (
    "pt 1.06 nl 1.08 ro 1.08 ca 1.07 uk 0.98 sr 0.97 sv 1.0 da 1.02 shi 0.95 rif 0.95 tr 1.0 ar 0.85 he 0.78 ko 0.52"
    " yue 0.35 th 0.9"
)
_FIGURES = " ".join((_MEASURED, _MEASURED_DENSE, _ESTIMATED)).split()
_PER_ENGLISH_LETTER: dict[str, float] = dict(zip(_FIGURES[::2], map(float, _FIGURES[1::2]), strict=True))
"""Language -> characters without blanks that say what one says in English."""
DENSE_SCRIPTS = ("Han", "Hiragana", "Katakana", "Hangul")
DENSE_LETTER = 0.4
GUESSED = 0.3
"""What is allowed more where a language's length is only guessed."""


def size(prose: str) -> int:
    """Characters of prose without blanks; code and addresses count as what they are."""
    return len("".join(prose.split()))


def per_english_letter(prose: str, language: str) -> tuple[float, float]:
    """Characters for one of English, and what is allowed more because they are guessed."""
    known = _PER_ENGLISH_LETTER.get(language)
    if known is not None:
        return known, 0.0
    dense = letters_of(DENSE_SCRIPTS, prose) * 3 > size(prose)
    return (DENSE_LETTER if dense else 1.0), GUESSED


DENSE = re.compile(r"[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff]")
"""Signs that each say about as much as three letters."""
DENSE_WORTH = 2.6
WITHOUT_VOWELS = re.compile(r"[\u0590-\u06ff\u2d30-\u2d7f]")
"""Hebrew, Arabic and Tifinagh leave most vowels out."""
WITHOUT_VOWELS_WORTH = 1.4


@kept
def bulk(prose: str) -> float:
    """Letters and digits; a sign of a dense script counts for several of them."""
    dense, bare = len(DENSE.findall(prose)), len(WITHOUT_VOWELS.findall(prose))
    return sum(map(str.isalnum, prose)) + dense * (DENSE_WORTH - 1) + bare * (WITHOUT_VOWELS_WORTH - 1)


@kept
def sentence_count(prose: str) -> int:
    """Sentences that say something. Hindi and Chinese end them with marks of their own."""
    marked = prose.replace("।", ". ").replace("॥", ". ")
    return sum(1 for sentence in sentences(marked) if any(map(str.isalpha, sentence.text)))
