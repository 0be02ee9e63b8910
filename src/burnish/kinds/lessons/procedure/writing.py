"""Asking for repairs.

Small edits of several units go into one request: what has to be said to a model every time, the task and the rules of
the game, is then said and paid for once. A unit that gets no usable answer that way is asked about alone.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import Any

from burnish.core.edits import HEADING, REFUSALS, SMALLEST_REMAINDER, Edit, apply_edits
from burnish.core.effects import Effect, ModelRequest
from burnish.core.errors import EditRefused
from burnish.core.findings import Finding
from burnish.core.protected import protected_parts
from burnish.core.replies import EditReply, SectionReply
from burnish.core.requests import Answer, Request
from burnish.kinds.lessons.model import LessonUnit
from burnish.kinds.lessons.procedure.admitting import EXPLANATIONS as INADMISSIBLE
from burnish.kinds.lessons.procedure.admitting import inadmissible
from burnish.kinds.lessons.procedure.desk import Desk
from burnish.kinds.lessons.procedure.excerpts import excerpt, is_plain
from burnish.kinds.lessons.procedure.repair import Repair, shares
from burnish.kinds.lessons.refinement.config import LARGEST_BATCH
from burnish.kinds.lessons.refinement.types import LESSON
from burnish.kinds.lessons.refinement.verify import text_reasons
from burnish.kinds.lessons.requests import expand_ask, patch_ask

TRIES = 2
"""An answer that cannot be used is asked for once more."""

EXPLANATIONS = {
    "length_change": "it changes the length by more than a tenth",
    "other_unit": "it is about another unit",
    "empty": "it is empty",
    "drops_protected": "it changes or drops code, formulae, links or placeholders",
    "new_errors": "it breaks a rule that held before",
    "not_verified": "a reader found that it does not settle every issue",
    **INADMISSIBLE,
    **REFUSALS,
}

OTHER_LANGUAGE = frozenset({"wrong_language", "foreign_script"})
SMALLEST_TRANSLATION = 0.25
"""What a text may shrink to when it comes into another language: Chinese needs a third of the letters of English."""


def write(desk: Desk, repairs: Sequence[Repair]) -> Generator[Effect, Any, None]:
    """Request for every repair; for those that cannot be used, once more with the reason."""
    model = desk.seats.of("patcher")
    assert model is not None, "nothing is planned where nobody can patch"
    yield from _write_jointly(desk, repairs, model)
    for _ in range(TRIES):
        if not desk.tokens_left:
            break
        open_ = [repair for repair in repairs if repair.after is None and repair.tries < TRIES]
        answers = yield from desk.ask(ModelRequest(_ask(desk, repair), model) for repair in open_)
        for repair, answer in zip(open_, answers, strict=True):
            repair.pay(answer)
            _take(desk, repair, answer)


def _write_jointly(desk: Desk, repairs: Sequence[Repair], model: str) -> Generator[Effect, Any, None]:
    """One request for every few edits. An answer that leaves a unit out has said nothing about it.

    A unit whose last repair was not kept is asked about alone, with the reason: the same question would only bring
    back the same answer.
    """
    small = [repair for repair in repairs if repair.action == "SURGICAL_EDIT"]
    groups = joint([repair for repair in small if repair.before.id not in desk.refused])
    answers = yield from desk.ask(ModelRequest(_joint_ask(group), model) for group in groups)
    for group, answer in zip(groups, answers, strict=True):
        edits = answer.reply.edits if isinstance(answer.reply, EditReply) else ()
        known = {repair.before.id for repair in group}
        strays = any(edit.unit not in known for edit in edits)
        for repair, share in zip(group, shares(answer.usage, len(group)), strict=True):
            repair.pay(answer, share)
            own = tuple(edit for edit in edits if edit.unit == repair.before.id)
            if own and not strays:
                _take_edits(desk, repair, EditReply(reasoning="", edits=own))


def joint(repairs: Sequence[Repair]) -> list[list[Repair]]:
    """Repairs of different units in groups that go into one request; one alone is no group."""
    single = list({repair.before.id: repair for repair in repairs}.values())
    groups = [single[start : start + LARGEST_BATCH] for start in range(0, len(single), LARGEST_BATCH)]
    return [group for group in groups if len(group) > 1]


def _joint_ask(group: Sequence[Repair]) -> Request:
    demands = [f"{repair.before.id}: {line}" for repair in group for line in repair.demands]
    return patch_ask(LESSON, "\n\n".join(_excerpt(repair) for repair in group), demands, "")


def _ask(desk: Desk, repair: Repair) -> Request:
    refused = repair.failure or desk.refused.get(repair.before.id, "")
    told = refused and not refused.startswith("model_failed")
    history = f"The last answer was not used: {explanation(refused)}.\n" if told else ""
    unit = repair.before
    if repair.action == "REGENERATE_SECTION":
        passages = desk.passages(unit.text)
        words = max(unit.words, 40)
        return expand_ask(unit, desk.lesson, desk.context, repair.demands, passages, words=words, history=history)
    return patch_ask(unit.id, _excerpt(repair), repair.demands, history)


def _excerpt(repair: Repair) -> str:
    """The words in question with their surroundings; after a failure the whole unit."""
    quotes = [issue.quoted_text for issue in repair.task.source_issues]
    return excerpt(repair.before, quotes, whole=repair.failure is not None)


def explanation(failure: str | None) -> str:
    """Why an answer was not used, in our words: the failure's own text may quote what a model wrote."""
    name = (failure or "").partition(":")[0]
    return EXPLANATIONS.get(name, "it was not the JSON object that was asked for")


def _take(desk: Desk, repair: Repair, answer: Answer) -> None:
    """The unit as the answer wants it, or why it cannot be used."""
    if isinstance(answer.reply, EditReply):
        _take_edits(desk, repair, answer.reply)
    elif isinstance(answer.reply, SectionReply):
        _take_section(desk, repair, answer.reply)
    else:
        repair.tries += 1
        repair.failure = answer.failure or "reply_unreadable: no answer"


def _take_edits(desk: Desk, repair: Repair, reply: EditReply) -> None:
    repair.tries += 1
    repair.edits = tuple(Edit(part.unit, part.field, part.find, part.replace) for part in reply.edits)
    try:
        after = apply_edits(repair.before, repair.edits)
    except EditRefused as refused:
        repair.failure = f"{refused.reason}: {refused.message}"
    else:
        _admit(desk, repair, after)


def _take_section(desk: Desk, repair: Repair, reply: SectionReply) -> None:
    repair.tries += 1
    repair.failure = rewritten_refusal(repair.before, reply, desk.findings(repair.before))
    if repair.failure is None:
        repair.edits = (Edit(repair.before.id, None, repair.before.text, reply.text),)
        _admit(desk, repair, repair.before.with_text(None, reply.text))


def _admit(desk: Desk, repair: Repair, after: LessonUnit) -> None:
    """Take the text unless it holds what no model may bring in, or has another length than it should."""
    repair.failure = inadmissible(repair.before, after, desk.lesson, desk.context.passages)
    if repair.failure is not None:
        return
    reasons = () if repair.any_length else text_reasons(repair.task, _all(repair.before), _all(after))
    repair.failure = f"{reasons[0]}: {', '.join(reasons)}" if reasons else None
    repair.after = None if reasons else after


def rewritten_refusal(before: LessonUnit, reply: SectionReply, findings: Sequence[Finding]) -> str | None:
    """Why a section that was written anew cannot take the place of the old one."""
    refusal = text_refusal(before, reply, findings)
    if refusal is not None:
        return refusal
    kept = protected_parts(reply.text)
    if [part for part in protected_parts(before.text) if part not in kept]:
        return "drops_protected: something that may not change is gone"
    lost = len(HEADING.findall(before.text)) - len(HEADING.findall(reply.text))
    return f"drops_heading: {lost} fewer than there were" if lost > 0 else None


def text_refusal(before: LessonUnit, reply: SectionReply, findings: Sequence[Finding]) -> str | None:
    """Why a text is no new version of a unit: writing again mends, it does not delete."""
    if reply.unit != before.id:
        return f"other_unit: {reply.unit}"
    if not reply.text.strip():
        return "empty: the new text is empty"
    is_translated = any(finding.rule in OTHER_LANGUAGE for finding in findings)
    least = SMALLEST_TRANSLATION if is_translated else SMALLEST_REMAINDER
    if len(reply.text) < least * len(before.text):
        return f"shrinks: {len(before.text)} characters would become {len(reply.text)}"
    return None


def _all(unit: LessonUnit) -> str:
    """Everything that the unit says, for measures of length and readability."""
    return unit.text if is_plain(unit) else "\n\n".join(unit.texts().values())
