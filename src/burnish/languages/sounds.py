"""Words of several scripts brought to one set of letters, so that names can be compared by their sound."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from rapidfuzz.distance import Levenshtein

_CYRILLIC = dict(zip("абвгдеёзийіїклмнопрстуфхыэєґќѓѕљњјћђ", "abvgdeeziiiiklmnoprstufhieegkgslnihd", strict=True))
_CYRILLIC |= {"ж": "zh", "ц": "ts", "ч": "ch", "ш": "sh", "щ": "sh", "ъ": "", "ь": "", "ю": "iu", "я": "ia", "џ": "dzh"}
_GREEK = dict(zip("αβγδεζηθικλμνξοπρσςτυφχω", "avgdezitiklmnxoprsstifho", strict=True))
_SPECIAL = {"ß": "ss", "ø": "o", "đ": "d", "ł": "l", "æ": "ae", "œ": "oe", "ı": "i", "þ": "th", "ð": "d", "’": "'"}
_LETTERS = str.maketrans(_CYRILLIC | _GREEK | _SPECIAL)
_SOUNDS = (
    *(("ew", "iu"), ("ow", "au")),
    *(
        ("sch", "s"),
        ("tsch", "c"),
        ("dzh", "j"),
        ("dj", "j"),
        ("sh", "s"),
        ("ch", "k"),
        ("zh", "z"),
        ("kh", "h"),
        ("gh", "g"),
    ),
    *(("ph", "f"), ("th", "t"), ("ts", "c"), ("tz", "c"), ("ck", "k"), ("cz", "c"), ("sz", "s"), ("rz", "z")),
    *(("x", "ks"), ("q", "k"), ("c", "k"), ("w", "v"), ("y", "i"), ("j", "i"), ("ou", "u"), ("ei", "i"), ("z", "s")),
)
_DOUBLED = re.compile(r"(.)\1+")
LONGEST_WORD = 40
ALIKE = 0.72
"""How much of two words must agree, in single letters, to be one name in two languages."""
SAME_BEGINNING = 4
"""Letters at the beginning that are enough: endings decline."""

SOFT_C = re.compile("c(?=[eiy])")
VOWELS = re.compile("[aeiou]")
BONES = 3
"""Consonants that are enough: Artem and Artjom."""


def latin(word: str) -> str:
    """Small Latin letters without accents."""
    bare = unicodedata.normalize("NFKD", word[:LONGEST_WORD].lower())
    return "".join(sign for sign in bare if not unicodedata.combining(sign)).translate(_LETTERS)


@lru_cache(maxsize=50_000)
def sound(word: str) -> str:
    """A word by its sound, roughly: Chomsky and Хомский, Warschau and Warszawa come close."""
    said = SOFT_C.sub("s", latin(word))
    # Spanish puts an e before them: España, Esparta.
    said = said[1:] if said[:2] == "es" and said[2:3] not in ("", *"aeiou") else said
    for written, spoken in _SOUNDS:
        said = said.replace(written, spoken)
    return _DOUBLED.sub(r"\1", said)


def are_alike(one: str, other: str) -> bool:
    """Whether two sounds may be one name; both are given as `sound`s."""
    shorter = min(len(one), len(other))
    if shorter < 2 or (one[0] != other[0] and one[1:3] != other[1:3]):
        return False
    if shorter >= SAME_BEGINNING and one[:SAME_BEGINNING] == other[:SAME_BEGINNING]:
        return True
    if shorter == 3 and one[:3] == other[:3]:
        return True
    bones, others = VOWELS.sub("", one), VOWELS.sub("", other)
    if len(bones) >= 2 and (bones == others or (len(bones) >= BONES and bones[:BONES] == others[:BONES])):
        return True
    return Levenshtein.normalized_similarity(one, other, score_cutoff=ALIKE) >= ALIKE
