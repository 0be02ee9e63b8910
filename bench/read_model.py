"""The read model: what every page asks of a run of 100,000 questions, of 200 runs, and of 100,000 decisions.

Measured in a process of its own, as in a server that has just been started.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import closing
from itertools import islice
from pathlib import Path
from typing import Any

from bench.lines import Line, below, beside
from bench.long_runs import RULES, write_run
from burnish.app.run_index import RunIndex
from burnish.app.run_reader import RunReader
from burnish.core.attempts import row_before
from burnish.core.json_bytes import dumps, loads
from burnish.core.records import event
from burnish.store.processes import system_clock
from burnish.store.sqlite_journal import open_journal
from burnish.store.unit_queries import QueueFilter, UnitFilter

TITLE = "the read model of a run: pages, sums, the queue and precision over all runs"
SIZES = (10_000, 100_000)
PAGE_MS = 100.0
SUM_MS = 150.0
FLAT = 1.5
"""A run ten times as long may take so much more memory."""
MANY_RUNS = 200
DECIDED = 100_000
LONGER, SHORTER = "longer", "shorter"
POLL_MB = 20.0
"""What precision over all runs may take, however much was decided."""
ROUNDS = 5
"""Each question is asked so often; the slowest answer counts."""
PROJECT = Path(__file__).parents[1]


def run(
    full: bool, sizes: tuple[int, int] = SIZES, many: int = MANY_RUNS, *, decided: int = DECIDED, apart: bool = True
) -> list[Line]:
    """`apart`: measured in processes of their own; else here, where the memory is everybody's."""
    with tempfile.TemporaryDirectory(prefix="burnish-bench-") as place:
        folder = Path(place)
        small, large = (_looked_at(folder, size, apart=apart) for size in sizes)
        listed = _many(folder / "many", many)
        settled = _settled(folder / "decided", decided, apart=apart)
    return [
        Line(f"{large['units']:,} questions: the journal", large["journal_mb"], "MB", "with the source of each"),
        below("  opened for the first time", large["opened"], "ms", PAGE_MS),
        *(below(f"  {name}", figure, "ms", PAGE_MS) for name, figure in large["pages"].items()),
        *(below(f"  {name}", figure, "ms", SUM_MS) for name, figure in large["sums"].items()),
        beside("memory, at most", large["memory"], "MB", f"{small['units']:,}", small["memory"], at_most=FLAT),
        below(f"{many} runs listed, nothing new", listed["cards"], "ms", PAGE_MS),
        below("  a page of their queue", listed["queue"], "ms", PAGE_MS),
        below("  a page of it far down", listed["far"], "ms", PAGE_MS),
        below("  counts by kind", listed["counts"], "ms", SUM_MS),
        below("  precision", listed["precision"], "ms", SUM_MS),
        Line(
            f"{decided:,} decisions: precision, the first time",
            settled["first"],
            "ms",
            f"{settled['words']:,} words on rules, some of them said again in another run",
        ),
        below("  after each further decision, slowest", settled["next"], "ms", SUM_MS),
        below("  memory for it", settled["memory"], "MB", POLL_MB),
    ]


def _looked_at(folder: Path, size: int, *, apart: bool) -> dict[str, Any]:
    (folder / str(size)).mkdir()
    written = write_run(folder / str(size), "long", size)
    return _measure(written.root.parent, written.id) if not apart else _apart(written.root.parent, written.id)


def _settled(folder: Path, decided: int, *, apart: bool) -> dict[str, Any]:
    """Two runs in which people decided everything; what they said in the shorter one, they had said in the other."""
    folder.mkdir()
    for id, size in ((LONGER, decided), (SHORTER, max(ROUNDS, decided // 20))):
        write_run(folder, id, size, decided=size)
    return _measure_precision(folder / "runs") if not apart else _apart(folder / "runs")


def _apart(*arguments: object) -> dict[str, Any]:
    command = [sys.executable, "-m", "bench.read_model", *map(str, arguments)]
    said = subprocess.run(command, cwd=PROJECT, stdout=subprocess.PIPE, check=True).stdout
    found: dict[str, Any] = loads(said)
    return found


def _many(folder: Path, many: int) -> dict[str, float]:
    folder.mkdir()
    for number in range(many):
        write_run(folder, f"r{number:03}", 20, decided=5)
    with closing(RunIndex(folder / "runs")) as index:
        index.cards()
        time.sleep(0.2)  # what was just written is looked at again
        index.cards()
        index.precision()
        total = index.queue_total(QueueFilter())
        return {
            "cards": _slowest(index.cards),
            "queue": _slowest(lambda: index.queue(QueueFilter())),
            "far": _slowest(lambda: index.queue(QueueFilter(), offset=total * 9 // 10)),
            "counts": _slowest(index.queue_counts),
            "precision": _slowest(index.precision),
        }


def _slowest(question: Callable[[], object]) -> float:
    """Milliseconds of the slowest of some answers."""
    times = []
    for _ in range(ROUNDS):
        started = time.perf_counter()
        question()
        times.append(time.perf_counter() - started)
    return max(times) * 1000


def _pages(index: RunIndex, run: RunReader) -> dict[str, Callable[[], object]]:
    """What the pages ask."""
    waiting = run.view.kind.states.waiting
    far = run.units(UnitFilter(), limit=50, backwards=True)
    middle = run.units(limit=50, offset_key=f"{far.total // 2}.0").lines[0]
    cause = run.causes()[0].cause
    return {
        "a page of units": run.units,
        "  the last page": lambda: run.units(backwards=True),
        "  in one state": lambda: run.units(UnitFilter((waiting,)), offset_key=middle.key),
        "  in several states": lambda: run.units(UnitFilter((waiting, "draft", "validated")), offset_key=middle.key),
        "  with a rule": lambda: run.units(UnitFilter(rule=RULES[0]), offset_key=middle.key),
        "  repaired, a state, a severity": lambda: run.units(UnitFilter((waiting,), severity="error", repaired=True)),
        "  a rule, a severity, a text": lambda: run.units(UnitFilter(rule=RULES[1], severity="warning", text="which")),
        "  with words of the text": lambda: run.units(UnitFilter(text="most likely"), offset_key=middle.key),
        "  with words that are nowhere": lambda: run.units(UnitFilter(text="zyzzyva")),
        "a unit between its neighbours": lambda: run.previous_and_next(middle.id, UnitFilter(rule=RULES[0])),
        "a unit's story": lambda: run.story(middle.id),
        "the queue": lambda: index.queue(QueueFilter()),
        "  far down": lambda: index.queue(QueueFilter(), offset=5_000),
        "  of one cause": lambda: index.queue(QueueFilter(run=run.view.folder.id, cause=cause)),
        "  a unit's place in it": lambda: index.queue_place(QueueFilter(), run.view.folder.id, middle.id),
        "the card": lambda: run.card,
        "opened again": lambda: index.open(run.view.folder.id),
    }


def _sums(index: RunIndex, run: RunReader) -> dict[str, Callable[[], object]]:
    """What the charts and the heads of pages ask."""
    return {
        "findings by rule": run.findings_by_rule,
        "scores": run.scores,
        "causes": run.causes,
        "spending": run.spending,
        "units by state": run.view.journal.counts,
        "how many wait": lambda: index.queue_total(QueueFilter(run=run.view.folder.id, cause=run.causes()[0].cause)),
        "what was selected, unit by unit": lambda: run.moments(UnitFilter(rule=RULES[0], severity="error")),
    }


def _measure(runs: Path, id: str) -> dict[str, Any]:
    with closing(RunIndex(runs)) as index:
        index.cards()  # loads the kinds, which a server has done long before
        started = time.perf_counter()
        run = index.open(id)
        units = run.units(limit=50).total
        opened = time.perf_counter() - started
        size = sum(path.stat().st_size for path in (runs / id).glob("journal*"))
        return {
            "units": units,
            "opened": opened * 1000,
            "pages": {name: _slowest(question) for name, question in _pages(index, run).items()},
            "sums": {name: _slowest(question) for name, question in _sums(index, run).items()},
            "memory": _memory(),
            "journal_mb": size / 1e6,
        }


def _measure_precision(runs: Path) -> dict[str, Any]:
    index = RunIndex(runs)
    index.cards()
    before, started = _memory(), time.perf_counter()
    lines = index.precision()
    first = time.perf_counter() - started
    times = []
    with closing(open_journal(runs / SHORTER / "journal.sqlite", clock=system_clock)) as journal:
        for row in islice(list(journal.units()), ROUNDS):
            said = {"verdict": "reject", "by": "Lila", "note": None, "after_attempt": 2, "before": row_before(row)}
            journal.write_now(event("decision", row.id, data=said), row)
            started = time.perf_counter()
            index.precision()
            times.append(time.perf_counter() - started)
    index.close()
    return {
        "words": sum(line.of for line in lines),
        "first": first * 1000,
        "next": max(times) * 1000,
        "memory": max(0.0, _memory() - before),
    }


def _memory() -> float:
    """Megabytes, at most so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000


if __name__ == "__main__":
    runs, *more = sys.argv[1:]
    found = _measure(Path(runs), *more) if more else _measure_precision(Path(runs))
    sys.stdout.buffer.write(dumps(found))
