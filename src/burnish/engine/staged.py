"""A sitting on a run whose units move through stages: take in, work, gate, publish, write out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from burnish.core.documents import PassedThrough, Problem, Unit
from burnish.core.effects import ModelRoles
from burnish.core.errors import InputError, LimitReached
from burnish.core.faultpoints import reach
from burnish.core.hashing import digest
from burnish.core.records import AttemptRecord, EventRecord, Record, UnitRow, event
from burnish.core.stages import StagedKind, StageOrder
from burnish.engine.batches import BatchTasks, begin_anew
from burnish.engine.decisions import Deciding
from burnish.engine.examiner import selection_of
from burnish.engine.interpreters import Translator
from burnish.engine.plan import DocumentPlan, Plan
from burnish.engine.presenter import KindPresenter
from burnish.engine.proof import Proof
from burnish.engine.publish import Merger, is_changed, problem_event, verify_source
from burnish.engine.replay import RecordedDecisions
from burnish.engine.resources import RunResources, asker_of
from burnish.engine.run import INGEST_BATCH, RunEnd, Watcher
from burnish.engine.runner import Runner
from burnish.engine.session import Result, examining_of
from burnish.engine.unit_loader import UnitLoader, moved, refuse_keys
from burnish.engine.views import StagedViews
from burnish.store.export import ExportFolder
from burnish.store.journal import Journal
from burnish.store.paths import RunFolder

Approval = Callable[[], Mapping[str, Any] | None]
"""Asks whoever may approve; what is recorded of it, or None."""

SCOPE = "scope"
"""Where the journal keeps by which files units are in scope."""


def nobody() -> None:
    """Nobody is there to approve."""


@dataclass(frozen=True, slots=True)
class PhasedSession:
    """One process at work on one run that it owns."""

    folder: RunFolder
    journal: Journal
    plan: Plan
    kind: StagedKind
    means: RunResources
    machines: Callable[[], Mapping[str, Translator]] = dict
    """Makes the translators that are no language models; asked only where there is something to work on."""
    approve: Approval = nobody
    only_rework: bool = False
    """Whether only units that wait for their rework are brought further."""
    deliver: Callable[[], None] = lambda: None
    """Takes what the journal holds to where it belongs besides the run: called whenever a sitting is written out. What
    was broken off is done again, so it has to come to the same however often it is called."""

    def __post_init__(self) -> None:
        self.journal.present_with(KindPresenter.of(self.kind))

    async def work(self, watcher: Watcher) -> Result:
        """Work until every unit rests, a limit is met or a model is away; then publish what may be, and write out."""
        if is_changed(self._document):
            return self.write_out(self._outcome("source_changed"))
        await self._ingest()
        if self.journal.get_meta(SCOPE) != self._scope:
            await self._reauthorize()
        counts = self.journal.counts()
        watcher.started(sum(counts.values()) - counts.get(self.kind.out_of_scope, 0), self._done(counts))
        staging = self._staging(watcher)
        limit = await staging.work_on_all()
        while limit is None and staging.away() is None and self._decided_again():
            limit = await staging.work_on_all()
        reach("engine.run.stopped")
        return self.write_out(self._ended(limit, staging.away()))

    def _decided_again(self) -> bool:
        """A replay repeats what people decided before the recorded run went on from here. Whether there was any."""
        recorded = self.means.replayed
        if recorded is None:
            return False
        done = sum(1 for _ in self.journal.events(types=("decision",)))
        due = list(recorded.events(types=("decision",)))[done:]
        went_on = [e.seq for e in recorded.events(types=("run_resumed",)) if due and e.seq > due[0].seq]
        again = RecordedDecisions(recorded, Deciding(self.journal, examining_of(self.plan, self.kind), None))
        loader = UnitLoader(self.kind, self.journal)
        for decision in due:
            row = self.journal.unit(str(decision.unit))
            if row is not None and not (went_on and decision.seq > went_on[0]):
                again.repeat(row, loader.item(row).source, decision)
        return bool(due)

    @property
    def _document(self) -> DocumentPlan:
        [document] = self.plan.documents
        return document

    @property
    def order(self) -> StageOrder:
        return StageOrder(
            selection_of(self.plan, self.kind),
            ModelRoles(self.plan.judges, self.plan.roles),
            self.plan.arguments.get("options", {}),
            only_rework=self.only_rework,
        )

    def _staging(self, watcher: Watcher) -> BatchTasks:
        client = asker_of(self.means, self.plan, self.journal)
        return BatchTasks(
            kind=self.kind,
            journal=self.journal,
            order=self.order,
            client=client,
            tools=self.machines(),
            replayed=self.means.replayed,
            runner=Runner(client, self.means.workers, self.means.countdown(), self.means.between),
            rested=lambda row: watcher.unit_rested(row, self.journal.totals()),
        )

    def _done(self, counts: Mapping[str, int]) -> int:
        return sum(
            counts.get(state, 0) for state in (self.kind.states.ready, self.kind.states.waiting, self.kind.merged)
        )

    # -- taking in

    async def _ingest(self) -> None:
        """Write a row and the source of every unit. A crash in the middle starts it again and changes nothing."""
        if self.journal.get_meta("ingested"):
            return
        batch: list[Record] = []
        position, waits = 0, False
        for part in self._parts():
            if isinstance(part, Problem):
                batch.append(problem_event(self._document.name, part))
            elif not isinstance(part, PassedThrough):
                taken = self._taken_in(part, position)
                batch += taken
                position += 1
                waits = waits or taken[0].state == self.kind.states.waiting
            if len(batch) >= INGEST_BATCH:
                reach("engine.ingest.batch")
                await self.journal.write(*batch)
                batch = []
        name = self._document.name
        await self.journal.write(*batch, event("ingested", dedupe=f"ingested:{name}", data={"document": name}))
        self.journal.set_meta(SCOPE, self._scope)
        if waits:
            # A person may send it to be worked on when nothing else passes the stages: the facts have to be there.
            begin_anew(self.journal)
        self.journal.set_meta("ingested", "yes")
        reach("engine.ingest.done")

    def _parts(self) -> Iterator[Unit | Problem | PassedThrough]:
        with Path(self._document.path).open("rb") as stream:
            yield from self.kind.read(stream, self._document.path, self._document.format)

    def _taken_in(self, unit: Unit, position: int) -> tuple[UnitRow, AttemptRecord, EventRecord]:
        refuse_keys(self.means.redactor, self.kind, unit, self._document.path)
        stop = self.kind.admitted(unit)
        row = UnitRow(
            unit.id,
            self._document.name,
            position,
            unit.content_hash,
            stop.state,
            stop.reason,
            attempts=1,
            best_attempt=1,
        )
        record = self.kind.to_record(unit)
        told = event(
            "state_changed",
            unit.id,
            dedupe=f"taken_in:{unit.id}",
            data={"from": None, "to": stop.state, "reason": stop.reason},
        )
        return row, AttemptRecord(unit.id, 1, "source", record, unit.content_hash, {}, (), passed=False), told

    def _mark_stale(self) -> None:
        """The source is not what was taken in: the units that changed wait for a person, and no decision publishes."""
        if not self.journal.get_meta("ingested"):
            return
        now, states = self._hashes_now(), self.kind.states
        for row in self.journal.units():
            open = row.state not in (states.waiting, self.kind.merged, self.kind.out_of_scope)
            if row.document and open and now.get(row.id) != row.content_hash:
                self.journal.write_now(*moved(states, row, states.waiting, "stale_source"))
        self.journal.write_now(event("stale_source", data={"document": self._document.name}))

    def _hashes_now(self) -> dict[str, str]:
        parts = (part for part in self._parts() if not isinstance(part, Problem | PassedThrough))
        try:
            return {part.id: part.content_hash for part in parts}
        except InputError:
            return {}  # what cannot be read as a document any more holds none of its units

    @property
    def _scope(self) -> str:
        """By which files it is said what is in scope. They only change with authority."""
        return digest(sorted((one.role, one.sha256) for one in self.plan.materials))

    async def _reauthorize(self) -> None:
        """Exclusions that were changed with authority, put into effect. Killed in between, the next sitting ends it."""
        begin_anew(self.journal)
        shelf = UnitLoader(self.kind, self.journal)
        for part in self._parts():
            if isinstance(part, Problem | PassedThrough):
                continue
            row = self.journal.unit(part.id)
            stop = self.kind.admitted(part)
            out = self.kind.out_of_scope
            if row is None or (row.state == out) == (stop.state == out):
                continue
            item = shelf.item(row)
            unit = self.kind.readmitted(item.unit, part)
            attempt = AttemptRecord(
                row.id, len(item.attempts) + 1, "source", self.kind.to_record(unit), unit.content_hash, {}, (), False
            )
            told, after = moved(self.kind.states, row, stop.state, stop.reason)
            grown = replace(after, attempts=attempt.number, best_attempt=attempt.number)
            audit = event("reauthorized", row.id, data={"state": stop.state, "reason": stop.reason})
            await self.journal.write(attempt, audit, told, grown)
        self.journal.set_meta(SCOPE, self._scope)

    def why_not_held(self, row: UnitRow) -> str | None:
        """Why a unit cannot be published as it stands; None where it can."""
        return self.kind.why_incomplete(UnitLoader(self.kind, self.journal).item(row).unit)

    # -- the end

    def _ended(self, limit: LimitReached | None, trouble: str | None) -> RunEnd:
        if limit is not None:
            return self._outcome("limit", str(limit))
        if trouble is not None:
            return self._outcome("model_away", trouble)
        return self._outcome("needs_person" if self.views.is_blocked() else "ready")

    def _outcome(self, stopped: str, message: str | None = None) -> RunEnd:
        return RunEnd(self.journal.counts(), self.journal.totals(), stopped, message)

    @property
    def views(self) -> StagedViews:
        return StagedViews(self.plan, self.kind, self.journal, ExportFolder(self.folder, self.journal))

    def write_out(self, outcome: RunEnd) -> Result:
        """Publish if nothing blocks and somebody approves; then every export, also where the gate is shut."""
        stopped = outcome.stopped
        published: tuple[Proof, ...] = ()
        if self.journal.get_meta("ingested") and stopped not in ("limit", "model_away"):
            stopped, published = self._publish()
        message = outcome.message
        self.journal.write_now(event("run_stopped", data={"reason": stopped, "message": message}))
        edited = self.views.write(stopped, message)
        if self.journal.get_meta("ingested"):
            self.deliver()
            reach("engine.run.delivered")
        counts, totals = self.journal.counts(), self.journal.totals()
        return Result(RunEnd(counts, totals, stopped, message), published, (), tuple(edited))

    def _publish(self) -> tuple[str, tuple[Proof, ...]]:
        """How the run stands now, and what was published."""
        merger = Merger(self.folder, self.plan, self.kind, self.journal)
        try:
            verify_source(self._document)
            return self._merged(merger)
        except InputError as error:
            if error.code != "source_changed":
                raise
        # What was in its place before the source changed is published.
        if self._is_published() or merger.finished():
            return "done", ()
        self._mark_stale()
        return "source_changed", ()

    def _is_published(self) -> bool:
        return any(True for _ in self.journal.events(types=("published",), limit=1))

    def _merged(self, merger: Merger) -> tuple[str, tuple[Proof, ...]]:
        if self.views.is_blocked():
            return "needs_person", ()
        proof = merger.composed()
        if proof is None:
            return "needs_person", ()
        if not self._approved():
            return "awaiting_approval", ()
        reach("engine.publish.approved")
        return "done", (merger.merge(proof),)

    def _approval(self) -> Mapping[str, Any] | None:
        """What is recorded of an approval; a replay is approved as the recorded run was."""
        recorded = self.means.replayed
        if recorded is None:
            return self.approve()
        return next((e.data for e in recorded.events(types=("approved",))), None)

    def _approved(self) -> bool:
        if any(True for _ in self.journal.events(types=("approved",), limit=1)):
            return True
        approval = self._approval()
        if approval is None:
            return False
        self.journal.write_now(event("approved", dedupe="approved", data=dict(approval)))
        return True
