"""English articles, and pronouns in the wrong case."""

from __future__ import annotations

from collections.abc import Iterator

import regex

from burnish.languages.slips import Slip
from burnish.languages.words import word_set

ARTICLE = regex.compile(
    r"(?<![\p{L}\p{N}'’.&/-])(?P<article>[Aa]n?) [\"“‘'*_(\[]{0,2}(?P<word>\p{L}[\p{L}'’]*)(?P<after>[-.&/]?)"
)
SOUNDS_OPEN = regex.compile(
    r"(?:hour|honest|honou?r|heir|hors d)"
    r"|(?!eu|ewe|uni(?!n|m)|unan|us[eua]|ut[eio]|ubiq|ur[aiou]|uk|ufo|ug|uvu|one(?!i)|once|oui|yt)[aeiouáéíóúàèìòùäöüæøå]",
    regex.IGNORECASE,
)
"""Words that are spoken with a vowel first, whatever letter they begin with."""
SAID_EITHER_WAY = regex.compile(
    r"h(?:erb|istor|otel|abit|ero|ysteri|allucin|omage|umble|ispanic)|uni|u[bgkrst]|eu|one|y[tp]",
    regex.IGNORECASE,
)
"""Words before which both articles are written, or of which the spelling tells too little."""
LETTERS_SAID_OPEN = frozenset("AEFHILMNORSX")

SUBJECT = r"(?P<pronoun>he|she|they|we|I)"
AFTER_PREPOSITION = regex.compile(
    rf"(?<![\p{{L}}'’-])(?P<preposition>to|of|with|from|at|into|between|against|towards?|upon|by|through|without)"
    rf" {SUBJECT}(?! (?:who|whom|that|said|says|and|or)\b)(?=[ .,;:!?])"
)
OBJECT_FIRST = regex.compile(
    r"(?:^|(?<=[.!?] ))(?P<pronoun>Him|Them|Us|Me)"
    r" (?:\p{Ll}+ed|was|were|is|are|has|have|had|will|would|can|could|said|did|does)(?= )"
)
CLAUSE = r"(?<![\p{L}'’-])(?:when|where|because|although|while|that|if|whether|since)"
OBJECT_AS_SUBJECT = regex.compile(rf"{CLAUSE} (?P<pronoun>him|them)(?= \p{{Ll}})")
REFLEXIVE_FIRST = regex.compile(
    r"(?:^|(?<=[.!?,] )|(?<=\bbut )|(?<=\band )|(?<=\bthat )|(?<=\bwhere )|(?<=\bbecause ))"
    r"(?P<pronoun>[Ii]tself|[Hh]imself|[Hh]erself|[Tt]hemselves) (?:is|are|was|were|will|has|have|had)(?= )"
)
POSSESSIVE_FIRST = regex.compile(
    r"(?<![\p{L}'’-])(?P<pronoun>[Ii]ts|[Tt]heir|[Mm]y|[Oo]ur|[Yy]our) (?:is|are|was|were|has|have|had)(?= \p{Ll})"
)
BROKEN_VERB = regex.compile(
    r"(?:^|(?<=[.!?;,] )|(?<=\bthat )|(?<=\bbecause )|(?<=\bwhen ))"
    r"(?:(?:[Hh]e|[Ss]he|[Ii]t) (?:have|are|am|do not|don['’]t)|(?:[Tt]hey|[Ww]e|[Yy]ou) (?:is|has|was|does)"
    r"|I (?:is|are|has|does))(?![\p{L}'’-])"
)
MISPLACED = (AFTER_PREPOSITION, OBJECT_FIRST, OBJECT_AS_SUBJECT, REFLEXIVE_FIRST, POSSESSIVE_FIRST)
"""Pronouns that cannot stand where they stand."""
NO_NOUNS = word_set("is are was as in on at and or of if it an")
"""Behind the letter A, which is no article then."""


def english(prose: str) -> Iterator[Slip]:
    """Everything that is surely wrong."""
    for match in ARTICLE.finditer(prose):
        right = _article(match)
        if right is not None and right != match["article"].lower():
            yield _exchange(match, "article", f"{match['article']!r} before {match['word']!r}.", right)
    for pattern in MISPLACED:
        for match in pattern.finditer(prose):
            yield Slip(
                *match.span(),
                f"The pronoun {match['pronoun']!r} stands in the wrong case ({match.group()!r}).",
                "Put the pronoun into the case that its place asks for.",
            )
    for match in BROKEN_VERB.finditer(prose):
        yield Slip(
            *match.span(), f"Subject and verb do not agree ({match.group()!r}).", "Let the verb follow its subject."
        )


def _article(match: regex.Match[str]) -> str | None:
    """The article that belongs before a word; None where its spelling does not tell."""
    word = match["word"]
    if len(word) == 1 or (match["article"] == "A" and (word in NO_NOUNS or (match.start() and not word.islower()))):
        return None  # vitamin A, the letter A: no article
    if word.isupper() or (word[1:] != word[1:].lower()):
        return _before_letters(word)
    if SAID_EITHER_WAY.match(word):
        return None
    return "an" if SOUNDS_OPEN.match(word) else "a"


def _before_letters(word: str) -> str | None:
    """Abbreviations are said letter by letter, or as words; where both agree the article is sure."""
    if word[0].islower():
        return None  # iOS, eBook
    by_letter, as_word = word[0] in LETTERS_SAID_OPEN, word[0] in "AEIO"
    return ("an" if by_letter else "a") if by_letter == as_word else None


def _exchange(match: regex.Match[str], group: str, what: str, right: str) -> Slip:
    written = match[group]
    right = right.capitalize() if written[0].isupper() else right
    return Slip(*match.span(group), f"The article {what}", f"Write {right!r}.", replacement=right)
