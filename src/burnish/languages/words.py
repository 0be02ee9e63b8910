"""Words of a text with their positions: tokens, English stop words, a light stem for comparing; and slips, single small
errors in a text. Pure and linear."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import islice
from typing import Any

from burnish.core.findings import Severity
from burnish.languages.tables import words_in

WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
"""Letters, with apostrophes and hyphens inside: "patient's", "X-ray", "non-small-cell"."""

_ASCII_LETTERS = bytes(
    ord(c.lower()) if (c := chr(n)).isascii() and (c.isalpha() or c in "'-") else 32 for n in range(256)
)
"""Letters in lower case, and a space for everything between words."""

_LOOSE_MARKS = ("--", "''", "-'", "'-", " -", "- ", " '", "' ")
"""Apostrophes and hyphens that belong to no word, in the order in which they are removed."""

TOKEN = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*|\d+(?:[.,]\d+)*")
"""A word or a number."""


def word_set(listed: str) -> frozenset[str]:
    """A set of the words in a string: keeps lists of hundreds of words readable."""
    return frozenset(listed.split())


NEGATIONS = words_in("words", "negations")
"""Words that negate a statement, in lower case and with a straight apostrophe."""

STOP_WORDS = words_in("words", "stop_words")
"""English words of grammar, without content of their own."""

LONGEST_STEMMED = 40
"""Longer "words" are data: they are compared unchanged and never cached."""

# Without an inflection at least four letters must remain, so that "sing" and "fly" stay whole; without a derivation
# five, so that "animal" does not become "anim".
_INFLECTIONS = ("ingly", "edly", "ing", "ed", "ly", "er", "e", "y")
_DERIVATIONS = tuple(sorted(words_in("words", "derivations"), key=lambda suffix: (-len(suffix), suffix)))
_SHORTEST_STEM, _SHORTEST_ROOT = 4, 5


@dataclass(frozen=True, slots=True)
class Word:
    """A word and its position in the text."""

    text: str
    start: int
    end: int

    @property
    def span(self) -> tuple[int, int]:
        return (self.start, self.end)

    @property
    def lower(self) -> str:
        return self.text.lower()


def words(text: str) -> Iterator[Word]:
    """Every word of `text` with its position; numbers are not words."""
    for match in WORD.finditer(text):
        yield Word(match.group(), match.start(), match.end())


def word_list(text: str) -> list[str]:
    """Every word in lower case: faster than `words`, without positions."""
    if not text.isascii():
        return WORD.findall(text.lower())
    # Translating everything but words to spaces is three times as fast as a pattern.
    bare = f" {text.encode().translate(_ASCII_LETTERS).decode()} "
    if "-" in bare or "'" in bare:
        for mark in _LOOSE_MARKS:
            bare = bare.replace(mark, "  ")
    return bare.split()


def token_list(text: str) -> list[str]:
    """Every word and number in lower case."""
    return TOKEN.findall(text.lower())


def content_stems(text: str) -> set[str]:
    """The stems of a text's content words."""
    return content_stems_of(word_list(text))


def content_stems_of(lower_words: Iterable[str]) -> set[str]:
    """The same for a list of words in lower case."""
    found = set(map(_CONTENT_STEMS.__getitem__, lower_words))
    found.discard("")
    return found


def stem(word: str) -> str:
    """A light English stem: for comparing words, not for display."""
    return _stem(word.lower()) if len(word) <= LONGEST_STEMMED else word.lower()


@lru_cache(maxsize=20_000)
def _stem(word: str) -> str:
    word = _singular(word.removesuffix("'s").removesuffix("’s"))
    for suffix in _DERIVATIONS:
        if word.endswith(suffix) and len(word) - len(suffix) >= _SHORTEST_ROOT:
            return word[: -len(suffix)].removesuffix("e")
    for suffix in _INFLECTIONS:
        if word.endswith(suffix) and len(word) - len(suffix) >= _SHORTEST_STEM:
            return _undoubled(word[: -len(suffix)])
    return word


def _singular(word: str) -> str:
    if len(word) < _SHORTEST_STEM or word.endswith(("ss", "us", "is")) or not word.endswith("s"):
        return word
    if word.endswith("ies"):
        return f"{word[:-3]}y"
    return word[:-2] if word.endswith(("sses", "ches", "shes", "xes")) else word[:-1]


def _undoubled(stem: str) -> str:
    """ "stopp(ed)" -> "stop": a doubled final consonant becomes one."""
    return stem[:-1] if len(stem) > _SHORTEST_STEM and stem[-1] == stem[-2] else stem


class _ContentStems(dict[str, str]):
    """A cache: word in lower case -> its stem, empty for a stop word. Cleared when it is full."""

    LARGEST = 20_000

    def __missing__(self, word: str) -> str:
        if len(word) > LONGEST_STEMMED:
            return word
        if len(self) >= self.LARGEST:
            self.clear()
        value = self[word] = "" if word in STOP_WORDS else _stem(word)
        return value


_CONTENT_STEMS = _ContentStems()


def bare(text: str) -> str:
    """A word or a phrase in the form used for comparing."""
    return unicodedata.normalize("NFC", text).casefold().replace("’", "'")


def common_length(left: Sequence[str], right: Sequence[str]) -> int:
    """The length of the common beginning, in elements (characters, words, lines)."""
    return next((i for i, (a, b) in enumerate(zip(left, right, strict=False)) if a != b), min(len(left), len(right)))


MOST_SLIPS = 200
"""Slips of one sort that are reported for one text; a longer list helps no author."""

_CONTEXT = (0, 8, 24, 60, 160, 400, 1000)
"""Characters of context added on each side until the passage is unique in the text."""


@dataclass(frozen=True, slots=True)
class Slip:
    """One thing wrong between `start` and `end` of a text."""

    start: int
    end: int
    message: str
    suggestion: str
    replacement: str | None = None
    """The text of a safe fix for the span; None if only an author can decide."""
    severity: Severity = "error"
    data: Mapping[str, Any] = field(default_factory=dict, hash=False)
    """What the message says, for programs."""


def at_most(slips: Iterable[Slip]) -> Iterator[Slip]:
    """The first MOST_SLIPS slips of a text."""
    return islice(slips, MOST_SLIPS)


def exchange(text: str, start: int, end: int, replacement: str) -> tuple[str, str] | None:
    """A find/replace pair for the span, with as much context as makes the text to find unique.

    None if even a long stretch around the span occurs twice: the place would be ambiguous.
    """
    for around in _CONTEXT:
        left, right = max(0, start - around), min(len(text), end + around)
        find = text[left:right]
        if find and text.find(find, text.find(find) + 1) < 0:
            return find, text[left:start] + replacement + text[end:right]
    return None
