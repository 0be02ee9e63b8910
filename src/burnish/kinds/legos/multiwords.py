"""Multi-word verbs of a sentence, also split ones: "turn on the light", "called me back". Linear."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import regex

from burnish.kinds.legos.model import Word
from burnish.languages.profiles import LanguageProfile, MultiWordVerb, all_abbreviations

_DOTTED = regex.compile(r"\p{L}{1,3}(?:\.\p{L}{1,3})+|\p{Lu}")
"""`U.S`, `p.m`, and the initial of a name; their last full stop is not part of the word."""


def has_inner_dot(word: Word, behind: Word, profile: LanguageProfile | None) -> bool:
    """Whether a full stop between two words belongs to the first word.

    A sentence can also end after dotted letters: it does before a capitalised grammar word ("in the U.S. He"). If the
    language is not known, any capitalised word counts as one, and the abbreviations of all languages are used.
    """
    known = profile.abbreviations if profile is not None else all_abbreviations()
    if word.bare in known:
        return True
    if not _DOTTED.fullmatch(word.text):
        return False
    begins = behind.text[:1].isupper() and (profile is None or behind.bare in profile.function_words)
    return not begins


_VOWELS = "aeiouà"
_VERB_AND_PARTICLE = 2
"""The number of words of `turn on`."""


@dataclass(frozen=True, slots=True)
class Verb:
    """A verb of several words and its place in a sentence."""

    places: tuple[int, ...]
    """The indexes of its words, in order."""
    base: str
    """`call back`."""
    may_close: bool = True
    """Whether a phrase may end with it: its last word is not a preposition, or one without an object after it."""

    @property
    def first(self) -> int:
        return self.places[0]

    @property
    def end(self) -> int:
        """The place after its last word."""
        return self.places[-1] + 1


def multi_word_verbs(words: Sequence[Word], profile: LanguageProfile) -> list[Verb]:
    """The multi-word verbs of a sentence, by first word. Each word begins at most one: the longest, then the closest.

    Verbs do not extend across a mark or the beginning of another clause. A preposition at the end of a clause has no
    object there: it belongs to the verb before it, listed or not ("what she hoped for").
    """
    found = [verb for place in range(len(words)) if (verb := _verb_at(words, place, profile))]
    taken = {place for verb in found for place in verb.places}
    found += [
        Verb((place - 1, place), f"{words[place - 1].bare} {words[place].bare}")
        for place in range(1, len(words))
        if place not in taken and _is_stranded(words, place, profile)
    ]
    taken = {place for verb in found for place in verb.places}
    found += [
        verb for place in range(1, len(words)) if place not in taken if (verb := _verb_before(words, place, profile))
    ]
    at: dict[int, list[Verb]] = {}
    for verb in found:
        for place in verb.places:
            at.setdefault(place, []).append(verb)
    whole = (verb for verb in found if not any(_is_part(verb, other) for other in at[verb.first]))
    return sorted(whole, key=lambda verb: verb.places)


def _verb_at(words: Sequence[Word], place: int, profile: LanguageProfile) -> Verb | None:
    near = {word.bare for word in words[place + 1 : place + profile.verb_reach + 2]}
    elided = any("'" in word for word in near)
    found = [
        Verb(places, pattern.base, _may_close(words, places, pattern, profile))
        for form in _readings(words[place].bare)
        for pattern in profile.multi_word_verbs_of.get(form, ())
        if (elided or _may_follow(pattern.words[1], near, profile))
        and (places := _places(words, place, pattern, profile))
    ]
    return min(found, key=lambda verb: (-len(verb.places), verb.places, verb.base), default=None)


def _may_follow(word: str, near: set[str], profile: LanguageProfile) -> bool:
    """A quick test that skips most of the many verbs that begin with "take"."""
    return word in near or not near.isdisjoint(profile.other_forms.get(word, ()))


def _may_close(words: Sequence[Word], places: Sequence[int], pattern: MultiWordVerb, profile: LanguageProfile) -> bool:
    """Whether the last word of a verb needs no object. A particle needs none ("turn on | the light", "called me back"),
    a preposition does if its object follows: "wait for | you", "stay in | the house"."""
    last = words[places[-1]].bare
    if not profile.is_preposition(last) or _is_left_behind(words, places[-1], profile):
        return True
    if last not in profile.adverb_particles:
        return False
    if len(places) == _VERB_AND_PARTICLE and places[-1] - places[0] > 1:
        return True
    return not pattern.prepositional and (pattern.separable or not _object_follows(words, places[-1], profile))


def _is_left_behind(words: Sequence[Word], place: int, profile: LanguageProfile) -> bool:
    """Whether a preposition is not followed by its object: "what I was waiting for is here"."""
    return _ends_clause(words, place, profile) or words[place + 1].bare in profile.stranding_words


def _object_follows(words: Sequence[Word], place: int, profile: LanguageProfile) -> bool:
    """Whether the words after a particle or preposition can be its object."""
    behind = words[place + 1]
    opening = behind.text[:1]
    return (
        behind.bare in profile.determiners or profile.is_pronoun(behind.bare) or opening.isupper() or opening.isdigit()
    )


def _is_stranded(words: Sequence[Word], place: int, profile: LanguageProfile) -> bool:
    """Whether a preposition follows a verb at the end of its clause. "I have to" needs an infinitive."""
    if not _ends_clause(words, place, profile) or not profile.is_preposition(words[place].bare):
        return False
    verb = words[place - 1].bare
    waits = words[place].bare == profile.infinitive_marker and verb in profile.incomplete_verbs
    is_noun = place > 1 and words[place - 2].bare in profile.determiners
    return profile.is_verb(verb) and not (waits or is_noun or mark_between(words[place - 1], words[place], profile))


def _verb_before(words: Sequence[Word], place: int, profile: LanguageProfile) -> Verb | None:
    """The verb that a particle belongs to if nothing after the particle can be its object, listed or not: "take my old
    shoes off". The words between the two are the verb's object."""
    particle = words[place].bare
    free = particle in profile.adverb_particles or not profile.is_preposition(particle)
    is_noun = words[place - 1].bare in profile.determiners
    if particle not in profile.particles or is_noun or not free or not _is_free(words, place, profile):
        return None
    for first in range(place - 1, max(-1, place - profile.verb_reach - 2), -1):
        if mark_between(words[first], words[first + 1], profile) or words[first].bare in profile.clause_openers:
            return None
        is_noun = first > 0 and words[first - 1].bare in profile.determiners
        if words[first].bare in profile.verb_words - profile.auxiliaries and not is_noun:
            places = (first, place)
            is_one = _begins_object(words, first + 1, place, profile) and _holds_together(words, places, profile)
            return Verb(places, f"{words[first].bare} {particle}") if is_one else None
    return None


def _is_free(words: Sequence[Word], place: int, profile: LanguageProfile) -> bool:
    """Whether nothing follows a word that can be its object as a preposition."""
    if _ends_clause(words, place, profile):
        return True
    behind = words[place + 1].bare
    grammar = behind in profile.function_words and behind not in profile.determiners
    is_time = behind in profile.time_words and not profile.is_preposition(words[place].bare)
    return (grammar and not profile.is_pronoun(behind)) or is_time


def _begins_object(words: Sequence[Word], first: int, end: int, profile: LanguageProfile) -> bool:
    """Whether an object begins at a place, or nothing: "call | her up", "call | up"."""
    opening = words[first]
    is_name = opening.text[:1].isupper()
    return first == end or opening.bare in profile.determiners or profile.is_pronoun(opening.bare) or is_name


def _readings(word: str) -> Iterator[str]:
    """A word, and the verb in it if two words are contracted: `j'ai` -> `ai`, `i'm` -> `'m`, `avez-vous` -> `avez`."""
    yield word
    before, mark, behind = word.rpartition("'")
    if mark and before:
        yield behind
        yield mark + behind
    before, hyphen, _ = word.partition("-")
    if hyphen and before:
        yield before


def _places(
    words: Sequence[Word], first: int, pattern: MultiWordVerb, profile: LanguageProfile
) -> tuple[int, ...] | None:
    """The places of a multi-word verb's words, given the verb; each as near to the one before as possible."""
    places = [first]
    reach = profile.verb_reach if pattern.separable else 0
    for wanted in pattern.words[1:]:
        place = _next_place(words, places[-1], _forms(wanted, profile), reach, profile)
        if place is None:
            return None
        places.append(place)
    return tuple(places) if _holds_together(words, places, profile) else None


def _next_place(
    words: Sequence[Word], place: int, forms: frozenset[str], reach: int, profile: LanguageProfile
) -> int | None:
    for behind in range(place + 1, min(place + reach + 2, len(words))):
        if mark_between(words[behind - 1], words[behind], profile):
            return None
        if _is_one_of(words[behind].bare, forms):
            return behind
        if _opens_a_clause(words[behind].bare, profile):
            return None
    return None


def _is_one_of(word: str, forms: frozenset[str]) -> bool:
    """Whether a word is one of the forms or begins with an elided one: `d'eau` for `de`."""
    if word in forms:
        return True
    opening, mark, _ = word.partition("'")
    return bool(mark) and any(form[:-1] == opening and form[-1] in _VOWELS and len(form) > 1 for form in forms)


def _opens_a_clause(word: str, profile: LanguageProfile) -> bool:
    """ "That" and "which" can also belong to an object: "take that thing off"."""
    return word in profile.clause_openers and word not in profile.determiners


def _forms(wanted: str, profile: LanguageProfile) -> frozenset[str]:
    """The forms of a word after the verb. It is not a verb there: "have a look" is not "have looked"."""
    return profile.other_forms.get(wanted) or frozenset((wanted,))


def _holds_together(words: Sequence[Word], places: Sequence[int], profile: LanguageProfile) -> bool:
    """Whether separated words are one verb: the words inside are its object, and it needs none outside."""
    inside = [words[place].bare for place in range(places[0], places[-1]) if place not in places]
    if not inside:
        return True
    if (
        _holds_clause(inside, profile)
        or _asks(words, places, profile)
        or _belongs_to_next(words, places, inside, profile)
    ):
        return False
    # "took the boys at school in my car": a long object is allowed only if the clause ends with the verb.
    return _ends_clause(words, places[-1], profile) or not any(map(profile.is_preposition, inside))


def _holds_clause(inside: Sequence[str], profile: LanguageProfile) -> bool:
    """Whether there is another verb inside: "did Tom get up". After a determiner it is a noun: "turn the light on"."""
    for word, behind in zip(inside, (*inside[1:], ""), strict=True):
        if word in profile.clause_openers and profile.is_pronoun(behind):
            return True
        if word in profile.determiners:
            return False
        if profile.is_verb(word):
            return True
    return False


def _asks(words: Sequence[Word], places: Sequence[int], profile: LanguageProfile) -> bool:
    """Whether a helping verb is only before its subject: "have you ever shot" is not "to have a shot"."""
    first, last = words[places[0]].bare, words[places[-1]].bare
    return first in profile.auxiliaries and profile.is_pronoun(words[places[0] + 1].bare) and profile.is_verb(last)


def _belongs_to_next(
    words: Sequence[Word], places: Sequence[int], inside: Sequence[str], profile: LanguageProfile
) -> bool:
    """Whether the last word of a split verb belongs to the words after it instead: "hit me on | the head", "get a
    straight | answer"."""
    if _ends_clause(words, places[-1], profile):
        return False
    last, behind = words[places[-1]].bare, words[places[-1] + 1].bare
    if profile.is_preposition(last):
        if behind in profile.wh_words and behind not in profile.time_words:
            return True  # "get instructions on | how to do it"
        free = behind in profile.function_words and behind not in profile.determiners and not profile.is_pronoun(behind)
        # The preposition of a verb with a noun ("have a way with") has its object after it.
        return len(places) == _VERB_AND_PARTICLE and not (free or behind in profile.time_words)
    is_noun = not (behind in profile.function_words or behind in profile.time_words or profile.is_verb(behind))
    return is_noun and not profile.determiners.isdisjoint(inside)


def _ends_clause(words: Sequence[Word], place: int, profile: LanguageProfile) -> bool:
    """Whether a word is the last of the sentence, or followed by a mark."""
    return place + 1 == len(words) or mark_between(words[place], words[place + 1], profile)


def mark_between(word: Word, behind: Word, profile: LanguageProfile | None = None) -> bool:
    """Whether there is more than a blank between two neighbouring words: a comma, a dash, a bracket, but not the full
    stop of an abbreviation. Without a language, the abbreviations of all languages count."""
    gap = behind.start - word.end
    return gap > 1 and not (gap == len(". ") and has_inner_dot(word, behind, profile))


def _is_part(verb: Verb, other: Verb) -> bool:
    return set(verb.places) < set(other.places)
