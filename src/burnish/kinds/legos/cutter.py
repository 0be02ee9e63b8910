"""The built-in extractor: cuts a course as a whole, without a model.

A learner should say many sentences with few phrases. So those cuts are chosen under which the course is told shortest:
a pair costs its letters once, shared by all SEEDs that use it, and each use costs what its count says. This is the
unigram model of tokenizers, over phrase pairs: inventory and cuts are made from each other in turn, from several
beginnings, and the shortest telling wins. Every round is linear in the course, and nothing is left to chance.

Always kept: both halves are parts of their sentences and agree with the word alignment, every LEGO obeys the Iron Rule,
and every word is covered that a lawful LEGO can reach.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from burnish.kinds.legos.boundaries import Lawful
from burnish.kinds.legos.iron_rule import IronRule
from burnish.kinds.legos.model import Lego, Seed
from burnish.kinds.legos.phrases import AlignedSeed, Key, Phrase, Span

_LETTER = 2.4
"""What a letter of a pair costs, in natural logarithms. The dearer, the smaller and the more often used are LEGOs."""
_SIZES = (0.0, 3.0, 0.5, 0.0, 0.5, 1.5, 3.5, 6.0, 9.0)
"""What the size of a pair costs, by its source words, shared like its letters; three more for each further word."""
_WHOLE, SENTENCE = 25.0, 5
"""A sentence of five words or more that is one LEGO fits nowhere else."""
_BEGINNINGS = ((1.0, 0.5, 0.25, 0.1, 0.0, 0.0, 0.0, 0.0), (0.3, 0.1, 0.0, 0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 0.0))
"""Round by round, how much the SEEDs count that could use a pair and do not: from small pairs, and from large ones."""
_PER_PAIR = 0.2
"""Of the pairs that a SEED could use it uses about so many."""

Cut = tuple[Phrase, ...]


@dataclass(frozen=True)
class _Lattice:
    """The phrases that a SEED can be covered with."""

    lawful: Lawful
    phrases: Sequence[Phrase]
    whole: Phrase


class CourseCutter:
    """A course being cut."""

    def __init__(self, seeds: Sequence[AlignedSeed], rule: IronRule) -> None:
        self._lattices = [_lattice(seed, rule) for seed in seeds]
        self.possible = Counter(
            key for one in self._lattices if one is not None for key in {phrase.key for phrase in one.phrases}
        )
        """How many SEEDs could use each pair."""

    def cuts(self) -> list[Cut]:
        """The phrases of every SEED, in order."""
        told = [self._settled(rounds) for rounds in _BEGINNINGS]
        return min(told, key=lambda one: one[0])[1]

    def _settled(self, rounds: Sequence[float]) -> tuple[float, list[Cut]]:
        """How long the telling is that these rounds lead to, and its cuts."""
        cuts: list[Cut] = [() for _ in self._lattices]
        used: Counter[Key] = Counter()
        for potential in rounds:
            prices = _Prices(used, self.possible, potential)
            cuts = [
                prices.best(one, {phrase.key for phrase in cut}) if one is not None else ()
                for one, cut in zip(self._lattices, cuts, strict=True)
            ]
            used = uses(cuts)
        return _length(cuts, used), cuts


def _lattice(seed: AlignedSeed, rule: IronRule) -> _Lattice | None:
    lawful = seed.lawful(rule)
    if lawful.first == lawful.end or not seed.target_words:
        return None
    return _Lattice(lawful, seed.phrases(lawful), seed.whole(lawful))


def uses(cuts: Iterable[Cut]) -> Counter[Key]:
    """How many SEEDs use each pair."""
    return Counter(key for cut in cuts for key in {phrase.key for phrase in cut})


def _length(cuts: Iterable[Cut], used: Mapping[Key, int]) -> float:
    """How long the telling of a course is: every pair once letter by letter, every use by its count."""
    total = sum(used.values())
    spelled = sum(_LETTER * _letters(key) for key in used)
    return spelled + sum(math.log(total / used[phrase.key]) + phrase.cost for cut in cuts for phrase in cut)


def _letters(key: Key) -> int:
    return len(key[0]) + len(key[1])


class _Prices:
    """What pairs cost in one round."""

    def __init__(self, used: Mapping[Key, int], possible: Mapping[Key, int], potential: float) -> None:
        self._used, self._possible, self._potential = used, possible, potential
        self._total = math.log(sum(used.values()) + potential * _PER_PAIR * sum(possible.values()) + 1)

    def best(self, lattice: _Lattice, own: set[Key]) -> Cut:
        """The cheapest phrases that cover a SEED. `own`: those that it has now, which do not speak for themselves."""
        first, end = lattice.lawful.first, lattice.lawful.end
        costs: dict[int, float] = {first: 0.0}
        last: dict[int, Phrase] = {}
        for phrase in lattice.phrases:
            so_far = costs.get(phrase.first)
            if so_far is None:
                continue
            cost = so_far + self._price(phrase, phrase.key in own)
            if end - first >= SENTENCE and phrase.end - phrase.first == end - first:
                cost += _WHOLE
            if cost < costs.get(phrase.end, math.inf):
                costs[phrase.end], last[phrase.end] = cost, phrase
        return _path(last, first, end) or (lattice.whole,)

    def _price(self, phrase: Phrase, is_own: bool) -> float:
        """Its use by its count, and its share of what its letters and its size cost."""
        key = phrase.key
        others = self._used.get(key, 0) - is_own
        count = 1 + (1 - self._potential) * others + self._potential * (self._possible[key] - 1)
        size = phrase.end - phrase.first
        clumsy = _SIZES[min(size, len(_SIZES) - 1)] + 3 * max(0, size - len(_SIZES) + 1)
        return self._total - math.log(count) + (_LETTER * _letters(key) + clumsy) / count + phrase.cost


def _path(last: Mapping[int, Phrase], first: int, end: int) -> Cut:
    """The phrases that lead from the first word to the end; none where nothing leads there."""
    found = []
    while end in last and end > first:
        found.append(last[end])
        end = last[end].first
    return tuple(reversed(found)) if end == first else ()


CutSpans = Sequence[tuple[Span, Span]]
"""The words of every LEGO of a cut, in the source and in the target."""


def with_cut(seed: Seed, aligned: AlignedSeed, spans: CutSpans, rule: IronRule) -> Seed:
    """The SEED with the LEGOs of a cut."""
    lawful = aligned.lawful(rule)
    legos = []
    for span, half in spans:
        start, end = aligned.marks.bounds(*span)
        low, high = aligned.target_marks.bounds(*half)
        sure = round(aligned.confidence(span, half), 3)
        legos.append(Lego(seed.source[start:end], seed.target[low:high], start, end, low, high, sure))
    out = (*aligned.words[: lawful.first], *aligned.words[lawful.end :])
    return replace(seed, legos=tuple(legos), uncovered=tuple(word.text for word in out))
