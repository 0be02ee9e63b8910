"""All rules on one unit of a lesson, and once on the lesson as a whole; ignores are honoured and counted."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from burnish.core.checks import Check, Examination, Selection, run_checks
from burnish.core.findings import Finding
from burnish.kinds.lessons.ignores import ignored_everywhere, ignored_rules
from burnish.kinds.lessons.model import LessonContext, LessonUnit, WholeLesson

Findings = tuple[Finding, ...]


def examine(unit: LessonUnit, selection: Selection, context: LessonContext) -> Examination:
    """Every finding of the selected rules on one unit. With the last unit, those about the whole lesson are told."""
    checks, skipped = selection.for_language(context.language)
    found = run_checks(selection, _of_scope(checks, "unit"), unit, context)
    kept, ignored = _heeded(found, ignored_rules(unit) | ignored_everywhere(context.lesson))
    is_last = unit.id == context.lesson.units[-1].id
    of_document, ignored_there = examine_whole(selection, context) if is_last else ((), ())
    return Examination(
        kept,
        (*ignored, *ignored_there),
        skipped,
        len(checks),
        language=context.language,
        of_document=of_document,
    )


def examine_whole(selection: Selection, context: LessonContext) -> tuple[Findings, Findings]:
    """Every finding about the lesson as a whole, and those of them that the author passes over, wherever he says so."""
    checks, _ = selection.for_language(context.language)
    found = run_checks(selection, _of_scope(checks, "document"), WholeLesson(context.lesson), context)
    if not found:
        return (), ()
    inside = (rule for unit in context.lesson.units for rule in ignored_rules(unit))
    return _heeded(found, ignored_everywhere(context.lesson).union(inside))


def _heeded(found: Iterable[Finding], ignores: Collection[str]) -> tuple[Findings, Findings]:
    listed = tuple(found)
    kept = tuple(finding for finding in listed if finding.rule not in ignores)
    return kept, tuple(finding for finding in listed if finding.rule in ignores)


def _of_scope(checks: Iterable[Check], scope: str) -> list[Check]:
    return [check for check in checks if check.scope == scope]
