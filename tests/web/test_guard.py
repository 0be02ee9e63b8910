"""How much one visitor may ask for."""

from __future__ import annotations

import asyncio
from contextlib import closing
from pathlib import Path
from typing import Any

import httpx2
import pytest

from burnish.app.settings import Serving
from burnish.web.server import guard as limits
from burnish.web.server.guard import STRANGER, Rates, TooMuch, limited_body, sort_of
from tests.workbench import workbench

SERVING = Serving(requests_per_second=2, changes_per_second=1, jobs_per_minute=60)


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def asked(rates: Rates, times: int, method: str = "GET", path: str = "/runs", visitor: str = "a") -> int:
    """How many of so many requests are let through."""
    through = 0
    for _ in range(times):
        try:
            rates.take(visitor, sort_of(method, path))
            through += 1
        except TooMuch as much:
            assert much.problem.status == 429
            assert int(much.problem.headers["Retry-After"]) >= 1
    return through


class TestRates:
    def test_three_seconds_of_requests_at_once(self) -> None:
        assert asked(Rates(SERVING, Clock()), 10) == 6

    def test_the_bucket_fills_up_again(self) -> None:
        clock = Clock()
        rates = Rates(SERVING, clock)
        assert asked(rates, 10) == 6
        clock.now = 1.0
        assert asked(rates, 10) == 2
        clock.now = 1000.0
        assert asked(rates, 10) == 6

    def test_visitors_are_counted_apart(self) -> None:
        rates = Rates(SERVING, Clock())
        assert asked(rates, 10, visitor="a") == asked(rates, 10, visitor="b") == 6

    def test_changes_and_jobs_have_buckets_of_their_own(self) -> None:
        rates = Rates(SERVING, Clock())
        assert asked(rates, 10, "POST", "/queue/decide") == 3
        assert asked(rates, 20, "POST", "/api/v1/check") == 10
        assert asked(rates, 20, "POST", "/api/v1/courses/c/seeds/s/regenerate") == 0
        assert asked(rates, 10) == 6

    def test_strangers_do_not_empty_the_bucket_of_a_reviewer(self) -> None:
        rates = Rates(SERVING, Clock())
        for _ in range(6):
            rates.take("a", STRANGER)
        with pytest.raises(TooMuch):
            rates.take("a", STRANGER)
        assert asked(rates, 10) == 6

    def test_few_visitors_are_remembered(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(limits, "MOST_VISITORS", 3)
        rates = Rates(SERVING, Clock())
        for visitor in "abcdef":
            rates.take(visitor, "read")
        assert len(rates._buckets) == 3


def received(*pieces: bytes, declared: str | None = None, largest: int = 10) -> bytes:
    async def main() -> bytes:
        waiting = list(pieces)

        async def receive() -> dict[str, Any]:
            return {"type": "http.request", "body": waiting.pop(0), "more_body": bool(waiting)}

        bounded, body = limited_body(receive, declared, largest), b""
        while True:
            message = await bounded()
            body += message["body"]
            if not message["more_body"]:
                return body

    return asyncio.run(main())


class TestBodies:
    def test_one_that_fits(self) -> None:
        assert received(b"12345", b"67890") == b"1234567890"

    @pytest.mark.parametrize("declared", ["11", "99999999999999999999", "-1", "x", "١٢"])
    def test_one_that_says_it_is_too_large(self, declared: str) -> None:
        with pytest.raises(TooMuch) as caught:
            received(b"", declared=declared)
        assert caught.value.problem.status == 413

    def test_one_that_does_not_say_so(self) -> None:
        with pytest.raises(TooMuch):
            received(b"123456", b"67890")

    def test_one_that_does_not_come(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(limits, "BODY_SECONDS", 0.01)

        async def never() -> Any:
            await asyncio.sleep(60)

        with pytest.raises(TooMuch) as caught:
            asyncio.run(limited_body(never, None, 10)())  # type: ignore[arg-type]
        assert caught.value.problem.status == 408


def test_the_server_says_that_it_answers_and_nothing_else(tmp_path: Path) -> None:
    with workbench(tmp_path / "runs") as server:
        answer = httpx2.get(f"{server.address}/health")
        assert (answer.status_code, answer.json()) == (200, {"status": "ok"})
        assert httpx2.post(f"{server.address}/health").status_code in (401, 403)


def test_what_can_be_got_can_be_asked_about(tmp_path: Path) -> None:
    with workbench(tmp_path / "runs") as server, closing(server.browser("Robin")) as browser:
        for place in ("/runs", "/api/v1/runs", "/health"):
            asked, got = browser.head(place), browser.get(place)
            assert (asked.status_code, asked.content) == (got.status_code, b"") and asked.status_code == 200
        assert httpx2.head(f"{server.address}/api/v1/runs").status_code == 401
