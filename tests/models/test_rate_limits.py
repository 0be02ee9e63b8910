"""Limits: requests and tokens a minute, fairness, and backing off together."""

import asyncio

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from burnish.models.calls import ProviderFault
from burnish.models.rate_limits import Door, Limits, ModelLimits, SlidingMinute, Throttle
from tests.models.fixtures import run_virtually

MODEL = "scripted:test"


def throttle(rpm: int | None = None, tpm: int | None = None) -> Throttle:
    return Limits({MODEL: ModelLimits(rpm, tpm)}).of(MODEL)


def refusal(retry_after: float | None = None) -> ProviderFault:
    return ProviderFault("rate_limited", "429", status=429, retry_after=retry_after)


def now() -> float:
    return asyncio.get_running_loop().time()


async def entries(door: Throttle, count: int, tokens: int = 10, inside: float = 0.0) -> list[tuple[int, float]]:
    """Who entered when, for `count` workers that come at once."""
    order: list[tuple[int, float]] = []

    async def worker(number: int) -> None:
        async with door.slot(tokens):
            order.append((number, now()))
            await asyncio.sleep(inside)

    await asyncio.gather(*(worker(number) for number in range(count)))
    return order


def test_without_limits_nobody_waits() -> None:
    order = run_virtually(entries(throttle(), 100, inside=1.0))
    assert order == [(number, 0.0) for number in range(100)]


def test_requests_a_minute_in_the_order_of_arrival() -> None:
    order = run_virtually(entries(throttle(rpm=10), 25))
    assert [number for number, _ in order] == list(range(25))
    assert [moment for _, moment in order] == [0.0] * 10 + [60.0] * 10 + [120.0] * 5


def test_tokens_a_minute() -> None:
    order = run_virtually(entries(throttle(tpm=100), 9, tokens=30))
    assert [moment for _, moment in order] == [0.0] * 3 + [60.0] * 3 + [120.0] * 3


def test_more_tokens_than_a_minute_allows_enter_alone() -> None:
    order = run_virtually(entries(throttle(tpm=100), 3, tokens=500))
    assert [moment for _, moment in order] == [0.0, 60.0, 120.0]


def test_tokens_that_were_not_used_are_given_back() -> None:
    async def main() -> list[float]:
        door, entered = throttle(tpm=100), []
        for _ in range(8):
            async with door.slot(40) as slot:
                entered.append(now())
                slot.used(10)
        return entered

    assert run_virtually(main()) == [0.0] * 7 + [60.0]


def test_a_correction_that_comes_after_the_minute_changes_nothing() -> None:
    minute = SlidingMinute(100)
    entry = minute.add(90, now=0.0)
    assert minute.wait(50, now=10.0) == 50.0
    assert minute.wait(50, now=60.0) == 0.0
    minute.correct(entry, 10)
    assert minute.total == 0


@settings(max_examples=60, deadline=None)
@given(
    st.integers(1, 8),
    st.integers(50, 300),
    st.lists(st.tuples(st.floats(0, 40), st.integers(1, 120)), min_size=1, max_size=40),
)
def test_no_window_of_a_minute_ever_holds_more_than_allowed(rpm: int, tpm: int, calls: list[tuple[float, int]]) -> None:
    async def main() -> list[tuple[float, int]]:
        door, entered = throttle(rpm, tpm), []

        async def worker(delay: float, tokens: int) -> None:
            await asyncio.sleep(delay)
            async with door.slot(tokens):
                entered.append((now(), tokens))

        await asyncio.gather(*(worker(delay, tokens) for delay, tokens in calls))
        return entered

    entered = run_virtually(main())
    assert len(entered) == len(calls)
    for start, _ in entered:
        inside = [tokens for moment, tokens in entered if start <= moment < start + 59.999]
        assert len(inside) <= rpm
        assert sum(inside) <= tpm or len(inside) == 1


def test_a_429_stops_everybody_for_as_long_as_the_provider_asks() -> None:
    async def main() -> list[tuple[int, float]]:
        door = throttle()
        with pytest.raises(ProviderFault):
            async with door.slot(1):
                raise refusal(7.0)
        return await entries(door, 2)

    assert [moment for _, moment in run_virtually(main())] == [7.0, 7.0]


def test_pauses_double_with_refusals_and_halve_with_successes() -> None:
    async def main() -> list[float]:
        door, pauses = throttle(), []
        for succeeds in [False, False, False, True, True, False, True, True, True, True, False, True]:
            before = now()
            try:
                async with door.slot(1):
                    pauses.append(now() - before)
                    if not succeeds:
                        raise refusal()
            except ProviderFault:
                continue
        return pauses

    assert run_virtually(main()) == [0.0, 0.25, 0.5, 1.0, 0.0, 0.0, 0.5, 0.0, 0.0, 0.0, 0.0, 0.25]


def test_no_pause_of_our_own_is_longer_than_32_seconds() -> None:
    async def main() -> float:
        door = throttle()
        for _ in range(2_000):
            with pytest.raises(ProviderFault):
                async with door.slot(1):
                    before = now()
                    raise refusal()
        await entries(door, 1)
        return now() - before

    assert run_virtually(main()) == 32.0


def test_a_wish_to_wait_beyond_two_minutes_does_not_hold_the_others() -> None:
    async def main() -> list[tuple[int, float]]:
        door = throttle()
        with pytest.raises(ProviderFault):
            async with door.slot(1):
                raise refusal(500.0)
        return await entries(door, 1)

    assert run_virtually(main()) == [(0, 0.25)]


def test_after_a_refusal_fewer_are_under_way_and_then_more_again() -> None:
    async def main() -> tuple[int, int]:
        door = throttle()
        under_way, most = 0, 0

        async def worker(refused: bool) -> None:
            nonlocal under_way, most
            async with door.slot(1):
                under_way += 1
                most = max(most, under_way)
                await asyncio.sleep(1.0)
                under_way -= 1
                if refused:
                    raise refusal(0.0)

        await asyncio.gather(*(worker(True) for _ in range(8)), return_exceptions=True)
        most = 0
        await asyncio.gather(*(worker(False) for _ in range(4)))
        soon, most = most, 0
        await asyncio.gather(*(worker(False) for _ in range(200)))
        return soon, most

    soon, later = run_virtually(main())
    assert soon == 4
    assert later > 8


def test_other_faults_do_not_close_the_door() -> None:
    async def main() -> list[tuple[int, float]]:
        door = throttle()
        with pytest.raises(ProviderFault):
            async with door.slot(1):
                raise ProviderFault("server", "503", status=503)
        return await entries(door, 1)

    assert run_virtually(main()) == [(0, 0.0)]


def test_a_call_that_is_tried_again_goes_before_new_ones() -> None:
    async def main() -> list[str]:
        door, entered = throttle(rpm=1), []

        async def worker(name: str, turn: int, arrives: float) -> None:
            await asyncio.sleep(arrives)
            async with door.slot(1, turn):
                entered.append(name)

        old = door.turn()
        newer = [door.turn() for _ in range(3)]
        await asyncio.gather(
            worker("first", newer[0], 0.0),
            worker("second", newer[1], 1.0),
            worker("third", newer[2], 2.0),
            worker("retried", old, 3.0),
        )
        return entered

    assert run_virtually(main()) == ["first", "retried", "second", "third"]


def test_a_worker_that_is_called_off_as_the_door_is_handed_over_passes_it_on() -> None:
    async def main() -> None:
        door = Door()
        await door.take(1)
        second, third = asyncio.create_task(door.take(2)), asyncio.create_task(door.take(3))
        await asyncio.sleep(0)
        door.leave()
        second.cancel()
        await asyncio.wait([second, third])
        assert second.cancelled()
        assert not third.cancelled()
        waiting = asyncio.create_task(door.take(4))
        await asyncio.sleep(0)
        waiting.cancel()
        await asyncio.wait([waiting])
        door.leave()
        await asyncio.wait_for(door.take(5), 1)

    run_virtually(main())


def test_a_worker_that_is_called_off_while_waiting_holds_nobody_up() -> None:
    async def main() -> list[tuple[int, float]]:
        door = throttle(rpm=1)
        async with door.slot(1):
            pass
        waiting = asyncio.create_task(entries(door, 1))
        await asyncio.sleep(1.0)
        waiting.cancel()
        return await entries(door, 1)

    assert run_virtually(main()) == [(0, 60.0)]


def test_models_have_doors_of_their_own() -> None:
    limits = Limits({MODEL: ModelLimits(1, None)})
    assert limits.of(MODEL) is limits.of(MODEL)
    assert limits.of(MODEL) is not limits.of("scripted:other")


def test_models_without_limits_of_their_own_share_the_general_ones() -> None:
    limits = Limits({MODEL: ModelLimits(2, None)}, otherwise=ModelLimits(1, None))
    assert [moment for _, moment in run_virtually(entries(limits.of("scripted:other"), 2))] == [0.0, 60.0]
    assert [moment for _, moment in run_virtually(entries(limits.of(MODEL), 2))] == [0.0, 0.0]
