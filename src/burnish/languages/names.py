"""Names of a text that a translation must keep, recognised by capitals, position and dictionaries.

A capitalised word is a name if no dictionary of its language has it in lower case. German writes every noun with a
capital, so there only words that its dictionary does not have at all are names.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache, lru_cache
from itertools import pairwise
from typing import NamedTuple

import regex

from burnish.languages.dictionary import has_vocabulary, is_listed_name, is_ordinary
from burnish.languages.lexicon import lexicon_for, stems
from burnish.languages.locale_names import locale_names
from burnish.languages.proper_nouns import date_words, places
from burnish.languages.scripts import scripts_of
from burnish.languages.tables import kept, words_in
from burnish.languages.word_forms import FIRST_HAN_OR_KANA, are_alike, are_spelt_alike, latin, sound

GIVEN_NAMES, TRANSLATED = words_in("names", "given_names"), words_in("names", "translated")
CAPITALS_MEAN_NAMES = words_in("names", "capitals_mean_names")
NAME_TOKEN = regex.compile(r"\p{L}[\p{L}\p{M}\p{N}]*")
ENDS_SENTENCE = '.!?¡¿…:;。！？\n|>/"“„«»‘([*_#—–\ufffc'
COMPARABLE = frozenset({"Latin", "Cyrillic", "Greek"})
SPELT = COMPARABLE | {"Devanagari", "Arabic", "Hebrew", "Georgian", "Armenian", "Katakana", "Han"}
"""Scripts that spell foreign names by their sound."""
SHORTEST = 3
LONGEST_STEM = 9
SHORT_STEM = 3
"""A stem of at most this many letters must be the whole word."""
MOST_WORDS = 3000
"""Names of a longer paragraph are not compared: each is compared with every word."""
TITLE_SHARE = 0.7
"""The share of capitalised words above which a text is a title, where capitals mean nothing."""
ORDINAL = re.compile(r"[IVXLC]+(?:e|è|er|ère|ème|eme|th|st|nd|rd)?")
"""The number of a century or a king."""
DESCRIBES = re.compile(r"(?:ish|ese|ians?|ists?|ics?|ism|tion|ment|sity|day|ern)$")
PERHAPS_DESCRIBES = re.compile(r"(?:ans?|ers|ites?|is?)$")
"""English endings of peoples, their languages, trades and schools of thought, which other languages write without a
capital."""
ACRONYM = regex.compile(r"\p{Lu}{2,}\p{Ll}?|\p{Lu}[\p{Lu}\p{N}]{2,}")
DECLINED = re.compile("(?:e[nmrs]?)$")
"""Endings of German nouns made from adjectives: das Nichtbinäre."""
TABLE_ROW = re.compile(r"\s*\|")
TRANSLATES = 0.05
"""The share of a word's links that makes another word its translation in the lexicon."""
SCRIPT_RUN = regex.compile(r"[\p{Katakana}ー]+|\p{Han}+|\p{Hiragana}+|[^\P{L}\p{Katakana}\p{Han}\p{Hiragana}ー]+")
HAN, KANA = regex.compile(r"\p{Han}"), regex.compile(r"[\p{Katakana}\p{Hiragana}]")
KATAKANA = regex.compile(r"[\p{Katakana}ー]{3,}")
SIGNS_OF_A_NAME = range(2, 7)
EAST_ASIAN = regex.compile(
    r"(?:(?:[kgsztdnhbpmyrwjf]|[kgnhbpmr]y|sh|ch|ts|t?ch|([kstp])\1)?[aeiou]{1,2}n?)+"
    r"|(?:(?:[bpmfdtnlgkhjqxzcsrwy]|[zcs]h)?[aeiou]{1,3}(?:n|ng)?){1,3}|(?:[bpmdtnlgkhjsry]|kw|ch)?[aeiouy]{1,3}[kmlp]"
)
"""The form of Japanese, Chinese and Korean names in Latin letters. Han characters do not show their sound."""
FIRST_OF_OTHER_LETTERS = "\u0370"
"""Greek, Cyrillic and all other scripts begin here."""
Words = tuple[tuple[str, int, int], ...]
"""Words with their start and end."""


class Name(NamedTuple):
    """A word that is a name, or part of one."""

    start: int
    end: int
    text: str
    sound: str
    acronym: bool
    in_run: bool
    """Whether the word before or after it is capitalised too."""
    sure: bool = True
    """Whether it can only be a name: no dictionary has it, in lower case or with a capital."""
    faint: bool = False
    """Whether it proves nothing alone: it begins a sentence, or is in katakana, as all foreign words are."""


def can_compare(language: str) -> bool:
    """Whether the script of the language can be converted to Latin letters."""
    return bool(COMPARABLE & set(scripts_of(language)))


def spells_names(language: str) -> bool:
    """Whether the language spells foreign names by their sound, so that sounds can be compared."""
    return bool(SPELT & set(scripts_of(language)))


@kept
def _words(prose: str) -> Words:
    return tuple((match[0], match.start(), match.end()) for match in NAME_TOKEN.finditer(prose))


@kept
def _sounds(text: str) -> tuple[str, ...]:
    """The sounds of all words of a text, links and code included, because names occur there.

    Short lower-case words are left out as particles: *pas* is not the beginning of Pasteur. A single capital is also
    joined to the next word: R Studio.
    """
    words = NAME_TOKEN.findall(text)
    joined = (one + other for one, other in pairwise(words) if len(one) == 1 and one.isupper())
    return tuple({sound(word) for word in (*words, *joined) if len(word) > SHORTEST or not word.islower()})


@kept
def _spelt(text: str) -> tuple[str, ...]:
    """All words of a text as written; for Chinese, which has no spaces, all runs of a few characters.

    Japanese spells foreign names in kana only.
    """
    if not max(text, default="") >= FIRST_HAN_OR_KANA:
        return tuple({match[0] for match in NAME_TOKEN.finditer(text)})
    runs = {match[0] for match in SCRIPT_RUN.finditer(text)}
    if any(KANA.match(run) for run in runs):
        return tuple(run for run in runs if not HAN.match(run))
    signs = ((run, at, length) for run in runs for length in SIGNS_OF_A_NAME for at in range(len(run) - length + 1))
    return tuple(runs | {run[at : at + length] for run, at, length in signs})


def names(prose: str, language: str) -> Iterator[Name]:
    """The names of a text, recognised by capitals, or in Japanese by katakana."""
    if language == "ja":
        yield from _in_katakana(prose)
    words = _words(prose)
    if len(words) > MOST_WORDS or prose.isupper():
        return
    dated = {word.start for word in date_words(prose, language)}
    placed = [(place.start, place.start + len(place.text)) for place in places(prose, language)]
    later = words[1:]
    mostly_capitals = sum(word[0].isupper() for word, _, _ in later) > len(later) * TITLE_SHARE
    cased = can_compare(language)
    for place, (word, start, end) in enumerate(words):
        if not word[0].isupper() or len(word) < 2 or start in dated or any(a <= start < b for a, b in placed):
            continue
        acronym = ACRONYM.fullmatch(word) is not None and not mostly_capitals
        if cased and not acronym and (mostly_capitals or not _is_name(prose, language, word, start)):
            continue
        if is_kept(word):
            faint = cased and _opens_sentence(prose, start)
            sure = not faint and _is_sure(prose, word, end, language)
            yield Name(start, end, word, sound(word), acronym, _runs_on(prose, words, place), sure, faint)


def _in_katakana(prose: str) -> Iterator[Name]:
    """Runs of katakana that the lexicon does not know: foreign words or names, so none is sure."""
    known = lexicon_for("ja", "en")
    for match in KATAKANA.finditer(prose):
        if known is None or not known.translations(match[0]):
            yield Name(match.start(), match.end(), match[0], sound(match[0]), False, False, False, faint=True)


def _is_name(prose: str, language: str, word: str, start: int) -> bool:
    if len(word) < SHORTEST or is_ordinary(word, language):
        return False
    if not has_vocabulary(language):
        return language in CAPITALS_MEAN_NAMES and not _opens_sentence(prose, start)
    return language != "en" or not _describes(word)


def _describes(word: str) -> bool:
    listed = PERHAPS_DESCRIBES.search(word) and is_listed_name(word, "en")
    return bool(DESCRIBES.search(word) or listed) or word in peoples("en")


@cache
def peoples(language: str) -> frozenset[str]:
    """What a language calls languages and so, mostly, peoples: Dutch, Greek, Swiss."""
    known = locale_names(language)
    return frozenset(word for name in known.languages.values() for word in name.split()) if known else frozenset()


def _is_sure(prose: str, word: str, end: int, language: str) -> bool:
    """Whether a word is surely no title, ordinal, exonym or first half of another word."""
    beside = prose[max(0, end - len(word) - 1) : end - len(word)] + prose[end : end + 1]
    if ORDINAL.fullmatch(word) or TABLE_ROW.match(prose) or "-" in beside:
        return False
    if language == "de" and DECLINED.search(word):
        return False
    return not is_listed_name(word, language) or (language == "en" and word.lower() in GIVEN_NAMES)


def _runs_on(prose: str, words: Words, place: int) -> bool:
    """Whether the word before or after begins with a capital too."""
    _, start, end = words[place]
    before = place > 0 and words[place - 1][0][0].isupper() and prose[words[place - 1][2] : start] in (" ", "-")
    after = (
        place + 1 < len(words) and words[place + 1][0][0].isupper() and prose[end : words[place + 1][1]] in (" ", "-")
    )
    return before or after


def begins_with_any(letters: str, stems: frozenset[str]) -> bool:
    """Whether a word begins with one of the stems; a very short stem must be the whole word."""
    longest = min(len(letters), LONGEST_STEM)
    return any(letters[:n] in stems and (n > SHORT_STEM or n == len(letters)) for n in range(1, longest + 1))


def _opens_sentence(prose: str, start: int) -> bool:
    before = prose[max(0, start - 4) : start].rstrip(" \u00a0")
    return not before or before[-1] in ENDS_SENTENCE or (before[-1] in "'’" and len(before) == 1)


@lru_cache(maxsize=20_000)
def is_kept(word: str) -> bool:
    """Whether a name is not translated; names of saints, kings and old cities are."""
    return not begins_with_any(latin(word), TRANSLATED)


def has_match(word: str, other: str, language: str) -> bool:
    """Whether the other text has a word of this sound, alone or in a longer one: Texan, Putins."""
    sounds, heard = _sounds(other), sound(word)
    if len(sounds) > MOST_WORDS or heard in " ".join(sounds) or any(are_alike(heard, one) for one in sounds):
        return True
    is_latin = word[0] < FIRST_OF_OTHER_LETTERS
    if is_latin and HAN.search(other) and EAST_ASIAN.fullmatch(latin(word)) and word.lower() not in GIVEN_NAMES:
        return True
    # In English only capitalised words can be names: "between" has the consonants of Putin.
    spelt = (one for one in _spelt(other) if language != "en" or not one[0].islower())
    return any(are_spelt_alike(word, one) for one in spelt if (one[0] < FIRST_OF_OTHER_LETTERS) != is_latin)


def is_translated(word: str, language: str, other: str, other_language: str) -> bool:
    """Whether the other text has a translation of the word by the bilingual lexicon."""
    lexicon = lexicon_for(language, other_language)
    if lexicon is None:
        return False
    there = {stem.text for stem in stems(other, other_language)}
    return any(share >= TRANSLATES and stem in there for stem, share in lexicon.translations(word).items())
