"""Read runs without disturbing them: the state of a run in words, and the records that every door shows."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from burnish.app.labels import counted
from burnish.app.materials import kind_for_reading
from burnish.core.attempts import findings_of, reported_decisions, withdrawn_in
from burnish.core.errors import InputError, NotFound, StateCorrupt, StorageFailed, UsageError
from burnish.core.findings import Finding
from burnish.core.kinds import Kind, recorded_draft
from burnish.core.presentation import UnitStory
from burnish.core.records import AttemptRecord, EventRecord, Totals, UnitRow
from burnish.engine.exports import unit_counts, unit_diff
from burnish.engine.plan import Plan, plan_of_run
from burnish.engine.unit_loader import story_of
from burnish.engine.versions import is_outdated, publications
from burnish.store.journal import Journal
from burnish.store.lock import STALE_AFTER, LockRecord, SeenLock, is_at_work, moment
from burnish.store.paths import RunFolder, existing_run, existing_runs
from burnish.store.processes import Clock, system_clock
from burnish.store.sqlite_journal import open_journal

if TYPE_CHECKING:
    from burnish.app.run_card import Facts


RunState = Literal[
    "working",
    "waiting_for_people",
    "waiting_for_approval",
    "ready_to_continue",
    "published",
    "accepted_with_warning",
    "best_effort",
    "at_its_ceiling",
    "submitted",
    "silent",
    "interrupted",
    "failed",
]
"""The state of a run: at work; units wait for people; only an approval is missing; people have decided everything, and
it has not resumed yet; done and published; done with open issues; published as the best version; stopped at a limit of
money, tokens or time; its calls are in a batch at the provider; no heartbeat; killed or stopped in the middle; stopped
for another reason (a model is unavailable, input cannot be read)."""


EVOLVE = "evolve"
"""The task of a course's run that tries rules instead of extracting."""

TEXTS: Mapping[RunState, str] = {
    "working": "Working",
    "waiting_for_people": "Waiting for people",
    "waiting_for_approval": "Waiting for approval",
    "ready_to_continue": "Ready to resume",
    "published": "Published",
    "accepted_with_warning": "Accepted with a warning",
    "best_effort": "Best effort delivered",
    "at_its_ceiling": "Stopped at its ceiling",
    "submitted": "Submitted in a batch",
    "silent": "No heartbeat",
    "interrupted": "Interrupted",
    "failed": "Stopped",
}
PHASES = {
    "translate": "Translating",
    "render": "Rendering in the second script",
    "assemble": "Assembling",
    "review": "Reviewing",
    "rework": "Reworking",
    "align": "Aligning words",
    "extract": "Cutting",
}
"""Stage -> what the run is doing."""
FAILURES = {
    "model_away": "A model does not answer",
    "bad_input": "Parts of the input cannot be read",
    "source_changed": "The source has changed since the run began",
    "regenerate": "A lesson has to be regenerated",
}
"""Why a session ended -> why the run is not done."""
BEFORE_THE_END: Mapping[str, RunState] = {
    "limit": "at_its_ceiling",
    "model_away": "failed",
    "submitted": "submitted",
    "source_changed": "failed",
}
"""Why a session ended -> the state of its run, if people's decisions cannot finish it."""
CODE = re.compile(r"^[a-z]+(?:_[a-z]+)+: ")
"""The code before the message of an error, which is for programs."""
ON_ITS_WAY = timedelta(seconds=15)
"""How long a new process may take until it begins its run."""
ELSEWHERE = "no_heartbeat"
"""Why the lock of another machine is stale."""


def state_of(facts: Facts, lock: SeenLock | None, now: datetime) -> RunState:
    """The state of a run."""
    if lock is not None and not (lock.record is not None and lock.record.is_brief):
        if lock.stale is None:
            return "silent" if _silence(lock.record, now) > STALE_AFTER else "working"
        if lock.stale == ELSEWHERE:
            return "silent"
    if facts.session is not None and facts.session.type == "run_failed" and not facts.is_published:
        return "failed"
    if facts.stopped is None or facts.session != facts.stopped:
        return "working" if _is_starting(facts, now) else "interrupted"
    return _ended(facts, str(facts.stopped.data["reason"]))


def _is_starting(facts: Facts, now: datetime) -> bool:
    """Whether a run was recorded a moment ago and its process is just starting."""
    began = moment(facts.started.at) if facts.started is not None else None
    return began is not None and facts.last == facts.started and not facts.card.requested and now - began < ON_ITS_WAY


def _ended(facts: Facts, reason: str) -> RunState:
    if reason in BEFORE_THE_END:
        return BEFORE_THE_END[reason]
    if facts.is_outdated:
        return "waiting_for_people" if facts.card.waiting else "ready_to_continue"
    if facts.plan.task or facts.is_published:
        if reason == "best_effort" or "best_effort" in facts.endings:
            return "best_effort"
        return "accepted_with_warning" if "accepted_warning" in facts.endings else "published"
    if facts.card.waiting:
        return "waiting_for_people"
    known: dict[str, RunState] = {"needs_person": "ready_to_continue", "awaiting_approval": "waiting_for_approval"}
    # Done but not published: it was stopped just before the end.
    return known.get(reason, "interrupted" if reason in ("done", "best_effort") else "failed")


def text_of(facts: Facts, state: RunState) -> str:
    """The state in words. An experiment publishes nothing, so it is done."""
    return "Done" if state == "published" and facts.plan.task else TEXTS[state]


def _silence(holder: LockRecord | None, now: datetime) -> timedelta:
    """The time since the last heartbeat of a run's owner."""
    heard = moment(holder.last_heartbeat_at) if holder is not None else None
    return now - heard if heard is not None else timedelta()


def detail_of(facts: Facts, state: RunState, holder: LockRecord | None, now: datetime) -> str:
    """One more line on the state of a run; empty if there is nothing to add."""
    left = facts.card.requested - facts.card.ready - facts.card.waiting
    if state == "working":
        return _doing(facts, left)
    if state == "waiting_for_people":
        return _rest(facts, left)
    if state == "at_its_ceiling":
        return _ceiling(facts)
    if state == "silent" and holder is not None:
        return f"Last heartbeat {_ago(_silence(holder, now))} ago, host {holder.host}"
    texts: dict[RunState, str] = {
        "published": f"{counted(facts.card.trials, 'trial')} settled" if facts.plan.task else "",
        "waiting_for_approval": _message(facts).rstrip(".") or "Nothing blocks publishing",
        "ready_to_continue": "Everything is decided",
        "submitted": _message(facts).rstrip("."),
        "interrupted": "Resume the run; nothing is paid twice",
        "failed": _failure(facts),
    }
    return texts.get(state, "")


def _rest(facts: Facts, left: int) -> str:
    """The state of the units that do not wait."""
    if left > 0:
        return f"{left:,} more to do"
    return (
        f"Everything else is {facts.kind.states.ready.replace('_', ' ')}" if facts.card.ready else "Nothing else to do"
    )


def _doing(facts: Facts, left: int) -> str:
    data = facts.phase.data if facts.phase is not None else {}
    if "stage" in data:
        return PHASES.get(str(data["stage"]), str(data["stage"]))
    if "endScore" in data:
        return f"Iteration {int(data['iteration']) + 1}, score {float(data['endScore']):.3f}".replace(" 0.", " .")
    if "score" in data:
        return f"Refining, score {float(data['score']):.3f}".replace(" 0.", " .")
    return f"{counted(left, facts.kind.noun)} left" if left else "" if facts.card.requested else "Starting"


def _ceiling(facts: Facts) -> str:
    usage, ceilings = facts.card.totals.usage, facts.card.ceilings
    if "max_cost" in ceilings and usage.cost is not None and "$" in _message(facts):
        return f"${usage.cost:.2f} spent of ${ceilings['max_cost']:.2f}. Raise the ceiling to resume"
    if "max_tokens" in ceilings and "tokens" in _message(facts):
        return f"{usage.total_tokens:,} tokens spent of {int(ceilings['max_tokens']):,}. Raise the ceiling to resume"
    return _message(facts) or "Raise the limit to resume"


def _failure(facts: Facts) -> str:
    if facts.session is not None and facts.session.type == "run_failed":
        return str(facts.session.data["message"]).rstrip(".")
    reason = str(facts.stopped.data["reason"]) if facts.stopped is not None else ""
    message = CODE.sub("", _message(facts), count=1).rstrip(".")
    return message or FAILURES.get(reason, reason.replace("_", " "))


def _message(facts: Facts) -> str:
    return str((facts.stopped.data.get("message") if facts.stopped is not None else None) or "")


def _ago(time: timedelta) -> str:
    minutes = int(time.total_seconds() // 60)
    if minutes < 60:
        return f"{max(minutes, 1)} min"
    return f"{minutes // 60} h" if minutes < 48 * 60 else f"{minutes // (24 * 60)} d"


@dataclass(frozen=True, slots=True)
class View:
    """A run, opened for reading."""

    folder: RunFolder
    journal: Journal
    plan: Plan
    kind: Kind

    @property
    def is_at_work(self) -> bool:
        return is_at_work(self.folder, system_clock)

    def totals(self) -> Totals:
        """The cost so far, without the calls that are under way."""
        return self.journal.totals(is_at_work=self.is_at_work)

    @property
    def state(self) -> str:
        """`running`, `interrupted`, or how the last session ended."""
        if self.is_at_work:
            return "running"
        last = list(self.journal.events(types=("run_started", "run_resumed", "run_stopped")))
        if last and last[-1].type == "run_stopped":
            if is_outdated(self.journal):
                return "needs_person"
            return "published" if publications(self.journal) else str(last[-1].data["reason"])
        return "interrupted"

    def published(self) -> list[tuple[str, bool]]:
        """The published files: the path of each, in the run's folder or elsewhere, and whether it is in the folder."""
        names = [
            str(document["path"])
            for event in publications(self.journal)[-1:]
            for document in event.data.get("documents", ())
        ]
        out = None if self.plan.out is None else Path(self.plan.out)
        if out is None or out.is_relative_to(self.folder.root):
            return [(name, True) for name in names]
        return [(str(out / name if self.plan.arguments.get("is_folder") else out), False) for name in names]

    def row(self, unit: str) -> UnitRow:
        return row_of(self.journal, self.folder.id, unit)

    def story(self, unit: str) -> UnitStory:
        """Everything about one unit. Raise NotFound if it is not in the run."""
        return story_of(self.kind, self.journal, self.row(unit))


def row_of(journal: Journal, run: str, unit: str) -> UnitRow:
    """The row of a unit. Raise NotFound if it is not in the run."""
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
    """The task, if it is not the usual one of the kind."""
    state: str
    counts: dict[str, int]
    totals: Totals
    started_at: str
    waiting: int
    ready: int
    """Accepted or published."""
    requested: int
    """All units that are not left out."""
    trials: int = 0
    """Experiments only: the number of settled trials."""


@contextmanager
def view(runs: Path, id: str, *, clock: Clock = system_clock) -> Iterator[View]:
    """Open a run for reading. It may be at work at the same time."""
    folder = existing_run(runs, id)
    with closing(open_journal(folder.journal, clock=clock, read_only=True)) as journal:
        plan = plan_of_run(journal, id)
        yield View(folder, journal, plan, kind_for_reading(plan))


def counts_of(run: View) -> dict[str, int]:
    """The number of units in each state. Blockers that are not units do not count."""
    return unit_counts(run.journal)


def run_lines(runs: Path) -> Iterator[RunLine | tuple[str, str]]:
    """Every run, or its name and why it cannot be read."""
    for folder in existing_runs(runs):
        try:
            with view(runs, folder.id) as run:
                yield _line(run)
        except (InputError, UsageError, StateCorrupt, StorageFailed) as broken:
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
        totals=run.totals(),
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
        "decisions": decision_history(run, story),
        "dropped": [
            {"reason": each.data["reason"], "source": each.data["source"], "issue": each.data["issue"]}
            for each in dropped_claims(run, row.id)
        ],
    }


def decision_history(run: View, story: UnitStory) -> list[Record]:
    """People's decisions about a unit, in order, including those that were undone before they were applied."""
    events = list(run.journal.events(unit=story.row.id, types=("decision_withdrawn",)))
    inbox = [
        _withdrawn(
            asdict(entry) | {"decided_at": entry.at, "undone_by": entry.withdrawn_by, "undone_at": entry.withdrawn_at}
        )
        for entry in run.journal.inbox("withdrawn", unit=story.row.id)
    ]
    every = [*reported_decisions(story.decisions), *(_withdrawn(each.data) for each in events), *inbox]
    return sorted(every, key=lambda decision: str(decision["at"]))


def _withdrawn(data: Mapping[str, Any]) -> Record:
    decision = {name: data[name] for name in ("verdict", "by", "note")}
    return decision | {"at": data["decided_at"], "undone_by": data["undone_by"], "undone_at": data["undone_at"]}


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


def dropped_claims(run: View, unit: str) -> list[EventRecord]:
    """Dropped claims about a unit of a lesson, where judges read a text, not an attempt."""
    return [each for each in run.journal.events(unit=unit, types=("finding_dropped",)) if "issue" in each.data]


def dropped(run: View, attempt: AttemptRecord) -> list[EventRecord]:
    """Dropped claims of judges about an attempt."""
    events = run.journal.events(unit=attempt.unit, types=("finding_dropped",))
    return [each for each in events if each.data.get("attempt") == attempt.number]


def replies_of(run: View, attempt: AttemptRecord) -> list[Record]:
    """The raw replies of the models."""
    calls = [run.journal.call(key) for key in attempt.calls]
    return [{"role": c.role, "model": c.model, "status": c.status, "raw": c.raw} for c in calls if c is not None]


def ignored(attempt: AttemptRecord) -> list[Finding]:
    """Findings that the author ignores."""
    return [Finding.from_record(dict(record)) for record in attempt.checked.get("ignored", ())]
