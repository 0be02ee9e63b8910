"""Data for presentation: rules and shapes, whole documents, and the full story of a unit."""

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
    """The full story of one unit, from which exports are made."""

    row: UnitRow
    source: Unit
    """The unit as it was read."""
    attempts: tuple[AttemptRecord, ...]
    """All attempts: number n is the nth."""
    decisions: tuple[EventRecord, ...]
    """All `decision` events about it in order, including undone ones and undo events."""


ExportRow = Callable[[UnitStory], Mapping[str, Any] | None]
"""Returns a unit's line in an export file, or None if it has none."""


Display = Callable[[Sequence[EventRecord]], object]
"""Returns data about one document for people, ready for JSON, from all its events."""


@dataclass(frozen=True, slots=True)
class KindWords:
    """The names of a kind and its documents, and of what a run does with them."""

    title: str
    document: str = "document"
    doing: str = "Polishing"
    """What a run does with its units, as the progress bar shows it."""
    command: str = "polish"
    """The command that begins a run, after `burnish`."""
    done: str = "polished"
    """The same in the past."""
    ready: str = "ready"
    """The name of a finished unit, after `61 of 82`."""
    repaired: str = "Repaired"
    """The label of units whose draft differs from the first one that was judged."""
    causes: Mapping[str, str] = field(default_factory=dict)
    """Cause of an attempt -> the source of its draft, if the text differs from other kinds."""
    highest_score: float = 1.0
    doubts: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """Subject, such as `the key` -> the rules whose open findings are doubts about it: counted apart in summaries."""


@dataclass(frozen=True, slots=True)
class DocumentRule:
    """A rule that needs the whole document, so it is not a check of one unit: the overview raises its findings."""

    id: str
    title: str
    """Title for people, in at most five words."""
    severity: Severity
    summary: str
    """One line, as in a check's docstring after the id."""
    sections: Mapping[str, str]
    """Heading -> text, for the headings of a check's docstring."""
    compares: bool = False
    """Whether it compares units with those of an earlier document."""
    keeps_one: bool = False
    """Whether of the unit and those that its finding relates it to, one must stay in what is published."""


@dataclass(frozen=True, slots=True)
class Contract:
    """A public data shape: a pydantic model, given by name so that it is imported only when it is needed."""

    what: str
    """A description in one line."""
    module: str
    model: str
    alias: str | None = None
    """Another name for it."""


@dataclass(frozen=True, slots=True)
class Remark:
    """A statement about a document as a whole."""

    label: str
    text: str
    alarming: bool = False
    """Whether it is shown even if everything else is fine."""


@dataclass(frozen=True, slots=True)
class Table:
    """A table of counts about a document as a whole."""

    label: str
    heads: tuple[str, ...]
    """Headings of the columns; the first `names` columns hold names, the others counts."""
    rows: tuple[tuple[str, ...], ...]
    names: int = 1


@dataclass(frozen=True, slots=True)
class Pictured:
    """One text of an example, as readers see it."""

    text: str
    label: str = ""
    """The label before it (`B. `, `source: `); empty: none."""
    unit: str | None = None
    field: Field = None
    """The field it belongs to, so that a rule's marks can be shown in it."""
    is_said: bool = True
    """Whether the example contains it. Otherwise it is shown only if a rule marks something in it."""


@dataclass(frozen=True, slots=True)
class Illustration:
    """An example on which a rule raises a finding, or raises none."""

    unit: Unit
    """The rule's input: a unit, or the document as a whole."""
    context: object
    pictures: tuple[Pictured, ...]


class Artifact(Protocol):
    """A file of a run, made in one pass over all units."""

    def take(self, story: UnitStory) -> Iterable[bytes]:
        """Yield the unit's part."""
        ...

    def end(self) -> Iterable[bytes]:
        """Yield the part after the last unit."""
        ...


@dataclass(frozen=True, slots=True)
class RunFacts:
    """The facts for reports about a whole run."""

    run_id: str
    status: str
    """`published`, `awaiting_approval`, `blocked`, `stopped`."""
    source: Mapping[str, Any]
    """The document: name, hash, whether it has changed."""
    counts: Mapping[str, int]
    """State -> number of units, without blockers that are not units."""
    blockers: Sequence[UnitRow]
    approval: Mapping[str, Any] | None
    models: Mapping[str, str]
    prompts: Mapping[str, str]
    trouble: str | None = None
    judges: Sequence[str] = ()
    """The models that review together, if there are several."""
    details: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """Id of a blocker that is not a unit -> its record."""
    beside: Mapping[str, Any] = field(default_factory=dict)
    """What the kind recorded of the files next to the document, which may be gone now."""
