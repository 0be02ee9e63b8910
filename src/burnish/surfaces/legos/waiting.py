"""Which run a course's SEEDs wait in: where a person's decision has to be recorded."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

from burnish.core.errors import StateCorrupt, UsageError
from burnish.engine.session import recorded_plan
from burnish.kinds.legos.policy import WAITING
from burnish.store.clock import system_clock
from burnish.store.paths import RunFolder, existing_runs
from burnish.store.sqlite_journal import open_journal


def waiting_run(runs: Path, course: Path) -> RunFolder | None:
    """The latest run over a course in which SEEDs wait for a person; None where there is none among `runs`."""
    found = []
    for folder in existing_runs(runs):
        try:
            since = _waiting_since(folder, course.resolve())
        except (StateCorrupt, UsageError):
            continue  # a run that cannot be read is told by `burnish runs`; here it is only none of this course's
        if since is not None:
            found.append((since, folder.id, folder))
    return max(found, key=lambda one: one[:2])[2] if found else None


def _waiting_since(folder: RunFolder, course: Path) -> str | None:
    """When a run over this course was begun, if a SEED waits in it."""
    with closing(open_journal(folder.journal, clock=system_clock, read_only=True)) as journal:
        plan = recorded_plan(journal)
        place = plan.arguments.get("course") if plan is not None else None
        if place is None or Path(place["folder"]).resolve() != course or not journal.counts().get(WAITING):
            return None
        return next((event.at for event in journal.events(types=("run_started",), limit=1)), "")
