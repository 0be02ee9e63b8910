"""missing_word: an article, a preposition or a title before a word that it cannot belong to.

What it looks for: English "the", "a" or "an" right before a verb form, a preposition or a conjunction that can never
follow it ("The was the largest", "a of"); prepositions and titles with nothing after them ("between and", "common in,
which", "Dr. believes"); a genitive without its noun; a verb of saying without a subject.
Why it matters: an important word is missing or in the wrong place, and the sentence makes no sense.
Fix: needs a translator or a model, because the right words have to be found in the source.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from burnish.core.checks import check
from burnish.core.findings import Finding
from burnish.kinds.manuscripts.model import Paragraph, pair
from burnish.kinds.manuscripts.sides import source_of, target_of

LOST = re.compile(
    r"\b(?:[Tt]he|[Aa]n|(?<![\w.'’-])a) "
    r"(?:is|was|were|are|has|had|been|of|and|from|with|which|into|their|its|his|the|would|could|should|because"
    r"|as|on|at|than|if|whose|where)(?![\w'’-]|\.\w)"
    r"|\b(?:of|between|among) (?:was|were|is|are|has|had|and|of|from)(?![\w'’-])"
    r"|\b(?:[Tt]he|[Bb]etween|[Aa]mong|[Aa]ccording to|[Ii]nto),|^In,|\b(?:in|at|on|of|to|for), which\b"
    r"|\b(?:Dr|Mr|Mrs|Ms|Prof)\. [a-z]{3,}|(?:^|(?<=[,(] )|(?<=\())['’]s [a-z]|\bby \(\d|\bin on [A-Z]\w+day\b"
    r"|(?:^|(?<=[.!?] ))(?:According to|After|Before|During|In|On|At|Since|Despite) [^,.;:!?]{2,80}, "
    r"(?:believes|says|thinks|adds|argues|claims|notes|told|said|announced|stated|declared|explained)"
    r"(?= (?:that|the|his|her|its|their|a|an)\b)"
)
"""Words that are also nouns (will, must, can, being, by, in, to) prove nothing."""


@check(
    id="missing_word",
    title="English word missing or misplaced",
    severity="error",
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
    target = target_of(paragraph)
    if target.language != "en" or source_of(paragraph).language == "en":
        return
    for found in LOST.finditer(target.prose):
        yield Finding.at(
            paragraph,
            span=found.span(),
            message=f"{found[0]!r}: a word is missing between these, or one stands in the wrong place.",
            suggestion="Add the word that the source has, or put the words in order.",
        )
        return
