"""All rules on one unit, and once on the lesson as a whole; rules that the author ignores are counted, not told."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

from burnish.core.checks import MOST_UNKNOWN, Check, Examination, Selection, run_checks, unknown_ignore
from burnish.core.documents import Problem
from burnish.core.findings import Finding
from burnish.kinds.lessons.model import Lesson, LessonContext, LessonUnit, WholeLesson

MEMBER = "burnish_ignore"
COMMENT = re.compile(r"<!--\s*burnish-ignore\s*:\s*([\w\s,-]{1,500}?)\s*-->")
"""How an author passes over rules inside a text."""
BETWEEN = re.compile(r"[\s,]+")


def ignored_rules(unit: LessonUnit) -> frozenset[str]:
    """The rules that the author asks to pass over in this unit."""
    named = _declared(unit.carried)
    for text in unit.texts().values():
        for match in COMMENT.finditer(text):
            named += BETWEEN.split(match[1].strip())
    return frozenset(named)


def ignored_everywhere(lesson: Lesson) -> frozenset[str]:
    """Those that he asks to pass over in the whole lesson: in its front matter, or beside its content."""
    content = lesson.details.get("content")
    inside = _declared(content) if isinstance(content, Mapping) else []
    return frozenset(_declared(lesson.details) + inside)


def _declared(members: Mapping[str, Any]) -> list[str]:
    declared = members.get(MEMBER, ())
    if isinstance(declared, str):
        return [name for name in BETWEEN.split(declared) if name]
    return [rule for rule in declared if isinstance(rule, str)] if isinstance(declared, list | tuple) else []


def unknown(lesson: Lesson, known: Collection[str], path: str) -> Iterator[Problem]:
    """A note for every name that is no rule's: it does nothing, and the author should know."""
    named: list[tuple[str, int | None, str]] = [("lesson", None, name) for name in sorted(ignored_everywhere(lesson))]
    named += [(unit.id, unit.line, name) for unit in lesson.units for name in sorted(ignored_rules(unit))]
    missing = [(unit, line, name) for unit, line, name in named if name not in known]
    for unit, line, name in missing[:MOST_UNKNOWN]:
        message, hint = unknown_ignore(name, known)
        yield Problem("unknown_rule", message, path, line, MEMBER, unit, hint, blocks=False)


Findings = tuple[Finding, ...]


def examine(unit: LessonUnit, selection: Selection, context: LessonContext) -> Examination:
    """Every finding of the selected rules on one unit. With the last unit, those about the whole lesson are told."""
    checks, skipped = selection.for_language(context.language)
    found = run_checks(selection, _of_scope(checks, "unit"), unit, context)
    kept, ignored = _heeded(found, ignored_rules(unit) | ignored_everywhere(context.lesson))
    is_last = unit.id == context.lesson.units[-1].id
    of_document, ignored_there = examine_whole(selection, context) if is_last else ((), ())
    return Examination(
        kept, (*ignored, *ignored_there), skipped, len(checks), language=context.language, of_document=of_document
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
