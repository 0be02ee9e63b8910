"""glossary_term: a term that is not translated as the glossary requires.

What it looks for: every term of the glossary that occurs in the source; the translation must have the term that the
glossary gives, in any form: another case, number or person, with an article, as part of a German compound.
Why it matters: readers take a second name for a second thing.
Fix: needs a translator, because the right form depends on the sentence.
"""

from collections.abc import Iterator

from burnish.core.checks import check
from burnish.core.findings import Finding
from burnish.kinds.manuscripts.model import ManuscriptContext, Paragraph, pair
from burnish.kinds.manuscripts.sides import source_of, target_of
from burnish.kinds.manuscripts.terminology import glossary_of, renders


@check(
    id="glossary_term",
    title="Glossary term not used",
    severity="error",
    bad=(
        pair("en>es", "The river basin dried up.", "La cuenca se secó.", terms={"river basin": "cuenca fluvial"}),
        pair("en>ru", "The banker was waiting.", "Финансист ждал.", terms={"banker": "банкир"}),
        pair("en>zh", "The comet was bright.", "扫帚星很亮。", terms={"comet": "彗星"}),
    ),
    good=(
        pair("en>ru", "The bankers spoke to the banker.", "Банкиры говорили с банкиром.", terms={"banker": "банкир"}),
        pair(
            "en>es",
            "All river basins dried up.",
            "Todas las cuencas fluviales se secaron.",
            terms={"river basin": "la cuenca fluvial"},
        ),
        pair(
            "en>de",
            "He read books in the library.",
            "Er las in der Stadtbücherei viele Bücher.",
            terms={"book": "Buch", "library": "Bücherei"},
        ),
        pair(
            "en>es",
            "She stated that it may rain in New York.",
            "Afirmó que podría llover en Nueva York.",
            terms={"state": "estado", "May": "mayo", "York": "York de Inglaterra", "New York": "Nueva York"},
        ),
    ),
)
def glossary_term(paragraph: Paragraph, context: ManuscriptContext) -> Iterator[Finding]:
    if not context.glossary or not paragraph.translation:
        return
    source, target = source_of(paragraph), target_of(paragraph)
    found = {one.term: one for one in glossary_of(context.glossary).occurrences(source)}
    for term, one in found.items():
        if term.keep or not term.target or renders(target, term.target):
            continue
        written = paragraph.text[one.start : one.end]
        yield Finding.at(
            paragraph,
            message=f"The glossary renders {written!r} as {term.target!r}, which is not in the translation.",
            suggestion=f"Use {term.target!r}{f' ({term.note})' if term.note else ''}.",
            data={"source": written, "wanted": term.target},
        )
