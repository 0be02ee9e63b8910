"""A desk for tests of the HTTP API: a folder of runs of every kind, and the whole application behind its guard."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fastapi import FastAPI
from fastapi.testclient import TestClient
from httpx2 import Response

from burnish.api.access import Access
from burnish.api.workplace import Workplace, workplace_of
from burnish.app.settings import load
from burnish.store.paths import RunFolder
from burnish.web.server import create_app

TOKEN = "a-token-for-tests-of-the-api"
API = "/api/v1"
HOST = "testserver"
"""What fuzzers call the application."""
GENEROUS = {
    "serve.requests_per_second": 100_000,
    "serve.changes_per_second": 100_000,
    "serve.jobs_per_minute": 1_000_000,
    "serve.max_body_mb": 1,
}
"""Limits that no test meets unless it means to; the size of a body is small, so that it is quickly met."""


@dataclass(frozen=True)
class ApiDesk:
    """The API as a program with the token sees it."""

    app: FastAPI
    here: Workplace
    client: TestClient

    def get(self, path: str, **query: Any) -> Response:
        return self.client.get(f"{API}/{path}", params=query)

    def post(self, path: str, body: Any = None) -> Response:
        return self.client.post(f"{API}/{path}", json=body)

    def json(self, path: str, **query: Any) -> Any:
        answer = self.get(path, **query)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def run(self, id: str) -> RunFolder:
        return RunFolder.at(self.here.runs, id)


def application(runs: Path, **settings: object) -> tuple[FastAPI, Workplace]:
    """The application over a folder of runs."""
    flags = {"runs": str(runs), **GENEROUS, **settings}
    loaded = load(start=runs.parent, environ={}, flags={key: ("the test", value) for key, value in flags.items()})
    here = workplace_of(loaded, Access.of("127.0.0.1", 80, TOKEN, names=[HOST]))
    return create_app(here), here


@contextmanager
def api_desk(runs: Path, **settings: object) -> Iterator[ApiDesk]:
    app, here = application(runs, **settings)
    headers = {"Authorization": f"Bearer {TOKEN}"}
    with TestClient(app, base_url=f"http://{HOST}", headers=headers, raise_server_exceptions=False) as client:
        yield ApiDesk(app, here, client)


def copied(runs: Path, to: Path) -> Path:
    """A copy of a folder of runs, for whoever changes something."""
    shutil.copytree(runs, to)
    return to
