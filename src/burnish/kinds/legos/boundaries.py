"""Where a sentence can be cut: what the alignment ties together, the marks between words, and the Iron Rule."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import pairwise

import regex

from burnish.kinds.legos.edge_cases import stray_marks
from burnish.kinds.legos.iron_rule import IronRule, closes_badly, is_adverb, opens_badly
from burnish.kinds.legos.model import Word
from burnish.kinds.legos.multiwords import Verb, mark_between
from burnish.languages.profiles import LanguageProfile


class Closures:
    """One aligned sentence pair, asked for parts of any length. Linear to make, and so are all answers for a word.

    What a part says in the target must say nothing else: where a target word in between is linked to a source word
    behind the part, the part grows; where it is linked to one before the part, no part from there on will do.
    """

    def __init__(self, words: int, target_words: int, links: Sequence[tuple[int, int]]) -> None:
        self._targets: list[list[int]] = [[] for _ in range(words)]
        self._sources: list[list[int]] = [[] for _ in range(target_words)]
        for source, target in links:
            self._targets[source].append(target)
            self._sources[target].append(source)

    def ends(self, first: int, at_least: int) -> Iterator[int]:
        """Where the parts end that begin at `first` and can stand by themselves, from a place on, in order."""
        targets = range(0)
        end = at_least
        for place in range(first, len(self._targets)):
            for target in self._targets[place]:
                targets = targets or range(target, target)
                for new in (*range(target, targets.start), *range(targets.stop, target + 1)):
                    if min(self._sources[new], default=first) < first:
                        return
                    end = max(end, max(self._sources[new], default=-1) + 1)
                targets = range(min(targets.start, target), max(targets.stop, target + 1))
            if place + 1 >= end and targets:
                yield place + 1


_MARK = regex.compile(r'["“”„‟«»()\[\]{}（）「」『』《》.!?…,;:¿¡，。；：！？、،؛؟।–—-]')
_QUOTED = regex.compile(r"""\s*["'“”„‟«»‘’‚‛]*\s*""")
_BEHIND = regex.compile(r'[^\s\w]*?["”“»)\]}）」』》]')
_BEFORE = regex.compile(r'(?r)["“„«(\[{（「『《][^\s\w]*?')
"""Read backwards."""


class Marks:
    """One sentence, asked for the texts of its parts. Where it is empty, its words alone tell
    where marks stand, not which. The language, where it is known, tells abbreviations."""

    def __init__(self, sentence: str, words: Sequence[Word], profile: LanguageProfile | None = None) -> None:
        self._sentence = sentence
        self._words = words
        self._profile = profile
        inside = sentence[words[0].start : words[-1].end] if words else ""
        self._plain = not _MARK.search(inside)
        """Most sentences have no mark but one at their end; then there is nothing to see."""

    @cached_property
    def pauses(self) -> list[bool]:
        """For each word whether a speaker pauses in front of it: at a comma or a dash, but not at a quote or
        behind an abbreviation."""
        found = [mark_between(word, behind, self._profile) for word, behind in pairwise(self._words)]
        if self._sentence:
            gaps = (self._sentence[word.end : behind.start] for word, behind in pairwise(self._words))
            found = [marked and not _QUOTED.fullmatch(gap) for marked, gap in zip(found, gaps, strict=True)]
        return [False, *found]

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


class Lawful:
    """One sentence under the Iron Rule.

    A preposition that belongs to a multi-word verb is lawful at the edge of a LEGO that holds all of the verb, at its
    end only if its object is not torn from it. A verb inside has no word before its LEGO's first, so that only verbs
    count that begin there, or end with its last word.
    """

    def __init__(self, words: Sequence[Word], profile: LanguageProfile, rule: IronRule, verbs: Sequence[Verb]) -> None:
        places = range(len(words))
        strict = rule.variant == "strict"
        self._bad_opening = [strict and opens_badly(words, at, at + 1, profile, rule, ()) for at in places]
        self._bad_closing = [closes_badly(words, at, at + 1, profile, rule, ()) for at in places]
        self._markers = [word.bare == profile.infinitive_marker for word in words]
        self._shortest_from: dict[int, int] = {}
        self._shortest_to: dict[int, int] = {}
        for verb in verbs:
            self._shortest_from[verb.first] = min(verb.end, self._shortest_from.get(verb.first, verb.end))
            if verb.may_close:
                self._shortest_to[verb.end] = max(verb.first, self._shortest_to.get(verb.end, verb.first))
        for at in places:
            if at and is_adverb(words, at, profile, rule):
                self._shortest_to[at + 1] = at - 1
        self.first, self.end = self._reach(len(words))
        """The words that lawful LEGOs can reach: the first, and the one behind the last."""

    def allows(self, first: int, end: int) -> bool:
        """Whether the words from `first` to `end` (exclusive) may be a LEGO: not "to" alone before a verb."""
        alone = end - first == 1 and self._markers[first]
        return not alone and self._opens(first, end) and self._closes(first, end)

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
