"""formality_mixed: the reader is addressed in two manners.

What it looks for: tú and usted, du and Sie, tu and vous, ты and Вы, ти and Вие, tu and Lei in one paragraph; or a
familiar address where the source is polite, or the other way round. In one sentence outside of speech it is an error,
elsewhere a warning, because several people may be addressed. A source that mixes them too is left alone.
Why it matters: a text that changes from friend to stranger and back sounds like two authors.
Fix: needs a model or a person: the verbs have to follow.
"""

from collections.abc import Iterator

from burnish.core.checks import check
from burnish.core.findings import Finding
from burnish.kinds.manuscripts.model import Paragraph
from burnish.kinds.manuscripts.telling import told
from burnish.kinds.manuscripts.voice.address import JUDGED, misaddressed
from burnish.text.markdown import markdown


@check(
    id="formality_mixed",
    severity="error",
    languages=JUDGED,
    bad=(
        {
            "text": "You can take your lamp with you.",
            "translation": "Du kannst Ihre Lampe mitnehmen.",
            "source_language": "en",
            "target_language": "de",
        },
        {
            "text": "Close the door. The lamp is yours.",
            "translation": "Cierra la puerta, que es para ti. La lámpara es de usted.",
            "source_language": "en",
            "target_language": "es",
        },
        {
            "text": "Du kannst deine Lampe mitnehmen.",
            "translation": "Vous pouvez prendre votre lampe.",
            "source_language": "de",
            "target_language": "fr",
        },
    ),
    good=(
        {
            "text": "You can take your lamp. They took their lamp.",
            "translation": "Du kannst deine Lampe mitnehmen. Sie nahmen ihre Lampe.",
            "source_language": "en",
            "target_language": "de",
        },
        {
            "text": "You can take your lamp.",
            "translation": "Usted puede llevarse su lámpara.",
            "source_language": "en",
            "target_language": "es",
        },
    ),
)
def formality_mixed(paragraph: Paragraph) -> Iterator[Finding]:
    source, translation = markdown(paragraph.text), markdown(paragraph.translation)
    languages = (paragraph.source_language, paragraph.target_language)
    yield from told(paragraph, misaddressed(translation, source, languages))
