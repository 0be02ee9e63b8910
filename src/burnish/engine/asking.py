"""Asking models: render, look up, call, record, and only then parse."""

from __future__ import annotations

import asyncio
from contextlib import nullcontext

from burnish.core.asks import Answer, Ask
from burnish.core.errors import ReplyUnreadable
from burnish.core.records import CallRecord, Usage
from burnish.core.replies import reply_schema
from burnish.models.calls import Call
from burnish.models.gateway import CallFailed, Gateway
from burnish.models.parsing import parse_reply
from burnish.models.prompts import Rendered, prompt_named, render
from burnish.store.journal import Journal
from burnish.store.redaction import Redactor

OUTAGE = 3
"""Calls in a row that the endpoint may fail before a model counts as away: the rest of the run is judged by rules."""


class GatewayAsker:
    """Puts the asks of one run to its models."""

    def __init__(
        self,
        gateway: Gateway,
        nonce: str,
        *,
        copy_to: Journal | None = None,
        at_once: int | None = None,
        redactor: Redactor | None = None,
    ) -> None:
        """`copy_to`: the journal of a replaying run, which keeps a copy of every answer it is given.

        `at_once`: how many asks may be under way. A crash loses no more calls than that, however many judges there are.
        """
        self._gateway = gateway
        self._nonce = nonce
        self._copy_to = copy_to
        self._redactor = redactor or Redactor()
        self._seats = asyncio.Semaphore(at_once) if at_once is not None else nullcontext()
        self._failures: dict[str, int] = {}

    async def ask(self, ask: Ask, model: str) -> Answer:
        """The answer, or why there is none. LimitReached is raised: it ends the run, not the unit."""
        call = call_of(ask, model, self._nonce)
        async with self._seats:
            if self._failures.get(model, 0) >= OUTAGE:
                return Answer(model, None, f"model_failed: {model} did not answer {OUTAGE} times in a row")
            try:
                record = await self._gateway.ask(call)
            except CallFailed as failed:
                return await self._unanswered(call, failed)
        self._failures[model] = 0
        await self._copy(record)
        try:
            reply = parse_reply(ask.reply, record.raw)
        except ReplyUnreadable as unreadable:
            return Answer(model, None, self._told("reply_unreadable", unreadable.message), *_bill(record))
        return Answer(model, reply, None, *_bill(record))

    async def _unanswered(self, call: Call, failed: CallFailed) -> Answer:
        """Why there is no answer. One that was cut off or withheld is unreadable.

        Only trouble of the endpoint counts towards an outage: a request that it refuses for what it holds says nothing
        about the next one.
        """
        await self._copy(failed.record)
        name = "reply_unreadable" if failed.answered else "model_failed"
        if self._copy_to is None:
            self._failures[call.model] = self._failures.get(call.model, 0) + 1 if failed.of_endpoint else 0
        refused = not failed.answered and not failed.of_endpoint
        return Answer(call.model, None, self._told(name, failed.message), *_bill(failed.record), refused=refused)

    def _told(self, name: str, message: str) -> str:
        return self._redactor.diagnostics(f"{name}: {message}")

    async def _copy(self, record: CallRecord) -> None:
        if self._copy_to is not None and self._copy_to.call(record.key) is None:
            await self._copy_to.write(record)


def _bill(record: CallRecord) -> tuple[tuple[str, ...], Usage, float]:
    """The call behind an answer, what it cost, and how long it took."""
    return (record.key,), record.usage, record.duration_ms / 1000


def call_of(ask: Ask, model: str, nonce: str) -> Call:
    """An ask as a call to one model."""
    text = rendered(ask, model=model, nonce=nonce)
    return Call(
        model=model,
        role=ask.role,
        unit=ask.unit,
        system=text.system,
        user=text.user,
        reply_name=ask.reply,
        schema=reply_schema(ask.reply),
        max_tokens=ask.max_tokens,
    )


def rendered(ask: Ask, *, model: str, nonce: str) -> Rendered:
    """The ask's prompt, filled in and fenced."""
    settings = {"max_tokens": ask.max_tokens}
    return render(prompt_named(ask.prompt), ask.trusted, ask.untrusted, nonce=nonce, model=model, settings=settings)
