"""The only retry loop. SDKs and gateways below it are told not to retry.

Tried again are 408, 409, 429, every 5xx, timeouts and broken connections: things that pass by themselves. A timeout is
tried again once, because the provider may bill every try. No other 4xx is, and neither is an answer that we do not
like. A provider's Retry-After is obeyed up to two minutes; if it asks for more, the call fails at once rather than
hold a worker.
"""

from __future__ import annotations

import asyncio
import math
import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from burnish.core.errors import UsageError
from burnish.models.calls import ProviderFault, RawReply

RETRIED_STATUSES = frozenset({408, 409, 429})
MOST_TIMEOUTS = 2
"""Tries of a call that was not answered in time."""
LONGEST_RETRY_AFTER = 120.0

Sleep = Callable[[float], Awaitable[object]]


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """How often and how patiently a call is tried."""

    max_attempts: int = 4
    """Tries in all, the first included."""
    base: float = 0.5
    """Seconds that the first backoff may last at most; doubled with each further try."""
    cap: float = 30.0
    """Seconds that no backoff exceeds."""

    def __post_init__(self) -> None:
        if self.max_attempts < 1:
            raise UsageError(f"A call is tried at least once, not {self.max_attempts} times.")

    def backoff(self, tries: int, rng: random.Random) -> float:
        """Full jitter: anything up to the exponential bound, so that workers do not come back in step."""
        return rng.uniform(0.0, min(self.cap, self.base * 2 ** min(tries - 1, 60)))


class GaveUp(Exception):
    """No further try. Carries the last fault and how many tries there were."""

    def __init__(self, fault: ProviderFault, tries: int, reason: str) -> None:
        super().__init__(reason)
        self.fault = fault
        self.tries = tries
        self.reason = reason


def may_pass(fault: ProviderFault) -> bool:
    """Whether the same request may succeed later."""
    if fault.status is not None and fault.status >= 400:
        return fault.status in RETRIED_STATUSES or 500 <= fault.status <= 599
    return fault.kind in ("rate_limited", "server", "timeout", "connection")


def parse_retry_after(value: str | None, now: datetime) -> float | None:
    """Seconds to wait, from a Retry-After header (seconds or an HTTP date); None where it says nothing usable."""
    text = (value or "").strip()
    if not text or len(text) > 64:
        return None
    if text[0].isdigit() and text.replace(".", "", 1).isdecimal() and text.isascii():
        seconds = float(text)
        return seconds if math.isfinite(seconds) else None
    try:
        moment = parsedate_to_datetime(text)
    except (ValueError, IndexError, OverflowError, TypeError):
        return None
    moment = moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
    return max(0.0, (moment - now).total_seconds())


@dataclass(frozen=True, slots=True)
class Retry:
    """The loop, with its sources of time and chance."""

    policy: RetryPolicy = RetryPolicy()
    sleep: Sleep = asyncio.sleep
    rng: random.Random = field(default_factory=random.Random)

    async def until_answered(
        self, attempt: Callable[[], Awaitable[RawReply]], pause: Callable[[ProviderFault, float], Awaitable[object]]
    ) -> tuple[RawReply, int]:
        """The first reply, and how many tries it took; GaveUp where there is none.

        `pause(fault, seconds)` is awaited between tries: who knows a better place to wait than sleep may use it.
        """
        tries = 0
        while True:
            tries += 1
            try:
                return await attempt(), tries
            except ProviderFault as caught:
                fault, delay = caught, self._delay_or_end(caught, tries)
            await pause(fault, delay)

    def _delay_or_end(self, fault: ProviderFault, tries: int) -> float:
        if not may_pass(fault):
            raise GaveUp(fault, tries, fault.message) from fault
        most = self.policy.max_attempts if fault.kind != "timeout" else min(MOST_TIMEOUTS, self.policy.max_attempts)
        if tries >= most:
            raise GaveUp(fault, tries, f"{fault.message} ({_times(tries)})") from fault
        asked = fault.retry_after
        if asked is None:
            return self.policy.backoff(tries, self.rng)
        if asked > LONGEST_RETRY_AFTER:
            reason = f"{fault.message} (it asks to wait {asked:.0f} s, longer than {LONGEST_RETRY_AFTER:.0f} s)"
            raise GaveUp(fault, tries, reason) from fault
        return asked


def _times(tries: int) -> str:
    return "tried once" if tries == 1 else f"tried {tries} times"
