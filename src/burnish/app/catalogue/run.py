"""One run, as pages and programs look at it."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Collection, Sequence
from typing import Any

from burnish.app.catalogue import asking, drawers, queueing, summing
from burnish.app.catalogue.cards import RunCard
from burnish.app.catalogue.drawers import Cabinet
from burnish.app.catalogue.entries import entry_of
from burnish.app.catalogue.facts import decided_aside
from burnish.app.catalogue.filters import ALL, QueueFilter, UnitFilter
from burnish.app.catalogue.lines import CauseCount, Dimension, RuleCount, Spent, UnitLine, UnitPage
from burnish.app.catalogue.making import Making
from burnish.app.catalogue.precision import PrecisionLine
from burnish.app.catalogue.sorts import sorts_of
from burnish.app.catalogue.writing import line_values
from burnish.app.reports.reasons import reason_of
from burnish.app.runs import View, unavailable
from burnish.core.documents import Unit, Whole
from burnish.core.errors import UsageError
from burnish.core.findings import SEVERITIES
from burnish.core.kinds import UnitStory
from burnish.core.records import UnitRow
from burnish.store.following import Sketch
from burnish.store.packing import pack_name, unpack, unpack_json, unpack_optional
from burnish.store.paths import shown

_KEY = re.compile(r"[0-9]{1,18}\.[0-9]{1,18}", re.ASCII)
"""How lines are keyed; no number is too large for SQLite."""
MOST_COUNTED = 200
"""Filters whose totals are remembered."""


class RunCatalogue:
    """A run, opened for reading. It may be at work meanwhile. For any number of threads."""

    def __init__(self, view: View, making: Making, card: Callable[[], RunCard]) -> None:
        self.view = view
        """Its folder, journal, plan and kind."""
        self._making = making
        self._card = card
        self._sorts = sorts_of(view.kind)
        self._totals: dict[UnitFilter, tuple[object, int]] = {}

    @property
    def card(self) -> RunCard:
        """How it stands now."""
        return self._card()

    @property
    def reading(self) -> tuple[int, int] | None:
        """(units read, all units) while the catalogue of a long run is being made; None: it is complete."""
        return self._making.progress()

    def wait(self) -> None:
        """Until the catalogue is complete: for whoever needs all of it, such as a report."""
        self._making.wait()

    # -- units

    def units(
        self, where: UnitFilter = ALL, *, offset_key: str | None = None, limit: int = 50, backwards: bool = False
    ) -> UnitPage:
        """A page of the units that a filter lets through, in document order.

        Forwards the page begins behind `offset_key`; backwards it ends before it.
        """
        place = _place(offset_key)

        def page(connection: sqlite3.Connection) -> UnitPage:
            rows = asking.read_page(connection, where, place, limit + 1, backwards=backwards)
            more, kept = len(rows) > limit, (rows[-limit:] if backwards else rows[:limit])
            lines = tuple(map(self._line, kept))
            total = len(lines) if place is None and not more else self._total(connection, where)
            before, after = (more, place is not None) if backwards else (place is not None, more)
            return UnitPage(
                lines,
                lines[0].key if lines and before else None,
                lines[-1].key if lines and after else None,
                total,
            )

        return self._making.ask(page)

    def _total(self, connection: sqlite3.Connection, where: UnitFilter) -> int:
        """How many units a filter lets through. Counted once, as long as nothing changes: there are several pages."""
        stamp = connection.execute("SELECT value FROM meta WHERE key = 'reached'").fetchone()
        known = self._totals.get(where)
        if known is not None and known[0] == stamp:
            return known[1]
        if len(self._totals) >= MOST_COUNTED:
            self._totals.clear()
        total = asking.count(connection, where)
        self._totals[where] = stamp, total
        return total

    def moments(self, where: UnitFilter = ALL) -> dict[str, str]:
        """Every unit that a filter lets through, in document order -> the moment of its row."""

        def read(connection: sqlite3.Connection) -> list[tuple[str, str]]:
            return [(unpack(id), at) for id, at in asking.read_moments(connection, where)]

        return dict(self._making.ask(read))

    def line(self, unit: str) -> UnitLine | None:
        """One unit; None: there is none of this name."""
        query = f"SELECT {asking.COLUMNS} FROM units WHERE id = ?"

        def found(connection: sqlite3.Connection) -> list[UnitLine]:
            return [self._line(row) for row in connection.execute(query, (pack_name(unit),)).fetchall()]

        return next(iter(self._making.ask(found)), None) or self._uncatalogued(unit)

    def _uncatalogued(self, unit: str) -> UnitLine | None:
        """A unit that is not in the catalogue yet, as the journal has it."""
        journal = self.view.journal
        row = journal.unit(unit)
        if row is None:
            return None
        sketches = [Sketch.of(attempt, row) for attempt in journal.attempts(unit)]
        entry = entry_of(self._making.lens, 0, row, sketches, list(journal.events(unit=unit, types=("decision",))))
        return self._line(line_values(entry, entry.excerpt or ""))

    def beside(self, unit: str, where: UnitFilter = ALL) -> tuple[str | None, str | None]:
        """The units before and after one, among those that a filter lets through."""
        here = self.line(unit)
        if here is None:
            return None, None
        place = _place(here.key)

        def both(connection: sqlite3.Connection) -> list[str | None]:
            pages = [asking.read_page(connection, where, place, 1, backwards=way) for way in (True, False)]
            return [unpack(rows[0][2]) if rows else None for rows in pages]

        before, after = self._making.ask(both)
        return before, after

    def story(self, unit: str) -> UnitStory:
        """Everything about one unit. NotFound for one that is not in the run, SourceUnavailable where the text of one
        is away."""
        row = self.view.row(unit)
        source = None if self._making.lens.is_staged else self._source(row)
        if source is None:
            why = self._making.why_away(row.document)
            if why is not None:  # known already: a long document is not read for each of its units
                raise unavailable(why)
            return self.view.story(unit)
        decisions = tuple(self.view.journal.events(unit=row.id, types=("decision",)))
        return UnitStory(row, source, tuple(self.view.journal.attempts(row.id)), decisions)

    def story_without_source(self, unit: str) -> UnitStory:
        """The same as far as the journal has it: with an empty unit for its source."""
        row = self.view.row(unit)
        decisions = tuple(self.view.journal.events(unit=row.id, types=("decision",)))
        source = Whole(row.id, row.content_hash)
        return UnitStory(row, source, tuple(self.view.journal.attempts(row.id)), decisions)

    def _source(self, row: UnitRow) -> Unit | None:
        """The unit as it was read, proven to be the one that was judged; None: it has to be looked for."""
        query = "SELECT record FROM sources WHERE id = ?"

        def found(connection: sqlite3.Connection) -> list[Unit]:
            records = connection.execute(query, (pack_name(row.id),)).fetchall()
            return [self.view.kind.from_record(unpack_json(record)) for (record,) in records]

        return next((unit for unit in self._making.ask(found) if unit.content_hash == row.content_hash), None)

    def _line(self, row: Sequence[Any]) -> UnitLine:
        number, position, id, document, state, reason, attempts, best, errors, severity, score, rules, cause = row[:13]
        excerpt, repaired, decided_by, at = row[13:]
        kind = self.view.kind
        known = UnitRow(unpack(id), unpack(document), position, "", unpack(state), unpack_optional(reason))
        return UnitLine(
            id=known.id,
            document=known.document,
            position=position,
            state=known.state,
            sort=self._sorts.get(known.state, "work"),
            reason=known.reason,
            words=reason_of(kind, known),
            attempts=attempts,
            best_attempt=best,
            open_errors=errors,
            severity=SEVERITIES[severity] if severity < len(SEVERITIES) else None,
            score=score,
            rules=tuple(unpack_json(rules)),
            cause=unpack_optional(cause),
            excerpt=unpack(excerpt),
            repaired=bool(repaired),
            decided_by=unpack_optional(decided_by),
            at=at,
            key=f"{position}.{number}",
        )

    # -- the run as a whole

    def findings_by_rule(self) -> list[RuleCount]:
        """Every rule that spoke, those with most open findings first."""
        return self._making.ask(summing.findings_by_rule)

    def scores(self) -> list[Dimension]:
        """How the scores of the drafts that stand are spread; first those that the gate asks for."""
        return self._making.ask(lambda connection: summing.dimensions(connection, self._making.lens.scale))

    def spending(self, points: int = 60) -> list[Spent]:
        """What had been spent by each of at most so many moments."""
        return self._making.ask(lambda connection: summing.spending(connection, points))

    def causes(self) -> list[CauseCount]:
        """Why units wait for a person, the commonest first."""
        return self._making.ask(lambda connection: summing.causes(connection, self.view.kind))

    def precision(self) -> list[PrecisionLine]:
        """What people's decisions in this run say of its rules and judges."""
        return self._making.ask(lambda connection: summing.precision(connection, self.view.plan.kind))

    def cabinet(self) -> Cabinet:
        """The same as sums, and in how many words."""
        return self._making.ask(drawers.cabinet)

    def keys(self, numbers: Collection[int]) -> set[int]:
        """What lies in some drawers of it."""
        return self._making.ask(lambda connection: drawers.keys(connection, numbers))

    def words(self, keys: Collection[int]) -> list[tuple[int, str, bool]]:
        """Some of that: the key, of whom it speaks, and whether it says that they were right."""
        return self._making.ask(lambda connection: drawers.words(connection, keys))

    # -- its part of the queue

    def waiting(self, where: QueueFilter, *, offset: int, limit: int) -> list[tuple[UnitLine, int]]:
        """Waiting units in the order of the queue, each with how many wait for the same cause."""
        aside = decided_aside(self.view.folder)

        def page(connection: sqlite3.Connection) -> list[tuple[UnitLine, int]]:
            rows = queueing.page(connection, where, aside, offset, limit)
            return [(self._line(row), same) for row, same in rows]

        return self._making.ask(page)

    def place_in_queue(self, where: QueueFilter, unit: str) -> int | None:
        """The number of a unit among them, from 0; None: it is not one of them."""
        aside = decided_aside(self.view.folder)
        return self._making.ask(lambda connection: queueing.place(connection, where, aside, unit))

    def how_many_wait(self, where: QueueFilter) -> int:
        aside = decided_aside(self.view.folder)
        return self._making.ask(lambda connection: queueing.total(connection, where, aside))


def _place(key: str | None) -> asking.Place | None:
    """The place that a key names."""
    if key is None:
        return None
    if _KEY.fullmatch(key) is None:
        raise UsageError(f"{shown(key)} is no place in a list.", hint="Begin again with the list's first page.")
    position, number = map(int, key.split("."))
    return position, number
