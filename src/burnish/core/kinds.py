"""The Kind: all that one sort of content has to say for itself, so that doors and engine need not know it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, BinaryIO, Protocol, Self

from burnish.core.agreement import Count
from burnish.core.checks import Check, Examination, Selection
from burnish.core.decisions import counted, standing_decisions, withdrawn_in
from burnish.core.documents import Field, PassedThrough, Problem, Unit
from burnish.core.edits import Edit
from burnish.core.effects import ModelRequest, ModelRoles, Round, Work
from burnish.core.errors import StateCorrupt
from burnish.core.findings import Finding, Severity
from burnish.core.gate import GatePolicy
from burnish.core.records import AttemptRecord, EventRecord, UnitRow
from burnish.core.requests import Request
from burnish.core.states import StateTable

Part = Unit | Problem | PassedThrough
"""What reading a document gives, in the document's order."""

Issue = tuple[str, Field]
"""What judges vote on: a rule, and a field where they must agree on the place too (None: anywhere in the unit)."""


@dataclass(frozen=True, slots=True)
class RepairLimits:
    """What the repair of one document may cost at most."""

    calls: int
    tokens: int
    tokens_once: int
    """Of these, what one refinement may cost: a document that is written again is refined again."""


def every_request(_: ModelRequest) -> bool:
    return True


@dataclass(frozen=True, slots=True)
class Mood:
    """One way in which models are pretended to answer, for an estimate."""

    reply: Callable[[ModelRequest], object | None]
    """What a model seems to answer; None: nothing that can be used."""
    is_likely: bool = False
    """Whether it makes the likely bill; else the highest."""
    with_rules: bool = True
    """Whether the rules speak; else the work gets as far as its judges at once."""
    wanted: Callable[[ModelRequest], bool] = every_request
    """Which of the requests are counted."""
    once_a_unit: bool = False
    """Whether only the first of them for each unit is."""


@dataclass(frozen=True, slots=True)
class RepairNotes:
    """What a repair prompt may say about the tries before it."""

    attempt: int
    attempts: int
    failures: tuple[str, ...] = ()
    """Why earlier answers were not used."""
    note: str | None = None
    """What a person wrote when sending the unit back."""


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
    seats: ModelRoles
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
class UnitStory:
    """Everything that happened to one unit: what exports are made from."""

    row: UnitRow
    source: Unit
    """The unit as it was read."""
    attempts: tuple[AttemptRecord, ...]
    """All of them: number n is the nth."""
    decisions: tuple[EventRecord, ...]
    """Every `decision` event about it in order, with those that were taken back and the taking back."""

    @property
    def standing_decisions(self) -> tuple[EventRecord, ...]:
        """What people decided and left at that."""
        return standing_decisions(self.decisions)

    @property
    def counted_attempts(self) -> tuple[AttemptRecord, ...]:
        """The attempts that count: a person's text that was taken back does not."""
        return counted(self.attempts, withdrawn_in(self.decisions)) if self.decisions else self.attempts


ExportRow = Callable[[UnitStory], Mapping[str, Any] | None]
"""One line of an export file, or None where the unit has no place in it."""


Display = Callable[[Sequence[EventRecord]], object]
"""What people are shown of one document, ready for JSON, from all events that tell of it."""


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
class Placed:
    """A unit, and where it stands in a run."""

    name: str
    """The unit's name in the run."""
    document: str
    unit: Unit


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


@dataclass(frozen=True, slots=True)
class Traits:
    """What sets the work on a kind apart, as plain facts: engine and doors ask for these, never which kind it is."""

    is_phased: bool = False
    """Whether its units move through phases in batches: the journal holds their sources, every move is told, and
    somebody approves before the result is published."""
    is_whole: bool = False
    """Whether its documents are judged and repaired as wholes, in rounds."""
    merged: str = ""
    """The state of units that are published; empty: there is none besides `ready`."""
    out_of_scope: str = ""
    """The state of units that nobody works on; empty: all are worked on."""
    doing: str = "Polishing"
    """What a run does with its units, as the bar says it."""
    done: str = "polished"
    """What it has done to them then."""


class Overview(Protocol):
    """Facts about documents as wholes, gathered while their units stream by (a bank's key balance, duplicates)."""

    def prepare(self) -> Iterable[Problem]:
        """Take in what the documents are compared with (an earlier bank), and say what is wrong with that.

        Called before the first unit; a second time there is nothing left to do.
        """
        ...

    def begin(self, document: str) -> None:
        """The units that follow are those of another document."""
        ...

    def add(self, unit: Unit, examination: Examination) -> list[Finding]:
        """Take one more unit in; the findings are those that only show beside the units before it."""
        ...

    def conclude(self) -> Sequence[Finding]:
        """What is wrong with the document as a whole, and no single unit's fault; told when the last unit is in."""
        ...

    def result(self) -> Mapping[str, Any]:
        """The report's part for this document, as JSON-ready data. Empty where there is nothing to say."""
        ...

    def close(self) -> None:
        """Give back what was taken (an index on disk)."""
        ...


@dataclass(frozen=True, slots=True)
class Material:
    """A file that is read beside the documents: a specification, source material."""

    name: str
    """Its own name, without the folder."""
    path: str
    data: bytes


class Kind(Protocol):
    """One sort of content."""

    @property
    def name(self) -> str: ...

    @property
    def noun(self) -> str:
        """What one unit is called (`question`), so that doors speak of it in its own words. `s` makes it several."""
        ...

    @property
    def traits(self) -> Traits: ...

    def supplied(self, materials: Mapping[str, Sequence[Material]], options: Mapping[str, Any]) -> Self:
        """The kind with what is read beside the documents, by role. Raises InputError where it cannot be used."""
        ...

    @property
    def checks(self) -> tuple[Check, ...]: ...

    @property
    def document_rules(self) -> tuple[DocumentRule, ...]:
        """The rules behind what its overview finds."""
        ...

    @property
    def contracts(self) -> Mapping[str, Contract]:
        """Name -> the shapes of its own that others may rely on, for `burnish schema`."""
        ...

    @property
    def profiles(self) -> Mapping[str, Mapping[str, Severity]]:
        """Profile name -> severities that differ from the checks' own. `default` and `strict` at least."""
        ...

    @property
    def formats(self) -> Mapping[str, tuple[str, ...]]:
        """Format -> the usual endings of its file names, with the dot. All can be written; the first is preferred."""
        ...

    def recognise(self, path: str, head: bytes) -> str | None:
        """The format's name if this kind could read such a file (judged by name and first bytes), else None."""
        ...

    def is_evident(self, path: str, head: bytes) -> bool:
        """Whether the first bytes themselves show this kind, whatever the name says.

        Every kind is asked about every file, and several read JSON or text: only what is found in no other kind's
        documents is evidence.
        """
        ...

    def read(self, stream: BinaryIO, path: str, format: str) -> Iterator[Part]:
        """The document's parts, as a stream. Raises InputError only where nothing after that point can be read."""
        ...

    def survey(self, stream: BinaryIO, path: str, format: str) -> object:
        """A cheap look over the whole document for facts that checks need. JSON-ready, journalled by hash."""
        ...

    def context(self, surveys: list[object], demands: Mapping[str, Any]) -> object:
        """What checks get as their context: the surveys of all documents of the run, and the settings' demands."""
        ...

    def examine(self, unit: Unit, selection: Selection, context: object) -> Examination:
        """All checks on one unit."""
        ...

    def examine_all(self, units: Sequence[Unit], selection: Selection, context: object) -> list[Examination]:
        """What `examine` says about each of the units; together they may be quicker."""
        ...

    def overview(self, options: Mapping[str, Any], off: Collection[str] = ()) -> Overview:
        """A fresh overview for all documents of one run. Of its rules, those that are `off` say nothing."""
        ...

    def rewrite(
        self,
        source: BinaryIO,
        path: str,
        format: str,
        changed: Callable[[str], Unit | None],
        target: BinaryIO,
    ) -> None:
        """Copy the document, with changed units in their places and every other byte as it was."""
        ...

    def output_format(self, path: str, like: str) -> str:
        """The format in which a file of this name is written: `like` wherever the name allows it."""
        ...

    def convert(self, units: Iterator[Unit], format: str, target: BinaryIO) -> list[str]:
        """Write a fresh document of another format; what the format cannot carry is returned by name."""
        ...

    # -- how doors show it

    def describe(self, facts: Mapping[str, Any]) -> Sequence[Remark | Table]:
        """What an overview's result says, for a person."""
        ...

    def example(self, check: Check, partial: Mapping[str, Any]) -> Illustration:
        """A check's example as the check sees it, and as a reader should."""
        ...

    def ignoring(self, rule: str) -> str | None:
        """How an author passes over a rule inside the document, as the end of a sentence; None: nobody can."""
        ...


class PublishedKind(Kind, Protocol):
    """A kind whose units are remembered, decided on by people, and published."""

    def displays(self) -> Mapping[str, Display]:
        """File name -> what people are shown of one document, made of its recorded events."""
        ...

    def is_blocker(self, unit: Unit) -> bool:
        """Whether it is no unit of the document, but something else that a person has to decide on."""
        ...

    @property
    def states(self) -> StateTable: ...

    @property
    def prompts(self) -> tuple[str, ...]:
        """Every prompt the kind may use, as `package:name`: their versions stand in the manifest."""
        ...

    def gate(self, seats: int) -> GatePolicy:
        """What a unit needs to pass when `seats` judges were asked."""
        ...

    def scores(self, examination: Examination, objections: Count[Issue] | None) -> Mapping[str, object]:
        """The scorecard's claims; `objections` are the judges' votes on issues that would block."""
        ...

    def to_record(self, unit: Unit) -> Mapping[str, Any]:
        """The unit as JSON-ready data, for the journal."""
        ...

    def from_record(self, record: Mapping[str, Any]) -> Unit: ...

    def from_person(self, unit: Unit, text: str) -> Unit:
        """The unit after a person's edit, given as text. Raises InputError where it cannot be read."""
        ...

    def shown(self, unit: Unit) -> str:
        """The unit as a person reads it: what diffs are made of."""
        ...

    def exports(self) -> Mapping[str, ExportRow]:
        """File name -> what each unit contributes to it."""
        ...

    @property
    def reasons(self) -> Mapping[str, str]:
        """Reason -> why a unit rests where it does, in words; for reasons that only this kind knows."""
        ...

    def said(self, event: EventRecord) -> str | None:
        """An event as one line for whoever watches; None where it is not worth one."""
        ...


class DirectedKind(PublishedKind, Protocol):
    """A kind whose units belong together: a procedure of its own works on the document as a whole."""

    def procedure(
        self, round: Round, context: object, selection: Selection, seats: ModelRoles, options: Mapping[str, Any]
    ) -> Work:
        """The work on one document in one round; `options` are the kind's own, as they were given at the door."""
        ...

    def moods(self, units: Sequence[Unit], seats: ModelRoles) -> Iterable[Mood]:
        """How models are pretended to answer, so that the cost of the work on a document can be told."""
        ...

    def repair_limits(self, units: Sequence[Unit], seats: ModelRoles, options: Mapping[str, Any]) -> RepairLimits:
        """What the repair of one document may cost at most, judging again included."""
        ...


class PolishedKind(PublishedKind, Protocol):
    """A kind whose units stand alone: each is worked on by itself."""

    def work(self, terms: UnitTerms) -> Work:
        """The work on one unit, from where it stands to its rest."""
        ...

    def obstacle(self, terms: UnitTerms) -> tuple[str, tuple[str, ...]] | None:
        """Why no model would be asked to mend the unit as it stands, with the rules behind it; None: one would."""
        ...

    @property
    def max_repairs(self) -> int:
        """How often a unit may be corrected before a person has to look."""
        ...

    @property
    def fatal_rules(self) -> frozenset[str]:
        """Rules whose errors no model is paid for."""
        ...

    def review_ask(self, unit: Unit, selection: Selection) -> Request | None:
        """What one judge is asked about the unit; None where there is nothing to ask."""
        ...

    def claims(self, unit: Unit, reply: object, selection: Selection, source: str) -> list[Finding]:
        """What a judge's reply says, still unverified."""
        ...

    def judged_rules(self, selection: Selection) -> tuple[str, ...]:
        """The rules that judges may speak to."""
        ...

    def repair_ask(self, unit: Unit, findings: Sequence[Finding], notes: RepairNotes) -> Request:
        """What the corrector is asked."""
        ...

    def edits(self, unit: Unit, reply: object) -> list[Edit]: ...

    def editable(self, unit: Unit, findings: Sequence[Finding]) -> frozenset[Field]:
        """The fields that a repair of these findings may change."""
        ...

    def repetitions(
        self, drafts: Iterable[Placed], others: Iterable[Placed], options: Mapping[str, Any], off: Collection[str]
    ) -> Iterator[tuple[str, Finding]]:
        """Which of the changed drafts repeat one before them, or one of the other units: the draft's name, the finding.

        With the overview's options and rules; near-linear. Nothing where units of this kind may be alike.
        """
        ...


def recorded_draft(kind: PublishedKind, attempt: AttemptRecord) -> Unit | None:
    """The draft of an attempt, proven to be the one that was judged; None where it is the source itself."""
    if attempt.content is None:
        return None
    draft = kind.from_record(attempt.content)
    if draft.content_hash != attempt.content_hash:
        raise StateCorrupt(
            f"Attempt {attempt.number} of {attempt.unit} is not the text that was judged; it is not used.",
            hint="The journal was changed, or written by another version. Start a new run, with --replay of this one.",
        )
    return draft
