"""How much a text says, in sentences and in a measure of length that holds across scripts."""

from __future__ import annotations

import re

from burnish.kinds.manuscripts.facts.keeping import kept
from burnish.languages.sentences import sentences

DENSE = re.compile(r"[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff]")
"""Signs that each say about as much as three letters."""
DENSE_WORTH = 2.6
WITHOUT_VOWELS = re.compile(r"[\u0590-\u06ff\u2d30-\u2d7f]")
"""Hebrew, Arabic and Tifinagh leave most vowels out."""
WITHOUT_VOWELS_WORTH = 1.4


@kept
def bulk(prose: str) -> float:
    """Letters and digits; a sign of a dense script counts for several of them."""
    dense, bare = len(DENSE.findall(prose)), len(WITHOUT_VOWELS.findall(prose))
    return sum(map(str.isalnum, prose)) + dense * (DENSE_WORTH - 1) + bare * (WITHOUT_VOWELS_WORTH - 1)


@kept
def sentence_count(prose: str) -> int:
    """Sentences that say something. Hindi and Chinese end them with marks of their own."""
    marked = prose.replace("।", ". ").replace("॥", ". ")
    return sum(1 for sentence in sentences(marked) if any(map(str.isalpha, sentence.text)))
