"""The Iron Rule: no LEGO begins or ends with a preposition.

Such a phrase is torn from its object or verb. Only the source half is checked, in small letters and without
punctuation. Two variants:

    phrase_aware    (the default) only a preposition that stands alone or dangles breaks it: "with you" is fine, "with"
                    and "you with" are not
    strict          neither edge may be a preposition

The word in front of an infinitive ("to be") is a separate option. A particle or preposition of a multi-word verb is
allowed if the LEGO holds the whole verb ("turn on", "called me back"). But a preposition that a verb requires ("wait
for", "agree with") may end a LEGO only if its object does not follow it ("What are you waiting for?"): "I'll wait for"
is torn from "you".
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, Self

from burnish.kinds.legos.model import Word
from burnish.kinds.legos.multiwords import Verb, mark_between
from burnish.languages.profiles import LanguageProfile

Variant = Literal["strict", "phrase_aware"]
Edge = Literal["start", "end"]
Span = tuple[int, int]
"""The words of a LEGO in its sentence: the first, and the one after the last."""


@dataclass(frozen=True, slots=True)
class IronRule:
    """Which prepositions at the edge of a LEGO break the rule."""

    variant: Variant = "phrase_aware"
    infinitive_to: bool = False
    """Whether the word in front of an infinitive counts as a preposition."""

    @classmethod
    def of(cls, variant: Variant | None = None, infinitive_to: bool | None = None) -> Self:
        """The rule for these options. In the strict variant, the infinitive's word counts by default."""
        chosen: Variant = variant or "phrase_aware"
        return cls(chosen, chosen == "strict" if infinitive_to is None else infinitive_to)


@dataclass(frozen=True, slots=True)
class Violation:
    """A preposition at the edge of a LEGO."""

    edge: Edge
    place: int
    """The index of the word, counted from 0."""
    word: str
    """As written in the sentence."""


def violations(
    words: Sequence[Word],
    profile: LanguageProfile,
    rule: IronRule,
    verbs: Sequence[Verb] = (),
    span: Span | None = None,
) -> Violation | None:
    """The first place where a LEGO breaks the rule, start before end; None if it does not.

    `words` are those of the sentence and `span` selects those of the LEGO, so that an infinitive after its edge is
    seen; without a span the words are all the LEGO's. `verbs` are the multi-word verbs in `words`.
    """
    first, last = span if span is not None else (0, len(words))
    if first >= last:
        return None
    if rule.variant == "strict" and opens_badly(words, first, last, profile, rule, verbs):
        return Violation("start", first, words[first].text)
    if closes_badly(words, first, last, profile, rule, verbs):
        return Violation("end", last - 1, words[last - 1].text)
    return None


def opens_badly(
    words: Sequence[Word], first: int, last: int, profile: LanguageProfile, rule: IronRule, verbs: Iterable[Verb]
) -> bool:
    """Whether the first word of a LEGO is a preposition, or begins with one."""
    return _counts(words, first, profile, rule, profile.begins_with_preposition) and not belongs(
        first, verbs, (first, last)
    )


def closes_badly(
    words: Sequence[Word], first: int, last: int, profile: LanguageProfile, rule: IronRule, verbs: Iterable[Verb]
) -> bool:
    """Whether the last word of a LEGO is a preposition separated from its object."""
    if last - first > 1 and is_adverb(words, last - 1, profile, rule):
        return False
    return _counts(words, last - 1, profile, rule, profile.is_preposition) and not any(
        verb.may_close and verb.end == last and first <= verb.first for verb in verbs
    )


def is_adverb(words: Sequence[Word], place: int, profile: LanguageProfile, rule: IronRule) -> bool:
    """Whether a word that can be a preposition is an adverb here, because its clause ends with it: "the day before".
    The strict rule looks at words only."""
    if rule.variant == "strict" or words[place].bare not in profile.adverb_prepositions:
        return False
    return place + 1 == len(words) or mark_between(words[place], words[place + 1], profile)


def belongs(place: int, verbs: Iterable[Verb], span: Span) -> bool:
    """Whether a word is part of a multi-word verb that the LEGO holds completely."""
    first, last = span
    return any(place in verb.places and first <= verb.first and verb.end <= last for verb in verbs)


def unreachable(
    words: Sequence[Word], profile: LanguageProfile, rule: IronRule, verbs: Sequence[Verb] = ()
) -> frozenset[int]:
    """The places of words at the edges of a sentence that no allowed LEGO can hold.

    A LEGO that holds the first word begins with it. If that is a preposition, no LEGO may begin there, and the second
    word is the next candidate. The same from the end.
    """
    count = len(words)
    found: set[int] = set()
    if rule.variant == "strict":
        for place in range(count):
            if not opens_badly(words, place, count, profile, rule, verbs):
                break
            found.add(place)
    for place in reversed(range(count)):
        if not closes_badly(words, 0, place + 1, profile, rule, verbs):
            break
        found.add(place)
    return frozenset(found)


def _counts(
    words: Sequence[Word], place: int, profile: LanguageProfile, rule: IronRule, is_preposition: Callable[[str], bool]
) -> bool:
    if words[place].bare == profile.infinitive_marker and _marks_infinitive(words, place, profile):
        return rule.infinitive_to
    return is_preposition(words[place].bare)


def _marks_infinitive(words: Sequence[Word], place: int, profile: LanguageProfile) -> bool:
    """Whether an infinitive follows this word, or is left out there: "I want to."."""
    if place + 1 == len(words):
        return place > 0 and words[place - 1].bare in profile.incomplete_verbs
    behind = words[place + 1].bare
    known = behind in profile.verb_forms or behind in profile.common_verbs
    return behind in profile.auxiliaries or (known and behind not in profile.function_words)
