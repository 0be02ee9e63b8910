"""Full stops that end no sentence: of abbreviations ("Dr. Jackson"), of initials, between letters ("the U.S.")."""

from __future__ import annotations

from functools import cache

import regex

from burnish.kinds.legos.tongues.loading import abbreviations_of
from burnish.kinds.legos.tongues.tongue import Tongue
from burnish.kinds.legos.words import Word

_DOTTED = regex.compile(r"\p{L}{1,3}(?:\.\p{L}{1,3})+|\p{Lu}")
"""`U.S`, `p.m`, and the initial of a name; their last stop is no part of the word."""


def has_inner_dot(word: Word, behind: Word, tongue: Tongue | None) -> bool:
    """Whether a full stop between two words would belong to the first of them.

    Behind dotted letters a sentence can end as well: it does before a word of grammar with a capital letter ("in the
    U.S. He"). Where the language is not known, any word with a capital letter may be one, and the abbreviations of
    every language count.
    """
    known = tongue.abbreviations if tongue is not None else _all_abbreviations()
    if word.bare in known:
        return True
    if not _DOTTED.fullmatch(word.text):
        return False
    begins = behind.text[:1].isupper() and (tongue is None or behind.bare in tongue.function_words)
    return not begins


@cache
def _all_abbreviations() -> frozenset[str]:
    return abbreviations_of()
