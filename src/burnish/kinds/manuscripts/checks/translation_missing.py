"""translation_missing: the translation is missing or has no words.

What it looks for: a translation that is empty, or that has neither letters nor digits where the source has some.
Why it matters: a book with an untranslated paragraph is not finished.
Fix: needs a translator or a model, because nothing is there to be mended.
"""

from __future__ import annotations

from collections.abc import Iterator

from burnish.core.checks import check
from burnish.core.findings import Finding
from burnish.kinds.manuscripts.model import Paragraph, pair


@check(
    id="translation_missing",
    severity="critical",
    bad=(
        pair("en>es", "A sentence.", ""),
        pair("en>es", "A sentence.", " ."),
    ),
    good=(
        pair("en>es", "A sentence.", "Una frase."),
        pair("en>es", "* * *", "* * *"),
    ),
)
def translation_missing(paragraph: Paragraph) -> Iterator[Finding]:
    if _says_something(paragraph.text) and not _says_something(paragraph.translation):
        yield Finding.at(
            paragraph,
            severity="critical",
            message="There is no translation."
            if not paragraph.translation.strip()
            else "The translation has no words.",
            suggestion="Translate the paragraph.",
        )


def _says_something(text: str) -> bool:
    return any(map(str.isalnum, text))
