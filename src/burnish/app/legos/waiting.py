"""Which run a course's SEEDs wait in: where a person's decision has to be recorded."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from burnish.core.errors import StateCorrupt, UsageError
from burnish.engine.session import recorded_plan
from burnish.kinds.legos.policy import WAITING
from burnish.store.clock import system_clock
from burnish.store.paths import RunFolder, existing_runs
from burnish.store.sqlite_journal import open_journal


@dataclass(frozen=True, slots=True)
class WaitingRun:
    """A run in which SEEDs wait for a person."""

    folder: RunFolder
    seeds: frozenset[str]


def waiting_run(runs: Path, course: Path) -> WaitingRun | None:
    """The latest run over a course in which SEEDs wait for a person; None where there is none among `runs`."""
    found = []
    for folder in existing_runs(runs):
        try:
            waiting = _waiting(folder, course.resolve())
        except (StateCorrupt, UsageError):
            continue  # a run that cannot be read is told by `burnish runs`; here it is only none of this course's
        if waiting is not None:
            found.append(waiting)
    return max(found, key=lambda one: (one[0], one[1].folder.id))[1] if found else None


def _waiting(folder: RunFolder, course: Path) -> tuple[str, WaitingRun] | None:
    """When a run over this course was begun, and which SEEDs wait in it; None where none does."""
    with closing(open_journal(folder.journal, clock=system_clock, read_only=True)) as journal:
        plan = recorded_plan(journal)
        place = plan.arguments.get("course") if plan is not None else None
        if place is None or Path(place["folder"]).resolve() != course:
            return None
        seeds = frozenset(row.id for row in journal.units(states=(WAITING,)))
        began = next((event.at for event in journal.events(types=("run_started",), limit=1)), "")
        return (began, WaitingRun(folder, seeds)) if seeds else None
