"""Which terms of a glossary occur in a text, without asking for each of them."""

from __future__ import annotations

import re
from collections.abc import Iterable

from burnish.kinds.manuscripts.model import Term

LONGEST_KEY = 4
"""Characters at the beginning of a word by which the terms are found that begin so."""
WORD = re.compile(r"\w+")
UNSPACED = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\U00020000-\U0003ffff]")
"""Thai, Lao, Burmese, Khmer, Japanese and Chinese put no blanks between words: a term may begin anywhere."""


class TermIndex:
    """A glossary that is asked about many texts. Letters' case does not matter; an ending may follow the term."""

    def __init__(self, terms: Iterable[Term]) -> None:
        self._by_beginning: dict[str, list[tuple[int, str, Term]]] = {}
        self._anywhere: list[tuple[int, str, Term]] = []
        for place, term in enumerate(terms):
            folded = term.source.casefold()
            word = WORD.match(folded)
            if word is not None and not UNSPACED.match(folded):
                self._by_beginning.setdefault(word.group()[:LONGEST_KEY], []).append((place, folded, term))
            elif folded.strip():
                self._anywhere.append((place, folded, term))

    def occurring(self, texts: Iterable[str], most: int | None = None) -> list[Term]:
        """The terms that stand in one of the texts, in the glossary's order; at most so many."""
        if not self._by_beginning and not self._anywhere:
            return []
        text = "\n".join(texts).casefold()
        found = [(place, term) for place, folded, term in self._anywhere if folded in text]
        for beginning in self._by_beginning.keys() & _beginnings(text):
            of_it = self._by_beginning[beginning]
            found += [(place, term) for place, folded, term in of_it if _begins_a_word(folded, text)]
        return [term for _, term in sorted(found, key=lambda pair: pair[0])[:most]]


def _beginnings(text: str) -> set[str]:
    """Every way in which a word of the text begins, as the terms are kept by."""
    words = set(WORD.findall(text))
    return {word[:length] for word in words for length in range(1, LONGEST_KEY + 1)}


def _begins_a_word(term: str, text: str) -> bool:
    at = text.find(term)
    while at >= 0:
        if at == 0 or not WORD.match(text[at - 1]):
            return True
        at = text.find(term, at + 1)
    return False
