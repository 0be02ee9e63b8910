"""Proper nouns that languages translate: countries, continents and cities (from CLDR), months and days of the week.

Wien is Vienna, जर्मनी is Germany. A place matches in another text its name in that language, an adjective or a people of
the same stem, the name of an official language (Deutschland, German), or a word of the same sound.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Literal, NamedTuple

from burnish.languages.dictionary import has_vocabulary, is_ordinary
from burnish.languages.locale_names import about, locale_names, official_languages
from burnish.languages.scripts import scripts_of
from burnish.languages.tables import kept, table, words_in
from burnish.languages.word_forms import LONGEST_ENDING, are_alike, latin, sound
from burnish.languages.words import common_length, word_set

TOKEN = re.compile(r"[^\W\d_](?:[^\W_]|[\u0900-\u0963\u0971-\u0dff])*")
UNSPACED = frozenset({"zh", "ja", "th", "lo", "km", "my"})
VARIANTS = {"zh": ("zh", "zh_Hant")}
"""Locales of languages with two scripts."""
DECLINING = word_set("ru uk be pl cs sk sl hr sr bg mk lt lv et fi hu tr el la ro")
CLITIC = frozenset({"ar", "he", "fa", "ur"})
"""Languages that join small words to the next one: "in France" is one word."""
FIRST_DEVANAGARI = "\u0900"
STEM = 4
"""First letters that are the same in all forms of a name."""
SHORTEST_CITY = 5
PARTS = re.compile(r"[\s\-–’']+")
SMALL = frozenset({"of", "the", "and", "de", "la", "le", "les", "del", "des", "du", "y", "et", "i", "e", "und", "и"})


CONTINENTS = frozenset({"002", "003", "005", "009", "019", "142", "150"})
NO_JAPAN = "(?<![昨今毎先翌明])(?!日本酒)"
"""日本 is not Japan in 昨日本 (yesterday, a book) and 日本酒 (sake)."""
LETTERS_WITH_POINTS = re.compile(r"\b(?:[A-Z]\.){2,5}")
"""Abbreviations with dots: U.S. for US."""


class Place(NamedTuple):
    """A place that a text names."""

    codes: frozenset[str]
    """Regions (`DE`, `150`) and time zones of cities (`Europe/Moscow`) with this name."""
    text: str
    start: int


@cache
def _names(language: str) -> dict[str, frozenset[str]]:
    """Code -> names of regions and cities. Empty if CLDR does not have the language."""
    found: dict[str, set[str]] = {}
    for tag in VARIANTS.get(language, (language,)):
        known = locale_names(tag)
        if known is None:
            continue
        for code, name in known.territories.items():
            # Of numbered regions only continents: the Chinese name of Central America also means "China and the US".
            if code != "ZZ" and (code.isalpha() or code in CONTINENTS):
                found.setdefault(code, set()).add(name)
        for zone, name in known.cities.items():
            found.setdefault(zone, set()).add(name)
    if "Latin" in scripts_of(language):
        found.setdefault("US", set()).add("USA")
    if language == "en":
        for zone in about()["codes"]["cities"]:
            found.setdefault(zone, {zone.rsplit("/", 1)[-1].replace("_", " ")})
    return {code: frozenset(names) for code, names in found.items()}


def _written(word: str) -> str:
    """The word in lower case; Devanagari in Latin letters, because it has several spellings for one name."""
    return latin(word) if "\u0900" <= word[0] <= "\u097f" else word.lower()


@cache
def _by_word(language: str) -> dict[str, tuple[tuple[tuple[str, ...], str], ...]]:
    """The first letters of a name's first word -> its words in lower case, and its code."""
    found: dict[str, list[tuple[tuple[str, ...], str]]] = {}
    # Without capitals, a short name may be an ordinary word.
    caseless = not has_vocabulary(language) and "Tifinagh" in scripts_of(language)
    for code, names in _names(language).items():
        for name in names:
            words = tuple(_written(word) for word in PARTS.split(name) if word and word.lower() not in SMALL)
            least = SHORTEST_CITY if "/" in code or caseless else STEM
            if words and (name == "USA" or len("".join(words)) >= least):
                found.setdefault(words[0][: STEM - 1], []).append((words, code))
            if len(words) == 2 and name[0] > FIRST_DEVANAGARI:  # हाँग काँग is also written as one word
                found.setdefault(words[0][: STEM - 1], []).append(((words[0] + words[1],), code))
    return {stem: tuple(listed) for stem, listed in found.items()}


@kept
def places(prose: str, language: str) -> tuple[Place, ...]:
    """Every place that the text names, as far as CLDR knows it."""
    return tuple(_unspaced(prose, language) if language in UNSPACED else _spaced(prose, language))


def _spaced(prose: str, language: str) -> Iterator[Place]:
    known = _by_word(language)
    tokens = list(TOKEN.finditer(prose)) if known else []
    lower = [_written(token[0]) for token in tokens]
    ending = LONGEST_ENDING.get(language, 0) if language in DECLINING else 0
    taken = -1
    for at, token in enumerate(tokens):
        if at <= taken or token[0][0].islower() or _is_only_a_word(prose, token, language):
            continue
        fitting = [
            (len(words), code)
            for words, code in known.get(lower[at][: STEM - 1], ())
            if len(words) <= len(tokens) - at
            and all(_is_form(found, word, ending) for found, word in zip(lower[at:], words, strict=False))
        ]
        if fitting:
            longest = max(length for length, _ in fitting)
            taken = at + longest - 1
            codes = frozenset(code for length, code in fitting if length == longest)
            yield Place(codes, prose[token.start() : tokens[taken].end()], token.start())


def _is_only_a_word(prose: str, token: re.Match[str], language: str) -> bool:
    """Whether the word is an ordinary one with a capital because it opens a sentence: Camera, Usa, Benim."""
    before = prose[: token.start()].rstrip("\u0020\u00a0\"“„«'‘([*_-—")
    opens = not before or before[-1] in ".!?…:¡¿\n"
    return opens and token[0][0].isupper() and is_ordinary(token[0], language)


def _is_form(found: str, name: str, ending: int) -> bool:
    """Whether a word is a name, or an inflected form of it."""
    if found == name or not ending or len(name) < SHORTEST_CITY:
        return found == name
    shared = common_length(found, name)
    least = len(name) - (1 if len(name) == SHORTEST_CITY else 2)
    return shared >= least and len(found) - shared <= ending and (len(name) > SHORTEST_CITY or len(found) >= len(name))


@cache
def _pattern(language: str) -> tuple[re.Pattern[str] | None, dict[str, frozenset[str]]]:
    codes: dict[str, set[str]] = {}
    for code, names in _names(language).items():
        for name in names:
            if len(name) >= 2 and not name.isascii():
                codes.setdefault(name, set()).add(code)
    listed = "|".join(re.escape(name) for name in sorted(codes, key=len, reverse=True))
    kana = "[ァ-ヴー]"
    pattern = (
        re.compile(rf"{NO_JAPAN}(?:(?<!{kana})(?:{listed})(?!{kana})|(?:{listed})(?<!{kana}))") if listed else None
    )
    return pattern, {name: frozenset(all_of) for name, all_of in codes.items()}


def _unspaced(prose: str, language: str) -> Iterator[Place]:
    pattern, codes = _pattern(language)
    for match in pattern.finditer(prose) if pattern is not None else ():
        yield Place(codes[match[0]], match[0], match.start())


@cache
def _single(language: str) -> frozenset[str]:
    return frozenset(name for names in _names(language).values() for name in names if " " not in name)


def is_place(word: str, language: str) -> bool:
    """Whether a word is the name of a country, a continent or a large city."""
    return word in _single(language) or word.removesuffix("s") in _single(language)


def mentions_place(place: Place, text: str, language: str) -> bool:
    """Whether a text mentions a place of another text, by its name, people or language; True if no name is known in
    this language."""
    if any(place.codes & found.codes for found in places(text, language)):
        return True
    called = {name for code in place.codes for name in _called(code, language)}
    if language in UNSPACED or not called:
        return not called or any(word in text for name in called for word in name)
    text = LETTERS_WITH_POINTS.sub(lambda letters: letters[0].replace(".", "") + " ", text)
    tokens = {token[0] for token in TOKEN.finditer(text)}
    written = {token.lower() for token in tokens}
    if language in CLITIC:
        written |= {word[cut:] for word in written for cut in (1, 2, 3) if len(word) - cut >= STEM - 1}
    words = {latin(word) for word in written}
    beginnings = {word[:STEM] for word in words} | words
    # "United States" needs all its words.
    if any(all(_is_said(part, beginnings, tokens) for part in name) for name in called):
        return True
    inside = {name[0][:SHORTEST_CITY] for name in called if len(name) == 1 and len(name[0]) >= SHORTEST_CITY}
    if any(stem in word for stem in inside for word in words):  # nordwestkanadisch
        return True
    sounds = {sound(word) for word in words if len(word) >= STEM - 1}
    parts = [part for part in place.text.split() if len(part) >= STEM] or place.text.split()[:1]
    return all(any(are_alike(sound(part), heard) for heard in sounds) for part in parts)


def _is_said(part: str, beginnings: set[str], tokens: set[str]) -> bool:
    return part in tokens if part.isupper() else part[:STEM] in beginnings


@cache
def _called(code: str, language: str) -> frozenset[tuple[str, ...]]:
    """The names of a place in a language, split into words: of the place, of its official languages, and everyday ones.
    Empty if CLDR has no name for it in the language."""
    known = locale_names(language)
    named = set(_names(language).get(code, ()))
    if not named:
        return frozenset()
    if known is not None and code.isalpha():
        named |= {known.languages.get(one, "") for one in official_languages(code)}
    named |= set(table("places")["also"].get(code, "").split())
    if language in UNSPACED:
        return frozenset((name[:1] if name[:1] > "\u2e80" else name,) for name in named if name)
    parts = ([word for word in PARTS.split(name) if len(word) > 1 and word not in SMALL] for name in named)
    return frozenset(tuple(word if word.isupper() else latin(word) for word in name) for name in parts if name)


def has_demonym(place: str, prose: str) -> bool:
    """Whether a text has a demonym that does not sound like its city: tapatío for Guadalajara."""
    beginnings = tuple(table("places")["demonyms"].get(place, "").split())
    return bool(beginnings) and any(word.casefold().startswith(beginnings) for word in TOKEN.findall(prose))


Calendar = Literal["month", "weekday"]

_WORD = re.compile(r"[\u0900-\u0963\u0971-\u097f]+|[^\W\d_]+(?:-feiras?)?")
_DAY_BEFORE = re.compile(
    r"(?<!\d)\d{1,2}(?:st|nd|rd|th|er|[.ºª°])?,? (?:of |de |di |d[’'])?$|\b(?:in|since|until|last|next) $",
    re.IGNORECASE,
)
_DAY_OR_YEAR_BEHIND = re.compile(r",? (?:of |de |del |di )?(?:[12]\d{3}|\d{1,2}(?:st|nd|rd|th)?)\b")
_HAN_DAY = re.compile(r"(?:星期|周|週|礼拜)([一二三四五六日天])|([月火水木金土日])曜")
_HAN_DAYS = {
    sign: day for day, signs in enumerate(["一月", "二火", "三水", "四木", "五金", "六土", "日天"], 1) for sign in signs
}
_HAN_MONTH = re.compile(r"(\d{1,2}|十[一二]?|[一二三四五六七八九])月")
_HAN_MONTHS = {
    sign: month
    for month, sign in enumerate(["一", "二", "三", "四", "五", "六", "七", "八", "九", "十", "十一", "十二"], 1)
}
LONGEST_DAY = 10
"""The most characters before a month that may hold its day."""
STEM_ENDING = 5
"""The most letters after a stem that is written with a star."""


class DateWord(NamedTuple):
    """A month or a day of the week in a text."""

    start: int
    end: int
    calendar: Calendar
    number: int
    sure: bool


@cache
def _words(language: str) -> tuple[dict[str, tuple[Calendar, int]], tuple[tuple[str, Calendar, int], ...]]:
    exact: dict[str, tuple[Calendar, int]] = {}
    stems: list[tuple[str, Calendar, int]] = []
    calendars: dict[Calendar, str] = {"month": "months", "weekday": "weekdays"}
    for calendar, name in calendars.items():
        for number, forms in enumerate(table("dates")[name].get(language, "").split(), 1):
            for form in forms.split(","):
                if form.endswith("*"):
                    stems.append((form[:-1], calendar, number))
                else:
                    exact[form] = (calendar, number)
    return exact, tuple(stems)


def knows_dates(language: str) -> bool:
    return language in table("dates")["months"] or language in ("zh", "ja")


@kept
def date_words(prose: str, language: str) -> tuple[DateWord, ...]:
    """All months and days of the week in the text."""
    if language in ("zh", "ja"):
        return tuple(_in_han(prose))
    return tuple(_in_letters(prose, language)) if knows_dates(language) else ()


def _in_letters(prose: str, language: str) -> Iterator[DateWord]:
    exact, stems = _words(language)
    for match in _WORD.finditer(prose):
        word = match[0].lower()
        found = exact.get(word) or _by_stem(word, stems)
        # English capitalises these: "may" and "march" are verbs, "sun" and "sat" are not days.
        if found is None or (language == "en" and word == match[0]):
            continue
        sure = word not in words_in("dates", "doubtful") or (
            found[0] == "month" and _is_dated(prose, match.start(), match.end())
        )
        yield DateWord(match.start(), match.end(), *found, sure)


def _is_dated(prose: str, start: int, end: int) -> bool:
    """Whether a day or a year stands beside a word, so that it can only be a month."""
    before = prose[max(0, start - LONGEST_DAY) : start]
    return _DAY_BEFORE.search(before) is not None or _DAY_OR_YEAR_BEHIND.match(prose, end) is not None


def _by_stem(word: str, stems: tuple[tuple[str, Calendar, int], ...]) -> tuple[Calendar, int] | None:
    for stem, calendar, number in stems:
        if word.startswith(stem) and len(word) <= len(stem) + STEM_ENDING:
            return calendar, number
    return None


def _in_han(prose: str) -> Iterator[DateWord]:
    for match in _HAN_DAY.finditer(prose):
        yield DateWord(match.start(), match.end(), "weekday", _HAN_DAYS[match[1] or match[2]], True)
    for match in _HAN_MONTH.finditer(prose):
        number = int(match[1]) if match[1].isdecimal() else _HAN_MONTHS[match[1]]
        # 3个月 is three months; 3月 without the counter is March.
        yield DateWord(match.start(), match.end(), "month", number, True)
