"""agreement: words that do not go together, where that is certain.

What it looks for: English "a" and "an", pronouns in the wrong case ("to he show"), verbs that do not follow their
pronoun; Spanish, French, Italian, Portuguese and German articles before nouns whose ending tells their gender or
number; Russian and Macedonian prepositions before a nominative, Russian verbs in another person than their pronoun.
Everything that depends on the rest of the sentence is left to the model.
Why it matters: a reader takes a text with such slips for a machine's.
Fix: safe for the English article; the rest needs a model or a person.
"""

from collections.abc import Iterator

from burnish.core.checks import check
from burnish.core.findings import Finding
from burnish.kinds.manuscripts.findings import told
from burnish.kinds.manuscripts.model import Paragraph
from burnish.languages.grammar import KNOWN_CONCORDS, disagreeing
from burnish.text.markdown import markdown


@check(
    id="agreement",
    severity="error",
    languages=KNOWN_CONCORDS,
    bad=(
        {
            "text": "Leyó un libro a su hijo.",
            "translation": "She read an book to he at night.",
            "source_language": "es",
            "target_language": "en",
        },
        {
            "text": "The decision was good.",
            "translation": "El decisión fue buena.",
            "source_language": "en",
            "target_language": "es",
        },
        {
            "text": "Read the newspaper with him.",
            "translation": "Lies mit dem Zeitung.",
            "source_language": "en",
            "target_language": "de",
        },
        {
            "text": "He came to us.",
            "translation": "Он пришёл к мы.",
            "source_language": "en",
            "target_language": "ru",
        },
    ),
    good=(
        {
            "text": "Una hora en la universidad, un MBA y un europeo.",
            "translation": "An hour at a university, an MBA and a European; a one-off, an honest man, a historic day.",
            "source_language": "es",
            "target_language": "en",
        },
        {
            "text": "The decision and the problem of the heart.",
            "translation": "La decisión y el problema del corazón.",
            "source_language": "en",
            "target_language": "es",
        },
        {
            "text": "A house that has heating in the origin of the newspaper.",
            "translation": "Ein Haus, das Heizung hat, im Ursprung der Zeitung.",
            "source_language": "en",
            "target_language": "de",
        },
    ),
)
def agreement(paragraph: Paragraph) -> Iterator[Finding]:
    yield from told(paragraph, disagreeing(markdown(paragraph.translation).prose, paragraph.target_language))
