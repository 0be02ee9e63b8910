"""The poll: what people said of rules and judges over all runs. The same word, repeated in another run, counts once.

Who decides next waits for it, so it is never counted anew: it lies sorted by keys in a database of our own, which is
given back when we go, and of a run only the drawers that have changed are looked through.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from burnish.core.errors import StorageFailed
from burnish.store.packing import pack_name, unpack
from burnish.surfaces.catalogue.drawers import Drawer
from burnish.surfaces.catalogue.precision import PrecisionLine
from burnish.surfaces.catalogue.run import RunCatalogue
from burnish.surfaces.catalogue.summing import Tally, precision_of

AT_A_TIME = 64
"""Drawers that are looked through together: so much of a long run is in memory."""
_ROOM = -4_000
"""Kilobytes that are kept in memory (below zero: SQLite's way to say that it is no number of pages)."""
_SAME = "key = {0}.key AND kind = {0}.kind AND who = {0}.who AND is_right = {0}.is_right"
_OTHERS = f"EXISTS (SELECT 1 FROM said WHERE {_SAME} AND run <> {{0}}.run)"
_SCHEMA = (
    """CREATE TABLE said (
        key INTEGER NOT NULL, who NOT NULL, is_right INTEGER NOT NULL, kind TEXT NOT NULL, run TEXT NOT NULL,
        PRIMARY KEY (key, who, is_right, kind, run)) WITHOUT ROWID""",
    "CREATE INDEX said_in_run ON said (run, key)",
    """CREATE TABLE sums (
        kind TEXT NOT NULL, who NOT NULL, is_right INTEGER NOT NULL, count INTEGER NOT NULL,
        PRIMARY KEY (kind, who, is_right)) WITHOUT ROWID""",
    f"""CREATE TRIGGER said_once AFTER INSERT ON said WHEN NOT {_OTHERS.format("NEW")} BEGIN
        INSERT INTO sums VALUES (NEW.kind, NEW.who, NEW.is_right, 1)
        ON CONFLICT (kind, who, is_right) DO UPDATE SET count = count + 1; END""",
    f"""CREATE TRIGGER unsaid AFTER DELETE ON said WHEN NOT {_OTHERS.format("OLD")} BEGIN
        UPDATE sums SET count = count - 1 WHERE kind = OLD.kind AND who = OLD.who AND is_right = OLD.is_right; END""",
)
_KNOWN = "SELECT key, who, is_right FROM said WHERE run = ? AND key BETWEEN ? AND ?"
_TAKE_OUT = "DELETE FROM said WHERE (key, who, is_right, kind, run) = (?, ?, ?, ?, ?)"
_PUT_IN = "INSERT INTO said VALUES (?, ?, ?, ?, ?)"


@dataclass(slots=True)
class _Heard:
    """How much of a run is in the poll."""

    stamp: object = None
    """What the run was like when all of it was; None: it never was."""
    made: str = ""
    """The catalogue that it was read from."""
    changes: dict[int, int] = field(default_factory=dict)
    """Drawer -> how often it had been changed when it was last looked through."""


class Poll:
    """People's words over all runs. For one thread at a time: `alone`."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._heard: dict[str, _Heard] = {}
        # A file without a name: SQLite makes it where temporary files go, once it is too large for its room.
        self._database = sqlite3.connect("", isolation_level=None, check_same_thread=False)
        self._database.execute(f"PRAGMA cache_size = {_ROOM}")
        for statement in _SCHEMA:
            self._database.execute(statement)

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Nobody else uses it meanwhile."""
        try:
            with self._lock:
                yield
        except sqlite3.Error as refused:
            raise StorageFailed(
                f"What people decided cannot be added up: {refused}.",
                hint="Free some space where temporary files are kept.",
            ) from refused

    def has_heard(self, run: str, stamp: object) -> bool:
        """Whether a run is in the poll as it is now."""
        known = self._heard.get(run)
        return known is not None and known.stamp == stamp

    def hear(self, run: RunCatalogue, stamp: object) -> None:
        """Take in what is new in a run. While its catalogue is still being made, what was known of it stands."""
        if run.reading is not None:
            return
        id, kind = run.view.folder.id, run.view.plan.kind
        known = self._heard.setdefault(id, _Heard())
        while True:
            made, found = run.drawers(known.made, known.changes, AT_A_TIME)
            if made != known.made:
                self._forget(id)
                known = self._heard[id] = _Heard(made=made)
            if not found:
                break
            self._put(id, kind, found)
            known.changes |= {drawer.number: drawer.changes for drawer in found}
        known.stamp = stamp

    def leave(self, runs: Collection[str]) -> None:
        """Forget all runs but these."""
        for gone in set(self._heard) - set(runs):
            self._forget(gone)

    def lines(self) -> list[PrecisionLine]:
        """Rules and judges, kind by kind."""
        sums: dict[str, list[Tally]] = {}
        query = "SELECT kind, who, is_right, count FROM sums ORDER BY kind"
        for kind, who, is_right, count in self._database.execute(query):
            sums.setdefault(kind, []).append(Tally(unpack(who), bool(is_right), count))
        return [line for kind, tallies in sums.items() for line in precision_of(kind, tallies)]

    def close(self) -> None:
        with self._lock:
            self._database.close()

    def _put(self, run: str, kind: str, drawers: Iterable[Drawer]) -> None:
        """Drawers of a run in the place of what was in them. What is the same is left alone."""
        with self._database:
            self._database.execute("BEGIN")
            for drawer in drawers:
                new = {(key, pack_name(who), int(is_right)) for key, who, is_right in drawer.words}
                old = set(self._database.execute(_KNOWN, (run, *drawer.reach)))
                self._database.executemany(_TAKE_OUT, [(*word, kind, run) for word in old - new])
                self._database.executemany(_PUT_IN, [(*word, kind, run) for word in new - old])

    def _forget(self, run: str) -> None:
        self._database.execute("DELETE FROM said WHERE run = ?", (run,))
        self._heard.pop(run, None)
