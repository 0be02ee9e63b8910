"""stray_mark: a punctuation mark in the middle of a sentence that goes on.

What it looks for: a hyphen, an underscore, a caret or another mark that hangs on a word before a blank; two marks that
never stand together; a full stop, a question or an exclamation mark before a small letter; an English apostrophe that
makes no genitive. What the source writes in the same manner, abbreviations, short- and long-term hyphens, code and
emphasis are left alone.
Why it matters: it breaks the sentence, and it is what a slip of the keyboard leaves behind.
Fix: safe: the mark goes, the words stay.
"""

from collections.abc import Iterator

from burnish.core.checks import check
from burnish.core.findings import Finding
from burnish.kinds.manuscripts.grammar.marks import stray
from burnish.kinds.manuscripts.grammar.telling import told
from burnish.kinds.manuscripts.model import Paragraph
from burnish.kinds.text.markdown import markdown


@check(
    id="stray_mark",
    severity="error",
    bad=(
        {
            "text": "El agua de la fuente está fría.",
            "translation": "The water^ of the well is- cold.",
            "source_language": "es",
            "target_language": "en",
        },
        {
            "text": "The water of the well is cold.",
            "translation": "El agua de la. fuente,; está fría.",
            "source_language": "en",
            "target_language": "es",
        },
        {
            "text": "Das Wasser des Brunnens ist kalt.",
            "translation": "The water in' the well! is cold.",
            "source_language": "de",
            "target_language": "en",
        },
    ),
    good=(
        {
            "text": "Short- and long-term plans, etc. are made by the companies' heads.",
            "translation": "Kurz- und langfristige Pläne usw. werden von den Leitern der Firmen gemacht.",
            "source_language": "en",
            "target_language": "de",
        },
        {
            "text": "“Where?” he asked. Run `a_ b` or *this*.",
            "translation": "«¿Dónde?» preguntó él. Ejecuta `a_ b` o _esto_ mismo.",
            "source_language": "en",
            "target_language": "es",
        },
        {
            "text": "Las empresas de los hermanos cerraron a las 5 p. m. de ayer.",
            "translation": "The brothers' companies closed at 5 p.m. yesterday, approx. an hour late.",
            "source_language": "es",
            "target_language": "en",
        },
    ),
)
def stray_mark(paragraph: Paragraph) -> Iterator[Finding]:
    source, translation = markdown(paragraph.text), markdown(paragraph.translation)
    yield from told(paragraph, stray(translation, source, paragraph.target_language))
