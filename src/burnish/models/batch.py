"""The gateway for batch prices: calls are queued, sent together, and collected when the provider has answered them.

key recorded?  -> its record, free of charge
else           -> reserve budget -> queue it; the caller gets CallDeferred and asks again later

`exchange` is called when no work can continue without an answer: it sends the queued calls, one batch for each model,
waits up to its time limit, and records the answers. Nothing is paid twice, whenever the process is killed:

1. The calls are recorded as intents, with our name of the batch (the mark), before anything is sent.
2. The provider's id of the batch is recorded as soon as it is known. If it is not known, the provider's batches since
   the intents are listed and matched by their custom ids before anything is sent again.
3. Each answer ends its intent. A call left over was never run (the batch expired): it is queued when asked for again.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Protocol

from burnish.core.errors import CallDeferred, ModelAway, Submitted, UsageError
from burnish.core.faultpoints import reach
from burnish.core.records import CallIntent, CallRecord, EventRecord, Usage, event
from burnish.models.budget import Budget, Reservation, charged_for_fault, charged_for_reply, most_tokens
from burnish.models.calls import Call, CallLog, Provider, ProviderFault, RawReply, TokenCount, call_span
from burnish.models.gateway import LONGEST_KEPT_BODY, Bill, CallFailed, Gateway, other_model, record_of
from burnish.models.profiles import OPENAI_NAMES
from burnish.models.rate_limits import Retry, may_pass

MOST_REQUESTS, MOST_BYTES = 2_000, 50_000_000
"""Limits for one batch; both providers accept more."""
MOST_PUT_BY = 10_000
"""Calls that are queued before they are sent."""
FIRST_LOOK, LONGEST_PAUSE = 1.0, 60.0
"""Seconds between two status checks of a batch: at first, and at most."""
MOST_FAILED_LOOKS = 3
SETTLING = 60.0
"""Seconds after which a batch that was sent is in the provider's list, if it arrived at all."""
CLOCKS_DIFFER = timedelta(hours=1)
KEY_LENGTH = 40
"""Characters of a call's key in its custom id: Anthropic takes 64 in all."""


@dataclass(frozen=True, slots=True)
class Progress:
    """The progress of a batch."""

    has_ended: bool
    done: int
    total: int
    trouble: str | None = None
    """Why it ended early: it was cancelled, or the provider rejected it."""
    files: tuple[str, ...] = ()
    """Ids of the files with its answers, if the provider uses files."""


@dataclass(frozen=True, slots=True)
class Result:
    """The result of one request of a batch."""

    custom_id: str
    status: int | None
    """The status a live call would have had; None: it was never run."""
    body: bytes


class MaybeOurs(Exception):
    """A running batch may be the one we look for; only its answers, when it has ended, can show it."""


class BatchProvider(Protocol):
    """A provider of batch endpoints (`batch_api`). Methods raise ProviderFault."""

    async def prepared(self, call: Call) -> bytes: ...
    async def reply(self, call: Call, result: Result) -> RawReply: ...
    async def submit(self, model: str, mark: str, requests: Mapping[str, bytes]) -> str: ...
    async def look(self, model: str, id: str) -> Progress: ...
    async def find(self, model: str, mark: str, count: int, since: datetime) -> str | None: ...
    def results(self, model: str, id: str, progress: Progress) -> AsyncIterator[Result]: ...


class BatchLog(CallLog, Protocol):
    """The log of calls, intents and ids of batches. A run's journal is one."""

    def submitted(self) -> list[CallIntent]: ...
    def events(self, *, types: Sequence[str]) -> Iterator[EventRecord]: ...


@dataclass(slots=True)
class Batch:
    """Calls that were submitted to a provider."""

    mark: str
    """Our name of the batch."""
    model: str
    id: str
    """The provider's name of the batch."""
    open: dict[str, CallIntent]
    """Custom id -> the call, until its answer is recorded."""
    progress: Progress


def refuse_unbatched(models: Sequence[str]) -> None:
    """Raise UsageError for a model whose provider has no batch endpoint that we know."""
    for model in models:
        if model.partition(":")[0] not in OPENAI_NAMES | {"anthropic"}:
            raise UsageError(
                f"{model} cannot be asked in batches.",
                hint="--batch works with openai:, openai-responses: and anthropic: models. Name one of those for every "
                "role, or leave --batch out.",
            )


class BatchGateway(Gateway):
    """Queues calls and exchanges them with providers in batches. Lives in one event loop."""

    def __init__(
        self,
        log: BatchLog,
        provider: Provider,
        batches: BatchProvider,
        *,
        budget: Budget | None = None,
        retry: Retry | None = None,
        holds_key: Callable[[str], bool] = lambda _: False,
        seconds_left: Callable[[], float] | None = None,
        wait: float = 0.0,
        on_event: Callable[[EventRecord], None] = lambda _: None,
    ) -> None:
        """`wait`: how many seconds an exchange waits for answers before it returns. `happened` is called with the
        progress of every batch."""
        super().__init__(log, provider, budget=budget, retry=retry, holds_key=holds_key, seconds_left=seconds_left)
        self._journal = log
        self._batches = batches
        self._wait = wait
        self._on_event = on_event
        self._put_by: dict[str, Call] = {}
        self._reserved: dict[str, Reservation] = {}
        """Key -> the budget reserved for a call queued in this session."""
        self._failed: dict[str, CallFailed] = {}
        """Key -> the failure of a call made in this session."""
        self._tries: dict[str, int] = {}

    async def ask(self, call: Call) -> CallRecord:
        """Return the record of an answered call. Raise CallDeferred if it has to be made, LimitReached at a ceiling.

        A call that does not fit the budget while others are in flight is not queued: the caller asks again later.
        """
        record = self.recorded(call)
        if record is not None:
            return record
        if call.key in self._failed:
            raise self._failed[call.key]
        if call.key not in self._put_by and len(self._put_by) < MOST_PUT_BY:
            reservation = self.budget.reserve_now(call.model, most_tokens(call), call.role)
            if reservation is not None:
                self._put_by[call.key], self._reserved[call.key] = call, reservation
        raise CallDeferred(f"The call to {call.model} for {call.unit} is queued.")

    async def exchange(self) -> None:
        """Send the queued calls and record the answers. Raise Submitted if the answers take longer than `wait`,
        ModelAway if a provider fails."""
        # The batches that are not collected yet. Batches without a known id are looked up first.
        known = {e.data["batch"]: str(e.data["id"]) for e in self._journal.events(types=("calls_submitted",))}
        open: dict[str, list[CallIntent]] = {}
        for intent in self._journal.submitted():
            open.setdefault(str(intent.batch), []).append(intent)
        found: list[Batch] = []
        for mark, intents in open.items():
            model = intents[0].model
            id = known.get(mark) or await self._found(mark, model, intents)
            if id is not None:
                calls = {_custom_id(intent): intent for intent in intents}
                found.append(Batch(mark, model, id, calls, Progress(False, 0, len(calls))))
        left = found
        if left:
            for key, call in self._put_by.items():
                self.budget.settle(self._reserved.pop(key), call.model, TokenCount(0, 0))
            self._put_by.clear()
        batches = left or [batch async for batch in self._sent()]
        await self._collect(batches, "Still working" if left else "Submitted, resume later")

    # -- sending

    async def _sent(self) -> AsyncIterator[Batch]:
        put_by, self._put_by = self._put_by, {}
        for model in dict.fromkeys(call.model for call in put_by.values()):
            requests: list[tuple[Call, bytes]] = []
            size = 0
            for call in (call for call in put_by.values() if call.model == model):
                body = await self._batches.prepared(call)
                if requests and (len(requests) == MOST_REQUESTS or size + len(body) > MOST_BYTES):
                    yield await self._submitted(model, requests)
                    requests, size = [], 0
                requests.append((call, body))
                size += len(body)
            yield await self._submitted(model, requests)

    async def _submitted(self, model: str, requests: Sequence[tuple[Call, bytes]]) -> Batch:
        mark = secrets.token_hex(8)
        intents = [replace(self.intent(call), batch=mark, call=call.as_record()) for call, _ in requests]
        await self._log.write(*intents)
        reach("models.batch.intended")
        ids = [_custom_id(intent) for intent in intents]
        try:
            bodies = {id: body for id, (_, body) in zip(ids, requests, strict=True)}
            id = await self._batches.submit(model, mark, bodies)
        except ProviderFault as fault:
            if not fault.sent or (fault.status is not None and fault.status < 500):
                for intent in intents:
                    await self._forget(intent)
            raise _away(model, fault) from fault
        reach("models.batch.submitted")
        await self._log.write(_submitted_event(mark, model, id, len(ids)))
        reach("models.batch.known")
        self._on_event(_submitted_event(mark, model, id, len(ids)))
        return Batch(mark, model, id, dict(zip(ids, intents, strict=True)), Progress(False, 0, len(ids)))

    # -- batches of an earlier session

    async def _found(self, mark: str, model: str, intents: Sequence[CallIntent]) -> str | None:
        """Return the id of a batch whose submission was interrupted. If it never arrived, forget its calls."""
        began = datetime.fromisoformat(intents[0].at)
        while True:
            age = (datetime.now(UTC) - began).total_seconds()
            try:
                id = await self._batches.find(model, mark, len(intents), began - CLOCKS_DIFFER)
            except ProviderFault as fault:
                raise _away(model, fault) from fault
            except MaybeOurs:
                raise Submitted(
                    f"A batch of {len(intents)} calls to {model} may have been submitted before the run was "
                    "interrupted. This is known only when the provider has finished its batches.",
                    hint="`burnish resume` checks again.",
                ) from None
            if id is not None:
                await self._log.write(_submitted_event(mark, model, id, len(intents)))
                return id
            if age >= SETTLING:
                break
            await self._retry.sleep(SETTLING - age)
        for intent in intents:
            await self._forget(intent)
        return None

    async def _forget(self, intent: CallIntent) -> None:
        """Record that the call was not made: nothing is charged, and it may be queued again."""
        reservation = self._reserved.pop(intent.key, None)
        if reservation is not None:
            self.budget.settle(reservation, intent.model, TokenCount(0, 0))
        await self._log.write(replace(intent, is_over=True))

    # -- collecting

    async def _collect(self, batches: Sequence[Batch], leaving: str) -> None:
        left, failed, pause = list(batches), 0, FIRST_LOOK
        end = self._clock() + min(self._wait, max(0.0, self._seconds_left()) if self._seconds_left else self._wait)
        while left:
            for batch in tuple(left):
                try:
                    before, batch.progress = batch.progress, await self._batches.look(batch.model, batch.id)
                    if batch.progress.done != before.done:
                        progress = _submitted_event(batch.mark, batch.model, batch.id, len(batch.open))
                        self._on_event(replace(progress, data={**progress.data, "done": batch.progress.done}))
                    if batch.progress.has_ended:
                        await self._take_all(batch)
                        left.remove(batch)
                    failed = 0
                except ProviderFault as fault:
                    failed += 1
                    if failed >= MOST_FAILED_LOOKS or not may_pass(fault):
                        raise _away(batch.model, fault) from fault
            if left and self._clock() + pause > end:
                raise _leave(left, leaving)
            if left:
                await asyncio.sleep(pause)
                pause = min(pause * 1.5, LONGEST_PAUSE)

    async def _take_all(self, batch: Batch) -> None:
        """Record every answer of a batch that has ended. Requests without an answer were never run."""
        async with aclosing(self._batches.results(batch.model, batch.id, batch.progress)) as results:  # type: ignore[type-var]
            async for result in results:
                intent = batch.open.pop(result.custom_id, None)
                if intent is not None:  # otherwise it was recorded before the process was killed
                    await self._take(intent, result)
                    reach("models.batch.collected")
        for id, intent in batch.open.items():
            await self._take(intent, Result(id, None, b""))
        if batch.progress.trouble is not None:
            raise ModelAway(
                batch.model,
                f"The batch {batch.id} at {batch.model} did not finish. {batch.progress.trouble}",
                hint="`burnish resume` submits the missing calls again; answers received are kept.",
            )

    async def _take(self, intent: CallIntent, result: Result) -> None:
        """Record an answer or a failure. A call whose fault may pass is released, to be queued again a few times."""
        assert intent.call is not None
        call = Call(**intent.call)
        self._tries[intent.key] = tries = self._tries.get(intent.key, 0) + 1
        bill = Bill(turn=0, tries=tries)
        others: tuple[EventRecord, ...] = ()
        with call_span(call) as add_figures:
            try:
                reply = await self._batches.reply(call, result)
            except ProviderFault as fault:
                if may_pass(fault) and tries < self._retry.policy.max_attempts:
                    await self._forget(intent)
                    return
                bill.usage = self._charged(intent, charged_for_fault(call, fault))
                error = f"{fault.kind}: {fault.message}"
                record = replace(record_of(call, bill, raw=fault.body[:LONGEST_KEPT_BODY], error=error), key=intent.key)
                self._failed[intent.key] = CallFailed(record, fault.hint, fault=fault)
            else:
                bill.usage = self._charged(intent, charged_for_reply(call, reply))
                record = replace(record_of(call, bill, raw=reply.text, error=None), key=intent.key)
                others = other_model(call, reply)
            add_figures(record)
            is_kept = record.status != "ok" or not self._holds_key(record.raw)
            await self._log.write(record if is_kept else record.withheld(), *others)

    def _charged(self, intent: CallIntent, used: TokenCount) -> Usage:
        reservation = self._reserved.pop(intent.key, None)
        if reservation is None:
            return self.budget.charge(intent.model, used)
        return self.budget.settle(reservation, intent.model, used)


def _custom_id(intent: CallIntent) -> str:
    return f"{intent.batch}-{intent.key.removeprefix('sha256:')[:KEY_LENGTH]}"


def _submitted_event(mark: str, model: str, id: str, calls: int) -> EventRecord:
    return event(
        "calls_submitted", dedupe=f"submitted:{mark}", data={"batch": mark, "model": model, "id": id, "calls": calls}
    )


def _away(model: str, fault: ProviderFault) -> ModelAway:
    return ModelAway(model, f"The batch endpoint of {model} failed: {fault.message}", hint=fault.hint)


def _leave(batches: Sequence[Batch], leaving: str) -> Submitted:
    """Return the error that ends the session while answers are pending."""
    done, total = sum(batch.progress.done for batch in batches), sum(len(batch.open) for batch in batches)
    named = ", ".join(f"{batch.model} {batch.id}" for batch in batches)
    return Submitted(
        f"{leaving}: {min(done, total):,} of {total:,} calls in a batch are done ({named}).",
        hint="`burnish resume` collects the answers, usually within an hour, within a day at the latest.",
    )
