"""Looking into runs without disturbing them: what every door shows of a run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from burnish.app.materials import kind_to_look_with
from burnish.core.attempts import findings_of, told_decisions, withdrawn_in
from burnish.core.errors import InputError, NotFound, StateCorrupt, UsageError
from burnish.core.findings import Finding
from burnish.core.kinds import Kind, recorded_draft
from burnish.core.presentation import UnitStory
from burnish.core.records import AttemptRecord, EventRecord, Totals, UnitRow
from burnish.engine.exports import story_of, unit_counts, unit_diff
from burnish.engine.plan import Plan, recorded_plan
from burnish.store.journal import Journal
from burnish.store.lock import live_holder
from burnish.store.paths import RunFolder, existing_run, existing_runs
from burnish.store.processes import Clock, system_clock
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
        """`running`, `interrupted`, or how the last session ended."""
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
        requested=sum(counts.values()) - counts.get(out_of_scope, 0) - counts.get(kind.states.dropped or "", 0),
        trials=sum(1 for _ in run.journal.events(types=("trial_settled",))),
    )


Record = dict[str, Any]


def unit_record(run: View, story: UnitStory, *, replies: bool = False) -> Record:
    """Everything that happened to a unit. `replies`: the models' raw replies as well."""
    row = story.row
    best = story.attempts[story.row.best_attempt - 1] if story.row.best_attempt else None
    draft = recorded_draft(run.kind, best) if best is not None else None
    return {
        "unit": row.id,
        "document": row.document,
        "state": row.state,
        "reason": row.reason,
        "at": row.at,
        "best_attempt": row.best_attempt,
        "source": run.kind.shown(story.source),
        "draft": run.kind.shown(draft or story.source),
        "attempts": [_attempt_record(run, story, attempt, replies=replies) for attempt in story.attempts],
        "decisions": decisions_told(run, story),
        "dropped": [
            {"reason": each.data["reason"], "source": each.data["source"], "issue": each.data["issue"]}
            for each in unheeded(run, row.id)
        ],
    }


def decisions_told(run: View, story: UnitStory) -> list[Record]:
    """What people decided about a unit, in order; also what they took back before it was applied."""
    events = list(run.journal.events(unit=story.row.id, types=("decision_withdrawn",)))
    inbox = [
        _withdrawn(
            asdict(entry) | {"decided_at": entry.at, "undone_by": entry.withdrawn_by, "undone_at": entry.withdrawn_at}
        )
        for entry in run.journal.inbox("withdrawn", unit=story.row.id)
    ]
    every = [*told_decisions(story.decisions), *(_withdrawn(each.data) for each in events), *inbox]
    return sorted(every, key=lambda told: str(told["at"]))


def _withdrawn(data: Mapping[str, Any]) -> Record:
    said = {name: data[name] for name in ("verdict", "by", "note")}
    return said | {"at": data["decided_at"], "undone_by": data["undone_by"], "undone_at": data["undone_at"]}


def _attempt_record(run: View, story: UnitStory, attempt: AttemptRecord, *, replies: bool) -> Record:
    record: Record = {
        "number": attempt.number,
        "cause": attempt.cause,
        "at": attempt.at,
        "scores": dict(attempt.scores),
        "passed": attempt.passed,
        "withdrawn": attempt.number in withdrawn_in(story.decisions),
        "failure": attempt.failure,
        "findings": [finding.as_wire() for finding in findings_of(attempt)],
        "ignored": [finding.as_wire() for finding in ignored(attempt)],
        "skipped_rules": list(attempt.checked.get("skipped", ())),
        "rules_applied": attempt.checked.get("applied"),
        "dropped": [
            {"reason": each.data["reason"], "source": each.data["source"], **each.data["finding"]}
            for each in dropped(run, attempt)
        ],
        "edits": list(attempt.edits),
        "diff": unit_diff(run.kind, story, attempt),
        "total_tokens": attempt.usage.total_tokens,
    }
    if replies:
        record["replies"] = replies_of(run, attempt)
    return record


def unheeded(run: View, unit: str) -> list[EventRecord]:
    """What was said about a unit of a lesson, and does not hold: judges speak of a text, not of an attempt."""
    return [each for each in run.journal.events(unit=unit, types=("finding_dropped",)) if "issue" in each.data]


def dropped(run: View, attempt: AttemptRecord) -> list[EventRecord]:
    """What judges said about the attempt that nobody acts on."""
    events = run.journal.events(unit=attempt.unit, types=("finding_dropped",))
    return [each for each in events if each.data.get("attempt") == attempt.number]


def replies_of(run: View, attempt: AttemptRecord) -> list[Record]:
    """What the models answered, word for word."""
    calls = [run.journal.call(key) for key in attempt.calls]
    return [{"role": c.role, "model": c.model, "status": c.status, "raw": c.raw} for c in calls if c is not None]


def ignored(attempt: AttemptRecord) -> list[Finding]:
    """Findings that the author asked to pass over."""
    return [Finding.from_record(dict(record)) for record in attempt.checked.get("ignored", ())]
