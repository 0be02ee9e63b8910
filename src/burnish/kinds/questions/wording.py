"""The vocabulary of a text, read once for all the rules that look for single words in it."""

from __future__ import annotations

from functools import lru_cache

from burnish.languages.words import word_list

LONGEST_KEPT = 4_000
"""Characters: the vocabulary of a longer text is read again each time, so that what is kept stays small."""


def vocabulary(text: str) -> frozenset[str]:
    """The words of a text in lower case, with straight apostrophes."""
    return _kept(text) if len(text) <= LONGEST_KEPT else _read(text)


def _read(text: str) -> frozenset[str]:
    return frozenset(word_list(text.replace("’", "'")))


# Several rules ask for the same texts, and a few questions are examined together.
_kept = lru_cache(maxsize=400)(_read)
