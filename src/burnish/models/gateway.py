"""The gateway: the one way to a model. Look the key up, else call, commit the raw reply, and only then let it be read.

key recorded?  -> its record, free of charge
else           -> reserve budget -> wait for the rate -> send (with retries) -> commit the raw reply -> its record

A reply is handed on byte for byte. One that holds a key of this machine is not handed on at all.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from burnish.core.errors import BurnishError, LimitReached, ModelFailed
from burnish.core.faultpoints import reach
from burnish.core.records import CallIntent, CallRecord, Usage
from burnish.models.budget import Budget, charged_for_fault, charged_for_reply, estimate_tokens, most_tokens
from burnish.models.calls import ANSWERED, Call, CallLog, Provider, ProviderFault, RawReply, TokenCount, call_span
from burnish.models.rate_limits import GaveUp, Limits, Retry

TIME_OVER = "The time limit is reached."
GRACE = 10.0
"""Seconds that calls under way get when the time of the run is over."""
MOSTLY_UNSEEN = 2
"""How many times more tokens than can be seen tell that a model thought."""
LONGEST_KEPT_BODY = 100_000
"""Characters of a failed call's body that the journal keeps."""


class ReplayMiss(ModelFailed):
    """A replayed run asks for something that the recorded run never asked."""

    code = "replay_miss"


class CallFailed(ModelFailed):
    """A call that has no usable answer. `record` is what the journal keeps of it."""

    def __init__(self, record: CallRecord, hint: str | None = None, *, fault: ProviderFault | None = None) -> None:
        kind, _, reason = (record.error or "").partition(": ")
        super().__init__(f"{record.model} gave no usable answer for {record.unit}: {reason}", hint=hint)
        self.record = record
        self.answered = kind in ANSWERED
        """The model did answer and is paid, only not with what was asked for: it is not away."""
        self.of_endpoint = fault is not None and fault.of_endpoint
        """The endpoint is in trouble, not this one request: others would have fared the same."""
        self.is_final = fault is not None and fault.is_final
        """No other call would fare better."""
        # Not every provider tells thinking apart: then the bill is far longer than what can be seen.
        unseen = record.usage.completion_tokens > MOSTLY_UNSEEN * estimate_tokens(record.raw)
        self.lacked_room = kind == "truncated" and (
            not record.raw.strip() or record.usage.reasoning_tokens > 0 or unseen
        )
        """The limit was used up before the answer was there, by thinking as it seems."""


@dataclass(slots=True)
class Bill:
    """What the tries of one call add up to."""

    turn: int
    """The call's place in the queue before its model."""
    usage: Usage = field(default_factory=Usage)
    tries: int = 0
    seconds: float = 0.0


class Gateway:
    """Puts calls to models for all workers of one run. Lives in one event loop."""

    def __init__(
        self,
        log: CallLog,
        provider: Provider,
        *,
        budget: Budget | None = None,
        limits: Limits | None = None,
        retry: Retry | None = None,
        replay: bool = False,
        holds_key: Callable[[str], bool] = lambda _: False,
        clock: Callable[[], float] = time.monotonic,
        seconds_left: Callable[[], float] | None = None,
    ) -> None:
        """`replay`: answer from the log alone and never call. `holds_key`: which replies are withheld.

        `seconds_left`: how much of the run's time is left; None: there is no limit.
        """
        self._log = log
        self._provider = provider
        self.budget = budget or Budget()
        self._limits = limits or Limits()
        self._retry = retry or Retry()
        self._replay = replay
        self._holds_key = holds_key
        self._clock = clock
        self._seconds_left = seconds_left
        self._quickest: dict[tuple[str, str], float] = {}
        """Role and model -> the shortest that a call of theirs has taken."""
        self._under_way: dict[str, asyncio.Future[CallRecord]] = {}

    async def ask(self, call: Call) -> CallRecord:
        """The record of an answered call. Raises ModelFailed where there is no answer, LimitReached at a ceiling.

        Two workers that ask the same at the same time share one call.
        """
        while True:
            record = self.recorded(call)
            if record is not None:
                return record
            other = self._under_way.get(call.key)
            if other is None:
                break
            await asyncio.wait([other])
            if not other.cancelled() and (failed := other.exception()) is not None:
                raise failed
        future: asyncio.Future[CallRecord] = asyncio.get_running_loop().create_future()
        self._under_way[call.key] = future
        try:
            with call_span(call) as tell:
                record = await self._call(call, tell)
        except BurnishError as failure:
            future.set_exception(failure)
            future.exception()  # nobody else may be waiting for it: that is no mistake
            raise
        else:
            future.set_result(record)
            return record
        finally:
            del self._under_way[call.key]
            future.cancel()

    async def exchange(self) -> None:
        """Called when nobody can go on without an answer: a gateway that puts calls by (`models.batch`) makes them."""

    def recorded(self, call: Call) -> CallRecord | None:
        """The record of a call that was answered before; None where it has to be made. Raises CallFailed where the
        model answered with nothing usable."""
        record = self._log.call(call.key)
        if record is None:
            if self._replay:
                raise ReplayMiss(
                    f"The replayed run holds no answer of {call.model} for {call.unit} ({call.role}).",
                    hint="A replay needs the same input, settings and version as the recorded run.",
                )
            return None
        if record.status == "ok":
            return self._usable(record)
        kind = (record.error or "").partition(":")[0]
        if self._replay or kind in ANSWERED:
            raise CallFailed(record)
        return None

    def is_recorded(self, call: Call) -> bool:
        """Whether the log knows what became of a call."""
        return self._log.call(call.key) is not None

    async def _call(self, call: Call, tell: Callable[[CallRecord], None]) -> CallRecord:
        bill = Bill(turn=self._limits.of(call.model).turn())
        try:
            reply = await self._answer_in_time(call, bill)
        except GaveUp as end:
            body = end.fault.body[:LONGEST_KEPT_BODY]
            failed = record_of(call, bill, raw=body, error=f"{end.fault.kind}: {end.reason}")
            tell(failed)
            await self._log.write(failed)
            raise CallFailed(failed, end.fault.hint, fault=end.fault) from end.fault
        except LimitReached as limit:
            if bill.tries:  # earlier tries are on the bill, although there will be no further one
                failed = record_of(call, bill, raw="", error=f"limit: {limit.message}")
                tell(failed)
                await self._log.write(failed)
            raise
        except BurnishError:
            if bill.tries:  # it never left the house
                await self._log.write(replace(self.intent(call), is_over=True))
            raise
        record = record_of(call, bill, raw=reply.text, error=None)
        tell(record)
        await self._log.write(record.withheld() if self._holds_key(record.raw) else record)
        reach("models.reply.recorded")
        return self._usable(record)

    async def _answer_in_time(self, call: Call, bill: Bill) -> RawReply:
        """The first reply. No call begins that cannot end in time; one that does not is ended, and billed as the most
        that it can have cost."""
        most = None if self._seconds_left is None else self._seconds_left() + GRACE
        if most is not None and (most <= GRACE or most < self._quickest.get((call.role, call.model), 0.0)):
            raise LimitReached(TIME_OVER, hint="`burnish resume` continues.")

        async def pause(fault: ProviderFault, seconds: float) -> None:
            # A call that was refused for its rate waits in the queue before its model, and goes first.
            if fault.kind != "rate_limited":
                await self._retry.sleep(seconds)

        try:
            async with asyncio.timeout(most):
                reply = await self._retry.until_answered(lambda: self._try(call, bill), pause)
        except TimeoutError:
            raise LimitReached(TIME_OVER, hint="`burnish resume` continues.") from None
        known = self._quickest.get((call.role, call.model), bill.seconds)
        self._quickest[call.role, call.model] = min(known, bill.seconds)
        return reply

    def _usable(self, record: CallRecord) -> CallRecord:
        """The record, unless its reply holds a key; also one that was recorded before the key was known."""
        if self._holds_key(record.raw):
            raise CallFailed(record.withheld())
        return record

    async def _try(self, call: Call, bill: Bill) -> RawReply:
        """One try: reserved, throttled, timed and charged, however it ends."""
        most = most_tokens(call)
        reservation = await self.budget.reserve(call.model, most, call.role)
        charged = most  # of a try that is torn down in mid-flight nobody knows what it cost: assume the most
        started = None
        try:
            async with self._limits.of(call.model).slot(most.prompt + most.completion, bill.turn) as slot:
                if not bill.tries:
                    await self._log.write(self.intent(call))
                started = self._clock()
                bill.tries += 1
                reach("models.call.before")
                reply = await self._provider.send(call)
                reach("models.call.after")
                charged = charged_for_reply(call, reply)
                slot.used(charged.prompt + charged.completion)
                return reply
        except ProviderFault as fault:
            charged = charged_for_fault(call, fault)
            raise
        except BurnishError:
            charged = TokenCount(0, 0)  # it never left the house
            raise
        finally:
            if started is None:  # called off while it waited for the rate
                charged = TokenCount(0, 0)
            else:
                bill.seconds += self._clock() - started
            bill.usage += self.budget.settle(reservation, call.model, charged)

    def intent(self, call: Call) -> CallIntent:
        """What is written down before a call is made."""
        most = self.budget.usage(call.model, most_tokens(call))
        return CallIntent(call.key, call.role, call.model, most.total_tokens, most.cost)


def record_of(call: Call, bill: Bill, *, raw: str, error: str | None) -> CallRecord:
    """What is written down when it is over."""
    return CallRecord(
        key=call.key,
        unit=call.unit,
        role=call.role,
        model=call.model,
        reply_name=call.reply_name,
        request=call.request(),
        status="ok" if error is None else "failed",
        raw=raw,
        usage=bill.usage,
        tries=bill.tries,
        duration_ms=round(bill.seconds * 1000),
        error=error,
    )
