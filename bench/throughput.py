"""64 workers against a model that takes a second to answer: the engine, HTTP and the journal must not be in the way."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from unittest.mock import patch

from bench.lines import Line, below, beside
from bench.questions_corpus import Record, generate
from burnish.app.polish_plan import Order, plan_of
from burnish.app.run_sessions import resources_of, start_run
from burnish.app.settings import load
from burnish.core.checks import select
from burnish.core.json_bytes import dumps
from burnish.core.records import Totals, UnitRow
from burnish.engine.session import Watcher
from burnish.kinds.questions.kind import QuestionsKind
from burnish.kinds.questions.model import Question
from burnish.store.paths import RunFolder
from burnish.store.processes import look_for_cycles_seldom
from burnish.store.read_model import ReadModel

TITLE = "64 workers, a loopback model over HTTP with 1 s latency, journal and publishing included"
WORKERS = 64
LATENCY = 1.0
ROUNDS, FULL_ROUNDS = 20, 40
"""Calls for each worker."""
SHARE = 0.85
"""Workers that get their answers at the same moment put their next requests together one after another."""
LISTS = 5.0
"""Percent of the processor time that the read model may take: the heavier commit costs at most that of throughput."""
REPLY = '{"reasoning": "Nothing is wrong with it.", "violations": []}'
PROJECT = Path(__file__).parents[1]


class Watched(Watcher):
    """When each unit came to rest."""

    def __init__(self) -> None:
        self.rested: list[float] = []

    def on_settled(self, row: UnitRow, totals: Totals) -> None:
        self.rested.append(time.perf_counter())

    def rate(self, workers: int) -> float:
        """Calls a second once every worker has had its first answer: neither the first rush nor publishing counts."""
        return (len(self.rested) - workers) / (self.rested[-1] - self.rested[workers - 1])


def run(full: bool, workers: int = WORKERS, rounds: int | None = None, latency: float = LATENCY) -> list[Line]:
    rounds = rounds or (FULL_ROUNDS if full else ROUNDS)
    calls = workers * rounds
    with tempfile.TemporaryDirectory(prefix="burnish-bench-") as place, loopback_model(latency) as address:
        folder = Path(place)
        look_for_cycles_seldom()  # as the command does
        polished(folder, "warm-up", workers, workers, address)  # loads the model libraries, which takes seconds
        with lists_timed() as spent:
            seconds, processor, watched = polished(folder, "measured", calls, workers, address)
    ideal = workers / latency
    peer = "no overhead at all"
    return [
        beside(f"{calls:,} calls, journal included", watched.rate(workers), "calls/s", peer, ideal, at_least=SHARE),
        beside("with taking in, exports and publishing", calls / seconds, "calls/s", peer, ideal),
        Line(
            "processor time a call",
            processor / calls * 1000,
            "ms",
            f"room for {calls / processor:,.0f} calls/s on one core",
        ),
        below("  of it for the read model, in the same commit", spent[0] / processor * 100, "%", LISTS),
    ]


@contextmanager
def lists_timed() -> Iterator[list[float]]:
    """Seconds of processor time that keeping what lists show takes. A share, so that a busy machine disturbs little."""
    spent, update = [0.0], ReadModel.update

    def timed(model: ReadModel) -> None:
        begun = time.thread_time()
        update(model)
        spent[0] += time.thread_time() - begun

    with patch.object(ReadModel, "update", timed):
        yield spent


def polished(folder: Path, id: str, calls: int, workers: int, address: str) -> tuple[float, float, Watched]:
    path = folder / f"{id}.jsonl"
    path.write_bytes(b"".join(dumps(record) + b"\n" for record in islice(_sound(), calls)))
    flags = {
        # Nobody solves the questions blind, and each is asked about alone, so each costs one call.
        "check.ignore": ("bench", ("key_doubtful",)),
        "models.model": ("bench", "openai:loopback"),
        "models.base_url": ("bench", address),
        "limits.workers": ("bench", workers),
    }
    loaded = load(start=folder, environ={}, flags=flags)
    plan = plan_of(Order(str(path), run_id=id), loaded)
    watched = Watched()
    started, processor = time.perf_counter(), time.process_time()
    with patch.object(QuestionsKind, "most_together", 1):
        result = asyncio.run(
            start_run(RunFolder.at(folder / "runs", id), plan, resources_of(loaded.settings, plan.models), watched)
        )
    seconds, processor = time.perf_counter() - started, time.process_time() - processor
    if result.outcome.totals.calls != calls or not result.published:
        raise RuntimeError(f"{result.outcome.totals.calls} calls instead of {calls}: {result.outcome}")
    return seconds, processor, watched


def _sound() -> Iterator[Record]:
    """Questions in which code finds nothing to mend: the model reviews each of them once."""
    kind = QuestionsKind()
    selection, context = select(kind.checks), kind.context([{"carried": ["rationale"], "language": "en"}], {})
    for record in generate(1_000_000, seed=3):
        findings = kind.examine(Question.model_validate(record), selection, context).findings
        if not any(finding.blocks or finding.fix for finding in findings):
            yield record


@contextmanager
def loopback_model(latency: float) -> Iterator[str]:
    """The address of a model in a process of its own."""
    command = [sys.executable, "-m", "tests.loopback", "--latency", str(latency), "--reply", REPLY]
    with subprocess.Popen(command, cwd=PROJECT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as server:
        assert server.stdout is not None
        try:
            yield server.stdout.readline().strip()
        finally:
            server.terminate()
