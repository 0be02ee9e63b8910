"""F17: the source is changed by one byte at any point between ingest and publication. It is always detected."""

from __future__ import annotations

import random
import tempfile
import threading
from pathlib import Path

from burnish.core.faultpoints import installed
from burnish.core.json_bytes import loads
from tests.faults.books import BOOK, FINAL, BookRun

TITLE = "source changed by one byte"
LAST = "engine.publish.verified"
"""The last look at the source; what comes after it belongs to the publication."""


def run(full: bool) -> str:
    with tempfile.TemporaryDirectory() as text:
        passed = _Meddler(None, 0)
        points = passed.watched(Path(text))
    last = len(points) - 1 - points[::-1].index(LAST)
    rng = random.Random(17)
    publishing = sorted({point for point in points[:last] if point.startswith("engine.publish")})
    numbers = range(last) if full else sorted({0, last - 1, *rng.sample(range(last), 8)})
    chosen: list[int | str] = [*numbers, *publishing]
    detected = sum(_one(at, rng) for at in chosen)
    assert detected >= len(chosen) - 5, f"only {detected} changes came before the last look"
    return f"changed at {detected} of the {last} points before the final text is in place: detected every time"


class _Meddler:
    """Changes one byte of the source at a certain fault point: the first of that name, or the one with that number."""

    def __init__(self, at: int | str | None, place: int) -> None:
        self._at, self._place = at, place
        self._passing = threading.Lock()
        self._source: Path | None = None
        self.points: list[str] = []
        self.changed = False

    def __call__(self, point: str) -> None:
        with self._passing:
            is_here = self._at in (len(self.points), point)
            if is_here and not self.changed and self._source is not None:
                data = bytearray(self._source.read_bytes())
                data[self._place] ^= 1
                self._source.write_bytes(data)
                self.changed = True
            self.points.append(point)

    def watched(self, home: Path) -> list[str]:
        """One run from its start to its end. The points it passed."""
        self.book = BookRun(home)
        self.book.begin()
        plan = self.book.plan()
        self._source = self.book.source
        with installed(self):
            self.stopped = self.book.sit(plan).outcome.stopped
        if self._at is None:
            assert self.stopped == "done", f"the run that was left alone ended {self.stopped}"
            assert self.book.final.read_text(encoding="utf-8") == FINAL
        return self.points


def _one(at: int | str, rng: random.Random) -> bool:
    """Whether it was detected. False: workers take turns, and this time the last look came before the change."""
    with tempfile.TemporaryDirectory() as text:
        place = rng.randrange(len(BOOK.encode()))
        meddler = _Meddler(at, place)
        points = meddler.watched(Path(text))
        assert meddler.changed, f"the run passed {len(points)} points only"
        number = points.index(at) if isinstance(at, str) else at
        if LAST in points[: number + 1]:
            return False
        where = f"byte {place} changed at {points[number]} ({number})"
        assert meddler.stopped == "source_changed", f"{where}: the run ended {meddler.stopped}"
        assert not meddler.book.final.exists(), f"{where}: it was published"
        gate = loads((meddler.book.folder.root / "gate/gate_report.json").read_bytes())
        assert gate["source"]["changed"], f"{where}: the gate report does not say so"
        assert gate["blockers"][0]["reason"] == "source_changed"
        return True
