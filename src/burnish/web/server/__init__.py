"""Serving: the port, the signals and the patience of the server."""

from __future__ import annotations

import asyncio
import errno
import logging
import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import Any

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from burnish.api.workplace import Workplace
from burnish.core.errors import UsageError
from burnish.web.server.app import create_app

HEADER_SECONDS = 10.0
"""How long a visitor may take to say what it wants."""
KEEP_ALIVE_SECONDS = 30
LARGEST_HEADER = 32 * 1024
GOODBYE_SECONDS = 1
"""How long answers under way have when the server goes."""
WAITING_VISITORS = 2048
"""Connections that may wait to be taken."""
SIGNALS = (signal.SIGINT, signal.SIGTERM)


def bound(host: str, port: int) -> socket.socket:
    """The port, taken. UsageError where somebody else has it."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # The protocol is named: asyncio sends at once only where it knows that it speaks TCP, else each answer waits 40 ms.
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
    except (OSError, OverflowError) as refused:
        listener.close()
        taken = isinstance(refused, OSError) and refused.errno == errno.EADDRINUSE
        why = "is taken" if taken else f"cannot be opened: {getattr(refused, 'strerror', None) or refused}"
        raise UsageError(
            f"Port {port} on {host} {why}.", hint="Choose another with --port; 0 takes any that is free."
        ) from refused
    return listener


def serve(workplace: Workplace, listener: socket.socket, *, started: Callable[[], None]) -> None:
    """Serve until a signal comes. `started` is called once the port answers."""
    _allow_many_files()
    # What strangers send that is no HTTP is their trouble: a log that they can fill is ours.
    logging.getLogger("uvicorn.error").setLevel(logging.ERROR)
    config = uvicorn.Config(
        create_app(workplace),
        http=PatientProtocol,
        ws="none",
        lifespan="on",
        log_config=None,
        access_log=False,
        proxy_headers=False,
        server_header=False,
        backlog=WAITING_VISITORS,
        timeout_keep_alive=KEEP_ALIVE_SECONDS,
        timeout_graceful_shutdown=GOODBYE_SECONDS,
        h11_max_incomplete_event_size=LARGEST_HEADER,
    )
    server = Server(config, workplace, started)
    asyncio.run(server.serve(sockets=[listener]))


class Server(uvicorn.Server):
    """Ends at the first signal, streams included; a signal is an order to stop, not an error."""

    def __init__(self, config: uvicorn.Config, workplace: Workplace, started: Callable[[], None]) -> None:
        super().__init__(config)
        self._workplace = workplace
        self._announce = started

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            self._announce()

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        loop = asyncio.get_running_loop()

        def stop(number: int, frame: FrameType | None) -> None:
            self.handle_exit(number, frame)
            loop.call_soon_threadsafe(self._workplace.streams.end)

        before = {number: signal.signal(number, stop) for number in SIGNALS}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)


class PatientProtocol(H11Protocol):
    """HTTP with an end to patience: whoever does not finish a request's head in time is let go."""

    _deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self._arm()

    def data_received(self, data: bytes) -> None:
        if self._is_idle():
            self._arm()
        super().data_received(data)
        if not self._is_idle():
            self._disarm()

    def connection_lost(self, exc: Exception | None) -> None:
        self._disarm()
        super().connection_lost(exc)

    def _is_idle(self) -> bool:
        """Whether no request is being answered: what comes now is the head of the next one."""
        return self.cycle is None or self.cycle.response_complete

    def _arm(self) -> None:
        if self._deadline is None:
            self._deadline = self.loop.call_later(HEADER_SECONDS, self._let_go)

    def _disarm(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _let_go(self) -> None:
        self._deadline = None
        if self._is_idle() and not self.transport.is_closing():
            self.transport.close()


def _allow_many_files() -> None:
    """Every stream is an open file, and the usual limit of 1,024 is met before the server is busy."""
    try:
        import resource
    except ImportError:  # Windows has no such limit
        return
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    with suppress(ValueError, OSError):  # what may not be raised stays as it is: fewer streams, nothing else
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(most, 65_536) if most > 0 else 65_536, most))
