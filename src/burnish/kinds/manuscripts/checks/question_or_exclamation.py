"""question_or_exclamation: a statement that became a question, or the other way round.

What it looks for: question marks in one of the two texts and none in the other; exclamation marks likewise, as a
warning, because languages use them with a different temper. Questions that Japanese and Chinese write without a mark,
statements that ask ("I wonder ...") and languages with other marks are left alone.
Why it matters: who asks what the author states says something else.
Fix: needs a model or a person: the sentence has to be built anew.
"""

from collections.abc import Iterator

from burnish.core.checks import check
from burnish.core.findings import Finding
from burnish.kinds.manuscripts.model import Paragraph
from burnish.kinds.manuscripts.telling import told
from burnish.kinds.manuscripts.voice.questions import changed
from burnish.text.markdown import markdown


@check(
    id="question_or_exclamation",
    severity="error",
    bad=(
        {
            "text": "La lámpara está encendida.",
            "translation": "Is the lamp lit?",
            "source_language": "es",
            "target_language": "en",
        },
        {
            "text": "Where is the lamp? It was here.",
            "translation": "La lámpara está aquí. Estaba aquí.",
            "source_language": "en",
            "target_language": "es",
        },
        {
            "text": "The lamp is lit.",
            "translation": "¡La lámpara está encendida!",
            "source_language": "en",
            "target_language": "es",
        },
    ),
    good=(
        {
            "text": "“Where?” he asked. “Here!”",
            "translation": "«¿Dónde?», preguntó. «¡Aquí!»",
            "source_language": "en",
            "target_language": "es",
        },
        {
            "text": "ランプはどこですか。",
            "translation": "Where is the lamp?",
            "source_language": "ja",
            "target_language": "en",
        },
        {
            "text": "See [the page](https://example.org/?a=b).",
            "translation": "Véase [la página](https://example.org/?a=b).",
            "source_language": "en",
            "target_language": "es",
        },
    ),
)
def question_or_exclamation(paragraph: Paragraph) -> Iterator[Finding]:
    source, translation = markdown(paragraph.text), markdown(paragraph.translation)
    languages = (paragraph.source_language, paragraph.target_language)
    yield from told(paragraph, changed(translation, source, languages) if paragraph.translation.strip() else ())
