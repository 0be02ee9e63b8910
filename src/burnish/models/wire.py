"""What is built on the HTTP library's own classes. Imported with that library, when the first call is made."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable

import httpx2

LONGEST_BODY = 16_000_000
"""Bytes of an answer that are read; a server that sends more is cut off."""


class BoundedStream(httpx2.AsyncByteStream):
    """A stream that ends with an error where the answer gets too long."""

    def __init__(self, stream: httpx2.AsyncByteStream) -> None:
        self._stream = stream

    async def __aiter__(self) -> AsyncIterator[bytes]:
        left = LONGEST_BODY
        async for chunk in self._stream:
            left -= len(chunk)
            if left < 0:
                raise httpx2.ReadError(f"the answer is longer than {LONGEST_BODY:,} bytes")
            yield chunk

    async def aclose(self) -> None:
        await self._stream.aclose()


class Lanes(httpx2.AsyncBaseTransport):
    """A lane, which is a transport with one connection, for each request that is under way.

    The library's pool looks over all its connections before and after each request and asks the idle ones whether their
    server has hung up. With 64 workers that is a sixth of a call's whole work, and it grows with their number. A lane
    asks its one connection.
    """

    def __init__(self, build: Callable[[], httpx2.AsyncBaseTransport]) -> None:
        """`build` makes one lane."""
        self._build = build
        self._all: list[httpx2.AsyncBaseTransport] = []
        self._free: dict[tuple[str, str, int | None], list[httpx2.AsyncBaseTransport]] = {}
        """By the server that their connection leads to. The one used last comes first: its connection is alive."""

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        free = self._free.setdefault((request.url.scheme, request.url.host, request.url.port), [])
        lane = free.pop() if free else self._opened()
        try:
            response = await lane.handle_async_request(request)
        except BaseException:
            free.append(lane)  # it has closed the connection that failed, and opens another one for the next request
            raise
        assert isinstance(response.stream, httpx2.AsyncByteStream)
        response.stream = _LaneStream(response.stream, lambda: free.append(lane))
        return response

    async def aclose(self) -> None:
        for lane in self._all:
            await lane.aclose()

    def _opened(self) -> httpx2.AsyncBaseTransport:
        lane = self._build()
        self._all.append(lane)
        return lane


class _LaneStream(httpx2.AsyncByteStream):
    """An answer that frees its lane when it is closed, once."""

    def __init__(self, stream: httpx2.AsyncByteStream, free: Callable[[], None]) -> None:
        self._stream = stream
        self._free: Callable[[], None] | None = free

    def __aiter__(self) -> AsyncIterator[bytes]:
        return self._stream.__aiter__()

    async def aclose(self) -> None:
        free, self._free = self._free, None
        try:
            await self._stream.aclose()
        finally:
            if free is not None:
                free()
