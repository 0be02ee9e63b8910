"""doubled_word: a word repeated in a row.

What it looks for: the same word two or more times with only spaces between. Words that are doubled correctly ("that
that", "muy muy", "nous nous") are ignored, and so is a doubling that the source has too. Three times is an error in
every language; twice is an error for function words in languages whose doublings are known ("la la mesa"), and for any
word in English. Elsewhere it is a warning: most languages double words on purpose ("zaman zaman", "luôn luôn", "vieja
vieja"), for a plural, an adverb or emphasis.
Why it matters: a doubled word is a slip of a model or of typing, and every reader notices it.
Fix: safe only for a function word in a language whose doublings are known: one is kept.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import cache

import regex

from burnish.core.checks import check
from burnish.core.findings import Finding
from burnish.kinds.manuscripts.findings import slip_findings
from burnish.kinds.manuscripts.model import Paragraph, pair
from burnish.languages.grammar import MAY_DOUBLE, runs
from burnish.languages.tables import words_by_language
from burnish.languages.words import Slip, word_set
from burnish.text.markdown import Markdown, markdown

DOUBLING = word_set("tr az kk uz vi he ar fa hi ur bn mr ta te id ms jv tl kab zgh tzm shi th km lo my ko")
"""Languages that form words by doubling: zaman zaman, luôn luôn, धीरे धीरे, cwiṭ cwiṭ."""


@cache
def _small_words(language: str) -> frozenset[str]:
    """Function words that are never doubled on purpose; empty for a language whose doublings are not known."""
    if language not in MAY_DOUBLE:
        return frozenset()
    return words_by_language("detection", "function_words").get(language, frozenset()) - MAY_DOUBLE[language]


def doubled(view: Markdown, source: Markdown, language: str) -> Iterator[Slip]:
    """Doubled words of the translation, except as many as the source has."""
    granted = Counter(len(row) for row in runs(source.prose))
    for row in runs(view.prose):
        if granted[len(row)]:
            granted[len(row)] -= 1
            continue
        word = row[0].group()
        if len(row) == 2 and (language in DOUBLING or word.casefold() in MAY_DOUBLE.get(language, frozenset())):
            continue
        yield _slip(view.text, row, language)


def _slip(text: str, row: list[regex.Match[str]], language: str) -> Slip:
    word, start, end = row[0].group(), row[0].start(), row[-1].end()
    small = word.casefold() in _small_words(language)
    times = "twice" if len(row) == 2 else f"{len(row)} times"
    return Slip(
        start,
        end,
        f"{word!r} occurs {times} in a row.",
        f"Write {word!r} once.",
        replacement=text[start : row[0].end()] if small else None,
        severity="error" if small or language == "en" or len(row) > 2 else "warning",
    )


@check(
    id="doubled_word",
    severity="error",
    bad=(
        pair("es>en", "El agua fluye hacia el mar.", "The water flows flows to the sea."),
        pair("en>es", "The lamp stood on the table.", "La lámpara estaba en la\nla mesa."),
        pair("en>ru", "The lamp stood on the table.", "Лампа стояла на столе столе столе."),
    ),
    good=(
        pair("es>en", "Ella dijo que eso era verdad.", "She said that that was true."),
        pair("en>he", "Tom is finally here.", "תום סוף סוף כאן."),
        pair("en>es", "We met in Walla Walla.", "Nos vimos en Walla Walla."),
        pair(
            "en>fr", "We see one another. One after the other.", "Nous nous voyons. L'un après l'autre, l'autre après."
        ),
    ),
)
def doubled_word(paragraph: Paragraph) -> Iterator[Finding]:
    source, translation = markdown(paragraph.text), markdown(paragraph.translation)
    yield from slip_findings(paragraph, doubled(translation, source, paragraph.target_language))
