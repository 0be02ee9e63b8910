"""What is in a phrase: pronouns, frames and the patterns that learners need most. All words are bare."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import pairwise

from burnish.languages.profiles import Tongue

DROPS_PRONOUNS = frozenset({"es", "it", "mk", "pt"})
"""Languages that leave "I" out: the form of the verb says it ("quiero")."""
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
"""The one who is spoken to, where it stands behind an auxiliary."""


def holds_pronoun(bares: Sequence[str], tongue: Tongue) -> bool:
    """Whether a personal pronoun is among the words, or a verb form that says it."""
    return any(map(tongue.is_pronoun, bares)) or (
        tongue.code in DROPS_PRONOUNS and not tongue.common_verbs.isdisjoint(bares)
    )


def holds_verb(bares: Sequence[str], tongue: Tongue) -> bool:
    """Whether a verb is among the words, also one that is drawn together with its pronoun: "I'm", "they'll"."""
    return any(tongue.is_verb(word) or (tongue.is_pronoun(word) and tongue.is_contraction(word)) for word in bares)


def holds_phrase(bares: Sequence[str], phrases: frozenset[str]) -> bool:
    """Whether one of the phrases stands among the words."""
    by_first = _by_first_word(phrases)
    return any(
        tuple(bares[place : place + len(phrase)]) == phrase
        for place, word in enumerate(bares)
        for phrase in by_first.get(word, ())
    )


def useful_patterns(bares: Sequence[str], tongue: Tongue) -> int:
    """How many of the six patterns that a beginner needs most are in a LEGO, each counted once."""
    return sum(
        (
            asks_you(bares, tongue),
            opens_with_wh(bares, tongue),
            says_what_i_do(bares, tongue),
            not tongue.negations.isdisjoint(bares),
            not tongue.time_words.isdisjoint(bares),
            holds_phrase(bares, tongue.courtesy),
        )
    )


def asks_you(bares: Sequence[str], tongue: Tongue) -> bool:
    """An auxiliary and "you": "can you", "do you"."""
    you = YOU.get(tongue.code, frozenset())
    return any(left in tongue.auxiliaries and right in you for left, right in pairwise(bares))


def opens_with_wh(bares: Sequence[str], tongue: Tongue) -> bool:
    """A question word in front: "what", "what's"."""
    return bool(bares) and (bares[0] in tongue.wh_words or bares[0].partition("'")[0] in tongue.wh_words)


def says_what_i_do(bares: Sequence[str], tongue: Tongue) -> bool:
    """ "I" and a common verb, also drawn together: "I want", "I'm", and where "I" is left out the verb alone."""
    if tongue.code in DROPS_PRONOUNS and not tongue.common_verbs.isdisjoint(bares):
        return True
    if any(word in tongue.first_person and "'" in word for word in bares):
        return True
    return any(left in tongue.first_person and right in tongue.common_verbs for left, right in pairwise(bares))


@lru_cache(maxsize=64)
def _by_first_word(phrases: frozenset[str]) -> Mapping[str, tuple[tuple[str, ...], ...]]:
    found: dict[str, list[tuple[str, ...]]] = {}
    for phrase in sorted(phrases):
        words = tuple(phrase.split())
        found.setdefault(words[0], []).append(words)
    return {first: tuple(several) for first, several in found.items()}
