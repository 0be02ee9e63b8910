"""objective_coverage: a learning objective that the lesson never touches.

What it looks for: an objective of the specification whose own words, or kin of them, occur nowhere in the lesson.
Why it matters: the lesson has to teach what the specification asks for.
Fix: needs an author or a model, because the missing matter has to be written. Whether an objective is taught well is a
question for judges; this rule only sees that it is not there at all.
"""

from __future__ import annotations

from collections.abc import Iterator

from burnish.core.checks import check
from burnish.core.findings import Finding
from burnish.kinds.lessons.materials import terms
from burnish.kinds.lessons.model import LessonContext, WholeLesson
from burnish.languages.detection import language_of
from burnish.languages.words import stem, word_set

ASKING = frozenset(
    map(
        stem,
        word_set(
            """
            understand explain describe identify define apply analyse analyze evaluate create use know learn recognise
            recognize compare list name recall demonstrate able learner student lesson course topic concept basic
            fundamental key important main different various learners students using write solve calculate interpret
            distinguish discuss summarise summarize classify outline illustrate implement develop design build choose
            comprender explicar describir identificar definir aplicar analizar evaluar crear usar conocer aprender
            reconocer comparar estudiante alumno lección concepto básico principales
            """
        ),
    )
)
"""Stems that say what a learner does with the matter, not what the matter is."""
COVERED = 0.34
"""Share of an objective's own words that must occur somewhere."""
ALIKE = 5
"""Letters at the beginning that two long words of one family share: "photosynthesis" and "photosynthetic"."""


@check(
    id="objective_coverage",
    title="Objective not covered",
    severity="warning",
    scope="document",
    bad=(
        {"spec": {"learning_objectives": ["Explain how volcanoes erupt", "Describe the circle of water"]}},
        {"spec": {"learning_objectives": [{"id": "LO9", "text": "Describe cellular respiration in mitochondria"}]}},
    ),
    good=(
        {"spec": {"learning_objectives": ["Describe the circle of water", "Explain how clouds and rain arise"]}},
        {"spec": {"learning_objectives": ["Understand the key concepts"]}},
        {},
    ),
)
def objective_coverage(whole: WholeLesson, context: LessonContext) -> Iterator[Finding]:
    if context.spec is None or not _same_language(context):
        return
    said = {word for unit in whole.lesson.units for text in unit.texts().values() for word in terms(text)}
    beginnings = {word[:ALIKE] for word in said if len(word) > ALIKE}
    for objective in context.spec.learning_objectives:
        own = {word for word in terms(objective.text) if word not in ASKING and not word[0].isdigit()}
        covered = sum(word in said or (len(word) > ALIKE and word[:ALIKE] in beginnings) for word in own)
        if own and covered < COVERED * len(own):
            yield Finding.at(
                whole,
                field=None,
                message=f"The lesson does not cover the objective {objective.id}: {objective.text!r}.",
                suggestion="Add what the objective asks for, or remove it from the specification.",
            )


def _same_language(context: LessonContext) -> bool:
    """Words can be compared only where objectives and lesson are in one language."""
    objectives = " ".join(objective.text for objective in context.spec.learning_objectives) if context.spec else ""
    return language_of(objectives) in (None, context.language)
