"""Stages: work on documents of very many units, phase by phase, where the state of each unit is all that is remembered.

A stage takes the units in certain states, some at a time, and is a plain generator: it yields what it wants asked, is
sent back the answers, and returns what became of its units. That is written in one transaction, so a unit is either
still where it was or where the stage brought it. A run that was killed goes on from the rows alone: nothing that was
settled is looked at again, however long the document is.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from burnish.core.checks import Selection
from burnish.core.decisions import counted, standing_decisions, withdrawn_in
from burnish.core.documents import Unit
from burnish.core.effects import Blocker, ModelRoles, Note, Stop, Work
from burnish.core.kinds import PublishedKind, UnitStory
from burnish.core.records import AttemptRecord, EventRecord, UnitRow


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
    seats: ModelRoles
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


class Artifact(Protocol):
    """A file of a run, made in one pass over all units."""

    def take(self, story: UnitStory) -> Iterable[bytes]:
        """What the unit contributes."""
        ...

    def end(self) -> Iterable[bytes]:
        """What follows the last unit."""
        ...


@dataclass(frozen=True, slots=True)
class RunFacts:
    """What reports about a whole run are made of."""

    run_id: str
    status: str
    """`published`, `awaiting_approval`, `blocked`, `stopped`."""
    source: Mapping[str, Any]
    """The document: name, hash, whether it has changed."""
    counts: Mapping[str, int]
    """State -> how many units; blockers that are no units do not count."""
    blockers: Sequence[UnitRow]
    approval: Mapping[str, Any] | None
    models: Mapping[str, str]
    prompts: Mapping[str, str]
    trouble: str | None = None
    judges: Sequence[str] = ()
    """The models that review together, where there are several."""
    details: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """Id of a blocker that is no unit -> its record."""
    beside: Mapping[str, Any] = field(default_factory=dict)
    """What the kind wrote down of the files beside the document when they were read: they may be gone by now."""


class StagedKind(PublishedKind, Protocol):
    """A kind whose units move through stages, many at a time."""

    @property
    def phases(self) -> tuple[str, ...]:
        """The stages in order. When the last is through, the first begins again, until no unit moves any more."""
        ...

    @property
    def rework_phases(self) -> tuple[str, ...]:
        """Those of them that bring units further which wait for their rework."""
        ...

    @property
    def merged(self) -> str:
        """The state of units that are published."""
        ...

    @property
    def doing(self) -> str:
        """What a run does with its units, as the bar says it: `Translating`."""
        ...

    @property
    def done(self) -> str:
        """What it has done to them then: `translated`."""
        ...

    @property
    def out_of_scope(self) -> str:
        """The state of units that nobody works on."""
        ...

    def admitted(self, unit: Unit) -> Stop:
        """Where a unit stands when it is taken in."""
        ...

    def readmitted(self, draft: Unit, read: Unit) -> Unit:
        """A draft that is in or out of scope as the unit is that was just read."""
        ...

    def why_incomplete(self, unit: Unit) -> str | None:
        """Why nobody can accept a unit as it stands; None where they can."""
        ...

    @property
    def most_attempts(self) -> int:
        """How often a unit may be reviewed before a person has to look at it."""
        ...

    def pretended(self, unit: Unit) -> Unit:
        """A unit with a draft as long as one is likely to be, for an estimate."""
        ...

    def pretended_failure(self, draft: Unit) -> AttemptRecord:
        """A review that such a draft did not pass, for an estimate: number 2, behind the draft itself."""
        ...

    def stage(self, name: str, order: StageOrder) -> Stage: ...

    def gathered(self, units: Iterable[Unit], order: StageOrder) -> Gathered:
        """Facts about the document as a whole, from the drafts that stand."""
        ...

    def blocker(self, id: str, record: Mapping[str, Any]) -> Unit:
        """A blocker that is no unit's fault, as something that can be shown and decided on."""
        ...

    @property
    def final_name(self) -> str:
        """Where the published document lies in the run's folder."""
        ...

    def is_published_as(self, wanted: Unit, found: Unit) -> bool:
        """Whether a unit that is read back from the published document is the one that should stand there."""
        ...

    def final(self, source: bytes, units: Iterable[Unit]) -> Iterator[bytes]:
        """The document to publish."""
        ...

    def artifacts(self, *, published: bool) -> Mapping[str, Artifact]:
        """File name -> how it is made, fresh for each export."""
        ...

    def summaries(self, run: RunFacts) -> Mapping[str, Mapping[str, Any]]:
        """File name -> what is said of the run as a whole; `manifest.json` is added to the plan."""
        ...
