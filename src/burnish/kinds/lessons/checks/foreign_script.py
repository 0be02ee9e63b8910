"""foreign_script: letters of another script than that of the lesson's language.

What it looks for: letters of other scripts in prose. Quoted or bracketed words, names followed by their own spelling,
Greek letters as symbols, letters that the sentence is about, whole words of a script that the lesson is about, Latin
terms in any language, tables, block quotes, code and formulas are allowed. One to three letters are an error; more are
a warning; a text that is full of them is reported by wrong_language.
Why it matters: stray letters are a slip of the model that wrote the text, and they confuse learners.
Fix: safe for one to three Chinese, Japanese or Korean letters: they are removed with the space next to them. A letter
of another alphabet may replace a missing one, and needs an author.
"""

from collections.abc import Iterator

from burnish.core.checks import check
from burnish.core.findings import Finding
from burnish.kinds.lessons.findings import facts, text_findings
from burnish.kinds.lessons.model import LessonContext, LessonUnit
from burnish.text.foreign_letters import stray_letters


@check(
    id="foreign_script",
    title="Letters of another script",
    severity="error",
    bad=(
        {"text": "Water moves in a 的 circle between sea and sky."},
        {"text": "Water moves in a ciДrcle between sea and sky."},
        {"text": "Вода 的 движется по кругу между морем и небом.", "language": "ru"},
        {"text": "Water 水在大海之间 moves in a circle between sea and sky."},
    ),
    good=(
        {"text": "The sign “水” means water, and π is 3.14. A wavelength is λ, a resistance 5 Ω, a length 3 μm."},
        {"text": "Logos (λόγος) is a word. Tolstoy (Лев Толстой) wrote about war and peace."},
        {"text": "Откройте React и вызовите API: var x = 1.", "language": "ru"},
        {"text": "The letter Д is written like a small house."},
        {"text": "The value is `水`, and $水$ is a formula."},
        {"text": "This lesson reads Greek prose.\n\nThe first lines begin with καὶ εἶπεν and end with λόγος so far."},
    ),
)
def foreign_script(unit: LessonUnit, context: LessonContext) -> Iterator[Finding]:
    document = facts(context.lesson, context.language).text
    yield from text_findings(unit, lambda view: stray_letters(view, context.language, document=document), titles=True)
