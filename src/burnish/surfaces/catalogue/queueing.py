"""The order of the queue inside a run: documents with the fewest left first, then cause by cause, worst first."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from burnish.store.packing import pack_name
from burnish.surfaces.catalogue.asking import COLUMNS
from burnish.surfaces.catalogue.filters import QueueFilter


@dataclass(frozen=True, slots=True)
class Group:
    """Waiting units of one document and one cause. Names are as they lie in the file."""

    document: Any
    cause: Any
    count: int
    severity: int
    """The worst of them."""


def groups(connection: sqlite3.Connection, where: QueueFilter) -> list[Group]:
    """Every group, in the order of the queue. Counted by an index that holds waiting units only."""
    query = (
        "SELECT document, cause, COUNT(*), MIN(severity) FROM units INDEXED BY units_waiting "
        "WHERE cause IS NOT NULL GROUP BY document, cause"
    )
    every = [Group(*row) for row in connection.execute(query).fetchall()]
    left = Counter[Any]()
    for group in every:
        left[group.document] += group.count
    every = [group for group in every if _fits(group, where)]

    def order(one: Group) -> tuple[object, ...]:
        return left[one.document], _name(one.document), one.severity, -one.count, _name(one.cause)

    return sorted(every, key=order)


def page(
    connection: sqlite3.Connection, where: QueueFilter, offset: int, limit: int
) -> list[tuple[Sequence[Any], int]]:
    """Rows of COLUMNS, each with how many units of the run wait for its cause."""
    found: list[tuple[Sequence[Any], int]] = []
    every = groups(connection, where)
    same = Counter[Any]()
    for group in groups(connection, QueueFilter()):
        same[group.cause] += group.count
    for group in every:
        if offset >= group.count:
            offset -= group.count
            continue
        found += [(row, same[group.cause]) for row in _rows(connection, group, offset, limit - len(found))]
        offset = 0
        if len(found) == limit:
            break
    return found


def place(connection: sqlite3.Connection, where: QueueFilter, unit: str) -> int | None:
    """The number of a unit in the queue, from 0; None: it is not in it."""
    query = "SELECT document, cause, severity, position FROM units WHERE id = ? AND cause IS NOT NULL"
    here = connection.execute(query, (pack_name(unit),)).fetchone()
    if here is None:
        return None
    document, cause, severity, position = here
    before = 0
    for group in groups(connection, where):
        if (group.document, group.cause) == (document, cause):
            query = (
                "SELECT COUNT(*) FROM units INDEXED BY units_waiting WHERE document = ? AND cause = ? AND "
                "(severity, position) < (?, ?)"
            )
            values = (document, cause, severity, position)
            return before + int(connection.execute(query, values).fetchone()[0])
        before += group.count
    return None


def total(connection: sqlite3.Connection, where: QueueFilter) -> int:
    return sum(group.count for group in groups(connection, where))


def _fits(group: Group, where: QueueFilter) -> bool:
    return (where.cause is None or group.cause == pack_name(where.cause)) and (
        where.document is None or group.document == pack_name(where.document)
    )


def _name(value: Any) -> str:
    """Names in a shape that can be ordered."""
    return value if isinstance(value, str) else repr(value)


def _rows(connection: sqlite3.Connection, group: Group, offset: int, limit: int) -> list[Sequence[Any]]:
    query = (
        f"SELECT {COLUMNS} FROM units INDEXED BY units_waiting WHERE document = ? AND cause = ? "
        "ORDER BY severity, position LIMIT ? OFFSET ?"
    )
    return connection.execute(query, (group.document, group.cause, limit, offset)).fetchall()
