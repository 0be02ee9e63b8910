"""Slips of a text told as findings of a lesson's unit."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from burnish.core.documents import Field
from burnish.core.edits import Edit
from burnish.core.findings import Finding
from burnish.kinds.lessons.model import LessonUnit
from burnish.languages.slips import Slip, at_most, exchange
from burnish.text.markdown import Markdown, markdown

Look = Callable[[Markdown], Iterable[Slip]]
"""What looks at one text."""


def told(unit: LessonUnit, look: Look, *, titles: bool = False) -> Iterator[Finding]:
    """The findings of one look at every text of the unit; at titles only where it is asked for."""
    for field, text in unit.texts().items():
        if text and (titles or field != "title"):
            yield from told_of(unit, field, look(markdown(text)))


def told_of(unit: LessonUnit, field: Field, slips: Iterable[Slip]) -> Iterator[Finding]:
    """The findings of one field."""
    for slip in at_most(slips):
        yield Finding.at(
            unit,
            field=field,
            span=(slip.start, slip.end) if slip.end > slip.start else None,
            message=slip.message,
            suggestion=slip.suggestion,
            fix=_fix(unit, field, slip),
            severity=slip.severity,
        )


def _fix(unit: LessonUnit, field: Field, slip: Slip) -> Edit | None:
    if slip.replacement is None:
        return None
    exchanged = exchange(unit.texts()[field], slip.start, slip.end, slip.replacement)
    return Edit(unit.id, field, *exchanged) if exchanged is not None else None
