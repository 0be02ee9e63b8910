"""duplicate_paragraph: a paragraph that stands twice in the lesson.

What it looks for: paragraphs of at least fifteen words with the same words in the same order, anywhere in the lesson.
Code, lists, tables and block quotes are left out.
Why it matters: the model repeated itself, or an edit was pasted twice.
Fix: needs an author, who knows which of the two is in its place.
"""

from collections.abc import Iterator
from itertools import islice

from burnish.core.checks import check
from burnish.core.findings import Finding
from burnish.kinds.lessons.model import WholeLesson
from burnish.languages.slips import MOST_SLIPS
from burnish.text.layout import repeats
from burnish.text.markdown import markdown

TWICE = "Water moves in a circle: the sun warms the sea, vapour rises into the air, and rain falls back."


@check(
    id="duplicate_paragraph",
    severity="warning",
    scope="document",
    bad=(
        {"text": f"{TWICE}\n\nRivers run.\n\n{TWICE}"},
        {"text": TWICE, "units": [{"text": f"Rivers run.\n\n{TWICE.replace('circle', '*circle*')}"}]},
    ),
    good=(
        {"text": f"{TWICE}\n\nRivers run.\n\n{TWICE.replace('rain', 'snow')}"},
        {"text": "Try it yourself.\n\nRivers run.\n\nTry it yourself."},
        {"text": f"{TWICE}\n\n> {TWICE}"},
    ),
)
def duplicate_paragraph(whole: WholeLesson) -> Iterator[Finding]:
    texts = {(unit.id, field): text for unit in whole.lesson.units for field, text in unit.texts().items() if text}
    views = ((key, markdown(text)) for key, text in texts.items())
    for repeat in islice(repeats(views), MOST_SLIPS):
        unit, field = repeat.name
        yield Finding.at(
            whole.lesson.unit(unit),
            field=field,
            span=(repeat.start, repeat.end),
            message=f"This paragraph stands in {repeat.first_name[0]} already.",
            suggestion="Keep the one that is in its place, and take the other away.",
            severity="warning",
            source="document",
        )
