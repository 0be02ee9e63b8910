"""Whoever can be asked."""

from __future__ import annotations

from typing import Protocol

from burnish.core.asks import Answer, Ask


class Asker(Protocol):
    """Whoever can put an ask to a model. Running out of budget is raised; a bad answer is an Answer."""

    async def ask(self, ask: Ask, model: str) -> Answer: ...
