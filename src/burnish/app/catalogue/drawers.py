"""Drawers: people's words in a run's catalogue, sorted by their keys, so that what is new is found without the rest.

Each drawer counts how often something was put into it or taken out. Whoever knows a drawer need not look again before
that number has moved.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass

from burnish.app.catalogue.schema import DRAWER_BITS
from burnish.store.packing import unpack


@dataclass(frozen=True, slots=True)
class Drawer:
    """What is known of a drawer from outside."""

    changes: int
    words: int
    """How many are in it."""


@dataclass(frozen=True, slots=True)
class Tally:
    """How often people said the same of one rule or judge."""

    who: str
    is_right: bool
    count: int


@dataclass(frozen=True, slots=True)
class Cabinet:
    """All that people said in a run."""

    made: str
    """Which catalogue it is of: one that was made anew counts the changes of its drawers from the beginning."""
    tallies: tuple[Tally, ...]
    drawers: Mapping[int, Drawer]


def cabinet(connection: sqlite3.Connection) -> Cabinet:
    [made] = connection.execute("SELECT value FROM meta WHERE key = 'made'").fetchone()
    rows = connection.execute("SELECT number, changes, words FROM drawers").fetchall()
    return Cabinet(
        made, tuple(tallies(connection)), {number: Drawer(int(changes), int(words)) for number, changes, words in rows}
    )


def tallies(connection: sqlite3.Connection) -> Iterator[Tally]:
    """What people said, added up."""
    for who, right, count in connection.execute("SELECT name, more, count FROM tallies WHERE what = 'said'"):
        yield Tally(unpack(who), bool(right), int(count))


def keys(connection: sqlite3.Connection, drawers: Iterable[int]) -> set[int]:
    """The keys of the words in some drawers."""
    query = "SELECT key FROM judgements WHERE key BETWEEN ? AND ?"
    return {int(key) for drawer in drawers for (key,) in connection.execute(query, _reach(drawer))}


def words(connection: sqlite3.Connection, keys: Collection[int]) -> list[tuple[int, str, bool]]:
    """Each key that is still there, of whom its word speaks, and whether it says that they were right."""
    query = "SELECT key, who, is_right FROM judgements WHERE key = ? LIMIT 1"
    found = (row for key in keys for row in connection.execute(query, (key,)))
    return [(key, unpack(who), bool(is_right)) for key, who, is_right in found]


def drawer_of(key: int) -> int:
    return key >> DRAWER_BITS


def _reach(drawer: int) -> tuple[int, int]:
    """The first and the last key that belong into a drawer."""
    return drawer << DRAWER_BITS, (drawer + 1 << DRAWER_BITS) - 1
