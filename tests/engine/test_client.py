"""The client of a run: what an answer cost and took, and when a model counts as away."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest

from burnish.core.effects import Answer, Request
from burnish.core.errors import ModelAway
from burnish.engine.client import FAILURES_IN_A_ROW, ModelClient
from burnish.models.budget import Budget, Price
from burnish.models.calls import Call, TokenCount
from burnish.models.gateway import Gateway
from burnish.models.rate_limits import Retry, RetryPolicy
from burnish.models.scripted import Fault, Rule, ScriptedModel
from burnish.store.journal import MemoryJournal
from tests.store.samples import SetClock

MODEL = "scripted:m"
NO_EDITS = {"reasoning": "fine", "edits": []}
DOWN = Rule(fault=Fault(status=401))


def request(unit: str = "q1") -> Request:
    given = {"attempt": "1", "attempts": "3", "history": ""}
    content = {"question": f"What is {unit}?", "violations": "none"}
    return Request("corrector", unit, "burnish.kinds.questions.prompts:correct", "edit_reply", given, content, 500)


def client(answer: Callable[[Call], Rule], journal: MemoryJournal | None = None) -> ModelClient:
    budget = Budget(prices={MODEL: Price(1.0, 1.0)})
    quick = Retry(RetryPolicy(max_attempts=1))
    model = ScriptedModel(answer)
    return ModelClient(Gateway(journal or MemoryJournal(clock=SetClock()), model, budget=budget, retry=quick), "0" * 32)


def asked(one: ModelClient, *units: str, is_optional: bool = False) -> list[Answer | ModelAway]:
    async def main() -> list[Answer | ModelAway]:
        found: list[Answer | ModelAway] = []
        for unit in units:
            try:
                found.append(await one.ask(request(unit), MODEL, is_optional=is_optional))
            except ModelAway as away:
                found.append(away)
        return found

    return asyncio.run(main())


def test_an_answer_says_what_it_took_and_cost_the_same_when_it_is_recorded() -> None:
    journal = MemoryJournal(clock=SetClock())
    rule = Rule(reply=NO_EDITS, usage=TokenCount(900, 80), latency=0.03)
    [new] = asked(client(lambda _: rule, journal), "q1")
    [call] = journal.calls()
    assert isinstance(new, Answer) and new.failure is None and not new.refused and not new.away
    assert new.seconds == call.duration_ms / 1000 and call.duration_ms >= 30
    assert (new.usage, new.calls) == (call.usage, (call.key,))
    [again] = asked(client(lambda _: DOWN, journal), "q1")
    assert again == new


def test_a_model_that_fails_now_and_then_is_away_only_after_some_times_in_a_row() -> None:
    answers = iter([Rule(fault=Fault(status=500)), Rule(fault=Fault(status=500)), Rule(reply=NO_EDITS)])
    one = client(lambda _: next(answers, Rule(fault=Fault(status=500))))
    found = asked(one, *(f"q{number}" for number in range(3 + FAILURES_IN_A_ROW + 1)))
    kinds = [isinstance(each, ModelAway) for each in found]
    assert kinds == [True, True, False, *(FAILURES_IN_A_ROW + 1) * [True]]
    last = found[-1]
    assert isinstance(last, ModelAway) and "500" in last.message, "it says why the last call failed"


def test_only_a_model_that_counts_as_away_is_an_outage() -> None:
    one = client(lambda _: Rule(fault=Fault(status=500)))
    for place in range(1, FAILURES_IN_A_ROW + 1):
        [away] = asked(one, f"q{place}")
        assert isinstance(away, ModelAway)
        one.park(away)
        assert (one.outage is not None) is (place == FAILURES_IN_A_ROW)
    assert one.outage is not None and "500" in one.outage
    one.park(ModelAway(MODEL, "another reason"))
    assert "500" in one.outage, "the first reason is told"
    [refused] = asked(one, "q9")
    assert isinstance(refused, ModelAway) and refused.message == one.outage


def test_an_optional_request_to_a_model_that_is_away_is_answered_with_that() -> None:
    one = client(lambda _: DOWN)
    [first, second] = asked(one, "q1", "q2", is_optional=True)
    for found in (first, second):
        assert isinstance(found, Answer) and found.away and found.reply is None
        assert str(found.failure).startswith("model_failed: ")


def test_a_provider_that_takes_no_batches_now_is_an_outage() -> None:
    class Away(Gateway):
        exchanges = 0

        async def exchange(self) -> None:
            self.exchanges += 1
            raise ModelAway(MODEL, "no batches today")

    gateway = Away(MemoryJournal(clock=SetClock()), ScriptedModel([]))
    one = ModelClient(gateway, "0" * 32)
    for _ in range(2):
        asyncio.run(one.exchange())
    assert (one.outage, gateway.exchanges) == ("no batches today", 1)


@pytest.mark.parametrize("status", [400, 413, 422])
def test_of_a_model_that_has_answered_a_refused_request_is_no_outage(status: int) -> None:
    one = client(lambda call: Rule(fault=Fault(status=status)) if call.unit == "q2" else Rule(reply=NO_EDITS))
    first, refused, third = asked(one, "q1", "q2", "q3")
    assert isinstance(refused, Answer) and refused.refused and str(refused.failure).startswith("model_failed")
    for answer in (first, third):
        assert isinstance(answer, Answer) and answer.failure is None
