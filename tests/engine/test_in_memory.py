"""Procedures without a run."""

import asyncio
from collections.abc import Generator
from typing import Any

import pytest

from burnish.core.effects import Effect, Keep, ModelRequest, ask_together, draft, tell
from burnish.core.errors import LimitReached
from burnish.core.requests import Answer, Request
from burnish.engine.interpreters import InMemory, Performed
from tests.core.units import PlainUnit

ASK = Request("judge", "u1", "lessons:judge", "edit_reply", {}, {}, 100)


class Echo:
    """Answers with the model's own name; `limit` has no budget left, and `slow` takes its time."""

    def __init__(self) -> None:
        self.done: list[str] = []

    outage = None

    def park(self, away: object) -> None: ...

    async def ask(self, ask: Request, model: str, *, is_optional: bool = False) -> Answer:
        if model == "x:limit":
            raise LimitReached("No budget is left.")
        await asyncio.sleep(0.01 if model == "x:slow" else 0)
        self.done.append(model)
        return Answer(model, None, f"reply_unreadable: {model}" if model == "x:bad" else None)


def procedure(*models: str) -> Generator[Effect, Any, list[str]]:
    yield from tell("begun", "u1", number=1)
    first = yield from draft(Keep(PlainUnit.of("u1", text="one"), "source"))
    second = yield from draft(Keep(PlainUnit.of("u1", text="two"), "model"))
    answers = yield from ask_together(ModelRequest(ASK, model) for model in models)
    yield from tell("over", drafts=[first, second])
    return [answer.model for answer in answers]


async def gone_through(performance: InMemory, *models: str) -> list[object]:
    return [item async for item in performance.events(procedure(*models))]


def test_events_come_as_they_are_told_and_the_last_is_the_result() -> None:
    performance = InMemory(Echo())
    begun, over, end = asyncio.run(gone_through(performance, "x:slow", "x:a", "x:bad"))
    assert (begun.type, begun.unit, begun.data) == ("begun", "u1", {"number": 1})  # type: ignore[attr-defined]
    assert over.data == {"drafts": [1, 2]}  # type: ignore[attr-defined]
    assert end == Performed(["x:slow", "x:a", "x:bad"]), "answers are in the order of their requests"
    assert performance.draft("u1", 2).texts() == {"text": "two"}
    assert performance.failures == ["reply_unreadable: x:bad"]


def test_a_limit_ends_it_after_the_calls_that_are_under_way() -> None:
    asker = Echo()
    with pytest.raises(LimitReached):
        asyncio.run(InMemory(asker).result(procedure("x:limit", "x:slow")))
    assert asker.done == ["x:slow"]


def test_without_models_every_request_stays_unanswered() -> None:
    performance = InMemory(None)
    assert asyncio.run(performance.result(procedure("x:a"))) == ["x:a"]
    assert performance.failures == ["model_failed: no model is set"]
