"""Exports: plain files that others read. All of them are views of the journal and can always be made again."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from burnish.core.attempts import findings_of, open_errors
from burnish.core.documents import PassedThrough, Problem
from burnish.core.kinds import PolishedKind, UnitStory
from burnish.core.records import AttemptRecord, Totals, Usage
from burnish.engine.plan import Plan
from burnish.engine.publishing import Proof
from burnish.store.export import ExportFolder
from burnish.store.journal import Journal

RECEIPT_VERSION = 1


@dataclass(frozen=True, slots=True)
class Ending:
    """How the run stands: what the receipt says besides the units."""

    stopped: str
    published: tuple[Proof, ...]
    candidates: tuple[Proof, ...]
    blocked: int


def stories(plan: Plan, kind: PolishedKind, journal: Journal) -> Iterator[UnitStory]:
    """Every unit with all that happened to it, in document order."""
    for document in plan.documents:
        with Path(document.path).open("rb") as stream:
            for part in kind.read(stream, document.path, document.format):
                if isinstance(part, Problem | PassedThrough):
                    continue
                row = journal.unit(plan.unit_id(document.name, part.id))
                if row is None:
                    continue
                decisions = tuple(journal.events(unit=row.id, types=("decision",)))
                yield UnitStory(row, part, tuple(journal.attempts(row.id)), decisions)


def write_exports(plan: Plan, kind: PolishedKind, journal: Journal, folder: ExportFolder, ending: Ending) -> list[str]:
    """Write manifest, receipt and the kind's own files; returns the names of files that were edited by hand."""
    edited = folder.edited_by_hand()
    folder.write_json("manifest.json", plan.as_record())
    rows = kind.exports()
    with ExitStack() as stack:
        receipt = stack.enter_context(folder.stream("receipt.json"))
        files = {name: stack.enter_context(folder.stream(name)) for name in rows}
        receipt.write(_opening(plan, kind, journal, ending))
        changes = 0
        for story in stories(plan, kind, journal):
            for name, row in rows.items():
                line = row(story)
                if line is not None:
                    files[name].write(orjson.dumps(line) + b"\n")
            entry = _entry(kind, story)
            if entry is not None:
                receipt.write((b",\n  " if changes else b"\n  ") + orjson.dumps(entry))
                changes += 1
        receipt.write(b"\n]}\n")
    folder.write_json("report.json", _report(plan, journal))
    return edited


def _opening(plan: Plan, kind: PolishedKind, journal: Journal, ending: Ending) -> bytes:
    """Everything of the receipt but the list of units, which is streamed behind it."""
    head = {
        "version": RECEIPT_VERSION,
        "burnish": plan.version,
        "run_id": plan.run_id,
        "kind": plan.kind,
        "models": {"corrector": plan.corrector, "judges": list(plan.judges)},
        "stopped": ending.stopped,
        "states": journal.counts(),
        "published": [proof.as_record() for proof in ending.published],
        "candidates": [proof.as_record() for proof in ending.candidates],
        "blocked_units": ending.blocked,
        "totals": totals_record(journal.totals()),
    }
    return orjson.dumps(head, option=orjson.OPT_INDENT_2)[:-2] + b',\n  "units": ['


def totals_record(totals: Totals) -> dict[str, Any]:
    return {
        "calls": totals.calls,
        "failed_calls": totals.failed_calls,
        **usage_record(totals.usage),
        "calls_without_a_known_price": totals.unpriced_calls,
    }


def usage_record(usage: Usage) -> dict[str, Any]:
    return {
        "prompt_tokens": usage.prompt_tokens,
        "completion_tokens": usage.completion_tokens,
        "total_tokens": usage.total_tokens,
        "cost_usd": usage.cost,
    }


def _entry(kind: PolishedKind, story: UnitStory) -> Mapping[str, Any] | None:
    """What the receipt says about a unit: nothing for one that was clean and untouched."""
    row, attempts = story.row, story.attempts
    if not attempts or (row.state == kind.states.ready and len(attempts) == 1 and not story.decisions):
        return None
    best = attempts[max(row.best_attempt, 1) - 1]
    return {
        "unit": row.id,
        "state": row.state,
        "reason": row.reason,
        "wrong": [finding.as_wire() for finding in findings_of(attempts[0]) if finding.blocks or finding.fix],
        "remaining": [finding.as_wire() for finding in findings_of(best) if finding.blocks],
        "diff": unit_diff(kind, story, best),
        "attempts": [_attempt_entry(attempt) for attempt in attempts[1:]],
        "decisions": [{**decision.data, "at": decision.at} for decision in story.decisions],
        "usage": usage_record(sum((attempt.usage for attempt in attempts), Usage())),
    }


def _attempt_entry(attempt: AttemptRecord) -> Mapping[str, Any]:
    return {
        "number": attempt.number,
        "cause": attempt.cause,
        "passed": attempt.passed,
        "errors": open_errors(attempt),
        "failure": attempt.failure,
        "edits": list(attempt.edits),
        "receipt": attempt.receipt,
        "usage": usage_record(attempt.usage),
        "at": attempt.at,
    }


def unit_diff(kind: PolishedKind, story: UnitStory, attempt: AttemptRecord) -> str:
    """From the source to an attempt, as a person reads it."""
    if attempt.content is None:
        return ""
    before = kind.shown(story.source).splitlines()
    after = kind.shown(kind.from_record(attempt.content)).splitlines()
    names = (f"{story.row.id} (source)", f"{story.row.id} (attempt {attempt.number})")
    return "\n".join(difflib.unified_diff(before, after, *names, lineterm=""))


def _report(plan: Plan, journal: Journal) -> dict[str, Any]:
    """What only shows over whole documents."""
    return {
        "documents": [_document_report(document.name, journal) for document in plan.documents],
        "problems": [dict(e.data) for e in journal.events(types=("input_problem",))],
        "passed_through": [dict(e.data) for e in journal.events(types=("passed_through",))],
    }


def _document_report(name: str, journal: Journal) -> dict[str, Any]:
    overview = journal.get_meta(f"overview:{name}")
    return {"document": name, **(orjson.loads(overview) if overview else {})}
