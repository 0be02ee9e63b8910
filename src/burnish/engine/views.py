"""The files of a run whose units move through stages: all made in one pass over the journal, however long it is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

from burnish.core.records import UnitRow
from burnish.core.stages import RunFacts, StagedKind
from burnish.engine.exporting import totals_record
from burnish.engine.plan import Plan
from burnish.engine.publish import blockers
from burnish.engine.unit_loader import UnitLoader
from burnish.store.export import ExportFolder
from burnish.store.journal import Journal


def unit_counts(journal: Journal) -> dict[str, int]:
    """How many units are in each state. A blocker that is no unit does not count."""
    counts = journal.counts()
    for named in journal.events(types=("blocker_numbered",)):
        row = journal.unit(str(named.unit))
        if row is not None:
            counts[row.state] -= 1
    return {state: number for state, number in counts.items() if number}


@dataclass(frozen=True, slots=True)
class StagedViews:
    """What others read of a run."""

    plan: Plan
    kind: StagedKind
    journal: Journal
    exports: ExportFolder

    def blockers(self) -> Iterator[UnitRow]:
        """Every row that keeps the run from being published, in document order."""
        return blockers(self.journal, self.kind)

    def is_blocked(self) -> bool:
        return any(True for _ in self.blockers())

    def write(self, stopped: str, message: str | None) -> list[str]:
        """Every file. The names of those that were edited by hand before."""
        edited = self.exports.edited_by_hand()
        if self.journal.get_meta("ingested"):
            self._write_artifacts()
        facts = self._facts(stopped, message)
        for name, said in self.kind.summaries(facts).items():
            self.exports.write_json(name, {**self.plan.as_record(), **said} if name == "manifest.json" else said)
        self.exports.write_json("receipt.json", self._receipt(facts, stopped))
        return edited

    def _write_artifacts(self) -> None:
        published = any(True for _ in self.journal.events(types=("published",), limit=1))
        artifacts = self.kind.artifacts(published=published)
        with ExitStack() as open:
            streams = [(open.enter_context(self.exports.stream(name)), one) for name, one in artifacts.items()]
            for story in UnitLoader(self.kind, self.journal).stories():
                for stream, artifact in streams:
                    for piece in artifact.take(story):
                        stream.write(piece)
            for stream, artifact in streams:
                for piece in artifact.end():
                    stream.write(piece)

    def _facts(self, stopped: str, message: str | None) -> RunFacts:
        [document] = self.plan.documents
        blockers = tuple(self.blockers())
        approvals = [{**e.data, "at": e.at} for e in self.journal.events(types=("approved",))]
        return RunFacts(
            run_id=self.plan.run_id,
            status=STATUSES.get(stopped, "stopped"),
            source={"name": document.name, "sha256": document.sha256, "changed": stopped == "source_changed"},
            counts=unit_counts(self.journal),
            blockers=blockers,
            approval=approvals[-1] if approvals else None,
            models=dict(self.plan.roles),
            prompts=dict(self.plan.prompts),
            trouble=message,
            judges=self.plan.judges,
            details={row.id: self._record(row) for row in blockers if not row.document},
            beside=dict(self.plan.arguments.get("beside", {})),
        )

    def _record(self, row: UnitRow) -> Mapping[str, Any]:
        """What a row was made from."""
        return self.journal.attempts(row.id)[0].content or {}

    def _receipt(self, facts: RunFacts, stopped: str) -> dict[str, Any]:
        published = [e.data["documents"] for e in self.journal.events(types=("published",))]
        return {
            "version": 1,
            "burnish": self.plan.version,
            "run_id": self.plan.run_id,
            "kind": self.plan.kind,
            "models": {**facts.models, "judges": list(facts.judges)},
            "stopped": stopped,
            "states": dict(facts.counts),
            "published": published[-1] if published else [],
            "totals": totals_record(self.journal.totals()),
        }


STATUSES = {
    "done": "published",
    "awaiting_approval": "awaiting_approval",
    "needs_person": "blocked",
    "source_changed": "blocked",
}
"""How a sitting ended -> what the gate says of it; anything else: the run was stopped."""
