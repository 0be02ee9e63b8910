"""How long a translation may be expected to be: by language, and the looser the shorter the text."""

from __future__ import annotations

from math import exp, log, sqrt
from typing import NamedTuple

from burnish.kinds.manuscripts.wording.sides import Side
from burnish.languages.scripts import letters_of

_MEASURED = "en 1.0 es 1.07 fr 1.12 de 1.12 it 1.12 ru 0.98 mk 0.98 bg 0.98 pl 1.03 cs 0.97 kab 0.92 tzm 0.97 zgh 0.76"
_MEASURED_DENSE = "hi 0.97 zh 0.35 ja 0.44"
_ESTIMATED = (
    "pt 1.06 nl 1.08 ro 1.08 ca 1.07 uk 0.98 sr 0.97 sv 1.0 da 1.02 shi 0.95 rif 0.95 tr 1.0 ar 0.85 he 0.78 ko 0.52"
    " yue 0.35 th 0.9"
)
_FIGURES = " ".join((_MEASURED, _MEASURED_DENSE, _ESTIMATED)).split()
_PER_ENGLISH_LETTER: dict[str, float] = dict(zip(_FIGURES[::2], map(float, _FIGURES[1::2]), strict=True))
"""Language -> characters without blanks that say what one says in English."""
DENSE = ("Han", "Hiragana", "Katakana", "Hangul")
DENSE_LETTER = 0.4
GUESSED = 0.3
"""What is allowed more where a language's length is only guessed."""

ERROR, ERROR_OF_SHORT = 0.55, 3.2
WARNING, WARNING_OF_SHORT = 0.35, 2.4
"""Logarithms of the ratio: what any text is allowed, and what a text of one letter is allowed beside it."""
SHORTEST = 12
"""Letters of a source from which its translation's length is judged."""
LEAST_DIFFERENCE = 8


class Length(NamedTuple):
    """What was found beside what was expected."""

    found: int
    expected: float
    excess: float
    """How far the ratio is beyond what is expected, as a logarithm; negative: too short."""
    warning: float
    error: float

    @property
    def times(self) -> float:
        """The ratio, as a number of 1 or more."""
        return exp(abs(self.excess))


def _size(side: Side) -> int:
    """Characters of prose without blanks; code and addresses count as what they are."""
    return len("".join(side.prose.split()))


def _per_english_letter(side: Side) -> tuple[float, float]:
    """Characters for one of English, and what is allowed more because they are guessed."""
    known = _PER_ENGLISH_LETTER.get(side.language)
    if known is not None:
        return known, 0.0
    dense = letters_of(DENSE, side.prose) * 3 > _size(side)
    return (DENSE_LETTER if dense else 1.0), GUESSED


def compared(source: Side, target: Side) -> Length | None:
    """None where the source is too short to tell, or there is no translation, which is another rule's."""
    size, found = _size(source), _size(target)
    own, guessed = _per_english_letter(source)
    other, guessed_too = _per_english_letter(target)
    expected = size * other / own
    meaning = size / own
    if meaning < SHORTEST or not found or abs(found - expected) < LEAST_DIFFERENCE:
        return None
    more = guessed + guessed_too
    short = 1 / sqrt(meaning)
    return Length(
        found,
        expected,
        log(found / expected),
        WARNING + WARNING_OF_SHORT * short + more,
        ERROR + ERROR_OF_SHORT * short + more,
    )
