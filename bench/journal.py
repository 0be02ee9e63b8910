"""The journal: durable commits one by one and with many writers, and a run of a hundred thousand units."""

from __future__ import annotations

import asyncio
import random
import sqlite3
import string
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from bench.lines import Line, beside
from burnish.core.records import CallRecord, UnitRow, Usage
from burnish.store.journal import Journal
from burnish.store.processes import system_clock
from burnish.store.sqlite_journal import create_journal, open_journal

TITLE = "The journal: SQLite, write-ahead log, synchronous=FULL, records of 3 kB"
ONE_BY_ONE, RECORDS, WRITERS = 400, 6_400, 64
UNITS, FULL_UNITS = 100_000, 1_000_000
BATCH = 500
SLOWEST = 0.5
"""Our records a second over those of bare SQLite with the same commits, at least."""


def run(full: bool, units: int | None = None, records: int = RECORDS) -> list[Line]:
    with tempfile.TemporaryDirectory(prefix="burnish-bench-") as place:
        folder = Path(place)
        bare, bare_together = _bare(folder / "bare.sqlite", records)
        with closing(create_journal(folder / "calls.sqlite", clock=system_clock)) as journal:
            alone = _one_by_one(journal)
            together = asyncio.run(_together(journal, records))
        large = _large(folder / "units.sqlite", units or (FULL_UNITS if full else UNITS))
    return [
        beside("one by one", alone, "commits/s", "bare SQLite", bare, at_least=SLOWEST),
        beside(f"{WRITERS} writers", together, "records/s", f"bare, {WRITERS} a commit", bare_together),
        Line("many writers over one", together / alone, "times", "they share commits"),
        *large,
    ]


def _call(number: int) -> CallRecord:
    chance = random.Random(number)
    text = "".join(chance.choices(string.ascii_letters + "     ", k=2_400))
    return CallRecord(
        key=f"{number:064x}",
        unit=f"q{number:07d}",
        role="reviewer",
        model="openai:bench",
        reply_name="question_review_reply",
        request={"user": text},
        status="ok",
        raw=text[:600],
        usage=Usage(800, 60, None),
        tries=1,
        duration_ms=1000,
    )


def _bare(path: Path, records: int) -> tuple[float, float]:
    """The peer: the same bytes into one table, nothing else. Commits a second, and records a second in groups."""
    with closing(sqlite3.connect(path, isolation_level=None)) as database:
        database.execute("PRAGMA journal_mode = WAL")
        database.execute("PRAGMA synchronous = FULL")
        database.execute("CREATE TABLE calls (key TEXT PRIMARY KEY, body TEXT)")
        rows = [(call.key, call.request["user"] + call.raw) for call in map(_call, range(ONE_BY_ONE + records))]
        started = time.perf_counter()
        for row in rows[:ONE_BY_ONE]:
            database.execute("INSERT INTO calls VALUES (?, ?)", row)
        alone = ONE_BY_ONE / (time.perf_counter() - started)
        started = time.perf_counter()
        for first in range(ONE_BY_ONE, len(rows), WRITERS):
            database.execute("BEGIN")
            database.executemany("INSERT INTO calls VALUES (?, ?)", rows[first : first + WRITERS])
            database.execute("COMMIT")
        return alone, records / (time.perf_counter() - started)


def _one_by_one(journal: Journal) -> float:
    calls = [_call(number) for number in range(ONE_BY_ONE)]
    started = time.perf_counter()
    for call in calls:
        journal.write_now(call)
    return ONE_BY_ONE / (time.perf_counter() - started)


async def _together(journal: Journal, records: int) -> float:
    calls: Iterator[CallRecord] = iter([_call(ONE_BY_ONE + number) for number in range(records)])

    async def writer() -> None:
        for call in calls:
            await journal.write(call)

    started = time.perf_counter()
    await asyncio.gather(*(writer() for _ in range(WRITERS)))
    return records / (time.perf_counter() - started)


def _large(path: Path, units: int) -> list[Line]:
    """Opening a long run and asking how it stands."""
    with closing(create_journal(path, clock=system_clock)) as journal:
        for first in range(0, units, BATCH):
            rows = (_row(number) for number in range(first, min(first + BATCH, units)))
            journal.write_now(*rows)
    started = time.perf_counter()
    with closing(open_journal(path, clock=system_clock)) as journal:
        opened = time.perf_counter() - started
        started = time.perf_counter()
        journal.counts(), journal.totals(), list(journal.units(states=("needs_manual_review",), limit=20))
        asked = time.perf_counter() - started
    return [
        Line(f"opening a run of {units:,} units", opened * 1000, "ms"),
        Line("its status: counts, totals, first twenty that wait", asked * 1000, "ms"),
    ]


def _row(number: int) -> UnitRow:
    state = "needs_manual_review" if number % 50 == 0 else "validated"
    return UnitRow(f"q{number:07d}", "bank.jsonl", number, f"{number:064x}", state, attempts=1, best_attempt=1)
