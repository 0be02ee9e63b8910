"""glossary_term: a term of the glossary that is rendered in another way.

What it looks for: every term of the glossary that stands in the source; the translation must have the rendering that
the glossary gives, in any form: another case, number or person, with an article, as part of a German compound.
Why it matters: a term that changes its name makes readers think of another thing.
Fix: needs a translator, because the right form depends on the sentence.
"""

from collections.abc import Iterator

from burnish.core.checks import check
from burnish.core.findings import Finding
from burnish.kinds.manuscripts.model import ManuscriptContext, Paragraph
from burnish.kinds.manuscripts.sides import source_of, target_of
from burnish.kinds.manuscripts.terminology import glossary_of, renders


@check(
    id="glossary_term",
    severity="error",
    bad=(
        {
            "text": "The river basin dried up.",
            "translation": "La cuenca se secó.",
            "source_language": "en",
            "target_language": "es",
            "glossary": ({"source": "river basin", "target": "cuenca fluvial"},),
        },
        {
            "text": "The banker was waiting.",
            "translation": "Финансист ждал.",
            "source_language": "en",
            "target_language": "ru",
            "glossary": ({"source": "banker", "target": "банкир"},),
        },
        {
            "text": "The comet was bright.",
            "translation": "扫帚星很亮。",
            "source_language": "en",
            "target_language": "zh",
            "glossary": ({"source": "comet", "target": "彗星"},),
        },
    ),
    good=(
        {
            "text": "The bankers spoke to the banker.",
            "translation": "Банкиры говорили с банкиром.",
            "source_language": "en",
            "target_language": "ru",
            "glossary": ({"source": "banker", "target": "банкир"},),
        },
        {
            "text": "All river basins dried up.",
            "translation": "Todas las cuencas fluviales se secaron.",
            "source_language": "en",
            "target_language": "es",
            "glossary": ({"source": "river basin", "target": "la cuenca fluvial"},),
        },
        {
            "text": "He read books in the library.",
            "translation": "Er las in der Stadtbücherei viele Bücher.",
            "source_language": "en",
            "target_language": "de",
            "glossary": ({"source": "book", "target": "Buch"}, {"source": "library", "target": "Bücherei"}),
        },
        {
            "text": "She stated that it may rain in New York.",
            "translation": "Afirmó que podría llover en Nueva York.",
            "source_language": "en",
            "target_language": "es",
            "glossary": (
                {"source": "state", "target": "estado"},
                {"source": "May", "target": "mayo"},
                {"source": "York", "target": "York de Inglaterra"},
                {"source": "New York", "target": "Nueva York"},
            ),
        },
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
            field=None,
            message=f"The glossary renders {written!r} as {term.target!r}, which is not in the translation.",
            suggestion=f"Use {term.target!r}{f' ({term.note})' if term.note else ''}.",
        )
