"""Looking into runs without disturbing them: what every door shows of a run."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from burnish.app.materials import kind_to_look_with
from burnish.core.errors import InputError, NotFound, StateCorrupt, UsageError
from burnish.core.kinds import Kind
from burnish.core.presentation import UnitStory
from burnish.core.records import Totals, UnitRow
from burnish.engine.exports import story_of, unit_counts
from burnish.engine.plan import Plan, recorded_plan
from burnish.store.clock import Clock, system_clock
from burnish.store.journal import Journal
from burnish.store.lock import live_holder
from burnish.store.paths import RunFolder, existing_run, existing_runs
from burnish.store.sqlite_journal import SqliteJournal, open_journal


@dataclass(frozen=True, slots=True)
class View:
    """A run, opened for reading."""

    folder: RunFolder
    journal: SqliteJournal
    plan: Plan
    kind: Kind

    @property
    def state(self) -> str:
        """`running`, `interrupted`, or how the last sitting ended."""
        holder = live_holder(self.folder, system_clock)
        if holder is not None and not holder.is_brief:
            return "running"
        last = list(self.journal.events(types=("run_started", "run_resumed", "run_stopped")))
        if last and last[-1].type == "run_stopped":
            return "published" if self._published() else str(last[-1].data["reason"])
        return "interrupted"

    def _published(self) -> bool:
        return any(True for _ in self.journal.events(types=("published",), limit=1))

    def published(self) -> list[tuple[str, bool]]:
        """What the run has published: each file by its place in the run's folder, or where it lies elsewhere; and
        whether it is in the folder."""
        events = self.journal.events(types=("published",))
        names = [str(document["path"]) for event in events for document in event.data.get("documents", ())]
        out = None if self.plan.out is None else Path(self.plan.out)
        if out is None or out.is_relative_to(self.folder.root):
            return [(name, True) for name in names]
        return [(str(out / name if self.plan.arguments.get("is_folder") else out), False) for name in names]

    def row(self, unit: str) -> UnitRow:
        return row_of(self.journal, self.folder.id, unit)

    def story(self, unit: str) -> UnitStory:
        """Everything about one unit. NotFound for one that is not in the run."""
        return story_of(self.kind, self.journal, self.row(unit))


def row_of(journal: Journal, run: str, unit: str) -> UnitRow:
    """How a unit stands."""
    row = journal.unit(unit)
    if row is None:
        raise NotFound(
            f"The run {run} has no unit {unit!r}.",
            hint=f"`burnish status {run}` lists the units that wait for a person.",
        )
    return row


@dataclass(frozen=True, slots=True)
class RunLine:
    """A run in the list of runs."""

    id: str
    kind: str
    task: str
    """What it does with content of its kind, where that is not what runs of the kind do."""
    state: str
    counts: dict[str, int]
    totals: Totals
    started_at: str
    waiting: int
    ready: int
    """Accepted, or published already."""
    requested: int
    """All units that somebody works on."""
    trials: int = 0
    """Of an experiment: what was settled so far."""


@contextmanager
def view(runs: Path, id: str, *, clock: Clock = system_clock) -> Iterator[View]:
    """Open a run for reading. It may be at work meanwhile."""
    folder = existing_run(runs, id)
    with closing(open_journal(folder.journal, clock=clock, read_only=True)) as journal:
        plan = recorded_plan(journal)
        if plan is None:
            raise UsageError(
                f"The run {id} was stopped before it had a plan.", hint="Start it again with `burnish polish`."
            )
        yield View(folder, journal, plan, kind_to_look_with(plan))


def counts_of(run: View) -> dict[str, int]:
    """How many units are in each state. An issue that belongs to no unit is a blocker, but does not count as one."""
    return unit_counts(run.journal)


def run_lines(runs: Path) -> Iterator[RunLine | tuple[str, str]]:
    """Every run, or its name and why it cannot be read."""
    for folder in existing_runs(runs):
        try:
            with view(runs, folder.id) as run:
                yield _line(run)
        except (InputError, UsageError, StateCorrupt) as broken:
            yield folder.id, broken.message


def _line(run: View) -> RunLine:
    counts, kind = run.journal.counts(), run.kind
    merged, out_of_scope = kind.merged, kind.out_of_scope
    started = next(iter(run.journal.events(types=("run_started",), limit=1)), None)
    return RunLine(
        id=run.folder.id,
        kind=run.plan.kind,
        task=run.plan.task,
        state=run.state,
        counts=counts,
        totals=run.journal.totals(),
        started_at=started.at if started else "",
        waiting=counts.get(kind.states.waiting, 0),
        ready=counts.get(kind.states.ready, 0) + counts.get(merged, 0),
        requested=sum(counts.values()) - counts.get(out_of_scope, 0),
        trials=sum(1 for _ in run.journal.events(types=("trial_settled",))),
    )
