"""Whoever can be asked, and how several answers are waited for."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterable
from typing import Any, Protocol

from burnish.core.asks import Answer, Ask
from burnish.core.errors import ModelAway

NO_MODELS = "model_failed: no model is set"
"""The failure of an ask that nobody is there to answer."""


class Asker(Protocol):
    """Puts asks to models. Running out of budget is raised, and so is ModelAway; a bad answer is an Answer."""

    async def ask(self, ask: Ask, model: str, *, is_optional: bool = False) -> Answer:
        """`is_optional`: another model can take the role, so that one that is away is an Answer too."""
        ...

    def park(self, away: ModelAway) -> None:
        """Work was left where it is. If its model counts as away, no new call begins from now on."""
        ...

    @property
    def outage(self) -> str | None:
        """Why no new call begins in this session: a model that nobody can replace is away. None: calls are made."""
        ...


async def all_answers(asked: Iterable[Coroutine[Any, Any, Answer]]) -> tuple[Answer, ...]:
    """Every answer, in the order of the asks; the first failure is raised once all are over.

    All are waited for: a call that is under way when another meets the ceiling is paid, so it is recorded.
    """
    answers = await asyncio.gather(*asked, return_exceptions=True)
    for answer in answers:
        if isinstance(answer, BaseException):
            raise answer
    return tuple(answer for answer in answers if isinstance(answer, Answer))
