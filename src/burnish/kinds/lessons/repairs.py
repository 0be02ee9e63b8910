"""A batch of repairs: each is written, checked by rules and the delta judge, then kept or rolled back byte for byte.

The order is the order of cost: an edit that does not apply or breaks a rule is refused by code, and only the rest is
shown to the delta judge. Several small changes are shown in one request: a yes counts for all of them, and after
anything else each is shown alone. After an expanded section the delta judge also reads the transition to the next.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from burnish.core.edits import receipt
from burnish.core.effects import Answer, Effect, Keep, ModelRequest, note
from burnish.core.findings import Finding
from burnish.core.records import Usage, shares
from burnish.core.replies import DeltaReply
from burnish.kinds.lessons.arbiter import first_sentences, last_sentences
from burnish.kinds.lessons.drafts import Repair, grouped, request_drafts
from burnish.kinds.lessons.materials import terms
from burnish.kinds.lessons.model import LessonUnit
from burnish.kinds.lessons.progress import LessonProgress
from burnish.kinds.lessons.refinement import LESSON, FixAction, JudgeIssue, SectionRefinementTask
from burnish.kinds.lessons.requests import changed_excerpts, delta_ask
from burnish.kinds.lessons.verify import Verification, delta_failed, delta_result, verify_repair

TRANSITION_DEMAND = "The second paragraph has to follow on the first without a break of thought."


def repair_sections(
    progress: LessonProgress,
    tasks: Sequence[tuple[SectionRefinementTask, FixAction]],
    *,
    by_rules: bool = False,
    any_length: bool = False,
) -> Generator[Effect, Any, list[Repair]]:
    """Carry out all tasks of a batch at once; the lesson then holds the repairs that stand and no trace of others."""
    repairs = []
    for task, action in tasks:
        known = task.section_id in progress.lesson
        unit = progress.lesson.unit(task.section_id) if known else _nearest_unit(progress, task)
        # Only a running text can be written anew: the rest is edited.
        action = action if unit.is_plain else "SURGICAL_EDIT"
        repairs.append(Repair(task, action, unit, by_rules=by_rules, any_length=by_rules or any_length))
    yield from request_drafts(progress, repairs)
    for repair in repairs:
        if repair.after is not None:
            _check_rules(progress, repair)
    yield from verify_by_delta_judge(progress, [repair for repair in repairs if repair.after is not None])
    for repair in repairs:
        if repair.after is not None and repair.is_kept:
            progress.lesson = progress.lesson.with_unit(repair.after)
            findings = progress.findings(repair.after)
            progress.refused.pop(repair.before.id, None)
        else:
            findings = progress.findings(repair.before)
            reasons = repair.verification.reasons if repair.verification else ()
            repair.failure = repair.failure or f"not_verified: {', '.join(reasons)}"
            progress.refused[repair.before.id] = repair.failure
        yield from progress.keep(attempt_of(repair, findings), is_best=repair.is_kept)
    return repairs


def _nearest_unit(progress: LessonProgress, task: SectionRefinementTask) -> LessonUnit:
    """Where to mend what is said of the lesson as a whole: the unit that shares the most words with the complaint."""
    wanted = set(terms(" ".join(issue.description for issue in task.source_issues)))
    open_ = [unit for unit in progress.open_units if unit.id not in progress.locked]
    return max(open_, key=lambda unit: len(wanted & set(terms(f"{unit.title or ''} {unit.text}"))))


def _check_rules(progress: LessonProgress, repair: Repair) -> None:
    """A repair may not break what was whole: no rule may speak that did not speak before."""
    assert repair.after is not None
    before = progress.findings(repair.before)
    after = progress.examine(progress.lesson.with_unit(repair.after), repair.after).findings
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
    counts = [Counter(finding.rule for finding in findings if finding.blocks) for findings in (after, before)]
    return sorted(counts[0] - counts[1])


def attempt_of(repair: Repair, findings: Sequence[Finding]) -> Keep:
    """The attempt as the journal keeps it: the text that was offered, and why it was not taken."""
    offered = repair.after or repair.before
    proof = None
    if repair.after is not None:
        verified = repair.verification
        proof = {
            **receipt(repair.before, offered, [issue.id for issue in repair.issues]).as_record(),
            "action": repair.action,
            "issues": [issue.as_wire() for issue in repair.issues],
            "verification": {
                "passed": repair.is_kept,
                "reasons": list(verified.reasons) if verified else [],
                "delta_judge": repair.delta.as_wire() if repair.delta else None,
            },
        }
    return Keep(
        unit=offered,
        cause="model",
        findings=tuple(findings),
        passed=repair.is_kept,
        failure=None if repair.is_kept else repair.failure,
        edits=tuple(map(asdict, repair.edits)),
        receipt=proof,
        usage=repair.usage,
        calls=repair.calls,
    )


def verify_by_delta_judge(progress: LessonProgress, repairs: Sequence[Repair]) -> Generator[Effect, Any, None]:
    """Have the delta judge verify every repair that passed the rules; no answer is no success."""
    shown = [repair for repair in repairs if repair.verification is None]
    if not shown:
        return
    while (judge := delta_judge(progress)) is not None:
        yield from _compare_jointly(progress, _open(shown), judge)
        open_ = _open(shown)
        asks = (delta_ask(repair.before.id, *_change(repair), repair.complaints) for repair in open_)
        answers = yield from progress.ask(ModelRequest(ask, judge) for ask in asks)
        for repair, answer in zip(open_, answers, strict=True):
            _take(repair, answer, answer.usage)
        if all(answer.reply is not None for answer in answers):
            return
        # Whoever cannot be understood is not asked again in this round: the next judge looks at what is open.
        progress.mute.add(judge)
        if not progress.tokens_left:
            return
        for repair, answer in zip(open_, answers, strict=True):
            if answer.reply is None and delta_judge(progress) is not None:
                repair.verification = None
    others = {*progress.roles.judges, progress.roles.of("reviewer")} - _writers(progress) - {None}
    for repair in _open(shown):
        repair.verification = Verification(False, ("not_verified",) if others else ("not_verified", "own_work"))


def _open(repairs: Sequence[Repair]) -> list[Repair]:
    return [repair for repair in repairs if repair.verification is None]


def delta_judge(progress: LessonProgress) -> str | None:
    """The first judge that answers; where there is none, the reader of stage 1. Nobody verifies his own work: a model
    that writes is neither."""
    judges = [judge for judge in progress.roles.judges if judge not in progress.silent]
    if (reader := progress.roles.of("reviewer")) is not None:
        judges.append(reader)
    return next((one for one in judges if one not in progress.mute and one not in _writers(progress)), None)


def _writers(progress: LessonProgress) -> set[str | None]:
    return {progress.roles.of("patcher"), progress.roles.of("generator")}


def _compare_jointly(progress: LessonProgress, repairs: Sequence[Repair], judge: str) -> Generator[Effect, Any, None]:
    groups = grouped([repair for repair in repairs if repair.action == "SURGICAL_EDIT"])
    requests = []
    for group in groups:
        changes = [(repair.before.id, *_change(repair)) for repair in group]
        before = "\n".join(f"{id}: {old}" for id, old, _ in changes)
        after = "\n".join(f"{id}: {new}" for id, _, new in changes)
        complaints = [f"{repair.before.id}: {line}" for repair in group for line in repair.complaints]
        requests.append(ModelRequest(delta_ask(LESSON, before, after, complaints), judge))
    answers = yield from progress.ask(requests)
    for group, answer in zip(groups, answers, strict=True):
        settled = isinstance(answer.reply, DeltaReply) and verify_repair([delta_result(answer.reply, LESSON)]).passed
        for repair, share in zip(group, shares(answer.usage, len(group)), strict=True):
            if settled:
                _take(repair, answer, share)
            else:
                repair.pay(answer, share)


def _change(repair: Repair) -> tuple[str, str]:
    assert repair.after is not None, "only what was written is compared"
    return changed_excerpts(repair.before, repair.after)


def _take(repair: Repair, answer: Answer, usage: Usage) -> None:
    repair.pay(answer, usage)
    tokens, ms = usage.total_tokens, round(answer.seconds * 1000)
    if isinstance(answer.reply, DeltaReply):
        repair.delta = delta_result(answer.reply, repair.before.id, tokens=tokens, ms=ms)
    else:
        repair.delta = delta_failed(answer.failure or "no answer", tokens=tokens, ms=ms)
    repair.verification = verify_repair([repair.delta])


@dataclass(frozen=True, slots=True)
class BrokenTransition:
    """The beginning of a section that no longer fits."""

    cause: str
    """The unit that was written anew."""
    issue: JudgeIssue
    """What is to be done in the section after it, which is the issue's location."""


def broken_transitions(
    progress: LessonProgress, repairs: Sequence[Repair]
) -> Generator[Effect, Any, list[BrokenTransition]]:
    """An issue for every section whose beginning no longer fits what was written anew before it."""
    seams = []
    for repair in repairs:
        _, following = progress.lesson.neighbours(repair.before.id)
        if repair.action == "REGENERATE_SECTION" and repair.is_kept and repair.after is not None and following:
            seams.append((repair.before, repair.after, following))
    judge = delta_judge(progress)
    if judge is None or not progress.tokens_left:
        return []
    requests = []
    for old, new, after in seams:
        before, now = (f"{last_sentences(one.text)}\n\n{first_sentences(after.text)}" for one in (old, new))
        requests.append(ModelRequest(delta_ask(after.id, before, now, [TRANSITION_DEMAND]), judge))
    answers = yield from progress.ask(requests)
    broken = []
    for (old, _, after), answer in zip(seams, answers, strict=True):
        if isinstance(answer.reply, DeltaReply) and not answer.reply.passed:
            yield from note("transition_broken", after.id, reasoning=answer.reply.reasoning)
            issue = JudgeIssue(
                criterion="clarity_readability",
                severity="minor",
                location=after.id,
                description="The beginning no longer follows on the section before it.",
                quoted_text=first_sentences(after.text, 1) or None,
                suggested_fix="Add a short transition from the section before.",
            )
            broken.append(BrokenTransition(old.id, issue))
    return broken
