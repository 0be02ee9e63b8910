"""Before anyone judges: what the rules found and what a person wrote is mended, by the smallest edit that does it.

Writing one section again is cheaper than a lesson, so a lesson with a few broken units is not thrown away.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Sequence
from typing import Any

from burnish.core.edits import receipt
from burnish.core.effects import Effect, Keep, tell
from burnish.core.findings import Finding
from burnish.kinds.lessons.model import Lesson, LessonUnit
from burnish.kinds.lessons.procedure.desk import Desk
from burnish.kinds.lessons.procedure.mending import carry_out
from burnish.kinds.lessons.procedure.repair import Repair
from burnish.kinds.lessons.refinement.arbiter import content_sections, context_anchors, instructions
from burnish.kinds.lessons.refinement.router import estimated_tokens
from burnish.kinds.lessons.refinement.types import (
    ContextWindow,
    FixAction,
    IssueSeverity,
    JudgeCriterion,
    SectionRefinementTask,
    TargetedIssue,
)

ACTIONS: tuple[FixAction, ...] = ("SURGICAL_EDIT", "REGENERATE_SECTION")
"""The smallest first."""

CRITERIA: dict[str, JudgeCriterion] = {
    "truncation": "completeness",
    "placeholder": "completeness",
    "empty_field": "completeness",
    "source_numbers": "factual_accuracy",
}
"""Which criterion a broken rule speaks to; all others speak to clarity."""


def record_source(desk: Desk, units: Iterable[LessonUnit]) -> Generator[Effect, Any, None]:
    """Write down the text as it came, before it is changed."""
    for unit in units:
        if unit.id not in desk.standing and unit.id not in desk.settled:
            findings = desk.findings(unit)
            passed = not any(finding.blocks for finding in findings)
            yield from desk.keep(Keep(unit, desk.first_cause, findings=findings, passed=passed), stands=True)


def take_safe_fixes(desk: Desk, fixed: Lesson, settled: Sequence[Finding] = ()) -> Generator[Effect, Any, list[str]]:
    """Take over what code has mended, which is what `settled` says. The ids of the units that changed."""
    fixed = fixed.replaced(desk.lesson.unit(id) for id in desk.settled)
    changed = [unit for unit in fixed.units if unit.content_hash != desk.lesson.unit(unit.id).content_hash]
    yield from record_source(desk, [desk.lesson.unit(unit.id) for unit in changed])
    before = desk.lesson
    desk.lesson = fixed
    for unit in changed:
        old = before.unit(unit.id)
        edits = tuple(
            {"unit": unit.id, "field": field, "find": text, "replace": unit.texts()[field]}
            for field, text in old.texts().items()
            if unit.texts()[field] != text
        )
        findings = desk.findings(unit)
        yield from desk.keep(
            Keep(
                unit=unit,
                cause="safe_fix",
                findings=findings,
                passed=not any(finding.blocks for finding in findings),
                edits=edits,
                receipt=_fixed(old, unit, [finding for finding in settled if finding.unit == unit.id]),
            ),
            stands=True,
        )
    return [unit.id for unit in changed]


def _fixed(before: LessonUnit, after: LessonUnit, settled: Sequence[Finding]) -> dict[str, Any]:
    """The receipt of safe fixes: each was examined again, so the rules themselves say that it is settled."""
    proof = receipt(before, after, [finding.rule for finding in settled]).as_record()
    found = [finding.as_wire() for finding in settled]
    verification = {"passed": True, "reasons": [], "delta_judge": None}
    return {**proof, "action": "SAFE_FIX", "findings": found, "verification": verification}


def mend_rules(desk: Desk) -> Generator[Effect, Any, list[str]]:
    """Have broken units repaired: an edit first, then the section anew. The ids of those that are still broken."""
    for action in ACTIONS:
        tasks = [_rule_task(desk, unit, found, action) for unit, found in _broken(desk)]
        if not tasks or desk.seats.of("patcher") is None or not desk.tokens_left:
            break
        yield from record_source(desk, [desk.lesson.unit(task.section_id) for task in tasks])
        yield from _in_batches(desk, tasks, by_rules=True)
    return [unit.id for unit, _ in _broken(desk)]


def mend_notes(desk: Desk) -> Generator[Effect, Any, list[str]]:
    """Do what a person asked for when sending units back. The ids of those where it did not succeed."""
    open_ = [id for id in desk.notes if id in desk.lesson]
    if desk.seats.of("patcher") is None:
        return open_
    for action in ACTIONS:
        tasks = [_note_task(desk, id, action) for id in open_]
        yield from record_source(desk, [desk.lesson.unit(id) for id in open_])
        repairs = yield from _in_batches(desk, tasks, any_length=True)
        settled = {repair.before.id for repair in repairs if repair.stands}
        open_ = [id for id in open_ if id not in settled]
    return open_


def _in_batches(
    desk: Desk, tasks: Sequence[SectionRefinementTask], *, by_rules: bool = False, any_length: bool = False
) -> Generator[Effect, Any, list[Repair]]:
    """As many at once as the tokens that are left pay for; what is not begun when they are used up stays open."""
    done: list[Repair] = []
    open_ = list(tasks)
    while open_ and desk.tokens_left:
        batch = _affordable(open_, desk.tokens_left)
        del open_[: len(batch)]
        orders = [(task, task.action_type) for task in batch]
        repairs = yield from carry_out(desk, orders, by_rules=by_rules, any_length=any_length)
        yield from _tell(repairs)
        done += repairs
    return done


def _affordable(tasks: Sequence[SectionRefinementTask], tokens: int) -> list[SectionRefinementTask]:
    """The first task, and the edits after it that the tokens pay for. What is written anew is written alone, because
    it is fitted to its neighbours."""
    batch = [tasks[0]]
    if tasks[0].action_type != "SURGICAL_EDIT":
        return batch
    spent = estimated_tokens("SURGICAL_EDIT", len(tasks[0].source_issues))
    for task in tasks[1:]:
        spent += estimated_tokens(task.action_type, len(task.source_issues))
        if task.action_type != "SURGICAL_EDIT" or spent > tokens:
            break
        batch.append(task)
    return batch


def _tell(repairs: Sequence[Repair]) -> Generator[Effect, Any, None]:
    for repair in repairs:
        name = "edit_applied" if repair.stands else "edit_refused" if repair.after is None else "rolled_back"
        yield from tell(name, repair.before.id, action=repair.action, reason=repair.failure)


def _broken(desk: Desk) -> list[tuple[LessonUnit, list[Finding]]]:
    """Units with findings that block, and those findings."""
    found = [
        (unit, [finding for finding in desk.findings(unit) if finding.blocks])
        for unit in desk.lesson.units
        if unit.id not in desk.settled
    ]
    return [(unit, findings) for unit, findings in found if findings]


def _rule_task(desk: Desk, unit: LessonUnit, findings: Sequence[Finding], action: FixAction) -> SectionRefinementTask:
    """What the rules found in one unit, as a task."""
    issues = [_issue(finding, number) for number, finding in enumerate(findings, start=1)]
    return _task(desk, unit, issues, action)


def _issue(finding: Finding, number: int) -> TargetedIssue:
    severity: IssueSeverity = "critical" if finding.severity == "critical" else "major"
    return TargetedIssue(
        id=f"rule-{finding.rule}-{number}",
        criterion=CRITERIA.get(finding.rule, "clarity_readability"),
        severity=severity,
        location=finding.unit,
        description=finding.message,
        quoted_text=finding.quote,
        suggested_fix=finding.suggestion or "",
        section_id=finding.unit,
        fix_action="SURGICAL_EDIT",
        context_window=ContextWindow(scope="section"),
        fix_instructions=finding.suggestion or finding.message,
    )


def _note_task(desk: Desk, id: str, action: FixAction) -> SectionRefinementTask:
    """What a person demands of one unit, as a task."""
    note = desk.notes[id]
    issue = TargetedIssue(
        id=f"note-{id}",
        criterion="clarity_readability",
        severity="critical",
        location=id,
        description=f"A reviewer sent this back: {note}",
        section_id=id,
        fix_action="SURGICAL_EDIT",
        context_window=ContextWindow(scope="section"),
        fix_instructions=f"A reviewer sent this back: {note}",
    )
    return _task(desk, desk.lesson.unit(id), [issue], action)


def _task(desk: Desk, unit: LessonUnit, issues: Sequence[TargetedIssue], action: FixAction) -> SectionRefinementTask:
    return SectionRefinementTask(
        section_id=unit.id,
        section_title=unit.title or unit.id,
        action_type=action,
        synthesized_instructions=instructions(issues),
        context_anchors=context_anchors(content_sections(desk.lesson), unit.id),
        priority=issues[0].severity,
        source_issues=tuple(issues),
    )
