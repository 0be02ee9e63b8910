"""Units as the journal keeps them, without reading a source again; their rows after a move, and in lists."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from burnish.core.documents import Field, Unit
from burnish.core.errors import InputError, StateCorrupt
from burnish.core.gate import StateTable
from burnish.core.kinds import Kind, recorded_draft
from burnish.core.presentation import UnitStory
from burnish.core.records import AttemptRecord, EventRecord, Json, UnitRow, event
from burnish.core.tasks import Item
from burnish.store.journal import Journal
from burnish.store.redaction import Redactor


@dataclass(slots=True)
class UnitLoader:
    """The units of a run whose first attempts hold their sources."""

    kind: Kind
    journal: Journal

    def item(self, row: UnitRow) -> Item:
        attempts = self.journal.attempts(row.id)
        source, unit = self._draft(row, attempts, 1), self._draft(row, attempts, row.best_attempt)
        return Item(row, source, unit, tuple(attempts), tuple(self.journal.events(unit=row.id, types=("decision",))))

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


def refuse_keys(redactor: Redactor, kind: Kind, unit: Unit, path: str | None = None) -> None:
    """No prompt, journal or published file may spread a key; and taking it out would change what was written."""
    if redactor.knows_keys and redactor.holds_key(kind.to_record(unit)):
        raise InputError(
            f"{unit.id} holds a key of this machine: the value of a variable that is kept secret.",
            path=path,
            code="holds_key",
            hint="Take the key out of the text, and exchange it for a new one: it was written down.",
        )


def moved(states: StateTable, row: UnitRow, state: str, reason: str | None) -> tuple[EventRecord, UnitRow]:
    """A move of the table, as it is written down, and the row after it."""
    after = replace(row, state=states.check(row.state, state), reason=reason)
    return event("state_changed", row.id, data={"from": row.state, "to": state, "reason": reason}), after


EXCERPT = 160
"""Characters of a unit that lists show."""
UNREADABLE = "(This draft cannot be read.)"
_READ = 4 * EXCERPT
"""Characters that an excerpt is made from: what is longer costs nothing."""


@dataclass(frozen=True, slots=True)
class KindPresenter:
    """See `burnish.store.read_model.Presenter`."""

    kind: Kind
    reviews_apart: bool

    @classmethod
    def of(cls, kind: Kind) -> KindPresenter:
        return cls(kind, kind.is_phased)

    def excerpt(self, content: Json) -> str:
        """The beginning of a draft as a person reads it. One that cannot be read is listed all the same."""
        try:
            words = " ".join(self.kind.shown(self._unit(content))[:_READ].split())
        except (ValueError, TypeError, LookupError):
            return UNREADABLE
        return words if len(words) <= EXCERPT else words[: EXCERPT - 1].rstrip() + "…"

    def texts(self, content: Json) -> Mapping[Field, str]:
        return self._unit(content).texts()

    def _unit(self, content: Json) -> Unit:
        return self.kind.from_record(content)
