"""Grammar without a parser: verb forms (of English exam options, and those that show the tense of a text in each
language), and slips (English articles and cases, articles that do not agree, doubled words)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Literal, NamedTuple

import regex

from burnish.languages.tables import joined_lines, table, words_by_language, words_in
from burnish.languages.words import Slip, word_set

VerbForm = Literal["base", "third", "gerund", "past"]

AUXILIARIES = words_in("verbs", "auxiliaries")
"""Words that show a finite clause in any position."""


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
    """Forms that are also nouns ("increase", "a block"), so they prove nothing at the head of an option."""
    noun_like = words_in("verbs", "nouns_too")
    return noun_like | {_third(verb) for verb in noun_like}


def verb_form(word: str) -> VerbForm | None:
    """The form of a known verb, even if the word could be a noun; None for any other word."""
    return _forms().get(word)


def sure_verb_form(word: str) -> VerbForm | None:
    """The form of a known verb that is hardly ever a noun in that form."""
    return None if word in _ambiguous() else _forms().get(word)


def has_clause(lower_words: Sequence[str]) -> bool:
    """Whether the words contain a finite verb after a subject, and so a statement."""
    return any(_is_finite(word, lower_words[index]) for index, word in enumerate(lower_words[1:]))


def _is_finite(word: str, before: str) -> bool:
    if word in AUXILIARIES:
        return True
    return before not in ("to", "and", "or") and sure_verb_form(word) in ("third", "base")


Tense = Literal["past", "present", "future"]


KNOWN_TENSES = tuple(table("tenses")["sure"])


@cache
def _whole(listed: str) -> regex.Pattern[str]:
    """A pattern for any of the listed whole words. (Their lengths are limited to keep the search fast.)"""
    return regex.compile(rf"(?<![\p{{L}}'’-])(?:{joined_lines(listed)})(?!\p{{L}})", regex.IGNORECASE)


class Times(NamedTuple):
    """The tenses of a text."""

    sure: dict[Tense, tuple[int, int]]
    """Tenses shown without doubt by a form, with the span of the first one."""
    open: bool
    """Whether other forms may show other tenses."""


def times(prose: str, language: str) -> Times:
    forms = table("tenses")["sure"][language].items()
    sure = {tense: found.span() for tense, listed in forms if (found := _whole(listed).search(prose))}
    return Times(sure, _whole(table("tenses")["either"][language]).search(prose) is not None)


def may_tell_later(prose: str, language: str) -> bool:
    """Whether a text in the past has forms or words that may refer to the future, and so excuse a future tense."""
    return _whole(table("tenses")["later"][language]).search(prose) is not None


ARTICLE = regex.compile(
    r"(?<![\p{L}\p{N}'’.&/-])(?P<article>[Aa]n?) [\"“‘'*_(\[]{0,2}(?P<word>\p{L}[\p{L}'’]*)(?P<after>[-.&/]?)"
)
SOUNDS_OPEN = regex.compile(
    r"(?:hour|honest|honou?r|heir|hors d)"
    r"|(?!eu|ewe|uni(?!n|m)|unan|us[eua]|ut[eio]|ubiq|ur[aiou]|uk|ufo|ug|uvu|one(?!i)|once|oui|yt)[aeiouáéíóúàèìòùäöüæøå]",
    regex.IGNORECASE,
)
"""Words that begin with a vowel sound, whatever their first letter."""
SAID_EITHER_WAY = regex.compile(
    r"h(?:erb|istor|otel|abit|ero|ysteri|allucin|omage|umble|ispanic)|uni|u[bgkrst]|eu|one|y[tp]",
    regex.IGNORECASE,
)
"""Words that take either article, or whose spelling does not show the sound."""
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
"""Pronouns in the wrong case for their position."""
NO_NOUNS = word_set("is are was as in on at and or of if it an")
"""Words after the letter A that show that it is no article."""


def english(prose: str) -> Iterator[Slip]:
    """Slips in English that are errors without doubt."""
    for match in ARTICLE.finditer(prose):
        right = _article(match)
        if right is not None and right != match["article"].lower():
            yield _exchange(match, "article", f"{match['article']!r} before {match['word']!r}.", right)
    for pattern in MISPLACED:
        for match in pattern.finditer(prose):
            yield Slip(
                *match.span(),
                f"The pronoun {match['pronoun']!r} is in the wrong case ({match.group()!r}).",
                "Use the pronoun in the right case.",
            )
    for match in BROKEN_VERB.finditer(prose):
        yield Slip(*match.span(), f"Subject and verb do not agree ({match.group()!r}).", "Make the verb agree with it.")


def _article(match: regex.Match[str]) -> str | None:
    """The right article for a word; None if its spelling does not show the sound."""
    word = match["word"]
    if len(word) == 1 or (match["article"] == "A" and (word in NO_NOUNS or (match.start() and not word.islower()))):
        return None  # vitamin A, the letter A: no article
    if word.isupper() or (word[1:] != word[1:].lower()):
        return _before_letters(word)
    if SAID_EITHER_WAY.match(word):
        return None
    return "an" if SOUNDS_OPEN.match(word) else "a"


def _before_letters(word: str) -> str | None:
    """The article before an abbreviation, which is read by letters or as a word; None if the two readings differ."""
    if word[0].islower():
        return None  # iOS, eBook
    by_letter, as_word = word[0] in LETTERS_SAID_OPEN, word[0] in "AEIO"
    return ("an" if by_letter else "a") if by_letter == as_word else None


def _exchange(match: regex.Match[str], group: str, what: str, right: str) -> Slip:
    written = match[group]
    right = right.capitalize() if written[0].isupper() else right
    return Slip(*match.span(group), f"The article {what}", f"Write {right!r}.", replacement=right)


_ALONE = r"(?<![\p{L}\p{N}'’-])"


class Concord(NamedTuple):
    """Articles that never stand before words with certain endings."""

    pattern: regex.Pattern[str]
    excepted: frozenset[str]
    """Words with such an ending that are correct."""
    reason: str


@cache
def _concords(language: str) -> tuple[Concord, ...]:
    return tuple(map(_concord, table("grammar")["concords"].get(language, ())))


def _concord(listed: Mapping[str, str]) -> Concord:
    articles = "|".join(listed["articles"].split())
    words = listed["words"] if "words" in listed else rf"\p{{L}}{{0,26}}(?:{listed['endings']})"
    pattern = rf"{_ALONE}(?P<first>{articles}) (?P<noun>{words})(?![\p{{L}}\p{{N}}'’-])"
    return Concord(regex.compile(pattern, regex.IGNORECASE), word_set(listed.get("excepted", "")), listed["reason"])


_GERMAN_MASCULINE = regex.compile(r"\p{L}{0,26}(?:sprung|schwung|dung)", regex.IGNORECASE)
KNOWN_CONCORDS = ("en", *table("grammar")["concords"])
"""Languages with such rules."""


def disagreeing(prose: str, language: str) -> Iterator[Slip]:
    """Slips of agreement that are errors without doubt."""
    if language == "en":
        yield from english(prose)
    for concord in _concords(language):
        for match in concord.pattern.finditer(prose):
            if not _is_excepted(prose, match, concord, language):
                words = f"{match['first']} {match['noun']}"
                message = f"{words!r}: the two do not agree ({match['noun']!r} is {concord.reason})."
                yield Slip(*match.span(), message, "Make the first word agree with the second.")


def _is_excepted(prose: str, match: regex.Match[str], concord: Concord, language: str) -> bool:
    if match["noun"].lower() in concord.excepted:
        return True
    if language != "de":
        return False
    # "ein Haus, das Heizung hat" and "die Zeit, in dem Heizung fehlt": a pronoun, no article.
    before = prose[max(0, match.start() - 12) : match.start()].rstrip()
    return "," in before or not before or _GERMAN_MASCULINE.fullmatch(match["noun"]) is not None


PIECE = regex.compile(r"[\p{L}\p{M}\p{N}]+(?:['’-][\p{L}\p{M}\p{N}]+)*")
BETWEEN = regex.compile(r"[)\]\"”»]?[ \t\u00a0\u202f]*\n?[ \t]*[(\[\"“„«]?")
"""What may stand between the two words: spaces, one line break, a bracket or a quotation mark. Any other mark
separates two phrases."""
OPENING = frozenset('(["“„«')

MAY_DOUBLE = words_by_language("grammar", "may_double")
"""Words that may be repeated: two words that look alike, or one for emphasis. Three in a row are still a slip."""
NAMES = word_set("will may mark bill art frank rob drew chase grant")
"""Names that look like a verb which may follow them: Will will."""


def runs(prose: str) -> Iterator[list[regex.Match[str]]]:
    """Runs of one repeated word."""
    row: list[regex.Match[str]] = []
    for piece in PIECE.finditer(prose):
        if row and _same(row[-1], piece) and _adjoin(prose, row[-1], piece):
            row.append(piece)
            continue
        if len(row) > 1:
            yield row
        row = [piece]
    if len(row) > 1:
        yield row


def _adjoin(prose: str, first: regex.Match[str], second: regex.Match[str]) -> bool:
    """Whether nothing separates the two words; "(ODS (ODS)" is a slip, "words (words and more)" an aside."""
    if not BETWEEN.fullmatch(prose, first.end(), second.start()):
        return False
    opens = prose[second.start() - 1]
    return opens not in OPENING or prose[max(0, first.start() - 1)] == opens


def _same(first: regex.Match[str], second: regex.Match[str]) -> bool:
    one, other = first.group(), second.group()
    if len(one) != len(other) or one.casefold() != other.casefold():
        return False
    if len(one) == 1 and not one.isdigit():
        return one.islower() and other.islower()  # a capital is the name of a letter
    return not (one[0].isupper() and other[0].islower() and one.casefold() in NAMES)
