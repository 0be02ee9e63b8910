"""A run in the list of runs: its title, state, counts and cost, read from its journal and its lock."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal, cast

from burnish.app.kinds import kind_named
from burnish.app.materials import kind_for_reading
from burnish.app.run_sessions import CEILINGS
from burnish.app.runs import RunState, detail_of, state_of, text_of
from burnish.core.errors import BurnishError, UsageError
from burnish.core.kinds import Kind
from burnish.core.records import EventRecord, Totals
from burnish.engine.exports import unit_counts
from burnish.engine.plan import DocumentPlan, Plan, plan_of_run, recorded_plan
from burnish.engine.versions import is_outdated
from burnish.kinds.legos.model import Course
from burnish.languages.detection import language_name
from burnish.store.journal import Journal
from burnish.store.lock import is_at_work, live_holder, seen_lock
from burnish.store.paths import RunFolder
from burnish.store.processes import Clock, system_clock
from burnish.store.sqlite_journal import open_journal

LONGEST = 160
"""Characters of a title: the title of a document may be of any length."""
LARGEST = 4 << 20
"""Bytes of a lesson that is read for its title."""
TASKS = {"evolve": "Evolution of prompts"}
"""Titles of tasks other than the usual one of a kind."""
_MOST_KEPT = 1_000


Titled = tuple[str, str]
"""The title of a run, and a subtitle that names its content."""


def titled(plan: Plan, kind: Kind, journal: Journal) -> Titled:
    """The title of a run: that of its content, or the name of its file."""
    if plan.kind == "legos":
        return _course(plan, journal)
    if len(plan.documents) != 1:
        name = _line(Path(str(plan.arguments.get("path", ""))).name) or plan.run_id
        return (name, f"{plan.kind.capitalize()}, {len(plan.documents)} documents")
    [document] = plan.documents
    if plan.kind == "manuscripts":
        options = plan.arguments.get("options", {})
        source, target = (language_name(str(options.get(name, ""))) for name in ("source", "target"))
        scripts = ", Latin and Tifinagh" if "two_pass" in str(options.get("profile", "")) else ""
        return (_heading(journal) or _stem(document), f"{source} to {target}{scripts}")
    if plan.kind == "lessons":
        return _lesson(document.path, document.format, document.sha256) or (_stem(document), "Lesson")
    return (_stem(document), f"{plan.kind.capitalize()}, {format_words(document.format)}")


ABBREVIATIONS = frozenset({"json", "jsonl", "csv", "tsv", "xml", "qti", "gift", "xlsx", "zip"})
"""Formats that people write in capitals."""


def format_words(name: str) -> str:
    """A file format as people write it: `JSON`, `Moodle XML`."""
    words = " ".join(word.upper() if word in ABBREVIATIONS else word for word in name.split("_"))
    return words[:1].upper() + words[1:]


def _course(plan: Plan, journal: Journal) -> Titled:
    options = plan.arguments.get("options", {})
    code = str(options.get("course", "")) or plan.run_id
    try:
        course = Course.of(code)
        title = f"{language_name(course.target_tag)} for {language_name(course.source_tag)} speakers"
    except BurnishError:
        title = code  # only a title: a course code of a later version is still shown
    ends = journal.outermost()
    seeds = f", SEEDs {ends[0].id} to {ends[1].id}" if ends is not None else ""
    return (title, f"{TASKS.get(plan.task, plan.task)}, {code}" if plan.task else f"LEGOs, {code}{seeds}")


def _heading(journal: Journal) -> str | None:
    """The title of a book: its first block, if that is a heading."""
    ends = journal.outermost()
    attempts = journal.attempts(ends[0].id) if ends is not None else []
    record: Any = attempts[0].content if attempts else None
    return (_line(str(record["text"])) or None) if record and record.get("block") == "heading" else None


@lru_cache(maxsize=_MOST_KEPT)
def _lesson(path: str, format: str, sha256: str) -> Titled | None:
    """Title and language of a lesson. The hash is only part of the cache key."""
    del sha256
    file = Path(path)
    try:
        if file.stat().st_size > LARGEST:
            return None
        with file.open("rb") as stream:
            lesson = cast(dict[str, Any], kind_named("lessons").survey(stream, path, format))["lesson"]
    except (OSError, BurnishError):
        return None  # a lesson that was removed is shown by the name of its file
    language = f", {language_name(lesson.language)}" if lesson.language else ""
    title = _line(lesson.title)
    return (title, f"Lesson{language}") if title else None


def _stem(document: DocumentPlan) -> str:
    return _line(Path(document.name).stem) or document.name


def _line(text: str) -> str:
    words = " ".join(text[: 4 * LONGEST].split())
    return words if len(words) <= LONGEST else words[: LONGEST - 1].rstrip() + "…"


Sort = Literal["ready", "work", "rework", "person", "idle", "excluded", "fail"]
"""The meaning of a state in all kinds: done, in work, in rework, waiting for a person, not begun, left out on
purpose, just failed a review."""
BAR: tuple[Sort, ...] = ("ready", "work", "rework", "fail", "person", "idle", "excluded")
"""The order of the parts of the stacked bar."""


SETTLING = 0.1
"""Seconds after a write in which a further write may leave the time and size of a file the same."""
Look = tuple[int, int, int] | None
"""The time, size and inode number of a file; None if it does not exist."""
_SESSIONS = ("run_started", "run_resumed", "run_stopped", "run_failed")
_PHASES = ("batch_formed", "iteration_complete", "refinement_start")


@dataclass(frozen=True, slots=True)
class StatePart:
    """One part of the stacked bar."""

    state: str
    sort: Sort
    count: int


@dataclass(frozen=True, slots=True)
class RunCard:
    """A run in the list of runs."""

    id: str
    title: str
    """The document's title or name; a course's code."""
    subtitle: str
    """The content: `Questions, JSON`, `English to Spanish`."""
    kind: str
    noun: str
    """The word for one unit; `s` makes it plural."""
    task: str
    """The task, if it is not the usual one of the kind (`evolve`)."""
    state: RunState
    text: str
    """The state in words: `Waiting for people`."""
    detail: str
    """One more line: `$2.00 spent of $2.00. Raise the ceiling to resume`."""
    counts: Mapping[str, int]
    """Units by state, in the order of the kind's table; blockers that are not units do not count."""
    parts: tuple[StatePart, ...]
    """The same for the stacked bar: done first, left out last."""
    ready: int
    """Accepted or published."""
    requested: int
    """All units that are not left out."""
    waiting: int
    """Units and other blockers that wait for a person, without those that have a decision."""
    totals: Totals
    tokens: int
    cost: float | None
    """None if no price of a call is known."""
    started_at: str
    active_at: str
    """The time of the latest event."""
    event: int
    """The number of the latest event."""
    session: str
    """A unique id of the last beginning or end of a session; empty if there was none."""
    host: str | None
    """The host on which it is at work, or was when it went silent."""
    heartbeat_at: str | None
    ceilings: Mapping[str, float]
    """The ceilings that are set: `max_cost`, `max_tokens`, `max_seconds`."""
    models: tuple[str, ...]
    documents: tuple[str, ...]
    """Names of its documents."""
    stop: str | None
    """Why its last session ended, as in the journal (`needs_person`, `limit`, ...); None if none has."""
    trials: int
    """Experiments only: the number of settled trials."""


@dataclass(frozen=True, slots=True)
class BrokenRun:
    """A run that cannot be shown."""

    id: str
    message: str
    hint: str | None


@dataclass(frozen=True, slots=True)
class Trace:
    """Time, size and inode number of a journal's files."""

    files: tuple[Look, ...]
    is_settled: bool
    """Whether the same trace at a later time means that nothing was written in between."""

    @classmethod
    def of(cls, folder: RunFolder) -> Trace:
        journal = folder.journal
        found = [look_at(journal), look_at(journal.with_name(f"{journal.name}-wal"))]
        newest = max((one[0] for one in found if one is not None), default=0)
        return cls(tuple(found), time.time_ns() - newest > SETTLING * 1e9)


def look_at(path: Path) -> Look:
    """The look of a file. A missing file equals an empty one, because reading creates empty ones, too."""
    try:
        found = path.stat()
    except (OSError, ValueError):  # no file name may hold a NUL
        return None
    return (found.st_mtime_ns, found.st_size, found.st_ino) if found.st_size else None


@dataclass(frozen=True, slots=True)
class Facts:
    """A run as recorded in its journal."""

    folder: RunFolder
    plan: Plan
    kind: Kind
    card: RunCard
    """The card without what depends on the lock."""
    started: EventRecord | None
    session: EventRecord | None
    """The last beginning or end of a session."""
    stopped: EventRecord | None
    """The last end of a session, even if another has begun since."""
    last: EventRecord | None
    is_published: bool
    is_outdated: bool
    """Whether people have decided something since it was published."""
    phase: EventRecord | None
    """The last event that shows what the run is doing."""
    endings: tuple[str, ...]
    """How the last round of each document ended, if documents are judged as wholes."""
    decided: int
    """The number of the last event with a person's decision; 0 if there is none."""


def facts_of(folder: RunFolder) -> Facts:
    """Read the facts of a run. Raise an error if its journal cannot be opened or has no plan."""
    with closing(open_journal(folder.journal, clock=system_clock, read_only=True)) as journal:
        plan = recorded_plan(journal)
        if plan is None and live_holder(folder, system_clock) is not None:
            raise UsageError(f"The run {folder.id} is just being started.", hint="Look again in a moment.")
        plan = plan or plan_of_run(journal, folder.id)
        return _facts(folder, plan, kind_for_reading(plan), journal)


def _facts(folder: RunFolder, plan: Plan, kind: Kind, journal: Journal) -> Facts:
    latest = journal.latest
    sessions = [event for event in map(latest, _SESSIONS) if event is not None]
    session = max(sessions, key=lambda event: event.seq, default=None)
    phases = [event for event in map(latest, _PHASES) if event is not None]
    rounds = {
        str(event.data["document"]): str(event.data["status"]) for event in journal.events(types=("round_ended",))
    }
    decision = latest("decision")
    return Facts(
        folder=folder,
        plan=plan,
        kind=kind,
        card=_card(folder, plan, kind, journal, session),
        started=latest("run_started"),
        session=session,
        stopped=latest("run_stopped"),
        last=latest(),
        is_published=latest("published") is not None,
        is_outdated=is_outdated(journal),
        phase=max(phases, key=lambda event: event.seq, default=None),
        endings=tuple(rounds.values()),
        decided=decision.seq if decision is not None else 0,
    )


def _card(folder: RunFolder, plan: Plan, kind: Kind, journal: Journal, session: EventRecord | None) -> RunCard:
    every, found = journal.counts(), unit_counts(journal)
    totals = journal.totals(is_at_work=is_at_work(folder, system_clock))
    counts = {state: found[state] for state in (*kind.states.moves, *found) if state in found}
    limits = plan.arguments.get("limits") or {}
    started, stopped, last = (journal.latest(type) for type in ("run_started", "run_stopped", None))
    title, subtitle = titled(plan, kind, journal)
    # Distinguishes the run from an earlier one of the same name. The nonce itself is a secret of the prompts.
    mark = hashlib.sha256(f"run {plan.nonce}".encode()).hexdigest()[:16]
    return RunCard(
        id=folder.id,
        title=title,
        subtitle=subtitle,
        kind=plan.kind,
        noun=kind.noun,
        task=plan.task,
        state="interrupted",
        text="",
        detail="",
        counts=counts,
        parts=bar_of(sorts_of(kind), counts),
        ready=counts.get(kind.states.ready, 0) + counts.get(kind.merged, 0),
        requested=sum(counts.values()) - counts.get(kind.out_of_scope, 0) - counts.get(kind.states.dropped or "", 0),
        waiting=max(0, every.get(kind.states.waiting, 0) - journal.how_many_decided()),
        totals=totals,
        tokens=totals.usage.total_tokens,
        cost=None if totals.calls and totals.calls == totals.unpriced_calls else totals.usage.cost,
        started_at=started.at if started else "",
        active_at=last.at if last else "",
        event=last.seq if last else 0,
        session=f"{mark}-{session.seq}" if session else "",
        host=None,
        heartbeat_at=None,
        ceilings={name: float(limits[name]) for name in CEILINGS if limits.get(name) is not None},
        models=plan.models,
        documents=tuple(document.name for document in plan.documents),
        stop=str(stopped.data["reason"]) if stopped else None,
        trials=sum(1 for _ in journal.events(types=("trial_settled",))) if plan.task else 0,
    )


def card_of(facts: Facts, clock: Clock) -> RunCard:
    """The card, completed from the lock."""
    lock = seen_lock(facts.folder, clock)
    state = state_of(facts, lock, clock())
    holder = lock.record if lock is not None and state in ("working", "silent") else None
    return replace(
        facts.card,
        state=state,
        text=text_of(facts, state),
        detail=detail_of(facts, state, holder, clock()),
        host=holder.host if holder else None,
        heartbeat_at=holder.last_heartbeat_at if holder else None,
    )


def sorts_of(kind: Kind) -> dict[str, Sort]:
    """State of the kind -> its meaning."""
    states, is_phased = kind.states, kind.is_phased
    # From a failed review a unit can only go to rework or to a person.
    found: dict[str, Sort] = {
        state: "fail" if states.working in onward and states.ready not in onward else "work"
        for state, onward in states.moves.items()
    }
    found |= {states.initial: "idle", states.working: "rework" if is_phased else "work"}
    found |= {states.ready: "ready", states.waiting: "person"}
    if kind.is_phased:
        found |= {kind.merged: "ready", kind.out_of_scope: "excluded"}
    if states.dropped is not None:
        found[states.dropped] = "excluded"
    return found


def bar_of(sorts: Mapping[str, Sort], counts: Mapping[str, int]) -> tuple[StatePart, ...]:
    """The parts of the stacked bar: done first, left out last."""
    parts = [StatePart(state, sorts.get(state, "work"), count) for state, count in counts.items()]
    return tuple(sorted(parts, key=lambda part: BAR.index(part.sort)))
