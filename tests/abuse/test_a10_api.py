"""A10: whatever addresses a request brings, none of them is asked. Only the operator's settings name an endpoint."""

import json
import socket
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.api.api_desk import ApiDesk, api_desk
from tests.loopback import Asked, LoopbackModel
from tests.mixed_queue import question

NAMES = ("model", "models", "base_url", "baseUrl", "endpoint", "url", "api_key", "judges", "source_url", "path", "out")
ENDPOINTS = ("polish", "translate", "check")


class Bait:
    """A server that only counts who comes, on every loopback address."""

    def __init__(self) -> None:
        self.visits = 0
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        threading.Thread(target=self._count, daemon=True).start()

    def _count(self) -> None:
        while True:
            try:
                visitor, _ = self._listener.accept()
            except OSError:
                return
            self.visits += 1
            visitor.close()

    def close(self) -> None:
        self._listener.close()

    def addresses(self) -> list[str]:
        here = f":{self.port}/x"
        return [
            *(f"http://{host}{here}" for host in ("127.0.0.1", "localhost", "[::1]", "0x7f000001")),
            *("http://169.254.169.254/latest/meta-data/", "http://10.0.0.1/", "http://[fe80::1]/"),
            f"https://user:pass@127.0.0.1{here}",
            f"//127.0.0.1{here}",
            f"http://127.0.0.1:{self.port}/redirect?to=http://169.254.169.254/",
            "file:///etc/passwd",
            f"openai:m@http://127.0.0.1{here}",
        ]


CONNECTS: list[str] = []
_listening = threading.Event()


def _hear(event: str, arguments: tuple[Any, ...]) -> None:
    if _listening.is_set() and event in ("socket.connect", "socket.getaddrinfo"):
        CONNECTS.append(f"{event} {arguments[1:] if event == 'socket.connect' else arguments[:2]}")


sys.addaudithook(_hear)


@contextmanager
def overheard() -> Iterator[list[str]]:
    """Every connection that this process opens inside the block, and every name that it looks up."""
    CONNECTS.clear()
    _listening.set()
    try:
        yield CONNECTS
    finally:
        _listening.clear()


@pytest.fixture
def bait() -> Iterator[Bait]:
    server = Bait()
    yield server
    server.close()


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[ApiDesk]:
    with api_desk(tmp_path / "runs") as opened:
        opened.here.jobs.close()
        yield opened


def documents(address: str) -> list[dict[str, Any]]:
    """Content of every sort that names the address wherever a careless reader might follow it."""
    item = {**question(0), "image": address, "source": address, "$ref": address, "@context": address}
    entity = f'<?xml version="1.0"?><!DOCTYPE quiz SYSTEM "{address}" [<!ENTITY x SYSTEM "{address}">]><quiz>&x;</quiz>'
    schema = (
        f'<assessmentItem xmlns="{address}" xmlns:xi="http://www.w3.org/2001/XInclude"><xi:include href="{address}"/>'
    )
    return [
        {"name": "bank.json", "content": [item]},
        {"name": "quiz.xml", "content": entity},
        {"name": "item.xml", "content": f"{schema}</assessmentItem>"},
        {
            "name": "lesson.md",
            "content": f"# A\n\n![a]({address})\n\n[b]({address})\n\n<img src='{address}'>\n\n## B\n\nText.",
        },
        {"name": "bank.csv", "content": f'stem,A,B,answer\n"=WEBSERVICE(""{address}"")",a,b,A\n'},
        {"name": "bank.gift", "content": f"Where? {{=here ~{address}}}\n"},
    ]


def orders(address: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Requests that try to have an address asked."""
    plain = {"name": "bank.json", "content": [question(0)]}
    yield "polish", {**plain, "ceilings": {"base_url": address}}
    yield "polish", {**plain, "run_id": address}
    yield "polish", {"name": address, "content": [question(0)]}
    yield "check", {**plain, "kind": address}
    yield "check", {**plain, "profile": address}
    yield "check", {**plain, "select": [address]}
    yield (
        "check",
        {
            "name": "a.md",
            "content": "# A",
            "spec": {"name": "s.json", "content": {"$schema": address, "lesson_id": address}},
        },
    )
    yield "check", {"name": "a.md", "content": "# A", "sources": [{"name": "s.md", "content": address}]}
    yield "translate", {"name": "b.md", "content": f"See {address}.", "to": address}
    yield "translate", {"name": "b.md", "content": f"See {address}.", "to": "es", "translator": address}
    yield (
        "translate",
        {
            "name": "b.md",
            "content": "Hi.",
            "to": "es",
            "glossary": {"name": "g.tbx", "content": f'<!DOCTYPE a SYSTEM "{address}"><a/>'},
        },
    )
    for document in documents(address):
        yield "check", document


def test_no_address_of_a_request_is_asked(desk: ApiDesk, bait: Bait) -> None:
    asked = 0
    with overheard() as connects:
        for address in bait.addresses():
            for endpoint, body in orders(address):
                answer = desk.post(endpoint, body)
                assert answer.status_code < 500, answer.text
                assert answer.status_code != 202
                asked += 1
    assert asked >= 200
    assert connects == []
    assert bait.visits == 0


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("endpoint", ENDPOINTS)
def test_no_request_can_name_an_endpoint(desk: ApiDesk, endpoint: str, name: str) -> None:
    body = {"name": "b.md", "content": "Hello.", **({"to": "es"} if endpoint == "translate" else {})}
    answer = desk.post(endpoint, {**body, name: "http://127.0.0.1:1/"})
    assert (answer.status_code, answer.json()["errors"][0]["field"]) == (422, f"body.{name}")


AUDIT = """
import sys
def hear(event, arguments):
    if event == "socket.connect":
        with open({log!r}, "a") as log:
            log.write(f"{{arguments[1]}}\\n")
sys.addaudithook(hear)
"""


def test_a_run_asks_nobody_but_the_operators_model(tmp_path: Path, bait: Bait, monkeypatch: pytest.MonkeyPatch) -> None:
    """The child that works on a run is overheard too; the model itself answers with addresses."""
    log = tmp_path / "connects.txt"
    (tmp_path / "sitecustomize.py").write_text(AUDIT.format(log=str(log)), encoding="utf-8")
    address = f"http://127.0.0.1:{bait.port}/x"
    edit = {"unit": "river-00", "field": "stem", "find": "NOT near it", "replace": f"near it, see {address}"}

    def answer(asked: Asked) -> dict[str, Any]:
        violations = {"reasoning": address, "violations": []}
        return {"reasoning": address, "edits": [edit]} if asked.reply_name == "edit_reply" else violations

    with LoopbackModel(answer) as model:
        monkeypatch.setenv("PYTHONPATH", str(tmp_path))
        monkeypatch.setenv("BURNISH_MODEL", "openai:m")
        monkeypatch.setenv("BURNISH_BASE_URL", model.base_url)
        with api_desk(tmp_path / "runs", **{"models.model": "openai:m", "models.base_url": model.base_url}) as desk:
            content = {**documents(address)[0], "run_id": "r"}
            assert desk.post("polish", content).status_code == 202
            for _ in range(600):
                if not desk.here.jobs.is_at_work("r"):
                    break
                time.sleep(0.05)
            assert desk.json("runs/r")["totals"]["calls"] > 0, desk.json("runs/r")
        asked = {int(line.rstrip(")").split(",")[1]) for line in log.read_text(encoding="utf-8").splitlines()}
        assert asked == {int(model.base_url.split(":")[2].split("/")[0])}
    assert bait.visits == 0
    assert json.dumps(address) not in log.read_text(encoding="utf-8")
