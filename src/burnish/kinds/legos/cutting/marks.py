"""The text of a part of a sentence: from its first word to its last, and with both of two marks if it holds one.

Outer marks stay outside, as a LEGO is no sentence. But who cuts `I voted "remain` out of `I voted "remain".` has left
something behind that belongs to it.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import accumulate, pairwise

import regex

from burnish.kinds.legos.multiwords import mark_between
from burnish.kinds.legos.scoring.edge_cases import stray_marks
from burnish.kinds.legos.words import Word
from burnish.languages.profiles import Tongue

_MARK = regex.compile(r'["“”„‟«»()\[\]{}（）「」『』《》.!?…,;:¿¡，。；：！？、،؛؟।–—-]')
_QUOTED = regex.compile(r"""\s*["'“”„‟«»‘’‚‛]*\s*""")
_STOP = regex.compile(r"[.!?…。！？؟।]")
_BEHIND = regex.compile(r'[^\s\w]*?["”“»)\]}）」』》]')
_BEFORE = regex.compile(r'(?r)["“„«(\[{（「『《][^\s\w]*?')
"""Read backwards."""


class Marks:
    """One sentence, asked for the texts of its parts. Where it is empty, its words alone tell
    where marks stand, not which. The language, where it is known, tells abbreviations."""

    def __init__(self, sentence: str, words: Sequence[Word], tongue: Tongue | None = None) -> None:
        self._sentence = sentence
        self._words = words
        self._tongue = tongue
        inside = sentence[words[0].start : words[-1].end] if words else ""
        self._plain = not _MARK.search(inside)
        """Most sentences have no mark but one at their end; then there is nothing to see."""

    @cached_property
    def pauses(self) -> list[bool]:
        """For each word whether a speaker pauses in front of it: at a comma or a dash, but not at a quote or
        behind an abbreviation."""
        found = [mark_between(word, behind, self._tongue) for word, behind in pairwise(self._words)]
        if self._sentence:
            gaps = (self._sentence[word.end : behind.start] for word, behind in pairwise(self._words))
            found = [marked and not _QUOTED.fullmatch(gap) for marked, gap in zip(found, gaps, strict=True)]
        return [False, *found]

    @cached_property
    def clauses(self) -> list[int]:
        """For each word behind how many pauses it stands."""
        return list(accumulate(self.pauses[1:], initial=0)) if self._words else []

    @cached_property
    def sentences(self) -> list[int]:
        """For each word in which sentence it stands, counted from 0: a SEED may be more than one."""
        if not self._words:
            return []
        gaps = (self._sentence[word.end : behind.start] for word, behind in pairwise(self._words))
        ends = [pause and bool(_STOP.search(gap)) for pause, gap in zip(self.pauses[1:], gaps, strict=True)]
        return list(accumulate(ends, initial=0))

    def bounds(self, first: int, end: int) -> tuple[int, int]:
        """Where the text of the words from `first` to `end` (exclusive) begins and ends, in characters."""
        start, stop = self._words[first].start, self._words[end - 1].end
        if self._plain or not stray_marks(self._sentence[start:stop]):
            return start, stop
        return next(
            (wider for wider in self._wider(start, stop) if not stray_marks(self._sentence[slice(*wider)])),
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
        return not self._plain and stray_marks(self._sentence[slice(*self.bounds(first, end))]) is not None
