"""Articles and nouns that do not agree, where the ending of the noun leaves no doubt."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

import regex

from burnish.kinds.manuscripts.grammar.english import english
from burnish.languages.slips import Slip
from burnish.languages.words import word_set

_ALONE = r"(?<![\p{L}\p{N}'’-])"


class Concord(NamedTuple):
    """Words that never stand before words with certain endings."""

    pattern: regex.Pattern[str]
    excepted: frozenset[str]
    """Words with such an ending that are right all the same."""
    reason: str


def _before(articles: str, ending: str, reason: str, *, excepted: str = "") -> Concord:
    """Articles before words with one of these endings."""
    return _before_words(articles, rf"\p{{L}}{{0,26}}(?:{ending})", reason, excepted=excepted)


def _before_words(articles: str, words: str, reason: str, *, excepted: str = "") -> Concord:
    listed = "|".join(articles.split())
    pattern = rf"{_ALONE}(?P<first>{listed}) (?P<noun>{words})(?![\p{{L}}\p{{N}}'’-])"
    return Concord(regex.compile(pattern, regex.IGNORECASE), word_set(excepted), reason)


FEMININE, MASCULINE, PLURAL, SINGULAR = "feminine", "masculine", "plural", "singular"
NOMINATIVE = "in the nominative"

CONCORDS: Mapping[str, tuple[Concord, ...]] = {
    "es": (
        _before("el un del al este ese aquel los unos", "ción|sión|dad|tud|ciones|siones|dades|tudes", FEMININE),
        _before_words(
            "la una las unas esta esa aquella",
            "(?:problema|sistema|idioma|poema|clima|planeta|dilema|esquema|síntoma|fantasma|teorema)s?",
            MASCULINE,
        ),
        _before("la una esta esa aquella", "ciones|siones|dades|tudes", PLURAL),
        _before("las unas estas esas", "ción|sión|dad|tud", SINGULAR),
    ),
    "fr": (
        _before("le un du au ce cet", "tion|sion", FEMININE, excepted="bastion"),
        _before("la une cette", "isme", MASCULINE),
        _before_words("la une cette", "voyage|message|village|visage|passage|langage|fromage|mariage", MASCULINE),
        _before("les des ces", "tion|sion|isme", SINGULAR),
    ),
    "it": (
        _before(
            "il un dal del nel sul al questo quel i gli", "zione|sione|zioni|sioni|tà", FEMININE, excepted="podestà"
        ),
        _before("la una questa quella della nella", "zioni|sioni", PLURAL),
        _before_words(
            "il un del dal nel al sul",
            r"(?:s[bcdfglmnpqrtv]|z|gn|ps)\p{Ll}+",
            "one of the words before which lo and uno stand",
        ),
    ),
    "pt": (
        _before("o um do no ao os uns dos nos", "ção|ções|dade|dades", FEMININE, excepted="coração corações"),
        _before("uma da na esta essa", "ções|dades", PLURAL, excepted="corações"),
        _before("as umas das nas", "ção|dade", SINGULAR, excepted="coração"),
    ),
    "de": (
        _before_words(
            "das ein dem den des im zum vom am beim", r"(?-i:\p{Lu})\p{L}{1,26}(?:ung|heit|keit|schaft|tion)", FEMININE
        ),
    ),
    "ru": (
        _before_words("к ко с со для без от из у про через над под перед при", "я|ты|он|она|мы|вы|они", NOMINATIVE),
        _before_words(
            "я мы вы он она они оно", "[а-яё]{2,}(?:ешь|ёшь|ишь)", "in the second person", excepted="лишь тишь"
        ),
    ),
    "mk": (_before_words("со од за до кај без на кон покрај", "јас", NOMINATIVE),),
}
_GERMAN_MASCULINE = regex.compile(r"\p{L}{0,26}(?:sprung|schwung|dung)", regex.IGNORECASE)
JUDGED = ("en", *CONCORDS)
"""Languages of which something is certain."""


def disagreeing(prose: str, language: str) -> Iterator[Slip]:
    """What surely does not agree in a text."""
    if language == "en":
        yield from english(prose)
    for concord in CONCORDS.get(language, ()):
        for match in concord.pattern.finditer(prose):
            if not _is_excepted(prose, match, concord, language):
                words = f"{match['first']} {match['noun']}"
                message = f"{words!r}: the two do not agree ({match['noun']!r} is {concord.reason})."
                yield Slip(*match.span(), message, "Let the first word follow the second.")


def _is_excepted(prose: str, match: regex.Match[str], concord: Concord, language: str) -> bool:
    if match["noun"].lower() in concord.excepted:
        return True
    if language != "de":
        return False
    # "ein Haus, das Heizung hat" and "die Zeit, in dem Heizung fehlt": a pronoun, no article.
    before = prose[max(0, match.start() - 12) : match.start()].rstrip()
    return "," in before or not before or _GERMAN_MASCULINE.fullmatch(match["noun"]) is not None
