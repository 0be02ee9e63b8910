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
from burnish.kinds.manuscripts.model import Paragraph
from burnish.kinds.manuscripts.sides import source_of, target_of
from burnish.languages.negation import denials, knows_denials

LONG = 300
"""In so many characters one denial more or less is a matter of style."""


@check(
    id="negation_changed",
    severity="error",
    bad=(
        {
            "text": "The bridge is open in winter.",
            "translation": "El puente no está abierto en invierno.",
            "source_language": "en",
            "target_language": "es",
        },
        {
            "text": "Он не пришёл на встречу.",
            "translation": "He came to the meeting.",
            "source_language": "ru",
            "target_language": "en",
        },
    ),
    good=(
        {
            "text": "Nobody knew the way.",
            "translation": "Nadie conocía el camino.",
            "source_language": "en",
            "target_language": "es",
        },
        {
            "text": "Es ist kaum möglich.",
            "translation": "It is not really possible.",
            "source_language": "de",
            "target_language": "en",
        },
        {
            "text": "She does not remember.",
            "translation": "Ella lo ha olvidado.",
            "source_language": "en",
            "target_language": "es",
        },
    ),
)
def negation_changed(paragraph: Paragraph) -> Iterator[Finding]:
    source, target = source_of(paragraph), target_of(paragraph)
    if not (knows_denials(source.language) and knows_denials(target.language)) or not paragraph.translation.strip():
        return
    ours, theirs = denials(source.prose, source.language), denials(target.prose, target.language)
    slack = len(source.prose) // LONG
    if theirs.clauses > len(ours.plain) + ours.hidden + slack:
        start, end = theirs.plain[0]
        yield Finding.at(
            paragraph,
            field=None,
            span=(start, end),
            message=f"The translation denies ({target.prose[start:end]!r}) what the source does not deny.",
            suggestion="Say what the source says.",
        )
    elif not theirs.plain and ours.clauses > theirs.hidden + theirs.turned + slack:
        start, end = ours.plain[0]
        yield Finding.at(
            paragraph,
            field=None,
            message=f"The source denies something ({source.prose[start:end]!r}), the translation does not.",
            suggestion="Deny it in the translation as well.",
        )
