"""Parts of a sentence that can be LEGOs, and what each is worth to the score that reviews them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import takewhile

from burnish.kinds.legos.cutting.closures import Closures
from burnish.kinds.legos.cutting.lawful import Lawful
from burnish.kinds.legos.cutting.marks import Marks
from burnish.kinds.legos.cutting.seams import Seam
from burnish.kinds.legos.model import NOWHERE, Lego
from burnish.kinds.legos.multiwords import Verb
from burnish.kinds.legos.phrases import Half, Phrases
from burnish.kinds.legos.scoring import WEIGHTS
from burnish.kinds.legos.scoring.extraction import Piece
from burnish.kinds.legos.scoring.naturalness import boundary_score, completeness, faults_at_end
from burnish.kinds.legos.scoring.pedagogy import value_of
from burnish.kinds.legos.words import Word
from burnish.languages.profiles import Tongue

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
    tongue: Tongue
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
        faults = faults_at_end(piece, self.tongue, end < self.lawful.end)
        natural = 0.40 * boundary_score(faults) + 0.30 * completeness(piece.bares, self.tongue)
        value = WEIGHTS["naturalness"] * natural + WEIGHTS["pedagogical_value"] * value_of(piece.bares, self.tongue)
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
