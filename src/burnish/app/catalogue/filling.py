"""Filling: the catalogue is brought up to date from the journal, portion by portion, whoever made the last one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from burnish.app.catalogue.database import Damaged, Database
from burnish.app.catalogue.entries import Entry, Lens, entry_of, excerpt_of
from burnish.app.catalogue.facts import Look, look_at
from burnish.app.catalogue.judgements import judgements
from burnish.app.catalogue.writing import (
    Reached,
    Source,
    attempts_known,
    how_many_lack_source,
    how_many_rows,
    reached,
    set_reached,
    write_bills,
    write_entries,
    write_sources,
)
from burnish.core.documents import PassedThrough, Problem, Unit
from burnish.core.errors import InputError
from burnish.core.records import UnitRow
from burnish.engine.checking import opened
from burnish.engine.plan import DocumentPlan, Plan
from burnish.engine.publishing import source_changed
from burnish.store.following import Following

PORTION = 200
"""Units that are taken in at a time: memory stays the same, and nobody waits long for the file."""
BILLS = 5_000
"""The same for bills, which are short."""


@dataclass(frozen=True, slots=True)
class Away:
    """A document that is not what the run was started with."""

    document: DocumentPlan
    look: Look
    """What its file looked like from outside when that was found out."""
    why: InputError

    @property
    def is_still(self) -> bool:
        """Whether nothing has happened to the file since."""
        return look_at(Path(self.document.path)) == self.look


@dataclass(slots=True)
class Filling:
    """Keeps one catalogue up to date. For one thread at a time."""

    plan: Plan
    lens: Lens
    database: Database
    following: Following
    give_way: Callable[[], None] = lambda: None
    """Called between units: others may have something more urgent to do."""
    _parts: Iterator[Unit] | None = field(default=None, init=False)
    """What is left of the document whose sources are being taken in."""
    _look: Look = field(default=None, init=False)
    """What its file looked like before it was opened."""
    _away: dict[str, Away] = field(default_factory=dict, init=False)
    """Documents that could not be read, or are others by now. We do not try them again before they change."""

    def step(self) -> bool:
        """Take in one more portion. False: there was nothing left."""
        done = self._reached()
        at, attempt, call = self.following.ends()
        if done.units > at or done.attempts > attempt or done.call > call:
            raise Damaged("the catalogue knows more than the journal")
        if done.units < at:
            self._take_units()
        elif done.attempts < attempt:
            self._take_attempts()
        elif done.call < call:
            self._take_bills()
        else:
            return self._take_sources(done)
        return True

    def left(self, most: int) -> int:
        """About how many units are still to be taken in, as far as that is worth counting."""
        done = self._reached()
        unread = self._next_document(done) is not None
        return self.following.how_many_changed("" if unread else done.units, most)

    def how_many(self) -> int:
        """All units of the run. Counted one by one: not to be asked often."""
        return sum(self.following.counts().values())

    def taken_in(self) -> int:
        """Units that are in the catalogue. Those whose source is still to be read count half."""
        with self.database.reading() as connection:
            done = reached(connection)
            units, sources = how_many_rows(connection)
        return units if self._next_document(done) is None else (units + min(sources, units)) // 2

    def _reached(self) -> Reached:
        with self.database.reading() as connection:
            return reached(connection)

    # -- from the journal

    def _take_units(self) -> None:
        with self.database.writing() as connection, self.following.moment():
            done = reached(connection)
            if not done.units:
                # Attempts up to here are read with their units; those behind are looked for by themselves.
                set_reached(connection, attempts=self.following.ends()[1])
            found = self.following.changed_units(done.units, PORTION)
            if found:
                write_entries(connection, self.lens.scale, self._entries(found))
                set_reached(connection, units=found[-1][1].at)

    def _take_attempts(self) -> None:
        """Attempts that were written before their unit's row: of documents that are judged as wholes."""
        with self.database.writing() as connection, self.following.moment():
            found = self.following.new_attempts(reached(connection).attempts, PORTION)
            if found:
                fresh = dict.fromkeys(one.unit for one in found if one.number > attempts_known(connection, one.unit))
                write_entries(connection, self.lens.scale, self._entries(self.following.rows(list(fresh))))
                set_reached(connection, attempts=found[-1].id)

    def _take_bills(self) -> None:
        with self.database.writing() as connection, self.following.moment():
            done = reached(connection)
            found = self.following.bills((done.called_at, done.call), BILLS)
            if found:
                write_bills(connection, found)
                set_reached(connection, called_at=found[-1].at, call=found[-1].id)

    def _entries(self, found: Sequence[tuple[int, UnitRow]]) -> Iterator[Entry]:
        ids = [row.id for _, row in found]
        sketches = self.following.sketches(ids)
        decisions = self.following.decisions(ids)
        for number, row in found:
            self.give_way()
            people = decisions.get(row.id, [])
            said = tuple(judgements(self.lens.kind, self.following.attempts(row.id), people)) if people else ()
            yield entry_of(self.lens, number, row, sketches.get(row.id, []), people, said)

    # -- from the documents

    def _take_sources(self, done: Reached) -> bool:
        """The units as they were read, of kinds whose journals do not hold them. Once, when all are taken in."""
        document = self._next_document(done)
        if document is None:
            return False
        try:
            if self._parts is None:
                self._look, self._parts = look_at(Path(document.path)), self._read(document)
            units = list(islice(self._parts, PORTION))
        except InputError as why:
            self._miss(document, why)
            return True
        with self.database.writing() as connection:
            write_sources(connection, self._sources(document, units))
            is_read = len(units) < PORTION
            is_whole = is_read and how_many_lack_source(connection, document.name) == 0
            if is_whole:
                set_reached(connection, sourced=(*reached(connection).sourced, document.name))
        if is_read:
            self._parts = None
            if not is_whole:
                self._miss(document, source_changed(document))
        return True

    def _miss(self, document: DocumentPlan, why: InputError) -> None:
        self._away[document.name] = Away(document, self._look, why)
        self._parts = None

    def why_away(self, document: str) -> InputError | None:
        """Why nothing of a document can be shown that is not here yet; None: it has to be looked for."""
        known = self._away.get(document)
        return known.why if known is not None and known.is_still else None

    def has_returned(self) -> bool:
        """Whether a document that was away is worth another look."""
        return any(not known.is_still for known in list(self._away.values()))

    def _next_document(self, done: Reached) -> DocumentPlan | None:
        if self.lens.is_staged or not self.following.meta("ingested"):
            return None
        past = {*done.sourced, *(name for name, known in self._away.items() if known.is_still)}
        return next((document for document in self.plan.documents if document.name not in past), None)

    def _read(self, document: DocumentPlan) -> Iterator[Unit]:
        with opened(document.path) as stream:
            for part in self.lens.kind.read(stream, document.path, document.format):
                if not isinstance(part, Problem | PassedThrough):
                    yield part

    def _sources(self, document: DocumentPlan, units: Sequence[Unit]) -> Iterator[Source]:
        """Those that are still what was judged."""
        ids = [self.plan.unit_id(document.name, unit.id) for unit in units]
        hashes = {row.id: row.content_hash for _, row in self.following.rows(ids)}
        for id, unit in zip(ids, units, strict=True):
            self.give_way()
            if hashes.get(id) == unit.content_hash:
                yield Source(id, self.lens.kind.to_record(unit), excerpt_of(self.lens.kind, unit))
