"""The gateway: look up, call, commit, and only then let it be read."""

import asyncio
import contextlib
import random
from collections.abc import Sequence
from typing import Any

import pytest

from burnish.core.errors import LimitReached, ModelFailed, UsageError
from burnish.core.faultpoints import installed
from burnish.core.records import CallRecord, Usage
from burnish.models.budget import Budget, Price, most_tokens
from burnish.models.calls import Call, CallLog, Provider, ProviderFault, RawReply, TokenCount
from burnish.models.gateway import CallFailed, Gateway
from burnish.models.rate_limits import Limits, ModelLimits, Retry, RetryPolicy
from burnish.models.scripted import Fault, Rule, ScriptedModel
from burnish.store.journal import MemoryJournal
from tests.models.fixtures import NO_EDITS, MemoryLog, a_call, run_virtually


def gateway(provider: Provider | Sequence[Rule], log: CallLog | None = None, **parts: Any) -> Gateway:
    model = ScriptedModel(provider) if isinstance(provider, Sequence) else provider
    parts.setdefault("retry", Retry(RetryPolicy(), rng=random.Random(1)))
    return Gateway(log or MemoryLog(), model, **parts)


def test_the_raw_reply_is_committed_and_returned() -> None:
    log = MemoryLog()
    raw = 'not even {"json"'
    record = run_virtually(gateway([Rule(reply=raw, usage=TokenCount(100, 20))], log).ask(a_call()))
    assert log.written == [record]
    assert (record.raw, record.status, record.tries, record.error) == (raw, "ok", 1, None)
    assert (record.unit, record.role, record.model, record.reply_name) == (
        "q1", "corrector", "scripted:test", "edit_reply",
    )  # fmt: skip
    assert record.request["user"] == "Mend this."
    assert record.usage == Usage(100, 20, None)


def test_a_recorded_reply_is_read_and_never_paid_for_again() -> None:
    async def main() -> None:
        log, model = MemoryLog(), ScriptedModel([Rule(reply=NO_EDITS)])
        first = await gateway(model, log).ask(a_call())
        resumed = gateway(model, log)
        assert await resumed.ask(a_call(unit="q2")) == first
        assert len(model.asked) == 1
        assert resumed.budget.spent == Usage()

    run_virtually(main())


def test_two_that_ask_the_same_at_once_share_one_call() -> None:
    async def main() -> None:
        model = ScriptedModel([Rule(reply=NO_EDITS, latency=1.0)])
        asking = gateway(model)
        records = await asyncio.gather(*(asking.ask(a_call()) for _ in range(5)))
        assert len(model.asked) == 1
        assert all(record == records[0] for record in records)

    run_virtually(main())


def test_a_shared_call_that_fails_fails_for_all() -> None:
    async def main() -> None:
        model = ScriptedModel([Rule(fault=Fault(status=400), latency=1.0)])
        asking = gateway(model)
        results = await asyncio.gather(*(asking.ask(a_call()) for _ in range(3)), return_exceptions=True)
        assert [isinstance(result, ModelFailed) for result in results] == [True] * 3
        assert len(model.asked) == 1

    run_virtually(main())


def test_if_the_first_asker_is_called_off_the_second_calls_itself() -> None:
    async def main() -> None:
        model = ScriptedModel([Rule(reply=NO_EDITS, latency=1.0)])
        asking = gateway(model)
        first = asyncio.create_task(asking.ask(a_call()))
        second = asyncio.create_task(asking.ask(a_call()))
        await asyncio.sleep(0.5)
        first.cancel()
        assert (await second).status == "ok"
        assert len(model.asked) == 2

    run_virtually(main())


def test_failed_tries_stay_on_the_bill() -> None:
    async def main() -> None:
        log = MemoryLog()
        model = ScriptedModel(
            [
                Rule(fault=Fault(kind="timeout"), nth=1),
                Rule(fault=Fault(status=429), nth=2),
                Rule(reply=NO_EDITS, usage=TokenCount(200, 20)),
            ]
        )
        record = await gateway(model, log).ask(a_call())
        assert record.tries == 3
        assert record.usage.prompt_tokens > 300  # the prompt of the lost answer, and the 200 of the good one
        assert record.usage.completion_tokens == 20
        assert len(log.written) == 1

    run_virtually(main())


def test_a_call_that_fails_for_good_is_recorded_with_what_it_cost() -> None:
    async def main() -> None:
        log = MemoryLog()
        rules = [Rule(fault=Fault(status=503, body="<html>busy</html>"))]
        with pytest.raises(
            CallFailed, match=r"scripted:test gave no usable answer for q1: .*503.*tried 4 times"
        ) as end:
            await gateway(rules, log).ask(a_call())
        (record,) = log.written
        assert (end.value.record, end.value.answered) == (record, False)
        assert (record.status, record.tries, record.raw) == ("failed", 4, "<html>busy</html>")
        assert record.error is not None
        assert record.error.startswith("server: ")

    run_virtually(main())


def test_a_failed_call_may_be_made_again_on_resume() -> None:
    async def main() -> None:
        log = MemoryLog()
        model = ScriptedModel([Rule(fault=Fault(status=400), nth=1), Rule(reply=NO_EDITS)])
        with pytest.raises(ModelFailed):
            await gateway(model, log).ask(a_call())
        assert (await gateway(model, log).ask(a_call())).status == "ok"
        assert [record.status for record in log.written] == ["failed", "ok"]

    run_virtually(main())


@pytest.mark.parametrize("kind", ["truncated", "refused"])
def test_an_answer_that_was_paid_is_not_asked_for_again(kind: Any) -> None:
    async def main() -> None:
        log, model = MemoryLog(), ScriptedModel([Rule(fault=Fault(kind=kind, body='{"reasoning": "half'))])
        for _ in range(2):
            with pytest.raises(CallFailed) as caught:
                await gateway(model, log).ask(a_call())
            assert caught.value.answered
        assert len(model.asked) == 1
        assert log.written[0].raw == '{"reasoning": "half'
        assert log.written[0].usage.completion_tokens > 0

    run_virtually(main())


def test_the_call_that_would_cross_the_ceiling_is_not_made() -> None:
    async def main() -> None:
        log, model = MemoryLog(), ScriptedModel([Rule(reply=NO_EDITS)])
        asking = gateway(model, log, budget=Budget(max_tokens=100))
        with pytest.raises(LimitReached):
            await asking.ask(a_call())
        assert (model.asked, log.written) == ([], [])

    run_virtually(main())


def test_a_ceiling_met_between_tries_keeps_the_tries_on_the_bill() -> None:
    async def main() -> None:
        log = MemoryLog()
        model = ScriptedModel([Rule(fault=Fault(kind="timeout"))])
        asking = gateway(model, log, budget=Budget(max_tokens=450))
        with pytest.raises(LimitReached):
            await asking.ask(a_call())
        (record,) = log.written
        assert (record.status, record.tries) == ("failed", len(model.asked))
        assert record.usage.total_tokens == asking.budget.spent.total_tokens > 0
        with pytest.raises(LimitReached):
            await asking.ask(a_call())

    run_virtually(main())


def test_prices_are_on_the_record() -> None:
    async def main() -> None:
        budget = Budget(prices={"scripted:test": Price(input=1.0, output=2.0)})
        record = await gateway([Rule(reply=NO_EDITS, usage=TokenCount(100, 20))], budget=budget).ask(a_call())
        assert record.usage.cost == pytest.approx(140 / 1_000_000)

    run_virtually(main())


def test_limits_are_kept() -> None:
    async def main() -> float:
        limits = Limits({"scripted:test": ModelLimits(requests_per_minute=2)})
        asking = gateway([Rule(reply=NO_EDITS)], limits=limits)
        await asyncio.gather(*(asking.ask(a_call(f"{number}")) for number in range(5)))
        return asyncio.get_running_loop().time()

    assert run_virtually(main()) == 120.0


def test_a_call_that_is_called_off_gives_its_reservation_back() -> None:
    async def main() -> None:
        budget = Budget(max_tokens=1_000)
        limits = Limits({"scripted:test": ModelLimits(requests_per_minute=1)})
        asking = gateway([Rule(reply=NO_EDITS, usage=TokenCount(200, 10))], budget=budget, limits=limits)
        await asking.ask(a_call("first"))
        waiting = asyncio.create_task(asking.ask(a_call("second")))
        await asyncio.sleep(1.0)
        waiting.cancel()
        await asyncio.wait([waiting])
        assert budget.spent.total_tokens == 210
        assert (await asking.ask(a_call("third"))).status == "ok"

    run_virtually(main())


def test_a_misuse_costs_nothing_and_is_not_recorded() -> None:
    class Unset:
        async def send(self, call: Call) -> RawReply:
            raise UsageError("no key")

    async def main() -> None:
        log = MemoryLog()
        asking = gateway(Unset(), log)
        with pytest.raises(UsageError):
            await asking.ask(a_call())
        assert (log.written, asking.budget.spent.total_tokens) == ([], 0)

    run_virtually(main())


def test_a_bug_in_a_provider_is_not_swallowed() -> None:
    class Buggy:
        async def send(self, call: Call) -> RawReply:
            raise ZeroDivisionError

    async def main() -> None:
        with pytest.raises(ZeroDivisionError):
            await gateway(Buggy()).ask(a_call())

    run_virtually(main())


def test_the_fault_points_are_passed_in_order() -> None:
    passed: list[str] = []

    class Log(MemoryLog):
        async def write(self, *records: Any) -> None:
            passed.append("written")
            await super().write(*records)

    with installed(passed.append):
        run_virtually(gateway([Rule(reply=NO_EDITS)], Log()).ask(a_call()))
    assert passed == ["written", "models.call.before", "models.call.after", "written", "models.reply.recorded"]


def test_a_long_error_page_is_kept_in_part() -> None:
    class Chatty:
        async def send(self, call: Call) -> RawReply:
            raise ProviderFault("rejected", "no", status=400, body="x" * 1_000_000)

    async def main() -> CallRecord:
        log = MemoryLog()
        with pytest.raises(ModelFailed):
            await gateway(Chatty(), log).ask(a_call())
        return log.written[0]

    assert len(run_virtually(main()).raw) == 100_000


def gossip(log: MemoryLog, **parts: Any) -> Gateway:
    return gateway([Rule(reply="the key is sk-1", usage=TokenCount(100, 20))], log, **parts)


def test_a_reply_that_holds_a_key_is_paid_and_withheld() -> None:
    log = MemoryLog()
    with pytest.raises(CallFailed, match="repeats a key of this machine") as failed:
        run_virtually(gossip(log, holds_key=lambda text: "sk-1" in text).ask(a_call()))
    assert failed.value.answered and not failed.value.of_endpoint
    [record] = log.written
    assert isinstance(record, CallRecord)
    assert (record.status, record.raw, record.usage) == ("failed", "", Usage(100, 20, None))
    assert "sk-1" not in repr(log.written)


def test_a_withheld_reply_is_not_asked_for_again() -> None:
    async def main() -> None:
        log = MemoryLog()
        for _ in range(2):
            with pytest.raises(CallFailed, match="repeats a key"):
                await gossip(log, holds_key=lambda text: "sk-1" in text).ask(a_call())
        with pytest.raises(CallFailed, match="repeats a key"):
            await gossip(log).ask(a_call())
        assert len(log.written) == 1

    run_virtually(main())


def test_a_recorded_reply_is_withheld_once_its_words_are_a_key() -> None:
    async def main() -> None:
        log = MemoryLog()
        assert (await gossip(log).ask(a_call())).raw == "the key is sk-1"
        with pytest.raises(CallFailed, match="repeats a key") as failed:
            await gossip(log, holds_key=lambda text: "sk-1" in text).ask(a_call())
        assert "sk-1" not in repr(failed.value.record)

    run_virtually(main())


def test_a_call_under_way_when_the_time_is_over_is_ended_and_billed() -> None:
    async def main() -> None:
        loop, log = asyncio.get_running_loop(), MemoryLog()
        model = ScriptedModel([Rule(reply=NO_EDITS, latency=130.0)])
        gateway = Gateway(log, model, seconds_left=lambda: 5.0 - loop.time())
        with pytest.raises(LimitReached, match="time limit"):
            await gateway.ask(a_call())
        assert loop.time() == pytest.approx(15.0)
        [record] = log.written
        assert (record.status, record.usage) == ("failed", gateway.budget.spent)
        assert record.usage.completion_tokens == a_call().max_tokens
        with pytest.raises(LimitReached, match="time limit"):
            await gateway.ask(a_call("Another."))
        assert len(model.asked) == 1

    run_virtually(main())


def test_no_call_begins_that_cannot_end_in_time() -> None:
    async def main() -> None:
        loop = asyncio.get_running_loop()
        model = ScriptedModel([Rule(reply=NO_EDITS, latency=20.0)])
        gateway = Gateway(MemoryLog(), model, seconds_left=lambda: 25.0 - loop.time(), clock=loop.time)
        await gateway.ask(a_call())
        with pytest.raises(LimitReached, match="time limit"):
            await gateway.ask(a_call("Another."))
        assert (len(model.asked), loop.time()) == (1, 20.0)

    run_virtually(main())


def test_a_call_that_was_begun_and_never_ended_is_perhaps_paid() -> None:
    async def main() -> None:
        journal = MemoryJournal()
        slow = asyncio.create_task(gateway([Rule(reply=NO_EDITS, latency=9.0)], journal).ask(a_call()))
        await asyncio.sleep(1)
        slow.cancel()
        await asyncio.wait([slow])
        most = most_tokens(a_call())
        assert (journal.totals().lost_calls, journal.totals().lost_tokens) == (1, most.prompt + most.completion)

    run_virtually(main())


@pytest.mark.parametrize(
    "rule", [Rule(reply=NO_EDITS), Rule(fault=Fault(status=400)), Rule(fault=Fault(kind="timeout"))]
)
def test_a_call_that_is_over_is_not_perhaps_paid(rule: Rule) -> None:
    async def main() -> None:
        journal = MemoryJournal()
        with contextlib.suppress(ModelFailed):
            await gateway([rule], journal).ask(a_call())
        assert (journal.totals().calls, journal.totals().lost_calls) == (1, 0)

    run_virtually(main())


def test_neither_is_one_that_never_left_the_house() -> None:
    class Unusable:
        async def send(self, call: Call) -> RawReply:
            raise UsageError("There is no such provider.")

    async def main() -> None:
        journal = MemoryJournal()
        with pytest.raises(UsageError):
            await gateway(Unusable(), journal).ask(a_call())
        assert journal.totals() == MemoryJournal().totals()

    run_virtually(main())
