"""What others are shown: rules and shapes, documents as wholes, and everything that happened to a unit."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from burnish.core.attempts import Decided
from burnish.core.documents import Field, Unit
from burnish.core.findings import Severity
from burnish.core.records import AttemptRecord, EventRecord, UnitRow


@dataclass(frozen=True, slots=True)
class UnitStory(Decided):
    """Everything that happened to one unit: what exports are made from."""

    row: UnitRow
    source: Unit
    """The unit as it was read."""
    attempts: tuple[AttemptRecord, ...]
    """All of them: number n is the nth."""
    decisions: tuple[EventRecord, ...]
    """Every `decision` event about it in order, with those that were taken back and the taking back."""


ExportRow = Callable[[UnitStory], Mapping[str, Any] | None]
"""One line of an export file, or None where the unit has no place in it."""


Display = Callable[[Sequence[EventRecord]], object]
"""What people are shown of one document, ready for JSON, from all events that tell of it."""


@dataclass(frozen=True, slots=True)
class KindWords:
    """What doors call a kind, its documents, and what a run does with them."""

    title: str
    document: str = "document"
    doing: str = "Polishing"
    """What a run does with its units, as the bar says it."""
    done: str = "polished"
    """What it has done to them then."""
    ready: str = "ready"
    """What a unit is when its work is done, behind `61 of 82`."""
    repaired: str = "Repaired"
    """What lists call units whose draft is another one than that which was judged first."""
    causes: Mapping[str, str] = field(default_factory=dict)
    """Cause of an attempt -> where its draft comes from, where that is not what other kinds say."""
    highest_score: float = 1.0


@dataclass(frozen=True, slots=True)
class DocumentRule:
    """A rule that needs the whole document, and so is no check of one unit: the overview raises its findings."""

    id: str
    title: str
    """What people call it, in at most five words."""
    severity: Severity
    summary: str
    """One line, as in a check's docstring behind the id."""
    sections: Mapping[str, str]
    """Heading -> text, for the headings that a check's docstring has."""
    compares: bool = False
    """Whether it holds units against those of an earlier document."""


@dataclass(frozen=True, slots=True)
class Contract:
    """A shape that others may rely on: a pydantic model, named so that it is imported only when it is asked for."""

    what: str
    """One line about it."""
    module: str
    model: str
    alias: str | None = None
    """Another name that it goes by."""


@dataclass(frozen=True, slots=True)
class Remark:
    """One thing to say of a document as a whole."""

    label: str
    text: str
    alarming: bool = False
    """Worth a word even where everything else is well."""


@dataclass(frozen=True, slots=True)
class Table:
    """Counts to say of a document as a whole."""

    label: str
    heads: tuple[str, ...]
    """The heads of the columns; the first `names` of them are names of things, the rest are of counts."""
    rows: tuple[tuple[str, ...], ...]
    names: int = 1


@dataclass(frozen=True, slots=True)
class Pictured:
    """One text of an example, as a reader sees it."""

    text: str
    label: str = ""
    """What stands before it (`B. `, `source: `); empty: the text speaks for itself."""
    unit: str | None = None
    field: Field = None
    """Where it stands, so that what a rule marks in it can be marked."""
    is_said: bool = True
    """The example itself says it. What it only takes for granted is shown where a rule marks something in it."""


@dataclass(frozen=True, slots=True)
class Illustration:
    """An example on which a rule speaks, or stays silent."""

    unit: Unit
    """What the rule looks at: a unit, or the document as a whole."""
    context: object
    pictures: tuple[Pictured, ...]


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
