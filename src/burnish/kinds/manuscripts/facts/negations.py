"""Whether a text denies something: plainly, perhaps, or not at all."""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

from burnish.kinds.manuscripts.facts.keeping import kept
from burnish.kinds.manuscripts.facts.negation_words import (
    DENYING,
    HAN_DENYING,
    HAN_HIDDEN,
    HAN_NOT_DENYING,
    HIDDEN,
    KANA_DENYING,
    TURNED,
)
from burnish.languages.words import word_set

Span = tuple[int, int]

PASSED_OVER: dict[str, str] = {
    "en": r"whether or not|or not|not only|not just|not merely|not least|if not|no doubt|no matter|nothing but|"
    r"no sooner|"
    r"why not|no\.\s?\d|can(?:no|['’])t help(?: it| \w+ing)|not to mention|do you mind|no wonder|not until|not unlike|"
    r"almost \w+n['’]t|nothing short|not surprisingly|no more \w+ than",
    "es": r"no solo|no sólo|no más|nada más|¿no\?|no bien|por qué no|si no|o no|no \w+ (?:sino|más que)|no olvid\w+",
    "fr": r"non seulement|pas seulement|n['’]est-ce pas|n(?:e |['’])\w+ que|ou non|ou pas",
    "de": r"nicht nur|nicht zuletzt|nicht wahr|oder nicht|wenn nicht",
    "it": r"non solo|non soltanto|non appena|o no|se non|non \w+ che",
    "pt": r"não só|não apenas|não é\?|ou não|se não",
    "ru": r"не только|не раз|не так ли|без сомнения|как ни|чуть не|едва не|пока (?:\w+ ){0,3}не|не \w+ ли|"
    r"если не|не прочь|или нет|"
    r"не могу на\w+|"
    r"(?:бы|кто|что|куда|где|как\w*) \w{0,4} ?ни",
    "mk": r"не само|нели|без сомнение|без разлика|додека не|или не|не знам што|да не",
    "bg": r"не само|нали|без съмнение|докато (?:\w+ ){0,3}не|или не|да не",
    "pl": r"nie tylko|nieprawdaż|czy nie|niejednokrotnie|nieraz",
    "cs": r"nejen|nejenom|či ne",
}
"""Turns of phrase in which the word denies nothing: they prove nothing, and excuse one denial of the other side."""
WITHOUT_DENIAL: dict[str, str] = {
    "es": r"sin embargo|sin duda|no obstante",
    "fr": r"sans doute|néanmoins|personne (?!n)",
    "de": r"ohne weiteres|zweifelsohne|nichtsdestotrotz",
    "it": r"senza dubbio|nonostante|ciò nonostante|mai più di",
    "pt": r"sem dúvida|não obstante",
    "ru": r"тем не менее|нельзя ли",
    "pl": r"niemniej|bez wątpienia",
    "cs": r"nej\w+|nebo|neboť|než\w*|něj\w*|někd\w*|něk\w*|něc\w*|neděl\w*|nech\w*|nemoc\w*|nest\w{0,2}|net\w*|"
    r"neu\w*|bezpe\w*",
}
"""Words that only look like denials: they neither prove nor excuse."""
SENTENCE = re.compile(r"[^.?!…。！？\n]*+(?P<mark>[.?!…。！？\n]?)")
CZECH_VERB = r"ne\w{2,}"


ANSWERING = word_set(
    """
    pas jamais rien personne aucun aucune nul nulle nullement guère ni nada nadie nunca jamás ninguno ninguna ningún
    né mai nulla niente
    nessuno nessuna nessun nem ninguém nenhum nenhuma
    никто никого никому ничто ничего ничему никогда нигде никуда никак никакой никаких никакого никакая никакие ни
    никој никого никому ништо никогаш никаде никако никаков никаква ниту нити ниеден ниедна ниедно
    никой нищо никога никъде никакъв никаква никакви нито
    nikt nikogo nikomu nic niczego nigdy nigdzie żaden żadna żadne żadnego żadnej żadnych ani nikdo nikoho nikomu
    ničeho nikdy nikde žádný
    žádná žádné žádného nor
    """
)
"""Words that mostly stand beside another denial of the same statement."""


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
    without_denial: re.Pattern[str] | None
    passed_over: re.Pattern[str] | None
    plain: re.Pattern[str]
    hidden: re.Pattern[str]
    turned: re.Pattern[str] | None


def knows_denials(language: str) -> bool:
    return language in DENYING or language in ("zh", "ja")


@cache
def _patterns(language: str) -> _Patterns:
    if language in ("zh", "ja"):
        kana = f"|{KANA_DENYING}" if language == "ja" else ""
        signs = re.compile(HAN_DENYING + kana)
        return _Patterns(re.compile(HAN_NOT_DENYING), None, signs, re.compile(HAN_HIDDEN), None)
    denying = DENYING[language] + (f"|{CZECH_VERB}" if language == "cs" else "")
    return _Patterns(
        _words(WITHOUT_DENIAL[language], language) if language in WITHOUT_DENIAL else None,
        _words(PASSED_OVER[language], language) if language in PASSED_OVER else None,
        _words(denying, language),
        _words(HIDDEN[language], language),
        _words(TURNED[language], language) if language in TURNED else None,
    )


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
    stated = SENTENCE.sub(_without_question, read)
    clauses = sum(stated[start:end].strip() != "" and read[start:end].lower() not in ANSWERING for start, end in found)
    turned = len(patterns.turned.findall(read)) if patterns.turned is not None else 0
    return Denials(tuple(found), clauses, turned, excuses + sum(1 for _ in patterns.hidden.finditer(read)))


def _blanks(match: re.Match[str]) -> str:
    return " " * len(match[0])


def _without_question(match: re.Match[str]) -> str:
    return _blanks(match) if match["mark"] in ("?", "？") else match[0]
