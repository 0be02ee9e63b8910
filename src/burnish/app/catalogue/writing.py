"""Writing into the catalogue: entries, sources and bills as rows."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

import orjson

from burnish.app.catalogue.entries import Entry, Scale
from burnish.core.findings import SEVERITIES
from burnish.core.records import Json
from burnish.store.clock import to_microseconds
from burnish.store.following import Billed
from burnish.store.packing import pack_json, pack_name, pack_optional, unpack

_REFUSED = re.compile("[\x00\ud800-\udfff]")
_TRILLION = 10**12
_REPLACED = ("units", "findings", "scores", "judgements")
_INSERT_UNIT = f"INSERT INTO units VALUES ({', '.join('?' * 18)})"


@dataclass(frozen=True, slots=True)
class Reached:
    """How far a catalogue goes."""

    units: str = ""
    """The moment of the last row that was taken in."""
    attempts: int = 0
    """The number of the last attempt."""
    called_at: str = ""
    call: int = 0
    """The number of the last call, and its moment."""
    sourced: tuple[str, ...] = ()
    """Documents whose units were taken in as they were read."""


@dataclass(frozen=True, slots=True)
class Source:
    """A unit as it was read."""

    id: str
    record: Json
    excerpt: str


def reached(connection: sqlite3.Connection) -> Reached:
    found = connection.execute("SELECT value FROM meta WHERE key = 'reached'").fetchone()
    if found is None:
        return Reached()
    record = orjson.loads(found[0])
    return Reached(**{**record, "sourced": tuple(record["sourced"])})


def set_reached(connection: sqlite3.Connection, **changes: Any) -> None:
    record = orjson.dumps({**asdict(reached(connection)), **changes}).decode()
    connection.execute("INSERT OR REPLACE INTO meta VALUES ('reached', ?)", (record,))


def how_many_rows(connection: sqlite3.Connection) -> tuple[int, int]:
    """How many units and sources there are, without counting them."""
    units = connection.execute("SELECT coalesce(SUM(count), 0) FROM tallies WHERE what = 'state'").fetchone()[0]
    return int(units), int(connection.execute("SELECT coalesce(MAX(rowid), 0) FROM sources").fetchone()[0])


def how_many_lack_source(connection: sqlite3.Connection, document: str) -> int:
    """Units of a document whose sources were not found."""
    query = "SELECT COUNT(*) FROM units WHERE document = ? AND id NOT IN (SELECT id FROM sources)"
    return int(connection.execute(query, (pack_name(document),)).fetchone()[0])


def attempts_known(connection: sqlite3.Connection, unit: str) -> int:
    """How many attempts of a unit are taken in."""
    found = connection.execute("SELECT attempts FROM units WHERE id = ?", (pack_name(unit),)).fetchone()
    return int(found[0]) if found is not None else 0


def write_entries(connection: sqlite3.Connection, scale: Scale, entries: Iterable[Entry]) -> None:
    """Entries in the place of those that were there."""
    for entry in entries:
        _forget(connection, entry.number)
        excerpt = entry.excerpt if entry.excerpt is not None else _source_excerpt(connection, entry.row.id)
        connection.execute(_INSERT_UNIT, (*line_values(entry, excerpt), int(entry.excerpt is None)))
        _write_sought(connection, entry.row.position, entry.number, entry.row.id, excerpt)
        connection.executemany("INSERT INTO findings VALUES (?, ?, ?, ?, ?, ?)", _finding_values(entry))
        connection.executemany("INSERT INTO scores VALUES (?, ?, ?, ?)", _score_values(entry, scale))
        connection.executemany("INSERT INTO judgements VALUES (?, ?, ?, ?)", _judgement_values(entry))


def _forget(connection: sqlite3.Connection, number: int) -> None:
    known = connection.execute("SELECT position FROM units WHERE number = ?", (number,)).fetchone()
    if known is not None:
        connection.execute("DELETE FROM sought WHERE position = ? AND number = ?", (known[0], number))
        for table in _REPLACED:
            connection.execute(f"DELETE FROM {table} WHERE number = ?", (number,))


def _source_excerpt(connection: sqlite3.Connection, unit: str) -> str:
    found = connection.execute("SELECT excerpt FROM sources WHERE id = ?", (pack_name(unit),)).fetchone()
    return "" if found is None else unpack(found[0])


def line_values(entry: Entry, excerpt: str) -> tuple[Any, ...]:
    """What a line is made of, in the order of `asking.COLUMNS`, as it lies in the file."""
    row = entry.row
    return (
        entry.number,
        row.position,
        pack_name(row.id),
        pack_name(row.document),
        pack_name(row.state),
        pack_optional(row.reason),
        entry.attempts,
        row.best_attempt,
        row.open_errors,
        len(SEVERITIES) if entry.severity is None else entry.severity,
        entry.score,
        pack_json(entry.rules),
        pack_optional(entry.cause),
        pack_name(excerpt),
        int(entry.repaired),
        pack_optional(entry.decided_by),
        row.at,
    )


def _write_sought(connection: sqlite3.Connection, position: int, number: int, id: str, excerpt: str) -> None:
    text = folded(f"{id}\n{excerpt}")
    connection.execute("INSERT OR REPLACE INTO sought VALUES (?, ?, ?)", (position, number, text))


def folded(text: str) -> str:
    """Text as it is searched: whatever the case of its letters, and in no shape that SQLite refuses."""
    return _REFUSED.sub("\ufffd", text.casefold())


def _finding_values(entry: Entry) -> Iterable[Sequence[Any]]:
    position, number = entry.row.position, entry.number
    return [
        (pack_name(note.rule), int(note.settled), position, number, note.times, note.severity) for note in entry.notes
    ]


def _score_values(entry: Entry, scale: Scale) -> Iterable[Sequence[Any]]:
    places = {name: scale.place(name, score) for name, score in entry.scores.items()}
    return [(entry.number, pack_name(name), bin, int(below)) for name, (bin, below) in places.items()]


def _judgement_values(entry: Entry) -> Iterable[Sequence[Any]]:
    """Each word once: the same one may have been said again after another try."""
    words = {one.key: one for one in entry.judgements}
    return [(key, entry.number, pack_name(one.who), int(one.is_right)) for key, one in words.items()]


def write_sources(connection: sqlite3.Connection, sources: Iterable[Source]) -> None:
    """Sources, and the excerpts of units whose drafts they still are."""
    for source in sources:
        id = pack_name(source.id)
        values = (id, pack_json(source.record), pack_name(source.excerpt))
        connection.execute("INSERT OR REPLACE INTO sources VALUES (?, ?, ?)", values)
        query = "SELECT position, number FROM units WHERE id = ? AND from_source"
        for position, number in connection.execute(query, (id,)).fetchall():
            connection.execute("UPDATE units SET excerpt = ? WHERE number = ?", (values[2], number))
            _write_sought(connection, position, number, source.id, source.excerpt)


def write_bills(connection: sqlite3.Connection, bills: Iterable[Billed]) -> None:
    """Bills, added up second by second."""
    connection.executemany(
        "INSERT INTO spent VALUES (?, ?, ?, 1, ?) ON CONFLICT (second) DO UPDATE SET "
        "tokens = tokens + excluded.tokens, cost_trillionths = cost_trillionths + excluded.cost_trillionths, "
        "calls = calls + 1, unpriced = unpriced + excluded.unpriced",
        [(_second(one.at), one.tokens, round((one.cost or 0.0) * _TRILLION), int(one.cost is None)) for one in bills],
    )


def _second(at: str) -> int:
    return to_microseconds(datetime.fromisoformat(at)) // 1_000_000
