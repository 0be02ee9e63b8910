"""Tasks: the input of the work on units, which may be single, belong to a document or move through phases."""

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
"""The role of the model that suggests edits."""
USUAL_ATTEMPTS, MOST_ATTEMPTS = 2, 5
"""Repairs of a unit before a person has to decide, in kinds with single units."""
DUPLICATE = "duplicate"
"""The reason for which a copy of another unit waits."""


@dataclass(frozen=True, slots=True)
class RepairNotes:
    """Facts about earlier tries for a repair prompt."""

    attempt: int
    attempts: int
    failures: tuple[str, ...] = ()
    """Why earlier answers were not used."""
    note: str | None = None
    """The person's note when sending the unit back."""
    corrections: tuple[str, ...] = ()
    """Descriptions of earlier corrections."""
    last_edits: tuple[Mapping[str, Any], ...] = ()
    """The edits of the last answer, if they were not used."""
    last_reason: str = ""
    """Why they were not used. It may quote a model, so it is shown as content."""


@dataclass(frozen=True, slots=True)
class Item(Decided):
    """A unit that is ready for work."""

    row: UnitRow
    source: Unit
    """The unit as it was read."""
    unit: Unit
    """The current draft; the source if there is none."""
    attempts: tuple[AttemptRecord, ...]
    """All attempts: number n is the nth."""
    decisions: tuple[EventRecord, ...] = ()
    """People's decisions about it in order, including undone ones and undo events; for a single unit also the events of
    a resumed run that gave it another chance."""
    neighbour_findings: tuple[Finding, ...] = ()
    """Findings that depend on other units."""
    examination: Examination | None = None
    """The rules' findings on the source, if known."""


@dataclass(frozen=True, slots=True)
class Task:
    """Units that are worked on until they are settled: some questions, a round of a lesson, a batch of a phase."""

    key: str
    """Its name in the run: the same when it is repeated."""
    units: tuple[Item, ...]
    """The units at the start of the task, in document order."""
    phase: str = ""
    number: int = 1
    """The number of the pass over a document: sending units back begins another one."""
    notes: Mapping[str, str] = field(default_factory=dict)
    """Unit -> the person's note when sending it back."""
    settled: frozenset[str] = frozenset()
    """Units that are not changed any more: a person has accepted or written them, or they were settled before the
    task was interrupted."""


class Surroundings(Protocol):
    """The document around a batch."""

    def drafts_around(self, row: UnitRow, before: int, after: int) -> tuple[list[Unit], list[Unit]]:
        """Return the current drafts before and after a unit: nearest last, and nearest first."""
        ...

    def is_settled(self, unit: str) -> bool:
        """Return whether the work on a unit is finished."""
        ...


class Stage(Protocol):
    """One phase of the work."""

    @property
    def name(self) -> str: ...

    @property
    def takes(self) -> tuple[str, ...]:
        """The states of the units that it takes."""
        ...

    @property
    def moves(self) -> tuple[str, ...]:
        """The states that its units pass if it does nothing else; empty: it works on them."""
        ...

    @property
    def size(self) -> int:
        """The most units in a batch."""
        ...

    @property
    def pays(self) -> bool:
        """Whether it may ask models. Its batches are recorded before they begin, so that after a kill the same ones are
        repeated with the recorded answers."""
        ...

    @property
    def enters(self) -> str | None:
        """The state of units while it works on them; None: unchanged until the batch is settled."""
        ...

    @property
    def gathers(self) -> bool:
        """Whether facts about the whole are gathered again when all units have passed it."""
        ...

    def weight(self, item: Item) -> int:
        """Return a unit's weight in a batch, in characters."""
        ...

    @property
    def room(self) -> int:
        """The most characters in a batch; a larger unit has its own batch."""
        ...

    def work(self, items: Sequence[Item], around: Surroundings) -> Work: ...


@dataclass(frozen=True, slots=True)
class Environment:
    """The environment of work besides its task: rules, models, and facts about the whole."""

    selection: Selection
    roles: ModelRoles
    """The judges and the other models; none if no model may be asked."""
    options: Mapping[str, Any] = field(default_factory=dict)
    """The kind's options, as given by the user."""
    facts: Mapping[str, Any] = field(default_factory=dict)
    """Facts gathered about the document as a whole; empty before that."""
    only_rework: bool = False
    """Whether only units that wait for rework are worked on."""
    context: object = None
    """The context of checks of the document."""
    around: Surroundings | None = None
    """The other units, if the work needs them."""
    off: frozenset[str] = frozenset()
    """Rules that are switched off, including document rules."""


@dataclass(frozen=True, slots=True)
class Gathered:
    """Facts about a document as a whole."""

    facts: Mapping[str, Any]
    """Ready for JSON."""
    blockers: tuple[Blocker, ...] = ()
    notes: tuple[Note, ...] = ()
    """Events on the way, for the journal."""


def batches_of(stage: Stage, items: Iterable[Item]) -> Iterator[list[Item]]:
    """Yield units in batches, limited by number and by weight."""
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
