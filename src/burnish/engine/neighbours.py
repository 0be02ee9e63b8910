"""Neighbours: a changed draft beside the other units of the run, as they stand now. A correction may make a copy."""

from __future__ import annotations

from collections.abc import Collection, Generator, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass, replace

from burnish.core.documents import Placed, Unit
from burnish.core.findings import Finding
from burnish.core.kinds import Kind, recorded_draft
from burnish.core.records import UnitRow
from burnish.engine.plan import Plan
from burnish.engine.publish import verify_compared
from burnish.store.journal import Journal


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
