"""empty_field: a part of the lesson without text.

What it looks for: an introduction, section, example, question, solution or conclusion that is empty. An empty title,
hint or rubric, an example with only code, and a Markdown heading directly above the next one are warnings. A heading
directly above one of a deeper level begins a chapter and is reported for information.
Why it matters: a learner opens a part and finds nothing.
Fix: needs an author or a model: the text has to be written.
"""

from collections.abc import Iterator
from itertools import pairwise
from typing import Literal

from burnish.core.checks import check
from burnish.core.documents import Field
from burnish.core.findings import Finding
from burnish.kinds.lessons.markdown_lesson import slug
from burnish.kinds.lessons.model import Lesson, LessonContext, LessonUnit

NAMES: dict[Field, str] = {None: "text", "grading_rubric": "grading rubric"}


@check(
    id="empty_field",
    title="Empty part",
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
def empty_field(unit: LessonUnit, context: LessonContext) -> Iterator[Finding]:
    for field, text in unit.texts().items():
        if text.strip():
            continue
        name = NAMES.get(field, field)
        optional = field == "title" or (field or "").startswith(("hints", "grading"))
        optional = optional or bool(unit.carried.get("code")) or _is_heading_above_another(unit, context.lesson)
        yield Finding.at(
            unit,
            field=field,
            message=f"The {name} of this {unit.role} is empty.",
            suggestion=f"Write the {name}, or leave this {unit.role} out.",
            severity=_heads_a_chapter(unit, context.lesson) or ("warning" if optional else "critical"),
        )


def _heads_a_chapter(unit: LessonUnit, lesson: Lesson) -> Literal["info"] | None:
    """The severity "info" if the next heading has a deeper level."""
    after = next((next_one for one, next_one in pairwise(lesson.units) if one.id == unit.id), None)
    is_above = after is not None and unit.level is not None and after.level is not None and unit.level < after.level
    return "info" if is_above else None


def _is_heading_above_another(unit: LessonUnit, lesson: Lesson) -> bool:
    """Whether the unit is a Markdown heading directly above the next one. At the end of the lesson it is not."""
    if unit.id == lesson.units[-1].id or any(other.role not in ("intro", "section") for other in lesson.units):
        return False
    return all(other.id.startswith(slug(other.title)) for other in lesson.units if other.title)
