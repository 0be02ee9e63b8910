"""Negation in each language: words that deny, words in which a denial may hide, and whether a text denies something."""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

from burnish.languages.cache import kept
from burnish.languages.tables import patterns_by_language, table, words_in

Span = tuple[int, int]

SENTENCE = re.compile(r"[^.?!…。！？\n]*+(?P<mark>[.?!…。！？\n]?)")
CZECH_VERB = r"ne\w{2,}"


class Denials(NamedTuple):
    """What a text denies."""

    plain: tuple[Span, ...]
    """Where it does so in a word that can mean nothing else."""
    clauses: int
    """How many statements are denied at least: of "no ... nada" only one word counts, and questions state nothing."""
    turned: int
    """How many words there are by which a denied thing may be said the other way round."""
    hidden: int
    """How many words there are, however faint, that another language may turn into a denial."""


class _Patterns(NamedTuple):
    """Each is explained in the data file."""

    without_denial: re.Pattern[str] | None
    passed_over: re.Pattern[str] | None
    plain: re.Pattern[str]
    hidden: re.Pattern[str]
    turned: re.Pattern[str] | None


def knows_denials(language: str) -> bool:
    return language in table("negation")["denying"] or language in ("zh", "ja")


@cache
def _patterns(language: str) -> _Patterns:
    if language in ("zh", "ja"):
        signs = patterns_by_language("negation", "signs")
        kana = f"|{signs['kana_denying']}" if language == "ja" else ""
        denying = re.compile(signs["denying"] + kana)
        return _Patterns(re.compile(signs["without_denial"]), None, denying, re.compile(signs["hidden"]), None)
    denying_words = patterns_by_language("negation", "denying")[language]
    return _Patterns(
        _listed("without_denial", language),
        _listed("passed_over", language),
        _words(denying_words + (f"|{CZECH_VERB}" if language == "cs" else ""), language),
        _words(patterns_by_language("negation", "hidden")[language], language),
        _listed("turned", language),
    )


def _listed(name: str, language: str) -> re.Pattern[str] | None:
    listed = patterns_by_language("negation", name).get(language)
    return _words(listed, language) if listed is not None else None


def _words(listed: str, language: str) -> re.Pattern[str]:
    # The vowel signs of Hindi are no letters to a pattern, so that its words end at blanks and marks.
    left, right = (r"(?<![\u0900-\u097f])", r"(?![\u0900-\u097f])") if language == "hi" else (r"\b", r"(?<=\W)|\b")
    return re.compile(rf"{left}(?:{listed})(?:{right})", re.IGNORECASE)


@kept
def denials(prose: str, language: str) -> Denials:
    """Only for languages that are known (`knows_denials`)."""
    patterns = _patterns(language)
    read, excuses = prose, 0
    if patterns.without_denial is not None:
        read = patterns.without_denial.sub(_blanks, read)
    if patterns.passed_over is not None:
        read, excuses = patterns.passed_over.subn(_blanks, read)
    found = [match.span() for match in patterns.plain.finditer(read)]
    answering = words_in("negation", "answering")
    stated = SENTENCE.sub(_without_question, read)
    clauses = sum(stated[start:end].strip() != "" and read[start:end].lower() not in answering for start, end in found)
    turned = len(patterns.turned.findall(read)) if patterns.turned is not None else 0
    return Denials(tuple(found), clauses, turned, excuses + sum(1 for _ in patterns.hidden.finditer(read)))


def _blanks(match: re.Match[str]) -> str:
    return " " * len(match[0])


def _without_question(match: re.Match[str]) -> str:
    return _blanks(match) if match["mark"] in ("?", "？") else match[0]
