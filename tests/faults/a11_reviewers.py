"""A11: two reviewers decide about one unit at once. Exactly one decision is recorded; the other one is told of it."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from burnish.app.reviews import ReviewService
from burnish.app.settings import Settings
from burnish.core.attempts import effective_decisions
from burnish.store.paths import RunFolder
from burnish.store.processes import system_clock
from burnish.store.sqlite_journal import own_run
from tests.engine.questions_bench import biased, journal_of, sound, write_bank
from tests.engine.questions_bench import run as polish
from tests.faults.reviewer import decided

TITLE = "two reviewers decide about one unit at once"
UNITS = 10
NAMES = ("Ada", "Bob")


def run(full: bool) -> str:
    rounds, rng = 1_000 if full else 6, random.Random(11)
    won = Counter[str]()
    with tempfile.TemporaryDirectory() as text, _reviewers(_waiting_run(Path(text))) as desks:
        for number in range(rounds):
            # By turns: two processes, and two threads of one server. Now and then the run is at work meanwhile.
            how = "threads" if number % 2 else "processes"
            with _perhaps_at_work(desks.folder, number % 5 == 4):
                won[desks.compete(how, f"u{number % UNITS}", rng)] += 1
            desks.check_and_take_back(f"u{number % UNITS}")
    first, second = (won[name] for name in NAMES)
    return f"{rounds:,} rounds, 1 decision each, the other told who: {first:,} to {second:,}"


def _waiting_run(home: Path) -> Path:
    polish(write_bank(home, [biased(number % 10, f"u{number}") for number in range(UNITS)]), home / "runs")
    return home / "runs"


class Reviewers:
    """Two people, at two servers or at one."""

    def __init__(self, runs: Path) -> None:
        self.folder = RunFolder.at(runs, "r1")
        self.service = ReviewService(runs, Settings())
        self.pool = ThreadPoolExecutor(2)
        command = [sys.executable, "-m", "tests.faults.reviewer"]
        self.processes = [
            subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=Path(__file__).parents[2]
            )
            for _ in NAMES
        ]
        self._said({"runs": str(runs)}, {"runs": str(runs)})

    def compete(self, how: str, unit: str, rng: random.Random) -> str:
        """Both decide; the name of whoever was quicker."""
        orders = [self._order(unit, name, rng) for name in NAMES]
        answers = self._said(*orders) if how == "processes" else self._at_one_server(*orders)
        assert not any("failed" in answer for answer in answers), f"{unit}: {answers}"
        winners = [str(answer["won"]) for answer in answers if "won" in answer]
        assert len(winners) == 1, f"{len(winners)} decisions about {unit}: {answers}"
        told = [str(answer["told"]) for answer in answers if "told" in answer]
        assert told == winners, f"not told that {winners} decided: {answers}"
        return winners[0]

    def _order(self, unit: str, name: str, rng: random.Random) -> dict[str, Any]:
        with journal_of(self.folder) as journal:
            row = journal.unit(unit)
            assert row is not None
        verdict = rng.choice(["accept", "edit", "reject"])
        text = json.dumps({"stem": sound(int(unit[1:]))["stem"]}) if verdict == "edit" else None
        seen = rng.choice([row.at, None])
        said = {"unit": unit, "verdict": verdict, "by": name, "note": "Why.", "text": text, "seen": seen}
        return {**said, "moment": time.monotonic() + 0.02}

    def _said(self, *orders: dict[str, Any]) -> list[dict[str, Any]]:
        for process, order in zip(self.processes, orders, strict=True):
            assert process.stdin is not None
            process.stdin.write(json.dumps(order) + "\n")
            process.stdin.flush()
        return [json.loads(process.stdout.readline()) for process in self.processes if process.stdout is not None]

    def _at_one_server(self, *orders: dict[str, Any]) -> list[dict[str, Any]]:
        return list(self.pool.map(lambda order: decided(self.service, dict(order)), orders))

    def check_and_take_back(self, unit: str) -> None:
        """One decision stands; it makes room for the next round."""
        self.service.apply_pending("r1")
        with journal_of(self.folder) as journal:
            standing = effective_decisions(journal.events(unit=unit, types=("decision",)))
        assert len(standing) == 1, f"{len(standing)} decisions about {unit} are recorded"
        assert self.service.pending("r1") == ()
        assert self.service.undo("r1", unit, by="Eve").row.state == "needs_manual_review"


@contextmanager
def _reviewers(runs: Path) -> Iterator[Reviewers]:
    reviewers = Reviewers(runs)
    try:
        yield reviewers
    finally:
        reviewers.pool.shutdown()
        for process in reviewers.processes:
            process.communicate()


@contextmanager
def _perhaps_at_work(folder: RunFolder, is_at_work: bool) -> Iterator[None]:
    if not is_at_work:
        yield
        return
    with own_run(folder, system_clock):
        yield
