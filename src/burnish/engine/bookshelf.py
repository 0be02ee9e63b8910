"""Units as the journal keeps them: no source is read again for them, however long it is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from burnish.core.documents import Unit
from burnish.core.errors import StateCorrupt
from burnish.core.kinds import UnitStory, recorded_draft
from burnish.core.records import AttemptRecord, EventRecord, UnitRow
from burnish.core.stages import Item, StagedKind
from burnish.store.journal import Journal


@dataclass(slots=True)
class Bookshelf:
    """The units of a run whose first attempts hold their sources."""

    kind: StagedKind
    journal: Journal

    def item(self, row: UnitRow) -> Item:
        attempts = self.journal.attempts(row.id)
        source, unit = self._draft(row, attempts, 1), self._draft(row, attempts, row.best_attempt)
        return Item(row, source, unit, tuple(attempts), self._decisions(row))

    def story(self, row: UnitRow) -> UnitStory:
        item = self.item(row)
        return UnitStory(row, item.source, item.attempts, item.decisions)

    def stories(self) -> Iterator[UnitStory]:
        """Every unit of the document with all that happened to it, in order; blockers that are no units are not."""
        return (self.story(row) for row in self.journal.units() if row.document)

    def drafts(self) -> Iterator[Unit]:
        """Every unit of the document as it stands, in order."""
        for row in self.journal.units():
            if row.document:
                yield self._draft(row, self.journal.attempts(row.id), row.best_attempt)

    def beside(self, row: UnitRow, before: int, after: int) -> tuple[list[Unit], list[Unit]]:
        """The drafts that stand around a unit."""
        first = max(row.position - before, 0)
        near = list(self.journal.units(after_position=first - 1, limit=row.position - first + 1 + after))
        drafts = [(one, self.item(one).unit) for one in near if one.document]
        return (
            [unit for one, unit in drafts if one.position < row.position],
            [unit for one, unit in drafts if one.position > row.position],
        )

    def is_settled(self, unit: str) -> bool:
        row = self.journal.unit(unit)
        return row is not None and row.state in (self.kind.states.ready, self.kind.merged)

    def _draft(self, row: UnitRow, attempts: list[AttemptRecord], number: int) -> Unit:
        draft = recorded_draft(self.kind, attempts[number - 1]) if 0 < number <= len(attempts) else None
        if draft is None:
            raise StateCorrupt(
                f"{row.id} has no source in the journal.", hint="Start a new run; this one was not written whole."
            )
        return draft

    def _decisions(self, row: UnitRow) -> tuple[EventRecord, ...]:
        return tuple(self.journal.events(unit=row.id, types=("decision",)))
