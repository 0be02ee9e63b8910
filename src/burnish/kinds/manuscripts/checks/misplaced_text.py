"""misplaced_text: a translation that belongs to the paragraph next to it.

What it looks for: two neighbouring translations that were exchanged, and runs of four or more that are shifted by one:
each fits the neighbouring source better than its own, by its length and by the bilingual lexicon of the two languages.
The evidence is added up over the run. It is a warning if the lexicon is not reliable enough.
Why it matters: one answer too many or too few in a list of answers moves all later ones to the wrong source. Each of
them reads well, and many share enough words with their own source to pass alone.
Fix: needs a person or a model: the translations have to be moved.
"""

from __future__ import annotations

from collections.abc import Iterator

from burnish.core.checks import check
from burnish.core.findings import Finding
from burnish.kinds.manuscripts.model import ManuscriptContext, Paragraph, pair
from burnish.languages.lexicon import is_trusted, lexicon_for


@check(
    id="misplaced_text",
    title="Translation of a neighbour",
    severity="critical",
    bad=(
        pair("en>es", "The dog sleeps.", "El gato come pescado.", misplaced={"p_0001": "p_0002"}),
        pair("en>de", "He opened the door.", "Sie sah den Schnee.", misplaced={"p_0001": "p_0000"}),
    ),
    good=(
        pair("en>es", "The dog sleeps.", "El perro duerme.", misplaced={"p_0007": "p_0008"}),
        pair("en>de", "He opened the door.", "Er öffnete die Tür."),
    ),
)
def misplaced_text(paragraph: Paragraph, context: ManuscriptContext) -> Iterator[Finding]:
    other = context.misplaced.get(paragraph.id)
    if other is not None and paragraph.translation:
        lexicon = lexicon_for(paragraph.source_language, paragraph.target_language, context.lexicon)
        yield Finding.at(
            paragraph,
            span=(0, len(paragraph.translation)),
            severity="critical" if lexicon is not None and is_trusted(lexicon) else "warning",
            message=f"This translation fits the source of {other} better than its own.",
            suggestion=f"Check whether it belongs to {other}: two or more paragraphs may have changed places.",
            data={"other": other},
            related=(other,),
        )
