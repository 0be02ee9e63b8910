"""empty_field: a part of the lesson without text.

What it looks for: an introduction, section, example, question, solution or conclusion that is empty. An empty title,
hint or rubric, and an example that consists of code alone, are warnings.
Why it matters: a learner opens a part and finds nothing.
Fix: needs a model or an author: the text has to be written.
"""

from collections.abc import Iterator

from burnish.core.checks import check
from burnish.core.documents import Field
from burnish.core.findings import Finding
from burnish.kinds.lessons.model import LessonUnit

NAMES: dict[Field, str] = {None: "text", "grading_rubric": "grading rubric"}


@check(
    id="empty_field",
    severity="critical",
    fatal=True,
    bad=(
        {"text": "  \n"},
        {"text": "", "role": "intro"},
        {"fields": {"question": "What is vapour?", "solution": ""}, "role": "exercise"},
        {"fields": {"title": "", None: "Water moves."}},
    ),
    good=(
        {"text": "Water moves in a circle."},
        {"fields": {"question": "What is vapour?", "solution": "Water as a gas."}, "role": "exercise"},
        {"text": "![The circle of water](circle.png)"},
    ),
)
def empty_field(unit: LessonUnit) -> Iterator[Finding]:
    for field, text in unit.texts().items():
        if text.strip():
            continue
        name = NAMES.get(field, field)
        optional = field == "title" or (field or "").startswith(("hints", "grading")) or bool(unit.carried.get("code"))
        yield Finding.at(
            unit,
            field=field,
            message=f"The {name} of this {unit.role} is empty.",
            suggestion=f"Write the {name}, or leave this {unit.role} out.",
            severity="warning" if optional else "critical",
        )
