"""The parts of a sentence that can be LEGOs: lawful, with a half in the target, and what each is worth."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, pairwise, takewhile

from burnish.kinds.legos.boundaries import Closures, Marks, Seam
from burnish.kinds.legos.iron_rule import IronRule, closes_badly, opens_badly
from burnish.kinds.legos.model import NOWHERE, Lego, Word
from burnish.kinds.legos.multiwords import Verb, mark_between
from burnish.kinds.legos.pieces import Piece
from burnish.kinds.legos.scoring import WEIGHTS, boundary_score, completeness, faults_at_end, value_of
from burnish.languages.alignment import Links
from burnish.languages.profiles import LanguageProfile


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


LONGEST = 8
"""Words of a LEGO. A longer one is made only where words of a sentence cannot be parted."""
_INNER_MARK = 0.30
"""What it costs to speak on over a mark."""
_CROSSED_MARK, _TORN_CLAUSE = 0.20, 0.60
"""What it costs if only the target half speaks on over a mark, and for each of its edges that then stands inside what
is said there: `Puedes ayudarme, por | favor`."""
_SENTENCE, _WHOLE_SENTENCE = 5, 0.30
"""From so many words on, a sentence that is one LEGO costs this: it fits nowhere else. Only beside a target, which
shows where it may be cut: without one a cut too many is a guess."""
_STRAY_MARKS = 0.30
"""What it costs if a half has a mark that is not its own."""
_LARGE, _WORD_TOO_MANY = 5, 0.06
"""A learner reuses small phrases: each word above five costs more than the score sees."""
_UNSURE = 0.40
"""What it costs if nothing shows that the halves say the same."""
_UNSHOWN, _DOUBTFUL = 0.34, 0.50
"""Halves that so little speaks for would be doubted: rather joined with a neighbour."""
_SOMEWHERE = Lego("", "", 0, 0, NOWHERE, NOWHERE)


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a sentence that can be a LEGO."""

    first: int
    end: int
    """Words of the source, end exclusive."""
    half: Half | None
    """What says the same in the target; None where there is no target."""
    value: float
    """What it adds to the overall score as one of a SEED's LEGOs, less what its two seams cost."""

    @property
    def size(self) -> int:
        return self.end - self.first

    def holds(self, verb: Verb) -> bool:
        """Whether every word of a multi-word verb is in it."""
        return self.first <= verb.first and verb.end <= self.end


@dataclass(frozen=True)
class Aligned:
    """What the target says: which parts of the source it lets stand by themselves."""

    phrases: Phrases
    closures: Closures
    marks: Marks
    """Of the target sentence."""


@dataclass(frozen=True)
class Parts:
    """The parts of one sentence pair."""

    words: tuple[Word, ...]
    profile: LanguageProfile
    verbs: tuple[Verb, ...]
    lawful: Lawful
    seams: Sequence[Seam]
    marks: Marks
    aligned: Aligned | None
    """None where there is no target: then every part of the source that the Iron Rule allows can be a LEGO."""
    _known: dict[int, tuple[Part, ...]] = field(default_factory=dict)

    def short(self, first: int) -> tuple[Part, ...]:
        """The parts that begin with a word, of up to eight words."""
        if first not in self._known:
            ends = range(first + 1, min(first + LONGEST, self.lawful.end) + 1)
            self._known[first] = tuple(part for end in ends if (part := self._part(first, end)))
        return self._known[first]

    def any(self, first: int) -> tuple[Part, ...]:
        """The same, and the shortest of the longer ones."""
        long = self._long(first)
        return self.short(first) if long is None else (*self.short(first), long)

    def _long(self, first: int) -> Part | None:
        if not self.lawful.can_open(first):
            return None
        ends = self._ends(first, first + LONGEST + 1)
        return next((part for end in ends if (part := self._part(first, end))), None)

    def _ends(self, first: int, at_least: int) -> Iterable[int]:
        """Where parts end that the alignment allows."""
        if self.aligned is None:
            return range(at_least, self.lawful.end + 1)
        return takewhile(lambda end: end <= self.lawful.end, self.aligned.closures.ends(first, at_least))

    def _part(self, first: int, end: int) -> Part | None:
        """One part; None where the Iron Rule or the alignment forbids it."""
        if not self.lawful.allows(first, end):
            return None
        half = self.aligned.phrases.half(first, end) if self.aligned is not None else None
        if half is None and self.aligned is not None:
            return None
        return Part(first, end, half, self.value(first, end, half))

    def value(self, first: int, end: int, half: Half | None) -> float:
        """What a part is worth: its share of the means that make up the score, less what no score sees."""
        piece = Piece(_SOMEWHERE, 1, self.words, (first, end), self.verbs)
        faults = faults_at_end(piece, self.profile, end < self.lawful.end)
        natural = 0.40 * boundary_score(faults) + 0.30 * completeness(piece.bares, self.profile)
        value = WEIGHTS["naturalness"] * natural + WEIGHTS["pedagogical_value"] * value_of(piece.bares, self.profile)
        return value - self._cost(first, end, half) - self.seams[first].open - self.seams[end].close

    def _cost(self, first: int, end: int, half: Half | None) -> float:
        """What speaks against a part and is seen by no mean over LEGOs."""
        inner = sum(self.marks.pauses[first + 1 : end])
        stray = [self.marks.are_stray(first, end)]
        cost = _INNER_MARK * inner + _WORD_TOO_MANY * max(0, end - first - _LARGE)
        if half is not None and self.aligned is not None:
            stray.append(self.aligned.marks.are_stray(half.first, half.end))
            cost += _UNSURE * (1 - half.confidence) + _crossing(self.aligned.marks.pauses, half, inner)
            cost += _DOUBTFUL if half.confidence < _UNSHOWN else 0.0
            if end - first >= _SENTENCE and (first, end) == (self.lawful.first, self.lawful.end):
                cost += _WHOLE_SENTENCE
        return cost + _STRAY_MARKS * sum(stray)


def _crossing(pauses: Sequence[bool], half: Half, inner: int) -> float:
    """What it costs that a target half has more pauses inside than its source."""
    crossed = sum(pauses[half.first + 1 : half.end]) - inner
    if crossed <= 0:
        return 0.0
    torn = (half.first > 0 and not pauses[half.first]) + (half.end < len(pauses) and not pauses[half.end])
    return _CROSSED_MARK * crossed + _TORN_CLAUSE * torn
