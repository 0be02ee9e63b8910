"""Words with letters of two alphabets."""

from __future__ import annotations

from collections.abc import Iterator

import regex

from burnish.languages.scripts import BERBER_LETTERS, homoglyphs
from burnish.languages.slips import Slip
from burnish.text.markdown import Markdown

BOTH = regex.compile(
    r"(?<![\p{L}\p{N}_.-])(?=[\p{L}\p{M}]{3,60}(?![\p{L}\p{N}_]))"
    r"(?:\p{Cyrillic}{2}[\p{Cyrillic}\p{M}]*+\p{Latin}|\p{Latin}{2}[\p{Latin}\p{M}]*+\p{Cyrillic}"
    r"|\p{Tifinagh}++\p{Latin}|\p{Latin}++\p{Tifinagh})[\p{L}\p{M}]*"
)
"""A word that begins in one alphabet and goes on in another. Greek, Han and kana may stand beside Latin."""
RUN = regex.compile(r"[\p{L}\p{M}]+")
ABBREVIATION = regex.compile(
    r"(?:\p{Lu}{2,}|\p{Latin}\p{Lu}+)\p{Cyrillic}+|\p{Latin}+(?:ов|ы|и|а|у|ом|е|от|та|то|те|ите|от)"
)
"""A foreign name or abbreviation with an ending of the language it is used in."""


def mixed(view: Markdown, source: Markdown, language: str) -> Iterator[Slip]:
    """Look-alikes that can be exchanged, then words of two alphabets that cannot."""
    if view.prose.isascii():
        return
    meant = set(RUN.findall(source.prose))
    told: set[int] = set()
    for slip in homoglyphs(view.prose, language):
        told.add(slip.start)
        if view.text[slip.start : slip.end] not in meant:
            yield slip
    for match in BOTH.finditer(view.prose):
        word = match.group()
        if match.start() in told or word in meant or ABBREVIATION.fullmatch(word):
            continue
        if not BERBER_LETTERS.isdisjoint(word):
            continue
        yield Slip(*match.span(), f"{word!r} mixes letters of two alphabets.", "Write it in one alphabet.")
