"""Answers: what came of asking a model, and who can be asked."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

from burnish.core.asks import Ask
from burnish.core.records import Usage


@dataclass(frozen=True, slots=True)
class Answer:
    """What came of an ask. Exactly one of `reply` and `failure` is there."""

    model: str
    reply: object | None
    failure: str | None = None
    """`model_failed` or `reply_unreadable`, with the reason behind a colon."""
    calls: tuple[str, ...] = ()
    usage: Usage = field(default_factory=Usage)


class Asker(Protocol):
    """Whoever can put an ask to a model. Running out of budget is raised; a bad answer is an Answer."""

    async def ask(self, ask: Ask, model: str) -> Answer: ...
