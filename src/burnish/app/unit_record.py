"""What is told of a unit, for programs: the record of `burnish show --json`, which the HTTP API serves too."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from burnish.app.runs import View
from burnish.core.attempts import findings_of
from burnish.core.decisions import told_decisions, withdrawn_in
from burnish.core.findings import Finding
from burnish.core.kinds import recorded_draft
from burnish.core.presentation import UnitStory
from burnish.core.records import AttemptRecord, EventRecord
from burnish.engine.exports import unit_diff

Record = dict[str, Any]


def unit_record(run: View, story: UnitStory, *, replies: bool = False) -> Record:
    """Everything that happened to a unit. `replies`: the models' raw replies as well."""
    row = story.row
    return {
        "unit": row.id,
        "document": row.document,
        "state": row.state,
        "reason": row.reason,
        "at": row.at,
        "best_attempt": row.best_attempt,
        "source": run.kind.shown(story.source),
        "draft": _draft(run, story),
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


def _draft(run: View, story: UnitStory) -> str:
    """The text that stands."""
    best = story.attempts[story.row.best_attempt - 1] if story.row.best_attempt else None
    draft = recorded_draft(run.kind, best) if best is not None else None
    return run.kind.shown(draft or story.source)


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
