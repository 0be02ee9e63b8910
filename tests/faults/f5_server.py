"""F5 for the server: Ctrl-C and SIGTERM at random moments, with a run at work and people who watch."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import httpx2

from burnish.store.lock import live_holder
from burnish.store.paths import RunFolder
from burnish.store.processes import system_clock
from tests.engine.questions_bench import biased, script, sound, write_bank

TITLE = "Ctrl-C and SIGTERM to the server at random moments"
LONGEST = 2.0
"""Seconds from the signal to the end."""
TOKEN = "a-token-that-only-tests-know-0123456789"
COMMAND = [sys.executable, "-m", "burnish.cli.main"]


def run(full: bool) -> str:
    signals, rng = (100 if full else 1), random.Random(5)
    with tempfile.TemporaryDirectory() as text:
        trial = Trial(Path(text))
        ends = [trial.one(number, rng) for number in range(signals)]
    slowest, resumed = max(seconds for seconds, _ in ends), sum(began for _, began in ends)
    # How long an end takes depends on the machine; only the long form, which has it to itself, holds it to that.
    assert slowest < (LONGEST if full else 15.0), f"the slowest end took {slowest:.2f} s"
    ended = f"{signals} signals, all ended with 0 within {slowest:.2f} s, locks released"
    return f"{ended}, {resumed} runs resumed to the same bytes"


class Trial:
    """One bank, handed in at a server again and again."""

    def __init__(self, home: Path) -> None:
        self.home = home
        bank = [sound(0), *(biased(number) for number in range(1, 8))]
        self.content = write_bank(home, bank).read_text("utf-8")
        model = script(home / "script.json", *(f"q{number}" for number in range(8)), latency=0.05)
        self.environ = {**os.environ, "BURNISH_MODEL": f"scripted:{model}", "BURNISH_WORKERS": "2"}
        (home / "token").write_text(TOKEN)
        (home / "token").chmod(0o600)
        self.wanted = self._left_in_peace()

    def _left_in_peace(self) -> bytes:
        command = [
            *COMMAND,
            "polish",
            str(self.home / "bank.json"),
            "--run-id",
            "r",
            "--runs",
            str(self.home / "whole"),
        ]
        assert subprocess.run(command, env=self.environ, capture_output=True, check=False).returncode == 0
        return (self.home / "whole" / "r" / "out" / "bank.json").read_bytes()

    def one(self, number: int, rng: random.Random) -> tuple[float, bool]:
        """How long the server took to end, and whether the run had to be resumed."""
        runs = self.home / f"runs{number}"
        command = [*COMMAND, "serve", "--port", "0", "--runs", str(runs), "--token-file", str(self.home / "token")]
        with subprocess.Popen(command, env=self.environ, stdout=subprocess.PIPE, text=True) as server:
            assert server.stdout is not None
            address = server.stdout.readline().split("/?token")[0].split()[-1]
            with httpx2.Client(base_url=address, headers={"Authorization": f"Bearer {TOKEN}"}) as client:
                order = {"run_id": "r", "name": "bank.json", "content": self.content}
                answer = client.post("/api/v1/polish", json=order, timeout=30)
                assert answer.status_code == 202, answer.text
                with client.stream("GET", "/live") as stream:
                    assert stream.status_code == 200
                    time.sleep(rng.uniform(0, 1.5))
                    server.send_signal(rng.choice([signal.SIGINT, signal.SIGTERM]))
                    began = time.monotonic()
                    status = server.wait(30)
                    seconds = time.monotonic() - began
        assert status == 0, f"the server ended with {status}"
        return seconds, self._finished(runs)

    def _finished(self, runs: Path) -> bool:
        folder = RunFolder.at(runs, "r")
        until = time.monotonic() + LONGEST
        while live_holder(folder, system_clock) is not None:
            assert time.monotonic() < until, "the run is still held"
            time.sleep(0.02)
        published = folder.out / "bank.json"
        resumes = not published.is_file()
        if resumes:
            command = [*COMMAND, "resume", "r", "--runs", str(runs)]
            end = subprocess.run(command, env=self.environ, capture_output=True, text=True, check=False)
            assert end.returncode == 0, end.stderr
        assert published.read_bytes() == self.wanted
        return resumes
