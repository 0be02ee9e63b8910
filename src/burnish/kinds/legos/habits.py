"""Habits of a course: which neighbouring words it keeps together, and which it parts.

A learner who met "want to" in one piece yesterday should not find it torn today. For every pair of neighbouring words
that occurs in two SEEDs or more it is counted how often a LEGO holds both and how often none does. Sums only, so that
the order of the SEEDs means nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Self

from burnish.kinds.legos.model import Word

Pair = tuple[str, str]
"""Two neighbouring words, bare."""
Spans = Sequence[tuple[int, int]]
"""Of every LEGO the first word and the one behind the last."""
FEWEST_SEEDS = 2
"""In fewer SEEDs a pair is no pattern."""


class Against(NamedTuple):
    """A pair of neighbours that most of the course treats otherwise."""

    place: int
    """Of the first of the two among the words."""
    pair: Pair
    joined: bool
    """Whether some LEGO holds both here."""


class Habit(NamedTuple):
    """How a course treats one pair of neighbours."""

    joined: int
    parted: int

    @property
    def share_joined(self) -> float:
        return self.joined / (self.joined + self.parted)

    def others_alike(self, joined: bool) -> float | None:
        """The share of the other occurrences that are treated like this one; None where there is no other."""
        others = self.joined + self.parted - 1
        alike = (self.joined if joined else self.parted) - 1
        # A cut that is newer than the habits is not among those that were counted: nothing is like it, not less.
        return max(alike, 0) / others if others > 0 else None


@dataclass(frozen=True)
class Habits:
    """How a course treats its pairs of neighbours."""

    pairs: Mapping[Pair, Habit]

    def share_joined(self, left: str, right: str) -> float | None:
        """How much of the course keeps two neighbours together, from 0 to 1; None where it has no habit."""
        habit = self.pairs.get((left, right))
        return habit.share_joined if habit is not None else None

    def agreement(self, words: Sequence[Word], spans: Spans) -> float:
        """How far a SEED is cut like the rest of the course, from 0 to 1: for each pair the share of its other
        occurrences that are treated alike, the mean over all pairs with a habit. 1 where there is none."""
        shares = [share for *_, share in self._shares(words, spans)]
        return sum(shares) / len(shares) if shares else 1.0

    def against(self, words: Sequence[Word], spans: Spans) -> tuple[Against, ...]:
        """The pairs that most of the course treats otherwise, in their order."""
        return tuple(
            Against(place, pair, joined) for place, pair, joined, share in self._shares(words, spans) if share < 0.5
        )

    def _shares(self, words: Sequence[Word], spans: Spans) -> Iterator[tuple[int, Pair, bool, float]]:
        for place, pair, joined in neighbours(words, spans):
            habit = self.pairs.get(pair)
            share = habit.others_alike(joined) if habit is not None else None
            if share is not None:
                yield place, pair, joined, share

    def as_record(self) -> dict[str, Any]:
        """`{"want to": [3, 1]}`, in the order of the words. Bare words hold no blank."""
        return {" ".join(pair): list(self.pairs[pair]) for pair in sorted(self.pairs)}

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> Self:
        return cls({_pair(key): Habit(*counts) for key, counts in record.items()})


@dataclass
class HabitCounter:
    """Counts how the SEEDs of a course are cut."""

    _joined: Counter[Pair] = field(default_factory=Counter)
    _parted: Counter[Pair] = field(default_factory=Counter)
    _seeds: Counter[Pair] = field(default_factory=Counter)

    def add(self, words: Sequence[Word], spans: Spans) -> None:
        """One SEED more."""
        seen: set[Pair] = set()
        for _, pair, joined in neighbours(words, spans):
            (self._joined if joined else self._parted)[pair] += 1
            seen.add(pair)
        self._seeds.update(seen)

    def habits(self) -> Habits:
        """What the SEEDs so far have in common."""
        often = [pair for pair, seeds in self._seeds.items() if seeds >= FEWEST_SEEDS]
        return Habits({pair: Habit(self._joined[pair], self._parted[pair]) for pair in sorted(often)})


def neighbours(words: Sequence[Word], spans: Spans) -> Iterator[tuple[int, Pair, bool]]:
    """Every pair of neighbouring words with the place of the first, and whether some LEGO holds both. A word that is in
    no LEGO is neither joined to its neighbours nor parted from them."""
    reach = reaches(len(words), spans)
    for place in range(len(words) - 1):
        if reach[place] and reach[place + 1]:
            yield place, (words[place].bare, words[place + 1].bare), reach[place] > place + 1


def reaches(count: int, spans: Spans) -> list[int]:
    """For each word how far the LEGOs that hold it reach: the place behind the last; 0 for a word in none. Some LEGO
    holds all words from one place to another if and only if the first of them reaches so far."""
    begins = [0] * count
    for first, last in spans:
        if first < last:
            begins[first] = max(begins[first], last)
    farthest, reach = 0, []
    for place, end in enumerate(begins):
        farthest = max(farthest, end)
        reach.append(farthest if farthest > place else 0)
    return reach


def _pair(key: str) -> Pair:
    left, _, right = key.partition(" ")
    return left, right
