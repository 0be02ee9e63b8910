"""How likely a person calls a LEGO good: what speaks against it, and how much each sign weighs.

A person calls a cut bad for its worst LEGO, and a mean hides it. So every LEGO has a likelihood of its own, and a cut
is as good as the product of them. `WEIGHTS` were fitted on cuts that were labelled blind (`bench/eval/labels`).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property

from burnish.kinds.legos.model import Lego, Seed, Word
from burnish.kinds.legos.phrases import AlignedSeed, Languages, Span
from burnish.kinds.legos.seams import DROPS_PRONOUNS, STRONG
from burnish.languages.lexicon import COUNTERPART, TRANSLATED, Comparison, Stem
from burnish.languages.profiles import LanguageProfile

_SURE = 0.999
"""Nobody is surer than this of a LEGO, so that one sign does not outweigh all others."""
_LONG = 20
"""Letters from which on the length of a half says no more about the other."""


@dataclass(frozen=True, slots=True)
class Signs:
    """What speaks for a LEGO (how sure its halves say the same) and against it."""

    sure: float
    """The logarithm of the odds that the halves say the same."""
    seam: float
    """What cutting its source out of the sentence costs (`seams.py`)."""
    stretch: float
    """How far the lengths of its halves are from what those of the sentences say; more in a long one."""
    torn: bool
    """An edge of its target half parts words that belong together."""
    misplaced: int
    """Words of content whose counterpart, by the lexicon, stands in the other sentence and not in the other half."""
    negated: bool
    """One half is negated, the other is not."""
    clitic: bool
    """The target half begins with a word that leans on the one before it: a clitic of a verb that is elsewhere."""
    subject: bool
    """The source half ends with a subject whose verb is in the next one."""
    lost: int
    """Words of content of the target beside it that no LEGO holds."""


@dataclass(frozen=True, slots=True)
class Weights:
    """What a sign changes in the logarithm of the odds."""

    base: float = 1.7
    sure: float = 0.7
    seam: float = -0.04
    stretch: float = -0.5
    torn: float = -1.2
    misplaced: float = -2.3
    negated: float = -1.5
    clitic: float = -3.5
    subject: float = -3.7
    lost: float = -3.4


WEIGHTS = Weights()


def soundness(signs: Signs) -> float:
    """How likely a person calls a LEGO good, 0..1."""
    value = WEIGHTS.base + sum(getattr(WEIGHTS, sign.name) * getattr(signs, sign.name) for sign in fields(Signs))
    return 1 / (1 + math.exp(-max(-30.0, value)))


@dataclass(frozen=True)
class CutSeed:
    """An aligned SEED and its LEGOs, asked for the signs of each."""

    seed: Seed
    aligned: AlignedSeed
    languages: Languages
    spans: Sequence[tuple[Span, Span]]
    """The source words and the target words of every LEGO; the same place twice where it holds none."""

    def signs(self, lego: Lego, span: Span, half: Span, confidence: float) -> Signs:
        words, target_words = self.aligned.words[slice(*span)], self.aligned.target_words[slice(*half)]
        sure = min(confidence, _SURE)
        return Signs(
            sure=math.log(sure / (1 - sure)) if sure else -30.0,
            seam=sum(max(0.0, self.aligned.seams[place]) for place in span if place not in self._open[0]),
            stretch=self._stretch(lego),
            torn=any(map(self._is_torn, half)),
            misplaced=self._misplaced(lego),
            negated=_is_negated(words, self.languages.source) != _is_negated(target_words, self.languages.target),
            clitic=half[0] > 0 and len(target_words) > 1 and self._begins_with_clitic(words, target_words[0].bare),
            subject=self._is_subject_parted(span),
            lost=self._lost(half),
        )

    @cached_property
    def _open(self) -> tuple[frozenset[int], frozenset[int]]:
        """Edges of both sentences that part nothing, although words are tied there: behind a source half with an open
        end and what says it ("I'm going to | Voy a"), and behind a pronoun that is a LEGO by itself ("He | Él")."""
        profile, words = self.languages.source, self.aligned.words
        ends = []
        for (first, end), (low, high) in self.spans:
            last = words[end - 1].bare if first < end else ""
            alone = end - first == 1 == high - low and profile.is_pronoun(last)
            if alone or (last and last == profile.infinitive_marker):
                ends.append((end if alone else 0, high))
        return frozenset(end for end, _ in ends), frozenset(high for _, high in ends)

    def _is_torn(self, place: int) -> bool:
        """Whether words of the target belong together at a place. A word such as "tomorrow" goes with no noun, and
        where pronouns are left out a helping verb in front is a frame like "Can you": "Puedes"."""
        words, target = self.aligned.target_words, self.languages.target
        if self.aligned.target_seams[place] < STRONG or place in self._open[1]:
            return False
        if target is None:
            return True
        is_frame = place == 1 and target.code in DROPS_PRONOUNS and words[0].bare in target.auxiliaries
        return not is_frame and words[place].bare not in target.time_words

    def _stretch(self, lego: Lego) -> float:
        whole = math.log(max(1, len(self.seed.target)) / max(1, len(self.seed.source)))
        own = math.log(max(1, len(lego.target)) / max(1, len(lego.source)))
        return abs(own - whole) * math.sqrt(min(len(lego.source), _LONG))

    def _misplaced(self, lego: Lego) -> int:
        lexicon = self.languages.lexicon
        if lexicon is None:
            return 0
        here = lexicon.compare(lego.source, lego.target)
        sides = (
            (here.source, lego.start, self._known[0], self._content[0]),
            (here.target, lego.target_start, self._known[1], self._content[1]),
        )
        return sum(
            weight < COUNTERPART and start + stem.start in content and known.get(start + stem.start, 0.0) >= TRANSLATED
            for found, start, known, content in sides
            for stem, weight in found
        )

    @cached_property
    def _known(self) -> tuple[Mapping[int, float], Mapping[int, float]]:
        """For each place of both sentences how much the other sentence speaks for the word there."""
        assert self.languages.lexicon is not None
        whole: Comparison = self.languages.lexicon.compare(self.seed.source, self.seed.target)
        return _by_place(whole.source), _by_place(whole.target)

    @cached_property
    def _content(self) -> tuple[frozenset[int], frozenset[int]]:
        """Where words of content begin."""
        source = (word.start for word in self.aligned.words if word.bare not in self.languages.source.function_words)
        target = (word.start for word in self.aligned.target_words if self.languages.is_content(word.bare))
        return frozenset(source), frozenset(target)

    def _begins_with_clitic(self, words: Sequence[Word], first: str) -> bool:
        if first in self.languages.enclitics:
            return True
        source, target = self.languages.source, self.languages.target
        if target is None or not target.is_pronoun(first) or first in target.determiners:
            return False
        return not any(source.is_pronoun(word.bare) or _is_verb(word.bare, source) for word in words)

    def _is_subject_parted(self, span: Span) -> bool:
        words, profile = self.aligned.words, self.languages.source
        first, end = span
        if (
            end - first < 2
            or end == len(words)
            or self.aligned.marks.pauses[end]
            or not _is_verb(words[end].bare, profile)
        ):
            return False
        for place in range(end - 1, first - 1, -1):
            bare = words[place].bare
            if _is_verb(bare, profile) or profile.is_preposition(bare):
                return False
            if profile.is_pronoun(bare) and bare not in profile.determiners:
                before = words[place - 1].bare if place > first else ""
                # "with you" is no subject, and "Can you" is a frame.
                return not profile.is_preposition(before) and before not in profile.auxiliaries
        return False

    def _lost(self, half: Span) -> int:
        """Lost words are counted with the LEGO before them; those at the beginning with the first."""
        target_words = self.aligned.target_words
        begins = [low for _, (low, high) in self.spans if low < high]
        end = min((low for low in begins if low >= half[1]), default=len(target_words))
        lost = [*range(half[1], end), *(range(half[0]) if half[0] == min(begins) else ())]
        held = {place for _, (low, high) in self.spans for place in range(low, high)}
        return sum(place not in held and self.languages.is_content(target_words[place].bare) for place in lost)


def _by_place(side: Sequence[tuple[Stem, float]]) -> dict[int, float]:
    return {stem.start: weight for stem, weight in side}


def _is_negated(words: Sequence[Word], profile: LanguageProfile | None) -> bool:
    return profile is not None and any(word.bare in profile.negations for word in words)


def _is_verb(bare: str, profile: LanguageProfile) -> bool:
    """Also one that is drawn together with its subject: "I'm"."""
    return profile.is_verb(bare) or bare in profile.auxiliaries or profile.is_contraction(bare)
