"""The text of a part of a sentence: from its first word to its last, and with both of two marks if it holds one.

Outer marks stay outside, as a LEGO is no sentence. But who cuts `I voted "remain` out of `I voted "remain".` has left
something behind that belongs to it.
"""

from __future__ import annotations

from collections.abc import Sequence

import regex

from burnish.kinds.legos.scoring.edge_cases import has_stray_marks
from burnish.kinds.legos.words import Word

_MARK = regex.compile(r'["“”„‟«»()\[\]{}（）「」『』《》.!?…,;:¿¡，。；：！？、،؛؟।–—-]')
_BEHIND = regex.compile(r'[^\s\w]*?["”“»)\]}）」』》]')
_BEFORE = regex.compile(r'(?r)["“„«(\[{（「『《][^\s\w]*?')
"""Read backwards."""


class Marks:
    """One sentence, asked for the texts of its parts. An empty one is taken to have no marks."""

    def __init__(self, sentence: str, words: Sequence[Word]) -> None:
        self._sentence = sentence
        self._words = words
        inside = sentence[words[0].start : words[-1].end] if words else ""
        self._plain = not _MARK.search(inside)
        """Most sentences have no mark but one at their end; then there is nothing to see."""

    def bounds(self, first: int, end: int) -> tuple[int, int]:
        """Where the text of the words from `first` to `end` (exclusive) begins and ends, in characters."""
        start, stop = self._words[first].start, self._words[end - 1].end
        if self._plain or not has_stray_marks(self._sentence[start:stop]):
            return start, stop
        return next(
            (wider for wider in self._wider(start, stop) if not has_stray_marks(self._sentence[slice(*wider)])),
            (start, stop),
        )

    def _wider(self, start: int, stop: int) -> list[tuple[int, int]]:
        """With the next mark of a pair behind the words, before them, and both."""
        behind, before = _BEHIND.match(self._sentence, stop), _BEFORE.match(self._sentence, 0, start)
        later = behind.end() if behind else stop
        earlier = before.start() if before else start
        return [(start, later), (earlier, stop), (earlier, later)]

    def are_stray(self, first: int, end: int) -> bool:
        """Whether marks stand in that text that are not its own, or some are missing."""
        return not self._plain and has_stray_marks(self._sentence[slice(*self.bounds(first, end))])
