"""F9: the clock jumps while attempts are written. Attempts stay 1..n and every stamp is later than the one before."""

import random
import tempfile
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path

from burnish.core.records import Record
from burnish.store.journal import Journal
from burnish.store.sqlite_journal import create_journal, open_journal
from tests.store.samples import attempt, call, happened, unit

TITLE = "clock that jumps"
LATEST = datetime(9000, 1, 1, tzinfo=UTC)


def run(full: bool) -> str:
    rng = random.Random(9)
    rounds, length = (100, 60) if full else (6, 30)
    stamps = sum(_one_round(rng, length) for _ in range(rounds))
    return f"{rounds} runs, {stamps:,} stamps, all strictly increasing, over jumps and reopenings"


class MadClock:
    """Stands still, creeps, and jumps by up to years in both directions."""

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng
        self._now = datetime(2026, 11, 15, tzinfo=UTC)

    def __call__(self) -> datetime:
        kind = self._rng.randrange(5)
        reach = (0, 1e-6, 1, 86_400, 1e8)[kind]
        self._now += timedelta(seconds=self._rng.uniform(-reach, reach))
        self._now = min(max(self._now, datetime(1971, 1, 1, tzinfo=UTC)), LATEST)
        return self._now


def _one_round(rng: random.Random, length: int) -> int:
    clock = MadClock(rng)
    with tempfile.TemporaryDirectory() as text:
        path = Path(text) / "journal.sqlite"
        journal = create_journal(path, clock=clock)
        expected: list[str] = []
        for number in range(1, length + 1):
            records: list[Record] = [
                happened(number),
                attempt("q1", number),
                call(f"k{number}"),
                unit(f"q{number}", number),
            ]
            rng.shuffle(records)
            journal.write_now(*records)
            expected += [f"{type(record).__name__}-{number}" for record in records]
            if rng.random() < 0.2:
                journal.close()
                journal = open_journal(path, clock=clock)
        found = _in_order_of_stamps(journal)
        assert [attempt.number for attempt in journal.attempts("q1")] == list(range(1, length + 1))
        journal.close()
    stamps = [stamp for stamp, _ in found]
    assert all(one < other for one, other in pairwise(stamps)), "a stamp does not increase"
    assert [name for _, name in found] == expected, "the order of the stamps is not the order of writing"
    return len(stamps)


def _in_order_of_stamps(journal: Journal) -> list[tuple[str, str]]:
    return sorted(
        [
            *((record.at, f"EventRecord-{record.data['n']}") for record in journal.events()),
            *((record.at, f"AttemptRecord-{record.number}") for record in journal.attempts("q1")),
            *((record.at, f"CallRecord-{record.key[1:]}") for record in journal.calls()),
            *((record.at, f"UnitRow-{record.position}") for record in journal.units()),
        ]
    )
