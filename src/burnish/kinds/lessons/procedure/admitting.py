"""What no model may bring into a unit, whatever else its text is worth.

A rule switched off, an address or a tag that nobody put there, and what the lesson's file cannot hold. It is refused
where it is offered, so that it is asked for once more: when the file is written it would be too late.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice

from burnish.core.edits import changed_fields, new_controls
from burnish.core.protected import outward_parts
from burnish.kinds.lessons.headings import headings
from burnish.kinds.lessons.model import Lesson, LessonUnit, Passage
from burnish.kinds.lessons.validation import ignored_rules

EXPLANATIONS = {
    "adds_ignore": "it switches a rule off",
    "adds_heading": "it adds a heading that would begin another section",
    "brings_in": "it brings in an address, a comment or an HTML tag that was not there",
}

MOST_HEADINGS = 2_000
"""Headings of a unit that are looked at."""


def inadmissible(before: LessonUnit, after: LessonUnit, lesson: Lesson, passages: Iterable[Passage]) -> str | None:
    """Why a model's text may not take the place of a unit, with the reason's name first; None where it may."""
    if ignored_rules(after) - ignored_rules(before):
        return "adds_ignore: only who hands a lesson in may pass over a rule"
    for field in changed_fields(before, after):
        old, new = before.texts()[field], after.texts()[field]
        if new_controls(old, new):
            return "control_character: no text holds such a character"
        if _opening(new, lesson) > _opening(old, lesson) or (field == "title" and "\n" in new):
            return "adds_heading: the lesson would fall into other sections"
        brought = outward_parts(new) - outward_parts(old)
        if brought and brought - _known(before, passages):
            return "brings_in: neither the unit nor the source has it"
    return None


def _opening(text: str, lesson: Lesson) -> int:
    """How many headings begin a section of the lesson's file."""
    if not lesson.heading_level:
        return 0
    return sum(heading.level <= lesson.heading_level for heading in islice(headings(text), MOST_HEADINGS))


def _known(unit: LessonUnit, passages: Iterable[Passage]) -> set[str]:
    """What stands somewhere else in the unit, or in the source."""
    texts = (*unit.texts().values(), *(passage.text for passage in passages))
    return {part for text in texts for part in outward_parts(text)}
