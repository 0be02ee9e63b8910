"""When a section is written anew, the one after it may no longer follow: the delta judge looks at the seam."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass
from typing import Any

from burnish.core.effects import Effect, ModelRequest, tell
from burnish.core.replies import DeltaReply
from burnish.kinds.lessons.procedure.comparing import delta_judge
from burnish.kinds.lessons.procedure.desk import Desk
from burnish.kinds.lessons.procedure.repair import Repair
from burnish.kinds.lessons.refinement.arbiter import first_sentences, last_sentences
from burnish.kinds.lessons.refinement.router import transition_after
from burnish.kinds.lessons.refinement.types import JudgeIssue
from burnish.kinds.lessons.requests import delta_ask

DEMAND = "The second paragraph has to follow on the first without a break of thought."


@dataclass(frozen=True, slots=True)
class BrokenTransition:
    """The beginning of a section that no longer fits."""

    cause: str
    """The unit that was written anew."""
    issue: JudgeIssue
    """What is to be done in the section after it, which is the issue's location."""


def broken_transitions(desk: Desk, repairs: Sequence[Repair]) -> Generator[Effect, Any, list[BrokenTransition]]:
    """An issue for every section whose beginning no longer fits what was written anew before it."""
    order = [unit.id for unit in desk.lesson.units]
    seams = []
    for repair in repairs:
        following = transition_after(repair.before.id, order)
        if repair.action == "REGENERATE_SECTION" and repair.stands and repair.after is not None and following:
            seams.append((repair.before, repair.after, desk.lesson.unit(following)))
    judge = delta_judge(desk)
    if judge is None or not desk.tokens_left:
        return []
    requests = [
        ModelRequest(
            delta_ask(
                after.id,
                f"{last_sentences(old.text)}\n\n{first_sentences(after.text)}",
                f"{last_sentences(new.text)}\n\n{first_sentences(after.text)}",
                [DEMAND],
            ),
            judge,
        )
        for old, new, after in seams
    ]
    answers = yield from desk.ask(requests)
    broken = []
    for (old, _, after), answer in zip(seams, answers, strict=True):
        if isinstance(answer.reply, DeltaReply) and not answer.reply.passed:
            yield from tell("transition_broken", after.id, reasoning=answer.reply.reasoning)
            broken.append(BrokenTransition(old.id, _issue(after.id, first_sentences(after.text, 1))))
    return broken


def _issue(unit: str, opening: str) -> JudgeIssue:
    return JudgeIssue(
        criterion="clarity_readability",
        severity="minor",
        location=unit,
        description="The beginning no longer follows on the section before it.",
        quoted_text=opening or None,
        suggested_fix="Lead over from the section before with as few words as possible.",
    )
