"""Which language a text is written in.

Scripts and function words decide the clear cases in microseconds. Only what they leave open goes to a statistical
model, which takes a second and 75 MB to load: an English bank never pays for it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import cache
from math import log
from typing import Any

from burnish.languages.tables import table, words_by_language
from burnish.languages.words import word_list

LONGEST_READ, LONGEST_WEIGHED = 300, 1500
"""Characters that are read for words, and that the statistical model is given: more tells nothing new."""

SHORTEST_READ = 4
"""Letters without which nothing can be told."""

CLEAR = 1.0
"""Words or letters of its own that a language must be ahead of any other; shared ones count in part."""

CERTAIN, SUPPORTED = 0.5, 0.3
"""Probability from which the statistical model is believed, alone and where the function words say the same."""

_LEAST = 1e-30
"""A probability of which the model keeps nothing but a nought."""

_NON_LATIN = re.compile(r"[\u0370-\u1cff\u2c80-\u2dff\u3040-\ud7ff]")
_SCRIPTS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("zgh", re.compile(r"[\u2d30-\u2d7f]")),
    ("el", re.compile(r"[\u0370-\u03ff]")),
    ("hy", re.compile(r"[\u0530-\u058f]")),
    ("he", re.compile(r"[\u0590-\u05ff]")),
    ("th", re.compile(r"[\u0e00-\u0e7f]")),
    ("ka", re.compile(r"[\u10a0-\u10ff]")),
    ("ko", re.compile(r"[\uac00-\ud7af]")),
    ("ja", re.compile(r"[\u3040-\u30ff]")),
    ("zh", re.compile(r"[\u4e00-\u9fff]")),
)
"""Scripts that one language, or one above all, is written in. Kana before Han: Japanese is written in both."""


KNOWN = frozenset(table("detection")["function_words"])
"""Languages that can be told by their function words."""


@cache
def _shares() -> dict[str, tuple[tuple[str, float], ...]]:
    """Word -> what it speaks for, and how strongly: one vote, shared by all languages that have the word."""
    listed = words_by_language("detection", "function_words")
    languages = {
        word: tuple(language for language, own in listed.items() if word in own)
        for word in frozenset[str]().union(*listed.values())
        # One Latin letter is a symbol or an option's label as often as a word.
        if len(word) > 1 or not word.isascii()
    }
    return {word: tuple((language, 1 / len(having)) for language in having) for word, having in languages.items()}


@cache
def _own_letters() -> dict[str, str]:
    """Letters that give a language away among those written in the same script."""
    return {letter: language for language, own in table("detection")["letters"].items() for letter in own}


def votes(lower_words: Iterable[str]) -> dict[str, float]:
    """Language -> votes of the function words among these."""
    scores: dict[str, float] = {}
    for shares in filter(None, map(_shares().get, lower_words)):
        for language, share in shares:
            scores[language] = scores.get(language, 0.0) + share
    return scores


def weighed(text: str) -> tuple[str, float]:
    """The language that the statistical model sees, and how probable it is."""
    return _model()(text[:LONGEST_WEIGHED])


def language_of(text: str) -> str | None:
    """The ISO 639 code of the text's language (two letters where there is one), or None where it cannot be told."""
    text = text[:LONGEST_WEIGHED].strip()
    clear, best = _clear(text)
    return clear or _by_statistics(text, best)


def clear_language(text: str) -> str | None:
    """The same, but only where script or function words tell: quick, and never in need of the statistical model."""
    return _clear(text[:LONGEST_WEIGHED].strip())[0]


def may_be(text: str, language: str) -> bool:
    """Whether a text that is too short to tell may be taken for `language`, because all around it is written in that.

    Only where nothing speaks for another language: no function word, and of the languages that are known well none
    is more probable. A text without words is in no language, so it can be taken for any.
    """
    text = text[:LONGEST_WEIGHED].strip()
    if sum(map(str.isalpha, text)) < SHORTEST_READ:
        return True
    scores = dict(_by_words_and_letters(text[:LONGEST_READ].lower()))
    if language not in KNOWN or max(scores.values()) > scores.get(language, 0.0):
        return False
    ranked: list[tuple[str, float]] = _identifier().rank(text)
    return next(name for name, _ in ranked if name in KNOWN) == language


def leaning(text: str, language: str, other: str) -> float:
    """By how much the statistical model takes a text for `language` rather than for `other`, as a logarithm of odds.

    0 where it knows one of them not: a word or two tell between two languages what they never tell among a hundred.
    """
    probability: dict[str, float] = dict(_identifier().rank(text[:LONGEST_WEIGHED]))
    if language not in probability or other not in probability:
        return 0.0
    return log(max(probability[language], _LEAST) / max(probability[other], _LEAST))


def _clear(text: str) -> tuple[str | None, str]:
    """The language that script or words tell, if they do; and the one that words and letters speak for most."""
    if not text.isascii():
        script = _by_script(text)
        if script is not None:
            return script, script
    ranked = _by_words_and_letters(text[:LONGEST_READ].lower())
    (best, score), (_, second) = ranked[0], ranked[1]
    return best if score - second >= CLEAR and score >= 2 * second else None, best


def _by_script(text: str) -> str | None:
    """The language whose script most letters of the text have, if one language has that script."""
    foreign = len(_NON_LATIN.findall(text))
    if foreign == 0 or foreign * 2 < sum(map(str.isalpha, text)):
        return None
    for language, script in _SCRIPTS:
        found = len(script.findall(text))
        if found * (4 if language == "ja" else 2) > foreign:
            return language
    return None


def _by_words_and_letters(lower: str) -> list[tuple[str, float]]:
    """Languages with the words and letters that only they, or few others, use. Best first; at least two."""
    scores = {"": 0.0, "und": 0.0, **votes(word_list(lower))}
    if not lower.isascii():
        own = _own_letters()
        for letter in own.keys() & set(lower):
            scores[own[letter]] = scores.get(own[letter], 0.0) + 1
    return sorted(scores.items(), key=lambda item: -item[1])


def _by_statistics(text: str, expected: str) -> str | None:
    if sum(map(str.isalpha, text)) < SHORTEST_READ:
        return None
    language, probability = _model()(text)
    return language if probability >= (SUPPORTED if language == expected else CERTAIN) else None


def _model() -> Callable[[str], tuple[str, float]]:
    classify: Callable[[str], tuple[str, float]] = _identifier().classify
    return classify


@cache
def _identifier() -> Any:
    """The statistical model. Loaded on first use and kept: most texts never need it."""
    from py3langid.langid import MODEL_FILE, LanguageIdentifier  # type: ignore[import-untyped]

    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
