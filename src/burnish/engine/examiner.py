"""Rules alone: what a person's text is held against, whatever the kind; and a draft beside the other units."""

from __future__ import annotations

from collections.abc import Collection, Generator, Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path

from burnish.core.checks import Examination, Selection, select
from burnish.core.documents import Placed, Unit
from burnish.core.errors import UsageError
from burnish.core.findings import Finding
from burnish.core.kinds import Kind, recorded_draft
from burnish.core.records import UnitRow
from burnish.engine.plan import Plan
from burnish.engine.publish import verify_compared, verify_source
from burnish.store.journal import Journal


@dataclass(frozen=True, slots=True)
class Examiner:
    """The rules of a run, and what is known of each of its documents."""

    kind: Kind
    selection: Selection
    context: object = None
    contexts: Mapping[str, object] = field(default_factory=dict)

    def for_document(self, name: str) -> Examiner:
        return replace(self, context=self.contexts[name])

    def examine(self, unit: Unit) -> Examination:
        return self.kind.examine(unit, self.selection, self.context)


def selection_of(plan: Plan, kind: Kind) -> Selection:
    """The rules that a plan asks for."""
    known = {check.id for check in kind.checks}
    gone = sorted(set(plan.rules) - known)
    if gone:
        raise UsageError(
            f"The run {plan.run_id} goes by rules that this version does not have: {', '.join(gone)}.",
            hint=f"Go on with Burnish {plan.version}, or start a new run.",
        )
    left_out = known - set(plan.rules)
    return select(kind.checks, disabled=left_out, severities=dict(plan.severities))  # type: ignore[arg-type]


def examiner_of(plan: Plan, kind: Kind) -> Examiner:
    """The rules of a plan, with what is known of each of its documents."""
    contexts = {name: kind.context(surveys, plan.demands) for name, surveys in _surveys(plan, kind)}
    everything = kind.context(list(plan.surveys), plan.demands) if plan.surveys or kind.is_phased else None
    return Examiner(kind, selection_of(plan, kind), everything, contexts)


def _surveys(plan: Plan, kind: Kind) -> Iterator[tuple[str, list[object]]]:
    """Of each document what was found out about it as a whole: recorded; or read again, where all of it counts and it
    is still what it was; or nothing, where that is gathered on the way."""
    for place, document in enumerate(plan.documents):
        if not kind.is_whole:
            yield document.name, [plan.surveys[place]] if plan.surveys else []
            continue
        verify_source(document)
        with Path(document.path).open("rb") as stream:
            yield document.name, [kind.survey(stream, document.path, document.format)]


@dataclass(frozen=True, slots=True)
class Neighbours:
    """All units of a run, to lay drafts beside them."""

    plan: Plan
    kind: Kind
    journal: Journal

    def beside(self, row: UnitRow, draft: Unit) -> list[Finding]:
        """What only shows when this draft takes its unit's place."""
        return [finding for _, finding in self._repetitions([Placed(row.id, row.document, draft)], {row.id})]

    def copies(self, rows: Collection[UnitRow]) -> dict[str, Finding]:
        """Units whose drafts have become copies, with the error; of two drafts that are alike, the later one.

        It takes one pass over the units, however many drafts there are.
        """
        drafts = (Placed(row.id, row.document, draft) for row in rows if (draft := self.draft(row)) is not None)
        found: dict[str, Finding] = {}
        for name, finding in self._repetitions(drafts, {row.id for row in rows}):
            if finding.blocks:
                found.setdefault(name, finding)
        return found

    def draft(self, row: UnitRow) -> Unit | None:
        """The unit's best draft, or None where that is the source itself."""
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
        """Every unit but some, in its best draft, as the journal holds it: no document is read for that."""
        for row, content in self.journal.standing():
            if row.id not in without:
                yield Placed(row.id, row.document, self.kind.from_record(content))
