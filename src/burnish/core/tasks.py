"""Tasks: what the work on units starts from, whether they stand alone, belong to a document or move through phases."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from burnish.core.checks import Examination, Selection
from burnish.core.decisions import counted, standing_decisions, withdrawn_in
from burnish.core.documents import Unit
from burnish.core.effects import Blocker, ModelRoles, Note, Work
from burnish.core.findings import Finding
from burnish.core.records import AttemptRecord, EventRecord, UnitRow

CORRECTOR = "corrector"
"""The role of the model that offers edits."""
DUPLICATE = "duplicate"
"""Why a unit waits that is a copy of another."""


def every_draft(_: str) -> bool:
    """Judges are asked about every draft that the rules leave to them."""
    return True


@dataclass(frozen=True, slots=True)
class UnitTerms:
    """What the work on a unit that stands alone starts from."""

    name: str
    """The unit's name in the run."""
    source: Unit
    selection: Selection
    context: object
    roles: ModelRoles
    """The judges and the corrector; none where no model may be asked."""
    beside: tuple[Finding, ...] = ()
    """Findings that only show beside other units."""
    examination: Examination | None = None
    """The rules' findings on the source, where they are known already."""
    state: str | None = None
    """The state of its row; None: the first."""
    attempts: tuple[AttemptRecord, ...] = ()
    grants: tuple[EventRecord, ...] = ()
    """What people decided, and how often a run that went on gave it another chance, in order."""
    is_judged: Callable[[str], bool] = every_draft
    """Whether judges are asked about the draft with this hash."""


@dataclass(frozen=True, slots=True)
class RepairNotes:
    """What a repair prompt may say about the tries before it."""

    attempt: int
    attempts: int
    failures: tuple[str, ...] = ()
    """Why earlier answers were not used."""
    note: str | None = None
    """What a person wrote when sending the unit back."""


@dataclass(frozen=True, slots=True)
class Round:
    """What one go at a document starts from. A person who sends units back begins another round."""

    number: int
    units: tuple[Unit, ...]
    """Every unit as it stands when the round begins, in document order."""
    attempts: Mapping[str, int]
    """Unit -> how many attempts it has had before."""
    notes: Mapping[str, str]
    """Unit -> what a person wrote when sending it back."""
    settled: frozenset[str]
    """Units that a person has accepted or written: nothing touches them any more."""
    roles: ModelRoles = field(default_factory=ModelRoles)
    """Who sits where. It stays so for the whole round: other models begin another one."""


@dataclass(frozen=True, slots=True)
class Item:
    """A unit whose turn has come."""

    row: UnitRow
    source: Unit
    """As it was taken in."""
    unit: Unit
    """The draft that stands; the source itself where there is none."""
    attempts: tuple[AttemptRecord, ...]
    """All of them: number n is the nth."""
    decisions: tuple[EventRecord, ...] = ()
    """What people decided about it in order, with what was taken back and the taking back."""

    @property
    def standing_decisions(self) -> tuple[EventRecord, ...]:
        """What people decided and left at that."""
        return standing_decisions(self.decisions)

    @property
    def counted_attempts(self) -> tuple[AttemptRecord, ...]:
        """The attempts that count: a person's text that was taken back does not."""
        return counted(self.attempts, withdrawn_in(self.decisions)) if self.decisions else self.attempts


class Surroundings(Protocol):
    """The document around a batch."""

    def beside(self, row: UnitRow, before: int, after: int) -> tuple[list[Unit], list[Unit]]:
        """The drafts that stand before and after a unit, nearest last and nearest first."""
        ...

    def is_settled(self, unit: str) -> bool:
        """Whether a unit has passed: nothing is under way for it any more."""
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
        """How much of a batch's room a unit takes, in characters."""
        ...

    @property
    def room(self) -> int:
        """Characters in a batch; a unit that is larger alone has a batch of its own."""
        ...

    def work(self, items: Sequence[Item], around: Surroundings) -> Work: ...


@dataclass(frozen=True, slots=True)
class StageOrder:
    """What stages are made of, besides the kind's own equipment."""

    selection: Selection
    roles: ModelRoles
    options: Mapping[str, Any] = field(default_factory=dict)
    facts: Mapping[str, Any] = field(default_factory=dict)
    """What was gathered about the document as a whole; empty before that."""
    only_rework: bool = False
    """Whether only units that wait for their rework are brought further."""


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
