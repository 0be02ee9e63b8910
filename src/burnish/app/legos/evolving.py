"""One sitting on an evolution: rules are tried one after another, and the course learns what the evidence shows."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from burnish.app.legos.evolution_orders import SUBJECT, extractions_of, recorded_subject
from burnish.app.legos.notebook import Notebook
from burnish.app.polishing import opened
from burnish.core.errors import InputError, LimitReached, UsageError
from burnish.core.events import event
from burnish.core.hashing import text_digest
from burnish.core.records import Totals
from burnish.engine.experiments import Laboratory, ModelAway
from burnish.engine.means import Means, asker_of
from burnish.engine.plan import Plan
from burnish.engine.session import begin, recorded_plan
from burnish.kinds.legos.asks import EXTRACTOR, PROMPT_VERSION
from burnish.kinds.legos.evolving.evolution import Evolution, Settled
from burnish.kinds.legos.evolving.overlay import Overlay
from burnish.kinds.legos.evolving.shapes import LedgerRow, TrialEvidence
from burnish.kinds.legos.evolving.subject import Subject
from burnish.store.clock import Clock, iso, system_clock
from burnish.store.export import ExportFolder
from burnish.store.journal import Journal
from burnish.store.ownership import own_run
from burnish.store.paths import RunFolder
from burnish.store.redaction import Redactor


class EvolutionWatcher(Protocol):
    """Whoever wants to see an evolution."""

    def started(self, answers: int) -> None:
        """`answers`: how many there will be at most, recorded ones among them."""
        ...

    def answered(self, totals: Totals) -> None: ...

    def settled(self, settled: Settled) -> None: ...


@dataclass(frozen=True, slots=True)
class Evolved:
    """What a sitting came to."""

    stopped: str
    """`done`, `limit` or `model_away`."""
    message: str | None
    settled: tuple[Settled, ...]
    before: Overlay
    after: Overlay
    totals: Totals


def refuse_keys(subject: Subject, redactor: Redactor, path: str) -> None:
    """No prompt may spread a key of this machine."""
    if redactor.knows_keys and redactor.holds_key(list(subject.texts())):
        raise InputError(
            "A SEED or a suggestion of this course holds a key of this machine.",
            path=path,
            code="holds_key",
            hint="Take the key out of the text, and exchange it for a new one: it was written down.",
        )


@dataclass(slots=True)
class _Sitting:
    """One process at work on one evolution that it owns."""

    plan: Plan
    subject: Subject
    journal: Journal
    laboratory: Laboratory
    notebook: Notebook
    watcher: EvolutionWatcher
    clock: Clock
    settled: list[Settled] = field(default_factory=list)

    async def work(self) -> Evolved:
        """Try one rule after another; a limit or a model that is away ends it where it is."""
        before = self.subject.before(PROMPT_VERSION)
        evolution = Evolution(before, self.subject.suggested.rules)
        self.watcher.started(len(self.subject.seeds) * (evolution.most_trials + 1))
        stopped, message = "done", None
        try:
            await self._go_through(evolution)
        except LimitReached as limit:
            stopped, message = "limit", str(limit)
        except ModelAway as away:
            stopped, message = "model_away", str(away)
        self.journal.write_now(event("run_stopped", data={"reason": stopped, "message": message}))
        return Evolved(stopped, message, tuple(self.settled), before, evolution.overlay, self.journal.totals())

    async def _go_through(self, evolution: Evolution) -> None:
        while (trial := evolution.next()) is not None:
            name = trial_name(self.plan, trial.number)
            for arm in (trial.before, trial.after):
                self.notebook.refuse_overtaken(name, trial, evolution.overlay, self.plan.roles[EXTRACTOR])
                await self.laboratory.measured(arm)
            evidence = await self.laboratory.compare(trial.before, trial.after, trial.p_below)
            known = self.notebook.ledger().row(name)
            at = known.at if known is not None else iso(self.clock())
            settled = evolution.settle(trial, evidence, name=name, at=at)
            row = self._row(settled, name, at)
            self.notebook.keep(row, settled)
            told = event("trial_settled", dedupe=name, data=row.model_dump(mode="json"))
            await self.journal.write(told)
            self.settled.append(settled)
            self.watcher.settled(settled)

    def _row(self, settled: Settled, name: str, at: str) -> LedgerRow:
        trial, split = settled.trial, self.subject.split
        return LedgerRow(
            trial=name,
            at=at,
            run_id=self.plan.run_id,
            model=self.plan.roles[EXTRACTOR],
            seed=self.plan.arguments["evolve"]["seed"],
            action=trial.action,
            rule=trial.rule.id,
            text=trial.rule.text,
            suggestion_id=trial.rule.suggestion_id,
            proposed_by=trial.rule.proposed_by,
            tested=split.tested,
            held_out=split.held_out,
            version_before=str(settled.before.version),
            version_after=str(settled.after.version),
            evidence=TrialEvidence(**settled.evidence.as_record()),
            decision=settled.decision,
            reasons=settled.reasons,
            why=settled.why,
        )


def trial_name(plan: Plan, number: int) -> str:
    """What the ledger calls a trial: a name that no other run gives, also not one of the same id."""
    return f"t_{text_digest(f'{plan.nonce}/{number}').removeprefix('sha256:')[:16]}"


async def evolve_run(
    folder: RunFolder,
    plan: Plan,
    subject: Subject,
    means: Means,
    watcher: EvolutionWatcher,
    *,
    clock: Clock = system_clock,
) -> Evolved:
    """One sitting on an evolution that is started, or taken up where it stands."""
    refuse_keys(subject, means.redactor, plan.arguments["path"])
    async with opened(means, plan.models) as ready:
        with own_run(folder, clock, redactor=means.redactor) as owned:
            journal = owned.journal
            if recorded_plan(journal) is None:
                # First what it is about: a plan without it could not go on.
                journal.set_meta(SUBJECT, json.dumps(subject.as_record()))
            current = begin(journal, plan)
            subject = recorded_subject(journal)
            ExportFolder(folder, journal).write_json("manifest.json", current.as_record())
            asker = asker_of(ready, current, journal)
            if asker is None:
                raise UsageError("Rules are tried with a model.", hint="Name one with --model.")
            laboratory = Laboratory(
                extractions_of(current, subject),
                asker,
                current.roles[EXTRACTOR],
                subject.split,
                seconds_left=means.countdown(),
                answered=lambda: watcher.answered(journal.totals()),
            )
            notebook = Notebook(Path(current.arguments["path"]))
            return await _Sitting(current, subject, journal, laboratory, notebook, watcher, clock).work()
