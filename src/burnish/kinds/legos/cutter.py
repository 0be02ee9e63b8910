"""The built-in extractor: cuts a course as a whole, without a model.

Learners should be able to say many sentences with few phrases. So the cutter chooses the cuts with the shortest
description of the course: the letters of a pair are paid once, shared by all SEEDs that use it, and each use costs the
logarithm of its frequency, as in the unigram model of tokenizers. Inventory and cuts are computed in turn, from several
starting points, and the shortest description wins. Each round takes linear time, and nothing is random.

Always true: both halves are parts of their sentences and agree with the word alignment, every LEGO obeys the Iron Rule,
and every word that an allowed LEGO can hold is covered.
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
"""The cost of a letter of a pair, as a natural logarithm. A higher cost gives smaller and more reusable LEGOs."""
_SIZES = (0.0, 3.0, 0.5, 0.0, 0.5, 1.5, 3.5, 6.0, 9.0)
"""The cost of a pair by its source words, shared like its letters; three more for each further word."""
_WHOLE, SENTENCE = 25.0, 5
"""The cost, and the fewest words, of a whole sentence as one LEGO: no other SEED can use it."""
_BEGINNINGS = ((1.0, 0.5, 0.25, 0.1, 0.0, 0.0, 0.0, 0.0), (0.3, 0.1, 0.0, 0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 0.0))
"""Weight, in each round, of the SEEDs that could use a pair and do not: starting with small pairs, or large ones."""
_PER_PAIR = 0.2
"""About the share of its possible pairs that a SEED uses."""

Cut = tuple[Phrase, ...]


@dataclass(frozen=True)
class _Lattice:
    """The phrases that can cover a SEED."""

    lawful: Lawful
    phrases: Sequence[Phrase]
    whole: Phrase


class CourseCutter:
    """Cuts all SEEDs of a course together."""

    def __init__(self, seeds: Sequence[AlignedSeed], rule: IronRule) -> None:
        self._lattices = [_lattice(seed, rule) for seed in seeds]
        self.possible = Counter(
            key for one in self._lattices if one is not None for key in {phrase.key for phrase in one.phrases}
        )
        """How many SEEDs could use each pair."""

    def cuts(self) -> list[Cut]:
        """The phrases of every SEED, in order."""
        found = [self._after(rounds) for rounds in _BEGINNINGS]
        return min(found, key=lambda one: one[0])[1]

    def _after(self, rounds: Sequence[float]) -> tuple[float, list[Cut]]:
        """Run these rounds. Return the length of the description, and the cuts."""
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
    """Replace one half, and find it again in its sentence, nearest to its former place."""
    total = sum(used.values())
    spelled = sum(_LETTER * _letters(key) for key in used)
    return spelled + sum(math.log(total / used[phrase.key]) + phrase.cost for cut in cuts for phrase in cut)


def _letters(key: Key) -> int:
    return len(key[0]) + len(key[1])


class _Prices:
    """The costs of pairs in one round."""

    def __init__(self, used: Mapping[Key, int], possible: Mapping[Key, int], potential: float) -> None:
        self._used, self._possible, self._potential = used, possible, potential
        self._total = math.log(sum(used.values()) + potential * _PER_PAIR * sum(possible.values()) + 1)

    def best(self, lattice: _Lattice, own: set[Key]) -> Cut:
        """The cheapest phrases that cover a SEED. `own`: its current pairs, whose own use is not counted."""
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
        """The cost of its use, and its share of the cost of its letters and its size."""
        key = phrase.key
        others = self._used.get(key, 0) - is_own
        count = 1 + (1 - self._potential) * others + self._potential * (self._possible[key] - 1)
        size = phrase.end - phrase.first
        clumsy = _SIZES[min(size, len(_SIZES) - 1)] + 3 * max(0, size - len(_SIZES) + 1)
        return self._total - math.log(count) + (_LETTER * _letters(key) + clumsy) / count + phrase.cost


def _path(last: Mapping[int, Phrase], first: int, end: int) -> Cut:
    """The phrases from the first word to the end; empty if there is no path."""
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
