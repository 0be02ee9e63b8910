"""negation_changed: the translation denies what the source says, or says what the source denies.

What it looks for: a word of denial on one side (not, never, without, nicht, ne ... pas, не) where the other has none,
nor any word in which a denial may hide (un-, hardly, lack, refuse, only).
Why it matters: one small word turns the meaning of a sentence round, and the sentence still reads well.
Fix: needs a translator or a model, because the sentence has to be built anew.
"""

from __future__ import annotations

from collections.abc import Iterator

from burnish.core.checks import check
from burnish.core.findings import Finding
from burnish.kinds.manuscripts.model import Paragraph, pair
from burnish.kinds.manuscripts.sides import source_of, target_of
from burnish.languages.voice import denials, knows_denials

LONG = 300
"""In so many characters one denial more or less is a matter of style."""


@check(
    id="negation_changed",
    severity="error",
    bad=(
        pair("en>es", "The bridge is open in winter.", "El puente no está abierto en invierno."),
        pair("ru>en", "Он не пришёл на встречу.", "He came to the meeting."),
    ),
    good=(
        pair("en>es", "Nobody knew the way.", "Nadie conocía el camino."),
        pair("de>en", "Es ist kaum möglich.", "It is not really possible."),
        pair("en>es", "She does not remember.", "Ella lo ha olvidado."),
    ),
)
def negation_changed(paragraph: Paragraph) -> Iterator[Finding]:
    source, target = source_of(paragraph), target_of(paragraph)
    if not (knows_denials(source.language) and knows_denials(target.language)) or not paragraph.translation.strip():
        return
    ours, theirs = denials(source.prose, source.language), denials(target.prose, target.language)
    slack = len(source.prose) // LONG
    stated = theirs.clauses + theirs.too if theirs.clauses else 0
    if stated > len(ours.plain) + ours.hidden + slack:
        start, end = theirs.plain[0]
        yield Finding.at(
            paragraph,
            span=(start, end),
            message=f"The translation denies ({target.prose[start:end]!r}) what the source does not deny.",
            suggestion="Say what the source says.",
        )
    elif not theirs.plain and ours.clauses > theirs.hidden + theirs.turned + slack:
        start, end = ours.plain[0]
        yield Finding.at(
            paragraph,
            message=f"The source denies something ({source.prose[start:end]!r}), the translation does not.",
            suggestion="Deny it in the translation as well.",
        )
