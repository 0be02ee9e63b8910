"""The turnstile: one request after another is put together and put on the wire, and all of them before any answer.

Putting a request together takes a millisecond or two of pure computation. When many workers get their answers at the
same moment, an event loop would put all their next requests together before it sends the first of them, and they would
stay in step from then on. Passing a turnstile, they spread out.

Answers come in by it too: once read, they are taken up one at a time, and none while a request is about to leave. An
answer is not lost while it waits, but the server of a request that waits could be at work. So a worker whose answer was
taken up is on its way again before the next one is, and workers that start in step are spread after one round instead
of ten. In a simulation with 64 workers, a server that takes one second and 5 ms of computation a call, the first ten
rounds run at 97 % of the possible rate, against 86 % with departures alone and 74 % without a turnstile.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import httpx2


class Turnstile:
    """Lets one request at a time through, up to the moment when it is sent or has to wait for the network."""

    def __init__(self) -> None:
        self._lock = asyncio.Lock()
        self._leaving = 0
        """Requests that have come to the turnstile and are not on their way yet."""
        self._all_left = asyncio.Event()
        self._all_left.set()
        self._entrance = asyncio.Lock()

    @asynccontextmanager
    async def passing(self) -> AsyncIterator[None]:
        self._leaving += 1
        self._all_left.clear()
        try:
            await self._lock.acquire()
        except BaseException:
            self._gone()
            raise
        passage = Passage(self)
        token = _passage.set(passage)
        try:
            yield
        finally:
            _passage.reset(token)
            passage.leave()

    async def enter(self) -> None:
        """Wait for all who are about to leave. One at a time: who has entered may be about to leave next."""
        async with self._entrance:
            while self._leaving:
                await self._all_left.wait()

    def let_out(self) -> None:
        """The request that was let in is on its way."""
        self._lock.release()
        self._gone()

    def _gone(self) -> None:
        self._leaving -= 1
        if not self._leaving:
            self._all_left.set()


class Passage:
    """One request's way through the turnstile."""

    def __init__(self, turnstile: Turnstile) -> None:
        self.turnstile = turnstile
        self._inside = True

    def leave(self) -> None:
        """Only the first time counts: a request may wait for a connection, be sent, and end."""
        if self._inside:
            self._inside = False
            self.turnstile.let_out()


_passage: ContextVar[Passage | None] = ContextVar("passage", default=None)
"""None in a client that is used without a turnstile."""


async def watch_departure(request: httpx2.Request) -> None:
    """A request hook: the turnstile opens again once this request is sent, or waits for a connection."""
    request.extensions["trace"] = _departed


async def watch_arrival(_: httpx2.Response) -> None:
    """A response hook, for answers that have been read: a slow one holds nobody up."""
    passage = _passage.get()
    if passage is not None:
        passage.leave()  # an answer may come before its request is out, and must not wait for itself
        await passage.turnstile.enter()


async def _departed(event: str, _: dict[str, Any]) -> None:
    if event == "connection.connect_tcp.started" or event.endswith(".send_request_body.complete"):
        passage = _passage.get()
        if passage is not None:
            passage.leave()
