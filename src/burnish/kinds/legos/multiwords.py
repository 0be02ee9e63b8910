"""Multi-word verbs of a sentence, also split ones: "turn on the light", "called me back". Linear."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from burnish.kinds.legos.tongues import MultiWordVerb, Tongue
from burnish.kinds.legos.words import Word


@dataclass(frozen=True, slots=True)
class Verb:
    """A verb of several words, where it stands in a sentence."""

    places: tuple[int, ...]
    """Which words of the sentence it is made of, in order."""
    base: str
    """`call back`."""

    @property
    def first(self) -> int:
        return self.places[0]

    @property
    def end(self) -> int:
        """Behind its last word."""
        return self.places[-1] + 1

    @property
    def is_split(self) -> bool:
        """Whether other words stand inside."""
        return self.end - self.first > len(self.places)


def multi_word_verbs(words: Sequence[Word], tongue: Tongue) -> list[Verb]:
    """The multi-word verbs of a sentence, by where they begin. One word begins one verb: the longest, then the closest.

    Nothing is read across a mark or the beginning of another clause.
    """
    found = [verb for place in range(len(words)) if (verb := _verb_at(words, place, tongue))]
    at: dict[int, list[Verb]] = {}
    for verb in found:
        for place in verb.places:
            at.setdefault(place, []).append(verb)
    return [verb for verb in found if not any(_is_part(verb, other) for other in at[verb.first])]


def _verb_at(words: Sequence[Word], place: int, tongue: Tongue) -> Verb | None:
    readings = [
        Verb(places, pattern.base)
        for form in _readings(words[place].bare)
        for pattern in tongue.multi_word_verbs_of.get(form, ())
        if (places := _places(words, place, pattern, tongue))
    ]
    return min(readings, key=lambda verb: (-len(verb.places), verb.places, verb.base), default=None)


def _readings(word: str) -> Iterator[str]:
    """A word, and the verb in it where another is drawn to it: `j'ai` -> `ai`, `i'm` -> `'m`, `avez-vous` -> `avez`."""
    yield word
    before, mark, behind = word.rpartition("'")
    if mark and before:
        yield behind
        yield mark + behind
    before, hyphen, _ = word.partition("-")
    if hyphen and before:
        yield before


def _places(words: Sequence[Word], first: int, pattern: MultiWordVerb, tongue: Tongue) -> tuple[int, ...] | None:
    """Where the words of a multi-word verb stand whose verb is given; each as near to the one before as possible."""
    places = [first]
    reach = tongue.verb_reach if pattern.separable else 0
    for wanted in pattern.words[1:]:
        place = _next_place(words, places[-1], tongue.forms_of(wanted), reach, tongue)
        if place is None:
            return None
        places.append(place)
    return tuple(places) if _holds_together(words, places, tongue) else None


def _next_place(words: Sequence[Word], place: int, forms: frozenset[str], reach: int, tongue: Tongue) -> int | None:
    for behind in range(place + 1, min(place + reach + 2, len(words))):
        if mark_between(words[behind - 1], words[behind]):
            return None
        if _is_one_of(words[behind].bare, forms):
            return behind
        if _opens_a_clause(words[behind].bare, tongue):
            return None
    return None


def _is_one_of(word: str, forms: frozenset[str]) -> bool:
    """Whether a word is one of them or begins with one that has lost its vowel: `d'eau` for `de`."""
    if word in forms:
        return True
    opening, mark, _ = word.partition("'")
    return bool(mark) and any(form[:-1] == opening and len(form) > 1 for form in forms)


def _opens_a_clause(word: str, tongue: Tongue) -> bool:
    """ "That" and "which" may as well belong to an object: "take that thing off"."""
    return word in tongue.clause_openers and word not in tongue.determiners


def _holds_together(words: Sequence[Word], places: Sequence[int], tongue: Tongue) -> bool:
    """A split verb has its object inside and no more, unless a clause ends with it: not "took the boys at school in"."""
    inside = [place for place in range(places[0], places[-1]) if place not in places]
    if not any(tongue.is_preposition(words[place].bare) for place in inside):
        return True
    behind = places[-1] + 1
    return behind == len(words) or mark_between(words[behind - 1], words[behind])


def mark_between(word: Word, behind: Word) -> bool:
    """Whether more than a blank stands between two neighbouring words: a comma, a dash, a bracket."""
    return behind.start - word.end > 1


def _is_part(verb: Verb, other: Verb) -> bool:
    return set(verb.places) < set(other.places)
