"""Following a journal: light reading for whoever keeps something made from it up to date, page after page.

Nothing here is needed to work on a run. Each answer is in the order in which things were written, and ends where the
next question begins.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from burnish.core.errors import StateCorrupt
from burnish.core.records import AttemptRecord, EventRecord, Json, Totals, UnitRow, Usage
from burnish.store import rows
from burnish.store.connections import connect, fault, sqlite_faults
from burnish.store.migrations import check_version, reads_as_it_is
from burnish.store.packing import pack_name, unpack, unpack_json, unpack_optional

WITH_TIMES = 2
"""From this version on the journal finds by index what is newer than a moment."""
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Sketch:
    """An attempt without what only its own page shows."""

    unit: str
    number: int
    cause: str
    content: Json | None
    """Of the attempt that stands, where it is another text than the source; None for every other."""
    content_hash: str
    scores: Json
    findings: tuple[Json, ...]
    failure: str | None

    @classmethod
    def of(cls, attempt: AttemptRecord, row: UnitRow) -> Sketch:
        """Of an attempt that was read as a whole."""
        return cls(
            unit=attempt.unit,
            number=attempt.number,
            cause=attempt.cause,
            content=attempt.content if attempt.number == row.best_attempt else None,
            content_hash=attempt.content_hash,
            scores=attempt.scores,
            findings=attempt.findings,
            failure=attempt.failure,
        )


@dataclass(frozen=True, slots=True)
class Tried:
    """That there is an attempt."""

    id: int
    """Its number among all of the journal."""
    unit: str
    number: int
    """Its number among those of the unit."""


@dataclass(frozen=True, slots=True)
class Billed:
    """What one call cost."""

    id: int
    at: str
    tokens: int
    cost: float | None


class Following:
    """A journal, open for reading. For one thread at a time."""

    def __init__(self, path: Path) -> None:
        if not path.is_file():
            raise StateCorrupt(f"There is no journal at {path}.", hint="Check the run's folder, or start a new run.")
        self._path = path
        with sqlite_faults(path):
            self._connection = connect(path, read_only=True)
            try:
                self._has_times = self._checked_version() >= WITH_TIMES
            except BaseException:
                self._connection.close()
                raise

    def _checked_version(self) -> int:
        version = check_version(self._connection, self._path)
        if not reads_as_it_is(version):
            raise StateCorrupt(
                f"{self._path} is of version {version}, which has to be brought up to date.",
                hint="Resume the run once: that does it.",
            )
        return version

    def close(self) -> None:
        self._connection.close()

    @contextmanager
    def moment(self) -> Iterator[None]:
        """Inside, the journal stands still for us. Short: whoever writes cannot tidy up meanwhile."""
        with sqlite_faults(self._path):
            self._connection.execute("BEGIN")
        try:
            yield
        finally:
            # What went wrong inside may be another file's fault.
            with sqlite_faults(self._path):
                self._connection.execute("COMMIT")

    # -- the whole

    def meta(self, key: str) -> str | None:
        found = self._read("SELECT value FROM meta WHERE key = ?", (pack_name(key),), lambda row: unpack(row[0]))
        return found[0] if found else None

    def counts(self) -> dict[str, int]:
        query = "SELECT state, COUNT(*) FROM units GROUP BY state"
        return dict(self._read(query, (), lambda row: (unpack(row[0]), row[1])))

    def totals(self) -> Totals:
        columns = "calls, failed_calls, prompt_tokens, completion_tokens, cost_trillionths, unpriced_calls"
        calls, failed, prompt, completion, cost, unpriced = self._read(f"SELECT {columns} FROM books", (), tuple)[0]
        return Totals(calls, failed, Usage(prompt, completion, rows.dollars(cost)), unpriced)

    def latest(self, type: str | None = None) -> EventRecord | None:
        """The last event, or the last of a type."""
        where, values = ("", ()) if type is None else ("WHERE type = ?", (pack_name(type),))
        query = f"SELECT seq, {rows.EVENT_COLUMNS} FROM events {where} ORDER BY seq DESC LIMIT 1"
        found = self._read(query, values, rows.event_from)
        return found[0] if found else None

    def events(self, type: str) -> list[EventRecord]:
        """Every event of a type that there are few of."""
        query = f"SELECT seq, {rows.EVENT_COLUMNS} FROM events WHERE type = ? ORDER BY seq"
        return self._read(query, (pack_name(type),), rows.event_from)

    def outermost(self) -> tuple[UnitRow, UnitRow] | None:
        """The first and the last unit of the documents; None while there is none."""
        query = f"SELECT {rows.UNIT_COLUMNS} FROM units WHERE document <> '' ORDER BY position"
        ends = [self._read(f"{query} {way} LIMIT 1", (), rows.unit_from) for way in ("", "DESC")]
        return (ends[0][0], ends[1][0]) if ends[0] else None

    def ends(self) -> tuple[str, int, int]:
        """How far everything goes: the last moment of a unit, the last attempt, the last call."""
        # Without the index this looks at every row, which is still quick.
        query = "SELECT (SELECT MAX(at) FROM units), (SELECT MAX(rowid) FROM attempts), (SELECT MAX(id) FROM calls)"
        at, attempt, call = self._read(query, (), tuple)[0]
        return at or "", attempt or 0, call or 0

    # -- what is new

    def changed_units(self, after: str, limit: int) -> list[tuple[int, UnitRow]]:
        """Rows that were written after a moment, each with a number that it keeps for good."""
        query = f"SELECT rowid, {rows.UNIT_COLUMNS} FROM units WHERE at > ? ORDER BY at LIMIT ?"
        return self._read(query, (after, limit), _numbered)

    def how_many_changed(self, after: str, most: int) -> int:
        """The number of such rows, as far as that is worth counting."""
        query = "SELECT COUNT(*) FROM (SELECT 1 FROM units WHERE at > ? LIMIT ?)"
        return int(self._read(query, (after, most), tuple)[0][0])

    def new_attempts(self, after: int, limit: int) -> list[Tried]:
        """Attempts that were written behind the one with this number."""
        query = "SELECT rowid, unit, number FROM attempts WHERE rowid > ? ORDER BY rowid LIMIT ?"
        return self._read(query, (after, limit), lambda row: Tried(row[0], unpack(row[1]), row[2]))

    def bills(self, after: tuple[str, int], limit: int) -> list[Billed]:
        """Calls behind the one that was written at this moment and has this number."""
        at, id = after
        where, value = ("at > ? ORDER BY at", at) if self._has_times else ("id > ? ORDER BY id", id)
        query = f"SELECT id, at, prompt_tokens + completion_tokens, cost FROM calls WHERE {where} LIMIT ?"
        return self._read(query, (value, limit), lambda row: Billed(*row))

    # -- some units

    def rows(self, units: Sequence[str]) -> list[tuple[int, UnitRow]]:
        query = f"SELECT rowid, {rows.UNIT_COLUMNS} FROM units WHERE id IN ({_places(units)})"
        return self._read(query, _packed(units), _numbered)

    def sketches(self, units: Sequence[str]) -> dict[str, list[Sketch]]:
        """Unit -> its attempts, by number."""
        query = (
            "SELECT a.unit, a.number, a.cause, CASE WHEN a.number = u.best_attempt THEN a.content END, a.content_hash, "
            "a.scores, a.findings, a.failure FROM attempts a JOIN units u ON u.id = a.unit "
            f"WHERE a.unit IN ({_places(units)}) ORDER BY a.unit, a.number"
        )
        found: dict[str, list[Sketch]] = {}
        for sketch in self._read(query, _packed(units), _sketch):
            found.setdefault(sketch.unit, []).append(sketch)
        return found

    def attempts(self, unit: str) -> list[AttemptRecord]:
        """Everything about a unit's attempts, by number."""
        query = f"SELECT {rows.ATTEMPT_COLUMNS} FROM attempts WHERE unit = ? ORDER BY number"
        return self._read(query, (pack_name(unit),), rows.attempt_from)

    def decisions(self, units: Sequence[str]) -> dict[str, list[EventRecord]]:
        """Unit -> what people decided about it, in order; units that nobody decided about are not named."""
        if self.latest("decision") is None:
            return {}
        query = (
            f"SELECT seq, {rows.EVENT_COLUMNS} FROM events WHERE unit IN ({_places(units)}) AND +type = 'decision' "
            "ORDER BY seq"
        )
        found: dict[str, list[EventRecord]] = {}
        for event in self._read(query, _packed(units), rows.event_from):
            found.setdefault(str(event.unit), []).append(event)
        return found

    def _read(self, query: str, values: Sequence[Any], decode: Callable[[Any], T]) -> list[T]:
        with sqlite_faults(self._path):
            found = self._connection.execute(query, values).fetchall()
        try:
            return [decode(row) for row in found]
        except (ValueError, TypeError, zlib.error) as error:
            raise fault(error, self._path) from error


def _numbered(row: Sequence[Any]) -> tuple[int, UnitRow]:
    return row[0], rows.unit_from(row[1:])


def _sketch(row: Sequence[Any]) -> Sketch:
    unit, number, cause, content, content_hash, scores, findings, failure = row
    return Sketch(
        unit=unpack(unit),
        number=number,
        cause=cause,
        content=None if content is None else unpack_json(content),
        content_hash=unpack(content_hash),
        scores=unpack_json(scores),
        findings=tuple(rows.findings_from(findings)["findings"]),
        failure=unpack_optional(failure),
    )


def _packed(names: Sequence[str]) -> list[Any]:
    return [pack_name(name) for name in names]


def _places(values: Sequence[object]) -> str:
    return ", ".join("?" for _ in values)
