"""How words of a language look: its letters and endings, its loans, and words that two languages share."""

from __future__ import annotations

import re
from functools import cache

from burnish.languages.tables import table, words_by_language, words_in


def is_everywhere(word: str) -> bool:
    """Whether most languages took the word, in small letters, over as it is; units are among them."""
    return word in words_in("loans", "everywhere")


def is_at_home(word: str, language: str) -> bool:
    """Whether the word, in small letters, belongs to the language although it looks foreign."""
    if is_everywhere(word):
        return True
    own = words_by_language("loans", "at_home").get(language, frozenset())
    alike = words_by_language("loans", "homographs").get(language, frozenset())
    return word in own or word in alike or (word.endswith("s") and word[:-1] in own)


_COMMON_LETTERS = {"latin": "abcdefghijklmnopqrstuvwxyz", "cyrillic": "абвгдежзиклмнопрстуфхцчш"}


@cache
def _strange(language: str) -> re.Pattern[str] | None:
    for alphabet, languages in table("loans")["letters"].items():
        if language in languages:
            return re.compile(f"[^{_COMMON_LETTERS[alphabet]}{languages[language]}'’\\-]")
    return None


def has_strange_letters(word: str, language: str) -> bool:
    """Whether a word in small letters has one that the language does not know; False where we do not know either."""
    strange = _strange(language)
    return strange is not None and strange.search(word) is not None


SHORTEST_STEM = 4
WEIGHT = 1.0
"""What an ending adds to the logarithm of the odds."""


def is_adverb(word: str, language: str) -> bool:
    """Whether a word ends as adverbs of the language do: no name does."""
    ending = table("loans")["adverbs"].get(language)
    return ending is not None and word.endswith(ending)


def _longest(word: str, endings: frozenset[str], shortest_stem: int) -> int:
    return max((len(end) for end in endings if word.endswith(end) and len(word) - len(end) >= shortest_stem), default=0)


def ending_weight(word: str, language: str, other: str) -> float:
    """What the ending of a word adds to the odds that it is one of `language` and none of `other`; may be negative."""
    natives, foreigns = (words_by_language("loans", name) for name in ("native_endings", "foreign_endings"))
    native = _longest(word, natives.get(other, frozenset()), SHORTEST_STEM)
    foreign = _longest(word, foreigns.get(language, frozenset()), 1) if other in natives else 0
    return WEIGHT if foreign > native else -WEIGHT if native else 0.0
