"""Whether a word is a form of another: light rules for endings, no dictionary. Made for terms that must be kept.

A rule that is too strict sends a right translation back, so in doubt two words count as forms of each other.
"""

from __future__ import annotations

import unicodedata
from functools import lru_cache

from rapidfuzz.fuzz import ratio

from burnish.languages.scripts import BERBER

LONGEST_ENDING: dict[str, int] = {
    **dict.fromkeys(("es", "fr", "it", "pt", "ca", "ro", "de", "nl", "sv", "da", "no"), 3),
    **dict.fromkeys(("ru", "uk", "be", "pl", "cs", "sk", "hr", "sr", "sl"), 3),
    **dict.fromkeys(("mk", "bg"), 4),
    **dict.fromkeys(("tr", "fi", "hu", "et", "eu", "ka", "kk"), 6),
    "en": 3,
}
"""Letters by which forms of a word differ at its end; articles hang there in Macedonian, cases in Finnish."""
USUAL_ENDING = 2
"""The same for a language that is not listed."""
COMPOUNDING = frozenset({"de", "nl", "sv", "da", "no", "fi", "hu"})
SHORTEST_STEM, SHORTEST_PART = 3, 4
SHORTEST_ALIKE, ALIKE = 6, 82.0
"""Long words whose vowels change inside (Apfelbaum, Apfelbäume) are told by how much they have in common."""
LONGEST = 60
TURNED = str.maketrans({"ё": "е", "ß": "ss", "ł": "l", "ø": "o", "æ": "ae", "œ": "oe", "’": "'"})
CYRILLIC_MARKED = frozenset("йѓќїЙЃЌЇ")


@lru_cache(maxsize=20_000)
def folded(word: str) -> str:
    """Small letters without accents; letters that are others without them stay (й, ѓ, ќ)."""
    lower = word.lower().translate(TURNED)
    if lower.isascii():
        return lower
    return "".join(
        c if c in CYRILLIC_MARKED else "".join(p for p in unicodedata.normalize("NFD", c) if not _is_accent(p))
        for c in unicodedata.normalize("NFC", lower)
    )


def _is_accent(sign: str) -> bool:
    return "\u0300" <= sign <= "\u036f"


def is_form_of(found: str, wanted: str, language: str) -> bool:
    """Whether `found` may be a form of `wanted`: another case, number, person, or a compound with it."""
    if len(found) > LONGEST or len(wanted) > LONGEST:
        return found == wanted
    return _is_form_of(folded(found), folded(wanted), language)


@lru_cache(maxsize=50_000)
def _is_form_of(found: str, wanted: str, language: str) -> bool:
    found, wanted = found.removesuffix("'s"), wanted.removesuffix("'s")
    if found == wanted:
        return True
    if language in BERBER:
        found, wanted = _without_state(found), _without_state(wanted)
    ending = LONGEST_ENDING.get(language, USUAL_ENDING)
    shared = _shared_beginning(found, wanted)
    stem = min(len(wanted), max(SHORTEST_STEM, len(wanted) - ending))
    if shared >= stem and len(found) - shared <= ending + 1:
        return True
    if language in COMPOUNDING and len(wanted) >= SHORTEST_PART and wanted[: len(wanted) - 1] in found:
        return True
    return len(wanted) >= SHORTEST_ALIKE and ratio(found, wanted) >= ALIKE


def _shared_beginning(one: str, other: str) -> int:
    for place, (first, second) in enumerate(zip(one, other, strict=False)):
        if first != second:
            return place
    return min(len(one), len(other))


def _without_state(word: str) -> str:
    """A Berber noun without what changes before it: axxam, uxxam, ixxamen; tamurt, tmurt, timura."""
    bare = word.lstrip("aeiuw") if len(word) > SHORTEST_STEM else word
    if bare.startswith("t") and len(bare) > SHORTEST_STEM:
        bare = bare[1:].lstrip("aeiu")
    return bare or word
