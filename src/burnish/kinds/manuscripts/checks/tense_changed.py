"""tense_changed: the translation plays in another time than the source.

What it looks for: verbs whose form leaves no doubt about their tense. A translation in the future of a source that is
wholly in the past, or the other way round (an error under the profile `strict`), or in the present of such a source.
Forms that may stand for several times (perfects, conditionals, narrative presents, reported speech) excuse.
Why it matters: what has happened is told as if it were still to come.
Fix: needs a model or a person: the verbs have to be put into their tense.
"""

from collections.abc import Iterator

from burnish.core.checks import check
from burnish.core.findings import Finding
from burnish.kinds.manuscripts.model import Paragraph
from burnish.kinds.manuscripts.telling import told
from burnish.kinds.manuscripts.voice.tenses import JUDGED, changed_times
from burnish.text.markdown import markdown


@check(
    id="tense_changed",
    severity="warning",
    languages=JUDGED,
    bad=(
        {
            "text": "The lamp was old.",
            "translation": "La lámpara será antigua.",
            "source_language": "en",
            "target_language": "es",
        },
        {
            "text": "Die Lampe war alt.",
            "translation": "The lamp will be old.",
            "source_language": "de",
            "target_language": "en",
        },
    ),
    good=(
        {
            "text": "Die Lampe ist gefallen.",
            "translation": "The lamp fell.",
            "source_language": "de",
            "target_language": "en",
        },
        {
            "text": "Mañana voy al río.",
            "translation": "Tomorrow I will go to the river.",
            "source_language": "es",
            "target_language": "en",
        },
    ),
)
def tense_changed(paragraph: Paragraph) -> Iterator[Finding]:
    source, translation = markdown(paragraph.text), markdown(paragraph.translation)
    languages = (paragraph.source_language, paragraph.target_language)
    yield from told(paragraph, changed_times(translation, source, languages))
