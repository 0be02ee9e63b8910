"""The server: pages, API and static files behind one guard; its port, signals and timeouts."""

from __future__ import annotations

import asyncio
import errno
import gzip
import logging
import signal
import socket
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from functools import cache, partial
from importlib import resources
from itertools import count
from pathlib import Path
from types import FrameType
from typing import Any

import uvicorn
from fastapi import FastAPI
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.staticfiles import StaticFiles
from uvicorn.protocols.http.h11_impl import H11Protocol

from burnish import __version__, api
from burnish.api.workplace import Workplace
from burnish.app.kinds import known_kinds
from burnish.app.webhooks import Webhooks
from burnish.core.errors import BurnishError, NotFound, UsageError
from burnish.web.pages import decisions, new, people, queue, reference, run_progress, runs, unit
from burnish.web.rendering import STYLESHEET, environment, stylesheet
from burnish.web.server.guard import Guard, handle_errors

PAGES = (new, unit, runs, run_progress, queue, decisions, people, reference)
"""Each has a `router`. A unit's address begins with its run's, so `unit` is matched before `runs`."""
log = logging.getLogger("burnish.web")
RESUME_SECONDS = 1.0
"""How often runs are checked for a due resume."""
WEBHOOK_SECONDS = 2.0
"""How often events are checked for webhooks to send."""
INBOX_SECONDS = 5
"""How often the inboxes of paused runs are applied."""


def create_app(workplace: Workplace) -> FastAPI:
    """The application: pages, API and static files."""
    app = FastAPI(
        title="Burnish",
        version=__version__,
        summary="Finds what is wrong in model-written learning content, repairs only that, proves the rest unchanged.",
        openapi_url="/api/openapi.json",
        docs_url=None,
        redoc_url=None,
        lifespan=_lifespan,
        redirect_slashes=False,
    )
    app.state.workplace = workplace
    handle_errors(app)
    app.add_api_route("/", _home, include_in_schema=False)
    for module in PAGES:
        app.include_router(module.router, include_in_schema=False)
    app.include_router(api.router)
    api.install(app)
    app.add_api_route(f"/static/{STYLESHEET}", _styles, include_in_schema=False)
    app.mount("/static", CachedFiles(directory=Path(str(resources.files("burnish.web"))) / "static"), name="static")
    app.add_middleware(Guard, access=workplace.access, serving=workplace.loaded.settings.serve)
    return app


CACHE_HEADERS = {"cache-control": "private, max-age=31536000, immutable"}
"""Cache headers for files that never change: new content gets a new address."""


class CachedFiles(StaticFiles):
    """Static files that browsers may cache for good."""

    def file_response(self, *args: Any, **kwargs: Any) -> Response:
        response = super().file_response(*args, **kwargs)
        response.headers.update(CACHE_HEADERS)
        return response


def _styles(request: Request) -> Response:
    """All styles in one file, compressed."""
    headers = {**CACHE_HEADERS, "vary": "Accept-Encoding"}
    if "gzip" not in request.headers.get("accept-encoding", ""):
        return Response(stylesheet(), headers=headers, media_type="text/css")
    return Response(_packed_styles(), headers={**headers, "content-encoding": "gzip"}, media_type="text/css")


@cache
def _packed_styles() -> bytes:
    return gzip.compress(stylesheet().encode(), mtime=0)


def _home() -> Response:
    return RedirectResponse("/runs", 303)


@asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    here: Workplace = app.state.workplace
    here.jobs.on_end = partial(_apply_pending, here)
    here.jobs.is_settled = lambda run: here.index.open(run).card.state == "ready_to_continue"
    tasks = [asyncio.create_task(_run_periodic_jobs(here)), asyncio.create_task(run_in_threadpool(_preload, here))]
    if here.webhooks is not None:
        tasks.append(asyncio.create_task(_send_webhooks(here.webhooks)))
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        await run_in_threadpool(here.close)


def _preload(here: Workplace) -> None:
    """Load templates and caches at startup, so that the first request does not wait for them."""
    known_kinds()
    here.index.precision()
    templates = environment()
    for name in templates.list_templates():
        templates.get_template(name)


def _apply_pending(here: Workplace, run: str) -> None:
    """Apply the decisions that were saved while the run was working."""
    with suppress(NotFound):  # a job that failed before its run was created has nothing to apply
        here.reviews.apply_pending(run)


async def _send_webhooks(webhooks: Webhooks) -> None:
    """Send webhooks in a task of their own, because a receiver may be slow."""
    while True:
        try:
            await run_in_threadpool(webhooks.look)
        except Exception:  # try again next time: if this task ended, webhooks would stop unnoticed
            log.exception("webhooks: not sent")
        await asyncio.sleep(WEBHOOK_SECONDS)


async def _run_periodic_jobs(here: Workplace) -> None:
    """Resume runs whose last unit was decided, and apply the inboxes of paused runs.

    Polled, because another process may have worked on the run.
    """
    for second in count():
        await asyncio.sleep(RESUME_SECONDS)
        for work in (here.jobs.start_due, *([here.reviews.apply_all] if second % INBOX_SECONDS == 0 else ())):
            try:
                await run_in_threadpool(work)
            except (BurnishError, OSError) as trouble:
                # One run failed: it is tried again, and the other jobs continue.
                log.warning("%s", trouble)


HEADER_SECONDS = 10.0
"""How long a client may take to send the headers of a request."""
KEEP_ALIVE_SECONDS = 30
LARGEST_HEADER = 32 * 1024
SHUTDOWN_SECONDS = 1
"""How long open responses may take to finish at shutdown."""
BACKLOG = 2048
"""Connections that may wait to be accepted."""
SIGNALS = (signal.SIGINT, signal.SIGTERM)


def bound(host: str, port: int) -> socket.socket:
    """A socket bound to the port. Raise UsageError if the port is in use."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # Name the protocol: asyncio sets TCP_NODELAY only for a known TCP socket, and without it each answer waits 40 ms.
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
    """Serve until a signal arrives. `started` is called once the port answers."""
    _allow_many_files()
    # Do not log malformed requests: any client could fill the log with them.
    logging.getLogger("uvicorn.error").setLevel(logging.ERROR)
    config = uvicorn.Config(
        create_app(workplace),
        http=HeaderTimeoutProtocol,
        ws="none",
        lifespan="on",
        log_config=None,
        access_log=False,
        proxy_headers=False,
        server_header=False,
        backlog=BACKLOG,
        timeout_keep_alive=KEEP_ALIVE_SECONDS,
        timeout_graceful_shutdown=SHUTDOWN_SECONDS,
        h11_max_incomplete_event_size=LARGEST_HEADER,
    )
    server = Server(config, workplace, started)
    asyncio.run(server.serve(sockets=[listener]))


class Server(uvicorn.Server):
    """Stops at the first signal and ends open streams; a signal is not reported as an error."""

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


class HeaderTimeoutProtocol(H11Protocol):
    """HTTP that closes connections that do not finish sending headers in time."""

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
        """Whether no request is being answered, so that the next data are the headers of a new one."""
        return self.cycle is None or self.cycle.response_complete

    def _arm(self) -> None:
        if self._deadline is None:
            self._deadline = self.loop.call_later(HEADER_SECONDS, self._close_idle)

    def _disarm(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _close_idle(self) -> None:
        self._deadline = None
        if self._is_idle() and not self.transport.is_closing():
            self.transport.close()


def _allow_many_files() -> None:
    """Raise the limit on open files: each stream is one, and the usual limit of 1,024 is soon reached."""
    try:
        import resource
    except ImportError:  # Windows has no such limit
        return
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    with suppress(ValueError, OSError):  # if the limit cannot be raised, there are fewer streams, nothing else
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(most, 65_536) if most > 0 else 65_536, most))
