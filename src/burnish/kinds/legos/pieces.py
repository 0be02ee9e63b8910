"""A SEED's LEGOs as the scores look at them: pieces with their words, spans and violations."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Self

from burnish.kinds.legos.iron_rule import IronRule, Span, Violation, belongs, violations
from burnish.kinds.legos.model import NOWHERE, Lego, Seed, Word, words_of
from burnish.kinds.legos.multiwords import Verb, mark_between, multi_word_verbs
from burnish.languages.profiles import LanguageProfile

NO_SPAN: Span = (0, 0)


@dataclass(frozen=True)
class Piece:
    """One LEGO among the words of its sentence."""

    lego: Lego
    position: int
    """Counted from 1, as in its provenance."""
    words: tuple[Word, ...]
    """Those of the sentence; the LEGO's own where it is no part of the sentence."""
    span: Span
    verbs: tuple[Verb, ...]
    """Multi-word verbs in `words`; at least those of which it holds every word."""

    @property
    def size(self) -> int:
        """How many words it has."""
        return self.span[1] - self.span[0]

    @cached_property
    def bares(self) -> tuple[str, ...]:
        """Its words, bare."""
        return tuple(word.bare for word in self.words[slice(*self.span)])

    @property
    def is_torn_behind(self) -> bool:
        """Whether what it belongs to may go on behind it: neither the sentence ends there, nor a mark stands there."""
        last = self.span[1]
        if self.lego.start == NOWHERE:
            return True
        return last < len(self.words) and not mark_between(self.words[last - 1], self.words[last])

    def ends_in_verb(self) -> bool:
        """Whether its last word belongs to a multi-word verb that it holds."""
        return belongs(self.span[1] - 1, self.verbs, self.span)

    def violation(self, profile: LanguageProfile, rule: IronRule) -> Violation | None:
        """Where it breaks the Iron Rule."""
        return violations(self.words, profile, rule, self.verbs, self.span)


@dataclass(frozen=True)
class Extraction:
    """A SEED, its words and its LEGOs."""

    seed: Seed
    profile: LanguageProfile
    words: tuple[Word, ...]
    """Of the source sentence."""
    verbs: tuple[Verb, ...]
    """The multi-word verbs of the sentence."""
    pieces: tuple[Piece, ...]

    @classmethod
    def of(cls, seed: Seed, profile: LanguageProfile) -> Self:
        words = words_of(seed.source)
        verbs = tuple(multi_word_verbs(words, profile))
        spans = spans_of(words, seed.legos)
        firsts = [verb.first for verb in verbs]
        pieces = tuple(
            Piece(lego, position, words, span, verbs[slice(*(bisect_left(firsts, place) for place in span))])
            if lego.start != NOWHERE
            else _piece_apart(lego, position, profile)
            for position, (lego, span) in enumerate(zip(seed.legos, spans, strict=True), start=1)
        )
        return cls(seed, profile, words, verbs, pieces)

    @cached_property
    def spans(self) -> tuple[Span, ...]:
        """Of every LEGO that is part of the sentence."""
        return tuple(piece.span for piece in self.pieces if piece.lego.start != NOWHERE)

    @cached_property
    def reach(self) -> int:
        """Behind the last word that a LEGO holds."""
        return max((last for _, last in self.spans), default=0)

    def names(self, pieces: Iterable[Piece]) -> tuple[str, ...]:
        """The provenance of LEGOs."""
        return tuple(self.seed.provenance(piece.position) for piece in pieces)


def spans_of(words: Sequence[Word], legos: Iterable[Lego]) -> list[Span]:
    """Which words of a sentence each LEGO holds, all or in part: the first, and the one behind the last. The same place
    twice where a LEGO holds none or is no part of the sentence."""
    starts, ends = [word.start for word in words], [word.end for word in words]
    return [_span(starts, ends, lego) for lego in legos]


def _span(starts: list[int], ends: list[int], lego: Lego) -> Span:
    if lego.start == NOWHERE:
        return NO_SPAN
    first, last = bisect_right(ends, lego.start), bisect_left(starts, lego.end)
    return (first, last) if first < last else NO_SPAN


def _piece_apart(lego: Lego, position: int, profile: LanguageProfile) -> Piece:
    """A LEGO that is no part of the sentence, by its own words."""
    own = words_of(lego.source)
    return Piece(lego, position, own, (0, len(own)), tuple(multi_word_verbs(own, profile)))
