"""Who goes first at the turnstile."""

import asyncio

import httpx2
import pytest

from burnish.models.turnstile import Turnstile, _departed, watch_arrival, watch_departure
from tests.models.fixtures import run_virtually

SENT = "http11.send_request_body.complete"


async def call(turnstile: Turnstile, name: str, story: list[str], latency: float) -> None:
    """A request that takes three turns of the loop to be put on the wire, and its answer."""
    async with turnstile.passing():
        for _ in range(3):
            story.append(f"{name} leaves")
            await asyncio.sleep(0)
        await _departed(SENT, {})
        await asyncio.sleep(latency)
        await watch_arrival(httpx2.Response(200))
        story.append(f"{name} is back")


def test_requests_leave_one_after_another() -> None:
    async def main() -> list[str]:
        turnstile, story = Turnstile(), list[str]()
        await asyncio.gather(*(call(turnstile, name, story, latency=1.0) for name in "ab"))
        return story

    assert run_virtually(main()) == ["a leaves"] * 3 + ["b leaves"] * 3 + ["a is back", "b is back"]


def test_an_answer_waits_for_all_who_are_about_to_leave() -> None:
    async def main() -> list[str]:
        turnstile, story = Turnstile(), list[str]()
        await asyncio.gather(*(call(turnstile, name, story, latency=0.0) for name in "abc"))
        return story

    leaving = [f"{name} leaves" for name in "abc" for _ in range(3)]
    assert run_virtually(main()) == [*leaving, "a is back", "b is back", "c is back"]


def test_who_has_entered_leaves_again_before_the_next_one_enters() -> None:
    async def worker(turnstile: Turnstile, name: str, story: list[str]) -> None:
        await call(turnstile, name, story, latency=1.0)
        await call(turnstile, name, story, latency=1.0)

    async def main() -> list[str]:
        turnstile, story = Turnstile(), list[str]()
        await asyncio.gather(*(worker(turnstile, name, story) for name in "ab"))
        return story

    again = ["a is back", *["a leaves"] * 3, "b is back", *["b leaves"] * 3]
    assert run_virtually(main())[6:14] == again


def test_a_request_that_is_called_off_while_it_waits_holds_nobody_up() -> None:
    async def main() -> list[str]:
        turnstile, story = Turnstile(), list[str]()
        async with turnstile.passing():
            waiting = asyncio.create_task(call(turnstile, "b", story, latency=0.0))
            await asyncio.sleep(0)
            waiting.cancel()
            with pytest.raises(asyncio.CancelledError):
                await waiting
        await call(turnstile, "c", story, latency=0.0)
        return story

    assert run_virtually(main()) == ["c leaves"] * 3 + ["c is back"]


def test_a_request_that_waits_for_its_connection_has_left() -> None:
    async def main() -> bool:
        turnstile = Turnstile()
        async with turnstile.passing():
            request = httpx2.Request("POST", "http://127.0.0.1")
            await watch_departure(request)
            await request.extensions["trace"]("connection.connect_tcp.started", {})
            await request.extensions["trace"](SENT, {})
            async with asyncio.timeout(1), turnstile.passing():
                return True

    assert run_virtually(main())


def test_without_a_turnstile_nobody_waits() -> None:
    async def main() -> bool:
        await _departed(SENT, {})
        await watch_arrival(httpx2.Response(200))
        return True

    assert run_virtually(main())
