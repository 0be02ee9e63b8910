"""Which parts of a sentence the Iron Rule allows as LEGOs, each answered in no time."""

from __future__ import annotations

from collections.abc import Sequence

from burnish.kinds.legos.iron_rule import IronRule, closes_badly, opens_badly
from burnish.kinds.legos.multiwords import Verb
from burnish.kinds.legos.words import Word
from burnish.languages.profiles import Tongue


class Lawful:
    """One sentence under the Iron Rule.

    A preposition that belongs to a multi-word verb is lawful at the edge of a LEGO that holds all of the verb, at its
    end only if its object is not torn from it. A verb inside has no word before its LEGO's first, so that only verbs
    count that begin there, or end with its last word.
    """

    def __init__(self, words: Sequence[Word], tongue: Tongue, rule: IronRule, verbs: Sequence[Verb]) -> None:
        places = range(len(words))
        strict = rule.variant == "strict"
        self._bad_opening = [strict and opens_badly(words, at, at + 1, tongue, rule, ()) for at in places]
        self._bad_closing = [closes_badly(words, at, at + 1, tongue, rule, ()) for at in places]
        self._shortest_from: dict[int, int] = {}
        self._shortest_to: dict[int, int] = {}
        for verb in verbs:
            self._shortest_from[verb.first] = min(verb.end, self._shortest_from.get(verb.first, verb.end))
            if verb.may_close:
                self._shortest_to[verb.end] = max(verb.first, self._shortest_to.get(verb.end, verb.first))
        self.first, self.end = self._reach(len(words))
        """The words that lawful LEGOs can reach: the first, and the one behind the last."""

    def allows(self, first: int, end: int) -> bool:
        """Whether the words from `first` to `end` (exclusive) may be a LEGO."""
        return self._opens(first, end) and self._closes(first, end)

    def can_open(self, first: int) -> bool:
        """Whether any LEGO may begin with a word."""
        return not self._bad_opening[first] or first in self._shortest_from

    def _opens(self, first: int, end: int) -> bool:
        return not self._bad_opening[first] or self._shortest_from.get(first, end + 1) <= end

    def _closes(self, first: int, end: int) -> bool:
        return not self._bad_closing[end - 1] or self._shortest_to.get(end, first - 1) >= first

    def _reach(self, count: int) -> tuple[int, int]:
        first, end = 0, count
        while first < end and not self.allows(first, end):
            if not self._opens(first, end):
                first += 1
            else:
                end -= 1
        return first, end
