"""One repair: the smallest edit, or the section written anew; proven, or rolled back byte for byte.

The order is the order of cost: what does not apply is refused by code and tried once more, what breaks a rule is
refused by code, and only what is left is shown to the delta judge.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass, field
from typing import Any

from burnish.core.asks import Answer, Ask
from burnish.core.documents import Unit
from burnish.core.edits import REFUSALS, Edit, apply_edits, receipt
from burnish.core.errors import EditRefused
from burnish.core.findings import Finding
from burnish.core.procedures import Draft, Request, Step
from burnish.core.protected import protected_parts
from burnish.core.records import Usage
from burnish.core.replies import DeltaReply, EditReply, SectionReply
from burnish.kinds.lessons.asks import delta_ask, expand_ask, patch_ask
from burnish.kinds.lessons.model import LessonUnit
from burnish.kinds.lessons.procedure.desk import Desk
from burnish.kinds.lessons.procedure.excerpts import change, excerpt, is_plain
from burnish.kinds.lessons.refinement.types import DeltaJudgeResult, FixAction, SectionRefinementTask
from burnish.kinds.lessons.refinement.verifying import (
    Verification,
    delta_failed,
    delta_result,
    text_reasons,
    verify_repair,
)
from burnish.kinds.lessons.sources import terms

TRIES = 2
"""An answer that cannot be used is asked for once more."""

EXPLANATIONS = {
    "length_change": "it changes the length by more than a tenth",
    "other_unit": "it is about another unit",
    "empty": "it is empty",
    "drops_protected": "it changes or drops code, formulae, links or placeholders",
    **REFUSALS,
}


@dataclass(slots=True)
class Repair:
    """A task on its way: what was tried, what it cost, and what came of it."""

    task: SectionRefinementTask
    action: FixAction
    before: LessonUnit
    after: LessonUnit | None = None
    edits: tuple[Edit, ...] = ()
    failure: str | None = None
    delta: DeltaJudgeResult | None = None
    verification: Verification | None = None
    by_rules: bool = False
    """The task is a rule's: the rule itself says whether it is settled, and no length is too long for it."""
    usage: Usage = field(default_factory=Usage)
    calls: tuple[str, ...] = ()
    seconds: float = 0.0

    @property
    def stands(self) -> bool:
        return self.verification is not None and self.verification.passed

    def pay(self, answer: Answer) -> None:
        self.usage += answer.usage
        self.calls = (*self.calls, *answer.calls)
        self.seconds += answer.seconds


def carry_out(
    desk: Desk, tasks: Sequence[tuple[SectionRefinementTask, FixAction]], *, by_rules: bool = False
) -> Generator[Step, Any, list[Repair]]:
    """All tasks of a batch at once. The desk's lesson holds what stands; what does not stand left no trace in it."""
    repairs = [_begun(desk, task, action) for task, action in tasks]
    for repair in repairs:
        repair.by_rules = by_rules
    yield from _write(desk, repairs)
    for repair in repairs:
        if repair.after is not None:
            _hold_against_rules(desk, repair)
    yield from _compare(desk, [repair for repair in repairs if repair.after is not None])
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
    open_ = [unit for unit in desk.lesson.units if unit.id not in desk.settled] or list(desk.lesson.units)
    return max(open_, key=lambda unit: len(wanted & set(terms(f"{unit.title or ''} {unit.text}"))))


def _write(desk: Desk, repairs: Sequence[Repair]) -> Generator[Step, Any, None]:
    """Ask for every repair; for those that cannot be used, once more with the reason."""
    model = desk.seats.of("patcher")
    assert model is not None, "nothing is planned where nobody can patch"
    for _ in range(TRIES):
        open_ = [repair for repair in repairs if repair.after is None]
        answers = yield from desk.ask(Request(_ask(desk, repair), model) for repair in open_)
        for repair, answer in zip(open_, answers, strict=True):
            repair.pay(answer)
            _take(repair, answer)


def _ask(desk: Desk, repair: Repair) -> Ask:
    history = f"Your last answer was not used: {explanation(repair.failure)}.\n" if repair.failure else ""
    issues = repair.task.synthesized_instructions.splitlines()
    unit = repair.before
    if repair.action == "REGENERATE_SECTION":
        passages = desk.passages(unit.text)
        return expand_ask(unit, desk.lesson, desk.context, issues, passages, words=max(unit.words, 40), history=history)
    quotes = [issue.quoted_text for issue in repair.task.source_issues]
    return patch_ask(unit, excerpt(unit, quotes, whole=repair.failure is not None), issues, history)


def explanation(failure: str | None) -> str:
    """Why an answer was not used, in our words: the failure's own text may quote what a model wrote."""
    name = (failure or "").partition(":")[0]
    return EXPLANATIONS.get(name, "it was not the JSON object that was asked for")


def _take(repair: Repair, answer: Answer) -> None:
    """The unit as the answer wants it, or why it cannot be used."""
    repair.failure = None
    if isinstance(answer.reply, EditReply):
        edits = tuple(Edit(part.unit, part.field, part.find, part.replace) for part in answer.reply.edits)
        repair.edits = edits
        try:
            after = apply_edits(repair.before, edits)
        except EditRefused as refused:
            repair.failure = f"{refused.reason}: {refused.message}"
            return
    elif isinstance(answer.reply, SectionReply):
        refusal = rewritten_refusal(repair.before, answer.reply)
        if refusal is not None:
            repair.failure = refusal
            return
        after = repair.before.with_text(None, answer.reply.text)
        repair.edits = (Edit(repair.before.id, None, repair.before.text, answer.reply.text),)
    else:
        repair.failure = answer.failure or "reply_unreadable: no answer"
        return
    _accept_length(repair, after)


def _accept_length(repair: Repair, after: LessonUnit) -> None:
    reasons = () if repair.by_rules else text_reasons(repair.task, _all(repair.before), _all(after))
    if reasons:
        repair.failure = f"{reasons[0]}: {', '.join(reasons)}"
    else:
        repair.after = after


def rewritten_refusal(before: LessonUnit, reply: SectionReply) -> str | None:
    """Why a section that was written anew cannot take the place of the old one."""
    if reply.unit != before.id:
        return f"other_unit: {reply.unit}"
    if not reply.text.strip():
        return "empty: the new text is empty"
    kept = protected_parts(reply.text)
    if [part for part in protected_parts(before.text) if part not in kept]:
        return "drops_protected: something that may not change is gone"
    return None


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


def _compare(desk: Desk, repairs: Sequence[Repair]) -> Generator[Step, Any, None]:
    """The delta judge's word on every repair that the rules let pass. No word is no success."""
    shown = [repair for repair in repairs if repair.verification is None]
    judge = delta_judge(desk)
    if judge is None:
        for repair in shown:
            repair.verification = Verification(False, ("not_verified",))
        return
    requests = []
    for repair in shown:
        assert repair.after is not None
        old, new = change(repair.before, repair.after)
        ask = delta_ask(repair.before, old, new, repair.task.synthesized_instructions.splitlines())
        requests.append(Request(ask, judge))
    answers = yield from desk.ask(requests)
    for repair, answer in zip(shown, answers, strict=True):
        repair.pay(answer)
        repair.delta = _delta(repair, answer)
        repair.verification = verify_repair([repair.delta])


def delta_judge(desk: Desk) -> str | None:
    """The first judge that answers; where there is none, the reader of stage 1. Nobody verifies his own work."""
    sitting = [judge for judge in desk.seats.judges if judge not in desk.silent]
    return sitting[0] if sitting else desk.seats.of("reviewer")


def _delta(repair: Repair, answer: Answer) -> DeltaJudgeResult:
    tokens, ms = answer.usage.total_tokens, round(answer.seconds * 1000)
    if isinstance(answer.reply, DeltaReply):
        return delta_result(answer.reply, repair.before.id, tokens=tokens, ms=ms)
    return delta_failed(answer.failure or "no answer", tokens=tokens, ms=ms)


def _settle(desk: Desk, repair: Repair) -> Generator[Step, Any, None]:
    """Keep what stands. Either way the attempt is written down, with what it cost."""
    if repair.after is not None and repair.stands:
        desk.lesson = desk.lesson.with_unit(repair.after)
        findings = desk.findings(repair.after)
    else:
        findings = desk.findings(repair.before)
        reasons = repair.verification.reasons if repair.verification else ()
        repair.failure = repair.failure or f"not_verified: {', '.join(reasons)}"
    yield from desk.keep(attempt_of(repair, findings), stands=repair.stands)


def attempt_of(repair: Repair, findings: Sequence[Finding]) -> Draft:
    """The attempt as the journal keeps it: the text that was offered, and why it was not taken."""
    offered: Unit = repair.after if repair.after is not None else repair.before
    rules = [issue.id for issue in repair.task.source_issues]
    proof = receipt(repair.before, offered, rules).as_record() if repair.after is not None else None
    return Draft(
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


def _all(unit: LessonUnit) -> str:
    """Everything that the unit says, for measures of length and readability."""
    return unit.text if is_plain(unit) else "\n\n".join(unit.texts().values())
