"""Which terms of a glossary occur in a text, without asking for each of them."""

from __future__ import annotations

import re
from collections.abc import Iterable

from burnish.kinds.manuscripts.model import Term

KEY = 2
"""Characters at the beginning of a term by which it is found."""


UNSPACED = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\U00020000-\U0003ffff]")
"""Thai, Lao, Burmese, Khmer, Japanese and Chinese put no blanks between words."""


class TermIndex:
    """A glossary that is asked about many texts. Letters' case does not matter; an ending may follow the term."""

    def __init__(self, terms: Iterable[Term]) -> None:
        self._by_beginning: dict[str, list[tuple[int, str, Term]]] = {}
        for place, term in enumerate(terms):
            folded = term.source.casefold()
            if folded.strip():
                self._by_beginning.setdefault(folded[:KEY], []).append((place, folded, term))

    def occurring(self, texts: Iterable[str], most: int | None = None) -> list[Term]:
        """The terms that stand in one of the texts, in the glossary's order; at most so many."""
        if not self._by_beginning:
            return []
        text = "\n".join(texts).casefold()
        beginnings = {text[at : at + KEY] for at in range(len(text))} | set(text)
        found = [
            (place, term)
            for beginning in beginnings & self._by_beginning.keys()
            for place, folded, term in self._by_beginning[beginning]
            if _begins_a_word(folded, text)
        ]
        return [term for _, term in sorted(found, key=lambda pair: pair[0])[:most]]


def _begins_a_word(term: str, text: str) -> bool:
    """Whether the term stands where a word begins. Scripts without blanks between words have no such places."""
    at = text.find(term)
    while at >= 0:
        if at == 0 or not text[at - 1].isalnum() or UNSPACED.match(term):
            return True
        at = text.find(term, at + 1)
    return False
