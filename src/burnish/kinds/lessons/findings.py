"""What checks of lessons share: slips of a text as findings, and facts about the whole lesson."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cached_property

from burnish.core.documents import Field
from burnish.core.edits import Edit
from burnish.core.findings import Finding
from burnish.kinds.lessons.model import Lesson, LessonUnit
from burnish.languages.slips import Slip, at_most, exchange
from burnish.languages.words import word_list
from burnish.text.links import labels
from burnish.text.markdown import Markdown, markdown
from burnish.text.truncation import ending

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


class LessonFacts:
    """Facts about one lesson. Each is gathered when it is first asked for."""

    def __init__(self, lesson: Lesson, language: str) -> None:
        self.lesson = lesson
        self.language = language

    @cached_property
    def labels(self) -> frozenset[str]:
        """Labels of links and footnotes that the lesson defines anywhere."""
        return frozenset().union(
            *(labels(markdown(text)) for unit in self.lesson.units for text in unit.texts().values())
        )

    @cached_property
    def last_unit(self) -> str:
        """The unit after which nothing follows."""
        return self.lesson.units[-1].id

    @cached_property
    def unclosed(self) -> frozenset[str]:
        """Units of running text whose last sentence is not plainly closed: with a list, code, a missing full stop."""
        return frozenset(unit.id for unit in self.lesson.sections if not self._is_closed(unit))

    def _is_closed(self, unit: LessonUnit) -> bool:
        view = markdown(unit.text)
        if not view.blocks or view.blocks[-1].kind != "paragraph":
            return False
        return ending(view, self.language, final=False).certainty == "whole"

    @cached_property
    def words(self) -> frozenset[str]:
        """Every word of the lesson but the last one, in lower case."""
        *before, last = self.lesson.units
        prose = [markdown(unit.text).prose for unit in before]
        final = markdown(last.text).prose.rstrip()
        prose.append(final[: max(final.rfind(" "), final.rfind("\n"), 0)])
        return frozenset(word for text in prose for word in word_list(text))


_latest: LessonFacts | None = None


def facts(lesson: Lesson, language: str) -> LessonFacts:
    """The facts of a lesson. Those of the lesson looked at last are kept: checks come unit by unit."""
    global _latest
    if _latest is None or _latest.lesson is not lesson or _latest.language != language:
        _latest = LessonFacts(lesson, language)
    return _latest
