"""unbalanced_marks: a bracket or a quotation mark without its other half.

What it looks for: round, square, curly and East Asian brackets, quotation marks of every shape, and the Spanish marks
that open a question or an exclamation. Code, links, list labels such as "a)", inches and emoticons are left alone; so
is a paragraph whose source leaves its own marks open, as speech does that runs over several paragraphs.
Why it matters: the reader waits for the end of an aside or of a speech that never comes.
Fix: needs a model or a person: only the meaning says where the other mark belongs.
"""

from collections.abc import Iterator

from burnish.core.checks import check
from burnish.core.findings import Finding
from burnish.kinds.manuscripts.grammar.marks import unbalanced
from burnish.kinds.manuscripts.model import Paragraph
from burnish.kinds.manuscripts.telling import told
from burnish.text.markdown import markdown


@check(
    id="unbalanced_marks",
    severity="error",
    bad=(
        {
            "text": "The lamp (an old one) stood on the table.",
            "translation": "La lámpara (una vieja estaba en la mesa.",
            "source_language": "en",
            "target_language": "es",
        },
        {
            "text": "Er sagte: „Komm herein.“",
            "translation": 'He said, "Come in.',
            "source_language": "de",
            "target_language": "en",
        },
        {
            "text": "What time is it?",
            "translation": "¿Qué hora es.",
            "source_language": "en",
            "target_language": "es",
        },
    ),
    good=(
        {
            "text": "The lamp (an old one) was “bright”: see [the page](https://example.org/a(b)).",
            "translation": "La lámpara (una vieja) era «brillante»: véase [la página](https://example.org/a(b)).",
            "source_language": "en",
            "target_language": "es",
        },
        {
            "text": 'a) first b) second, a board of 5" and a smile :)',
            "translation": 'a) primero b) segundo, una tabla de 5" y una sonrisa :)',
            "source_language": "en",
            "target_language": "es",
        },
        {
            "text": "“And then we left. It was late.",
            "translation": "« Et puis nous sommes partis. Il était tard.",
            "source_language": "en",
            "target_language": "fr",
        },
    ),
)
def unbalanced_marks(paragraph: Paragraph) -> Iterator[Finding]:
    yield from told(paragraph, unbalanced(markdown(paragraph.translation), markdown(paragraph.text)))
