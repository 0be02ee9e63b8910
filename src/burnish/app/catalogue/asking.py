"""Asking the catalogue for units: every list is read by an index, from where the page before it ended."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from burnish.app.catalogue.filters import UnitFilter
from burnish.app.catalogue.writing import folded
from burnish.core.findings import SEVERITIES
from burnish.store.packing import pack_name

COLUMNS = (
    "number, position, id, document, state, reason, attempts, best, errors, severity, score, rules, cause, excerpt, "
    "repaired, decided_by, at"
)
"""What a line is made of."""
_NUMBER, _POSITION, _ID, _AT = (COLUMNS.split(", ").index(name) for name in ("number", "position", "id", "at"))
PORTION = 2_000
"""Units that are read at a time where all are wanted."""

Place = tuple[int, int]
"""Where a unit stands: its position and its number."""


@dataclass(frozen=True, slots=True)
class Trait:
    """One thing that units must have, and how those that have it are found in order."""

    condition: str
    values: tuple[Any, ...]
    source: str
    """The table and index by which they are found."""
    place: str
    """The columns of that table that hold position and number."""
    tally: tuple[str, Any] | None
    """Under what their number is kept."""


_EVERY = Trait("", (), "units u INDEXED BY units_by_position", "u.position, u.number", None)


def read_page(
    connection: sqlite3.Connection, where: UnitFilter, after: Place | None, limit: int, *, backwards: bool = False
) -> list[Sequence[Any]]:
    """Rows of COLUMNS in document order: the first behind a place, or with `backwards` the last before it."""
    queries = [_page_query(connection, part, after, limit, backwards=backwards) for part in parts_of(where)]
    query, values = queries[0]
    if len(queries) > 1:
        # Each is in order and no longer than a page, so little is left to sort.
        order = "position DESC, number DESC" if backwards else "position, number"
        together = " UNION ALL ".join(f"SELECT * FROM ({query})" for query, _ in queries)
        query = f"{together} ORDER BY {order} LIMIT ?"
        values = [*(value for _, more in queries for value in more), limit]
    found = connection.execute(query, values).fetchall()
    return found[::-1] if backwards else found


def read_moments(connection: sqlite3.Connection, where: UnitFilter) -> Iterator[tuple[Any, str]]:
    """Id and moment of every unit that a filter lets through, in document order."""
    after: Place | None = None
    while rows := read_page(connection, where, after, PORTION):
        yield from ((row[_ID], row[_AT]) for row in rows)
        after = rows[-1][_POSITION], rows[-1][_NUMBER]


def count(connection: sqlite3.Connection, where: UnitFilter) -> int:
    """How many units a filter lets through."""
    return sum(_count(connection, part) for part in parts_of(where))


def parts_of(where: UnitFilter) -> list[UnitFilter]:
    """A filter for each state: no unit is in two, and each is in order by itself."""
    return [replace(where, states=(state,)) for state in dict.fromkeys(where.states)] or [where]


def traits_of(where: UnitFilter) -> list[Trait]:
    """Everything that a filter with at most one state asks for."""
    found: list[Trait] = []
    if where.rule is not None:
        found.append(_finding(where.rule))
    if where.cause is not None:
        found.append(_column("cause", "units_by_cause", pack_name(where.cause), None))
    for state in where.states:
        found.append(_column("state", "units_by_state", pack_name(state), "state"))
    if where.severity is not None:
        found.append(_column("severity", "units_by_severity", SEVERITIES.index(where.severity), "severity"))
    if where.document is not None:
        found.append(_column("document", "units_by_document", pack_name(where.document), "document"))
    if where.repaired:
        found.append(_marked("u.repaired", "units_repaired", ("repaired", 1)))
    if where.open:
        found.append(_marked(f"u.severity < {len(SEVERITIES)}", "units_open", ("any finding", 1)))
    if where.text:
        found.append(_text(where.text))
    return found


def _column(name: str, index: str, value: Any, tally: str | None) -> Trait:
    return Trait(
        f"u.{name} = ?",
        (value,),
        f"units u INDEXED BY {index}",
        "u.position, u.number",
        None if tally is None else (tally, value),
    )


def _marked(condition: str, index: str, tally: tuple[str, Any]) -> Trait:
    return Trait(condition, (), f"units u INDEXED BY {index}", "u.position, u.number", tally)


def _finding(rule: str) -> Trait:
    return Trait(
        "f.rule = ? AND f.settled = 0",
        (pack_name(rule),),
        "findings f CROSS JOIN units u ON u.number = f.number",
        "f.position, f.number",
        ("open units", pack_name(rule)),
    )


def _text(text: str) -> Trait:
    pattern = folded(text).replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
    return Trait(
        "s.text LIKE ? ESCAPE '\\'",
        (f"%{pattern}%",),
        "sought s CROSS JOIN units u ON u.number = s.number",
        "s.position, s.number",
        None,
    )


def _chosen(connection: sqlite3.Connection, traits: Sequence[Trait]) -> tuple[Trait, list[Trait]]:
    """The trait that fewest units have, which the others are then looked up for."""
    if not traits:
        return _EVERY, []
    first = min(traits, key=lambda trait: _known(connection, trait)) if len(traits) > 1 else traits[0]
    return first, [trait for trait in traits if trait is not first]


def _known(connection: sqlite3.Connection, trait: Trait) -> float:
    """How many units have a trait, as far as that is kept. Causes are few; texts are looked at one by one."""
    if trait.tally is None:
        return float("inf") if trait.condition.startswith("s.") else 0.0
    return tallied(connection, *trait.tally)


def tallied(connection: sqlite3.Connection, what: str, name: Any) -> int:
    query = "SELECT coalesce(SUM(count), 0) FROM tallies WHERE what = ? AND name = ?"
    return int(connection.execute(query, (what, name)).fetchone()[0])


def _joined(first: Trait, others: Sequence[Trait]) -> tuple[str, list[str], list[Any]]:
    """Tables, conditions and values for units that have all of these traits."""
    tables, conditions, values = first.source, [first.condition] if first.condition else [], list(first.values)
    for trait in others:
        alias = trait.condition[0]
        if alias == "f":
            tables += " CROSS JOIN findings f ON f.position = u.position AND f.number = u.number"
        elif alias == "s":
            tables += " CROSS JOIN sought s ON s.position = u.position AND s.number = u.number"
        conditions.append(trait.condition)
        values += trait.values
    return tables, conditions, values


def _page_query(
    connection: sqlite3.Connection, part: UnitFilter, after: Place | None, limit: int, *, backwards: bool
) -> tuple[str, list[Any]]:
    first, others = _chosen(connection, traits_of(part))
    tables, conditions, values = _joined(first, others)
    if after is not None:
        conditions.append(f"({first.place}) {'<' if backwards else '>'} (?, ?)")
        values += after
    position, number = first.place.split(", ")
    order = f"{position} DESC, {number} DESC" if backwards else f"{position}, {number}"
    columns = ", ".join(f"u.{name.strip()}" for name in COLUMNS.split(","))
    query = f"SELECT {columns} FROM {tables} {_where(conditions)} ORDER BY {order} LIMIT ?"
    return query, [*values, limit]


def _count(connection: sqlite3.Connection, part: UnitFilter) -> int:
    traits = traits_of(part)
    if len(traits) == 1 and traits[0].tally is not None:
        return tallied(connection, *traits[0].tally)
    if not traits:
        query = "SELECT coalesce(SUM(count), 0) FROM tallies WHERE what = 'state'"
        return int(connection.execute(query).fetchone()[0])
    if len(traits) == 1 and traits[0].condition.startswith("s."):
        return int(
            connection.execute(
                "SELECT COUNT(*) FROM sought s WHERE " + traits[0].condition, traits[0].values
            ).fetchone()[0]
        )
    tables, conditions, values = _joined(*_chosen(connection, traits))
    return int(connection.execute(f"SELECT COUNT(*) FROM {tables} {_where(conditions)}", values).fetchone()[0])


def _where(conditions: Sequence[str]) -> str:
    return f"WHERE {' AND '.join(conditions)}" if conditions else ""
