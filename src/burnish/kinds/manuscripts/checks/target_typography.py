"""target_typography: marks as another language sets them.

What it looks for: quotation marks of another language (German „so“, Russian «так», French with blanks inside), straight
and curved ones mixed; a Spanish question or exclamation that nothing opens; French marks without the blank before them;
a hyphen in place of the source's dash; narrow marks between Chinese or Japanese signs. Where style is a choice it is a
warning, and both choices are accepted.
Why it matters: this is what readers see first of a translation that kept the habits of its source.
Fix: safe where one mark replaces another. Where a Spanish question begins is for a translator to say.
"""

from collections.abc import Iterator

from burnish.core.checks import check
from burnish.core.findings import Finding
from burnish.kinds.manuscripts.model import Paragraph
from burnish.kinds.manuscripts.telling import told
from burnish.kinds.manuscripts.wording.sides import source_of, target_of
from burnish.kinds.manuscripts.wording.typography import typography


@check(
    id="target_typography",
    severity="error",
    bad=(
        {
            "text": "Where are you going? he asked.",
            "translation": "Adónde vas? preguntó.",
            "source_language": "en",
            "target_language": "es",
        },
        {
            "text": "“Come in,” she said.",
            "translation": "“Komm herein”, sagte sie.",
            "source_language": "en",
            "target_language": "de",
        },
        {
            "text": "“Come in,” she said.",
            "translation": "“Войдите”, — сказала она.",
            "source_language": "en",
            "target_language": "ru",
        },
        {
            "text": "“Who is there?” he asked.",
            "translation": "«Qui est là?» demanda-t-il.",
            "source_language": "en",
            "target_language": "fr",
        },
        {
            "text": "He waited — in vain.",
            "translation": "Он ждал - напрасно.",
            "source_language": "en",
            "target_language": "ru",
        },
        {
            "text": "«Entrez», dit-elle.",
            "translation": "«Come in», she said.",
            "source_language": "fr",
            "target_language": "en",
        },
        {
            "text": "It rained, and he left.",
            "translation": "下雨了,他走了.",
            "source_language": "en",
            "target_language": "zh",
        },
    ),
    good=(
        {
            "text": "“Where are you going?” he asked. “Now!”",
            "translation": "«¿Adónde vas?», preguntó. “¡Ahora!”",
            "source_language": "en",
            "target_language": "es",
        },
        {
            "text": "“Come in,” she said.",
            "translation": "„Komm herein“, sagte sie. »Und du?«",
            "source_language": "en",
            "target_language": "de",
        },
        {
            "text": "“Who is there?” he asked.",
            "translation": "«\u00a0Qui est là\u202f?\u00a0» demanda-t-il à 10:30.",
            "source_language": "en",
            "target_language": "fr",
        },
        {
            "text": '"Come in," she said.',
            "translation": '"Come in," she said. See https://example.org/?a=b!',
            "source_language": "de",
            "target_language": "en",
        },
    ),
)
def target_typography(paragraph: Paragraph) -> Iterator[Finding]:
    yield from told(paragraph, typography(source_of(paragraph), target_of(paragraph)))
