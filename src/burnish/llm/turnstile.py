"""The turnstile: one request after another is put together and put on the wire.

Putting a request together takes a millisecond or two of pure computation. When many workers get their answers at the
same moment, an event loop would put all their next requests together before it sends the first of them, and they would
stay in step from then on. Passing a turnstile, they spread out. Measured with 64 workers on one core against a server
that takes exactly one second: 62 calls a second instead of 59.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import httpx2

_leave: ContextVar[Callable[[], None]] = ContextVar("leave")


class Turnstile:
    """Lets one request at a time through, up to the moment when it is sent or has to wait for the network."""

    def __init__(self) -> None:
        self._lock = asyncio.Lock()

    @asynccontextmanager
    async def passing(self) -> AsyncIterator[None]:
        await self._lock.acquire()
        inside = True

        def leave() -> None:
            nonlocal inside
            if inside:
                inside = False
                self._lock.release()

        token = _leave.set(leave)
        try:
            yield
        finally:
            _leave.reset(token)
            leave()


async def watch_departure(request: httpx2.Request) -> None:
    """A request hook: the turnstile opens again once this request is sent, or waits for a connection."""
    request.extensions["trace"] = _departed


async def _departed(event: str, _: dict[str, Any]) -> None:
    if event == "connection.connect_tcp.started" or event.endswith(".send_request_body.complete"):
        _leave.get(_nobody_waits)()


def _nobody_waits() -> None:
    """For a client that is used without a turnstile."""
