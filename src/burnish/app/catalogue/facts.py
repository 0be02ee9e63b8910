"""Facts: what a run's journal says of the run as a whole. Read anew only when the journal has changed."""

from __future__ import annotations

import time
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import orjson

from burnish.app.catalogue.cards import StatePart
from burnish.app.catalogue.sorts import bar_of, sorts_of
from burnish.app.catalogue.titles import Titled, titled
from burnish.app.materials import kind_to_look_with
from burnish.app.polishing import CEILINGS
from burnish.core.errors import StateCorrupt, UsageError
from burnish.core.kinds import PublishedKind
from burnish.core.records import EventRecord, Totals
from burnish.core.stages import StagedKind
from burnish.engine.plan import Plan
from burnish.store.clock import system_clock
from burnish.store.following import Following
from burnish.store.lock import live_holder
from burnish.store.paths import RunFolder
from burnish.store.tray import Tray

SETTLING = 0.1
"""Seconds for which a file that was just written is not trusted to look different after the next write."""
Look = tuple[int, int, int] | None
"""What a file looks like from outside: when it was written, its size and its number; None: there is none."""
_SITTINGS = ("run_started", "run_resumed", "run_stopped")


@dataclass(frozen=True, slots=True)
class Trace:
    """What the journal's files look like from outside."""

    files: tuple[Look, ...]
    is_settled: bool
    """Whether another look that finds the same means that nothing was written in between."""

    @classmethod
    def of(cls, folder: RunFolder) -> Trace:
        journal = folder.journal
        found = [look_at(journal), look_at(journal.with_name(f"{journal.name}-wal"))]
        newest = max((one[0] for one in found if one is not None), default=0)
        return cls(tuple(found), time.time_ns() - newest > SETTLING * 1e9)


def look_at(path: Path) -> Look:
    """What a file looks like. One that is missing or empty is the same: reading makes such ones, too."""
    try:
        found = path.stat()
    except (OSError, ValueError):  # a NUL in a name makes it one that cannot be
        return None
    return (found.st_mtime_ns, found.st_size, found.st_ino) if found.st_size else None


@dataclass(frozen=True, slots=True)
class Facts:
    """A run as its journal has it."""

    folder: RunFolder
    plan: Plan
    kind: PublishedKind
    titled: Titled
    counts: Mapping[str, int]
    """Units by state; blockers that are no units do not count."""
    parts: tuple[StatePart, ...]
    ready: int
    """Accepted, or published already."""
    wanted: int
    """All units that somebody works on."""
    waiting: int
    """Everything that waits for a person, blockers included."""
    ceilings: Mapping[str, float]
    totals: Totals
    started: EventRecord | None
    sitting: EventRecord | None
    """The last beginning or end of a sitting."""
    stopped: EventRecord | None
    """The last end of one, whether or not another has begun since."""
    last: EventRecord | None
    is_published: bool
    phase: EventRecord | None
    """The last step that says what the run is at."""
    endings: tuple[str, ...]
    """How the last round of each document ended, where documents are judged as wholes."""
    trials: int
    decided: int
    """The number of the last event that is a person's decision; 0: there is none."""


def facts_of(folder: RunFolder) -> Facts:
    """Read them. Errors are those of a journal that cannot be opened or has no plan."""
    with closing(Following(folder.journal)) as journal, journal.moment():
        plan = plan_of(folder, journal.meta("plan"))
        return _facts(folder, plan, kind_to_look_with(plan), journal)


def plan_of(folder: RunFolder, text: str | None) -> Plan:
    """The plan that a journal holds as text."""
    if text is None and live_holder(folder, system_clock) is not None:
        raise UsageError(f"The run {folder.id} is just being started.", hint="Look again in a moment.")
    if text is None:
        raise UsageError(
            f"The run {folder.id} was stopped before it had a plan.", hint="Start it again with `burnish polish`."
        )
    try:
        return Plan.from_record(orjson.loads(text))
    except orjson.JSONDecodeError as wrong:
        raise StateCorrupt(f"The plan in the journal cannot be read: {wrong}.") from wrong


def decided_aside(folder: RunFolder) -> frozenset[str]:
    """Units that somebody has decided on while the run was at work: they wait for the run, and for nobody else."""
    return frozenset(entry.unit for entry in Tray(folder.tray).entries() if entry.why is None)


def _facts(folder: RunFolder, plan: Plan, kind: PublishedKind, journal: Following) -> Facts:
    every = journal.counts()
    counts = _of_units(every, kind, journal)
    merged, left_out = (kind.merged, kind.out_of_scope) if isinstance(kind, StagedKind) else ("", "")
    limits = plan.arguments.get("limits") or {}
    sittings = [event for event in map(journal.latest, _SITTINGS) if event is not None]
    decision = journal.latest("decision")
    return Facts(
        folder=folder,
        plan=plan,
        kind=kind,
        titled=titled(plan, kind, journal),
        counts=counts,
        parts=bar_of(sorts_of(kind), counts),
        ready=counts.get(kind.states.ready, 0) + counts.get(merged, 0),
        wanted=sum(counts.values()) - counts.get(left_out, 0),
        waiting=every.get(kind.states.waiting, 0),
        ceilings={name: float(limits[name]) for name in CEILINGS if limits.get(name) is not None},
        totals=journal.totals(),
        started=journal.latest("run_started"),
        sitting=max(sittings, key=lambda event: event.seq, default=None),
        stopped=journal.latest("run_stopped"),
        last=journal.latest(),
        is_published=journal.latest("published") is not None,
        phase=_phase(kind, journal),
        endings=_endings(journal),
        trials=len(journal.events("trial_settled")) if plan.task else 0,
        decided=decision.seq if decision is not None else 0,
    )


def _of_units(counts: Mapping[str, int], kind: PublishedKind, journal: Following) -> dict[str, int]:
    """Without the blockers that are no units, in the order of the kind's table."""
    found = dict(counts)
    if isinstance(kind, StagedKind):
        blockers = [str(event.unit) for event in journal.events("blocker_numbered")]
        for _, row in journal.rows(blockers):
            found[row.state] -= 1
    return {state: found[state] for state in (*kind.states.moves, *found) if found.get(state)}


def _phase(kind: PublishedKind, journal: Following) -> EventRecord | None:
    names = ("batch_formed",) if isinstance(kind, StagedKind) else ("iteration_complete", "refinement_start")
    found = [event for event in map(journal.latest, names) if event is not None]
    return max(found, key=lambda event: event.seq, default=None)


def _endings(journal: Following) -> tuple[str, ...]:
    last = {str(event.data["document"]): str(event.data["status"]) for event in journal.events("round_ended")}
    return tuple(last.values())
