"""Forms of verbs: those of English exam options, and those that show the tense of a text in each language."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Literal, NamedTuple

import regex

from burnish.languages.tables import joined_lines, table, words_in

VerbForm = Literal["base", "third", "gerund", "past"]

AUXILIARIES = words_in("verbs", "auxiliaries")
"""They make a clause wherever they stand."""

# The same word names a thing as well ("increase", "a block"), so it tells nothing at the head of an option.


def _third(verb: str) -> str:
    if verb == "have":
        return "has"
    if verb.endswith(("s", "sh", "ch", "x", "z", "o")):
        return f"{verb}es"
    return f"{verb[:-1]}ies" if verb.endswith("y") and verb[-2] not in "aeiou" else f"{verb}s"


def _gerund(verb: str) -> str:
    if verb in words_in("verbs", "doubling"):
        return f"{verb}{verb[-1]}ing"
    return f"{verb[:-1]}ing" if verb.endswith("e") and not verb.endswith("ee") else f"{verb}ing"


def _past(verb: str) -> str:
    if verb in words_in("verbs", "doubling"):
        return f"{verb}{verb[-1]}ed"
    if verb.endswith("e"):
        return f"{verb}d"
    return f"{verb[:-1]}ied" if verb.endswith("y") and verb[-2] not in "aeiou" else f"{verb}ed"


@cache
def _forms() -> dict[str, VerbForm]:
    verbs = words_in("verbs", "plain") | words_in("verbs", "nouns_too")
    return {
        **{_past(verb): "past" for verb in verbs},
        **{_third(verb): "third" for verb in verbs},
        **{_gerund(verb): "gerund" for verb in verbs},
        **dict.fromkeys(verbs, "base"),
    }


@cache
def _ambiguous() -> frozenset[str]:
    """Forms that name a thing as well."""
    noun_like = words_in("verbs", "nouns_too")
    return noun_like | {_third(verb) for verb in noun_like}


def verb_form(word: str) -> VerbForm | None:
    """The form of a known verb, also where the word could be a noun; None for any other word."""
    return _forms().get(word)


def sure_verb_form(word: str) -> VerbForm | None:
    """The form of a known verb that is hardly ever a noun in that form."""
    return None if word in _ambiguous() else _forms().get(word)


def has_clause(lower_words: Sequence[str]) -> bool:
    """Whether the words hold a finite verb after a subject, so that they state something."""
    return any(_is_finite(word, lower_words[index]) for index, word in enumerate(lower_words[1:]))


def _is_finite(word: str, before: str) -> bool:
    if word in AUXILIARIES:
        return True
    return before not in ("to", "and", "or") and sure_verb_form(word) in ("third", "base")


Tense = Literal["past", "present", "future"]


KNOWN_TENSES = tuple(table("tenses")["sure"])


@cache
def _whole(listed: str) -> regex.Pattern[str]:
    """A choice of whole words. (Their lengths are limited, so that no word makes the search slow.)"""
    return regex.compile(rf"(?<![\p{{L}}'’-])(?:{joined_lines(listed)})(?!\p{{L}})", regex.IGNORECASE)


class Times(NamedTuple):
    """The times of a text."""

    sure: dict[Tense, tuple[int, int]]
    """Tenses that a form stands for without doubt, and where the first one stands."""
    open: bool
    """Whether other forms may stand for other times."""


def times(prose: str, language: str) -> Times:
    forms = table("tenses")["sure"][language].items()
    sure = {tense: found.span() for tense, listed in forms if (found := _whole(listed).search(prose))}
    return Times(sure, _whole(table("tenses")["either"][language]).search(prose) is not None)


def may_tell_later(prose: str, language: str) -> bool:
    """Whether a text in the past has forms or words that may speak of what comes after: they excuse a future."""
    return _whole(table("tenses")["later"][language]).search(prose) is not None
