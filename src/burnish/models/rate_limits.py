"""Rate limits: keep to a provider's rate, back off together after a 429, and the one loop of retries.

Workers enter one by one, in the order of their calls. When a model refuses a call for its rate, the door closes for
all workers: for as long as the provider asks, and at least for a pause that doubles with every refusal and halves
with every success. The refused call is first in the queue. Then only half as many calls may be in flight at once, and
one more with each round of successes. So a refusal costs a few requests, not one for each worker, and calls rarely
fail by repeated refusals.
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
from burnish.models.calls import OF_ACCOUNT, ProviderFault, RawReply

MINUTE = 60.0
FIRST_PAUSE = 0.25
MOST_DOUBLINGS = 7
"""No pause that we choose is longer than 32 seconds."""


def loop_time() -> float:
    """Return the time of the event loop's clock."""
    return asyncio.get_running_loop().time()


@dataclass(frozen=True, slots=True)
class ModelLimits:
    """A provider's limits for one model; None: no limit."""

    requests_per_minute: int | None = None
    tokens_per_minute: int | None = None


@dataclass(slots=True)
class Entry:
    """An amount that counts against a limit for one minute."""

    at: float
    amount: int
    counts: bool = True


@dataclass(slots=True)
class SlidingMinute:
    """An amount that must not be exceeded in any sixty seconds."""

    most: int
    total: int = 0
    entries: deque[Entry] = field(default_factory=deque)

    def wait(self, amount: int, now: float) -> float:
        """Return the seconds until `amount` fits. An amount above the limit fits only into an empty minute."""
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
        """Correct an amount that was an estimate when it was added."""
        if entry.counts:
            self.total += amount - entry.amount
            entry.amount = amount


@dataclass(slots=True)
class Slot:
    """A try that was admitted."""

    closings: int
    """How often the door had closed when the try entered."""
    minute: SlidingMinute | None = None
    entry: Entry | None = None

    def used(self, tokens: int) -> None:
        """Replace the tokens reserved for the try with those that it used."""
        if self.minute is not None and self.entry is not None:
            self.minute.correct(self.entry, tokens)


class Door:
    """A lock that goes to the waiter with the lowest turn, so that retried calls go before new ones."""

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
            if not future.cancelled():  # cancelled at the moment in which it got the door
                self.leave()
            raise

    def leave(self) -> None:
        """Pass the door to the next waiter without unlocking it, so that no other call can enter first."""
        while self._waiting:
            _, _, future = heapq.heappop(self._waiting)
            if not future.done():
                future.set_result(None)
                return
        self._held = False

    def outranks(self, turn: int) -> bool:
        """Return whether a call with an earlier turn is waiting."""
        return bool(self._waiting) and self._waiting[0][0] < turn


class Throttle:
    """Limits the requests of all workers to one model."""

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
        """Return a place in the queue. A call draws one and keeps it for all its tries."""
        return next(self._turns)

    @asynccontextmanager
    async def slot(self, tokens: int, turn: int | None = None) -> AsyncIterator[Slot]:
        """Wait to be admitted, and adjust the rate by the outcome of the block."""
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
            return  # in flight when the door closed: no new information
        self._closings += 1
        self._refusals = min(self._refusals + 1, MOST_DOUBLINGS + 1)
        self._most_under_way = max(1.0, min(self._most_under_way, self._under_way) / 2)
        pause = FIRST_PAUSE * 2 ** (self._refusals - 1)
        self._closed_until = max(self._closed_until, now + pause)


class Limits:
    """The throttles for all models of a run."""

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
        """Return the throttle for `model`, by its `provider:model` name."""
        if model not in self._throttles:
            limits = self._per_model.get(model, self._otherwise)
            self._throttles[model] = Throttle(limits, now=self._now, sleep=self._sleep)
        return self._throttles[model]


RETRIED_STATUSES = frozenset({408, 409, 429})
MOST_TIMEOUTS = 2
"""The most tries of a call that timed out."""
LONGEST_RETRY_AFTER = 120.0

Sleep = Callable[[float], Awaitable[object]]


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """How often a call is tried, and the pauses between tries."""

    max_attempts: int = 4
    """The most tries, including the first."""
    base: float = 0.5
    """The longest first backoff in seconds; doubled with each further try."""
    cap: float = 30.0
    """The longest backoff in seconds."""

    def __post_init__(self) -> None:
        if self.max_attempts < 1:
            raise UsageError(f"A call is tried at least once, not {self.max_attempts} times.")

    def backoff(self, tries: int, rng: random.Random) -> float:
        """Full jitter: a random pause up to the exponential bound, so that workers do not retry in step."""
        return rng.uniform(0.0, min(self.cap, self.base * 2 ** min(tries - 1, 60)))


class GaveUp(Exception):
    """There is no further try. Carries the last fault and the number of tries."""

    def __init__(self, fault: ProviderFault, tries: int, reason: str) -> None:
        super().__init__(reason)
        self.fault = fault
        self.tries = tries
        self.reason = reason


def may_pass(fault: ProviderFault) -> bool:
    """Return whether the same request may succeed later."""
    if fault.kind in OF_ACCOUNT:
        return False
    if fault.status is not None and fault.status >= 400:
        return fault.status in RETRIED_STATUSES or 500 <= fault.status <= 599
    return fault.kind in ("rate_limited", "server", "timeout", "connection")


def parse_retry_after(value: str | None, now: datetime) -> float | None:
    """Return the seconds of a Retry-After header (seconds or an HTTP date); None if it is not usable."""
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
    """The retry loop, with its clock and random numbers."""

    policy: RetryPolicy = RetryPolicy()
    sleep: Sleep = asyncio.sleep
    rng: random.Random = field(default_factory=random.Random)

    async def until_answered(
        self, attempt: Callable[[], Awaitable[RawReply]], pause: Callable[[ProviderFault, float], Awaitable[object]]
    ) -> RawReply:
        """Return the first reply. Raise GaveUp if there is none.

        `pause(fault, seconds)` is awaited between tries, so that a caller can wait for something better than a delay.
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
