"""The vocabulary of a text, read once for all the rules that look for single words in it."""

from __future__ import annotations

from functools import lru_cache

from burnish.kinds.text.words import word_list


@lru_cache(maxsize=4)
def vocabulary(text: str) -> frozenset[str]:
    """The words of a text in lower case, with straight apostrophes.

    The rules of one question ask for the same stem one after the other, so that the latest few texts are enough.
    """
    return frozenset(word_list(text.replace("’", "'")))
