"""spacing: a blank too many or too few.

What it looks for: blanks before commas, full stops and other marks (French sets some of them), inside brackets, before
an apostrophe that was cut off; as warnings, double blanks, and a blank that is missing after a comma or between two
sentences. Where the source is written in the same manner it is told softly. Code, links and tables are passed over.
Why it matters: such text comes from a machine that took words apart and never put them together again.
Fix: safe: only blanks change.
"""

from collections.abc import Iterator

from burnish.core.checks import check
from burnish.core.findings import Finding
from burnish.kinds.manuscripts.model import Paragraph
from burnish.kinds.manuscripts.telling import told
from burnish.kinds.manuscripts.wording.sides import source_of, target_of
from burnish.kinds.manuscripts.wording.spacing import spacing as slips_of_spacing


@check(
    id="spacing",
    severity="error",
    bad=(
        {
            "text": "In der Stadt, die er liebte, regnete es.",
            "translation": "In the city , which he loved , it rained .",
            "source_language": "de",
            "target_language": "en",
        },
        {
            "text": "La voiture de mon ami est rouge.",
            "translation": "My friend 's car is red.",
            "source_language": "fr",
            "target_language": "en",
        },
        {
            "text": "The mayor (a doctor) resigned.",
            "translation": "El alcalde ( un médico ) dimitió.",
            "source_language": "en",
            "target_language": "es",
        },
        {
            "text": "It rained, and he left. Nobody saw him.",
            "translation": "Llovía,y se fue. Nadie  lo vio.",
            "source_language": "en",
            "target_language": "es",
        },
    ),
    good=(
        {
            "text": "Who is there? he asked: nobody answered!",
            "translation": "Qui est là ? demanda-t-il : personne ne répondit !",
            "source_language": "en",
            "target_language": "fr",
        },
        {
            "text": "Use `a , b` and [this page](https://example.org/a), then smile :)",
            "translation": "Usa `a , b` y [esta página](https://example.org/a), luego sonríe :)",
            "source_language": "en",
            "target_language": "es",
        },
        {
            "text": "It was ... strange. Version .5 of Node.js costs 1,500 euros.",
            "translation": "Fue ... extraño. La versión .5 de Node.js cuesta 1.500 euros.",
            "source_language": "en",
            "target_language": "es",
        },
    ),
)
def spacing(paragraph: Paragraph) -> Iterator[Finding]:
    table = paragraph.block == "table"
    yield from told(paragraph, slips_of_spacing(source_of(paragraph), target_of(paragraph), table=table))
