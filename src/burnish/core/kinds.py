"""A kind: all that one sort of content has to say for itself, so that doors and engine need not know it.

Six small protocols: `Reader` (documents to units), `Checks` (rules and the gate), `Prover` (known damage), `Worker`
(models and states), `Publisher` (units to documents and files) and `Presenter` (how people are told). A kind inherits
all six. What most kinds have nothing to say to has a default here; a kind that leaves out anything else cannot be
made.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Mapping, Sequence
from typing import Any, BinaryIO, Protocol, Self

from burnish.core.checks import Check, Examination, Selection
from burnish.core.damage import Damage
from burnish.core.documents import Field, Material, Part, Placed, Problem, Unit
from burnish.core.effects import Effect, Stop, Work
from burnish.core.errors import StateCorrupt, UsageError
from burnish.core.findings import Finding, Severity
from burnish.core.forecasts import Forecast, Rehearsal
from burnish.core.gate import Count, GatePolicy, StateTable
from burnish.core.presentation import (
    Artifact,
    Contract,
    Display,
    DocumentRule,
    ExportRow,
    Illustration,
    KindWords,
    Remark,
    RunFacts,
    Table,
)
from burnish.core.records import AttemptRecord, EventRecord
from burnish.core.tasks import Environment, Gathered, Item, Stage, Task

Issue = tuple[str, Field]
"""What judges vote on: a rule, and a field where they must agree on the place too (None: anywhere in the unit)."""


class Overview:
    """Facts about documents as wholes, gathered while their units stream by (a bank's key balance, duplicates). This
    one gathers nothing."""

    def prepare(self) -> Iterable[Problem]:
        """Take in what the documents are compared with (an earlier bank), and say what is wrong with that.

        Called before the first unit; a second time there is nothing left to do.
        """
        return ()

    def begin(self, document: str, preview: Iterable[Unit] = ()) -> None:
        """The units that follow are those of another document. `preview` reads them once more, for what has to be
        known of all of them before the first is judged."""

    def add(self, unit: Unit, examination: Examination) -> list[Finding]:
        """Take one more unit in; the findings are those that only show beside other units."""
        return []

    def conclude(self) -> Sequence[Finding]:
        """What is wrong with the document as a whole, and no single unit's fault; told when the last unit is in."""
        return ()

    def result(self) -> Mapping[str, Any]:
        """The report's part for this document, as JSON-ready data. Empty where there is nothing to say."""
        return {}

    def close(self) -> None:
        """Give back what was taken (an index on disk)."""


class Reader(Protocol):
    """Reads documents into units, and units from and to the journal."""

    @property
    @abstractmethod
    def name(self) -> str: ...

    @property
    @abstractmethod
    def noun(self) -> str:
        """What one unit is called (`question`), so that doors speak of it in its own words. `s` makes it several."""
        ...

    def supplied(self, materials: Mapping[str, Sequence[Material]], options: Mapping[str, Any]) -> Self:
        """Return the kind with what is read beside the documents, by role. Raises InputError if it cannot be used."""
        return self

    @property
    @abstractmethod
    def formats(self) -> Mapping[str, tuple[str, ...]]:
        """Format -> the usual endings of its file names, with the dot. All can be written; the first is preferred."""
        ...

    @abstractmethod
    def recognise(self, path: str, head: bytes) -> str | None:
        """Return the format's name if this kind could read such a file (judged by name and first bytes), else None."""
        ...

    def is_evident(self, path: str, head: bytes) -> bool:
        """Return whether the first bytes themselves show this kind, whatever the name says.

        Every kind is asked about every file, and several read JSON or text: only what is found in no other kind's
        documents is evidence.
        """
        return False

    @abstractmethod
    def read(self, stream: BinaryIO, path: str, format: str) -> Iterator[Part]:
        """The document's parts, as a stream. Raises InputError only where nothing after that point can be read."""
        ...

    def survey(self, stream: BinaryIO, path: str, format: str) -> object:
        """Return a cheap look over the whole document for facts that checks need. JSON-ready, journalled by hash."""
        return {}

    def context(self, surveys: list[object], demands: Mapping[str, Any]) -> object:
        """What checks get as their context: the surveys of all documents of the run, and the settings' demands."""
        return None

    @abstractmethod
    def to_record(self, unit: Unit) -> Mapping[str, Any]:
        """Return the unit as JSON-ready data, for the journal."""
        ...

    @abstractmethod
    def from_record(self, record: Mapping[str, Any]) -> Unit: ...

    @abstractmethod
    def from_person(self, unit: Unit, text: str) -> Unit:
        """Return the unit after a person's edit, given as text. Raises InputError if it cannot be read."""
        ...


class Checks(Protocol):
    """The rules, and what a unit needs to pass."""

    @property
    @abstractmethod
    def checks(self) -> tuple[Check, ...]: ...

    @property
    def document_rules(self) -> tuple[DocumentRule, ...]:
        """The rules behind what its overview finds."""
        return ()

    @property
    @abstractmethod
    def profiles(self) -> Mapping[str, Mapping[str, Severity]]:
        """Profile name -> severities that differ from the checks' own. `default` and `strict` at least."""
        ...

    @property
    def fatal_rules(self) -> frozenset[str]:
        """Rules whose errors no model is paid for, and no person's text may bring in."""
        return frozenset()

    @abstractmethod
    def examine(self, unit: Unit, selection: Selection, context: object) -> Examination:
        """All checks on one unit."""
        ...

    def examine_all(self, units: Sequence[Unit], selection: Selection, context: object) -> list[Examination]:
        """What `examine` says about each of the units; together they may be quicker."""
        return [self.examine(unit, selection, context) for unit in units]

    def overview(self, options: Mapping[str, Any], off: Collection[str] = ()) -> Overview:
        """Return a fresh overview for all documents of one run. Of its rules, those that are `off` say nothing."""
        return Overview()

    def repetitions(
        self, drafts: Iterable[Placed], others: Iterable[Placed], options: Mapping[str, Any], off: Collection[str]
    ) -> Iterator[tuple[str, Finding]]:
        """Which of the changed drafts repeat one before them, or one of the other units: the draft's name, the finding.

        With the overview's options and rules; near-linear. Nothing where units of this kind may be alike.
        """
        return iter(())

    @abstractmethod
    def gate(self, judges: int) -> GatePolicy:
        """What a unit needs to pass when so many judges were asked."""
        ...

    @abstractmethod
    def scores(self, examination: Examination, objections: Count[Issue] | None) -> Mapping[str, object]:
        """Return the scorecard's claims; `objections` are the judges' votes on issues that would block."""
        ...


class Worker(Protocol):
    """The work on units: which states they pass, and the generators that bring them further."""

    @property
    @abstractmethod
    def states(self) -> StateTable: ...

    @property
    @abstractmethod
    def prompts(self) -> tuple[str, ...]:
        """Every prompt the kind may use, as `package:name`: their versions stand in the manifest."""
        ...

    @property
    def work_version(self) -> str:
        """Changes with the work: a task that was begun with another version starts anew, with the answers at hand."""
        return "1"

    @property
    def is_phased(self) -> bool:
        """Whether its units move through phases in batches: the journal holds their sources, every move is told, and
        somebody approves before the result is published."""
        return False

    @property
    def is_whole(self) -> bool:
        """Whether its documents are judged and repaired as wholes, in rounds."""
        return False

    @property
    def merged(self) -> str:
        """The state of units that are published; empty: there is none besides `ready`."""
        return ""

    @property
    def out_of_scope(self) -> str:
        """The state of units that nobody works on; empty: all are worked on."""
        return ""

    def admitted(self, unit: Unit) -> Stop:
        """Return where a unit stands when it is taken in."""
        return Stop(self.states.initial)

    def readmitted(self, draft: Unit, read: Unit) -> Unit:
        """Return a draft that is in or out of scope as the unit is that was just read."""
        return draft

    @abstractmethod
    def work(self, task: Task, env: Environment) -> Work:
        """Return the work on a task, from where its units stand to where they rest, or to the end of their phase."""
        ...

    @property
    def phases(self) -> tuple[str, ...]:
        """The phases in order. When the last is through, the first begins again, until no unit moves any more."""
        return ()

    @property
    def rework_phases(self) -> tuple[str, ...]:
        """Those of them that bring units further which wait for their rework."""
        return ()

    def stage(self, name: str, env: Environment) -> Stage:
        """Return which units one phase takes, and how many at a time."""
        raise AssertionError("its units do not move through phases")

    def prepared(self, units: Iterable[Unit], env: Environment) -> Gathered:
        """Facts about the document that the first phase needs, from its source."""
        return Gathered({})

    def gathered(self, units: Iterable[Unit], env: Environment) -> Gathered:
        """Facts about the document as a whole, from the drafts that stand."""
        return Gathered({})

    def obstacle(self, item: Item) -> tuple[str, tuple[str, ...]] | None:
        """Why no model would be asked to mend the unit as it stands, with the rules behind it; None: one would."""
        return None

    def why_incomplete(self, unit: Unit) -> str | None:
        """Return why nobody can accept a unit as it stands; None if they can."""
        return None

    def forecasts(self, run: Rehearsal) -> Iterator[Forecast]:
        """What the work on the documents would ask for, before anything is spent."""
        raise UsageError("This kind does not say what its work would cost.", hint="Leave --estimate out.")

    def is_blocker(self, unit: Unit) -> bool:
        """Return whether it is no unit of the document, but something else that a person has to decide on."""
        return False

    def blocker(self, id: str, record: Mapping[str, Any]) -> Unit:
        """Return a blocker that is no unit's fault, as something that can be shown and decided on."""
        raise AssertionError(f"every blocker is a unit: {id}")


class Publisher(Protocol):
    """Writes documents from units, and the files that others read of a run."""

    @abstractmethod
    def rewrite(
        self, source: BinaryIO, path: str, format: str, changed: Callable[[str], Unit | None], target: BinaryIO
    ) -> None:
        """Copy the document, with changed units in their places and every other byte as it was."""
        ...

    def leave_out(self, source: BinaryIO, path: str, format: str, ids: Collection[str], target: BinaryIO) -> None:
        """Copy the document without these units, and every other byte as it was. Only for kinds whose table of states
        has one for what is dropped."""
        raise UsageError("A part of this document cannot be left out.", hint="Edit it, or send it back.")

    def why_not_left_out(self, path: str, format: str) -> str | None:
        """Return why a unit cannot be left out of a document; None if it can."""
        return "Nothing is left out of a document of this kind."

    def output_format(self, path: str, like: str) -> str:
        """Return the format in which a file of this name is written: `like` wherever the name allows it."""
        return like

    def convert(self, units: Iterator[Unit], format: str, target: BinaryIO) -> list[str]:
        """Write a fresh document of another format; what the format cannot carry is returned by name."""
        raise UsageError("This is published in its own format.", hint="Leave --out-format out.")

    @property
    def final_name(self) -> str:
        """Where the published document lies in the run's folder; empty: under its own name, where the user wants it."""
        return ""

    def is_published_as(self, wanted: Unit, found: Unit) -> bool:
        """Return whether a changed unit that is read back from the written document is the one that should stand there.

        Many formats keep no space at the ends of a text, nor tell an empty one from none at all.
        """
        if wanted.content_hash == found.content_hash:
            return True
        said, read = ({field: text.strip() for field, text in unit.texts().items()} for unit in (wanted, found))
        return wanted.id == found.id and _without_empty(said) == _without_empty(read)

    def exports(self) -> Mapping[str, ExportRow]:
        """File name -> what each unit contributes to it."""
        return {}

    def displays(self) -> Mapping[str, Display]:
        """File name -> what people are shown of one document, made of its recorded events."""
        return {}

    def artifacts(self, *, published: bool) -> Mapping[str, Artifact]:
        """File name -> how it is made in one pass over all units, fresh for each export."""
        return {}

    def summaries(self, run: RunFacts) -> Mapping[str, Mapping[str, Any]]:
        """File name -> what is said of the run as a whole; `manifest.json` is added to the plan."""
        return {}


def _without_empty(texts: Mapping[Field, str]) -> dict[Field, str]:
    return {field: text for field, text in texts.items() if text}


class Presenter(Reader, Protocol):
    """How doors show the kind, in its own words."""

    @property
    def words(self) -> KindWords:
        """What people call it."""
        return KindWords(self.name.capitalize())

    @property
    def contracts(self) -> Mapping[str, Contract]:
        """Name -> the shapes of its own that others may rely on, for `burnish schema`."""
        return {}

    @property
    def reasons(self) -> Mapping[str, str]:
        """Reason -> why a unit rests where it does, in words; for reasons that only this kind knows."""
        return {}

    @abstractmethod
    def shown(self, unit: Unit) -> str:
        """Return the unit as a person reads it: what diffs are made of."""
        ...

    def describe(self, facts: Mapping[str, Any]) -> Sequence[Remark | Table]:
        """What an overview's result says, for a person."""
        return ()

    @abstractmethod
    def example(self, check: Check, partial: Mapping[str, Any]) -> Illustration:
        """Return a check's example as the check sees it, and as a reader should."""
        ...

    def ignoring(self, rule: str) -> str | None:
        """Return how an author passes over a rule inside the document, as the end of a sentence; None: nobody can."""
        return None

    def said(self, event: EventRecord) -> str | None:
        """Return an event as one line for whoever watches; None if it is not worth one."""
        return None


class Prover(Checks, Protocol):
    """Damage that is put into units on purpose, and who looks at them then: what `burnish prove` counts."""

    @property
    def damages(self) -> tuple[Damage, ...]:
        """The catalogue; empty: there is none."""
        return ()

    def rule_findings(self, changed: Sequence[Unit], env: Environment) -> list[Finding]:
        """What the rules say of changed units; `env` has the context and the facts of the document as it was."""
        examined = (self.examine(unit, env.selection, env.context) for unit in changed)
        return [finding for examination in examined for finding in examination.findings]

    def judge_findings(self, changed: Sequence[Unit], env: Environment) -> Generator[Effect, Any, tuple[Finding, ...]]:
        """What the models say of them."""
        raise UsageError(f"Models do not judge {self}.", hint="Leave --model and --judges out.")


class Kind(Prover, Worker, Publisher, Presenter, Protocol):
    """One sort of content."""


def recorded_draft(kind: Reader, attempt: AttemptRecord) -> Unit | None:
    """Return the draft of an attempt, proven to be the one that was judged; None if it is the source itself."""
    if attempt.content is None:
        return None
    draft = kind.from_record(attempt.content)
    if draft.content_hash != attempt.content_hash:
        raise StateCorrupt(
            f"Attempt {attempt.number} of {attempt.unit} is not the text that was judged; it is not used.",
            hint="The journal was changed, or written by another version. Start a new run, with --replay of this one.",
        )
    return draft
