"""How alike two words of different languages are written: names, numbers and cognates align themselves."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

import numpy as np
import regex
from numpy.typing import NDArray
from rapidfuzz import process
from rapidfuzz.distance import Levenshtein

_CYRILLIC = str.maketrans(
    "абвгдежзийклмнопрстуфхцчшщъыэюяёіїєґѓѕјљњќџђћ",
    "abvgdejziiklmnoprstufhssssaieuaeiieggzilnkjds",
    "ь",
)
_GREEK = str.maketrans("αβγδεζηθικλμνοπρστυφχως", "avgdezitiklmnoprstifhos") | {ord("ξ"): "ks", ord("ψ"): "ps"}
_LATIN = {ord(sign): instead for sign, instead in zip("wyqxłøß", ("v", "i", "k", "ks", "l", "o", "ss"), strict=True)}
_SOUNDS = {**_CYRILLIC, **_GREEK, **_LATIN}
"""Letters that write one sound, in Latin. Rough on purpose: it decides what is alike, never what is shown."""
_PAIRS = (
    (regex.compile("ph"), "f"),
    (regex.compile("th"), "t"),
    (regex.compile("[sck]h|tch"), "s"),
    (regex.compile("c(?=[eiy])"), "s"),
    (regex.compile("c"), "k"),
    (regex.compile("g"), "h"),
    (regex.compile(r"(.)\1+"), r"\1"),
)
_MARKS = dict.fromkeys("\"“”„‟«»‹›'’‘‚‛`", '"') | dict.fromkeys("-–—―", "-") | {"¿": "?", "¡": "!"}
"""Punctuation that does the same work in another language."""
LEAST_LETTERS = 3
"""Shorter words are alike by chance."""
LEAST_ALIKE = 0.5


def main_part(word: str) -> str:
    """A word without what an apostrophe ties to it: `tom's` -> `tom`, `l'homme` -> `homme`."""
    return max(word.split("'"), key=len) or word


def sounded(word: str) -> str:
    """A bare word in rough Latin letters; words without a letter keep their signs, one for all of one use."""
    if not any(sign.isalpha() for sign in word):
        return "".join(_MARKS.get(sign, sign) for sign in word)
    plain = "".join(sign for sign in unicodedata.normalize("NFD", main_part(word)) if not unicodedata.combining(sign))
    sounds = unicodedata.normalize("NFC", plain).translate(_SOUNDS)
    for pattern, instead in _PAIRS:
        sounds = pattern.sub(instead, sounds)
    return sounds


def likenesses(
    sources: Sequence[str], targets: Sequence[str], source_ids: NDArray[np.int64], target_ids: NDArray[np.int64]
) -> NDArray[np.float64]:
    """For every pair of words (by their ids) how alike they are, 0..1."""
    left, right = [sounded(word) for word in sources], [sounded(word) for word in targets]
    alike = np.zeros(len(source_ids))
    numbers: dict[str, int] = {}
    left_whole = np.array([numbers.setdefault(word, len(numbers)) for word in left])
    right_whole = np.array([numbers.setdefault(word, len(numbers)) for word in right])
    same = left_whole[source_ids] == right_whole[target_ids]
    worth = (_openings(left)[source_ids] == _openings(right)[target_ids]) & ~same
    worth &= _lengths(left)[source_ids] >= LEAST_LETTERS
    worth &= _lengths(right)[target_ids] >= LEAST_LETTERS
    chosen = np.flatnonzero(worth)
    if len(chosen):
        ratios = process.cpdist(
            [left[place] for place in source_ids[chosen]],
            [right[place] for place in target_ids[chosen]],
            scorer=Levenshtein.normalized_similarity,
        )
        alike[chosen] = np.maximum(0.0, (ratios - LEAST_ALIKE) / (1 - LEAST_ALIKE))
    alike[same] = np.where(_lengths(left)[source_ids[same]] >= LEAST_LETTERS, 1.0, 0.5)
    alike[same & _signs(sources)[source_ids]] = 1.0
    return alike


def _openings(words: Sequence[str]) -> NDArray[np.int64]:
    """What a word begins with: cognates nearly always begin alike. Numbers are alike only when they are the same."""
    return np.array([ord(word[0]) if word and word[0].isalpha() else -1 - place for place, word in enumerate(words)])


def _lengths(words: Sequence[str]) -> NDArray[np.int64]:
    return np.array([len(word) for word in words])


def _signs(words: Sequence[str]) -> NDArray[np.bool_]:
    return np.array([not any(sign.isalpha() for sign in word) for word in words])
