"""Units of a run: from the journal, with the rules of the run, and compared with each other. Sources are not read
again if the journal has them."""

from __future__ import annotations

from collections.abc import Collection, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NoReturn

from burnish.core.checks import Examination, Selection, select
from burnish.core.documents import Field, Part, Placed, Unit, is_unit
from burnish.core.errors import InputError, StateCorrupt, UsageError
from burnish.core.findings import Finding
from burnish.core.gate import StateTable
from burnish.core.kinds import Kind, recorded_draft
from burnish.core.presentation import UnitStory
from burnish.core.records import AttemptRecord, EventRecord, Json, UnitRow, event
from burnish.core.tasks import Item
from burnish.engine.plan import DocumentPlan, Plan, verify_compared, verify_source
from burnish.store.journal import Journal
from burnish.store.redaction import Redactor


@dataclass(slots=True)
class UnitLoader:
    """Loads the units of a run whose first attempts hold their sources."""

    kind: Kind
    journal: Journal

    def item(self, row: UnitRow) -> Item:
        story = story_of(self.kind, self.journal, row)
        return Item(row, story.source, self._draft(row, story.attempts), story.attempts, story.decisions)

    def drafts(self) -> Iterator[Unit]:
        """Yield the current draft of every unit, in order."""
        return (self._draft(row, self.journal.attempts(row.id)) for row in self.journal.units() if row.document)

    def drafts_around(self, row: UnitRow, before: int, after: int) -> tuple[list[Unit], list[Unit]]:
        """Return the current drafts around a unit."""
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

    def _draft(self, row: UnitRow, attempts: Sequence[AttemptRecord]) -> Unit:
        number = row.best_attempt
        draft = recorded_draft(self.kind, attempts[number - 1]) if 0 < number <= len(attempts) else None
        return draft or _missing(row)


def stories(kind: Kind, journal: Journal) -> Iterator[UnitStory]:
    """Yield the full story of every unit in order, without blockers that are not units."""
    return (story_of(kind, journal, row) for row in journal.units() if row.document)


def story_of(kind: Kind, journal: Journal, row: UnitRow) -> UnitStory:
    """Return the full story of one unit."""
    attempts = tuple(journal.attempts(row.id))
    decisions = tuple(journal.events(unit=row.id, types=("decision",)))
    return UnitStory(row, source_of(kind, journal, row, attempts), attempts, decisions)


def source_of(kind: Kind, journal: Journal, row: UnitRow, attempts: Sequence[AttemptRecord] | None = None) -> Unit:
    """Return a unit as read, from the journal, because its document may have moved. In kinds with phases it is the
    first attempt."""
    source: Unit | None
    if kind.is_phased:
        known = journal.attempts(row.id) if attempts is None else attempts
        source = recorded_draft(kind, known[0]) if known else None
    else:
        content = journal.source(row.id)
        source = kind.from_record(content) if content is not None else None
    return source if source is not None and source.content_hash == row.content_hash else _missing(row)


def _missing(row: UnitRow) -> NoReturn:
    raise StateCorrupt(
        f"{row.id} has no source in the journal.", hint="Start a new run; this one was not written whole."
    )


def refuse_keys(redactor: Redactor, kind: Kind, unit: Unit, path: str | None = None) -> None:
    """Raise InputError for a key: it must not reach prompts or files, and removing it would change the text."""
    if redactor.knows_keys and redactor.holds_key(kind.to_record(unit)):
        raise InputError(
            f"{unit.id} holds a key of this machine: the value of a secret environment variable.",
            path=path,
            code="holds_key",
            hint="Remove the key from the text, and replace it with a new one: it was stored in a file.",
        )


def moved(states: StateTable, row: UnitRow, state: str, reason: str | None) -> tuple[EventRecord, UnitRow]:
    """Return the event of a move in the table, and the row after it."""
    after = replace(row, state=states.check(row.state, state), reason=reason)
    return event("state_changed", row.id, data={"from": row.state, "to": state, "reason": reason}), after


EXCERPT = 160
"""Characters of a unit shown in lists."""
UNREADABLE = "(This draft cannot be read.)"
_READ = 4 * EXCERPT
"""Characters that an excerpt is made from, so that long units cost no more."""


@dataclass(frozen=True, slots=True)
class KindPresenter:
    """See `burnish.store.read_model.Presenter`."""

    kind: Kind
    reviews_apart: bool

    @classmethod
    def of(cls, kind: Kind) -> KindPresenter:
        return cls(kind, kind.is_phased)

    def excerpt(self, content: Json) -> str:
        """Return the beginning of a draft as readable text. Unreadable drafts are listed, too."""
        try:
            words = " ".join(self.kind.shown(self._unit(content))[:_READ].split())
        except (ValueError, TypeError, LookupError):
            return UNREADABLE
        return words if len(words) <= EXCERPT else words[: EXCERPT - 1].rstrip() + "…"

    def texts(self, content: Json) -> Mapping[Field, str]:
        return self._unit(content).texts()

    def _unit(self, content: Json) -> Unit:
        return self.kind.from_record(content)


@dataclass(frozen=True, slots=True)
class Examiner:
    """The rules of a run, and the context of each of its documents."""

    kind: Kind
    selection: Selection
    context: object = None
    contexts: Mapping[str, object] = field(default_factory=dict)

    def for_document(self, name: str) -> Examiner:
        return replace(self, context=self.contexts[name])

    def examine(self, unit: Unit) -> Examination:
        return self.kind.examine(unit, self.selection, self.context)


def selection_of(plan: Plan, kind: Kind) -> Selection:
    """Return the rules of a plan."""
    known = {check.id for check in kind.checks}
    gone = sorted(set(plan.rules) - known)
    if gone:
        raise UsageError(
            f"The run {plan.run_id} uses rules that this version does not have: {', '.join(gone)}.",
            hint=f"Go on with Burnish {plan.version}, or start a new run.",
        )
    left_out = known - set(plan.rules)
    return select(kind.checks, disabled=left_out, severities=dict(plan.severities))  # type: ignore[arg-type]


def examiner_of(plan: Plan, kind: Kind) -> Examiner:
    """Return the rules of a plan, with the context of each of its documents."""
    contexts = {name: kind.context(surveys, plan.demands) for name, surveys in _surveys(plan, kind)}
    everything = kind.context(list(plan.surveys), plan.demands) if plan.surveys or kind.is_phased else None
    return Examiner(kind, selection_of(plan, kind), everything, contexts)


def _surveys(plan: Plan, kind: Kind) -> Iterator[tuple[str, list[object]]]:
    """Yield the facts about each document as a whole: recorded; or read again if the kind needs the whole and it has
    not changed; or none, if they are gathered later."""
    for place, document in enumerate(plan.documents):
        if not kind.is_whole:
            yield document.name, [plan.surveys[place]] if plan.surveys else []
            continue
        verify_source(document)
        with Path(document.path).open("rb") as stream:
            yield document.name, [kind.survey(stream, document.path, document.format)]


@dataclass(frozen=True, slots=True)
class Neighbours:
    """All units of a run, for comparison with drafts."""

    plan: Plan
    kind: Kind
    journal: Journal

    def findings(self, row: UnitRow, draft: Unit) -> list[Finding]:
        """Return the findings of this draft in comparison with all other units."""
        return [finding for _, finding in self._repetitions([Placed(row.id, row.document, draft)], {row.id})]

    def copies(self, rows: Collection[UnitRow]) -> dict[str, Finding]:
        """Return units whose drafts have become copies, with the error; of two equal drafts the later one.

        One pass over the units, for any number of drafts.
        """
        drafts = (Placed(row.id, row.document, draft) for row in rows if (draft := self.draft(row)) is not None)
        found: dict[str, Finding] = {}
        for name, finding in self._repetitions(drafts, {row.id for row in rows}):
            if finding.blocks:
                found.setdefault(name, finding)
        return found

    def draft(self, row: UnitRow) -> Unit | None:
        """Return the unit's best draft, or None if that is the source."""
        if row.best_attempt < 2:
            return None
        return recorded_draft(self.kind, self.journal.attempts(row.id)[row.best_attempt - 1])

    def _repetitions(self, drafts: Iterable[Placed], names: Collection[str]) -> Iterator[tuple[str, Finding]]:
        verify_compared(self.plan)
        options = self.plan.arguments.get("overview", {})
        with closing(self._units(names)) as others:
            for name, finding in self.kind.repetitions(drafts, others, options, self.plan.off):
                yield name, replace(finding, source="document")

    def _units(self, without: Collection[str]) -> Generator[Placed]:
        """Yield the best draft of every unit except some, from the journal without reading documents."""
        for row, content in self.journal.standing():
            if row.id not in without:
                yield Placed(row.id, row.document, self.kind.from_record(content))


def parts_of(kind: Kind, document: DocumentPlan) -> Iterator[Part]:
    """Yield all parts of a document from its file."""
    with Path(document.path).open("rb") as stream:
        yield from kind.read(stream, document.path, document.format)


def units_of(kind: Kind, document: DocumentPlan) -> Iterator[Unit]:
    """Yield only the units of a document."""
    return filter(is_unit, parts_of(kind, document))
