"""spelling: a word that is not in the dictionaries of the target language.

What it looks for: words in lower case that are not in the dictionary, and are one typing slip away from a word that is,
or are there only with a capital. It is an error under the profile `strict` only, because one or two of a hundred
published human translations have such a slip. Other unknown words are mostly rare or new, so they are reported for
information. Names, words of the source or the glossary, code, compounds and rows of unknown words (a phrase in another
language) are ignored or reported with less severity.
It needs the extra `burnish[spelling]`; without it, and for languages without a dictionary (Macedonian, Kabyle,
Tamazight), the rule is listed as skipped.
Why it matters: one misspelled word makes a reader doubt the whole page.
Fix: needs a person or a model: the nearest word of the dictionary may not be the one that was meant.
"""

from __future__ import annotations

from collections.abc import Iterator, Set

import regex

from burnish.core.checks import check
from burnish.core.findings import Finding
from burnish.kinds.manuscripts.findings import slip_findings
from burnish.kinds.manuscripts.model import ManuscriptContext, Paragraph, pair
from burnish.languages.dictionary import SHORTEST, Dictionary, dictionary, languages
from burnish.languages.words import Slip, word_list, word_set
from burnish.text.markdown import STANDS_FOR, Markdown, markdown

WORD = regex.compile(r"(?<![\p{L}\p{M}\p{N}_@#./\\'’-])\p{Ll}[\p{L}\p{M}'’]*(?![\p{L}\p{M}\p{N}_@#/\\-])")
"""A separate word in lower case: not a name, a part of a compound, a path or a tag."""
LETTERS = regex.compile(r"\p{L}[\p{L}\p{M}]*")
ADVERB = "mente"
HALF = 4
"""The fewest letters of each half of a compound."""
MOST_UNKNOWN = 40
"""The most unknown words that are read: a text with more is in another language, which other rules report."""
MOST_SEARCHED = 6
"""The most unknown words for which a likely word is searched, which is slow."""
CONTRACTED = word_set("ll ve re d s m")
"""Endings after an apostrophe in English; n't is part of its word."""


def misspelled(view: Markdown, excused: Set[str], words: Dictionary) -> Iterator[Slip]:
    """Unknown words: an error if a known word is one slip away, a warning or less in doubt."""
    found = list(_unknown(view, excused, words))
    for number, (match, lone) in enumerate(found):
        word = _bare(match.group())
        start, end = match.start(), match.start() + len(word)
        name = next((name for name in (word.capitalize(), word.upper()) if words.knows(name)), None)
        if name is not None:
            yield Slip(
                start, end, f"The dictionary has {word!r} only with a capital letter.",
                f"Write {name!r}, if that is meant.", severity="warning",
            )  # fmt: skip
            continue
        meant = words.nearest(word) if number < MOST_SEARCHED else None
        if meant is None:
            message = f"The dictionary does not know {word!r}."
            yield Slip(start, end, message, "Check the spelling.", severity="info")
            continue
        yield Slip(
            start,
            end,
            f"{word!r} is not in the dictionary; {meant.word!r} is.",
            f"Write {meant.word!r}, if that is meant.",
            severity="error" if lone and meant.sure else "warning",
        )


def _unknown(view: Markdown, excused: Set[str], words: Dictionary) -> Iterator[tuple[regex.Match[str], bool]]:
    """Unknown words in order, and whether each is among known words: a row of unknown ones is a foreign phrase."""
    reported: set[str] = set()
    before: tuple[regex.Match[str], bool] | None = None
    for match in WORD.finditer(view.prose):
        word = _bare(match.group())
        if len(word) < SHORTEST or word in reported or word.casefold() in excused or _is_known(word, words):
            continue
        if _beside_code(view.prose, match) or not word.islower():
            continue
        reported.add(word)
        if before is not None:
            close = match.start() - before[0].end() <= 1
            yield before[0], before[1] and not close
            before = (match, not close)
        else:
            before = (match, True)
        if len(reported) >= MOST_UNKNOWN:
            break
    if before is not None:
        yield before


def _is_known(word: str, words: Dictionary) -> bool:
    """Whether a word is known, or is a Romance adverb of a known word (estadística, estadísticamente), or a compound of
    two known words: breakrooms."""
    if words.knows(word) or (word.endswith(ADVERB) and words.knows(word.removesuffix(ADVERB))):
        return True
    halves = ((word[:cut], word[cut:]) for cut in range(HALF, len(word) - HALF + 1))
    return any(words.knows(one) and words.knows(other) for one, other in halves)


def _bare(word: str) -> str:
    """The word without an ending after an apostrophe."""
    word = word.replace("’", "'").strip("'")
    head, mark, tail = word.rpartition("'")
    return head if mark and tail in CONTRACTED else word


def _beside_code(prose: str, match: regex.Match[str]) -> bool:
    return STANDS_FOR in prose[max(0, match.start() - 1) : match.end() + 1]


@check(
    id="spelling",
    title="Unknown spelling",
    severity="warning",
    languages=languages(),
    bad=(
        pair("es>en", "La lámpara estaba sobre la mesa del gobernador.", "The lamp stood on the tabel of the govenor."),
        pair("es>en", "Ella lo escribió muchas veces.", "She has writen it many times."),
    ),
    good=(
        pair(
            "es>en",
            "La lámpara del señor Grindel estaba sobre el tatami.",
            "Mr Grindel's lamp stood on the tatami, as it hadn't before; its colour was grey.",
        ),
        pair("fr>en", "Je sais qu'Emin dessine.", "I know that emin draws."),
        pair("en>es", "They differ statistically.", "Difieren estadísticamente."),
        pair("it>en", "È la sala per i dipendenti.", "It is one of the employee breakrooms, in germline cells."),
        pair("es>en", "Ejecuta `grpe` en la carpeta.", "Run `grpe` in the folder."),
    ),
)
def spelling(paragraph: Paragraph, context: ManuscriptContext) -> Iterator[Finding]:
    # A clitic with an apostrophe is not part of a name: qu'Emin, l'Etna.
    excused = {
        *word_list(paragraph.text.replace("’", "'")),
        *(word.casefold() for word in LETTERS.findall(paragraph.text)),
    }
    excused |= {*(word for term in context.glossary for word in word_list(term.target))}
    words = dictionary(paragraph.target_language)
    yield from slip_findings(paragraph, misspelled(markdown(paragraph.translation), excused, words))
