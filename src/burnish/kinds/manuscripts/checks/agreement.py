"""agreement: words that do not agree, if that is certain.

What it looks for: English "a" and "an", pronouns in the wrong case ("to he show"), verbs that do not agree with
their pronoun; Spanish, French, Italian, Portuguese and German articles before nouns whose ending shows their gender or
number; Russian and Macedonian prepositions before a nominative, Russian verbs in another person than their pronoun.
Whatever depends on the rest of the sentence is left to models.
Why it matters: such slips show that a machine wrote the text.
Fix: safe for the English article; the rest needs a model or a person.
"""

from collections.abc import Iterator

from burnish.core.checks import check
from burnish.core.findings import Finding
from burnish.kinds.manuscripts.findings import slip_findings
from burnish.kinds.manuscripts.model import Paragraph, pair
from burnish.languages.grammar import KNOWN_CONCORDS, disagreeing
from burnish.text.markdown import markdown


@check(
    id="agreement",
    title="Words do not agree",
    severity="error",
    languages=KNOWN_CONCORDS,
    bad=(
        pair("es>en", "Leyó un libro a su hijo.", "She read an book to he at night."),
        pair("en>es", "The decision was good.", "El decisión fue buena."),
        pair("en>de", "Read the newspaper with him.", "Lies mit dem Zeitung."),
        pair("en>ru", "He came to us.", "Он пришёл к мы."),
    ),
    good=(
        pair(
            "es>en",
            "Una hora en la universidad, un MBA y un europeo.",
            "An hour at a university, an MBA and a European; a one-off, an honest man, a historic day.",
        ),
        pair("en>es", "The decision and the problem of the heart.", "La decisión y el problema del corazón."),
        pair(
            "en>de",
            "A house that has heating in the origin of the newspaper.",
            "Ein Haus, das Heizung hat, im Ursprung der Zeitung.",
        ),
    ),
)
def agreement(paragraph: Paragraph) -> Iterator[Finding]:
    yield from slip_findings(paragraph, disagreeing(markdown(paragraph.translation).prose, paragraph.target_language))
