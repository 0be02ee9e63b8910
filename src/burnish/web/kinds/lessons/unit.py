"""A section of a lesson on a page of its own, in the queue, and in the hands of whoever edits it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from burnish.core.documents import Field
from burnish.core.errors import InternalError
from burnish.core.kinds import UnitStory
from burnish.kinds.lessons.describing import STOPS
from burnish.kinds.lessons.kind import KIND
from burnish.kinds.lessons.model import LessonUnit
from burnish.web.diffing import FieldChange, diff_fields
from burnish.web.kinds import EditField, Editor, FocusParts, Panel, UnitParts, Words
from burnish.web.kinds.lessons.scores import exact_score
from burnish.web.kinds.lessons.sections import edit_counts, judged_score, open_words
from burnish.web.kinds.lessons.story import LessonStory, lesson_story, plain_title
from burnish.web.kinds.prose import ProseBlock, prose, without_numbers
from burnish.web.kinds.reasons import (
    foremost,
    reason_words,
    standing_attempt,
    standing_draft,
    standing_findings,
    why_it_waits,
)
from burnish.web.marking import Numbered, marked, numbered
from burnish.web.speaking import said_by
from burnish.web.wording import score

if TYPE_CHECKING:
    from burnish.app.catalogue import RunCatalogue

FIELD_WORDS = {"title": "Title", "question": "Question", "solution": "Solution", "grading_rubric": "How it is graded"}
ROWS = 12
"""How high the field of a section begins."""


@dataclass(frozen=True, slots=True)
class ReadField:
    """One text of a section, as a learner reads it."""

    field: Field
    label: str
    """Empty: the text speaks for itself."""
    blocks: tuple[ProseBlock, ...]
    hidden: bool
    """A learner sees it only on demand: a hint, the solution."""
    marked: bool
    """Something is wrong in it: then it is shown at once."""


def unit_parts(run: RunCatalogue, story: UnitStory) -> UnitParts:
    """The section as a learner reads it, and what the judges gave it."""
    unit = lesson_unit(standing_draft(run.view.kind, story))
    told = lesson_story(run, story.row.document)
    findings = numbered(unit.texts(), standing_findings(story))
    reading = Panel(
        "kinds/lessons/reading.html",
        {"fields": read_fields(unit, findings, refs=False), "lang": told.lang, "title": unit.title, "raised": ()},
        "As a learner reads it",
        id="reading",
    )
    return UnitParts(panels=(reading,), heading=section_heading(unit), lang=told.lang)


def section_heading(unit: LessonUnit) -> str:
    """What a section is called."""
    return unit.title or plain_title(unit.id)


def read_fields(unit: LessonUnit, findings: Sequence[Numbered], *, refs: bool = True) -> tuple[ReadField, ...]:
    """Every text but the title, in reading order; with `refs`, marks carry the numbers of their findings."""
    found = []
    for field, text in unit.texts().items():
        if field != "title" and text.strip():
            pieces = marked(text, field, findings) if refs else without_numbers(marked(text, field, findings))
            is_marked = any(piece.marks for piece in pieces)
            found.append(ReadField(field, _label(field), prose(text, pieces), _is_hidden(field), is_marked))
    return tuple(found)


def _label(field: Field) -> str:
    if field is None:
        return ""
    name, _, number = field.partition(".")
    if name == "hints" and number.isdecimal():
        return f"Hint {int(number) + 1}"
    return FIELD_WORDS.get(field, field)


def _is_hidden(field: Field) -> bool:
    return field is not None and field.partition(".")[0] in ("hints", "solution", "grading_rubric")


def focus_parts(run: RunCatalogue, story: UnitStory) -> FocusParts:
    """What is held against the section, in its place; and what acceptance would change in the file."""
    kind = run.view.kind
    unit = lesson_unit(standing_draft(kind, story))
    texts, findings = unit.texts(), standing_findings(story)
    worst = foremost(findings)
    told = lesson_story(run, story.row.document)
    marks = numbered(texts, findings)
    raised = [(one.mark.number, one.finding, said_by(one.finding.source)) for one in marks]
    why = why_it_waits(kind, story)
    now = Panel(
        "kinds/lessons/reading.html",
        {"fields": read_fields(unit, marks), "lang": told.lang, "title": unit.title, "raised": raised},
        "As it stands",
    )
    return FocusParts(
        reason=reason_words(worst, texts, told.lang) if worst is not None else (Words(why),),
        severity=worst.severity if worst is not None else None,
        rule=worst.rule if worst is not None else None,
        facts=tuple(_facts(story, told, why if worst is not None else None)),
        now=(now,),
        proposed=_proposed(story, unit, told),
    )


def _facts(story: UnitStory, told: LessonStory, why: str | None) -> list[str]:
    """Why the lesson is where it is, and what is open here."""
    found = [why] if why is not None else []
    if told.panels:
        found.append(_lesson_score(told))
    stands = standing_attempt(story)
    value = judged_score(stands) if stands is not None else None
    if value is not None:
        found.append(f"This section: {score(value)}")
    opened = open_words(standing_findings(story))
    return [*found, f"Open here: {opened}"] if opened else found


def _lesson_score(told: LessonStory) -> str:
    """`The lesson: .812 after 3 iterations, accept at .90`."""
    line = told.lines.accept_threshold
    value = told.score or 0.0
    rounds = len(told.refined("iteration_complete"))
    after = f" after {rounds} iteration{'s' if rounds != 1 else ''}" if rounds else ""
    stop = told.end["stopReason"] if told.end is not None else None
    why = f"; {STOPS[stop]}" if stop in STOPS and value < line else ""
    return f"The lesson: {exact_score(value)}{after}, accept at {score(line)}{why}"


def _proposed(story: UnitStory, unit: LessonUnit, told: LessonStory) -> tuple[Panel, ...]:
    """The repairs that stand, as a change of the file; nothing where it stands as it came."""
    changes = [change for change in diff_fields(story.source.texts(), unit.texts()) if change.is_changed]
    if not changes:
        return ()
    shown = [(field_words(change), change.pieces) for change in changes]
    context = {"changes": shown, "lang": told.lang, "edits": edit_counts(told).get(unit.id, 0)}
    return (Panel("kinds/lessons/changes.html", context, "What accepting it changes in the file"),)


def field_words(change: FieldChange) -> str:
    """What a field is called; empty for the main text."""
    return FIELD_WORDS.get("title", "") if change.field == "title" else _label(change.field)


def editor(story: UnitStory) -> Editor:
    """The text of the section; of an exercise, its solution."""
    unit = lesson_unit(standing_draft(KIND, story))
    field: Field = None if None in unit.fields else "solution"
    text = unit.fields.get(field, "")
    label = section_heading(unit) if field is None else f"Solution of “{unit.fields.get('question', unit.id)}”"
    return Editor([EditField("text", label, text, rows=ROWS, help=_help(field))], lambda values: values["text"])


def _help(field: Field) -> str:
    what = "The whole text of the section, in Markdown." if field is None else "The whole solution."
    return f"{what} It is checked by the same rules before it is kept."


def lesson_unit(unit: object) -> LessonUnit:
    if not isinstance(unit, LessonUnit):
        raise InternalError(f"This is no section of a lesson: {unit!r}.")
    return unit
