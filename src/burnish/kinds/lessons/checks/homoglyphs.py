"""homoglyphs: letters of another alphabet that look like those of their word.

What it looks for: a Cyrillic or Greek letter inside a Latin word, or a Latin letter inside a Cyrillic word, if every
such letter has a look-alike in the alphabet of the word. Symbols after abbreviations (TNFα) and Russian endings after
Latin capitals are not reported.
Why it matters: the word looks right, but search does not find it and screen readers mispronounce it.
Fix: safe: the letter is replaced by its look-alike.
"""

from collections.abc import Iterator

from burnish.core.checks import check
from burnish.core.findings import Finding
from burnish.kinds.lessons.findings import text_findings
from burnish.kinds.lessons.model import LessonContext, LessonUnit
from burnish.languages.scripts import homoglyphs as look_alikes


@check(
    id="homoglyphs",
    title="Look-alike letters",
    severity="error",
    bad=(
        {"text": "Wаter moves in a circle between sea and sky."},
        {"text": "Water moves in а circle between sea and sky."},
        {"text": "Вoда движется по кругу.", "language": "ru"},
    ),
    good=(
        {"text": "Water moves in a circle. TNFα and β-carotene are no slips, nor is a length of 3 μm."},
        {"text": "Вода движется по кругу. API-шка, SQL и HTMLем не ошибки.", "language": "ru"},
        {"text": "Tamaziɣt d tutlayt n yimaziγen.", "language": "kab"},
    ),
)
def homoglyphs(unit: LessonUnit, context: LessonContext) -> Iterator[Finding]:
    yield from text_findings(unit, lambda view: look_alikes(view.prose, context.language), titles=True)
