"""Language tags, and detection of the language of a text. Every kind of content uses this module.

    primary_tag(declared)                  -> the tag for a declared code or name of a language, or None
    language_name(tag)                     -> its English name
    detect(text, declared=..., document=...) -> Detected(language, basis): declared, of the text, of its document
    language_of(text)                      -> the language of the text itself, or None
    sure_language(text)                    -> the same, but only if it is beyond doubt
    other_language(text, declared)         -> the language that it is surely in, if that is not the expected one
    leaning(text, one, other)              -> which of two languages a few words point to
    are_kin(one, other)                    -> whether detection confuses two languages
    votes(words)                           -> the languages that function words point to

A caller that knows the language passes it as `declared`, which overrides everything else. Otherwise script, statistics
(py3langid) and function words are weighed together. A text that is too short takes the language of its document if
nothing contradicts that, and is unknown without a document. No critical finding may depend on `Detected.is_guess`.

Clear function words decide alone: they never contradicted the statistics on 16,000 sentences in twenty languages, and
the statistical model takes a second and 75 MB to load, which an English question bank never needs.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from math import exp, log
from typing import Any, Literal

from burnish.languages.scripts import SCRIPTS_OF
from burnish.languages.tables import table, words_by_language, words_in
from burnish.languages.words import word_list

UNKNOWN_LANGUAGE = "und"
"""The BCP 47 tag for an undetermined language, and for a declared one that is not known."""
_LEADING = re.compile(r"[^\W\d_]+")
_TAG_OF = {word: row.split()[0] for row in table("tags")["codes"].split(";") for word in row.split()}
_LONGER = SCRIPTS_OF.keys() | words_in("tags", "longer")
"""Tags of three letters for languages with some data: a script, related languages, typical letters."""
NAMES = {tag: " ".join(words) for tag, *words in (row.split() for row in table("tags")["names"].split(";"))}
TAG = re.compile(r"[a-z]{2,3}")


def primary_tag(declared: str | None) -> str | None:
    """The language of a declared tag: `en` for `en-GB`, `en_US`, `eng` and `English`. None if nothing is declared.

    An unknown word is returned in lower case.
    """
    leading = _LEADING.match((declared or "").strip().lower())
    return _TAG_OF.get(leading[0], leading[0]) if leading else None


def is_known(tag: str) -> bool:
    """Whether there are data for the language."""
    return tag in _TAG_OF or tag in _LONGER


def may_be_language(tag: str) -> bool:
    """Whether a tag may be a language: ISO 639-3 has thousands of three letters, of which few are listed here."""
    return is_known(tag) or (len(tag) == 3 and tag.isascii())


def language_name(tag: str) -> str:
    """The English name of a language. Text that content declares is shown only if it has the form of a tag."""
    if tag in NAMES:
        return NAMES[tag]
    is_tag = tag != UNKNOWN_LANGUAGE and TAG.fullmatch(tag) is not None
    return f"the language `{tag}`" if is_tag else "the language it is written in"


LONGEST_READ, LONGEST_WEIGHED = 300, 1500
"""Characters that are read for words, and that the statistical model gets: more does not help."""

SHORTEST_READ = 4
"""Letters that a text needs before its language can be detected."""

PLAIN_VOTES, PLAIN_TIMES, PLAIN_SHARE = 2.5, 3.0, 0.4
"""When votes of function words decide alone: their number, how many times more than for any other language, and their
share of the words."""

WORD_WEIGHT = 2.0
"""What one function word or distinctive letter adds to the logarithm of a language's probability."""

PROBABLE, SURE = 0.5, 0.75
"""The probability above which a language is named, and above which it is beyond doubt."""

AGAINST_DOCUMENT, AGAINST_DECLARED = 3.0, 5.0
"""The logarithm of odds by which another language must be more probable than that of the document, or than the one
declared. Of 6,500 English exam questions the one with the most Latin reaches 2.0."""

_LEAST = 1e-12
"""The smallest probability accepted from the statistical model."""

Basis = Literal["declared", "text", "document", "unknown"]


@dataclass(frozen=True, slots=True)
class Detected:
    """The language of a text, and the basis of that answer."""

    language: str | None
    """The ISO 639 code (two letters if there is one), or None if unknown."""
    basis: Basis

    @property
    def is_guess(self) -> bool:
        """Whether the language was detected, not declared. No critical finding may depend on a guess."""
        return self.basis != "declared"


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
"""Scripts that mainly one language uses. Kana before Han: Japanese uses both."""


KNOWN = frozenset(table("detection")["function_words"])
"""Languages that can be detected by their function words."""


@cache
def _shares() -> dict[str, tuple[tuple[str, float], ...]]:
    """Word -> its languages and their share of its vote: one vote, split among all languages that have the word."""
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
    """Letters that only one language of a script uses."""
    return {letter: language for language, own in table("detection")["letters"].items() for letter in own}


def votes(lower_words: Iterable[str]) -> dict[str, float]:
    """Language -> votes of the function words among `lower_words`."""
    scores: dict[str, float] = {}
    for shares in filter(None, map(_shares().get, lower_words)):
        for language, share in shares:
            scores[language] = scores.get(language, 0.0) + share
    return scores


def detect(text: str, *, declared: str | None = None, document: str | None = None) -> Detected:
    """The language of a text. `declared`: by the author. `document`: the language of the whole document."""
    if declared:
        return Detected(declared, "declared")
    text = text[:LONGEST_WEIGHED].strip()
    if sum(map(str.isalpha, text)) < SHORTEST_READ:
        return Detected(document, "document") if document else Detected(None, "unknown")
    chances = _chances(text)
    best = max(chances, key=lambda language: chances[language])
    if document and _odds(chances, best, document) < AGAINST_DOCUMENT:
        return Detected(document, "document")
    return Detected(best, "text") if chances[best] >= PROBABLE else Detected(None, "unknown")


def language_of(text: str) -> str | None:
    """The ISO 639 code of the text's language (two letters if there is one), or None if it cannot be detected."""
    return detect(text).language


def sure_language(text: str) -> str | None:
    """The same, but only if it is beyond doubt."""
    text = text[:LONGEST_WEIGHED].strip()
    if sum(map(str.isalpha, text)) < SHORTEST_READ:
        return None
    return next((language for language, chance in _chances(text).items() if chance >= SURE), None)


def other_language(text: str, declared: str) -> str | None:
    """The language that the text is in beyond doubt, if that is neither the one declared nor related to it."""
    text = text[:LONGEST_WEIGHED].strip()
    if sum(map(str.isalpha, text)) < SHORTEST_READ:
        return None
    chances = _chances(text)
    best = max(chances, key=lambda language: chances[language])
    sure = chances[best] >= SURE and _odds(chances, best, declared) >= AGAINST_DECLARED
    return best if best != declared and sure and not are_kin(best, declared) else None


def leaning(text: str, language: str, other: str) -> float:
    """The statistical model's logarithm of odds for `language` over `other`; 0 if it does not know one of them.

    A word or two can decide between two languages, though never among a hundred.
    """
    probability = _probabilities(text[:LONGEST_WEIGHED])
    return _odds(probability, language, other) if language in probability and other in probability else 0.0


def are_kin(language: str, other: str) -> bool:
    """Whether words and statistics confuse the two: one is no proof against the other."""
    return any({language, other} <= kin for kin in _kin())


@cache
def _kin() -> tuple[frozenset[str], ...]:
    return tuple(frozenset(line.split()) for line in table("detection")["kin"])


def _odds(chances: dict[str, float], language: str, other: str) -> float:
    return log(max(chances.get(language, 0.0), _LEAST) / max(chances.get(other, 0.0), _LEAST))


def _chances(text: str) -> dict[str, float]:
    """Language -> how probable it is that the text is written in it."""
    if not text.isascii() and (script := _by_script(text)) is not None:
        return {script: 1.0}
    scores = _by_words_and_letters(text[:LONGEST_READ].lower())
    plain = _plain(scores, text[:LONGEST_READ])
    if plain is not None:
        return {plain: 1.0}
    weights = {
        language: log(max(chance, _LEAST)) + WORD_WEIGHT * scores.get(language, 0.0)
        for language, chance in _probabilities(text).items()
    }
    heaviest = max(weights.values())
    grown = {language: exp(weight - heaviest) for language, weight in weights.items()}
    return {language: chance / sum(grown.values()) for language, chance in grown.items()}


def _plain(scores: dict[str, float], read: str) -> str | None:
    """The language that function words alone decide, if they do."""
    (best, score), (_, second) = sorted(scores.items(), key=lambda item: -item[1])[:2]
    enough = score >= PLAIN_VOTES and score >= PLAIN_TIMES * second
    return best if enough and score >= PLAIN_SHARE * len(word_list(read)) else None


def _by_script(text: str) -> str | None:
    """The language of the script that most letters of the text have, if one language has that script."""
    foreign = len(_NON_LATIN.findall(text))
    if foreign == 0 or foreign * 2 < sum(map(str.isalpha, text)):
        return None
    for language, script in _SCRIPTS:
        found = len(script.findall(text))
        if found * (4 if language == "ja" else 2) > foreign:
            return language
    return None


def _by_words_and_letters(lower: str) -> dict[str, float]:
    """Language -> score of its function words and distinctive letters; at least two entries."""
    scores = {"": 0.0, "und": 0.0, **votes(word_list(lower))}
    if not lower.isascii():
        own = _own_letters()
        for letter in own.keys() & set(lower):
            scores[own[letter]] = scores.get(own[letter], 0.0) + 1
    return scores


def _probabilities(text: str) -> dict[str, float]:
    """The probabilities of the statistical model, with variants of one written language added up."""
    found: dict[str, float] = {}
    for language, chance in _identifier().rank(text):
        language = table("detection")["kinds_of"].get(language, language)
        found[language] = found.get(language, 0.0) + float(chance)
    return found


@cache
def _identifier() -> Any:
    """The statistical model. Loaded on first use and kept: most texts never need it."""
    from py3langid.langid import MODEL_FILE, LanguageIdentifier  # type: ignore[import-untyped]

    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
