"""The retry loop: what is tried again, how long it waits, and when it stops."""

import asyncio
import random
from datetime import UTC, datetime

import pytest

from burnish.core.errors import UsageError
from burnish.models.calls import FaultKind, ProviderFault, RawReply
from burnish.models.rate_limits import GaveUp, Retry, RetryPolicy, may_pass, parse_retry_after

NOW = datetime(2026, 11, 15, 12, 0, 0, tzinfo=UTC)
REPLY = RawReply("{}", None)


class Tries:
    """Fails with the given faults, one after another, then answers."""

    def __init__(self, *faults: ProviderFault) -> None:
        self.faults = list(faults)
        self.made = 0

    async def __call__(self) -> RawReply:
        self.made += 1
        if self.faults:
            raise self.faults.pop(0)
        return REPLY


def run(tries: Tries, policy: RetryPolicy | None = None) -> tuple[object, list[float]]:
    slept: list[float] = []

    async def pause(_: ProviderFault, seconds: float) -> None:
        slept.append(seconds)

    async def main() -> object:
        retry = Retry(policy or RetryPolicy(), rng=random.Random(1))
        try:
            return await retry.until_answered(tries, pause), tries.made
        except GaveUp as end:
            return end

    return asyncio.run(main()), slept


def status(code: int, retry_after: float | None = None) -> ProviderFault:
    kind: FaultKind = "rate_limited" if code == 429 else "server" if code >= 500 else "rejected"
    return ProviderFault(kind, f"status {code}", status=code, retry_after=retry_after)


@pytest.mark.parametrize("code", [408, 409, 429, 500, 502, 503, 504, 529])
def test_statuses_that_pass_by_themselves_are_tried_again(code: int) -> None:
    tries = Tries(status(code), status(code))
    result, slept = run(tries)
    assert result == (REPLY, 3)
    assert len(slept) == 2


def test_a_call_that_is_not_answered_in_time_is_tried_once_more() -> None:
    tries = Tries(*(ProviderFault("timeout", "No answer.") for _ in range(4)))
    end, slept = run(tries)
    assert isinstance(end, GaveUp)
    assert (tries.made, len(slept), end.reason) == (2, 1, "No answer (tried 2 times).")


@pytest.mark.parametrize("kind", ["timeout", "connection"])
def test_lost_answers_are_tried_again(kind: FaultKind) -> None:
    assert run(Tries(ProviderFault(kind, "lost")))[0] == (REPLY, 2)


@pytest.mark.parametrize("code", [300, 307, 400, 401, 402, 403, 404, 405, 410, 413, 418, 422, 451])
def test_no_other_status_is_tried_again(code: int) -> None:
    tries = Tries(status(code), status(code))
    result, slept = run(tries)
    assert isinstance(result, GaveUp)
    assert (tries.made, slept, result.tries) == (1, [], 1)


@pytest.mark.parametrize("kind", ["malformed", "truncated", "refused", "crashed", "rejected"])
def test_answers_that_we_do_not_like_are_not_tried_again(kind: FaultKind) -> None:
    assert not may_pass(ProviderFault(kind, "no"))


@pytest.mark.parametrize("most", [1, 2, 4, 7])
def test_there_are_never_more_tries_than_configured(most: int) -> None:
    tries = Tries(*(status(503) for _ in range(20)))
    result, slept = run(tries, RetryPolicy(max_attempts=most))
    assert isinstance(result, GaveUp)
    assert (tries.made, len(slept), result.tries) == (most, most - 1, most)
    assert "tried once" in result.reason if most == 1 else f"tried {most} times" in result.reason


def test_at_least_one_try() -> None:
    with pytest.raises(UsageError):
        RetryPolicy(max_attempts=0)


@pytest.mark.parametrize("asked", [0.0, 5.0, 119.9, 120.0])
def test_retry_after_is_obeyed_up_to_two_minutes(asked: float) -> None:
    assert run(Tries(status(429, asked)))[1] == [asked]


def test_beyond_two_minutes_the_call_fails_at_once() -> None:
    tries = Tries(status(429, 121.0))
    result, slept = run(tries)
    assert isinstance(result, GaveUp)
    assert (tries.made, slept) == (1, [])
    assert "121 s" in result.reason


def test_backoff_is_exponential_with_full_jitter_and_a_cap() -> None:
    policy, rng = RetryPolicy(base=1.0, cap=8.0), random.Random(3)
    for tries, bound in [(1, 1.0), (2, 2.0), (3, 4.0), (4, 8.0), (9, 8.0), (5_000, 8.0)]:
        delays = [policy.backoff(tries, rng) for _ in range(300)]
        assert 0.0 <= min(delays) < bound * 0.1
        assert bound * 0.9 < max(delays) <= bound


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("0", 0.0),
        ("5", 5.0),
        (" 120 ", 120.0),
        ("1.5", 1.5),
        ("Sun, 15 Nov 2026 12:00:30 GMT", 30.0),
        ("Sun, 15 Nov 2026 11:00:00 GMT", 0.0),
        ("Sun, 15 Nov 2026 12:00:10 -0000", 10.0),
        ("Sunday, 15-Nov-26 12:00:07 GMT", 7.0),
        (None, None),
        ("", None),
        ("soon", None),
        ("-5", None),
        ("1e9", None),
        ("NaN", None),
        ("Infinity", None),
        ("5 seconds", None),
        ("١٢", None),
        ("9" * 400, None),
        ("99999999999999999999", 1e20),
        ("Sun, 99 Nov 2026 12:00:30 GMT", None),
        ("Sun, 15 Nov 99999999 12:00:30 GMT", None),
    ],
)
def test_retry_after_in_seconds_as_a_date_or_as_nonsense(value: str | None, seconds: float | None) -> None:
    assert parse_retry_after(value, NOW) == seconds


class Highest(random.Random):
    """Always draws the upper bound."""

    def uniform(self, a: float, b: float) -> float:
        assert a == 0.0
        return b


@pytest.mark.parametrize(
    ("policy", "bounds"),
    [
        (RetryPolicy(), [0.5, 1, 2, 4, 8, 16, 30, 30]),
        (RetryPolicy(base=1, cap=1_000), [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1_000]),
        (RetryPolicy(base=40), [30, 30]),
    ],
)
def test_each_pause_may_be_twice_as_long_as_the_last_up_to_the_longest(
    policy: RetryPolicy, bounds: list[float]
) -> None:
    assert [policy.backoff(tries, Highest()) for tries in range(1, len(bounds) + 1)] == bounds
    assert policy.backoff(10_000, Highest()) == policy.cap


@pytest.mark.parametrize("most", [1, 2, 3])
def test_a_call_is_tried_as_often_as_is_said(most: int) -> None:
    tries = Tries(*(status(503) for _ in range(5)))
    end, slept = run(tries, RetryPolicy(max_attempts=most))
    assert isinstance(end, GaveUp) and (end.tries, tries.made, len(slept)) == (most, most, most - 1)
    assert f"(tried {'once' if most == 1 else f'{most} times'})" in end.reason


@pytest.mark.parametrize(("asked", "waits"), [(0.0, True), (120.0, True), (120.1, False)])
def test_a_provider_is_given_the_time_it_asks_for_up_to_two_minutes(asked: float, waits: bool) -> None:
    result, slept = run(Tries(status(429, asked)))
    assert slept == ([asked] if waits else [])
    assert (result == (REPLY, 2)) if waits else isinstance(result, GaveUp)
