"""Keeping to a provider's rate, backing off together when it says 429, and the one loop of retries.

Workers enter one by one, in the order of their calls. When a model refuses one of them for its rate, the door closes
for all: for as long as the provider asks, and at least for a pause that doubles with every refusal and halves with
every success. The refused call is first in the queue. Then only half as many may be under way at once, and one more
with each round of successes. So a refusal costs a few requests, not one for each worker, and hardly any call is refused
until it fails.
"""

from __future__ import annotations

import asyncio
import heapq
import itertools
import math
import random
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from burnish.core.errors import UsageError
from burnish.models.calls import ProviderFault, RawReply

MINUTE = 60.0
FIRST_PAUSE = 0.25
MOST_DOUBLINGS = 7
"""No pause of our own is longer than 32 seconds."""


def loop_time() -> float:
    """The event loop's clock."""
    return asyncio.get_running_loop().time()


@dataclass(frozen=True, slots=True)
class ModelLimits:
    """What a provider allows for one model; None where it sets no limit."""

    requests_per_minute: int | None = None
    tokens_per_minute: int | None = None


@dataclass(slots=True)
class Entry:
    """Something that counts against a limit until it is a minute old."""

    at: float
    amount: int
    counts: bool = True


@dataclass(slots=True)
class SlidingMinute:
    """An amount that may not be exceeded in any sixty seconds."""

    most: int
    total: int = 0
    entries: deque[Entry] = field(default_factory=deque)

    def wait(self, amount: int, now: float) -> float:
        """Seconds until `amount` fits. More than the limit itself fits only into an empty minute."""
        while self.entries and self.entries[0].at + MINUTE <= now:
            old = self.entries.popleft()
            old.counts = False
            self.total -= old.amount
        excess, until = self.total + amount - self.most, now
        for entry in self.entries:
            if excess <= 0:
                break
            excess -= entry.amount
            until = entry.at + MINUTE
        return until - now

    def add(self, amount: int, now: float) -> Entry:
        entry = Entry(now, amount)
        self.entries.append(entry)
        self.total += amount
        return entry

    def correct(self, entry: Entry, amount: int) -> None:
        """Replace an amount that was a guess when it was added."""
        if entry.counts:
            self.total += amount - entry.amount
            entry.amount = amount


@dataclass(slots=True)
class Slot:
    """A try that was let in."""

    closings: int
    """How often the door had been closed when it entered."""
    minute: SlidingMinute | None = None
    entry: Entry | None = None

    def used(self, tokens: int) -> None:
        """Correct the tokens reserved for the try to those that it used."""
        if self.minute is not None and self.entry is not None:
            self.minute.correct(self.entry, tokens)


class Door:
    """A lock that goes to the lowest turn among those who wait: a call that is tried again goes before new ones."""

    def __init__(self) -> None:
        self._held = False
        self._waiting: list[tuple[int, int, asyncio.Future[None]]] = []
        self._arrivals = itertools.count()

    async def take(self, turn: int) -> None:
        if not self._held:
            self._held = True
            return
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        heapq.heappush(self._waiting, (turn, next(self._arrivals), future))
        try:
            await future
        except asyncio.CancelledError:
            if not future.cancelled():  # called off in the very moment in which the door was handed over
                self.leave()
            raise

    def leave(self) -> None:
        """Hand the door over without letting it fall shut: nobody can slip in between."""
        while self._waiting:
            _, _, future = heapq.heappop(self._waiting)
            if not future.done():
                future.set_result(None)
                return
        self._held = False

    def outranks(self, turn: int) -> bool:
        """Whether somebody with an earlier turn is waiting."""
        return bool(self._waiting) and self._waiting[0][0] < turn


class Throttle:
    """What stands between the workers and one model."""

    def __init__(self, limits: ModelLimits, *, now: Callable[[], float], sleep: Sleep) -> None:
        rpm, tpm = limits.requests_per_minute, limits.tokens_per_minute
        self._requests = SlidingMinute(rpm) if rpm is not None else None
        self._tokens = SlidingMinute(tpm) if tpm is not None else None
        self._now = now
        self._sleep = sleep
        self._door = Door()
        self._turns = itertools.count()
        self._left = asyncio.Event()
        self._under_way = 0
        self._most_under_way = math.inf
        self._closed_until = -math.inf
        self._closings = 0
        self._refusals = 0

    def turn(self) -> int:
        """A place in the queue. A call draws one and keeps it through all its tries."""
        return next(self._turns)

    @asynccontextmanager
    async def slot(self, tokens: int, turn: int | None = None) -> AsyncIterator[Slot]:
        """Wait to be let in, and learn from what happens inside."""
        slot = await self._enter(tokens, self.turn() if turn is None else turn)
        try:
            yield slot
        except ProviderFault as fault:
            if fault.kind == "rate_limited":
                self._refused(fault.retry_after, slot)
            raise
        else:
            self._refusals = max(0, self._refusals - 1)
            self._most_under_way += 1 / self._most_under_way
        finally:
            self._under_way -= 1
            self._left.set()

    async def _enter(self, tokens: int, turn: int) -> Slot:
        await self._door.take(turn)
        try:
            while not (self._delay(tokens) <= 0 and self._under_way < self._most_under_way):
                if (delay := self._delay(tokens)) > 0:
                    await self._sleep(delay)
                else:
                    self._left.clear()
                    await self._left.wait()
                if self._door.outranks(turn):
                    self._door.leave()
                    await self._door.take(turn)
            now = self._now()
            self._under_way += 1
            if self._requests is not None:
                self._requests.add(1, now)
            entry = self._tokens.add(tokens, now) if self._tokens is not None else None
            return Slot(self._closings, self._tokens, entry)
        finally:
            self._door.leave()

    def _delay(self, tokens: int) -> float:
        now = self._now()
        requests = self._requests.wait(1, now) if self._requests is not None else 0.0
        room = self._tokens.wait(tokens, now) if self._tokens is not None else 0.0
        return max(requests, room, self._closed_until - now)

    def _refused(self, asked: float | None, slot: Slot) -> None:
        now = self._now()
        if asked is not None and asked <= LONGEST_RETRY_AFTER:
            self._closed_until = max(self._closed_until, now + asked)
        if slot.closings != self._closings:
            return  # it was under way when the door closed, and says nothing new
        self._closings += 1
        self._refusals = min(self._refusals + 1, MOST_DOUBLINGS + 1)
        self._most_under_way = max(1.0, min(self._most_under_way, self._under_way) / 2)
        pause = FIRST_PAUSE * 2 ** (self._refusals - 1)
        self._closed_until = max(self._closed_until, now + pause)


class Limits:
    """The doors to all models of a run."""

    def __init__(
        self,
        per_model: Mapping[str, ModelLimits] | None = None,
        *,
        otherwise: ModelLimits | None = None,
        now: Callable[[], float] = loop_time,
        sleep: Sleep = asyncio.sleep,
    ) -> None:
        self._per_model = dict(per_model or {})
        self._otherwise = otherwise or ModelLimits()
        self._now = now
        self._sleep = sleep
        self._throttles: dict[str, Throttle] = {}

    def of(self, model: str) -> Throttle:
        """The door to `model`, by its `provider:model` name."""
        if model not in self._throttles:
            limits = self._per_model.get(model, self._otherwise)
            self._throttles[model] = Throttle(limits, now=self._now, sleep=self._sleep)
        return self._throttles[model]


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
    ) -> RawReply:
        """The first reply; GaveUp where there is none.

        `pause(fault, seconds)` is awaited between tries: who knows a better place to wait than sleep may use it.
        """
        tries = 0
        while True:
            tries += 1
            try:
                return await attempt()
            except ProviderFault as caught:
                fault, delay = caught, self._delay_or_end(caught, tries)
            await pause(fault, delay)

    def _delay_or_end(self, fault: ProviderFault, tries: int) -> float:
        if not may_pass(fault):
            raise GaveUp(fault, tries, fault.message) from fault
        most = self.policy.max_attempts if fault.kind != "timeout" else min(MOST_TIMEOUTS, self.policy.max_attempts)
        if tries >= most:
            often = "once" if tries == 1 else f"{tries} times"
            raise GaveUp(fault, tries, f"{fault.message.rstrip('.')} (tried {often}).") from fault
        asked = fault.retry_after
        if asked is None:
            return self.policy.backoff(tries, self.rng)
        if asked > LONGEST_RETRY_AFTER:
            reason = f"{fault.message} (it asks to wait {asked:.0f} s, longer than {LONGEST_RETRY_AFTER:.0f} s)"
            raise GaveUp(fault, tries, reason) from fault
        return asked
