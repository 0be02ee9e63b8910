"""One repair: the smallest edit, or the section written anew; proven, or rolled back byte for byte.

The order is the order of cost: what does not apply is refused by code and tried once more, what breaks a rule is
refused by code, and only what is left is shown to the delta judge.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import Any

from burnish.core.documents import Unit
from burnish.core.edits import receipt
from burnish.core.effects import Effect, Keep
from burnish.core.findings import Finding
from burnish.kinds.lessons.model import LessonUnit
from burnish.kinds.lessons.procedure.comparing import compare
from burnish.kinds.lessons.procedure.desk import Desk
from burnish.kinds.lessons.procedure.excerpts import is_plain
from burnish.kinds.lessons.procedure.repair import Repair
from burnish.kinds.lessons.procedure.writing import write
from burnish.kinds.lessons.refinement.types import FixAction, SectionRefinementTask
from burnish.kinds.lessons.refinement.verify import Verification
from burnish.kinds.lessons.sources import terms


def carry_out(
    desk: Desk,
    tasks: Sequence[tuple[SectionRefinementTask, FixAction]],
    *,
    by_rules: bool = False,
    any_length: bool = False,
) -> Generator[Effect, Any, list[Repair]]:
    """All tasks of a batch at once. The desk's lesson holds what stands; what does not stand left no trace in it."""
    repairs = [_begun(desk, task, action) for task, action in tasks]
    for repair in repairs:
        repair.by_rules, repair.any_length = by_rules, by_rules or any_length
    yield from write(desk, repairs)
    for repair in repairs:
        if repair.after is not None:
            _hold_against_rules(desk, repair)
    yield from compare(desk, [repair for repair in repairs if repair.after is not None])
    for repair in repairs:
        yield from _settle(desk, repair)
    return repairs


def _begun(desk: Desk, task: SectionRefinementTask, action: FixAction) -> Repair:
    """The repair of a task in a real unit. Only a running text can be written anew: the rest is edited."""
    unit = desk.lesson.unit(task.section_id) if task.section_id in desk.lesson else _nearest(desk, task)
    return Repair(task, action if is_plain(unit) else "SURGICAL_EDIT", unit)


def _nearest(desk: Desk, task: SectionRefinementTask) -> LessonUnit:
    """Where to mend what is said of the lesson as a whole: the unit that shares the most words with the complaint."""
    wanted = set(terms(" ".join(issue.description for issue in task.source_issues)))
    open_ = [unit for unit in desk.lesson.units if unit.id not in desk.settled | desk.locked]
    return max(open_, key=lambda unit: len(wanted & set(terms(f"{unit.title or ''} {unit.text}"))))


def _hold_against_rules(desk: Desk, repair: Repair) -> None:
    """A repair may not break what was whole: no rule may speak that did not speak before."""
    assert repair.after is not None
    before = desk.findings(repair.before)
    after = desk.examine(desk.lesson.with_unit(repair.after), repair.after).findings
    broken = new_errors(before, after)
    if broken:
        repair.failure = f"new_errors: {', '.join(broken)}"
        repair.verification = Verification(False, (repair.failure,))
    elif repair.by_rules:
        left = sum(finding.blocks for finding in after)
        settled = left < sum(finding.blocks for finding in before)
        repair.verification = Verification(settled, () if settled else ("issue_not_settled",))


def new_errors(before: Sequence[Finding], after: Sequence[Finding]) -> list[str]:
    """Rules that block now more often than they did."""
    counts: dict[str, int] = {}
    for finding in after:
        counts[finding.rule] = counts.get(finding.rule, 0) + finding.blocks
    for finding in before:
        counts[finding.rule] = counts.get(finding.rule, 0) - finding.blocks
    return sorted(rule for rule, more in counts.items() if more > 0)


def _settle(desk: Desk, repair: Repair) -> Generator[Effect, Any, None]:
    """Keep what stands. Either way the attempt is written down, with what it cost."""
    if repair.after is not None and repair.stands:
        desk.lesson = desk.lesson.with_unit(repair.after)
        findings = desk.findings(repair.after)
        desk.refused.pop(repair.before.id, None)
    else:
        findings = desk.findings(repair.before)
        reasons = repair.verification.reasons if repair.verification else ()
        repair.failure = repair.failure or f"not_verified: {', '.join(reasons)}"
        desk.refused[repair.before.id] = repair.failure
    yield from desk.keep(attempt_of(repair, findings), stands=repair.stands)


def attempt_of(repair: Repair, findings: Sequence[Finding]) -> Keep:
    """The attempt as the journal keeps it: the text that was offered, and why it was not taken."""
    offered: Unit = repair.after if repair.after is not None else repair.before
    rules = [issue.id for issue in repair.task.source_issues]
    proof = receipt(repair.before, offered, rules).as_record() if repair.after is not None else None
    return Keep(
        unit=offered,
        cause="model",
        findings=tuple(findings),
        passed=repair.stands,
        failure=None if repair.stands else repair.failure,
        edits=tuple(
            {"unit": edit.unit, "field": edit.field, "find": edit.find, "replace": edit.replace}
            for edit in repair.edits
        ),
        receipt=None if proof is None else {**proof, **_proof(repair)},
        usage=repair.usage,
        calls=repair.calls,
    )


def _proof(repair: Repair) -> dict[str, Any]:
    """What the receipt says beyond the hashes: what was wrong, and who says that it is settled."""
    verified = repair.verification
    return {
        "action": repair.action,
        "issues": [issue.as_wire() for issue in repair.task.source_issues],
        "verification": {
            "passed": repair.stands,
            "reasons": list(verified.reasons) if verified else [],
            "delta_judge": repair.delta.as_wire() if repair.delta else None,
        },
    }
