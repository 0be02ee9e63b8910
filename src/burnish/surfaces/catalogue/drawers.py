"""Drawers: people's words in a run's catalogue, sorted by their keys, so that what is new is found without the rest.

Each drawer counts how often something was put into it or taken out. Whoever knows a drawer need not look again before
that number has moved.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from burnish.store.packing import unpack
from burnish.surfaces.catalogue.schema import DRAWER_BITS


@dataclass(frozen=True, slots=True)
class Drawer:
    """One drawer with all that is in it."""

    number: int
    changes: int
    words: frozenset[tuple[int, str, bool]]
    """The key of a word, of whom it speaks, and whether it says that they were right."""

    @property
    def reach(self) -> tuple[int, int]:
        return reach(self.number)


def reach(number: int) -> tuple[int, int]:
    """The first and the last key that belong into a drawer."""
    return number << DRAWER_BITS, (number + 1 << DRAWER_BITS) - 1


def changed(connection: sqlite3.Connection, made: str, known: Mapping[int, int], most: int) -> tuple[str, list[Drawer]]:
    """Which catalogue it is, and at most so many of its drawers that are not as they are known. Of another catalogue
    than the one that was `made`, nothing is known."""
    [here] = connection.execute("SELECT value FROM meta WHERE key = 'made'").fetchone()
    past = known if here == made else {}
    drawers = connection.execute("SELECT number, changes FROM drawers").fetchall()
    new = [(number, changes) for number, changes in drawers if past.get(number) != changes][:most]
    return here, [Drawer(number, changes, frozenset(_words(connection, number))) for number, changes in new]


def _words(connection: sqlite3.Connection, drawer: int) -> Iterator[tuple[int, str, bool]]:
    query = "SELECT key, who, is_right FROM judgements WHERE key BETWEEN ? AND ?"
    for key, who, is_right in connection.execute(query, reach(drawer)):
        yield key, unpack(who), bool(is_right)
