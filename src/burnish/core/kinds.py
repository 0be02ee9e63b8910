"""A kind: everything about one sort of content, so that doors and engine need no knowledge of it.

Six small protocols: `Reader` (documents to units), `Checks` (rules and the gate), `Prover` (known damage), `Worker`
(models and states), `Publisher` (units to documents and files) and `Presenter` (texts for people). A kind inherits all
six. Members that most kinds do not need have a default here; a kind without one of the others cannot be instantiated.
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
"""The subject of a judge's vote: a rule, and a field if the judges must agree on the place (None: anywhere)."""


class Overview:
    """Facts about whole documents, collected while their units are read (a bank's key balance, duplicates). This base
    class collects nothing."""

    def prepare(self) -> Iterable[Problem]:
        """Load the data to compare with (an earlier bank), and report problems with it.

        Called before the first unit; further calls do nothing.
        """
        return ()

    def begin(self, document: str, preview: Iterable[Unit] = (), context: object = None) -> None:
        """Start another document. `preview` is a second pass over its units, for facts about all of them that are
        needed before the first is judged; `context` is the context of its checks."""

    @property
    def held_back(self) -> int:
        """Units at the beginning of a document that are added before any is reported: they show what is usual in it."""
        return 0

    def is_told_once(self, finding: Finding) -> bool:
        """Whether the finding is not reported with its unit, because `conclude` tells it once for the document."""
        return False

    def add(self, unit: Unit, examination: Examination) -> list[Finding]:
        """Add a unit. Return the findings that depend on other units."""
        return []

    def conclude(self) -> Sequence[Finding]:
        """Return the findings about the document as a whole. Called after the last unit."""
        return ()

    def result(self) -> Mapping[str, Any]:
        """Return the report's part for this document, as JSON-ready data; empty if there is nothing to report."""
        return {}

    def close(self) -> None:
        """Release resources (an index on disk)."""


class Reader(Protocol):
    """Reads documents into units, and converts units for the journal."""

    @property
    @abstractmethod
    def name(self) -> str: ...

    @property
    @abstractmethod
    def noun(self) -> str:
        """The name of one unit (`question`) in messages; `s` is added for several."""
        ...

    def supplied(self, materials: Mapping[str, Sequence[Material]], options: Mapping[str, Any]) -> Self:
        """Return the kind with additional materials, by role. Raises InputError if they cannot be used."""
        return self

    @property
    @abstractmethod
    def formats(self) -> Mapping[str, tuple[str, ...]]:
        """Format -> the usual file extensions, with the dot. All can be written; the first is preferred."""
        ...

    @abstractmethod
    def recognise(self, path: str, head: bytes) -> str | None:
        """Return the format's name if this kind can read such a file (by name and first bytes), else None."""
        ...

    def is_evident(self, path: str, head: bytes) -> bool:
        """Return whether the first bytes alone show this kind, whatever the name is.

        Every kind is asked about every file, and several read JSON or text: only content that no other kind has is
        evidence.
        """
        return False

    @abstractmethod
    def read(self, stream: BinaryIO, path: str, format: str) -> Iterator[Part]:
        """Yield the document's parts. Raises InputError only if nothing after that point can be read."""
        ...

    def survey(self, stream: BinaryIO, path: str, format: str) -> object:
        """Collect facts from the whole document for checks. JSON-ready, journalled by hash."""
        return {}

    def context(self, surveys: list[object], demands: Mapping[str, Any]) -> object:
        """Return the context of checks, from the surveys of all documents of the run and the settings' demands."""
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
    """The rules, and the requirements for passing."""

    @property
    @abstractmethod
    def checks(self) -> tuple[Check, ...]: ...

    @property
    def document_rules(self) -> tuple[DocumentRule, ...]:
        """The rules behind the overview's findings."""
        return ()

    @property
    @abstractmethod
    def profiles(self) -> Mapping[str, Mapping[str, Severity]]:
        """Profile name -> severities that differ from the checks' defaults. At least `default` and `strict`."""
        ...

    @property
    def fatal_rules(self) -> frozenset[str]:
        """Rules whose errors keep models from being paid, and which a person's text must not break."""
        return frozenset()

    @abstractmethod
    def examine(self, unit: Unit, selection: Selection, context: object) -> Examination:
        """Run all checks on one unit."""
        ...

    def examine_all(self, units: Sequence[Unit], selection: Selection, context: object) -> list[Examination]:
        """Run `examine` on each of the units; a kind may do it faster together."""
        return [self.examine(unit, selection, context) for unit in units]

    def overview(self, options: Mapping[str, Any], off: Collection[str] = ()) -> Overview:
        """Return a new overview for all documents of one run. Its rules in `off` raise nothing."""
        return Overview()

    def repetitions(
        self, drafts: Iterable[Placed], others: Iterable[Placed], options: Mapping[str, Any], off: Collection[str]
    ) -> Iterator[tuple[str, Finding]]:
        """Yield drafts that repeat an earlier one or one of the other units: the draft's name, and the finding.

        Uses the overview's options and rules; near-linear. Yields nothing if units of this kind may be alike.
        """
        return iter(())

    @abstractmethod
    def gate(self, judges: int) -> GatePolicy:
        """Return the requirements for a unit when so many judges were asked."""
        ...

    def gate_of(self, item: Item, judges: int) -> GatePolicy:
        """Return the requirements for the current draft of a unit; its history may ask for more than `gate`."""
        return self.gate(judges)

    @abstractmethod
    def scores(self, examination: Examination, objections: Count[Issue] | None) -> Mapping[str, object]:
        """Return the scorecard's claims; `objections` are the judges' votes on blocking issues."""
        ...


class Worker(Protocol):
    """The work on units: their states, and the generators that work on them."""

    @property
    @abstractmethod
    def states(self) -> StateTable: ...

    @property
    @abstractmethod
    def prompts(self) -> tuple[str, ...]:
        """All prompts of the kind, as `package:name`: the manifest records their versions."""
        ...

    @property
    def work_version(self) -> str:
        """Changes with the work: a task begun with another version is restarted, with the recorded answers."""
        return "1"

    @property
    def is_phased(self) -> bool:
        """Whether units move through phases in batches: then the journal holds their sources, every move is an event,
        and a person approves before publishing."""
        return False

    @property
    def is_whole(self) -> bool:
        """Whether documents are judged and repaired as a whole, in rounds."""
        return False

    @property
    def merged(self) -> str:
        """The state of published units; empty: the same as `ready`."""
        return ""

    @property
    def out_of_scope(self) -> str:
        """The state of units that are not worked on; empty: there are none."""
        return ""

    @property
    def most_together(self) -> int:
        """The most units of one task, of a kind whose units are worked on singly. With more than one, `core.together`
        asks about them together."""
        return 1

    def admitted(self, unit: Unit) -> Stop:
        """Return the first state of a unit."""
        return Stop(self.states.initial)

    def readmitted(self, draft: Unit, read: Unit) -> Unit:
        """Return the draft, moved in or out of scope like the unit that was just read."""
        return draft

    @abstractmethod
    def work(self, task: Task, env: Environment) -> Work:
        """Return the work on a task, from the current state of its units to the end, or to the end of their phase."""
        ...

    @property
    def phases(self) -> tuple[str, ...]:
        """The phases in order. They are repeated until no unit moves any more."""
        return ()

    @property
    def rework_phases(self) -> tuple[str, ...]:
        """The phases that units which wait for rework still go through."""
        return ()

    def stage(self, name: str, env: Environment) -> Stage:
        """Return a phase: the units that it takes, and the size of its batches."""
        raise AssertionError("its units do not move through phases")

    def prepared(self, units: Iterable[Unit], env: Environment) -> Gathered:
        """Return facts about the document that the first phase needs, from its source."""
        return Gathered({})

    def gathered(self, units: Iterable[Unit], env: Environment) -> Gathered:
        """Return facts about the document as a whole, from the current drafts."""
        return Gathered({})

    def obstacle(self, item: Item) -> tuple[str, tuple[str, ...]] | None:
        """Return why no model would be asked to repair the unit now, with the rules behind it; None: one would."""
        return None

    def why_incomplete(self, unit: Unit) -> str | None:
        """Return why a unit cannot be accepted as it is; None if it can."""
        return None

    def forecasts(self, run: Rehearsal) -> Iterator[Forecast]:
        """Yield forecasts of the work on the documents, before any cost."""
        raise UsageError("This kind does not say what its work would cost.", hint="Leave --estimate out.")

    def is_blocker(self, unit: Unit) -> bool:
        """Return whether it is not a unit of the document, but another subject for a person's decision."""
        return False

    def blocker(self, id: str, record: Mapping[str, Any]) -> Unit:
        """Return a blocker that concerns no unit in a form that can be shown and decided on."""
        raise AssertionError(f"every blocker is a unit: {id}")


class Publisher(Protocol):
    """Writes documents from units, and the other files of a run."""

    @abstractmethod
    def rewrite(
        self, source: BinaryIO, path: str, format: str, changed: Callable[[str], Unit | None], target: BinaryIO
    ) -> None:
        """Copy the document with changed units in their places; every other byte stays the same."""
        ...

    def leave_out(self, source: BinaryIO, path: str, format: str, ids: Collection[str], target: BinaryIO) -> None:
        """Copy the document without these units; every other byte stays the same. Only for kinds with a `dropped`
        state."""
        raise UsageError("A part of this document cannot be left out.", hint="Edit it, or send it back.")

    def why_not_left_out(self, path: str, format: str) -> str | None:
        """Return why units cannot be left out of a document; None if they can."""
        return "Nothing is left out of a document of this kind."

    def output_format(self, path: str, like: str) -> str:
        """Return the format for a file of this name: `like` if the name allows it."""
        return like

    def convert(self, units: Iterator[Unit], format: str, target: BinaryIO) -> list[str]:
        """Write a new document in another format. Return the names of what the format cannot hold."""
        raise UsageError("This is published in its own format.", hint="Leave --out-format out.")

    @property
    def final_name(self) -> str:
        """The published document's path in the run's folder; empty: under its own name, where the user wants it."""
        return ""

    def is_published_as(self, wanted: Unit, found: Unit) -> bool:
        """Return whether a changed unit that was read back from the written document is as intended.

        Many formats drop spaces at the ends of a text, and do not distinguish an empty text from a missing one.
        """
        if wanted.content_hash == found.content_hash:
            return True
        said, read = ({field: text.strip() for field, text in unit.texts().items()} for unit in (wanted, found))
        return wanted.id == found.id and _without_empty(said) == _without_empty(read)

    def exports(self) -> Mapping[str, ExportRow]:
        """File name -> the line of each unit in it."""
        return {}

    def displays(self) -> Mapping[str, Display]:
        """File name -> data about one document for people, made from its recorded events."""
        return {}

    def artifacts(self, *, published: bool) -> Mapping[str, Artifact]:
        """File name -> how to make it in one pass over all units; new for each export."""
        return {}

    def summaries(self, run: RunFacts) -> Mapping[str, Mapping[str, Any]]:
        """File name -> data about the whole run; `manifest.json` is added to the plan."""
        return {}


def _without_empty(texts: Mapping[Field, str]) -> dict[Field, str]:
    return {field: text for field, text in texts.items() if text}


class Presenter(Reader, Protocol):
    """The kind's own names and texts, for all doors."""

    @property
    def words(self) -> KindWords:
        """Names of the kind and its documents."""
        return KindWords(self.name.capitalize())

    @property
    def contracts(self) -> Mapping[str, Contract]:
        """Name -> public data shapes of the kind, for `burnish schema`."""
        return {}

    @property
    def reasons(self) -> Mapping[str, str]:
        """Reason -> text, for reasons that only this kind has."""
        return {}

    @abstractmethod
    def shown(self, unit: Unit) -> str:
        """Return the unit as readable text, which diffs are made from."""
        ...

    def describe(self, facts: Mapping[str, Any]) -> Sequence[Remark | Table]:
        """Describe an overview's result for people."""
        return ()

    @abstractmethod
    def example(self, check: Check, partial: Mapping[str, Any]) -> Illustration:
        """Return a check's example as the check and as a reader see it."""
        ...

    def ignoring(self, rule: str) -> str | None:
        """Return how an author ignores a rule inside the document, as the end of a sentence; None: impossible."""
        return None

    def said(self, event: EventRecord) -> str | None:
        """Return an event as one line for observers; None if it is not shown."""
        return None


class Prover(Checks, Protocol):
    """Damage that is inserted on purpose, and the rules and judges to find it: the input of `burnish prove`."""

    @property
    def damages(self) -> tuple[Damage, ...]:
        """The catalogue of damages; empty: there is none."""
        return ()

    def rule_findings(self, changed: Sequence[Unit], env: Environment) -> list[Finding]:
        """Return the rules' findings on changed units; `env` has the context and facts of the original document."""
        examined = (self.examine(unit, env.selection, env.context) for unit in changed)
        return [finding for examination in examined for finding in examination.findings]

    def judge_findings(self, changed: Sequence[Unit], env: Environment) -> Generator[Effect, Any, tuple[Finding, ...]]:
        """Return the models' findings on changed units."""
        raise UsageError(f"Models do not judge {self}.", hint="Leave --model and --judges out.")


class Kind(Prover, Worker, Publisher, Presenter, Protocol):
    """One sort of content."""


def recorded_draft(kind: Reader, attempt: AttemptRecord) -> Unit | None:
    """Return the draft of an attempt, verified to be the judged one; None if it is the source itself."""
    if attempt.content is None:
        return None
    draft = kind.from_record(attempt.content)
    if draft.content_hash != attempt.content_hash:
        raise StateCorrupt(
            f"Attempt {attempt.number} of {attempt.unit} is not the text that was judged; it is not used.",
            hint="The journal was changed, or written by another version. Start a new run.",
        )
    return draft
