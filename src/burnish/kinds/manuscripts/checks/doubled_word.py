"""doubled_word: a word that stands twice in a row.

What it looks for: the same word two or more times with nothing but blanks between. Words that good writers double
("that that", "muy muy", "nous nous") are left alone, and so is a doubling that the source has too. In languages that
double words for their grammar it is a warning.
Why it matters: it is what a slip of a model or of a hand leaves behind, and every reader stumbles over it.
Fix: safe: the word stays once.
"""

from collections.abc import Iterator

from burnish.core.checks import check
from burnish.core.findings import Finding
from burnish.kinds.manuscripts.grammar.doubles import doubled
from burnish.kinds.manuscripts.model import Paragraph
from burnish.kinds.manuscripts.telling import told
from burnish.text.markdown import markdown


@check(
    id="doubled_word",
    severity="error",
    bad=(
        {
            "text": "El agua fluye hacia el mar.",
            "translation": "The water flows flows to the sea.",
            "source_language": "es",
            "target_language": "en",
        },
        {
            "text": "The lamp stood on the table.",
            "translation": "La lámpara estaba en la\nla mesa.",
            "source_language": "en",
            "target_language": "es",
        },
        {
            "text": "The lamp stood on the table.",
            "translation": "Лампа стояла на столе столе столе.",
            "source_language": "en",
            "target_language": "ru",
        },
    ),
    good=(
        {
            "text": "Ella dijo que eso era verdad.",
            "translation": "She said that that was true.",
            "source_language": "es",
            "target_language": "en",
        },
        {
            "text": "We met in Walla Walla.",
            "translation": "Nos vimos en Walla Walla.",
            "source_language": "en",
            "target_language": "es",
        },
        {
            "text": "We see one another. One after the other.",
            "translation": "Nous nous voyons. L'un après l'autre, l'autre après.",
            "source_language": "en",
            "target_language": "fr",
        },
    ),
)
def doubled_word(paragraph: Paragraph) -> Iterator[Finding]:
    source, translation = markdown(paragraph.text), markdown(paragraph.translation)
    yield from told(paragraph, doubled(translation, source, paragraph.target_language))
