"""A real workbench on a real port, in a thread of the test's own process."""

from __future__ import annotations

import asyncio
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx2
import uvicorn

from burnish.api.access import Access
from burnish.api.workplace import Workplace, workplace_of
from burnish.app.settings import load
from burnish.web import server as serving
from burnish.web.server import create_app

TOKEN = "a-token-that-only-tests-know-0123456789"


class Workbench:
    """A running server and its workplace."""

    def __init__(self, here: Workplace, port: int) -> None:
        self.here = here
        self.port = port
        self.address = f"http://127.0.0.1:{port}"

    @property
    def link(self) -> str:
        return self.here.access.link

    def program(self, **how: Any) -> httpx2.Client:
        """A program that holds the token."""
        headers = {"Authorization": f"Bearer {TOKEN}"}
        return httpx2.Client(base_url=self.address, headers=headers, timeout=20, **how)

    def browser(self, name: str | None = None, **how: Any) -> httpx2.Client:
        """A browser without scripts: it has the cookie, sends its origin, and has named its user if `name` is given."""
        cookies = {self.here.access.cookie: self.here.access.session} if self.here.access.token else {}
        if name is not None:
            named = {"Origin": self.address}
            answer = httpx2.post(f"{self.address}/name", headers=named, cookies=cookies, data={"name": name})
            cookies |= dict(answer.cookies)
        return httpx2.Client(
            base_url=self.address, headers={"Origin": self.address}, cookies=cookies, timeout=20, **how
        )

    def stranger(self, **how: Any) -> httpx2.Client:
        return httpx2.Client(base_url=self.address, timeout=20, **how)


def until_rested(here: Workplace, run: str, seconds: float = 60.0) -> None:
    """Wait until no process of the server works on a run. It reads the server's state: requests would be slower."""
    for _ in range(int(seconds / 0.05)):
        if not here.jobs.is_at_work(run) and here.jobs.place(run) is None:
            return
        time.sleep(0.05)
    raise AssertionError(f"{run} is still at work")


class _Threaded(uvicorn.Server):
    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


@contextmanager
def workbench(
    runs: Path, *, token: str | None = TOKEN, settings: dict[str, object] | None = None, grace: float = 3600.0
) -> Iterator[Workbench]:
    """Serve a folder of runs inside the block. Decided runs resume automatically after `grace` seconds."""
    flags = {"runs": ("the test", str(runs)), **{key: ("the test", value) for key, value in (settings or {}).items()}}
    with serving.bound("127.0.0.1", 0) as listener:
        port = listener.getsockname()[1]
        here = workplace_of(load(flags=flags), Access.of("127.0.0.1", port, token), grace=grace)
        config = uvicorn.Config(
            create_app(here),
            http=serving.HeaderTimeoutProtocol,
            ws="none",
            log_config=None,
            access_log=False,
            server_header=False,
            backlog=serving.BACKLOG,
            timeout_graceful_shutdown=1,
            h11_max_incomplete_event_size=serving.LARGEST_HEADER,
        )
        server = _Threaded(config)
        thread = threading.Thread(target=lambda: asyncio.run(server.serve(sockets=[listener])), daemon=True)
        thread.start()
        try:
            _until_answering(port, thread)
            yield Workbench(here, port)
        finally:
            here.streams.end()
            server.should_exit = True
            thread.join(10)
            assert not thread.is_alive(), "the server did not end"


def _until_answering(port: int, thread: threading.Thread) -> None:
    for _ in range(200):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                probe.sendall(b"GET /static/none HTTP/1.0\r\n\r\n")
                probe.settimeout(10)
                if probe.recv(1):
                    return
        assert thread.is_alive(), "the server did not start"
        threading.Event().wait(0.02)
    raise AssertionError("the server does not answer")
