"""The quality of an extraction: five scores from 0 to 10, and their weighted sum.

    iron_rule_compliance    .35    no LEGO begins or ends with a preposition
    naturalness             .25    cut where a speaker would pause
    pedagogical_value       .20    worth learning, and neither too short nor too long
    consistency             .10    even sizes, and the same pattern cut the same way across the course
    edge_case_handling      .10    contractions, punctuation, special characters and words are left whole

Version 2.0 also uses the facts of the course about every LEGO (`evidence.py`). A cut is scored by the probability that
a person calls all its LEGOs good (`soundness.py`), so one bad LEGO lowers it; a LEGO scores higher the more SEEDs can
use it; a whole sentence scores low, because no other SEED can use it; and an edge that separates target words that
belong together is a fault. Version 1.0 uses the source of one SEED and the habits of its course.

Scores are rounded to one decimal, and the rounded ones are summed, so that the sum can be checked from a record. A SEED
without LEGOs scores 0 in everything.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from types import MappingProxyType
from typing import Literal

from burnish.kinds.legos.boundaries import DROPS_PRONOUNS
from burnish.kinds.legos.edge_cases import edge_case_handling
from burnish.kinds.legos.evidence import Habits, LegoEvidence, reaches
from burnish.kinds.legos.iron_rule import IronRule
from burnish.kinds.legos.model import DIMENSIONS, Dimension
from burnish.kinds.legos.multiwords import Verb
from burnish.kinds.legos.placement import Extraction, Piece, spans_of
from burnish.languages.profiles import LanguageProfile

Evidence = Sequence[LegoEvidence]
"""The facts of the course about every LEGO of a SEED, in order."""
_VIOLATION_STEPS = ((0, 10.0), (2, 9.0), (5, 8.0), (10, 7.0), (20, 5.0), (30, 3.0))
"""The most violations in per cent -> the score."""
_MOST_VIOLATIONS = 1.0


def iron_rule_compliance(extraction: Extraction, rule: IronRule) -> float:
    """The score of the Iron Rule."""
    breaking = sum(piece.violation(extraction.profile, rule) is not None for piece in extraction.pieces)
    return score_of_share(breaking, len(extraction.pieces))


def score_of_share(breaking: int, legos: int) -> float:
    """The score for this share of LEGOs that break the rule. Computed in integers, so that 2 % is exactly 2 %."""
    return next((score for percent, score in _VIOLATION_STEPS if breaking * 100 <= percent * legos), _MOST_VIOLATIONS)


_SLACK = 1e-9
"""Sums of tenths and twentieths are not exact in binary: 7.95 may be slightly too low."""


def one_decimal(score: float) -> float:
    """A score with one decimal, halves rounded up; `round` rounds halves to even."""
    return math.floor(score * 10 + 0.5 + _SLACK) / 10


def mean(scores: list[float]) -> float:
    return math.fsum(scores) / len(scores)


def mean_or_none(numbers: list[float] | list[int]) -> float | None:
    """The mean to two decimals; None for an empty list, because 0 would be a score."""
    return round(math.fsum(numbers) / len(numbers), 2) if numbers else None


_HABIT_STEPS = ((0.8, 10.0), (1.2, 9.0), (1.5, 8.0), (2.0, 6.0))
"""The largest spread -> the score."""
_LEAST_CONSISTENT = 4.0
_HABIT_SLACK = 1e-9


def consistency(extraction: Extraction, habits: Habits | None) -> float:
    """The score of consistency. Without known habits it is not lowered."""
    agreement = habits.agreement(extraction.words, extraction.spans) if habits is not None else 1.0
    return 0.50 * spread_score(spread([piece.size for piece in extraction.pieces])) + 0.50 * 10 * agreement


def spread(sizes: Sequence[int]) -> float:
    """The standard deviation of sizes, over the whole population, not a sample."""
    middle = mean([float(size) for size in sizes])
    return math.sqrt(mean([(size - middle) ** 2 for size in sizes]))


def spread_score(deviation: float) -> float:
    return next((score for limit, score in _HABIT_STEPS if deviation <= limit + _HABIT_SLACK), _LEAST_CONSISTENT)


YOU: Mapping[str, frozenset[str]] = {
    "de": frozenset({"du", "ihr", "sie"}),
    "en": frozenset({"you"}),
    "es": frozenset({"tú", "vos", "usted", "ustedes", "vosotros", "vosotras"}),
    "fr": frozenset({"tu", "vous"}),
    "it": frozenset({"tu", "lei", "voi"}),
    "mk": frozenset({"ти", "вие"}),
    "pt": frozenset({"tu", "você", "vocês"}),
    "ru": frozenset({"ты", "вы"}),
}
"""Words for the person addressed, after an auxiliary."""


def holds_pronoun(bares: Sequence[str], profile: LanguageProfile) -> bool:
    """Whether the words include a personal pronoun, or a verb form that implies one."""
    return any(map(profile.is_pronoun, bares)) or (
        profile.code in DROPS_PRONOUNS and not profile.common_verbs.isdisjoint(bares)
    )


def holds_verb(bares: Sequence[str], profile: LanguageProfile) -> bool:
    """Whether the words include a verb, also one contracted with its pronoun: "I'm", "they'll"."""
    return any(profile.is_verb(word) or (profile.is_pronoun(word) and profile.is_contraction(word)) for word in bares)


def holds_phrase(bares: Sequence[str], phrases: frozenset[str]) -> bool:
    """Whether the words include one of the phrases."""
    by_first = _by_first_word(phrases)
    return any(
        tuple(bares[place : place + len(phrase)]) == phrase
        for place, word in enumerate(bares)
        for phrase in by_first.get(word, ())
    )


def useful_patterns(bares: Sequence[str], profile: LanguageProfile) -> int:
    """The number of different patterns in a LEGO, of the six that a beginner needs most."""
    return sum(
        (
            asks_you(bares, profile),
            opens_with_wh(bares, profile),
            says_what_i_do(bares, profile),
            not profile.negations.isdisjoint(bares),
            not profile.time_words.isdisjoint(bares),
            holds_phrase(bares, profile.courtesy),
        )
    )


def asks_you(bares: Sequence[str], profile: LanguageProfile) -> bool:
    """Whether there is an auxiliary with "you": "can you", "do you"."""
    you = YOU.get(profile.code, frozenset())
    return any(left in profile.auxiliaries and right in you for left, right in pairwise(bares))


def opens_with_wh(bares: Sequence[str], profile: LanguageProfile) -> bool:
    """Whether there is a question word at the beginning: "what", "what's"."""
    return bool(bares) and (bares[0] in profile.wh_words or bares[0].partition("'")[0] in profile.wh_words)


def says_what_i_do(bares: Sequence[str], profile: LanguageProfile) -> bool:
    """ "I" and a common verb, also contracted: "I want", "I'm"; if the language omits "I", the verb alone."""
    if profile.code in DROPS_PRONOUNS and not profile.common_verbs.isdisjoint(bares):
        return True
    if any(word in profile.first_person and "'" in word for word in bares):
        return True
    return any(left in profile.first_person and right in profile.common_verbs for left, right in pairwise(bares))


@lru_cache(maxsize=64)
def _by_first_word(phrases: frozenset[str]) -> Mapping[str, tuple[tuple[str, ...], ...]]:
    found: dict[str, list[tuple[str, ...]]] = {}
    for phrase in sorted(phrases):
        words = tuple(phrase.split())
        found.setdefault(words[0], []).append(words)
    return {first: tuple(several) for first, several in found.items()}


BoundaryFault = Literal["incomplete_verb", "determiner", "particle"]
A_SPLIT = 2.0
A_BOUNDARY_FAULT = 3.0
_CAUTION = 1.3
"""Above 1, the threshold of 8.0 flags more bad cuts, and more good ones too: seven and one in ten of the labelled
cuts."""
A_SEAM = 0.1
"""The weight of the cost of cutting a LEGO (`boundaries.py`): low, because `soundness.py` includes it too."""


def naturalness(extraction: Extraction, evidence: Evidence | None = None) -> float:
    """The score of naturalness."""
    verbs = max(0.0, 10 - A_SPLIT * len(split_verbs(extraction)))
    complete = mean([completeness(piece.bares, extraction.profile) for piece in extraction.pieces])
    if evidence is None:
        boundaries = mean([boundary_score(boundary_faults(piece, extraction)) for piece in extraction.pieces])
        return 0.30 * verbs + 0.40 * boundaries + 0.30 * complete
    boundaries = mean([max(0.0, 10 - A_SEAM * (one.signs.seam if one.signs else 0.0)) for one in evidence])
    return sound(evidence) * (0.30 * verbs + 0.40 * boundaries + 0.30 * complete)


def sound(evidence: Evidence) -> float:
    """The score factor of a cut, from 0 to 1, by the probability that a person calls all its LEGOs good: a cut is
    called bad for its worst LEGO."""
    return math.prod(one.sound for one in evidence) ** _CAUTION


def split_verbs(extraction: Extraction) -> tuple[Verb, ...]:
    """The multi-word verbs that no LEGO holds completely."""
    reach = reaches(len(extraction.words), extraction.spans)
    return tuple(verb for verb in extraction.verbs if reach[verb.first] < verb.end)


def boundary_score(faults: Sequence[BoundaryFault]) -> float:
    return 10 - A_BOUNDARY_FAULT * len(faults)


def boundary_faults(piece: Piece, extraction: Extraction) -> tuple[BoundaryFault, ...]:
    """The faults at the end of a LEGO."""
    return faults_at_end(piece, extraction.profile, another_follows=piece.span[1] < extraction.reach)


def faults_at_end(piece: Piece, profile: LanguageProfile, another_follows: bool) -> tuple[BoundaryFault, ...]:
    """The faults at the end of a LEGO. `another_follows`: whether a later LEGO exists."""
    if not piece.size or not piece.is_torn_behind:
        return ()
    last = piece.bares[-1]
    found: dict[BoundaryFault, bool] = {
        "incomplete_verb": last in profile.incomplete_verbs,
        "determiner": last in profile.determiners,
        "particle": last in profile.particles
        and last != profile.infinitive_marker
        and another_follows
        and not piece.ends_in_verb(),
    }
    return tuple(fault for fault, holds in found.items() if holds)


def completeness(bares: Sequence[str], profile: LanguageProfile) -> float:
    """How complete a thought is in a LEGO of these words."""
    if len(bares) == 2:
        return 10.0 if holds_pronoun(bares, profile) and holds_verb(bares, profile) else 6.0
    if len(bares) > 2:
        return 9.0 if holds_pronoun(bares, profile) else 7.0
    return 8.0


_SIZES = (0.0, 4.0, 8.0, 10.0, 10.0, 10.0, 8.0, 6.0, 5.0, 4.0)
"""Scores by the number of words; 3 for more."""
_LARGE = 3.0


def pedagogical_value(extraction: Extraction, evidence: Evidence | None = None) -> float:
    """The score of pedagogical value."""
    pieces, profile = extraction.pieces, extraction.profile
    if evidence is None:
        return mean([value_of(piece.bares, profile) for piece in pieces])
    values = [value_in_course(piece.bares, profile, one) for piece, one in zip(pieces, evidence, strict=True)]
    return sound(evidence) * mean(values)


_USES = ((10, 10.0), (5, 9.0), (3, 8.0), (2, 7.0))
"""The fewest SEEDs that can use a pair -> the score of frequency; 4 for fewer."""
_SELDOM, _WHOLE_SENTENCE = 4.0, 2.0
"""Scores of a seldom used LEGO, and of a whole sentence of five words or more, which no other SEED can use."""


def value_in_course(bares: Sequence[str], profile: LanguageProfile, evidence: LegoEvidence) -> float:
    """The pedagogical value of one LEGO if its halves have the same meaning."""
    uses = next((score for seeds, score in _USES if evidence.seeds >= seeds), _SELDOM)
    if evidence.is_whole:
        return 0.40 * uses + (0.35 + 0.25) * _WHOLE_SENTENCE
    size = max(size_score(len(bares)), 10.0 if evidence.seeds > 1 and len(bares) <= LARGEST_SHARED else 0.0)
    return 0.40 * uses + 0.35 * size + 0.25 * reusability(bares, profile)


LARGEST_SHARED = 6
"""The most words for which a LEGO that two SEEDs can use always has a good size."""


def value_of(bares: Sequence[str], profile: LanguageProfile) -> float:
    """The pedagogical value of one LEGO with these words."""
    return 0.40 * frequency(bares, profile) + 0.35 * size_score(len(bares)) + 0.25 * reusability(bares, profile)


def frequency(bares: Sequence[str], profile: LanguageProfile) -> float:
    return min(10.0, 5.0 + useful_patterns(bares, profile))


def size_score(words: int) -> float:
    return _SIZES[words] if words < len(_SIZES) else _LARGE


def reusability(bares: Sequence[str], profile: LanguageProfile) -> float:
    if holds_phrase(bares, profile.frames):
        return 10.0
    if holds_pronoun(bares, profile):
        return 8.0
    return 6.0 if not profile.language_names.isdisjoint(bares) else 7.0


ScoringVersion = Literal["1.0", "2.0"]
SCORING_VERSION: ScoringVersion = "2.0"
WEIGHTS: Mapping[Dimension, float] = MappingProxyType(
    {
        "iron_rule_compliance": 0.35,
        "naturalness": 0.25,
        "pedagogical_value": 0.20,
        "consistency": 0.10,
        "edge_case_handling": 0.10,
    }
)


def scores_of(
    extraction: Extraction, habits: Habits | None, rule: IronRule, evidence: Evidence | None = None
) -> dict[Dimension, float]:
    """The five scores. Without habits the SEED counts as cut like the rest of its course; without evidence the score is
    that of version 1.0."""
    if not extraction.pieces:
        return dict.fromkeys(DIMENSIONS, 0.0)
    torn = sum(one.signs is not None and one.signs.torn for one in evidence or ())
    found: dict[Dimension, float] = {
        "iron_rule_compliance": iron_rule_compliance(extraction, rule),
        "naturalness": naturalness(extraction, evidence),
        "pedagogical_value": pedagogical_value(extraction, evidence),
        "consistency": consistency(extraction, habits),
        "edge_case_handling": edge_case_handling(extraction, torn),
    }
    return {dimension: one_decimal(score) for dimension, score in found.items()}


def overall(scores: Mapping[Dimension, float]) -> float:
    """The weighted sum, with one decimal."""
    return one_decimal(sum(WEIGHTS[dimension] * scores[dimension] for dimension in DIMENSIONS))


__all__ = ["SCORING_VERSION", "WEIGHTS", "Extraction", "one_decimal", "overall", "scores_of", "spans_of"]
