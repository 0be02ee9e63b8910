"""required_parts: a part that every lesson needs is missing.

What it looks for: a lesson without sections, a lesson without an introduction, and parts that the specification
requires (`required_parts`) but the lesson does not have. A page without headings is a lesson with one section.
Why it matters: learners need to know what the lesson is about, and expect the parts that were announced.
Fix: needs an author or a model: the missing part has to be written.
"""

from __future__ import annotations

from collections.abc import Iterator

from burnish.core.checks import check
from burnish.core.findings import Finding, Severity
from burnish.kinds.lessons.model import Lesson, LessonContext, LessonUnit, WholeLesson
from burnish.languages.words import word_list, word_set

OPENINGS = word_set(
    """
    introduction intro overview goals goal objectives objective aims aim background welcome purpose scope about why what
    before begin getting start started prerequisites requirements assumptions summary learn learning lesson context
    introducción objetivos objetivo requisitos contexto presentación resumen antes empezar por qué
    einführung einleitung ziele überblick lernziele introdução objectifs aperçu contexte введение цели обзор
    visão pré-requisitos prérequis présentation apresentação avant vue
    """
)
"""Words in headings of a first section that serves as introduction."""

ROLES = {
    "intro": "introduction",
    "sections": "sections",
    "examples": "examples",
    "exercises": "exercises",
    "conclusion": "conclusion",
}
CLOSINGS = word_set(
    """
    conclusion conclusions concluding summary recap closing wrap takeaways conclusión conclusiones resumen fazit
    zusammenfassung schluss conclusão заключение выводы
    """
)
LONGEST_OPENING = 400
"""Most words of a first section that serves as introduction whatever its heading."""


@check(
    id="required_parts",
    title="Missing part",
    severity="error",
    scope="document",
    bad=(
        {"units": ({"role": "exercise"},)},
        {"units": ({"title": "Vapour", "text": "Vapour rises. " * 300}, {"title": "Rain"})},
        {"units": ({"role": "intro"}, {"title": "Vapour"}), "spec": {"extra": {"required_parts": ["exercises"]}}},
    ),
    good=(
        {"units": ({"role": "intro", "text": "This lesson is about water."}, {"title": "Vapour"})},
        {"units": ({"role": "intro", "text": "Water moves in a circle. The sun warms the sea, and rain falls."},)},
        {"units": ({"title": "Lesson goals"}, {"title": "Vapour"})},
        {"units": ({"title": "Visão geral", "text": "A água sobe e desce. " * 300}, {"title": "Vapor"})},
        {"units": ({"role": "intro"}, {"title": "Rain"}, {"role": "exercise"}), "spec": {"extra": {}}},
    ),
)
def required_parts(whole: WholeLesson, context: LessonContext) -> Iterator[Finding]:
    lesson = whole.lesson
    if not any(unit.role in ("intro", "section") and unit.words for unit in lesson.units):
        yield _missing(whole, "The lesson has no sections.", "Write the text that teaches.")
    elif not _is_opened(lesson):
        message = "The lesson begins without an introduction."
        yield _missing(whole, message, "Say at the beginning what it is about and what a learner will gain.", soft=True)
    ordered = context.spec.extra.get("required_parts") if context.spec else None
    for part in ordered if isinstance(ordered, list) else ():
        if part in ROLES and part not in ("sections", "intro") and not _has(lesson, str(part)):
            message = f"The lesson has no {ROLES[part]}, which the specification asks for."
            yield _missing(whole, message, "Write what is missing.")


def _missing(whole: WholeLesson, message: str, suggestion: str, *, soft: bool = False) -> Finding:
    severity: Severity = "warning" if soft else "error"
    return Finding.at(whole, field=None, message=message, suggestion=suggestion, severity=severity)


def _is_opened(lesson: Lesson) -> bool:
    first = lesson.units[0]
    return first.role == "intro" or _titled(first, OPENINGS) or first.words <= LONGEST_OPENING


def _titled(unit: LessonUnit, words: frozenset[str]) -> bool:
    return not words.isdisjoint(word_list(unit.title or ""))


def _has(lesson: Lesson, part: str) -> bool:
    role = part.removesuffix("s")
    if any(unit.role == role for unit in lesson.units):
        return True
    return part == "conclusion" and any(_titled(unit, CLOSINGS) for unit in lesson.units[-3:])
