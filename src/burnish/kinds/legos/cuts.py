"""The built-in extractor: cuts a sentence pair into LEGOs without a model.

The same score that reviews LEGOs chooses them. Always kept: both halves are parts of their sentences and agree with the
word alignment, every LEGO obeys the Iron Rule, and every word is covered that a lawful LEGO can reach.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

from burnish.kinds.legos.boundaries import Closures, Marks, seams_of
from burnish.kinds.legos.habits import HabitCounter, Habits
from burnish.kinds.legos.iron_rule import IronRule
from burnish.kinds.legos.model import NOWHERE, Lego, Word
from burnish.kinds.legos.multiwords import Verb, multi_word_verbs
from burnish.kinds.legos.parts import Aligned, Half, Lawful, Part, Parts, Phrases
from burnish.kinds.legos.scoring import WEIGHTS, spread, spread_score
from burnish.languages.profiles import LanguageProfile

_ROUNDS = 3
_MOST_SHARED = 3
"""Words that two neighbouring LEGOs may share."""
_SHARING = 0.15
_SHARED_WORD = 0.12
_SPLIT_VERB = 2.0
"""A multi-word verb is left whole, whatever else that costs, where any part holds it."""
_OTHER_SIZE = 0.05
"""For each word more or less than the wanted size, when even sizes are looked for."""
_NEVER = float("-inf")


class _Move(NamedTuple):
    """A part that may follow one that ends in front of a place."""

    gain: float
    """Its value, less what it costs that it follows there."""
    first: int
    end: int
    part: Part


@dataclass(frozen=True)
class Board:
    """The parts that a sentence can be covered with."""

    first: int
    end: int
    beginning_at: Callable[[int], Sequence[Part]]
    """The parts that begin with a word."""
    verbs_over: Mapping[int, Sequence[Verb]]
    """The multi-word verbs that a cut in front of a word would split."""

    def best(self, size: int | None = None) -> tuple[Part, ...]:
        """The parts that cover the sentence best, in order; nothing where none do. `size` is how many words each should
        have, where sizes should be even."""
        mean = 0.0
        found: tuple[Part, ...] = ()
        for _ in range(_ROUNDS):
            parts = self._walked(mean, size)
            if parts == found:
                break
            found = parts
            mean = self.worth(found) - sum(_off_size(part.size, size) for part in found) / len(found)
        return found

    def worth(self, parts: Sequence[Part]) -> float:
        """The mean value of parts that cover the sentence, less what it costs that they follow each other."""
        joints = sum(self._joint(before.end, part) for before, part in pairwise(parts))
        return (sum(part.value for part in parts) - joints) / len(parts)

    def _walked(self, mean: float, size: int | None) -> tuple[Part, ...]:
        """The parts with the highest sum of their values less a mean."""
        totals = {self.first: 0.0}
        last: dict[int, tuple[Part, int]] = {}
        cost = [mean + _off_size(count, size) for count in range(self.end - self.first + 1)]
        for place, moves in enumerate(self._moves, start=self.first):
            total = totals.get(place)
            if total is None:
                continue
            behind = last[place][0].first if place in last else place - 1
            for gain, first, end, part in moves:
                reached = total + gain - cost[end - first]
                if reached > totals.get(end, _NEVER) and first > behind:
                    totals[end] = reached
                    last[end] = part, place
        return _path(last, self.end)

    @cached_property
    def _moves(self) -> list[list[_Move]]:
        """For every place what may follow a part that ends there: a part that begins there, or shares a few words."""
        return [
            [
                _Move(part.value - self._joint(place, part), part.first, part.end, part)
                for first in range(place, max(self.first, place - _MOST_SHARED) - 1, -1)
                for part in self.beginning_at(first)
                if part.end > place
            ]
            for place in range(self.first, self.end)
        ]

    def _joint(self, place: int, part: Part) -> float:
        """What it costs that a part follows another one that ends in front of a place."""
        shared = place - part.first
        cost = _SHARING + _SHARED_WORD * shared if shared else 0.0
        for verb in self.verbs_over.get(place, ()):
            cost += 0.0 if part.holds(verb) else _SPLIT_VERB
        return cost


def _off_size(count: int, size: int | None) -> float:
    return 0.0 if size is None else _OTHER_SIZE * abs(count - size)


def _path(last: Mapping[int, tuple[Part, int]], end: int) -> tuple[Part, ...]:
    """The parts that lead to an end, in order; none where nothing leads there."""
    parts = []
    while end in last:
        part, end = last[end]
        parts.append(part)
    return tuple(reversed(parts))


def verbs_over(verbs: Sequence[Verb]) -> dict[int, list[Verb]]:
    """For each word the multi-word verbs that a cut in front of it would split."""
    found: dict[int, list[Verb]] = {}
    for verb in verbs:
        for place in range(verb.first + 1, verb.end):
            found.setdefault(place, []).append(verb)
    return found


Links = Sequence[tuple[int, int]]
_SAID_TWICE = 0.30
"""What each word costs that two LEGOs say in the target and not in the source."""
_SIZES = (3, 4, 5)
"""Even sizes to try, beside none in particular."""


@dataclass(frozen=True, slots=True)
class Linked:
    """The words of a sentence pair, and which say the same."""

    words: Sequence[Word]
    target_words: Sequence[Word] | None
    """None: only the source is cut."""
    links: Links
    source: str = ""
    target: str = ""
    """The sentences, where their marks are to be looked at."""


@dataclass(frozen=True, slots=True)
class Cut:
    """A sentence pair in LEGOs."""

    legos: tuple[Lego, ...]
    """By where they begin."""
    uncovered: tuple[str, ...]
    """Words at the edges of the sentence that no lawful LEGO reaches."""


def cut(
    words: Sequence[Word],
    target_words: Sequence[Word] | None,
    source: str,
    target: str,
    links: Links,
    profile: LanguageProfile,
    habits: Habits | None,
    rule: IronRule,
) -> Cut:
    """The LEGOs of a sentence pair, by its words and the links between them. Without target words only the source is
    cut. Habits are those of the course: without them the sentence is cut as if it were the only one."""
    pair = Linked(words, target_words, links, source, target)
    verbs = multi_word_verbs(words, profile)
    lawful = Lawful(words, profile, rule, verbs)
    chosen = _parts(pair, lawful, profile, verbs, habits)
    legos = tuple(_legos(chosen, pair))
    out = [*words[: lawful.first], *words[lawful.end :]]
    return Cut(legos, tuple(word.text for word in out))


def first_habits(pairs: Iterable[Linked], profile: LanguageProfile, rule: IronRule) -> Habits:
    """How a course cuts its neighbouring words if each sentence pair is cut by itself: what `cut` then follows."""
    counter = HabitCounter()
    for pair in pairs:
        verbs = multi_word_verbs(pair.words, profile)
        chosen = _parts(pair, Lawful(pair.words, profile, rule, verbs), profile, verbs, None)
        counter.add(pair.words, [(part.first, part.end) for part in chosen])
    return counter.habits()


def _parts(
    pair: Linked, lawful: Lawful, profile: LanguageProfile, verbs: Sequence[Verb], habits: Habits | None
) -> tuple[Part, ...]:
    """The parts of a pair that become LEGOs."""
    if lawful.first == lawful.end or (pair.target_words is not None and not pair.target_words):
        return ()
    marks = Marks(pair.source, pair.words, profile)
    seams = seams_of(pair.words, marks.pauses, profile, habits)
    for aligned in _alignments(pair, lawful):
        parts = Parts(tuple(pair.words), profile, tuple(verbs), lawful, seams, marks, aligned)
        chosen = _chosen(parts, habits)
        if chosen:
            return chosen
    return (_whole(parts, pair.target_words),)


def _alignments(pair: Linked, lawful: Lawful) -> Iterator[Aligned | None]:
    """What the target allows, first as far as uncovered words leave it alone: their own words in the target are left
    out with them. Where these stand in the middle, uncovered words are taken to say nothing."""
    links = pair.links if pair.target_words is None else _inside_clauses(pair)
    covered = tuple(link for link in links if lawful.first <= link[0] < lawful.end)
    said = {target for _, target in covered}
    beside = tuple(link for link in links if link[1] not in said)
    if pair.target_words is None:
        yield None
    else:
        marks = Marks(pair.target, pair.target_words)
        for those in ((*covered, *beside), covered) if beside else (covered,):
            closures = Closures(len(pair.words), len(pair.target_words), those)
            yield Aligned(Phrases(pair.words, pair.target_words, those, marks.pauses), closures, marks)


def _inside_clauses(pair: Linked) -> Links:
    """The links of a pair; where both sides pause once, or are as many sentences, and all links but one go from one
    part to the same of the other side, without that one: it is a mistake of the aligner."""
    source, target = Marks(pair.source, pair.words), Marks(pair.target, pair.target_words or ())
    once = sum(source.pauses) == 1 == sum(target.pauses)
    ours, theirs = (source.clauses, target.clauses) if once else (source.sentences, target.sentences)
    if not ours or not theirs or ours[-1] != theirs[-1]:
        return pair.links
    inside = tuple(link for link in pair.links if ours[link[0]] == theirs[link[1]])
    return inside if 1 < len(inside) >= len(pair.links) - 1 else pair.links


def _chosen(parts: Parts, habits: Habits | None) -> tuple[Part, ...]:
    """The best of several sets of parts, each the best for one size; nothing where no set covers the sentence. Longer
    parts than usual are only looked for where it cannot be covered without."""
    lawful = parts.lawful
    for beginning_at in (parts.short, parts.any):
        board = Board(lawful.first, lawful.end, beginning_at, verbs_over(parts.verbs))
        if best := board.best():
            whole = [(part,) for part in beginning_at(lawful.first) if part.end == lawful.end]
            sets = [best, *map(board.best, _SIZES), *whole]
            worth = [_worth(one, parts, board, habits) for one in sets]
            return sets[worth.index(max(worth))]
    return ()


def _worth(chosen: Sequence[Part], parts: Parts, board: Board, habits: Habits | None) -> float:
    """The mean value of the parts, and what only the whole set shows: even sizes and the habits of the course."""
    spans = [(part.first, part.end) for part in chosen]
    agreement = habits.agreement(parts.words, spans) if habits is not None else 1.0
    even = 0.5 * spread_score(spread([part.size for part in chosen])) + 0.5 * 10 * agreement
    return board.worth(chosen) + WEIGHTS["consistency"] * even - _SAID_TWICE * _said_twice(chosen) / len(chosen)


def _said_twice(chosen: Sequence[Part]) -> int:
    """How many more words neighbours share in the target than in the source: the order of the two is another."""
    return sum(
        max(
            0, min(one.half.end, other.half.end) - max(one.half.first, other.half.first) - max(0, one.end - other.first)
        )
        for one, other in pairwise(chosen)
        if one.half is not None and other.half is not None
    )


def _whole(parts: Parts, target_words: Sequence[Word] | None) -> Part:
    """All that a LEGO can reach in one: where nothing shows which words say the same."""
    first, end = parts.lawful.first, parts.lawful.end
    half = parts.aligned.phrases.half(first, end) if parts.aligned is not None else None
    if half is None and target_words is not None:
        half = Half(0, len(target_words), 0.0)
    return Part(first, end, half, 0.0)


def _legos(chosen: Iterable[Part], pair: Linked) -> Iterator[Lego]:
    source = Marks(pair.source, pair.words)
    target = Marks(pair.target, pair.target_words or ())
    for part in chosen:
        start, end = source.bounds(part.first, part.end)
        text = pair.source[start:end]
        if part.half is None:
            yield Lego(text, "", start, end, NOWHERE, NOWHERE)
        else:
            half = target.bounds(part.half.first, part.half.end)
            yield Lego(text, pair.target[slice(*half)], start, end, *half, round(part.half.confidence, 3))
