"""Webhooks: who is told what, how it is signed, and what happens when nobody answers."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import hmac
import json
import shutil
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import cast

import httpx2
import pytest

from burnish.app.run_index import RunIndex
from burnish.app.settings import Serving
from burnish.app.webhooks import CONFIRMED, FIRST_WAIT, MOST_TRIES, Webhooks, key_of, webhooks_of
from burnish.core.errors import SettingsError
from burnish.core.records import event
from burnish.store.paths import RunFolder
from burnish.store.processes import system_clock
from burnish.store.sqlite_journal import open_journal
from burnish.web import server as server
from tests.mixed_queue import mixed_runs

ADDRESS = "https://example.org/hook"
SECRET = b"a secret"


@dataclass
class Receiver:
    """Takes messages, or answers with a trouble."""

    answers: list[int | Exception] = field(default_factory=list)
    got: list[tuple[dict[str, object], Mapping[str, str], bytes]] = field(default_factory=list)

    def __call__(self, address: str, body: bytes, headers: Mapping[str, str]) -> int:
        assert address == ADDRESS
        self.got.append((json.loads(body), headers, body))
        answer = self.answers.pop(0) if self.answers else 204
        if isinstance(answer, Exception):
            raise answer
        return answer


class Hands:
    """A clock that is moved by hand."""

    def __init__(self) -> None:
        self.now = datetime(2026, 11, 18, 8, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return mixed_runs(tmp_path_factory, 2)


@pytest.fixture
def runs(made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(made, tmp_path / "runs"))


def nobody() -> frozenset[str]:
    return frozenset()


def hooks(runs: Path, receiver: Receiver, clock: Hands, busy: frozenset[str] = frozenset()) -> Webhooks:
    index = RunIndex(runs, clock=system_clock)
    return Webhooks(runs, index, lambda: busy, (ADDRESS,), SECRET, "http://here", clock, receiver)


def stopped_again(runs: Path, run: str, reason: str = "waiting") -> None:
    journal = open_journal(RunFolder.at(runs, run).journal, clock=system_clock)
    journal.write_now(event("run_resumed"), event("run_stopped", data={"reason": reason, "message": ""}))
    journal.close()


def test_what_was_before_is_no_news(runs: Path) -> None:
    receiver = Receiver()
    hooks(runs, receiver, Hands()).look()
    assert receiver.got == []


def test_each_message_is_sent_once_and_signed(runs: Path) -> None:
    receiver, clock = Receiver(), Hands()
    hooks(runs, receiver, clock).look()
    stopped_again(runs, "rivers")
    stopped_again(runs, "lesson")
    hooks(runs, receiver, clock).look()  # another process after a restart knows what is new
    hooks(runs, receiver, clock).look()
    told = {record["data"]["run"]: record for record, _, _ in receiver.got}  # type: ignore[index]
    assert len(receiver.got) == 2
    assert told["rivers"]["type"] == "run.needs_you"
    assert told["rivers"]["data"]["url"] == "http://here/runs/rivers"  # type: ignore[index]
    assert told["rivers"]["data"]["waiting"] == 2  # type: ignore[index]
    assert told["lesson"]["type"] == "run.ended"
    for _, headers, body in receiver.got:
        content = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
        wanted = base64.b64encode(hmac.new(SECRET, content, hashlib.sha256).digest()).decode()
        assert headers["webhook-signature"] == f"v1,{wanted}"


@pytest.mark.parametrize("trouble", [500, 404, 301, httpx2.ConnectError("nobody is there")])
def test_a_message_is_sent_again_with_the_same_id(runs: Path, trouble: int | Exception) -> None:
    receiver, clock = Receiver(), Hands()
    watching = hooks(runs, receiver, clock)
    watching.look()
    stopped_again(runs, "rivers")
    receiver.answers = [trouble]
    watching.look()
    watching.look()
    assert len(receiver.got) == 1, "not before its time"
    clock.now += timedelta(seconds=FIRST_WAIT)
    watching.look()
    watching.look()
    assert [headers["webhook-id"] for _, headers, _ in receiver.got] == [receiver.got[0][1]["webhook-id"]] * 2


def test_an_address_that_never_answers_is_given_up(runs: Path, caplog: pytest.LogCaptureFixture) -> None:
    receiver, clock = Receiver([503] * 100), Hands()
    watching = hooks(runs, receiver, clock)
    watching.look()
    stopped_again(runs, "rivers")
    for _ in range(2 * MOST_TRIES):
        watching.look()
        clock.now += timedelta(hours=2)
    assert len(receiver.got) == MOST_TRIES
    assert "given up" in caplog.text
    [told] = json.loads((runs / CONFIRMED).read_bytes()).values()
    assert told["rivers"] == receiver.got[0][1]["webhook-id"]


def test_tries_are_counted_message_by_message(runs: Path, caplog: pytest.LogCaptureFixture) -> None:
    receiver, clock = Receiver([503] * MOST_TRIES), Hands()
    watching = hooks(runs, receiver, clock)
    watching.look()
    stopped_again(runs, "rivers")
    for _ in range(MOST_TRIES - 1):
        watching.look()
        clock.now += timedelta(hours=2)
    stopped_again(runs, "lesson")
    stopped_again(runs, "rivers")
    watching.look()
    assert "given up" not in caplog.text, "the first failure of another message"
    clock.now += timedelta(hours=2)
    watching.look()
    watching.look()
    assert {record["data"]["run"] for record, _, _ in receiver.got[MOST_TRIES:]} == {"rivers", "lesson"}  # type: ignore[index]


def made_anew(runs: Path, run: str) -> None:
    """Another run under the same name, which has had fewer sessions."""
    journal = open_journal(RunFolder.at(runs, run).journal, clock=system_clock)
    plan = json.loads(journal.get_meta("plan") or "")
    journal.set_meta("plan", json.dumps({**plan, "nonce": "f" * 32}))
    journal.close()


@pytest.mark.parametrize("is_seen_gone", [True, False])
def test_a_run_that_is_made_anew_under_its_name_is_told(made: Path, runs: Path, is_seen_gone: bool) -> None:
    receiver, clock = Receiver(), Hands()
    hooks(runs, receiver, clock).look()
    for _ in range(3):
        stopped_again(runs, "rivers")
        hooks(runs, receiver, clock).look()
    shutil.rmtree(runs / "rivers")
    if is_seen_gone:
        hooks(runs, receiver, clock).look()
    shutil.copytree(made / "rivers", runs / "rivers")
    made_anew(runs, "rivers")
    stopped_again(runs, "rivers")
    hooks(runs, receiver, clock).look()
    ids = [headers["webhook-id"] for _, headers, _ in receiver.got]
    assert len(ids) == len(set(ids)) == 4
    assert not any("." in id for id in ids), "full stops separate what is signed"


def test_a_run_that_the_server_will_work_on_has_not_ended(runs: Path) -> None:
    receiver, clock = Receiver(), Hands()
    hooks(runs, receiver, clock).look()
    stopped_again(runs, "rivers")
    hooks(runs, receiver, clock, frozenset({"rivers"})).look()
    stopped_again(runs, "lesson", "submitted")
    hooks(runs, receiver, clock, frozenset({"rivers"})).look()
    assert receiver.got == []
    hooks(runs, receiver, clock).look()
    assert [record["data"]["run"] for record, _, _ in receiver.got] == ["rivers"]  # type: ignore[index]


def test_neither_log_nor_file_says_what_is_secret_in_an_address(runs: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO", "burnish.web")
    secret = "http://u:pw@127.0.0.1:1/services/TOKEN?key=abc"
    index = RunIndex(runs, clock=system_clock)
    watching = Webhooks(runs, index, nobody, (secret,), SECRET, "http://here", system_clock)
    watching.look()
    stopped_again(runs, "rivers")
    watching.look()
    assert "webhook http://127.0.0.1:1: try 1 failed" in caplog.text
    told = caplog.text + (runs / CONFIRMED).read_text()
    assert not any(word in told for word in ("pw", "TOKEN", "abc"))
    assert (runs / CONFIRMED).stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("broken", ["[]", "{", '{"https://example.org/hook": {"rivers": 12}}'])
def test_what_was_confirmed_and_cannot_be_read_is_begun_anew(
    runs: Path, broken: str, caplog: pytest.LogCaptureFixture
) -> None:
    (runs / CONFIRMED).write_text(broken)
    receiver, clock = Receiver(), Hands()
    hooks(runs, receiver, clock).look()
    hooks(runs, receiver, clock).look()
    stopped_again(runs, "rivers")
    hooks(runs, receiver, clock).look()
    assert (len(receiver.got), caplog.text.count("cannot be read")) == (1, 1)


@pytest.mark.parametrize("address", ["http://[::1", "http://", "https://127.0.0.1:99999/x"])
def test_an_address_to_which_nothing_can_be_sent_is_refused_at_the_start(runs: Path, address: str) -> None:
    index = RunIndex(runs, clock=system_clock)
    with pytest.raises(SettingsError, match="number 1 is no address"):
        webhooks_of(Serving(webhooks=(address,)), runs, index, nobody, "http://here", system_clock)


def test_a_look_that_fails_is_not_the_last(
    runs: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    looks = iter([TypeError("unforeseen"), None])
    done = threading.Event()

    class Failing:
        def look(self) -> None:
            trouble = next(looks, None)
            if trouble is not None:
                raise trouble
            done.set()

    async def told() -> None:
        task = asyncio.create_task(server._send_webhooks(cast(Webhooks, Failing())))
        assert await asyncio.to_thread(done.wait, 10)
        task.cancel()

    monkeypatch.setattr(server, "WEBHOOK_SECONDS", 0.01)
    asyncio.run(told())
    assert "unforeseen" in caplog.text


def test_without_a_secret_nothing_starts(runs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    index = RunIndex(runs, clock=system_clock)
    serving = Serving(webhooks=(ADDRESS,))
    assert webhooks_of(Serving(), runs, index, nobody, "http://here", system_clock) is None
    monkeypatch.delenv("WEBHOOK_SECRET", raising=False)
    with pytest.raises(SettingsError, match="WEBHOOK_SECRET is not set"):
        webhooks_of(serving, runs, index, nobody, "http://here", system_clock)
    monkeypatch.setenv("WEBHOOK_SECRET", "s3cret")
    made = webhooks_of(serving, runs, index, nobody, "http://here", system_clock)
    assert made is not None and made.secret == b"s3cret"


def test_a_key_in_base64_is_a_key() -> None:
    assert key_of("whsec_" + base64.b64encode(b"r" * 24).decode(), "NAME") == b"r" * 24
    for wrong, why in (("", "NAME is not set"), ("whsec_!!!!", "not base64"), ("whsec_abc", "not base64")):
        with pytest.raises(SettingsError, match=why):
            key_of(wrong, "NAME")
    for short in ("whsec_", "whsec_YWJj"):
        with pytest.raises(SettingsError, match="at least 24"):
            key_of(short, "NAME")


def test_it_really_goes_over_the_wire(runs: Path) -> None:
    """A real request to a real listener."""

    seen: list[tuple[str, str]] = []

    class Listener(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            seen.append((self.headers["webhook-signature"], json.loads(body)["type"]))
            self.send_response(202)
            self.end_headers()

        def log_message(self, *given: object) -> None: ...

    with HTTPServer(("127.0.0.1", 0), Listener) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{server.server_port}/hook"
        index = RunIndex(runs, clock=system_clock)
        watching = Webhooks(runs, index, nobody, (address,), SECRET, "http://here", system_clock)
        watching.look()
        stopped_again(runs, "demo")
        watching.look()
        server.shutdown()
    assert [(type, signature[:3]) for signature, type in seen] == [("run.needs_you", "v1,")]
