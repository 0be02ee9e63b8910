"""Going through a procedure without a run: what it asks is asked, what it tells is handed on, nothing is kept on disk.

For programs that want one stage, or the whole work on one document, and remember the result themselves.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Generator
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from burnish.core.asks import Answer
from burnish.core.documents import Unit
from burnish.core.procedures import Draft, Request, Step, Together, Told
from burnish.engine.answers import NO_MODELS, Asker, all_answers

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Performed(Generic[T]):
    """What a procedure came to: the last thing that a performance gives."""

    value: T


@dataclass(slots=True)
class Performance:
    """One procedure on its way. It remembers every draft, so that the attempt which stands can be found again."""

    asker: Asker | None
    """None: every request stays unanswered."""
    drafts: dict[str, list[Unit]] = field(default_factory=dict)
    """Unit -> its drafts in order; the first has the number 1."""
    failures: list[str] = field(default_factory=list)
    """Why requests stayed without a usable answer."""

    async def events(self, procedure: Generator[Step, Any, T]) -> AsyncIterator[Told | Performed[T]]:
        """Everything that the procedure tells, as it tells it; at last, what it came to."""
        sent: Any = None
        while True:
            try:
                step = procedure.send(sent)
            except StopIteration as end:
                yield Performed(end.value)
                return
            sent = None
            if isinstance(step, Together):
                sent = await self._answers(step)
            elif isinstance(step, Draft):
                sent = self._number(step)
            else:
                yield step

    async def result(self, procedure: Generator[Step, Any, T]) -> T:
        """What the procedure comes to, for callers that do not watch."""
        async for item in self.events(procedure):
            if isinstance(item, Performed):
                return item.value
        raise AssertionError("a procedure that ends has a result")

    def draft(self, unit: str, number: int) -> Unit:
        return self.drafts[unit][number - 1]

    def _number(self, draft: Draft) -> int:
        kept = self.drafts.setdefault(draft.unit.id, [])
        kept.append(draft.unit)
        return len(kept)

    async def _answers(self, step: Together) -> tuple[Answer, ...]:
        answers = await all_answers(map(self._answer, step.requests))
        self.failures += [answer.failure for answer in answers if answer.failure is not None]
        return answers

    async def _answer(self, request: Request) -> Answer:
        if self.asker is None:
            return Answer(request.model, None, NO_MODELS)
        return await self.asker.ask(request.ask, request.model, is_optional=request.is_optional)
