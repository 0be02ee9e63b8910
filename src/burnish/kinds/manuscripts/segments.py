"""Sentences and words of a paragraph with their places, for every script.

Sentences: those of `languages/sentences`, cut once more at marks that English has not (`»`, `؟`, `।`, `።`), and joined
where a full stop only ends an abbreviation of the language. Words: letters, marks and digits, with apostrophes and
hyphens inside. Scripts without blanks between words (Chinese, Japanese, Thai) give one word for each run of letters.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import regex

from burnish.languages.sentences import Sentence, sentences
from burnish.languages.words import word_set

_IN_WORDS = r"[\p{L}\p{M}\p{N}_\u200c\u200d]"
WORD = regex.compile(
    rf"\p{{N}}++(?:[.,٫٬]\p{{N}}++)++[\p{{L}}\p{{M}}]*+"
    rf"|[\p{{L}}\p{{N}}_]{_IN_WORDS}*+(?:['’ʼʹ‑-][\p{{L}}\p{{N}}]{_IN_WORDS}*+)*+"
)
"""A number with its separators, or a word. A mark without a letter before it is no word."""

_FURTHER_ENDS = re.compile(r"[.?!…][»“”\"’')\]]*[»“][\"’')\]]*\s+(?=[^\W\d_a-zà-ÿа-яё]|[¿¡«„“—–-])|[؟۔।॥።፧]+\s*")
"""Ends of sentences that the shared rules do not know: a closing guillemet or a German quote behind the mark, and the
marks of Arabic, Devanagari and Ethiopic."""

_ABBREVIATIONS: dict[str, frozenset[str]] = {
    "es": word_set(
        "sr sra sres sras srta dr dra d dña ud uds vd vds pág págs núm art cap ed etc ej av gral prof lic fig vol"
    ),
    "fr": word_set("m mm mme mmes mlle mlles dr pr me mgr st ste cf p pp ex av art chap env vol fig éd bd no"),
    "de": word_set(
        "bzw ca d.h dr evtl fr ggf hr hrn inkl max mind nr o.ä prof s sog st str u.a usw u.s.w vgl z.b z.t zzgl abb bd "
        "bspw i.d.r u.u v.a geb gest jh jan feb apr aug sept okt nov dez b h"
    ),
    "ru": word_set(
        "г гг т.е т.д т.п т.к т.н и.о см стр рис им ул д кв р руб тыс млн млрд др пр проф акад в вв гр н.э обл е п"
    ),
    "mk": word_set("г г-дин г-ѓа д-р итн т.е т.н бр стр ул сл на.пр проф св в чл сп пр о.г"),
    "pt": word_set("sr sra srs sras srta dr dra d exmo exma pág págs núm art cap ex av prof profa fig vol ed séc"),
    "it": word_set(
        "sig sigg sig.ra sig.na dott dott.ssa dr prof prof.ssa ing avv pag pagg art cap es fig vol ed sec s d.c a.c"
    ),
    "kab": word_set("atg md sd tal wis"),
    "en": frozenset(),
}
"""Language -> what is written with a full stop in the midst of a sentence, in small letters without the last stop."""

_INNER_EVERYWHERE = word_set("dr prof p pp cf vol fig nr")
_LAST_TOKEN = re.compile(r"([^\s(«“„\"'’—–]+)\.$")
_NUMBERED = re.compile(r"\d{1,3}$")
_NEAR = 24


def sentences_of(text: str, language: str) -> Iterator[Sentence]:
    """The sentences of a paragraph, in order; every character that is not blank is in exactly one of them."""
    held: Sentence | None = None
    for sentence in _cut(text):
        if held is not None and _is_inner(held.text, language, text[sentence.start]):
            held = Sentence(text[held.start : sentence.end], held.start)
            continue
        if held is not None:
            yield held
        held = sentence
    if held is not None:
        yield held


def _cut(text: str) -> Iterator[Sentence]:
    for sentence in sentences(text):
        done = 0
        for end in _FURTHER_ENDS.finditer(sentence.text):
            if end.end() < len(sentence.text):
                yield Sentence(sentence.text[done : end.end()].rstrip(), sentence.start + done)
                done = end.end()
        yield Sentence(sentence.text[done:], sentence.start + done)


def _is_inner(before: str, language: str, following: str) -> bool:
    """Whether the full stop that ended this stretch belongs to an abbreviation, or in German to a number."""
    last = _LAST_TOKEN.search(before[-_NEAR:])
    if last is None:
        return False
    token = last[1].lower()
    if language == "de" and _NUMBERED.match(token):
        return True
    return token in _ABBREVIATIONS.get(language, _INNER_EVERYWHERE)


def words_of(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Where the words of a stretch of text begin and end."""
    return (match.span() for match in WORD.finditer(text, start, end))
