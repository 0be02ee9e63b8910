"""Pedagogical value: whether the LEGOs are worth learning. The mean over them of

.40 frequency      5, and 1 more for each useful pattern, at most 10: auxiliary and "you", a question word in front,
                   "I" and a common verb, negation, a word of time, a courtesy
.35 size           3 to 5 words 10; 2 or 6 words 8; 1 word 4; 7 words 6, and one less for each further, down to 3
.25 reusability    a frame with an open slot ("I want to ...") 10; a pronoun 8; names a language 6; else 7
"""

from __future__ import annotations

from collections.abc import Sequence

from burnish.kinds.legos.scoring.extraction import Extraction
from burnish.kinds.legos.scoring.phrases import holds_phrase, holds_pronoun, useful_patterns
from burnish.kinds.legos.scoring.rounding import mean
from burnish.languages.profiles import Tongue

_SIZES = (0.0, 4.0, 8.0, 10.0, 10.0, 10.0, 8.0, 6.0, 5.0, 4.0)
"""By the number of words; 3 from there on."""
_LARGE = 3.0


def pedagogical_value(extraction: Extraction) -> float:
    """The score of pedagogical value."""
    return mean([value_of(piece.bares, extraction.tongue) for piece in extraction.pieces])


def value_of(bares: Sequence[str], tongue: Tongue) -> float:
    """What one LEGO of these words is worth."""
    return 0.40 * frequency(bares, tongue) + 0.35 * size_score(len(bares)) + 0.25 * reusability(bares, tongue)


def frequency(bares: Sequence[str], tongue: Tongue) -> float:
    return min(10.0, 5.0 + useful_patterns(bares, tongue))


def size_score(words: int) -> float:
    return _SIZES[words] if words < len(_SIZES) else _LARGE


def reusability(bares: Sequence[str], tongue: Tongue) -> float:
    if holds_phrase(bares, tongue.frames):
        return 10.0
    if holds_pronoun(bares, tongue):
        return 8.0
    return 6.0 if not tongue.language_names.isdisjoint(bares) else 7.0
