"""The order of the queue inside a run: documents with the fewest left first, then cause by cause, worst first."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any

from burnish.app.catalogue.asking import COLUMNS
from burnish.app.catalogue.filters import QueueFilter
from burnish.store.packing import pack_name


@dataclass(frozen=True, slots=True)
class Group:
    """Waiting units of one document and one cause. Names are as they lie in the file."""

    document: Any
    cause: Any
    count: int
    severity: int
    """The worst of them."""


def groups(connection: sqlite3.Connection, where: QueueFilter, aside: Collection[str] = ()) -> list[Group]:
    """Every group, in the order of the queue, without the units that are `aside`: somebody has decided on them.

    Counted by an index that holds waiting units only.
    """
    query = (
        "SELECT document, cause, COUNT(*), MIN(severity) FROM units INDEXED BY units_waiting "
        "WHERE cause IS NOT NULL GROUP BY document, cause"
    )
    decided = Counter((one.document, one.cause) for one in map(_waiting(connection), aside) if one is not None)
    rows = connection.execute(query).fetchall()
    every = [Group(document, cause, count - decided[document, cause], worst) for document, cause, count, worst in rows]
    left = Counter[Any]()
    for group in every:
        left[group.document] += group.count

    def order(one: Group) -> tuple[object, ...]:
        return left[one.document], _name(one.document), one.severity, -one.count, _name(one.cause)

    return sorted((group for group in every if group.count and _fits(group, where)), key=order)


def page(
    connection: sqlite3.Connection, where: QueueFilter, aside: Collection[str], offset: int, limit: int
) -> list[tuple[Sequence[Any], int]]:
    """Rows of COLUMNS, each with how many units of the run wait for its cause."""
    found: list[tuple[Sequence[Any], int]] = []
    same = Counter[Any]()
    for group in groups(connection, QueueFilter(), aside):
        same[group.cause] += group.count
    for group in groups(connection, where, aside):
        if offset >= group.count:
            offset -= group.count
            continue
        found += [(row, same[group.cause]) for row in _rows(connection, group, aside, offset, limit - len(found))]
        offset = 0
        if len(found) >= limit:
            break
    return found


def place(connection: sqlite3.Connection, where: QueueFilter, aside: Collection[str], unit: str) -> int | None:
    """The number of a unit in the queue, from 0; None: it is not in it."""
    here = _waiting(connection)(unit)
    if here is None or unit in aside:
        return None
    before = 0
    for group in groups(connection, where, aside):
        if (group.document, group.cause) == (here.document, here.cause):
            return before + _before(connection, here, aside)
        before += group.count
    return None


def total(connection: sqlite3.Connection, where: QueueFilter, aside: Collection[str]) -> int:
    return sum(group.count for group in groups(connection, where, aside))


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a waiting unit stands. Names are as they lie in the file."""

    document: Any
    cause: Any
    severity: int
    position: int
    number: int


def _waiting(connection: sqlite3.Connection) -> Callable[[str], _Place | None]:
    """Unit -> its place; None: it does not wait."""
    query = "SELECT document, cause, severity, position, number FROM units WHERE id = ? AND cause IS NOT NULL"

    def found(unit: str) -> _Place | None:
        row = connection.execute(query, (pack_name(unit),)).fetchone()
        return None if row is None else _Place(*row)

    return found


def _before(connection: sqlite3.Connection, here: _Place, aside: Collection[str]) -> int:
    """How many units of its group come before one."""
    query = (
        "SELECT COUNT(*) FROM units INDEXED BY units_waiting WHERE document = ? AND cause = ? AND "
        f"(severity, position, number) < (?, ?, ?) AND {_not_in(aside)}"
    )
    values = (here.document, here.cause, here.severity, here.position, here.number, *map(pack_name, aside))
    return int(connection.execute(query, values).fetchone()[0])


def _not_in(aside: Collection[str]) -> str:
    return f"id NOT IN ({', '.join('?' for _ in aside)})" if aside else "TRUE"


def _fits(group: Group, where: QueueFilter) -> bool:
    return (where.cause is None or group.cause == pack_name(where.cause)) and (
        where.document is None or group.document == pack_name(where.document)
    )


def _name(value: Any) -> str:
    """Names in a shape that can be ordered."""
    return value if isinstance(value, str) else repr(value)


def _rows(
    connection: sqlite3.Connection, group: Group, aside: Collection[str], offset: int, limit: int
) -> list[Sequence[Any]]:
    query = (
        f"SELECT {COLUMNS} FROM units INDEXED BY units_waiting WHERE document = ? AND cause = ? AND {_not_in(aside)} "
        "ORDER BY severity, position, number LIMIT ? OFFSET ?"
    )
    values = (group.document, group.cause, *map(pack_name, aside), limit, offset)
    return connection.execute(query, values).fetchall()
