"""person_changed: another person speaks, is spoken to or is spoken of than in the source.

What it looks for: a text whose only subject pronoun is I, we or you, and a translation whose only one is another of
them; a source that speaks of him and a translation that speaks of her, or the other way round. It stays silent where a
verb's ending or any other word may stand for the person, because many languages leave the pronoun out. Between
languages that always write it a changed "I" is an error, elsewhere a warning.
Why it matters: the reader is told somebody else's story.
Fix: needs a model or a person: the verbs have to follow.
"""

from collections.abc import Iterator

from burnish.core.checks import check
from burnish.core.findings import Finding
from burnish.kinds.manuscripts.model import Paragraph
from burnish.kinds.manuscripts.telling import told
from burnish.kinds.manuscripts.voice.persons import JUDGED, changed_persons
from burnish.text.markdown import markdown


@check(
    id="person_changed",
    severity="error",
    languages=JUDGED,
    bad=(
        {
            "text": "Als Kind spielte er am Fluss.",
            "translation": "As a child she played by the river.",
            "source_language": "de",
            "target_language": "en",
        },
        {
            "text": "Gestern ging ich zum Fluss.",
            "translation": "Yesterday you went to the river.",
            "source_language": "de",
            "target_language": "en",
        },
        {
            "text": "Nous sommes partis tôt.",
            "translation": "You left early.",
            "source_language": "fr",
            "target_language": "en",
        },
    ),
    good=(
        {
            "text": "Ayer fui al río con mi hermana.",
            "translation": "Yesterday I went to the river with my sister.",
            "source_language": "es",
            "target_language": "en",
        },
        {
            "text": "Die Lampe war alt; sie fiel um.",
            "translation": "The lamp was old; it fell over.",
            "source_language": "de",
            "target_language": "en",
        },
        {
            "text": "He told her that he would come.",
            "translation": "Он сказал ей, что придёт.",
            "source_language": "en",
            "target_language": "ru",
        },
    ),
)
def person_changed(paragraph: Paragraph) -> Iterator[Finding]:
    source, translation = markdown(paragraph.text), markdown(paragraph.translation)
    languages = (paragraph.source_language, paragraph.target_language)
    yield from told(paragraph, changed_persons(translation, source, languages))
