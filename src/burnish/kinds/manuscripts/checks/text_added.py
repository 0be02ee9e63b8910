"""text_added: words of the translation that nothing in the source calls for.

What it looks for: a run of words of the translation without a counterpart in the source, by the bilingual lexicon of
the two languages, while the words around it have theirs. That the translation is too long by as much, that the run is
made of whole sentences, and that there are as many sentences too many, speak for it too. It is an error if whole
sentences were added; inside a sentence translators explain and say it in more words, so that is a warning where much
speaks for it, and else told for information. Where the lexicon is not good enough it is a warning at most.
Why it matters: models explain, greet and make up what the author never wrote, in the author's name.
Fix: needs a translator or a model, who can tell an explanation that readers need from one that nobody asked for.
"""

from __future__ import annotations

from collections.abc import Iterator

from burnish.core.checks import check
from burnish.core.findings import Finding, Severity
from burnish.kinds.manuscripts.model import ManuscriptContext, Paragraph, pair
from burnish.kinds.manuscripts.sides import quoted, source_of, target_of
from burnish.languages.counterparts import gaps_of

DOUBTED, SURE = 6.0, 8.0
"""From here on it is told, and from here on it is an error: translators explain more often than they leave out."""
SURE_OF_A_PART = 15.0
"""From here on a part of a sentence is a warning: 14 in sound lessons, up to 12.1, mostly said it in more words."""


@check(
    id="text_added",
    title="Text added",
    severity="error",
    bad=(
        pair(
            "en>es",
            "The children went to school early in the morning. Their mother worked in the garden.",
            "Los niños fueron a la escuela temprano por la mañana. Su madre trabajaba en el jardín. "
            "Hacía mucho frío y los perros del vecino ladraban sin parar toda la noche.",
        ),
        pair(
            "de>en",
            "Er öffnete das Fenster und sah den Schnee auf den Dächern der Stadt.",
            "He opened the window and saw the snow on the roofs of the city. Later his brother called him and asked "
            "for money because he had lost everything in the war.",
        ),
    ),
    good=(
        pair("en>de", "He shut the door and left.", "Er schloss die Tür und ging."),
        pair(
            "en>es",
            "The children went to school early in the morning. Their mother worked in the garden.",
            "Los niños fueron a la escuela temprano por la mañana. Su madre trabajaba en el jardín.",
        ),
    ),
)
def text_added(paragraph: Paragraph, context: ManuscriptContext) -> Iterator[Finding]:
    source, target = source_of(paragraph), target_of(paragraph)
    found = gaps_of(source.prose, target.prose, (source.language, target.language), context.lexicon)
    if found is None or found.target is None or found.target.score < DOUBTED:
        return
    gap = found.target
    severity: Severity = "error" if gap.score >= SURE and gap.is_whole and found.is_trusted else "warning"
    if not gap.is_whole and gap.score < SURE_OF_A_PART:
        severity = "info"
    yield Finding.at(
        paragraph,
        span=(gap.start, gap.end),
        message=f"Nothing in the source corresponds to {quoted(target, gap.start, gap.end)}.",
        suggestion="Remove these words, unless they say something of the source in another way.",
        severity=severity,
    )
