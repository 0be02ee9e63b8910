"""placeholder: a placeholder that was never replaced by text.

What it looks for: instructions to the author in brackets ("[Insert example here]"), TODO and TBD at the beginning of a
text, filler such as "Lorem ipsum dolor", and fields with only dots. Inside a sentence, an instruction is an error and a
placeholder for a year, name or number ("[company name]", "{city}", "20XX", "TBD") is a warning, because learners may be
meant to fill it in. Labels of links that the lesson defines, quoted placeholders and code are not reported.
Why it matters: the lesson is not finished, and a learner sees it at once.
Fix: needs a model or an author: the text has to be written.
"""

from collections.abc import Iterator

from burnish.core.checks import check
from burnish.core.findings import Finding
from burnish.kinds.lessons.findings import facts, text_findings
from burnish.kinds.lessons.model import LessonContext, LessonUnit
from burnish.text.leftovers import placeholders

VALUES = frozenset({"nan", "none", "null", "undefined", "string"})
"""A lesson on programming may have a section with one of these titles."""


@check(
    id="placeholder",
    title="Placeholder left in",
    severity="critical",
    fatal=True,
    bad=(
        {"text": "[Insert text here]"},
        {"text": "TODO"},
        {"text": "..."},
        {"text": "Lorem ipsum dolor sit amet, consectetur adipiscing elit."},
        {"text": "Water moves in a circle.\n\n[Add an example about rivers here]\n\nRain falls."},
        {"text": "Water moves in a circle.\n\nTODO: explain why rain falls."},
        {"text": "The firm [Company Name] was founded in 20XX and has [number] wells."},
        {"text": "The well is [depth] metres deep and belongs to {owner}."},
        {"text": "El agua se mueve. [Insertar un ejemplo]", "language": "es"},
        {"text": "Вода движется. [Вставьте пример]", "language": "ru"},
    ),
    good=(
        {"text": "Write a to-do list. The word “TODO” marks what is left; `TODO` does so in code."},
        {"text": "Designers fill pages with “Lorem ipsum” until the text is written."},
        {"text": "Choose [Insert table](https://example.org/insert) from the menu, then wait ..."},
        {"text": "Your name stands in the first column, and [1] points at a note."},
        {"text": "As one of them said: “they [the authors] came in [the year] 1990.” Press [ENTER], then read [1]."},
        {"text": "The report of the World Health Organization [WHO] says so. Run `git add <file name>` first."},
        {"text": "Fill in the gap: Water turns into ____ when it is warmed."},
        {"text": "Install [pip] first, and read [the manual].\n\n[pip]: https://pip.pypa.io\n[the manual]: manual.md"},
    ),
)
def placeholder(unit: LessonUnit, context: LessonContext) -> Iterator[Finding]:
    labels = facts(context.lesson, context.language).labels
    for finding in text_findings(unit, lambda view: placeholders(view, labels), titles=True):
        if finding.field != "title" or (finding.quote or "").strip().lower() not in VALUES:
            yield finding
