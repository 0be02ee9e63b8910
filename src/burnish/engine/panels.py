"""Panels of judges, until one of them has given an answer that can be read.

A server with the wrong chat template, or a model that cannot write JSON, answers every call with nonsense. Each answer
would be an attempt, and every unit would end with a person. So the first call of each judge goes ahead of all others.
One that cannot be read is asked for once more, and where no judge of the panel can be read, nobody is asked any
further: the panel counts as away, which is told at once. As soon as one answer can be read, all go on side by side, and
an unreadable one is the attempt of its unit, as ever.
"""

from __future__ import annotations

import asyncio
from collections import Counter, defaultdict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from burnish.core.requests import Answer

PANELS = {
    "judge_reply": "lessons",
    "lesson_judge_reply": "lessons",
    "question_review_reply": "questions",
    "translation_review_reply": "reviewers",
    "critic_reply": "critics",
}
"""Replies that judge -> whoever is asked for them is of this panel."""
TRIES = 2
"""Answers of a judge that cannot be read before it is given up."""


def is_unreadable(answer: Answer) -> bool:
    return (answer.failure or "").startswith("reply_unreadable")


@dataclass(slots=True)
class Panel:
    """All models that judge by one sort of reply."""

    is_proven: bool = False
    """Whether one of them has given an answer that can be read."""
    nonsense: dict[str, str] = field(default_factory=dict)
    """Model -> why its first answers could not be read."""
    judges: int = 0
    """Whose first call is under way."""
    failed: Counter[int] = field(default_factory=Counter)
    """Try -> how many of them could not be read at it."""
    locks: dict[str, asyncio.Lock] = field(default_factory=lambda: defaultdict(asyncio.Lock))
    changed: asyncio.Condition = field(default_factory=asyncio.Condition)

    async def first(self, model: str, ask: Callable[[int], Awaitable[Answer]]) -> Answer | None:
        """The answer to a call that is made before the panel is proven; None: the panel answers nonsense. `ask` is told
        how many answers are asked for at most. Nobody is asked again while another judge may still prove the panel."""
        async with self.locks[model]:
            if not self.is_proven:
                return None if self.nonsense else await self._counted(model, ask)
        return await ask(1)

    async def _counted(self, model: str, ask: Callable[[int], Awaitable[Answer]]) -> Answer | None:
        self.judges += 1
        try:
            await asyncio.sleep(0)  # so that the other judges of the same question are counted, too
            return await self._heard(model, ask)
        finally:
            self.judges -= 1
            async with self.changed:
                self.changed.notify_all()

    async def _heard(self, model: str, ask: Callable[[int], Awaitable[Answer]]) -> Answer | None:
        for tries in range(1, TRIES + 1):
            answer = await ask(1 if self.is_proven else tries)
            self.is_proven = self.is_proven or answer.reply is not None
            if self.is_proven or not is_unreadable(answer):
                return answer
            self.failed[tries] += 1
            async with self.changed:
                self.changed.notify_all()
                await self.changed.wait_for(lambda: self.is_proven or self.failed[tries] >= self.judges)  # noqa: B023
            if self.is_proven:
                return answer
        self.nonsense[model] = str(answer.failure).partition(": ")[2]
        return None

    @property
    def reason(self) -> str:
        """What a run says that stops over it."""
        told = "; ".join(f"{model}: {why}" for model, why in self.nonsense.items())
        return f"The first answers of every judge could not be read ({told})."
