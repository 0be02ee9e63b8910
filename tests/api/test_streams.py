"""Server-sent events, over real connections to a real server."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from burnish.api import streams
from burnish.core.records import event
from burnish.store.paths import RunFolder
from burnish.store.processes import system_clock
from burnish.store.sqlite_journal import OwnedRun, own_run
from tests.workbench import TOKEN, Workbench, workbench


@contextmanager
def owned(runs: Path, name: str = "r") -> Iterator[OwnedRun]:
    with own_run(RunFolder.at(runs, name), system_clock) as run:
        yield run


def happened(run: OwnedRun, *notes: str) -> None:
    run.journal.write_now(*(event("finding_dropped", "u", data={"note": note}) for note in notes))


class Listener:
    """One stream, read as it comes."""

    def __init__(self, bench: Workbench, path: str, last: str | None = None) -> None:
        self.socket = socket.create_connection(("127.0.0.1", bench.port), timeout=20)
        more = f"Last-Event-ID: {last}\r\n" if last else ""
        head = f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{bench.port}\r\nAuthorization: Bearer {TOKEN}\r\n{more}"
        self.socket.sendall(f"{head}Accept: text/event-stream\r\n\r\n".encode())
        self.text = ""

    def until(self, wanted: str) -> str:
        while wanted not in self.text:
            piece = self.socket.recv(65_536)
            assert piece, f"the stream ended before {wanted!r}: {self.text[-500:]!r}"
            self.text += piece.decode()
        return self.text

    def ended(self) -> bool:
        try:
            while piece := self.socket.recv(65_536):
                self.text += piece.decode()
        except ConnectionResetError:
            return True
        return True

    def close(self) -> None:
        self.socket.close()


def notes_in(text: str) -> list[str]:
    records = [json.loads(line.removeprefix("data: ")) for line in text.splitlines() if line.startswith("data: ")]
    return [record["data"]["note"] for record in records if "note" in record.get("data", {})]


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workbench]:
    with workbench(tmp_path_factory.mktemp("runs")) as served:
        yield served


def test_a_stream_tells_what_was_and_what_comes(bench: Workbench) -> None:
    with owned(bench.here.runs, "told") as run:
        happened(run, "one", "two")
        with closing(Listener(bench, "/api/v1/runs/told/events")) as listener:
            listener.until('"two"')
            happened(run, "three")
            assert notes_in(listener.until('"three"')) == ["one", "two", "three"]


def test_a_stream_begins_at_any_number(bench: Workbench) -> None:
    with owned(bench.here.runs, "numbered") as run:
        happened(run, "one", "two", "three")
        last = [each.seq for each in run.journal.events()][-2]
        for listener in (
            Listener(bench, f"/api/v1/runs/numbered/events?after={last}"),
            Listener(bench, "/api/v1/runs/numbered/events", str(last)),
        ):
            with closing(listener):
                assert notes_in(listener.until('"three"')) == ["three"]


def test_content_cannot_forge_an_event(bench: Workbench) -> None:
    with owned(bench.here.runs, "forged") as run:
        happened(run, "x\n\nevent: published\ndata: {}\n\n", "\r\rid: 999\r\r", "\u2028end")
        with closing(Listener(bench, "/api/v1/runs/forged/events")) as listener:
            text = listener.until("u2028end" if "u2028end" in listener.text else "end")
        lines = [line for line in text.split("\n") if line.startswith(("event:", "id:"))]
        assert all(line.startswith("event: happened") or line[4:].isdigit() for line in lines)


def test_one_that_is_far_behind_catches_up(bench: Workbench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "PORTION", 7)
    monkeypatch.setattr(streams, "KEPT", 5)
    with owned(bench.here.runs, "long") as run:
        happened(run, *(f"n{number:03}" for number in range(60)))
        with closing(Listener(bench, "/api/v1/runs/long/events")) as listener:
            assert notes_in(listener.until('"n059"')) == [f"n{number:03}" for number in range(60)]


def test_silence_is_broken_by_a_sign_of_life(bench: Workbench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "SIGN_OF_LIFE_SECONDS", 0.05)
    with owned(bench.here.runs, "quiet") as run:
        happened(run, "one")
        with closing(Listener(bench, "/api/v1/runs/quiet/events")) as listener:
            text = listener.until('"one"')
            listener.text = ""
            listener.until(": still here\n\n")
            assert '"one"' in text


def test_the_folder_tells_which_run_got_on(bench: Workbench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "FOLDER_SECONDS", 0.02)
    monkeypatch.setattr(streams, "SIGN_OF_LIFE_SECONDS", 0.1)
    with closing(Listener(bench, "/live")) as listener:
        listener.until(": still here")
        with owned(bench.here.runs, "moved") as run:
            happened(run, "one")
            assert '"moved"' in listener.until("event: changed\ndata:") or '"moved"' in listener.until('"moved"')


def test_the_watch_of_a_run_ends_with_its_last_stream(bench: Workbench) -> None:
    with owned(bench.here.runs, "left") as run:
        happened(run, "one")
        both = [Listener(bench, "/api/v1/runs/left/events") for _ in range(2)]
        for listener in both:
            listener.until('"one"')
        assert "left" in bench.here.streams._watched
        for listener in both:
            listener.close()
        happened(run, "two")
        for _ in range(100):
            if "left" not in bench.here.streams._watched:
                break
            happened(run, "more")
            time.sleep(0.05)
        assert "left" not in bench.here.streams._watched


def test_no_stream_of_a_run_that_is_not_there(bench: Workbench) -> None:
    with bench.program() as program:
        answer = program.get("/api/v1/runs/none/events")
        assert answer.status_code == 404
        assert answer.json()["code"] == "not_found"


def test_there_is_an_end_to_the_number_of_streams(tmp_path: Path) -> None:
    with workbench(tmp_path, settings={"serve.streams": 2}) as bench, owned(tmp_path) as run:
        happened(run, "one")
        open_ones = [Listener(bench, "/api/v1/runs/r/events") for _ in range(2)]
        for listener in open_ones:
            listener.until('"one"')
        with bench.program() as program:
            stream = {"Accept": "text/event-stream"}
            assert program.get("/api/v1/runs/r/events", headers=stream).status_code == 503
            assert program.get("/api/v1/runs/r/events").json()["events"], "a page is no stream"
            assert program.get("/live").status_code == 503
        ends = [threading.Thread(target=listener.ended) for listener in open_ones]
        for end in ends:
            end.start()
    for end in ends:
        end.join(5)
        assert not end.is_alive(), "a stream outlived its server"
    for listener in open_ones:
        listener.close()


def test_a_journal_that_cannot_be_read_takes_no_stream_from_others(tmp_path: Path) -> None:
    broken = RunFolder.at(tmp_path, "broken")
    broken.root.mkdir()
    broken.journal.write_bytes(b"no journal at all")
    with workbench(tmp_path, settings={"serve.streams": 2}) as bench, bench.program() as program:
        for _ in range(4):
            answer = program.get("/api/v1/runs/broken/events")
            assert answer.status_code >= 400
            assert answer.headers["content-type"] == "application/problem+json"
        with closing(Listener(bench, "/live")) as listener:
            listener.until(": still here")


def test_the_first_to_come_does_not_read_what_it_does_not_want(
    bench: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(streams, "KEPT", 5)
    with owned(bench.here.runs, "old") as run:
        happened(run, *(f"n{number}" for number in range(50)))
        last = run.journal.last_event()
        watch = streams.RunWatch(RunFolder.at(bench.here.runs, "old"), system_clock)
        with closing(watch):
            assert [number for number, _ in watch.look()] == list(range(last - 4, last + 1))
            assert len(watch.behind(0)) == last
