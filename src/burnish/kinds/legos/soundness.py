"""The probability that a person calls a LEGO good, from signs for and against it and their weights.

A person calls a cut bad for its worst LEGO, which a mean hides. So every LEGO has its own probability, and that of a
cut is their product. `WEIGHTS` were fitted on cuts that were labelled blind (`bench/eval/labels`).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property

import numpy as np

from burnish.kinds.legos.boundaries import DROPS_PRONOUNS, LOOSE, STRONG, seams
from burnish.kinds.legos.cutter import SENTENCE
from burnish.kinds.legos.model import Lego, Seed, Word
from burnish.kinds.legos.phrases import AlignedSeed, Languages, Span
from burnish.languages.lexicon import COUNTERPART, TRANSLATED, Comparison, Stem
from burnish.languages.profiles import LanguageProfile

_SURE = 0.999
"""The highest confidence of a LEGO that counts, so that one sign does not outweigh all others."""
_EXPLAINED, _MOST_EXPLAINED = 2.2, 4.0
"""The default of `explained`, used without a lexicon, and its maximum. Rare words do not count for more."""
_UNCUT = -4.0
"""The value of a sentence that cannot be cut in two."""
_TYING = frozenset(("of", "de", "del", "des", "di", "do", "du", "von"))
"""Prepositions that link a noun to the one before it: "a bottle of wine"."""
_LONG = 20
"""Letters from which on the length of one half does not predict the other."""


@dataclass(frozen=True, slots=True)
class Signs:
    """The signs for a LEGO (the confidence in its halves) and against it."""

    sure: float
    """The logarithm of the odds that the halves have the same meaning."""
    seam: float
    """The cost of cutting its source out of the sentence (`boundaries.py`)."""
    stretch: float
    """How far the lengths of its halves differ from the ratio of the sentences; more in a long one."""
    torn: bool
    """An edge of its target half separates words that belong together."""
    misplaced: int
    """Content words whose counterpart, by the lexicon, is in the other sentence and not in the other half."""
    negated: bool
    """One half is negated, the other is not."""
    clitic: bool
    """The target half begins with a clitic of a verb that is elsewhere."""
    subject: bool
    """The source half ends with a subject whose verb is in the next one."""
    lost: int
    """Content words of the target beside it that no LEGO holds."""
    strayed: int
    """Grammar words of the target whose counterpart is in the other sentence and not in the other half."""
    explained: float
    """How well the words of each half predict the other, by the lexicon: the mean over all words, at most 4."""
    usual: float
    """The logarithm of the share of SEEDs with its source half that could translate it this way."""
    verbless: bool
    """The source half has a verb, and the target half grammar words but no verb: "Do you | У вас"."""
    preposition: bool
    """One half begins with a preposition, the other does not."""
    adverb: bool
    """The source half is a pronoun and one more word, neither a verb: "I just", "them there"."""
    noun: bool
    """The source half ends with a noun after a verb, and the next begins with a verb: "I hope Tom | comes"."""
    phrases: int
    """Evidence for two phrases in a source half without a verb: "my house in slippers"."""
    loose: bool
    """A cut inside the source half would separate nothing that belongs together."""
    pauses: int
    """Commas and dashes inside the source half."""
    whole: bool
    """It is all of a sentence of five words or more."""
    cuttable: float
    """How well such a sentence could be cut in two, by links and seams on both sides; 0 for any other."""


@dataclass(frozen=True, slots=True)
class Weights:
    """The change of the log odds for each sign."""

    base: float = 2.66
    sure: float = 0.36
    seam: float = -0.03
    stretch: float = -0.49
    torn: float = -1.3
    misplaced: float = -2.2
    negated: float = -0.67
    clitic: float = -3.7
    subject: float = -2.8
    lost: float = -2.6
    strayed: float = -1.8
    explained: float = 0.21
    usual: float = 0.30
    verbless: float = -1.4
    preposition: float = -0.58
    adverb: float = -1.9
    noun: float = -2.3
    phrases: float = -1.1
    loose: float = -0.62
    pauses: float = -2.1
    whole: float = -5.1
    cuttable: float = -1.1


WEIGHTS = Weights()


def soundness(signs: Signs) -> float:
    """The probability that a person calls a LEGO good, 0..1."""
    value = WEIGHTS.base + sum(getattr(WEIGHTS, sign.name) * getattr(signs, sign.name) for sign in fields(Signs))
    return 1 / (1 + math.exp(-max(-30.0, value)))


@dataclass(frozen=True)
class CutSeed:
    """Computes the signs of the LEGOs of an aligned SEED."""

    seed: Seed
    aligned: AlignedSeed
    languages: Languages
    spans: Sequence[tuple[Span, Span]]
    """The source words and the target words of every LEGO; an empty span if it holds none."""

    def signs(self, lego: Lego, span: Span, half: Span, confidence: float, usual: float) -> Signs:
        """`usual`: the share of the SEEDs that could use its source half with this translation."""
        words, target_words = self.aligned.words[slice(*span)], self.aligned.target_words[slice(*half)]
        profile, pauses, inside = self.languages.source, self.aligned.marks.pauses, range(span[0] + 1, span[1])
        misplaced, strayed, explained = self._compared(lego)
        is_verbless = not any(_is_verb(word.bare, profile) for word in words)
        is_all = span == (0, len(self.aligned.words))
        whole = is_all and len(words) >= SENTENCE
        sure = min(confidence, _SURE)
        return Signs(
            sure=math.log(sure / (1 - sure)) if sure else -30.0,
            seam=sum(max(0.0, self.aligned.seams[place]) for place in span if place not in self._open[0]),
            stretch=self._stretch(lego),
            torn=any(map(self._is_torn, half)),
            misplaced=misplaced,
            negated=_is_negated(words, self.languages.source) != _is_negated(target_words, self.languages.target),
            clitic=half[0] > 0 and len(target_words) > 1 and self._begins_with_clitic(words, target_words[0].bare),
            subject=self._is_subject_parted(span),
            lost=self._lost(half),
            strayed=strayed,
            explained=explained,
            usual=math.log(usual),
            verbless=not is_verbless and self._is_grammar_alone(target_words),
            preposition=self._is_preposition_alone(words[0].bare, target_words[0].bare),
            adverb=len(words) == 2 and not is_all and is_verbless and profile.is_pronoun(words[0].bare),
            noun=not is_verbless and self._is_noun_parted(span),
            phrases=self._phrases(span) if is_verbless else 0,
            loose=any(self.aligned.seams[place] <= LOOSE for place in inside),
            pauses=sum(pauses[place] for place in inside),
            whole=whole,
            cuttable=self._cuttable() if whole else 0.0,
        )

    @cached_property
    def _open(self) -> tuple[frozenset[int], frozenset[int]]:
        """Edges of both sentences that separate nothing although words are tied there: after an open-ended source half
        and its translation ("I'm going to | Voy a"), and after a pronoun that is a LEGO by itself ("He | Él")."""
        profile, words = self.languages.source, self.aligned.words
        ends = []
        for (first, end), (low, high) in self.spans:
            last = words[end - 1].bare if first < end else ""
            alone = end - first == 1 == high - low and profile.is_pronoun(last)
            if alone or (last and last == profile.infinitive_marker):
                ends.append((end if alone else 0, high))
        return frozenset(end for end, _ in ends), frozenset(high for _, high in ends)

    def _is_torn(self, place: int) -> bool:
        """Whether words of the target belong together at a place. A word such as "tomorrow" is not tied to a noun, and
        in languages that omit pronouns a helping verb in front is a frame like "Can you": "Puedes"."""
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

    def _compared(self, lego: Lego) -> tuple[int, int, float]:
        """Compare the halves by the lexicon: the numbers of content words and grammar words whose counterpart is
        elsewhere, and how well the words of each half predict the other."""
        lexicon = self.languages.lexicon
        if lexicon is None:
            return 0, 0, _EXPLAINED
        here = lexicon.compare(lego.source, lego.target)
        misplaced = strayed = 0
        for is_target, (side, start) in enumerate(((here.source, lego.start), (here.target, lego.target_start))):
            content, known = self._content[is_target], self._known[is_target]
            for stem, weight in side:
                place = start + stem.start
                if weight < COUNTERPART and known.get(place, 0.0) >= TRANSLATED:
                    misplaced += place in content
                    strayed += bool(is_target) and place not in content
        weights = [min(weight, _MOST_EXPLAINED) for _, weight in (*here.source, *here.target)]
        return misplaced, strayed, sum(weights) / len(weights) if weights else _EXPLAINED

    @cached_property
    def _known(self) -> tuple[Mapping[int, float], Mapping[int, float]]:
        """For each place of both sentences how well the other sentence predicts the word there."""
        assert self.languages.lexicon is not None
        whole: Comparison = self.languages.lexicon.compare(self.seed.source, self.seed.target)
        return _by_place(whole.source), _by_place(whole.target)

    @cached_property
    def _content(self) -> tuple[frozenset[int], frozenset[int]]:
        """The starts of content words."""
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
                # "with you" is not a subject, and "Can you" is a frame.
                return not profile.is_preposition(before) and before not in profile.auxiliaries
        return False

    def _is_grammar_alone(self, target_words: Sequence[Word]) -> bool:
        target = self.languages.target
        return target is not None and not any(
            _is_verb(word.bare, target) or (word.bare not in target.function_words and not target.is_pronoun(word.bare))
            for word in target_words
        )

    def _is_preposition_alone(self, first: str, target_first: str) -> bool:
        source, target = self.languages.source, self.languages.target
        if target is None:
            return False
        return source.begins_with_preposition(first) != target.begins_with_preposition(target_first)

    def _is_noun_parted(self, span: Span) -> bool:
        words, profile = self.aligned.words, self.languages.source
        first, end = span
        last = words[end - 1].bare
        is_followed = end < len(words) and not self.aligned.marks.pauses[end] and _is_verb(words[end].bare, profile)
        return is_followed and end - first > 2 and not profile.is_verb(last) and last not in profile.function_words

    def _phrases(self, span: Span) -> int:
        """Count determiners directly after a noun ("esperantist a few years ago"), and prepositions that do not link a
        noun to the one before it, which count more in the object of a verb: "cut || the paper in half"."""
        words, profile = self.aligned.words, self.languages.source
        first, end = span
        nouns = sum(
            words[place].bare in profile.determiners
            and words[place - 1].bare not in profile.function_words
            and not self.aligned.marks.pauses[place]
            for place in range(first + 1, end)
        )
        if not any(profile.is_preposition(word.bare) and word.bare not in _TYING for word in words[first + 1 : end]):
            return nouns
        is_object = not self.aligned.marks.pauses[first] and not profile.is_preposition(words[first].bare)
        return nouns + 1 + (is_object and any(profile.is_verb(word.bare) for word in words[max(0, first - 3) : first]))

    def _cuttable(self) -> float:
        """The best cut in two: how well its parts predict each other, less links that it crosses and words that it
        separates. Multi-word verbs tie nothing here: "I looked at | Vi" is as good as "at the picture"."""
        aligned = self.aligned
        count, target_count = len(aligned.words), len(aligned.target_words)
        links = np.zeros((count + 1, target_count + 1))
        for (one, other), sure in aligned.links.items():
            links[one + 1, other + 1] = sure
        before = links.cumsum(0).cumsum(1)
        ahead, back, total = before[:, -1:], before[-1:, :], before[-1, -1]
        behind = total - ahead - back + before
        own = np.maximum(0, seams(aligned.words, aligned.marks.pauses, self.languages.source))[:, None]
        theirs = np.maximum(0, aligned.target_seams)[None, :]
        worth = np.minimum(1, before) / 2 + np.minimum(1, behind) / 2 - 3 * (ahead + back - 2 * before)
        worth -= 0.05 * own + 0.04 * theirs
        return float(max(_UNCUT, worth[1:-1, 1:-1].max(initial=_UNCUT)))

    def _lost(self, half: Span) -> int:
        """Count lost words with the LEGO before them; those at the beginning with the first."""
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
    """Whether a word is a verb, or contracted with one: "I'm"."""
    return profile.is_verb(bare) or bare in profile.auxiliaries or profile.is_contraction(bare)
