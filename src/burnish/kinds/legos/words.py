"""Words of a SEED's sentences: what cuts are made between. Pure and linear."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import regex

from burnish.languages.words import bare

_RUN = regex.compile(
    r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]\p{M}*"
    r"|[^\s—\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]+"
)
"""What stands between blanks or dashes. Scripts that leave no blank between words are taken letter by letter."""
_OUTER = ".,;:!?…¿¡‽\"'’‘‚‛“”„‟«»‹›()[]{}<>–-。、，！？：；「」『』《》（）،؛؟।\u200e\u200f\u061c"
"""Marks that stand around a word and do not belong to it."""


@dataclass(frozen=True, slots=True)
class Word:
    """One word of a sentence."""

    text: str
    """As it stands there, without the marks around it."""
    start: int
    end: int
    """Where it stands, in characters."""
    bare: str
    """For comparing: small letters, composed, with a straight apostrophe."""


def words_of(sentence: str) -> tuple[Word, ...]:
    """The words of a sentence, in order. What is only punctuation is no word."""
    return tuple(_words(sentence))


def _words(sentence: str) -> Iterator[Word]:
    for run in _RUN.finditer(sentence):
        text = run.group()
        core = text.strip(_OUTER)
        if not core:
            continue
        start = run.start() + len(text) - len(text.lstrip(_OUTER))
        yield Word(core, start, start + len(core), bare(core))
