"""A session: one process at work on one run, from reading its units to writing all results."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

from burnish.core.documents import PassedThrough, Problem, Unit, digest, text_digest
from burnish.core.effects import ModelRoles
from burnish.core.errors import InputError, LimitReached, Submitted
from burnish.core.faultpoints import reach
from burnish.core.kinds import Kind
from burnish.core.records import AttemptRecord, EventRecord, Record, SourceRecord, Totals, UnitRow, event
from burnish.core.tasks import CORRECTOR, Environment
from burnish.engine.batches import BatchTasks, begin_anew
from burnish.engine.dismissals import RunDismissals
from burnish.engine.endings import KeptEnd
from burnish.engine.exports import Ending, write_exports
from burnish.engine.interpreters import Translator
from burnish.engine.plan import DocumentPlan, Plan, is_changed, verify_compared, verify_source
from burnish.engine.proof import Proof
from burnish.engine.publish import (
    Publication,
    blockers,
    emptied,
    emptied_words,
    problem_event,
    unreadable,
)
from burnish.engine.rounds import RoundTasks
from burnish.engine.runner import Runner, RunResources, RunTasks, client_of
from burnish.engine.unit_loader import (
    KindPresenter,
    Neighbours,
    UnitLoader,
    examiner_of,
    moved,
    parts_of,
    refuse_keys,
    units_of,
)
from burnish.engine.units import UnitTasks
from burnish.models.calls import span
from burnish.models.gateway import CallWatch
from burnish.store.journal import Journal
from burnish.store.paths import ExportFolder, RunFolder

MOST_NAMED = 20
"""Blocking units named in an event; `burnish status` names all."""
INGEST_BATCH = 500
"""Units per transaction while reading a document: few commits, and a crash costs little."""
STOPPED_SHORT = ("limit", "model_away", "submitted")
"""Reasons for which a session ended early: the run continues when it is resumed."""
SETTLED = ("done", "needs_person", "bad_input", "best_effort", "regenerate")
"""Ends after which only a person, other models or a changed file give a session something to do."""
SCOPE = "scope"
"""The journal's key for the files that decide which units are in scope."""
Approval = Callable[[Sequence[str]], Mapping[str, Any] | None]
"""Asks the person who may approve. It gets the documents that would be published without any unit. Returns the
approval's record, or None."""


def no_approval(left_empty: Sequence[str]) -> None:
    """Return no approval."""


class Watcher(CallWatch):
    """Observes a run. This base class ignores all events; subclasses show them."""

    def started(self, total: int, done: int) -> None:
        """Called with the numbers of all units and of settled ones."""

    def on_settled(self, row: UnitRow, totals: Totals) -> None:
        """Called when a unit is settled."""

    def stage_began(self, stage: str, units: int) -> None:
        """Called when so many units begin a stage, each of which takes about the same time."""

    def stage_passed(self, units: int, totals: Totals) -> None:
        """Called when so many more units have passed the stage."""

    def on_event(self, event: EventRecord, totals: Totals) -> None:
        """Called with every recorded event of the work on a document."""

    def unreadable(self, parts: Iterator[EventRecord]) -> None:
        """Called before the first call with the parts of the input that keep the result from being published."""


@dataclass(frozen=True, slots=True)
class RunEnd:
    """The end of a run."""

    counts: dict[str, int]
    totals: Totals
    stopped: str
    """`done`, `needs_person`, `awaiting_approval`, `source_changed`, `limit`, `model_away`, `submitted` if calls are
    with a provider in a batch, `bad_input` if everything is done except for unreadable parts; or a status of the kind,
    such as `best_effort`."""
    message: str | None = None
    candidates: tuple[Proof, ...] = ()
    """The current documents, each written and proven."""


@dataclass(frozen=True, slots=True)
class Result:
    """The result of a session."""

    outcome: RunEnd
    published: tuple[Proof, ...]
    candidates: tuple[Proof, ...]
    edited_exports: tuple[str, ...]
    """Exports that were changed by hand and written again."""


def neighbours_of(plan: Plan, kind: Kind, journal: Journal) -> Neighbours | None:
    """Return the other units that a changed one must not repeat; None for a kind whose units belong together."""
    return None if kind.is_whole or kind.is_phased else Neighbours(plan, kind, journal)


@dataclass(frozen=True, slots=True)
class RunSession:
    """One process at work on one run that it owns."""

    folder: RunFolder
    journal: Journal
    plan: Plan
    kind: Kind
    resources: RunResources
    tools: Callable[[], Mapping[str, Translator]] = dict
    """Makes the translators that are not language models; called only if there is work to do."""
    approve: Approval = no_approval
    only_rework: bool = False
    """Whether only units that wait for rework are processed."""
    deliver: Callable[[], None] = lambda: None
    """Copies the journal's data to its place outside the run. It is called at the end of every session, and again after
    an interruption, so repeating it must have the same result."""

    def __post_init__(self) -> None:
        self.journal.present_with(KindPresenter.of(self.kind))

    async def work(self, watcher: Watcher) -> Result:
        """Work until all units are settled, a limit is reached or a model is away; then publish and export."""
        with span("burnish.run", {"burnish.run": self.plan.run_id, "burnish.kind": self.plan.kind}):
            if not self.folder.manifest.exists():
                self._exports.write_json("manifest.json", self.plan.as_record())
            if self.kind.is_phased and any(is_changed(document) for document in self.plan.documents):
                return self.write_out(self._end("source_changed"), is_end=True)
            for document in self.plan.documents:
                verify_source(document)
            verify_compared(self.plan)
            await self._ingest()
            if self.journal.get_meta(SCOPE) != self._scope:
                await self._reauthorize()
            tasks = self._tasks(watcher)
            if tasks.client is not None and not self.kind.is_phased:
                watcher.unreadable(unreadable(self.journal))
            await tasks.prepare()
            counts, states = self.journal.counts(), self.kind.states
            done = sum(counts.get(state, 0) for state in (states.ready, states.waiting, self.kind.merged))
            due = len(tasks.due_again())
            watcher.started(sum(counts.values()) - counts.get(self.kind.out_of_scope, 0), done - due)
            kept = None if due else self._kept_end()
            if kept is not None:
                return kept
            while True:
                limit = await tasks.work_on_all()
                reach("engine.run.stopped")
                await tasks.call_back()
                candidates = () if self.kind.is_phased else self._publication.composed()
                self._publication.call_back(candidates)
                if limit is not None or tasks.runner.outage is not None or not tasks.goes_on():
                    return self.write_out(self._ended(limit, tasks, candidates), is_end=True)

    def _kept_end(self) -> Result | None:
        """Return the end of the last session if nothing has happened since; None: there is something to do."""
        if self.kind.is_phased:
            return None
        kept = KeptEnd.of(self.journal)
        if kept is None or not kept.holds(self.plan, self.journal, self._exports):
            return None
        self.journal.write_now(event("run_stopped", data={"reason": kept.stopped, "message": kept.message}))
        return Result(self._end(kept.stopped, kept.message, kept.candidates), kept.published, kept.candidates, ())

    def _ended(self, limit: LimitReached | None, tasks: RunTasks, candidates: tuple[Proof, ...]) -> RunEnd:
        if limit is not None:
            return self._end("submitted" if isinstance(limit, Submitted) else "limit", str(limit), candidates)
        away = tasks.runner.outage
        if away is not None:
            return self._end("model_away", away, candidates)
        waits = any(True for _ in self.journal.units(states=(self.kind.states.waiting,), limit=1))
        holes = any(True for _ in unreadable(self.journal))
        plainly = "needs_person" if waits else "bad_input" if holes and not self.kind.is_phased else "done"
        return self._end(tasks.ending() or plainly, None, candidates)

    def _end(self, stopped: str, message: str | None = None, candidates: tuple[Proof, ...] = ()) -> RunEnd:
        return RunEnd(self.journal.counts(), self.journal.totals(), stopped, message, candidates)

    def _tasks(self, watcher: Watcher) -> RunTasks:
        """Return the tasks of the run: units, rounds of documents, or batches of phases."""

        def on_event(event: EventRecord) -> None:
            watcher.on_event(event, self.journal.totals())

        client = client_of(self.resources, self.plan, self.journal, on_event, watcher)
        examiner = examiner_of(self.plan, self.kind)
        roles = dict(self.plan.roles)
        if self.plan.corrector is not None and not roles:
            roles[CORRECTOR] = self.plan.corrector
        options = self.plan.arguments.get("options", {})
        is_asked = client is not None or bool(self.plan.roles)
        common: dict[str, Any] = {
            "plan": self.plan,
            "kind": self.kind,
            "journal": self.journal,
            "examiner": examiner,
            "dismissals": RunDismissals(self.journal, self.kind),
            "env": Environment(
                examiner.selection,
                ModelRoles(self.plan.judges, roles, *self.plan.rooms(self.kind)) if is_asked else ModelRoles(),
                options,
                only_rework=self.only_rework,
                off=frozenset(self.plan.off),
            ),
            "client": client,
            "runner": Runner(
                client, self.resources.workers, self.resources.countdown(), self.resources.apply_decisions
            ),
            "on_settled": lambda row: watcher.on_settled(row, self.journal.totals()),
        }
        if self.kind.is_phased:
            return BatchTasks(
                tools=self.tools(),
                began=watcher.stage_began,
                passed=lambda units: watcher.stage_passed(units, self.journal.totals()),
                **common,
            )
        return RoundTasks(on_event=on_event, **common) if self.kind.is_whole else UnitTasks(**common)

    @property
    def _exports(self) -> ExportFolder:
        return ExportFolder(self.folder, self.journal)

    @property
    def _publication(self) -> Publication:
        return Publication(self.folder, self.plan, self.kind, self.journal)

    # -- reading the input

    async def _ingest(self) -> None:
        """Record a row and the source of every unit. Done once; after a crash it is repeated without changing
        anything."""
        if self.journal.get_meta("ingested"):
            return
        position, waits = 0, False
        for document in self.plan.documents:
            batch: list[Record] = []
            for part in parts_of(self.kind, document):
                if isinstance(part, Problem):
                    batch.append(problem_event(document.name, part))
                elif isinstance(part, PassedThrough):
                    data = {"document": document.name, "id": part.id, "type": part.type, "line": part.line}
                    dedupe = f"passed:{document.name}:{part.id}:{part.line}"
                    batch.append(event("passed_through", dedupe=dedupe, data=data))
                else:
                    row, *records = self._taken_in(document, part, position)
                    batch += [row, *records]
                    position += 1
                    waits = waits or row.state == self.kind.states.waiting
                if len(batch) >= INGEST_BATCH:
                    reach("engine.ingest.batch")
                    await self.journal.write(*batch)
                    batch = []
            told = event("ingested", dedupe=f"ingested:{document.name}", data={"document": document.name})
            await self.journal.write(*batch, told)
        self.journal.set_meta(SCOPE, self._scope)
        if waits:
            # A person may send it to work when no other unit passes the phases, so the facts must be available.
            begin_anew(self.journal)
        self.journal.set_meta("ingested", "yes")
        reach("engine.ingest.done")

    def _taken_in(
        self, document: DocumentPlan, unit: Unit, position: int
    ) -> tuple[UnitRow, SourceRecord] | tuple[UnitRow, AttemptRecord, EventRecord]:
        """Return a unit's row and its source, which is the first attempt in kinds with phases."""
        refuse_keys(self.resources.redactor, self.kind, unit, document.path)
        id, record = self.plan.unit_id(document.name, unit.id), self.kind.to_record(unit)
        stop = self.kind.admitted(unit)
        row = UnitRow(id, document.name, position, unit.content_hash, stop.state, stop.reason)
        if not self.kind.is_phased:
            return row, SourceRecord(id, record)
        told = {"from": None, "to": stop.state, "reason": stop.reason}
        return (
            replace(row, attempts=1, best_attempt=1),
            AttemptRecord(id, 1, "source", record, unit.content_hash, {}, (), passed=False),
            event("state_changed", id, dedupe=f"taken_in:{id}", data=told),
        )

    @property
    def _scope(self) -> str:
        """A digest of the files that decide what is in scope. They change only with authority."""
        return digest(sorted((one.role, one.sha256) for one in self.plan.materials))

    async def _reauthorize(self) -> None:
        """Apply changed exclusions, which need authority. After a kill the next session continues."""
        begin_anew(self.journal)
        loader = UnitLoader(self.kind, self.journal)
        out = self.kind.out_of_scope
        for part in (part for document in self.plan.documents for part in parts_of(self.kind, document)):
            if isinstance(part, Problem | PassedThrough):
                continue
            row = self.journal.unit(part.id)
            stop = self.kind.admitted(part)
            if row is None or (row.state == out) == (stop.state == out):
                continue
            item = loader.item(row)
            unit = self.kind.readmitted(item.unit, part)
            attempt = AttemptRecord(
                row.id, len(item.attempts) + 1, "source", self.kind.to_record(unit), unit.content_hash, {}, (), False
            )
            told, after = moved(self.kind.states, row, stop.state, stop.reason)
            grown = replace(after, attempts=attempt.number, best_attempt=attempt.number)
            audit = event("reauthorized", row.id, data={"state": stop.state, "reason": stop.reason})
            await self.journal.write(attempt, audit, told, grown)
        self.journal.set_meta(SCOPE, self._scope)

    def _mark_stale(self) -> None:
        """After a change of the source, let its changed units wait for a person, and keep decisions from publishing."""
        [document] = self.plan.documents
        states = self.kind.states
        try:
            now = {unit.id: unit.content_hash for unit in units_of(self.kind, document)}
        except InputError:
            now = {}  # a document that can no longer be read has none of its units
        for row in self.journal.units():
            open = row.state not in (states.waiting, self.kind.merged, self.kind.out_of_scope)
            if row.document and open and now.get(row.id) != row.content_hash:
                self.journal.write_now(*moved(states, row, states.waiting, "stale_source"))
        self.journal.write_now(event("stale_source", data={"document": document.name}))

    # -- the end

    def why_not_held(self, row: UnitRow) -> str | None:
        """Return why the document cannot hold a unit's current draft; None if it can. Leaves no files behind."""
        if self.kind.is_phased:
            return self.kind.why_incomplete(UnitLoader(self.kind, self.journal).item(row).unit)
        return self._publication.not_held(row.document).get(row.id) if row.best_attempt >= 2 else None

    def write_out(self, outcome: RunEnd, *, is_end: bool = False) -> Result:
        """Publish if nothing blocks, after approval if the kind needs it; then write all exports.

        `is_end`: the work has just ended; otherwise its result is only written again.
        """
        stopped, candidates = outcome.stopped, outcome.candidates
        published: tuple[Proof, ...] = ()
        is_ingested = self.journal.get_meta("ingested") is not None
        edited: list[str] = []
        is_blocked = False
        if is_ingested and self.kind.is_phased and stopped not in STOPPED_SHORT:
            stopped, published = self._publish_approved()
        elif is_ingested and not self.kind.is_phased:
            is_blocked = self._is_blocked()
            left_empty = [] if is_blocked else emptied(self.journal, self.kind)
            if left_empty and not self._approved(left_empty):
                stopped, is_blocked = "awaiting_approval", True
                done, files = emptied_words(self.kind, left_empty)
                outcome = replace(outcome, message=f"{done}: {files} would be published.")
        if is_end or stopped != outcome.stopped:
            self.journal.write_now(event("run_stopped", data={"reason": stopped, "message": outcome.message}))
        holes = False
        if is_ingested and not self.kind.is_phased:
            candidates = candidates or self._publication.composed()
            edited = [] if is_blocked else self._publication.edited_by_hand(candidates)
            holes = not is_blocked and not all(proof.whole for proof in candidates)
            published = () if is_blocked or holes else self._publication.publish(candidates)
        said = "done" if published and stopped != "best_effort" else stopped
        ending = Ending(said, published, candidates, outcome.message)
        edited += write_exports(self.plan, self.kind, self.journal, self._exports, ending)
        if is_ingested:
            self.deliver()
            reach("engine.run.delivered")
        if holes:
            raise self._holes(candidates)
        if stopped in SETTLED and not self.kind.is_phased:
            told = (stopped, outcome.message, candidates, published)
            KeptEnd.now(self.plan, self.journal, *told).keep(self.journal)
        return Result(self._end(stopped, outcome.message, candidates), published, candidates, tuple(edited))

    def _is_blocked(self) -> bool:
        """Return whether something keeps the run from being published, and record it if it has changed."""
        past = (self.kind.states.ready, self.kind.states.dropped)
        states = {state: number for state, number in self.journal.counts().items() if state not in past}
        parts = sum(1 for _ in unreadable(self.journal))
        if not states and not parts:
            return False
        first = [row.id for row in islice(blockers(self.journal, self.kind), MOST_NAMED)]
        data = {"unreadable_parts": parts, "states": states, "first_units": first}
        self.journal.write_now(event("publish_blocked", dedupe=f"blocked:{text_digest(str(data))}", data=data))
        return True

    def _holes(self, candidates: tuple[Proof, ...]) -> InputError:
        missing = sum(proof.left_out + len(proof.refused) for proof in candidates)
        why = [sentence for proof in candidates for sentence in (*proof.lost, *dict.fromkeys(proof.refused.values()))]
        return InputError(
            f"The output cannot hold {missing} of the units, so nothing was published. {' '.join(why)}".rstrip(),
            path=self.plan.out,
            code="cannot_convert",
            hint="Start again with another --out.",
        )

    def _publish_approved(self) -> tuple[str, tuple[Proof, ...]]:
        """Return the status of the run, and what was published with approval."""
        try:
            for document in self.plan.documents:
                verify_source(document)
            if any(True for _ in blockers(self.journal, self.kind)):
                return "needs_person", ()
            proofs = self._publication.composed()
            if self._publication.call_back(proofs):
                return "needs_person", ()
            if not self._approved():
                return "awaiting_approval", ()
            reach("engine.publish.approved")
            return "done", self._publication.publish(proofs)
        except InputError as error:
            if error.code != "source_changed":
                raise
        # Documents that were in place before the source changed are published.
        if self._publication.is_published or self._publication.finished():
            return "done", ()
        self._publication.give_up()
        self._mark_stale()
        return "source_changed", ()

    def _approved(self, left_empty: Sequence[str] = ()) -> bool:
        """Return whether a person approved. `left_empty`: documents that would be published without any unit: whoever
        approves says yes to these."""
        if _approval_in(self.journal, left_empty) is not None:
            return True
        approval = self.approve(left_empty)
        if approval is None:
            return False
        shown = {"nothing_left": list(left_empty)} if left_empty else {}
        dedupe = f"approved:{text_digest(str(left_empty))}" if left_empty else "approved"
        self.journal.write_now(event("approved", dedupe=dedupe, data={**approval, **shown}))
        return True


def _approval_in(journal: Journal, left_empty: Sequence[str]) -> Mapping[str, Any] | None:
    """Return the recorded approval of exactly these empty documents; of the whole, if there are none."""
    found = (each.data for each in journal.events(types=("approved",)))
    return next((data for data in found if list(left_empty) == data.get("nothing_left", [])), None)
