"""Scripts: their letters, the languages written in them, and letters that look like letters of another script."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import cache

from burnish.languages.locale_names import locale_names
from burnish.languages.tables import key_of_each, table, words_in
from burnish.languages.words import Slip

RANGES: dict[str, str] = table("scripts")["ranges"]
COMMON: str = table("scripts")["common"]
"""Digits, marks, symbols, mathematical letters, pictures: used in every script."""


SCRIPTS_OF: dict[str, tuple[str, ...]] = {
    **{language: (script,) for language, script in key_of_each(table("scripts")["alone"]).items()},
    **{language: ("Latin", script) for language, script in key_of_each(table("scripts")["beside_latin"]).items()},
    **{language: tuple(scripts.split()) for language, scripts in table("scripts")["together"].items()},
}
"""Language -> its scripts. A language that is not listed is taken to be written in Latin."""

UNSPACED = words_in("scripts", "unspaced")
"""Languages written without spaces between words."""

BERBER = frozenset({"kab", "tzm", "shi", "rif", "ber", "zgh"})
"""Written in Latin, with extra letters that are often typed as Greek or Cyrillic ones."""
BERBER_LETTERS = frozenset("εγΕΓԑԐ")

_SCRIPT = {script: re.compile(f"[{ranges}]") for script, ranges in RANGES.items()}


def scripts_of(language: str) -> tuple[str, ...]:
    """The scripts of a language; empty if the language is unknown."""
    return () if language in ("und", "") else SCRIPTS_OF.get(language, ("Latin",))


@cache
def script_of(letter: str) -> str:
    """The script of one letter; of a rare script, the name that Unicode gives it."""
    for script, pattern in _SCRIPT.items():
        if pattern.match(letter):
            return script
    return unicodedata.name(letter, "another").split()[0].capitalize()


@cache
def outside(scripts: tuple[str, ...]) -> re.Pattern[str]:
    """A pattern for runs of other scripts, with the spaces and marks between them. Latin is allowed everywhere."""
    home = COMMON + RANGES["Latin"] + "".join(RANGES.get(script, "") for script in scripts)
    return re.compile(f"[^{home}]+(?:[ \u3000,.;:'’‘·-]{{1,3}}[^{home}]+)*")


@cache
def within(scripts: tuple[str, ...]) -> re.Pattern[str]:
    """A pattern for runs of letters of these scripts."""
    return re.compile("[" + "".join(RANGES.get(script, "") for script in scripts) + "]+")


def letters_of(scripts: tuple[str, ...], prose: str) -> int:
    """The number of letters of these scripts in the prose."""
    return sum(map(len, within(scripts).findall(prose)))


@cache
def names_of(script: str, language: str) -> re.Pattern[str]:
    """A pattern for the names of a script and of the languages written in it, in `language` and in English."""
    patterns = []
    for reader in sorted({language, "en"}):
        known = locale_names(reader)
        if known is None:
            continue
        names = {known.languages.get(code, "") for code, scripts in SCRIPTS_OF.items() if script in scripts}
        names.add(known.scripts.get(CODES.get(script, script[:4]), ""))
        if reader == "en":
            names.add(script)
        patterns += [_name_pattern(name, is_english=reader == "en") for name in sorted(names)]
    return re.compile("|".join(filter(None, patterns)))


def _name_pattern(name: str, *, is_english: bool) -> str:
    """Names are inflected, so a long one is matched without its ending; a short one (Spanish "han") is not matched at
    all. In English the capital is required instead: "hand" and "persist" name no language."""
    if is_english and name:
        return rf"\b(?:{re.escape(name.title())}|{re.escape(name.upper())})s?\b"
    if len(name) < SHORTEST_NAME:
        return ""
    stem = name.lower()[: max(SHORTEST_STEM, len(name) - 2)]
    return rf"(?i:(?<![^\W\d_]){re.escape(stem)})"


CODES = {"Han": "Hani", "Cyrillic": "Cyrl", "Devanagari": "Deva", "Katakana": "Kana", "Tifinagh": "Tfng"}
"""Names of scripts whose ISO 15924 code is not their first four letters."""
SHORTEST_NAME = SHORTEST_STEM = 4

_CYRILLIC = "АВЕЅІЈКМНОРСТУХаеорсухіјѕԛԝһ"
_LATIN_OF_CYRILLIC = "ABESIJKMHOPCTYXaeopcyxijsqwh"
_GREEK = "ΑΒΕΖΗΙΚΜΝΟΡΤΥΧοανικρτυχ"
_LATIN_OF_GREEK = "ABEZHIKMNOPTYXoavikptux"
_GREEK_CAPITALS = "ΑΒΕΖΗΙΚΜΝΟΡΤΥΧ"

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
    """Words with look-alikes of another alphabet: start, end, and the word corrected."""
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
    """Whether a letter stands between spaces: not quoted, not in brackets, not beside words of its own alphabet."""
    before, after = prose[place - 1 : place], prose[place + 1 : place + 2]
    if (before and not before.isspace()) or (after and not after.isspace()):
        return False
    beside = prose[max(0, place - 2) : max(0, place - 1)], prose[place + 2 : place + 3]
    return not any(_SUSPECT.match(letter) for letter in beside)


def _word_around(prose: str, place: int) -> tuple[int, int]:
    start = place
    while start and place - start < _LONGEST_MIXED and _MIXED.match(prose[start - 1]):
        start -= 1
    word = _MIXED.match(prose, start, start + 2 * _LONGEST_MIXED)
    return start, word.end() if word is not None else place + 1


def _mended(word: str, home: tuple[str, ...], language: str) -> str | None:
    """The word in one alphabet; None if it already is, or cannot be converted."""
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
    """A single Cyrillic letter among Latin words, as the article or conjunction that it looks like."""
    if len(word) != 1 or home != ("Latin",) or word not in "аАоОеіІ":
        return None
    return TO_LATIN[word]


def _in_latin(word: str, foreign: list[str], latin: int, language: str) -> str | None:
    if language in BERBER and BERBER_LETTERS.issuperset(foreign):
        return None
    if all(c < "\u0400" for c in foreign):
        # Greek letters are symbols in many Latin words (TNFα, πr). A slip is between two small letters, or a capital at
        # the beginning of a word.
        slip = re.search(rf"[a-z][{_GREEK_SIGNS}]+[a-z]|^[{_GREEK_CAPITALS}][a-z\u00df-\u024f]{{2}}", word)
        if slip is None or len(word) < 4:
            return None
    return _exchanged(word, TO_LATIN, foreign) if latin >= len(foreign) else None


def _exchanged(word: str, table: dict[str, str], foreign: list[str]) -> str | None:
    if not all(c in table for c in foreign):
        return None
    strangers = set(foreign)
    return "".join(table[c] if c in strangers else c for c in word)


def homoglyphs(prose: str, language: str) -> Iterator[Slip]:
    """Words with look-alike letters, which a search for the word does not find."""
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
