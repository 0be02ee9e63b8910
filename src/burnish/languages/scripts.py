"""Scripts: their letters, the languages written in them, and letters that look like those of another script."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import cache

from burnish.languages.slips import Slip
from burnish.languages.words import word_set

RANGES: dict[str, str] = {
    "Latin": (
        "A-Za-z\u00aa\u00ba\u00c0-\u024f\u0250-\u02af\u1d00-\u1dbf\u1e00-\u1eff\u2c60-\u2c7f\ua720-\ua7ff"
        "\ufb00-\ufb06\uff21-\uff3a\uff41-\uff5a"
    ),
    "Greek": "\u0370-\u03ff\u1f00-\u1fff",
    "Cyrillic": "\u0400-\u052f\u1c80-\u1c8f\u2de0-\u2dff\ua640-\ua69f",
    "Armenian": "\u0530-\u058f",
    "Hebrew": "\u0590-\u05ff\ufb1d-\ufb4f",
    "Arabic": "\u0600-\u06ff\u0750-\u077f\u08a0-\u08ff\ufb50-\ufdff\ufe70-\ufefc",
    "Syriac": "\u0700-\u074f",
    "Devanagari": "\u0900-\u097f\ua8e0-\ua8ff",
    "Bengali": "\u0980-\u09ff",
    "Gurmukhi": "\u0a00-\u0a7f",
    "Gujarati": "\u0a80-\u0aff",
    "Oriya": "\u0b00-\u0b7f",
    "Tamil": "\u0b80-\u0bff",
    "Telugu": "\u0c00-\u0c7f",
    "Kannada": "\u0c80-\u0cff",
    "Malayalam": "\u0d00-\u0d7f",
    "Sinhala": "\u0d80-\u0dff",
    "Thai": "\u0e00-\u0e7f",
    "Lao": "\u0e80-\u0eff",
    "Tibetan": "\u0f00-\u0fff",
    "Myanmar": "\u1000-\u109f",
    "Georgian": "\u10a0-\u10ff\u1c90-\u1cbf",
    "Hangul": "\u1100-\u11ff\u3130-\u318f\uac00-\ud7af",
    "Ethiopic": "\u1200-\u139f",
    "Khmer": "\u1780-\u17ff",
    "Mongolian": "\u1800-\u18af",
    "Tifinagh": "\u2d30-\u2d7f",
    "Hiragana": "\u3040-\u309f",
    "Katakana": "\u30a0-\u30ff\u31f0-\u31ff\uff66-\uff9f",
    "Han": "\u2e80-\u2fdf\u3005-\u3007\u3021-\u3029\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af",
    "Bopomofo": "\u3100-\u312f",
}
COMMON = (
    "\x00-\x40\\[-`{-\u00a9\u00ab-\u00b9\u00bb-\u00bf\u00d7\u00f7\u02b0-\u036f\u2000-\u2bff\u2e00-\u2e7f"
    "\u3000-\u3004\u3008-\u3020\u302a-\u303f\ufe00-\ufe6f\ufeff-\uff20\uff3b-\uff40\uff5b-\uff65"
    "\uffe0-\uffff\U0001d400-\U0001faff\U000e0000-\U0010ffff\ue000-\uf8ff"
)
"""Digits, marks, symbols, mathematical letters, pictures: at home in every script."""

_WRITTEN_IN: dict[str, tuple[str, ...]] = {
    "Cyrillic": ("ru uk be bg mk kk ky tg mn tt ba cv os ce av sah udm", "sr bs uz az cnr sh"),
    "Greek": ("el grc",),
    "Arabic": ("ar fa ur ps sd ug ckb arz pnb",),
    "Hebrew": ("he yi iw",),
    "Devanagari": ("hi mr ne sa mai bho kok",),
    "Bengali": ("bn as",),
    "Gurmukhi": ("pa",),
    "Gujarati": ("gu",),
    "Oriya": ("or",),
    "Tamil": ("ta",),
    "Telugu": ("te",),
    "Kannada": ("kn",),
    "Malayalam": ("ml",),
    "Sinhala": ("si",),
    "Thai": ("th",),
    "Lao": ("lo",),
    "Tibetan": ("bo dz",),
    "Myanmar": ("my",),
    "Georgian": ("ka xmf",),
    "Armenian": ("hy",),
    "Ethiopic": ("am ti",),
    "Khmer": ("km",),
    "Hangul": ("ko",),
    "Tifinagh": ("zgh", "kab tzm shi rif ber"),
}
"""Script -> languages written in it alone, and languages written in it beside Latin."""

SCRIPTS_OF: dict[str, tuple[str, ...]] = {
    **{language: (script,) for script, (alone, *_) in _WRITTEN_IN.items() for language in word_set(alone)},
    **{
        language: ("Latin", script)
        for script, (_, *both) in _WRITTEN_IN.items()
        for listed in both
        for language in word_set(listed)
    },
    "ko": ("Hangul", "Han"),
    "ja": ("Hiragana", "Katakana", "Han"),
    "zh": ("Han", "Bopomofo"),
    "yue": ("Han", "Bopomofo"),
}
"""Language -> its scripts. A language that is not listed is taken to be written in Latin."""

UNSPACED = word_set("zh ja yue th lo km my bo")
"""Languages written without blanks between words."""

BERBER = frozenset({"kab", "tzm", "shi", "rif", "ber", "zgh"})
"""Written in Latin, with letters of their own that are often typed as Greek or Cyrillic ones."""
BERBER_LETTERS = frozenset("εγΕΓԑԐ")

_SCRIPT = {script: re.compile(f"[{ranges}]") for script, ranges in RANGES.items()}


def scripts_of(language: str) -> tuple[str, ...]:
    """The scripts of a language; empty where the language is unknown."""
    return () if language in ("und", "") else SCRIPTS_OF.get(language, ("Latin",))


@cache
def script_of(letter: str) -> str:
    """The script of one letter, as Unicode names it where it is a rare one."""
    for script, pattern in _SCRIPT.items():
        if pattern.match(letter):
            return script
    return unicodedata.name(letter, "another").split()[0].capitalize()


@cache
def outside(scripts: tuple[str, ...]) -> re.Pattern[str]:
    """Stretches of characters of other scripts, with blanks and marks between them. Latin is at home everywhere."""
    home = COMMON + RANGES["Latin"] + "".join(RANGES.get(script, "") for script in scripts)
    return re.compile(f"[^{home}]+(?:[ \u3000,.;:'’‘·-]{{1,3}}[^{home}]+)*")


@cache
def within(scripts: tuple[str, ...]) -> re.Pattern[str]:
    """Stretches of letters of these scripts."""
    return re.compile("[" + "".join(RANGES.get(script, "") for script in scripts) + "]+")


def letters_of(scripts: tuple[str, ...], prose: str) -> int:
    """How many letters of these scripts the prose has."""
    return sum(map(len, within(scripts).findall(prose)))


_CYRILLIC = "АВЕЅІЈКМНОРСТУХаеорсухіјѕԛԝһ"
_LATIN_OF_CYRILLIC = "ABESIJKMHOPCTYXaeopcyxijsqwh"
_GREEK = "ΑΒΕΖΗΙΚΜΝΟΡΤΥΧοανικρτυχ"
_LATIN_OF_GREEK = "ABEZHIKMNOPTYXoavikptux"

TO_LATIN = {
    **dict(zip(_CYRILLIC, _LATIN_OF_CYRILLIC, strict=True)),
    **dict(zip(_GREEK, _LATIN_OF_GREEK, strict=True)),
}
TO_CYRILLIC = dict(zip("ABEKMHOPCTXaeopcyx", "АВЕКМНОРСТХаеорсух", strict=True))
_CYRILLIC_SIGNS, _GREEK_SIGNS, _LATIN_SIGNS = "\u0400-\u052f", "\u0370-\u03ff", "A-Za-z\u00c0-\u024f"
_SUSPECT = re.compile(f"[{_CYRILLIC_SIGNS}{_GREEK_SIGNS}]")
_MIXED = re.compile(rf"[{_LATIN_SIGNS}{_CYRILLIC_SIGNS}{_GREEK_SIGNS}\d_]+")
_IN_CYRILLIC = re.compile(
    rf"[{_LATIN_SIGNS}]+[{_CYRILLIC_SIGNS}][{_LATIN_SIGNS}{_CYRILLIC_SIGNS}]*|[{_CYRILLIC_SIGNS}]+[{_LATIN_SIGNS}][{_LATIN_SIGNS}{_CYRILLIC_SIGNS}]*"
)
_LONGEST_MIXED = 60
_CAPITALS_WITH_ENDING = re.compile(rf"[A-Z]{{2,}}[{_CYRILLIC_SIGNS}]+$")
"""An abbreviation with a Russian case ending."""


def mixed_words(prose: str, language: str) -> Iterator[tuple[int, int, str]]:
    """Words with look-alikes of another alphabet: where, and the word as it should be."""
    if prose.isascii():
        return
    home = scripts_of(language)
    at = 0
    pattern = _IN_CYRILLIC if "Cyrillic" in home else _SUSPECT
    while (match := pattern.search(prose, at)) is not None:
        start, end = _word_around(prose, match.start())
        mended = _mended(prose[start:end], home, language)
        if mended is not None and (end - start > 1 or _stands_free(prose, start)):
            yield start, end, mended
        at = max(end, match.end())


def _stands_free(prose: str, place: int) -> bool:
    """A letter between blanks, not one that is quoted or put in brackets."""
    before, after = prose[place - 1 : place], prose[place + 1 : place + 2]
    return (not before or before.isspace()) and (not after or after.isspace())


def _word_around(prose: str, place: int) -> tuple[int, int]:
    start = place
    while start and place - start < _LONGEST_MIXED and _MIXED.match(prose[start - 1]):
        start -= 1
    word = _MIXED.match(prose, start, start + 2 * _LONGEST_MIXED)
    return start, word.end() if word is not None else place + 1


def _mended(word: str, home: tuple[str, ...], language: str) -> str | None:
    """The word in one alphabet; None where it is in one already, or cannot be put into one."""
    if len(word) > _LONGEST_MIXED or any(c.isdigit() or c == "_" for c in word):
        return None
    latin = sum(c.isascii() or c <= "\u024f" for c in word)
    other = len(word) - latin
    if not latin:
        return _single(word, home)
    if not other:
        return None
    foreign = [c for c in word if c > "\u024f"]
    if foreign[0] < "\u0400" or "Cyrillic" not in home:
        return _in_latin(word, foreign, latin, language)
    if other >= latin and not _CAPITALS_WITH_ENDING.match(word):
        return _exchanged(word, TO_CYRILLIC, [c for c in word if c <= "\u024f"])
    return _in_latin(word, foreign, latin, language) if latin > other + 1 else None


def _single(word: str, home: tuple[str, ...]) -> str | None:
    """One Cyrillic letter alone among Latin words may be the article or the conjunction that it looks like."""
    if len(word) != 1 or home != ("Latin",) or word not in "аАоОеіІ":
        return None
    return TO_LATIN[word]


def _in_latin(word: str, foreign: list[str], latin: int, language: str) -> str | None:
    if language in BERBER and BERBER_LETTERS.issuperset(foreign):
        return None
    if all(c < "\u0400" for c in foreign):
        # Greek letters hang on Latin words as symbols (TNFα, πr): a slip stands between two small letters.
        inside = re.search(rf"[a-z][{_GREEK_SIGNS}]+[a-z]", word)
        if inside is None or len(word) < 4:
            return None
    return _exchanged(word, TO_LATIN, foreign) if latin >= len(foreign) else None


def _exchanged(word: str, table: dict[str, str], foreign: list[str]) -> str | None:
    if not all(c in table for c in foreign):
        return None
    strangers = set(foreign)
    return "".join(table[c] if c in strangers else c for c in word)


def homoglyphs(prose: str, language: str) -> Iterator[Slip]:
    """Words that look right and are not: nobody finds them by searching."""
    for start, end, mended in mixed_words(prose, language):
        word = prose[start:end]
        strange = "".join(dict.fromkeys(c for c, m in zip(word, mended, strict=True) if c != m))
        yield Slip(
            start,
            end,
            f"{word!r} has letters of another alphabet that only look alike ({strange}).",
            f"Write {mended!r} with letters of one alphabet.",
            replacement=mended,
        )
