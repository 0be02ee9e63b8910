"""objective_coverage: a learning objective that the lesson does not cover.

What it looks for: an objective of the specification whose topic words, or related ones, hardly occur in the lesson.
Why it matters: the lesson has to teach what the specification asks for.
Fix: needs an author or a model: the missing content has to be written. Judges decide how well an objective is taught;
this rule only finds objectives that are missing.
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
"""Stems of words for what a learner does, not for the topic."""
COVERED = 0.34
"""Share of the topic words of an objective that must occur in the lesson."""
ALIKE = 5
"""First letters that two related words share: "photosynthesis" and "photosynthetic"."""


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
    taught = {word for unit in whole.lesson.units for text in unit.texts().values() for word in terms(text)}
    beginnings = {word[:ALIKE] for word in taught if len(word) > ALIKE}
    for objective in context.spec.learning_objectives:
        own = {word for word in terms(objective.text) if word not in ASKING and not word[0].isdigit()}
        covered = sum(word in taught or (len(word) > ALIKE and word[:ALIKE] in beginnings) for word in own)
        if own and covered < COVERED * len(own):
            yield Finding.at(
                whole,
                field=None,
                message=f"The lesson does not cover the objective {objective.id}: {objective.text!r}.",
                suggestion="Add what the objective asks for, or remove it from the specification.",
            )


def _same_language(context: LessonContext) -> bool:
    """Whether objectives and lesson are in the same language, so that their words can be compared."""
    objectives = " ".join(objective.text for objective in context.spec.learning_objectives) if context.spec else ""
    return language_of(objectives) in (None, context.language)
