"""Phrase pairs that agree with the word alignment: which part of the target says what a part of the source says."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise

from burnish.kinds.legos.aligning import Links
from burnish.kinds.legos.multiwords import mark_between
from burnish.kinds.legos.words import Word


@dataclass(frozen=True, slots=True)
class Half:
    """The part of the target sentence that says what a part of the source says."""

    first: int
    end: int
    """Words of the target, end exclusive."""
    confidence: float
    """How sure it is that both say the same, 0..1: the share of the words of both halves that have a link."""


class Phrases:
    """One aligned sentence pair, ready to be asked about any part of its source. Linear to make and to ask."""

    def __init__(
        self, words: Sequence[Word], target_words: Sequence[Word], links: Links, pauses: Sequence[bool] | None = None
    ) -> None:
        """`pauses`: whether one pauses in front of a target word; without them every mark between words is one."""
        self._targets: list[list[int]] = [[] for _ in words]
        sources: list[list[int]] = [[] for _ in target_words]
        for source, target in links:
            self._targets[source].append(target)
            sources[target].append(source)
        self._linked = _sums(bool(found) for found in self._targets)
        self._target_linked = _sums(bool(found) for found in sources)
        self._links = _sums(len(found) for found in self._targets)
        self._target_links = _sums(len(found) for found in sources)
        marked = pauses[1:] if pauses is not None else [mark_between(*both) for both in pairwise(target_words)]
        self._owners = _owners([bool(found) for found in sources], marked)

    def half(self, first: int, end: int) -> Half | None:
        """What the source words from `first` up to `end` say in the target; None where no part says just that."""
        inside = [target for found in self._targets[first:end] for target in found]
        if not inside:
            return None
        low, high = min(inside), max(inside) + 1
        if self._target_links[high] - self._target_links[low] != self._links[end] - self._links[first]:
            return None  # a word of that part says something outside
        whole = (first, end) == (0, len(self._targets))
        low, high = (0, len(self._owners)) if whole else self._widened(low, high)
        linked = self._linked[end] - self._linked[first] + self._target_linked[high] - self._target_linked[low]
        return Half(low, high, linked / (end - first + high - low))

    def _widened(self, low: int, high: int) -> tuple[int, int]:
        """With the neighbours that have no link of their own and lean on a word inside."""
        core = range(low, high)
        while low > 0 and self._owners[low - 1] in core:
            low -= 1
        while high < len(self._owners) and self._owners[high] in core:
            high += 1
        return low, high


def _sums(numbers: Iterable[int]) -> list[int]:
    return [0, *accumulate(numbers)]


def _owners(linked: Sequence[bool], marked: Sequence[bool]) -> list[int]:
    """For every word the linked word that it leans on: itself, the next one, or the one before; -1 for none.

    Articles, clitics and auxiliaries stand before what they belong to in most languages. No word leans over a mark
    between two words.
    """
    last = len(linked) - 1
    ahead = [last - place if place >= 0 else -1 for place in _nearest(linked[::-1], marked[::-1])[::-1]]
    return [behind if behind >= 0 else back for back, behind in zip(_nearest(linked, marked), ahead, strict=True)]


def _nearest(linked: Sequence[bool], marked: Sequence[bool]) -> list[int]:
    """For every word the nearest linked one up to it; -1 where a mark or nothing stands before it."""
    found: list[int] = []
    last = -1
    for place, is_linked in enumerate(linked):
        last = place if is_linked else -1 if place and marked[place - 1] else last
        found.append(last)
    return found
