"""stray_punctuation: a mark inside a sentence where none belongs.

What it looks for: signs that are no punctuation hanging on a word, two marks that exclude each other, a hyphen without
the second half of its word, a full stop or a question mark before a small letter, a colon or a comma between an article
and its noun, an apostrophe that stands for nothing. What the source has in the same manner is passed over.
Why it matters: it makes a reader stop and look for a meaning that is not there.
Fix: safe for signs and apostrophes, which are taken away; else a translator decides whether the mark or its place is
wrong.
"""

from collections.abc import Iterator

from burnish.core.checks import check
from burnish.core.findings import Finding
from burnish.kinds.manuscripts.model import Paragraph
from burnish.kinds.manuscripts.telling import told
from burnish.kinds.manuscripts.wording.sides import source_of, target_of
from burnish.kinds.manuscripts.wording.strays import strays

_SOURCE = {"text": "Der Nebel hing über dem Tal, und niemand kam.", "source_language": "de", "target_language": "en"}


@check(
    id="stray_punctuation",
    severity="error",
    bad=(
        {**_SOURCE, "translation": "The fog hung_ over the valley, and nobody came."},
        {**_SOURCE, "translation": "The fog hung over the valley,. and nobody came."},
        {**_SOURCE, "translation": "The fog hung over- the valley, and nobody came."},
        {**_SOURCE, "translation": "The fog hung? over the valley, and nobody came."},
        {**_SOURCE, "translation": "The fog hung over the: valley, and nobody came."},
        {**_SOURCE, "translation": "The fog hung over' the valley, and nobody came."},
        {
            "text": "The fog hung over the valley.",
            "translation": "La niebla colgaba. sobre el valle.",
            "source_language": "en",
            "target_language": "es",
        },
    ),
    good=(
        {
            **_SOURCE,
            "translation": "The _fog_ hung over the two- and three-storey houses, and the soldiers' wives came.",
        },
        {**_SOURCE, "translation": "It weighed approx. ten tons, etc. and so on. “Who?” he asked. Runnin' is fun."},
        {
            "text": "Ein- und Ausgang: Wer? fragte er, usw. und ging.",
            "translation": "Entrance and exit: who? he asked, etc. and left.",
            "source_language": "de",
            "target_language": "en",
        },
        {
            "text": "The articles are el, la, los, las.",
            "translation": "Los artículos son el, la, los, las.",
            "source_language": "en",
            "target_language": "es",
        },
    ),
)
def stray_punctuation(paragraph: Paragraph) -> Iterator[Finding]:
    yield from told(paragraph, strays(source_of(paragraph), target_of(paragraph)))
