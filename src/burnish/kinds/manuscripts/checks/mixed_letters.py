"""mixed_letters: a word with letters of two alphabets.

What it looks for: a Cyrillic or Greek letter inside a Latin word, a Latin letter inside a Cyrillic word, where the
letters only look alike; and words of any script with letters of another one. Symbols after abbreviations (TNFα),
Russian endings after Latin capitals, the epsilon and gamma that Kabyle and Tamazight are often typed with, and words
that the source writes in the same way are ignored.
Why it matters: the word looks right, but no search finds it and no screen reader reads it.
Fix: safe if every strange letter has a look-alike in the alphabet of its word, which replaces it.
"""

from __future__ import annotations

from collections.abc import Iterator

import regex

from burnish.core.checks import check
from burnish.core.findings import Finding
from burnish.kinds.manuscripts.findings import slip_findings
from burnish.kinds.manuscripts.model import Paragraph, pair
from burnish.languages.scripts import BERBER_LETTERS, homoglyphs
from burnish.languages.words import Slip
from burnish.text.markdown import Markdown, markdown

BOTH = regex.compile(
    r"(?<![\p{L}\p{N}_.-])(?=[\p{L}\p{M}]{3,60}(?![\p{L}\p{N}_]))"
    r"(?:\p{Cyrillic}{2}[\p{Cyrillic}\p{M}]*+\p{Latin}|\p{Latin}{2}[\p{Latin}\p{M}]*+\p{Cyrillic}"
    r"|\p{Tifinagh}++\p{Latin}|\p{Latin}++\p{Tifinagh})[\p{L}\p{M}]*"
)
"""A word that begins in one alphabet and continues in another. Greek, Han and kana may be mixed with Latin."""
RUN = regex.compile(r"[\p{L}\p{M}]+")
ABBREVIATION = regex.compile(
    r"(?:\p{Lu}{2,}|\p{Latin}\p{Lu}+)\p{Cyrillic}+|\p{Latin}+(?:ов|ы|и|а|у|ом|е|от|та|то|те|ите|от)"
)
"""A foreign name or abbreviation with an ending of the target language."""


def mixed(view: Markdown, source: Markdown, language: str) -> Iterator[Slip]:
    """Look-alikes that can be replaced, then other words of two alphabets."""
    if view.prose.isascii():
        return
    meant = set(RUN.findall(source.prose))
    reported: set[int] = set()
    for slip in homoglyphs(view.prose, language):
        reported.add(slip.start)
        if view.text[slip.start : slip.end] not in meant:
            yield slip
    for match in BOTH.finditer(view.prose):
        word = match.group()
        if match.start() in reported or word in meant or ABBREVIATION.fullmatch(word):
            continue
        if not BERBER_LETTERS.isdisjoint(word):
            continue
        yield Slip(*match.span(), f"{word!r} mixes letters of two alphabets.", "Write it in one alphabet.")


@check(
    id="mixed_letters",
    title="Letters of two alphabets",
    severity="error",
    bad=(
        pair("es>en", "La lámpara es vieja.", "The lаmp is old."),
        pair("en>mk", "The lamp is old.", "Лaмпа стара."),
        pair("en>ru", "The lamp is old.", "Лампzа старая."),
    ),
    good=(
        pair("de>ru", "Das Protein TNFα und die SMS des Nachbarn.", "Белок TNFα и SMSки соседа."),
        pair("en>kab", "Tamazight is the language of the Berbers.", "Tamaziγt d tutlayt n Yimaziɣen, ad tt-nεeddi."),
        pair("en>zh", "The T-shirt costs 5 €.", "T恤衫卖5欧元。Tシャツ。"),
    ),
)
def mixed_letters(paragraph: Paragraph) -> Iterator[Finding]:
    source, translation = markdown(paragraph.text), markdown(paragraph.translation)
    yield from slip_findings(paragraph, mixed(translation, source, paragraph.target_language))
