"""Names of a text: words whose capital, place or neighbours show that a translation keeps them.

German writes every noun with a capital, so that a capital says nothing there: its everyday nouns, polite forms, numbers
and titles are listed by hand, and a compound is known by the noun it ends with.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

import regex

from burnish.languages.dates import date_words
from burnish.languages.scripts import scripts_of
from burnish.languages.tables import kept, words_by_language, words_in
from burnish.languages.word_forms import are_alike, latin, sound

LINKS, GIVEN_NAMES = words_in("names", "links"), words_in("names", "given_names")
TRANSLATED, ALIKE_EVERYWHERE = words_in("names", "translated"), words_in("names", "alike_everywhere")
INSTITUTIONS = words_by_language("names", "institutions")
CAPITALS_MEAN_NAMES = words_in("names", "capitals_mean_names")
_GERMAN = words_by_language("names", "german")
NEVER_NAMES, NOUNS, NOT_IN_COMPOUNDS = (_GERMAN[name] for name in ("never_names", "nouns", "not_in_compounds"))
GERMAN_OPENERS, PREPOSITIONS, SPEECH, PARTICLES = (
    _GERMAN[name] for name in ("openers", "prepositions", "speech", "particles")
)
ENDINGS = ("", "e", "n", "en", "s", "es", "er", "ern", "nen", "in", "innen")
SHORTEST_NOUN = 4


@lru_cache(maxsize=20_000)
def is_german_word(word: str) -> bool:
    """Whether a word with a capital is surely no name in German, in any of its forms."""
    letters = word.lower()
    if letters in NEVER_NAMES:
        return True
    stems = {letters.removesuffix(ending) for ending in ENDINGS}
    return any(stem in NOUNS or _ends_with_noun(stem) for stem in stems)


def _ends_with_noun(stem: str) -> bool:
    """ "Weltkrieg", "Seemeile"; at least three letters stand before the noun."""
    ends = (stem[start:] for start in range(3, len(stem) - SHORTEST_NOUN + 1))
    return any(end in NOUNS and end not in NOT_IN_COMPOUNDS for end in ends)


NAME_TOKEN = regex.compile(r"\p{L}[\p{L}\p{M}\p{N}]*")
ENDS_SENTENCE = '.!?¡¿…:;。！？\n|>/"“„«»‘([*_#—–\ufffc'
COMPARABLE = frozenset({"Latin", "Cyrillic", "Greek"})
SPELT = COMPARABLE | {"Devanagari", "Arabic", "Hebrew", "Georgian", "Armenian"}
"""Scripts that spell names by their sound."""
SHORTEST = 3
LONGEST_STEM = 9
SHORT_STEM = 3
"""A stem of so few letters is a whole word, not a beginning."""
MOST_WORDS = 3000
"""In a longer paragraph names are not compared: each is held against every word."""
TITLE_SHARE = 0.7
"""With more capitals than this a text is a title, in which they mean nothing."""
ORDINAL = re.compile(
    r"[IVXLC]+(?:e|è|er|ère|ème|eme|th|st|nd|rd)|(?:prem|deux|trois|quatr|cinqu|second|prim|terc|terz|quart|quint)\w{0,7}",
    re.IGNORECASE,
)
"""A century, a king's number, the first of two wars: said in each language's own words."""
MANY_CAPITALS = 0.4
"""With more capitals than this, those of a text prove nothing about names."""
DESCRIBES = re.compile(r"(?:ish|ese|ians?|ans|ers|ists?|ics?|ism|tion|ment|sity|day|ern)$")
"""Endings of peoples, languages, institutions and directions."""
TABLE_ROW = re.compile(r"\s*\|")
GERMAN_ENDINGS = (
    r"ung|ungen|heit|heiten|keit|keiten|schaft|schaften|tion|tionen|tät|täten|nis|nisse|chen|lein|tum|ismus|isten?|ling|linge|"
    r"ment|mente|ments|enz|anz|zeug|werk|haus|zeit|jahr|jahre|teil|teile|recht|rechte|punkt|stelle|weise|frage|leute|menschen"
)
GERMAN_NOUN = re.compile(rf".+(?:{GERMAN_ENDINGS})")
GERMAN_NOUN_PERHAPS = re.compile(
    rf".+(?:{GERMAN_ENDINGS}|ern?|ens?|els?|eln|ig|ich|iv|ur|ie|ik|ekt|land|stadt|tag|[estdnfghl])"
)
UNLIKE_GERMAN = re.compile(r"y$|ey|[aeiou]y|c(?![hk])|q(?!u)|[^a-zäöüß]|[bdfgk]h|[aeiou]w")
"""Letters that hardly stand so in a German noun."""
Words = tuple[tuple[str, int, int], ...]
"""Each with its start and end."""


class Name(NamedTuple):
    """A word that is a name, or part of one."""

    start: int
    end: int
    text: str
    sound: str
    acronym: bool
    in_run: bool
    """Whether another capitalised word stands right beside it."""
    sure: bool = True
    """Whether it can be nothing else: no ordinal, no noun of a language that writes them with a capital."""


def can_compare(language: str) -> bool:
    """Whether the language is written in letters that can be brought to Latin ones."""
    return bool(COMPARABLE & set(scripts_of(language)))


def spells_names(language: str) -> bool:
    """Whether the language spells foreign names by their sound, so that they can be heard in it."""
    return bool(SPELT & set(scripts_of(language)))


def foreign_names(prose: str, language: str, other: str) -> Iterator[Name]:
    """Words with a capital amid a sentence that nothing in the other text sounds like: names that it does not have.

    No peoples, dates, titles and institutions, which are translated; nothing of a text that is mostly capitals.
    """
    words = _words(prose)
    dated = {word.start for word in date_words(prose, language)}
    if not words or sum(word[0].isupper() for word, _, _ in words) > len(words) * MANY_CAPITALS:
        return
    for place, (word, start, end) in enumerate(words):
        if not word[0].isupper() or len(word) < SHORTEST or word.isupper() or start in dated:
            continue
        if _opens_sentence(prose, start) or DESCRIBES.search(word) or not is_kept(word, language):
            continue
        heard = sound(word)
        if not answered(heard, other):
            yield Name(start, end, word, heard, False, _runs_on(prose, words, place))


@kept
def _words(prose: str) -> Words:
    return tuple((match[0], match.start(), match.end()) for match in NAME_TOKEN.finditer(prose))


@kept
def _sounds(text: str) -> tuple[str, ...]:
    """Every word of a text by its sound, each once; also what stands in links and code, because names stand there."""
    return tuple({sound(match[0]) for match in NAME_TOKEN.finditer(text)})


def names(prose: str, language: str) -> Iterator[Name]:
    """Words that are surely names, as far as the language shows them by capitals."""
    words = _words(prose)
    if len(words) > MOST_WORDS or prose.isupper():
        return
    dated = {word.start for word in date_words(prose, language)}
    later = words[1:]
    mostly_capitals = sum(word[0].isupper() for word, _, _ in later) > len(later) * TITLE_SHARE
    cased = can_compare(language)
    for place, (word, start, end) in enumerate(words):
        if not word[0].isupper() or len(word) < 2 or start in dated:
            continue
        acronym = len(word) >= SHORTEST and word.isupper() and not mostly_capitals
        run = _runs_on(prose, words, place)
        found = Name(
            start, end, word, sound(word), acronym, run, acronym or _is_certain(prose, language, words, place, run)
        )
        if cased and (mostly_capitals or not _is_surely_name(prose, language, words, place, found)):
            continue
        if is_kept(word, language) and not _belongs_to_institution(words, place, language):
            yield found


def _is_certain(prose: str, language: str, words: Words, place: int, in_run: bool) -> bool:
    word, start, _ = words[place]
    if ORDINAL.fullmatch(word) or TABLE_ROW.match(prose):
        return False
    if language != "de" or begins_with_any(latin(word), ALIKE_EVERYWHERE):
        return True
    before = words[place - 1][0] if place else ""
    if before in SPEECH or before in PARTICLES or (before in PREPOSITIONS and UNLIKE_GERMAN.search(word.lower())):
        return True
    beside = [words[n][0] for n in (place - 1, place + 1) if 0 <= n < len(words)]
    named = any(near[0].isupper() and not is_german_word(near) for near in beside)
    return in_run and named and not _opens_sentence(prose, start)


def _belongs_to_institution(words: Words, place: int, language: str) -> bool:
    """ "Ministerio de Salud": what such a name says is translated with it."""
    linked = place > 1 and words[place - 1][0] in LINKS
    back = next((n for n in range(place - 1, max(-1, place - 4), -1) if words[n][0] not in LINKS), -1)
    return linked and back >= 0 and words[back][0][0].isupper() and not is_kept(words[back][0], language)


def _runs_on(prose: str, words: Words, place: int) -> bool:
    """Whether the word before or behind begins with a capital too."""
    _, start, end = words[place]
    before = place > 0 and words[place - 1][0][0].isupper() and prose[words[place - 1][2] : start] in (" ", "-")
    after = (
        place + 1 < len(words) and words[place + 1][0][0].isupper() and prose[end : words[place + 1][1]] in (" ", "-")
    )
    return before or after


def _is_surely_name(prose: str, language: str, words: Words, place: int, name: Name) -> bool:
    if name.acronym:
        return True
    if language == "de":
        return _is_german_name(prose, words, place, name)
    if len(name.text) < SHORTEST or _opens_sentence(prose, name.start):
        return begins_with_any(latin(name.text), ALIKE_EVERYWHERE)
    if language in CAPITALS_MEAN_NAMES:
        return True
    return name.in_run and _has_given_name(words, place)


def _has_given_name(words: Words, place: int) -> bool:
    """English writes titles and labels with capitals as well: only what stands beside a first name is a person's."""
    beside = (words[number][0].lower() for number in (place - 1, place - 2) if number >= 0)
    return any(word in GIVEN_NAMES for word in beside)


def begins_with_any(letters: str, stems: frozenset[str]) -> bool:
    """Whether a word begins with one of the stems; a very short stem is a whole word."""
    longest = min(len(letters), LONGEST_STEM)
    return any(letters[:n] in stems and (n > SHORT_STEM or n == len(letters)) for n in range(1, longest + 1))


def _opens_sentence(prose: str, start: int) -> bool:
    before = prose[max(0, start - 4) : start].rstrip(" \u00a0")
    return not before or before[-1] in ENDS_SENTENCE or (before[-1] in "'’" and len(before) == 1)


def _is_german_name(prose: str, words: Words, place: int, name: Name) -> bool:
    """German writes every noun with a capital: what stands in a run of them, or bare and unlike a noun."""
    if len(name.text) < SHORTEST or is_german_word(name.text):
        return False
    if _opens_sentence(prose, name.start) or not place:
        word = name.text.lower()
        bare = word not in GERMAN_OPENERS and not GERMAN_NOUN_PERHAPS.fullmatch(word)
        return (name.in_run and bare) or begins_with_any(latin(name.text), ALIKE_EVERYWHERE)
    previous, begun, ended = words[place - 1]
    if previous in PARTICLES and place > 1:
        previous, begun, _ = words[place - 2]
        return previous[0].isupper()
    if previous[0].isupper() and prose[ended : name.start] == " ":
        if not _opens_sentence(prose, begun):
            return True
        return previous.lower() not in GERMAN_OPENERS and not GERMAN_NOUN.fullmatch(name.text.lower())
    if prose[ended : name.start].strip(" \u00a0"):
        return False  # a number or a mark stands between
    return previous in SPEECH or (previous in PREPOSITIONS and not GERMAN_NOUN_PERHAPS.fullmatch(name.text.lower()))


@lru_cache(maxsize=20_000)
def is_kept(word: str, language: str) -> bool:
    """Whether a name stands in every language as it is; countries, saints and institutions do not."""
    letters = latin(word)
    institutions = INSTITUTIONS.get(language, frozenset[str]())
    if begins_with_any(letters, ALIKE_EVERYWHERE):
        return True
    return not begins_with_any(letters, TRANSLATED) and not begins_with_any(letters, institutions)


def answered(heard: str, other: str) -> bool:
    """Whether the other text has a word of this sound; it may be part of a longer one: Texan, Putins."""
    sounds = _sounds(other)
    return len(sounds) > MOST_WORDS or heard in " ".join(sounds) or any(are_alike(heard, word) for word in sounds)
