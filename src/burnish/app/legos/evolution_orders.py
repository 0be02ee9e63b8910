"""What a user asks of `legos evolve`, as the plan of a run and what that run is about."""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from burnish import __version__
from burnish.app.legos.extraction_orders import KIND, take_in
from burnish.app.legos.notebook import Notebook
from burnish.app.loading import Loaded
from burnish.app.polishing import CEILINGS
from burnish.app.secrecy import without_password
from burnish.core.errors import StateCorrupt, UsageError
from burnish.core.experiments import FEWEST_PAIRS, FEWEST_UNITS, MOST_UNITS
from burnish.engine.plan import Plan
from burnish.engine.session import recorded_plan
from burnish.kinds.legos.asks import EXTRACTOR, prompt
from burnish.kinds.legos.equipment import Terms
from burnish.kinds.legos.evolving.measuring import Extractions
from burnish.kinds.legos.evolving.overlay import Overlay
from burnish.kinds.legos.evolving.subject import CourseView, Subject
from burnish.kinds.legos.iron_rule import Variant
from burnish.kinds.legos.policy import MAX_ATTEMPTS, RETRY_BELOW
from burnish.models.prompts import prompt_named
from burnish.store.clock import system_clock
from burnish.store.journal import Journal
from burnish.store.paths import RunFolder
from burnish.store.records import Store, open_records
from burnish.store.sqlite_journal import open_journal

TASK = "evolve"
"""What a run of this kind is for, where it is not the extraction of a course."""
DEFAULT_SEEDS = 100
SUBJECT = "subject"
"""Where the journal keeps what the run is about."""


@dataclass(frozen=True, slots=True)
class EvolutionOrder:
    """What a user asks of `legos evolve`, beyond the settings."""

    folder: Path
    run_id: str
    seeds: int | None = None
    """How many SEEDs rules are tried on; None: DEFAULT_SEEDS, or as many as were drawn when the run began."""
    seed: int | None = None
    """What they are drawn with; None: the number of trials in the ledger, so that every evolution draws others."""
    store: Store | None = None
    iron_rule: Variant | None = None
    infinitive_to: bool | None = None
    """The Iron Rule that cuts are held to; None: strict, as in `legos extract`."""


def recorded(folder: RunFolder) -> tuple[Plan, Subject] | None:
    """What an evolution of this name is about; None: there is none yet."""
    if not folder.journal.is_file():
        return None
    with closing(open_journal(folder.journal, clock=system_clock, read_only=True)) as journal:
        plan = recorded_plan(journal)
        if plan is None:
            return None
        if plan.kind != KIND or plan.arguments.get("task") != TASK:
            raise UsageError(f"The run {folder.id} is no evolution.", hint="Choose another --run-id.")
        return plan, recorded_subject(journal)


def recorded_subject(journal: Journal) -> Subject:
    text = journal.get_meta(SUBJECT)
    try:
        return Subject.from_record(json.loads(text or ""))
    except (ValueError, KeyError, TypeError) as wrong:
        raise StateCorrupt(f"What the evolution is about cannot be read from its journal: {wrong}.") from wrong


def planned(order: EvolutionOrder, loaded: Loaded) -> tuple[Plan, Subject]:
    """Everything that shapes a new run, found out before anything is spent."""
    model = _model(loaded)
    size = _size(order.seeds)
    notebook = Notebook(order.folder)
    ledger = notebook.ledger()
    seed = len(ledger.rows) if order.seed is None else order.seed
    course = _course(order)
    where = str(order.folder)
    course.refuse_too_few(where)
    overlay = notebook.learnt()
    if not overlay.rules:
        course.refuse_uncut(where)
    tried = overlay.words.union(ledger.tried(model))
    subject = Subject.of(course, overlay.to_bytes(), tried, size=size, seed=seed)
    options = _options(course.course_code(where), overlay, order)
    _ = Terms.of(options).commission  # a course that nobody can cut is refused now
    arguments = {
        "task": TASK,
        "path": str(order.folder.absolute()),
        "is_folder": True,
        "options": options,
        "evolve": {"seeds": size, "seed": seed},
        "base_url": without_password(loaded.settings.models.base_url),
        "limits": {name: getattr(loaded.settings.limits, name) for name in CEILINGS},
    }
    return _plan(order.run_id, model, arguments), subject


def _plan(run_id: str, model: str, arguments: Mapping[str, Any]) -> Plan:
    extract = prompt("extract")
    return Plan(
        run_id=run_id,
        kind=KIND,
        documents=(),
        nonce=secrets.token_hex(16),
        arguments=arguments,
        rules=(),
        severities={},
        demands={},
        corrector=None,
        judges=(),
        prompts={extract: prompt_named(extract).version},
        version=__version__,
        roles={EXTRACTOR: model},
    )


def _options(code: str, overlay: Overlay, order: EvolutionOrder) -> dict[str, Any]:
    """The terms on which the course is cut in the experiment: as in an extraction by a model."""
    return {
        "course": code,
        "extractor": "model",
        "hold": False,
        "retry_below": RETRY_BELOW,
        "max_attempts": MAX_ATTEMPTS,
        "iron_rule": order.iron_rule or "strict",
        "infinitive_to": True if order.infinitive_to is None else order.infinitive_to,
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
    """The course as it stands; records that are not valid take part in nothing."""
    with open_records(order.folder, order.store) as records:
        return CourseView.of(take_in(records).rows)


def refuse_others(plan: Plan, order: EvolutionOrder, loaded: Loaded) -> None:
    """A run that goes on is about what it was about: arms under different terms could not be compared."""
    options = plan.arguments["options"]
    said: dict[str, tuple[object, object]] = {
        "the course in": (str(order.folder.absolute()), plan.arguments["path"]),
        "the model": (loaded.settings.models.corrector_or_default(), plan.roles[EXTRACTOR]),
        "--seeds": (order.seeds, plan.arguments["evolve"]["seeds"]),
        "--seed": (order.seed, plan.arguments["evolve"]["seed"]),
        "--iron-rule": (order.iron_rule, options["iron_rule"]),
        "--infinitive-to": (order.infinitive_to, options["infinitive_to"]),
    }
    for what, (now, then) in said.items():
        if now is not None and now != then:
            raise UsageError(
                f"The run {plan.run_id} was started with {what} {then}, not {now}.",
                hint="Leave that out to go on with it, or choose another --run-id.",
            )


def extractions_of(plan: Plan, subject: Subject) -> Extractions:
    """The experiment that a plan describes."""
    return Extractions(subject.seeds, Terms.of(plan.arguments["options"]).commission, subject.habits)
