"""All rules on one unit of a lesson, and once on the lesson as a whole; ignores are honoured and counted."""

from __future__ import annotations

import re
from collections.abc import Iterable

from burnish.core.checks import Check, Examination, Selection, run_checks
from burnish.core.findings import Finding
from burnish.kinds.lessons.model import LessonContext, LessonUnit, WholeLesson

IGNORE = re.compile(r"<!--\s*burnish-ignore\s*:\s*([\w\s,-]{1,500}?)\s*-->")
"""How an author passes over rules inside a Markdown text."""


def ignored_rules(unit: LessonUnit) -> frozenset[str]:
    """The rules that the author asks to pass over in this unit."""
    declared = unit.carried.get("burnish_ignore", ())
    named = [rule for rule in declared if isinstance(rule, str)] if isinstance(declared, list) else []
    for text in unit.texts().values():
        for match in IGNORE.finditer(text):
            named += re.split(r"[\s,]+", match[1])
    return frozenset(named)


def examine(unit: LessonUnit, selection: Selection, context: LessonContext) -> Examination:
    """Every finding of the selected rules on one unit. With the last unit, those about the whole lesson are told."""
    checks, skipped = selection.for_language(context.language)
    found = run_checks(selection, _of_scope(checks, "unit"), unit, context)
    ignores = ignored_rules(unit)
    is_last = unit.id == context.lesson.units[-1].id
    return Examination(
        tuple(finding for finding in found if finding.rule not in ignores),
        tuple(finding for finding in found if finding.rule in ignores),
        skipped,
        len(checks),
        language=context.language,
        of_document=examine_whole(selection, context) if is_last else (),
    )


def examine_whole(selection: Selection, context: LessonContext) -> tuple[Finding, ...]:
    """Every finding about the lesson as a whole; what the author passes over anywhere is passed over here."""
    checks, _ = selection.for_language(context.language)
    ignores = {rule for unit in context.lesson.units for rule in ignored_rules(unit)}
    found = run_checks(selection, _of_scope(checks, "document"), WholeLesson(context.lesson), context)
    return tuple(finding for finding in found if finding.rule not in ignores)


def _of_scope(checks: Iterable[Check], scope: str) -> list[Check]:
    return [check for check in checks if check.scope == scope]
