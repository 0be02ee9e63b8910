"""missing_word: an article with nothing behind it that it could belong to.

What it looks for: English "the", "a" or "an" right before a verb form, a preposition or a conjunction that can never
stand there ("The was the largest", "a of"), in letters without a capital.
Why it matters: the thing that is spoken of has fallen out, and the sentence says nothing.
Fix: needs a translator or a model, because the word has to be found in the source.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from burnish.core.checks import check
from burnish.core.findings import Finding
from burnish.kinds.manuscripts.model import Paragraph, pair
from burnish.kinds.manuscripts.sides import target_of

LOST = re.compile(
    r"\b(?:[Tt]he|[Aa]n|(?<![\w.'’-])a) "
    r"(?:is|was|were|are|has|had|been|of|and|from|with|which|into|their|its|his|the|would|could|should|because)"
    r"(?![\w'’-]|\.\w)"
)
"""Words that are also nouns (will, must, can, being, by, in, to) prove nothing."""


@check(
    id="missing_word",
    severity="error",
    languages=("en",),
    bad=(
        pair("es>en", "El templo era el más grande de la ciudad.", "The was the largest in the city."),
        pair("fr>en", "Il a vu la fin de la guerre.", "He saw the of the war."),
    ),
    good=(
        pair("es>en", "El templo era el más grande.", "The temple was the largest."),
        pair("es>en", "Hizo testamento.", "He made a will, and the will was read."),
        pair("de>en", "The Who spielten.", "The Who played; vitamin A is good."),
    ),
)
def missing_word(paragraph: Paragraph) -> Iterator[Finding]:
    for found in LOST.finditer(target_of(paragraph).prose):
        yield Finding.at(
            paragraph,
            span=found.span(),
            message=f"A word is missing in {found[0]!r}.",
            suggestion="Put the word of the source in.",
        )
        return
