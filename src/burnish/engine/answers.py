"""Whoever can be asked, and how several answers are waited for."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterable
from typing import Any, Protocol

from burnish.core.asks import Answer, Ask

NO_MODELS = "model_failed: no model is set"
"""The failure of an ask that nobody is there to answer."""


class Asker(Protocol):
    """Whoever can put an ask to a model. Running out of budget is raised; a bad answer is an Answer."""

    async def ask(self, ask: Ask, model: str) -> Answer: ...


async def all_answers(asked: Iterable[Coroutine[Any, Any, Answer]]) -> tuple[Answer, ...]:
    """Every answer, in the order of the asks; the first failure is raised once all are over.

    All are waited for: a call that is under way when another meets the ceiling is paid, so it is recorded.
    """
    answers = await asyncio.gather(*asked, return_exceptions=True)
    for answer in answers:
        if isinstance(answer, BaseException):
            raise answer
    return tuple(answer for answer in answers if isinstance(answer, Answer))
