"""sentence_shape: a paragraph that is built in another manner than its source.

What it looks for: lines that the author ended on purpose (verse, addresses, hard breaks) and the translation does not;
a very long sentence where the source has short ones; one sentence chopped into four or more.
Why it matters: rhythm is part of what an author wrote.
Fix: needs a translator. Always a warning: what a sentence must be is a matter of style.
"""

from collections.abc import Iterator

from burnish.core.checks import check
from burnish.core.findings import Finding
from burnish.kinds.manuscripts.model import Paragraph
from burnish.kinds.manuscripts.telling import told
from burnish.kinds.manuscripts.wording.shapes import shapes
from burnish.kinds.manuscripts.wording.sides import source_of, target_of


@check(
    id="sentence_shape",
    severity="warning",
    bad=(
        {
            "text": "How doth the little crocodile\nImprove his shining tail,\nAnd pour the waters of the Nile",
            "translation": "Cómo mejora el cocodrilito su cola brillante y vierte las aguas del Nilo",
            "source_language": "en",
            "target_language": "es",
        },
        {
            "text": "He came in and sat down by the fire because he was cold.",
            "translation": "Entró. Se sentó. Había fuego. Tenía frío.",
            "source_language": "en",
            "target_language": "es",
        },
        {
            "text": "It rained. He ran. " * 12,
            "translation": "Llovía y él corría y " * 14 + "nada más.",
            "source_language": "en",
            "target_language": "es",
        },
    ),
    good=(
        {
            "text": "How doth the little crocodile\nImprove his shining tail,\nAnd pour the waters of the Nile",
            "translation": "Cómo mejora el cocodrilito\nSu cola brillante,\nY vierte las aguas del Nilo",
            "source_language": "en",
            "target_language": "es",
        },
        {
            "text": "He came in and sat down by the fire, which had been burning since early morning\nand was warm.",
            "translation": "Entró y se sentó junto al fuego. Tenía frío.",
            "source_language": "en",
            "target_language": "es",
        },
    ),
)
def sentence_shape(paragraph: Paragraph) -> Iterator[Finding]:
    if paragraph.block != "table":
        yield from told(paragraph, shapes(source_of(paragraph), target_of(paragraph)))
