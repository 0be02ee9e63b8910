"""Ten people browse and 200 streams are open while a run works: it must hardly notice."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil

from bench.lines import Line, beside
from bench.throughput import loopback_model, polished
from burnish.core.json_bytes import loads
from burnish.store.processes import look_for_cycles_seldom

TITLE = "a run at work while ten people browse it and 200 event streams are open"
WORKERS, LATENCY = 64, 1.0
ROUNDS, FULL_ROUNDS = 15, 40
PEOPLE, STREAMS = 10, 200
SHARE = 0.95
TOKEN = "a-token-for-the-benchmark-0123456789"
PROJECT = Path(__file__).parents[1]
WAIT = 60.0
"""Seconds after which a server that does not answer is broken."""


def run(full: bool) -> list[Line]:
    calls = WORKERS * (FULL_ROUNDS if full else ROUNDS)
    with tempfile.TemporaryDirectory(prefix="burnish-bench-") as place, loopback_model(LATENCY) as address:
        folder = Path(place)
        look_for_cycles_seldom()
        polished(folder, "warm-up", WORKERS, WORKERS, address)
        _, _, alone = polished(folder, "alone", calls, WORKERS, address)
        with _server(folder) as (server, port):
            crowd = _Crowd(port, "crowded", folder)
            _, _, crowded = polished(folder, "crowded", calls, WORKERS, address)
            memory = psutil.Process(server.pid).memory_info().rss / 1e6
            seen = crowd.ended()
    if seen["failures"]:
        raise RuntimeError(f"visitors were turned away: {seen['failures']}")
    pages = sorted(1000 * seconds for each in seen["pages"].values() for seconds in each)
    slowest = pages[int(len(pages) * 0.95)]
    return [
        beside(
            f"{calls:,} calls while {PEOPLE} people browse",
            crowded.rate(WORKERS),
            "calls/s",
            "nobody looks",
            alone.rate(WORKERS),
            at_least=SHARE,
        ),
        Line(f"pages meanwhile, 95 of 100 of {len(pages):,}", slowest, "ms", "the same two cores work, ask and watch"),
        Line(f"{seen['streams']} streams", float(seen["events"]), "events sent", "all of them open to the end"),
        Line("the server's memory", memory, "MB", f"{PEOPLE} people, {STREAMS} streams"),
    ]


@contextmanager
def _server(folder: Path) -> Iterator[tuple[subprocess.Popen[str], int]]:
    token = folder / "token"
    token.write_text(TOKEN)
    token.chmod(0o600)
    settings = folder / "burnish.toml"
    settings.write_text("[serve]\nrequests_per_second = 10000\n")
    command = [sys.executable, "-m", "burnish.cli.main", "serve", "--port", "0", "--no-color"]
    command += ["--token-file", str(token), "--runs", str(folder / "runs")]
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        port = int(server.stdout.readline().split("/?token")[0].rpartition(":")[2])
        try:
            yield server, port
        finally:
            server.terminate()


class _Crowd:
    """Comes as soon as the run is there."""

    def __init__(self, port: int, run: str, folder: Path) -> None:
        self._command = [sys.executable, "-m", "bench.visitors", f"http://127.0.0.1:{port}", TOKEN, run]
        self._command += [str(PEOPLE), str(STREAMS)]
        self._journal = folder / "runs" / run / "journal.sqlite"
        self._process: subprocess.Popen[str] | None = None
        self._thread = threading.Thread(target=self._come, daemon=True)
        self._thread.start()

    def _come(self) -> None:
        until = time.monotonic() + WAIT
        while not self._journal.is_file() and time.monotonic() < until:
            time.sleep(0.05)
        time.sleep(0.5)  # the plan is written down right after the journal is made
        self._process = subprocess.Popen(
            self._command, cwd=PROJECT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def ended(self) -> dict[str, list[str]]:
        self._thread.join()
        assert self._process is not None
        said, _ = self._process.communicate(timeout=WAIT)
        found: dict[str, list[str]] = loads(said)
        return found
