"""Tasks: what the work on units starts from, whether they stand alone, belong to a document or move through phases."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from burnish.core.attempts import Decided
from burnish.core.checks import Examination, Selection
from burnish.core.documents import Unit
from burnish.core.effects import Blocker, ModelRoles, Note, Work
from burnish.core.findings import Finding
from burnish.core.records import AttemptRecord, EventRecord, UnitRow

CORRECTOR = "corrector"
"""The role of the model that offers edits."""
DUPLICATE = "duplicate"
"""Why a unit waits that is a copy of another."""


@dataclass(frozen=True, slots=True)
class RepairNotes:
    """What a repair prompt may say about the tries before it."""

    attempt: int
    attempts: int
    failures: tuple[str, ...] = ()
    """Why earlier answers were not used."""
    note: str | None = None
    """What a person wrote when sending the unit back."""
    corrections: tuple[str, ...] = ()
    """What earlier corrections did, in the caller's words."""


@dataclass(frozen=True, slots=True)
class Item(Decided):
    """A unit whose turn has come."""

    row: UnitRow
    source: Unit
    """As it was taken in."""
    unit: Unit
    """The draft that stands; the source itself where there is none."""
    attempts: tuple[AttemptRecord, ...]
    """All of them: number n is the nth."""
    decisions: tuple[EventRecord, ...] = ()
    """What people decided about it in order, with what was taken back and the taking back; of a unit that stands alone
    also how often a run that went on gave it another chance."""


@dataclass(frozen=True, slots=True)
class Task:
    """Some units that are worked on until they are settled: a question, a round at a lesson, a batch of a phase."""

    key: str
    """Its name in the run: the same when it is gone through again."""
    units: tuple[Item, ...]
    """As they stand when it begins, in document order."""
    phase: str = ""
    number: int = 1
    """Which go at a document it is: a person who sends units back begins another."""
    notes: Mapping[str, str] = field(default_factory=dict)
    """Unit -> what a person wrote when sending it back."""
    settled: frozenset[str] = frozenset()
    """Units that a person has accepted or written: nothing touches them any more."""
    beside: tuple[Finding, ...] = ()
    """Findings that only show beside other units."""
    examination: Examination | None = None
    """The rules' findings on the one unit's source, where they are known already."""


class Surroundings(Protocol):
    """The document around a batch."""

    def beside(self, row: UnitRow, before: int, after: int) -> tuple[list[Unit], list[Unit]]:
        """Return the drafts that stand before and after a unit, nearest last and nearest first."""
        ...

    def is_settled(self, unit: str) -> bool:
        """Return whether a unit has passed: nothing is under way for it any more."""
        ...


class Stage(Protocol):
    """One phase of the work."""

    @property
    def name(self) -> str: ...

    @property
    def takes(self) -> tuple[str, ...]:
        """The states whose units it works on."""
        ...

    @property
    def moves(self) -> tuple[str, ...]:
        """The states that its units pass where that is all it does; empty: it works on them."""
        ...

    @property
    def size(self) -> int:
        """Units in a batch."""
        ...

    @property
    def pays(self) -> bool:
        """Whether it may ask models. Its batches are written down before they are begun, so that a run that was killed
        asks for the same ones again and finds the recorded answers."""
        ...

    @property
    def enters(self) -> str | None:
        """The state of units while it works on them; None: they keep theirs until the batch is settled."""
        ...

    @property
    def gathers(self) -> bool:
        """Whether facts about the whole are gathered anew once all units have passed it."""
        ...

    def weight(self, item: Item) -> int:
        """Return how much of a batch's room a unit takes, in characters."""
        ...

    @property
    def room(self) -> int:
        """Characters in a batch; a unit that is larger alone has a batch of its own."""
        ...

    def work(self, items: Sequence[Item], around: Surroundings) -> Work: ...


@dataclass(frozen=True, slots=True)
class Environment:
    """What work goes by besides its task: rules, models, and what is known of the whole."""

    selection: Selection
    roles: ModelRoles
    """The judges and the other models; none where nobody may be asked."""
    options: Mapping[str, Any] = field(default_factory=dict)
    """The kind's own, as they were given at the door."""
    facts: Mapping[str, Any] = field(default_factory=dict)
    """What was gathered about the document as a whole; empty before that."""
    only_rework: bool = False
    """Whether only units that wait for their rework are brought further."""
    context: object = None
    """What checks know of the document."""
    around: Surroundings | None = None
    """The other units, where work looks at them."""
    off: frozenset[str] = frozenset()
    """Rules that are switched off, also those that are no checks."""


@dataclass(frozen=True, slots=True)
class Gathered:
    """What is known of a document as a whole."""

    facts: Mapping[str, Any]
    """Ready for JSON."""
    blockers: tuple[Blocker, ...] = ()
    told: tuple[Note, ...] = ()
    """What happened on the way, for the journal."""


def batches_of(stage: Stage, items: Iterable[Item]) -> Iterator[list[Item]]:
    """Units in batches: as many as one may hold, by number and by weight."""
    batch: list[Item] = []
    room = stage.room
    for item in items:
        weight = stage.weight(item)
        if batch and (len(batch) == stage.size or weight > room):
            yield batch
            batch, room = [], stage.room
        batch.append(item)
        room -= weight
    if batch:
        yield batch
