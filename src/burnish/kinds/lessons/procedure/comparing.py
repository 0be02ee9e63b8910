"""The delta judge: does a change settle what it was made for?

Several small changes are shown in one request. A yes counts for all of them; anything else is a yes for none, and each
is shown alone.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import Any

from burnish.core.effects import Effect, ModelRequest
from burnish.core.records import Usage
from burnish.core.replies import DeltaReply
from burnish.core.requests import Answer, Request
from burnish.kinds.lessons.procedure.desk import Desk
from burnish.kinds.lessons.procedure.excerpts import change
from burnish.kinds.lessons.procedure.repair import Repair, shares
from burnish.kinds.lessons.procedure.writing import joint
from burnish.kinds.lessons.refinement.types import LESSON, DeltaJudgeResult
from burnish.kinds.lessons.refinement.verify import Verification, delta_failed, delta_result, verify_repair
from burnish.kinds.lessons.requests import delta_ask


def compare(desk: Desk, repairs: Sequence[Repair]) -> Generator[Effect, Any, None]:
    """The delta judge's word on every repair that the rules let pass. No word is no success."""
    shown = [repair for repair in repairs if repair.verification is None]
    if not shown:
        return
    while (judge := delta_judge(desk)) is not None:
        yield from _compare_jointly(desk, _open(shown), judge)
        open_ = _open(shown)
        answers = yield from desk.ask(ModelRequest(_ask(repair), judge) for repair in open_)
        for repair, answer in zip(open_, answers, strict=True):
            _take(repair, answer, answer.usage)
        if all(answer.reply is not None for answer in answers):
            return
        # Whoever cannot be understood is not asked again in this round: the next judge looks at what is open.
        desk.mute.add(judge)
        if not desk.tokens_left:
            return
        for repair, answer in zip(open_, answers, strict=True):
            if answer.reply is None and delta_judge(desk) is not None:
                repair.verification = None
    for repair in _open(shown):
        repair.verification = _unverified(desk)


def _open(repairs: Sequence[Repair]) -> list[Repair]:
    return [repair for repair in repairs if repair.verification is None]


def delta_judge(desk: Desk) -> str | None:
    """The first judge that answers; where there is none, the reader of stage 1. Nobody verifies his own work: a model
    that writes is neither."""
    judges = [judge for judge in desk.seats.judges if judge not in desk.silent]
    able = [one for one in (*judges, *_readers(desk)) if one not in desk.mute and one not in _writers(desk)]
    return able[0] if able else None


def _readers(desk: Desk) -> list[str]:
    reader = desk.seats.of("reviewer")
    return [reader] if reader is not None else []


def _writers(desk: Desk) -> set[str | None]:
    return {desk.seats.of("patcher"), desk.seats.of("generator")}


def _unverified(desk: Desk) -> Verification:
    """Why nobody says that a repair is good."""
    others = {*desk.seats.judges, *_readers(desk)} - _writers(desk)
    return Verification(False, ("not_verified",) if others else ("not_verified", "own_work"))


def _compare_jointly(desk: Desk, repairs: Sequence[Repair], judge: str) -> Generator[Effect, Any, None]:
    groups = joint([repair for repair in repairs if repair.action == "SURGICAL_EDIT"])
    answers = yield from desk.ask(ModelRequest(_joint_ask(group), judge) for group in groups)
    for group, answer in zip(groups, answers, strict=True):
        settled = isinstance(answer.reply, DeltaReply) and verify_repair([delta_result(answer.reply, LESSON)]).passed
        for repair, share in zip(group, shares(answer.usage, len(group)), strict=True):
            if settled:
                _take(repair, answer, share)
            else:
                repair.pay(answer, share)


def _ask(repair: Repair) -> Request:
    old, new = _change(repair)
    return delta_ask(repair.before.id, old, new, repair.complaints)


def _joint_ask(group: Sequence[Repair]) -> Request:
    changes = [(repair.before.id, *_change(repair)) for repair in group]
    before = "\n".join(f"{id}: {old}" for id, old, _ in changes)
    after = "\n".join(f"{id}: {new}" for id, _, new in changes)
    complaints = [f"{repair.before.id}: {line}" for repair in group for line in repair.complaints]
    return delta_ask(LESSON, before, after, complaints)


def _change(repair: Repair) -> tuple[str, str]:
    assert repair.after is not None, "only what was written is compared"
    return change(repair.before, repair.after)


def _take(repair: Repair, answer: Answer, usage: Usage) -> None:
    repair.pay(answer, usage)
    repair.delta = _delta(repair, answer, usage.total_tokens)
    repair.verification = verify_repair([repair.delta])


def _delta(repair: Repair, answer: Answer, tokens: int) -> DeltaJudgeResult:
    ms = round(answer.seconds * 1000)
    if isinstance(answer.reply, DeltaReply):
        return delta_result(answer.reply, repair.before.id, tokens=tokens, ms=ms)
    return delta_failed(answer.failure or "no answer", tokens=tokens, ms=ms)
