"""Words of two languages that sound alike: a text and its translation mostly share some."""

from __future__ import annotations

from burnish.kinds.manuscripts.facts.keeping import kept
from burnish.kinds.manuscripts.facts.letters import sound
from burnish.kinds.manuscripts.facts.names import TOKEN

BEGINNING = 4
"""Sounds at the beginning of a word that are compared; shorter words are alike by chance."""


@kept
def _beginnings(text: str) -> frozenset[str]:
    heard = (sound(match[0]) for match in TOKEN.finditer(text))
    return frozenset(word[:BEGINNING] for word in heard if len(word) >= BEGINNING)


def shared_words(source: str, target: str) -> int:
    """How many beginnings of words both texts have."""
    return len(_beginnings(source) & _beginnings(target))
