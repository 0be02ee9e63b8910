"""A sitting: one process working on one run, from taking it over to writing everything out."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import cast

import orjson

from burnish.core.effects import ModelRoles
from burnish.core.errors import InputError, StateCorrupt, UsageError
from burnish.core.faultpoints import reach
from burnish.core.hashing import text_digest
from burnish.core.kinds import DirectedKind, PolishedKind, PublishedKind
from burnish.core.records import UnitRow, event
from burnish.engine.decisions import Deciding
from burnish.engine.examiner import Examiner, Examining, examiner_of, selection_of
from burnish.engine.exporting import Ending, write_exports
from burnish.engine.neighbours import Neighbours
from burnish.engine.plan import DocumentPlan, Plan
from burnish.engine.proof import Proof
from burnish.engine.publish import Press, blockers, place, unreadable
from burnish.engine.replay import RecordedCourse, RecordedDecisions
from burnish.engine.resources import RunResources, asker_of
from burnish.engine.rounds import RoundTasks
from burnish.engine.run import Run, RunEnd, Watcher, Work
from burnish.engine.runner import Runner
from burnish.engine.units import UnitTasks
from burnish.store.export import ExportFolder
from burnish.store.files import disk_refusals, sha256_of
from burnish.store.journal import Journal
from burnish.store.paths import RunFolder, document_path

MOST_NAMED = 20
"""Blocking units that an event names; `burnish status` names them all."""


@dataclass(frozen=True, slots=True)
class Result:
    """What a sitting came to."""

    outcome: RunEnd
    published: tuple[Proof, ...]
    candidates: tuple[Proof, ...]
    edited_exports: tuple[str, ...]
    """Exports that somebody had changed by hand; they were made anew."""


def begin(journal: Journal, plan: Plan) -> Plan:
    """Write the plan down, or take up the one that is there. Another one under the same id is refused."""
    recorded = recorded_plan(journal)
    if recorded is None:
        models = {"corrector": plan.corrector, "judges": list(plan.judges)}
        journal.write_now(event("run_started", dedupe="run_started", data={"input": plan.input_digest, **models}))
        journal.set_meta("plan", orjson.dumps(plan.as_record()).decode())
        return plan
    if recorded.input_digest != plan.input_digest or recorded.kind != plan.kind:
        raise UsageError(
            f"The run {plan.run_id} exists and is about other input: {recorded.other_input(plan)}",
            hint="Choose another --run-id, or give the files that it was started with.",
        )
    if recorded.terms != plan.terms:
        raise UsageError(
            f"The run {plan.run_id} exists and was started with other arguments.",
            hint=f"`burnish resume {plan.run_id}` goes on with those; a new --run-id starts anew.",
        )
    current = renewed(recorded, corrector=plan.corrector, judges=plan.judges)
    take_up(journal, recorded, current)
    return current


def renewed(plan: Plan, *, corrector: str | None = None, judges: tuple[str, ...] = ()) -> Plan:
    """The plan of a run that goes on. Models that are named anew take the place of the recorded ones from now on."""
    roles = dict(plan.roles)
    if corrector is not None:
        roles |= dict.fromkeys(plan.seats, corrector)
    named = replace(plan, corrector=corrector or plan.corrector, judges=judges or plan.judges, roles=roles)
    asking = plan.asking.with_models(model for model in named.models if model not in plan.models).as_record()
    return replace(named, arguments={**plan.arguments, "asking": asking}) if asking else named


def take_up(journal: Journal, known: Plan, plan: Plan) -> None:
    """Write down that a run goes on, and with which plan."""
    if plan != known:
        journal.set_meta("plan", orjson.dumps(plan.as_record()).decode())
    data = {"corrector": plan.corrector, "judges": list(plan.judges)}
    journal.write_now(event("run_resumed", data=data))


def recorded_plan(journal: Journal) -> Plan | None:
    """The plan of a run that was started, or None where it never got so far."""
    text = journal.get_meta("plan")
    if text is None:
        return None
    try:
        return Plan.from_record(orjson.loads(text))
    except orjson.JSONDecodeError as wrong:
        raise StateCorrupt(f"The plan in the journal cannot be read: {wrong}.") from wrong


def examining_of(plan: Plan, kind: PublishedKind) -> Examining:
    """The rules of a plan, for whoever decides on its units."""
    if kind.traits.is_phased:
        known = kind.context([], plan.demands)
        return Examiner(kind, selection_of(plan, kind), known, {document.name: known for document in plan.documents})
    return (
        examiner_of(plan, cast(DirectedKind, kind))
        if kind.traits.is_whole
        else unit_examiner_of(plan, cast(PolishedKind, kind))
    )


def neighbours_of(plan: Plan, kind: PublishedKind, journal: Journal) -> Neighbours | None:
    """The other units that a changed one must not repeat; None for a kind whose units belong together."""
    return (
        None if (kind.traits.is_whole or kind.traits.is_phased) else Neighbours(plan, cast(PolishedKind, kind), journal)
    )


def unit_examiner_of(plan: Plan, kind: PolishedKind) -> Examiner:
    """The rules for units that stand alone: each document is judged by what it carries itself."""
    contexts = {
        document.name: kind.context([survey], plan.demands)
        for document, survey in zip(plan.documents, plan.surveys, strict=True)
    }
    return Examiner(kind, selection_of(plan, kind), kind.context(list(plan.surveys), plan.demands), contexts)


@dataclass(frozen=True, slots=True)
class RunSession:
    """One process at work on one run that it owns."""

    folder: RunFolder
    journal: Journal
    plan: Plan
    kind: PublishedKind
    means: RunResources

    async def work(self, watcher: Watcher) -> Result:
        """Work until every unit rests or a limit is met; then write out what there is."""
        if not self.folder.manifest.exists():
            self._exports.write_json("manifest.json", self.plan.as_record())
        run = Run(
            compose=self._composed,
            plan=self.plan,
            kind=self.kind,
            journal=self.journal,
            hands=self._hands(watcher),
            watcher=watcher,
            redactor=self.means.redactor,
        )
        return self.write_out(await run.work())

    def _hands(self, watcher: Watcher) -> Work:
        """Who does the work: a pool of units, or a conductor of whole documents."""
        kind = self.kind
        return self._conductor(cast(DirectedKind, kind), watcher) if kind.traits.is_whole else self._pool(watcher)

    def _pool(self, watcher: Watcher) -> UnitTasks:
        kind = cast(PolishedKind, self.kind)
        examiner = unit_examiner_of(self.plan, kind)
        replayed = self.means.replayed
        course = RecordedCourse.of(replayed, self.plan, kind.states) if replayed is not None else None
        client = asker_of(self.means, self.plan, self.journal)
        return UnitTasks(
            plan=self.plan,
            kind=kind,
            journal=self.journal,
            examiner=examiner,
            client=client,
            runner=Runner(client, self.means.workers, self.means.countdown(), self.means.between),
            rested=lambda row: watcher.unit_rested(row, self.journal.totals()),
            decisions=self._recorded_decisions(examiner),
            course=course,
        )

    def _conductor(self, kind: DirectedKind, watcher: Watcher) -> RoundTasks:
        examiner = examiner_of(self.plan, kind)
        client = asker_of(self.means, self.plan, self.journal)
        return RoundTasks(
            plan=self.plan,
            kind=kind,
            journal=self.journal,
            selection=examiner.selection,
            context=lambda name: examiner.contexts[name],
            seats=ModelRoles(self.plan.judges, self.plan.roles),
            options=self.plan.arguments.get("options", {}),
            client=client,
            runner=Runner(client, self.means.workers, self.means.countdown(), self.means.between),
            rested=lambda row: watcher.unit_rested(row, self.journal.totals()),
            happened=lambda event: watcher.happened(event, self.journal.totals()),
            decisions=self._recorded_decisions(examiner),
            replayed=self.means.replayed,
        )

    def _recorded_decisions(self, examining: Examining) -> RecordedDecisions | None:
        if self.means.replayed is None:
            return None
        return RecordedDecisions(
            self.means.replayed, Deciding(self.journal, examining, neighbours_of(self.plan, self.kind, self.journal))
        )

    @property
    def _exports(self) -> ExportFolder:
        return ExportFolder(self.folder, self.journal)

    def _composed(self) -> tuple[Proof, ...]:
        press = Press(self.plan, self.kind, self.journal)
        return tuple(self._candidate(press, document) for document in self.plan.documents)

    def why_not_held(self, row: UnitRow) -> str | None:
        """Why the document cannot hold the draft of a unit that stands; None where it can. Nothing is left behind."""
        return self.not_held(row.document).get(row.id) if row.best_attempt >= 2 else None

    def not_held(self, name: str) -> Mapping[str, str]:
        """Every unit of a document whose draft it cannot hold, and why. The whole document is written for that."""
        [document] = [each for each in self.plan.documents if each.name == name]
        format = self._format(document, self._target(document))
        with tempfile.TemporaryDirectory() as aside:
            return Press(self.plan, self.kind, self.journal).compose(document, Path(aside) / "written", format).refused

    def write_out(self, outcome: RunEnd) -> Result:
        """Candidates always, the published documents only if nothing blocks, then every export."""
        finished = self.journal.get_meta("ingested") is not None
        candidates = outcome.candidates or (self._composed() if finished else ())
        blocked = not finished or self._is_blocked()
        whole = all(proof.whole for proof in candidates)
        edited = [] if blocked else self._edited_by_hand(candidates)
        published = self._publish(candidates) if whole and not blocked else ()
        delivered = "best_effort" if outcome.stopped == "best_effort" else "done"
        ending = Ending(delivered if published else outcome.stopped, published, candidates)
        edited += write_exports(self.plan, self.kind, self.journal, self._exports, ending)
        if not blocked and not whole:
            raise self._holes(candidates)
        return Result(outcome, published, candidates, tuple(edited))

    def _is_blocked(self) -> bool:
        """Whether something keeps the run from being published. It is written down whenever it is something else."""
        states = {state: number for state, number in self.journal.counts().items() if state != self.kind.states.ready}
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
            hint=f"Start again with another --out and --replay {self.plan.run_id}: no call is made twice.",
        )

    def _candidate(self, press: Press, document: DocumentPlan) -> Proof:
        target = self._target(document)
        format = self._format(document, target)
        name = document.name if format == document.format else f"{document.name}{target.suffix}"
        return press.compose(document, document_path(self.folder.candidate, name), format)

    def _format(self, document: DocumentPlan, target: Path) -> str:
        """What the user asks for; else what the name says, and a name that is as it was says that all is as it was."""
        if self._wanted_format is not None:
            return self._wanted_format
        if target.suffix.lower() == Path(document.path).suffix.lower():
            return document.format
        return self.kind.output_format(target.name, document.format)

    def _target(self, document: DocumentPlan) -> Path:
        """Where the user wants the document: `--out` is a file for one document, a folder for a folder."""
        if self.plan.out is not None and not self.plan.arguments.get("is_folder"):
            return Path(self.plan.out)
        return document_path(Path(self.plan.out or self.folder.out), self._published_name(document))

    def _published_name(self, document: DocumentPlan) -> str:
        """The document's own name; in another format, with an ending that says so."""
        wanted = self._wanted_format
        if wanted in (None, document.format):
            return document.name
        return f"{document.name}{self.kind.formats[str(wanted)][0]}"

    @property
    def _wanted_format(self) -> str | None:
        """The format that the user asks for, whatever the names say."""
        wanted = self.plan.arguments.get("out_format")
        return None if wanted is None else str(wanted)

    def _edited_by_hand(self, candidates: tuple[Proof, ...]) -> list[str]:
        """Published documents that are no longer as they were published. Like other exports they are made anew."""
        if not any(True for _ in self.journal.events(types=("published",), limit=1)):
            return []
        targets = [(self._target(document), proof) for document, proof in self._pairs(candidates)]
        return [str(path) for path, proof in targets if path.is_file() and not _holds(path, proof)]

    def _pairs(self, candidates: tuple[Proof, ...]) -> Iterator[tuple[DocumentPlan, Proof]]:
        return zip(self.plan.documents, candidates, strict=True)

    def _publish(self, candidates: tuple[Proof, ...]) -> tuple[Proof, ...]:
        placed = tuple(place(proof, self._target(document)) for document, proof in self._pairs(candidates))
        self.journal.write_now(
            event("published", dedupe="published", data={"documents": [proof.as_record() for proof in placed]})
        )
        reach("engine.publish.recorded")
        return placed


def _holds(path: Path, proof: Proof) -> bool:
    with disk_refusals("read", path):
        return sha256_of(path) == proof.sha256_after
