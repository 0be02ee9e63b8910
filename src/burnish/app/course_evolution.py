"""`legos evolve`: the plan of an evolution, and the run that tries rules one after another on the same SEEDs."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from burnish.app.course_delivery import EvolutionLedger
from burnish.app.course_extraction import KIND, take_in
from burnish.app.run_sessions import kept_settings, opened
from burnish.app.runs import EVOLVE
from burnish.app.settings import Loaded
from burnish.core.documents import text_digest
from burnish.core.errors import InputError, LimitReached, ModelAway, StateCorrupt, Submitted, UsageError
from burnish.core.experiments import FEWEST_PAIRS, FEWEST_UNITS, MOST_UNITS
from burnish.core.records import Totals, event
from burnish.engine.experiments import Laboratory
from burnish.engine.plan import Plan, begin, recorded_plan, refuse_changed
from burnish.engine.runner import RunResources, client_of
from burnish.kinds.legos.evidence import CourseEvidence, learn
from burnish.kinds.legos.evolution.overlay import LedgerRow, Overlay, TrialEvidence
from burnish.kinds.legos.evolution.subject import CourseView, Subject
from burnish.kinds.legos.evolution.trials import Evolution, Extractions, Settled
from burnish.kinds.legos.iron_rule import IronRule, Variant
from burnish.kinds.legos.policy import MAX_ATTEMPTS, RETRY_BELOW
from burnish.kinds.legos.requests import EXTRACTOR, PROMPT_VERSION, prompt
from burnish.kinds.legos.resources import Terms
from burnish.kinds.legos.scoring import SCORING_VERSION, ScoringVersion
from burnish.models.prompts import prompt_named
from burnish.store.journal import Journal
from burnish.store.paths import ExportFolder, RunFolder
from burnish.store.processes import Clock, iso, system_clock
from burnish.store.records import Store, open_records
from burnish.store.redaction import Redactor
from burnish.store.sqlite_journal import open_journal, own_run

DEFAULT_SEEDS = 100
SUBJECT = "subject"
"""Key of the journal under which the subject of the run is stored."""


@dataclass(frozen=True, slots=True)
class EvolutionOrder:
    """The arguments of `legos evolve`, beyond the settings."""

    folder: Path
    run_id: str
    seeds: int | None = None
    """How many SEEDs rules are tried on; None: DEFAULT_SEEDS, or as many as were drawn when the run began."""
    seed: int | None = None
    """The seed of the random draw; None: the number of trials in the ledger, so that every evolution draws others."""
    store: Store | None = None
    iron_rule: Variant | None = None
    infinitive_to: bool | None = None
    """The Iron Rule that cuts are held to; None: the default, as in `legos extract`."""
    scoring: ScoringVersion | None = None
    """The version of the score that cuts are compared by; None: the default."""


def recorded_evolution(folder: RunFolder) -> tuple[Plan, Subject] | None:
    """The plan and subject of the recorded evolution; None if there is none yet."""
    if not folder.journal.is_file():
        return None
    with closing(open_journal(folder.journal, clock=system_clock, read_only=True)) as journal:
        plan = recorded_plan(journal)
        if plan is None:
            return None
        if plan.kind != KIND or plan.arguments.get("task") != EVOLVE:
            raise UsageError(f"The run {folder.id} is no evolution.", hint="Choose another --run-id.")
        return plan, recorded_subject(journal)


def recorded_subject(journal: Journal) -> Subject:
    text = journal.get_meta(SUBJECT)
    try:
        return Subject.from_record(json.loads(text or ""))
    except (ValueError, KeyError, TypeError) as wrong:
        raise StateCorrupt(f"The subject of the evolution cannot be read from its journal: {wrong}.") from wrong


def new_evolution(order: EvolutionOrder, loaded: Loaded) -> tuple[Plan, Subject]:
    """The plan and subject of a new run, determined before anything is spent."""
    model = _model(loaded)
    size = _size(order.seeds)
    ledger_files = EvolutionLedger(order.folder)
    ledger = ledger_files.ledger()
    seed = len(ledger.rows) if order.seed is None else order.seed
    course = _course(order)
    where = str(order.folder)
    course.refuse_too_few(where)
    overlay = ledger_files.learnt()
    if not overlay.rules:
        course.refuse_uncut(where)
    tried = overlay.words.union(ledger.tried(model))
    options = _options(course.course_code(where), overlay, order)
    terms = Terms.of(options)
    _ = terms.commission  # a course that cannot be cut is refused now
    facts = learn(list(course.seeds.values()), terms.languages, terms.rule)
    subject = Subject.of(course, facts, overlay.to_bytes(), tried, size=size, seed=seed)
    arguments = {
        "task": EVOLVE,
        "path": str(order.folder.absolute()),
        "is_folder": True,
        "options": options,
        "evolve": {"seeds": size, "seed": seed},
        **kept_settings(loaded.settings, [model]),
    }
    return _plan(order.run_id, model, arguments), subject


def _plan(run_id: str, model: str, arguments: Mapping[str, Any]) -> Plan:
    extract = prompt("extract")
    return Plan(
        run_id=run_id,
        kind=KIND,
        documents=(),
        arguments=arguments,
        prompts={extract: prompt_named(extract).version},
        roles={EXTRACTOR: model},
    )


def _options(code: str, overlay: Overlay, order: EvolutionOrder) -> dict[str, Any]:
    """The options for cutting the course in the experiment: those of an extraction by a model."""
    rule = IronRule.of(order.iron_rule, order.infinitive_to)
    return {
        "course": code,
        "extractor": "model",
        "hold": False,
        "retry_below": RETRY_BELOW,
        "max_attempts": MAX_ATTEMPTS,
        "iron_rule": rule.variant,
        "infinitive_to": rule.infinitive_to,
        "scoring": order.scoring or SCORING_VERSION,
        "again": [],
        "prompt_version": str(overlay.version),
        "rules": list(overlay.texts),
    }


def _model(loaded: Loaded) -> str:
    model = loaded.settings.models.corrector_or_default()
    if model is None:
        raise UsageError("Rules are tried with a model.", hint="Name one with --model.")
    return model


def _size(given: int | None) -> int:
    if given is not None and not FEWEST_UNITS <= given <= MOST_UNITS:
        raise UsageError(
            f"Rules cannot be tried on {given} SEEDs.",
            hint=f"--seeds takes {FEWEST_UNITS} to {MOST_UNITS}: a fifth is held out, and at least {FEWEST_PAIRS} are "
            "compared.",
        )
    return given or DEFAULT_SEEDS


def _course(order: EvolutionOrder) -> CourseView:
    """The current course, without invalid records."""
    with open_records(order.folder, order.store) as records:
        return CourseView.of(take_in(records).rows)


def refuse_other_terms(plan: Plan, order: EvolutionOrder, loaded: Loaded) -> None:
    """Raise UsageError if a resumed run is given other arguments: arms with different terms could not be compared."""
    options = plan.arguments["options"]
    given = {
        "the course in": (str(order.folder.absolute()), plan.arguments["path"]),
        "the model": (loaded.settings.models.corrector_or_default(), plan.roles[EXTRACTOR]),
        "--seeds": (order.seeds, plan.arguments["evolve"]["seeds"]),
        "--seed": (order.seed, plan.arguments["evolve"]["seed"]),
        "--iron-rule": (order.iron_rule, options["iron_rule"]),
        "--infinitive-to": (order.infinitive_to, options["infinitive_to"]),
        "--scoring": (order.scoring, options["scoring"]),
    }
    refuse_changed(plan, given)


def extractions_of(plan: Plan, subject: Subject) -> Extractions:
    """The experiment that a plan describes."""
    terms = Terms.of(plan.arguments["options"])
    return Extractions(subject.seeds, terms.commission, subject.habits, CourseEvidence(subject.facts, terms.languages))


class EvolutionWatcher(Protocol):
    """Observes the progress of an evolution."""

    def started(self, answers: int) -> None:
        """`answers`: how many there will be at most, recorded ones among them."""
        ...

    def answered(self, totals: Totals) -> None: ...

    def settled(self, settled: Settled) -> None: ...


@dataclass(frozen=True, slots=True)
class Evolved:
    """The result of a session."""

    stopped: str
    """`done`, `limit`, `submitted` or `model_away`."""
    message: str | None
    settled: tuple[Settled, ...]
    before: Overlay
    after: Overlay
    totals: Totals


def refuse_keys(subject: Subject, redactor: Redactor, path: str) -> None:
    """Raise InputError if a text that goes into prompts holds an API key of this machine."""
    if redactor.knows_keys and redactor.holds_key(list(subject.texts())):
        raise InputError(
            "A SEED or a suggestion of this course holds a key of this machine.",
            path=path,
            code="holds_key",
            hint="Remove the key from the text, and replace it with a new one: it was stored in a file.",
        )


@dataclass(slots=True)
class _EvolutionSession:
    """One process at work on one evolution that it owns."""

    plan: Plan
    subject: Subject
    journal: Journal
    laboratory: Laboratory
    ledger_files: EvolutionLedger
    watcher: EvolutionWatcher
    clock: Clock
    settled: list[Settled] = field(default_factory=list)

    async def work(self) -> Evolved:
        """Try one rule after another until all are tried, a limit is reached or a model is unavailable."""
        before = self.subject.before(PROMPT_VERSION)
        evolution = Evolution(before, self.subject.suggested.rules)
        self.watcher.started(len(self.subject.seeds) * (evolution.most_trials + 1))
        stopped, message = "done", None
        try:
            await self._go_through(evolution)
        except LimitReached as limit:
            stopped, message = "submitted" if isinstance(limit, Submitted) else "limit", str(limit)
        except ModelAway as away:
            stopped, message = "model_away", str(away)
        self.journal.write_now(event("run_stopped", data={"reason": stopped, "message": message}))
        return Evolved(stopped, message, tuple(self.settled), before, evolution.overlay, self.journal.totals())

    async def _go_through(self, evolution: Evolution) -> None:
        while (trial := evolution.next()) is not None:
            name = trial_name(self.plan, trial.number)
            for arm in (trial.before, trial.after):
                self.ledger_files.refuse_overtaken(name, trial, evolution.overlay, self.plan.roles[EXTRACTOR])
                await self.laboratory.measured(arm)
            evidence = await self.laboratory.compare(trial.before, trial.after, trial.p_below)
            known = self.ledger_files.ledger().row(name)
            at = known.at if known is not None else iso(self.clock())
            settled = evolution.settle(trial, evidence, name=name, at=at)
            row = self._row(settled, name, at)
            self.ledger_files.keep(row, settled)
            await self.journal.write(event("trial_settled", dedupe=name, data=row.model_dump(mode="json")))
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
    """The name of a trial in the ledger, unique even among runs of the same id."""
    return f"t_{text_digest(f'{plan.nonce}/{number}').removeprefix('sha256:')[:16]}"


async def evolve_run(
    folder: RunFolder,
    plan: Plan,
    subject: Subject,
    resources: RunResources,
    watcher: EvolutionWatcher,
    *,
    clock: Clock = system_clock,
) -> Evolved:
    """One session on a new or resumed evolution."""
    refuse_keys(subject, resources.redactor, plan.arguments["path"])
    async with opened(resources, plan.models) as ready:
        with own_run(folder, clock, redactor=resources.redactor, began_by="legos evolve") as owned:
            journal = owned.journal
            if recorded_plan(journal) is None:
                # The subject first: a plan without it could not be resumed.
                journal.set_meta(SUBJECT, json.dumps(subject.as_record()))
            current = begin(journal, plan)
            subject = recorded_subject(journal)
            ExportFolder(folder, journal).write_json("manifest.json", current.as_record())
            client = client_of(ready, current, journal)
            if client is None:
                raise UsageError("Rules are tried with a model.", hint="Name one with --model.")
            laboratory = Laboratory(
                extractions_of(current, subject),
                client,
                current.roles[EXTRACTOR],
                subject.split,
                seconds_left=resources.countdown(),
                answered=lambda: watcher.answered(journal.totals()),
            )
            ledger_files = EvolutionLedger(Path(current.arguments["path"]))
            return await _EvolutionSession(current, subject, journal, laboratory, ledger_files, watcher, clock).work()
