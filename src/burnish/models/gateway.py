"""The gateway sends every call: look up the key, else call, commit the raw reply, and only then return it.

key recorded?  -> its record, free of charge
else           -> reserve budget -> wait for the rate -> send (with retries) -> commit the raw reply -> its record

A reply is returned byte for byte. A reply that holds a key of this machine is withheld.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Coroutine, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from burnish.core.errors import BurnishError, LimitReached, ModelFailed
from burnish.core.faultpoints import reach
from burnish.core.records import CallIntent, CallRecord, EventRecord, Usage, event
from burnish.models.budget import Budget, charged_for_fault, charged_for_reply, estimate_tokens, most_tokens
from burnish.models.calls import (
    ANSWERED,
    OF_ACCOUNT,
    REFUSALS,
    Call,
    CallLog,
    Provider,
    ProviderFault,
    RawReply,
    TokenCount,
    call_span,
)
from burnish.models.rate_limits import GaveUp, Limits, Retry

GRACE = 10.0
"""Seconds that calls in flight may still take when the time limit of the run is reached."""
MOSTLY_UNSEEN = 2
"""A model thought if it was charged this many times the tokens of its visible text."""
LONGEST_NAME = 200
"""Characters of a model's name in an answer that are kept."""
LONGEST_KEPT_BODY = 100_000
"""Characters of a failed call's body that the journal keeps."""


def time_over() -> LimitReached:
    return LimitReached("The time limit is reached.", hint="`burnish resume` continues.")


class CallFailed(ModelFailed):
    """A call has no usable answer. `record` is its record in the journal."""

    def __init__(self, record: CallRecord, hint: str | None = None, *, fault: ProviderFault | None = None) -> None:
        kind, _, reason = (record.error or "").partition(": ")
        lead = "" if kind in OF_ACCOUNT else f"{record.model} gave no usable answer for {record.unit}: "
        super().__init__(f"{lead}{reason}", hint=hint)
        self.record = record
        self.answered = kind in ANSWERED
        """The model answered and is paid, but not with what was asked for: it is not away."""
        self.is_refusal = kind in REFUSALS
        """The model answered that it will not, or its answer must not be read: this concerns the one request."""
        self.of_endpoint = fault is not None and fault.of_endpoint
        """The endpoint is at fault, not this request: other requests would have failed too."""
        self.is_final = fault is not None and fault.is_final
        """No other call would succeed."""
        self.was_refused = kind == "rejected" and fault is not None and fault.status is not None
        """A server refused the request, for itself or as it would refuse any."""
        self.of_content = fault is not None and fault.of_content
        """The provider says that the content of this request is at fault."""
        # Not every provider reports thinking separately: then the charge is far higher than the visible text explains.
        unseen = record.usage.completion_tokens > MOSTLY_UNSEEN * estimate_tokens(record.raw)
        self.lacked_room = kind == "truncated" and (
            not record.raw.strip() or record.usage.reasoning_tokens > 0 or unseen
        )
        """The limit was used up before the answer was complete, probably by thinking."""


class CallWatch:
    """Observes calls on their way. This base class ignores them."""

    def call_began(self, model: str) -> None:
        """Called before the first try of a call."""

    def call_paused(self, model: str, fault: ProviderFault, seconds: float) -> None:
        """Called when a try failed and the next one follows after about so many seconds."""

    def call_ended(self, model: str, *, is_answered: bool) -> None:
        """Called when no further try of a call follows."""


@dataclass(slots=True)
class Bill:
    """The sum of the tries of one call."""

    turn: int
    """The call's place in the queue for its model."""
    usage: Usage = field(default_factory=Usage)
    tries: int = 0
    seconds: float = 0.0


class Gateway:
    """Sends calls to models for all workers of one run. Lives in one event loop."""

    def __init__(
        self,
        log: CallLog,
        provider: Provider,
        *,
        budget: Budget | None = None,
        limits: Limits | None = None,
        retry: Retry | None = None,
        holds_key: Callable[[str], bool] = lambda _: False,
        clock: Callable[[], float] = time.monotonic,
        seconds_left: Callable[[], float] | None = None,
        watch: CallWatch | None = None,
    ) -> None:
        """`holds_key`: whether a reply must be withheld.

        `seconds_left`: how much of the run's time is left; None if there is no limit.
        """
        self._log = log
        self._provider = provider
        self.budget = budget or Budget()
        self._limits = limits or Limits()
        self._retry = retry or Retry()
        self._holds_key = holds_key
        self._clock = clock
        self._seconds_left = seconds_left
        self._watch = watch or CallWatch()
        self._quickest: dict[tuple[str, str], float] = {}
        """Role and model -> the shortest time that one of their calls has taken."""
        self._under_way: dict[str, asyncio.Future[CallRecord]] = {}

    async def ask(self, call: Call) -> CallRecord:
        """Return the record of an answered call. Raise ModelFailed if there is no answer, LimitReached at a ceiling.

        Two workers that make the same call at the same time share it.
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
            with call_span(call) as add_figures:
                record = await self._call(call, add_figures)
        except BurnishError as failure:
            future.set_exception(failure)
            future.exception()  # mark it as retrieved: there may be no other worker waiting
            raise
        else:
            future.set_result(record)
            return record
        finally:
            del self._under_way[call.key]
            future.cancel()

    async def exchange(self) -> None:
        """Send queued calls. Used when no work can continue without an answer; only `models.batch` queues calls."""

    def recorded(self, call: Call) -> CallRecord | None:
        """Return the record of a call that was answered before; None if it has to be made. Raise CallFailed if the
        model's answer was not usable."""
        record = self._log.call(call.key)
        if record is None:
            return None
        if record.status == "ok":
            return self._usable(record)
        kind = (record.error or "").partition(":")[0]
        if kind in ANSWERED:
            raise CallFailed(record)
        return None

    def is_recorded(self, call: Call) -> bool:
        """Return whether the log has a record of the call."""
        return self._log.call(call.key) is not None

    def has_answered(self, model: str) -> bool:
        """Return whether the model has answered any call of the run."""
        return self._log.has_answered(model)

    def replies(self, role: str, model: str) -> Iterator[tuple[str, str]]:
        """Yield the recorded replies of a model in a role: name of the reply, and text."""
        return self._log.replies(role, model)

    def failures(self, call: Call) -> tuple[int, bool]:
        """Return how often a call failed, and whether the model has answered another one since."""
        return self._log.failures(call.key, call.model)

    async def _call(self, call: Call, add_figures: Callable[[CallRecord], None]) -> CallRecord:
        """Make the call. One that does not end in time is cancelled and charged the most that it can have cost."""
        bill = Bill(turn=self._limits.of(call.model).turn())

        async def pause(fault: ProviderFault, seconds: float) -> None:
            self._watch.call_paused(call.model, fault, seconds)
            # A call refused for its rate waits in the queue for its model, and goes first.
            if fault.kind != "rate_limited":
                await self._retry.sleep(seconds)

        try:
            async with asyncio.timeout(self._time_for(call)):
                reply = await self._watched(call, self._retry.until_answered(lambda: self._try(call, bill), pause))
        except GaveUp as end:
            body = end.fault.body[:LONGEST_KEPT_BODY]
            failed = record_of(call, bill, raw=body, error=f"{end.fault.kind}: {end.reason}")
            add_figures(failed)
            await self._log.write(failed)
            raise CallFailed(failed, end.fault.hint, fault=end.fault) from end.fault
        except (LimitReached, TimeoutError) as over:
            limit = over if isinstance(over, LimitReached) else time_over()
            if bill.tries:  # earlier tries are charged, although none follows
                failed = record_of(call, bill, raw="", error=f"limit: {limit.message}")
                add_figures(failed)
                await self._log.write(failed)
            raise limit from None
        except BurnishError:
            if bill.tries:  # the request was not sent, so nothing is charged
                await self._log.write(replace(self.intent(call), is_over=True))
            raise
        known = self._quickest.get((call.role, call.model), bill.seconds)
        self._quickest[call.role, call.model] = min(known, bill.seconds)
        record = record_of(call, bill, raw=reply.text, error=None)
        add_figures(record)
        kept = record.withheld() if self._holds_key(record.raw) else record
        await self._log.write(kept, *other_model(call, reply))
        reach("models.reply.recorded")
        return self._usable(record)

    async def _watched(self, call: Call, answer: Coroutine[Any, Any, RawReply]) -> RawReply:
        reply: RawReply | None = None
        self._watch.call_began(call.model)
        try:
            reply = await answer
            return reply
        finally:
            self._watch.call_ended(call.model, is_answered=reply is not None)

    def _time_for(self, call: Call) -> float | None:
        """Return the seconds a call may take; None: no limit. A call that cannot end in time is not started."""
        if self._seconds_left is None:
            return None
        most = self._seconds_left() + GRACE
        if most <= GRACE or most < self._quickest.get((call.role, call.model), 0.0):
            raise time_over()
        return most

    def _usable(self, record: CallRecord) -> CallRecord:
        """Return the record unless its reply holds a key, even one recorded before the key was known."""
        if self._holds_key(record.raw):
            raise CallFailed(record.withheld())
        return record

    async def _try(self, call: Call, bill: Bill) -> RawReply:
        """Make one try: reserved, throttled, timed and charged, however it ends."""
        most = most_tokens(call)
        reservation = await self.budget.reserve(call.model, most, call.role)
        charged = most  # the cost of a cancelled try is unknown: assume the most
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
            charged = TokenCount(0, 0)  # the request was not sent, so nothing is charged
            raise
        finally:
            if started is None:  # cancelled while it waited for the rate
                charged = TokenCount(0, 0)
            else:
                bill.seconds += self._clock() - started
            bill.usage += self.budget.settle(reservation, call.model, charged)

    def intent(self, call: Call) -> CallIntent:
        """Return the record that is written before a call is made."""
        most = self.budget.usage(call.model, most_tokens(call))
        return CallIntent(call.key, call.role, call.model, most.total_tokens, most.cost)


def other_model(call: Call, reply: RawReply) -> tuple[EventRecord, ...]:
    """Return an event if another model answered than was asked, as gateways let happen; one for each pair."""
    if reply.model is None or call.is_answered_by(reply.model):
        return ()
    named = reply.model[:LONGEST_NAME]
    data = {"model": call.model, "answered_by": named}
    return (event("other_model", dedupe=f"other_model:{call.model}:{named}", data=data),)


def record_of(call: Call, bill: Bill, *, raw: str, error: str | None) -> CallRecord:
    """Return the record of a finished call."""
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
