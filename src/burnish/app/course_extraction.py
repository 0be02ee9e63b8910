"""`legos extract`: the plan of a run on a course, and its start or resume."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from burnish.app.course_delivery import EvolutionLedger
from burnish.app.run_sessions import kept_settings, start_run
from burnish.app.settings import Loaded, Settings
from burnish.core.documents import Problem
from burnish.core.errors import InputError, StateCorrupt, UsageError
from burnish.engine.plan import (
    DocumentPlan,
    Plan,
    begin,
    recorded_plan,
    refuse_changed,
    started_plan,
    take_up,
    with_asking,
)
from burnish.engine.publish import problem_event
from burnish.engine.runner import RunResources
from burnish.engine.session import Result, Watcher
from burnish.kinds.legos import requests, text_format
from burnish.kinds.legos.iron_rule import IronRule, Variant
from burnish.kinds.legos.migration import migrated
from burnish.kinds.legos.policy import MAX_ATTEMPTS, RETRY_BELOW, WAITING
from burnish.kinds.legos.resources import EVERY, Extractor, Terms
from burnish.kinds.legos.scoring import SCORING_VERSION, ScoringVersion
from burnish.kinds.legos.validation import validate
from burnish.models.prompts import prompt_named
from burnish.store.files import atomic_writer, make_folder, sha256_of
from burnish.store.journal import Journal
from burnish.store.paths import RunFolder, existing_runs
from burnish.store.processes import Clock, system_clock
from burnish.store.records import DATABASE, CourseRecords, Json, Store, open_records, stores_in
from burnish.store.sqlite_journal import open_journal

KIND = "legos"
TAKEN_IN = "taken_in.jsonl"
"""A copy of the course as it was when the run began, in the run's folder."""
SHARED_ROLES = ("extractor", "mender")
"""The roles that the one model of --model takes."""


@dataclass(frozen=True, slots=True)
class ExtractionOrder:
    """The arguments of `legos extract`, beyond the settings."""

    folder: Path
    run_id: str
    store: Store | None = None
    extractor: Extractor | None = None
    """None: a model if one is named."""
    again: tuple[str, ...] = ()
    """SEEDs that are cut again although they were accepted, or `all`."""
    only: bool = False
    """Whether all other SEEDs are skipped, accepted or not."""
    hold: bool = False
    """Whether every cut waits for a person although it passes."""
    retry_below: float | None = None
    iron_rule: Variant | None = None
    infinitive_to: bool | None = None
    scoring: ScoringVersion | None = None


@dataclass(frozen=True, slots=True)
class TakenIn:
    """The records of a course that a run uses."""

    rows: list[tuple[Json, list[Json]]]
    """Translations and their LEGOs, by SEED."""
    problems: tuple[Problem, ...]
    """Records that are left out, and why."""


def recorded_extraction(folder: RunFolder) -> Plan | None:
    """The plan of the recorded extraction; None if there is none."""
    plan = started_plan(folder)
    if plan is not None and (plan.kind != KIND or "course" not in plan.arguments):
        raise UsageError(f"The run {folder.id} is no extraction.", hint="Choose another --run-id.")
    return plan


def take_in(records: CourseRecords) -> TakenIn:
    """Every valid SEED, old records in migrated form; and the problems of the others."""
    problems = [
        Problem("unreadable_record", one.message, one.where, unit=one.where, blocks=False) for one in records.problems()
    ]
    rows: list[tuple[Json, list[Json]]] = []
    known: dict[str, str] = {}
    for record in records.translations():
        legos = records.legos(of=record["uuid"])
        try:
            current = _usable(record, legos)
            _refuse_second(current, known)
        except InputError as error:
            message = f"This record is left out and stays unchanged: {error.message.rstrip('.')}."
            where = str(record["uuid"])
            problems.append(Problem("invalid_record", message, where, field=error.field, unit=where, blocks=False))
        else:
            rows.append((current, legos))
    return TakenIn(rows, tuple(problems))


def _usable(record: Json, legos: Sequence[Json]) -> Json:
    """A record in migrated form. Raise InputError if it is invalid, or one of its LEGOs is: the run would replace that
    LEGO."""
    current = migrated(record, len(legos))
    worst = next((slip for slip in validate(current) if slip.level == "error"), None)
    if worst is not None:
        raise InputError(f"{worst.field} {worst.message}".strip(), field=worst.field or None)
    for lego in legos:
        try:
            text_format.seed_of_records(current, [lego])
        except (KeyError, TypeError, ValueError, AttributeError):
            raise InputError(f"its LEGO {lego['uuid']} cannot be read as one") from None
    return current


def _refuse_second(record: Json, known: dict[str, str]) -> None:
    """Raise InputError for the second record with the same SEED id."""
    first = known.setdefault(record["seed_id"], record["uuid"])
    if first != record["uuid"]:
        raise InputError(f"{record['seed_id']} is the record {first} already", field="seed_id")


def new_plan(order: ExtractionOrder, loaded: Loaded, folder: RunFolder) -> tuple[Plan, tuple[Problem, ...]]:
    """The plan of a new run, made before anything is spent, and the records that are left out."""
    with _opened(order) as records:
        taken = take_in(records)
        store: Store = order.store or ("sqlite" if records.place.is_file() else "files")
    code = _course_code(taken.rows, order.folder)
    options = _options(order, loaded.settings, code)
    _ = Terms.of(options).commission  # a course that cannot be cut is refused now
    _refuse_unknown(order.again, taken.rows)
    if order.only and (not order.again or EVERY in order.again):
        raise UsageError("--only needs the SEEDs that are cut again.", hint="Name them with --again C0001,C0044.")
    document = _snapshot(folder, taken.rows)
    roles = roles_of(loaded.settings) if options["extractor"] == "model" else _reviewer(loaded.settings)
    plan = Plan(
        run_id=order.run_id,
        kind=KIND,
        documents=(document,),
        arguments={
            "path": document.path,
            "is_folder": False,
            "options": options,
            "shared_roles": list(SHARED_ROLES),
            "auto_merge": True,
            "course": {"folder": str(order.folder.absolute()), "store": store},
            **kept_settings(loaded.settings, roles.values()),
        },
        prompts={name: prompt_named(name).version for name in map(requests.prompt, requests.NAMES)},
        roles=roles,
    )
    return plan, taken.problems


def _opened(order: ExtractionOrder) -> CourseRecords:
    """The records of the course, to be read. A requested store that does not exist is made when the first results are
    written, with the existing records."""
    there = stores_in(order.folder)
    if order.store == "sqlite" and "sqlite" not in there:
        return open_records(order.folder)
    if order.store == "files" and there == ("sqlite",):
        raise UsageError(
            f"The records of {order.folder} are in SQLite ({DATABASE}), not in files.", hint="Leave --store out."
        )
    return open_records(order.folder, order.store)


def roles_of(settings: Settings) -> dict[str, str]:
    """Role -> model: the extractor, the mender, and a reviewer besides the rules. One model may cut and mend."""
    models = settings.models
    given = {"extractor": models.corrector_or_default(), "mender": models.patcher or models.corrector_or_default()}
    return {role: model for role, model in given.items() if model is not None} | _reviewer(settings)


def _reviewer(settings: Settings) -> dict[str, str]:
    """A model reviews only if one is named for it: the rules cost nothing."""
    return {"reviewer": settings.models.reviewer} if settings.models.reviewer else {}


def _course_code(rows: Sequence[tuple[Json, list[Json]]], folder: Path) -> str:
    codes: dict[str, None] = dict.fromkeys(record["metadata"]["course_code"] for record, _ in rows)
    if not codes:
        raise InputError(
            "There is no SEED in this course.",
            path=str(folder),
            code="empty_course",
            hint="`burnish legos import PAIRS.tsv --course CODE --dir DIR` brings some in.",
        )
    if len(codes) > 1:
        raise InputError(
            f"The records are of several courses: {', '.join(list(codes)[:5])}.",
            path=str(folder),
            code="several_courses",
            hint="Give each course its own folder.",
        )
    return next(iter(codes))


def _options(order: ExtractionOrder, settings: Settings, code: str) -> dict[str, Any]:
    """The options of the extraction, with all defaults filled in."""
    named = settings.models.corrector_or_default()
    extractor = order.extractor or ("model" if named else "built-in")
    if extractor == "model" and named is None:
        raise UsageError("No model is named to cut with.", hint="Name one with --model, or use --extractor built-in.")
    overlay = EvolutionLedger(order.folder).learnt()
    rule = IronRule.of(order.iron_rule, order.infinitive_to)
    line = RETRY_BELOW if order.retry_below is None else order.retry_below
    return {
        "course": code,
        "extractor": extractor,
        "only": order.only,
        "hold": order.hold,
        "retry_below": line,
        "max_attempts": MAX_ATTEMPTS,
        "iron_rule": rule.variant,
        "infinitive_to": rule.infinitive_to,
        "scoring": order.scoring or SCORING_VERSION,
        "again": sorted(order.again),
        "prompt_version": str(overlay.version),
        "rules": list(overlay.texts),
    }


def _refuse_unknown(again: Sequence[str], rows: Sequence[tuple[Json, list[Json]]]) -> None:
    unknown = sorted(set(again) - {EVERY} - {record["seed_id"] for record, _ in rows})
    if unknown:
        raise UsageError(
            f"There is no SEED {', '.join(unknown[:5])} in this course.",
            hint="Ids are like C0044; `all` is every SEED.",
        )


def _snapshot(folder: RunFolder, rows: Sequence[tuple[Json, list[Json]]]) -> DocumentPlan:
    path = folder.root / TAKEN_IN
    make_folder(folder.root, private=True)
    with atomic_writer(path) as stream:
        for line in text_format.written(rows):
            stream.write(line)
    return DocumentPlan(TAKEN_IN, str(path), text_format.FORMAT, sha256_of(path))


def resumed_plan(plan: Plan, order: ExtractionOrder, loaded: Loaded) -> Plan:
    """The plan of a resumed run. Raise UsageError if an option differs; models may change."""
    options = {**plan.arguments["options"], "store": plan.arguments["course"]["store"]}
    given: Mapping[str, object] = {
        "store": order.store,
        "extractor": order.extractor,
        "retry_below": order.retry_below,
        "iron_rule": order.iron_rule,
        "infinitive_to": order.infinitive_to,
        "scoring": order.scoring,
        "again": sorted(order.again) or None,
    }
    refuse_changed(plan, {name: (value, options[name]) for name, value in given.items()})
    if Path(plan.arguments["course"]["folder"]) != order.folder.absolute():
        raise UsageError(
            f"The run {plan.run_id} is about another course: {plan.arguments['course']['folder']}.",
            hint="Choose another --run-id.",
        )
    roles = roles_of(loaded.settings) if options["extractor"] == "model" else _reviewer(loaded.settings)
    return with_asking(replace(plan, roles={**plan.roles, **roles}), plan)


async def extract_run(
    folder: RunFolder,
    plan: Plan,
    resources: RunResources,
    watcher: Watcher,
    *,
    left_out: Sequence[Problem] = (),
    clock: Clock = system_clock,
) -> Result:
    """Start or resume work on a course. `left_out`: records that the run does not use."""
    return await start_run(folder, plan, resources, watcher, record=partial(_record_plan, left_out), clock=clock)


def _record_plan(left_out: Sequence[Problem], journal: Journal, plan: Plan) -> Plan:
    """Record the plan of a new run, or that of a resumed one with other models."""
    # Before the plan: a run with a plan always has these events.
    journal.write_now(*(problem_event(TAKEN_IN, problem) for problem in left_out))
    known = recorded_plan(journal)
    if known is None:
        return begin(journal, plan)
    if known.input_digest != plan.input_digest:
        raise UsageError(f"The run {plan.run_id} exists and is about other input.", hint="Choose another --run-id.")
    now = replace(plan, nonce=known.nonce)
    take_up(journal, known, now)
    return now


@dataclass(frozen=True, slots=True)
class WaitingRun:
    """A run in which SEEDs wait for a person."""

    folder: RunFolder
    seeds: frozenset[str]


def waiting_run(runs: Path, course: Path) -> WaitingRun | None:
    """The latest run on a course in which SEEDs wait for a person; None if there is none among `runs`."""
    found = []
    for folder in existing_runs(runs):
        try:
            waiting = _waiting(folder, course.resolve())
        except (StateCorrupt, UsageError):
            continue  # `burnish runs` reports runs that cannot be read
        if waiting is not None:
            found.append(waiting)
    return max(found, key=lambda one: (one[0], one[1].folder.id))[1] if found else None


def _waiting(folder: RunFolder, course: Path) -> tuple[str, WaitingRun] | None:
    """When a run on this course was begun, and the SEEDs that wait in it; None if none does."""
    with closing(open_journal(folder.journal, clock=system_clock, read_only=True)) as journal:
        plan = recorded_plan(journal)
        place = plan.arguments.get("course") if plan is not None else None
        if place is None or Path(place["folder"]).resolve() != course:
            return None
        seeds = frozenset(row.id for row in journal.units(states=(WAITING,)))
        began = next((event.at for event in journal.events(types=("run_started",), limit=1)), "")
        return (began, WaitingRun(folder, seeds)) if seeds else None
