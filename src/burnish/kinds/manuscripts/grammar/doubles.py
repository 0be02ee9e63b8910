"""Words that stand twice in a row, and those that may."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import regex

from burnish.languages.slips import Slip
from burnish.languages.words import word_set
from burnish.text.markdown import Markdown

PIECE = regex.compile(r"[\p{L}\p{M}\p{N}]+(?:['’-][\p{L}\p{M}\p{N}]+)*")
BETWEEN = regex.compile(r"[)\]\"”»]?[ \t\u00a0\u202f]*\n?[ \t]*[(\[\"“„«]?")
"""What may stand between the two: blanks, one end of a line, a bracket or a quotation mark. Any other mark makes two
phrases of them."""
OPENING = frozenset('(["“„«')

MAY_DOUBLE: dict[str, frozenset[str]] = {
    "en": word_set("that had her is so very no yes bye ha blah knock long many far"),
    "de": word_set("die der das sie ihr ihre den dem es nein ja sehr viel nur doch wer was zu so sich lange"),
    "fr": word_set("nous vous très non oui bien si faire ça tout petit en là même"),
    "es": word_set("no sí muy que tan casi poco luego ya ja así más uno nada"),
    "pt": word_set("não sim muito que quase pouco logo já tão mais nada assim se"),
    "it": word_set("via piano no sì molto così poco quasi man mano zitto appena subito tanto ben bel"),
    "ru": word_set("да нет что чуть еле вот очень так как ну давно много долго едва тихо далеко крепко это кто"),
    "mk": word_set("да не многу така тукушто ај што полека само како еден ни одвај скоро кој ми ти си му им"),
    "bg": word_set("да не много така що само как един ни кой ми ти си му им ги го се"),
}
"""Words that good writers set twice: two words that look alike, or one for emphasis. A third one is still too many."""
NAMES = word_set("will may mark bill art frank rob drew chase grant")
"""Names that may stand before the verb that looks like them: Will will."""
SURE = frozenset(MAY_DOUBLE) | word_set("nl sv da nb no pl cs sk sl hr sr uk be ca gl ro hu fi el")
"""Languages in which a word set twice is hardly ever grammar; elsewhere it may make a plural or an adverb."""


def runs(prose: str) -> Iterator[list[regex.Match[str]]]:
    """Rows of one word, two or more of them, with nothing but blanks between."""
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
    """Nothing stands between the two; "(ODS (ODS)" is a slip, "words (words and more)" an aside."""
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


def doubled(view: Markdown, source: Markdown, language: str) -> Iterator[Slip]:
    """Doubled words of the translation, beyond those that the source sets twice as well."""
    granted = Counter(len(row) for row in runs(source.prose))
    for row in runs(view.prose):
        if granted[len(row)]:
            granted[len(row)] -= 1
            continue
        word = row[0].group()
        if len(row) == 2 and word.casefold() in MAY_DOUBLE.get(language, frozenset()):
            continue
        yield _slip(view.text, row, language)


def _slip(text: str, row: list[regex.Match[str]], language: str) -> Slip:
    word, start, end = row[0].group(), row[0].start(), row[-1].end()
    times = "twice" if len(row) == 2 else f"{len(row)} times"
    return Slip(
        start,
        end,
        f"{word!r} stands {times} in a row.",
        f"Write {word!r} once.",
        replacement=text[start : row[0].end()],
        severity="error" if language in SURE or len(row) > 2 else "warning",
    )
