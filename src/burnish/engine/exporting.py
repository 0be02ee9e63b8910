"""Exports: plain files that others read. All of them are views of the journal and can always be made again."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import orjson

from burnish.core.attempts import findings_of, open_errors, rolled_back
from burnish.core.decisions import told_decisions, withdrawn_in
from burnish.core.documents import Unit
from burnish.core.errors import StateCorrupt
from burnish.core.kinds import Display, ExportRow, PublishedKind, UnitStory, recorded_draft
from burnish.core.records import AttemptRecord, EventRecord, Totals, UnitRow, Usage
from burnish.engine.check_summary import Unheard
from burnish.engine.plan import Plan
from burnish.engine.proof import Proof
from burnish.store.export import ExportFolder, as_json
from burnish.store.journal import Journal

RECEIPT_VERSION = 1


@dataclass(frozen=True, slots=True)
class Ending:
    """How the run stands: what the receipt says besides the units."""

    stopped: str
    """`done`, `needs_person`, `limit`, `interrupted` or `running`."""
    published: tuple[Proof, ...] = ()
    candidates: tuple[Proof, ...] = ()


def stories(kind: PublishedKind, journal: Journal) -> Iterator[UnitStory]:
    """Every unit of the documents with all that happened to it, in order; blockers that are no units are not."""
    return (story_of(kind, journal, row) for row in journal.units() if row.document)


def story_of(kind: PublishedKind, journal: Journal, row: UnitRow) -> UnitStory:
    """One unit with all that happened to it."""
    attempts = tuple(journal.attempts(row.id))
    decisions = tuple(journal.events(unit=row.id, types=("decision",)))
    return UnitStory(row, source_of(kind, journal, row, attempts), attempts, decisions)


def source_of(
    kind: PublishedKind, journal: Journal, row: UnitRow, attempts: Sequence[AttemptRecord] | None = None
) -> Unit:
    """A unit as it was read, from the journal: its document may have moved since."""
    content = journal.source(row.id)
    if content is not None:
        source: Unit | None = kind.from_record(content)
    else:
        known = journal.attempts(row.id) if attempts is None else attempts
        source = recorded_draft(kind, known[0]) if known else None
    if source is None or source.content_hash != row.content_hash:
        raise StateCorrupt(
            f"{row.id} has no source in the journal.", hint="Start a new run; this one was not written whole."
        )
    return source


def write_exports(plan: Plan, kind: PublishedKind, journal: Journal, folder: ExportFolder, ending: Ending) -> list[str]:
    """Write manifest, receipt, report and the kind's own files. The names of those that were edited by hand before."""
    edited = folder.edited_by_hand()
    folder.write_json("manifest.json", plan.as_record())
    summary = report(plan, journal)
    folder.write_json("report.json", summary)
    journal.set_meta("unheard", orjson.dumps({name: summary[name] for name in ("ignored", "skipped_rules")}).decode())
    for name, row in kind.exports().items():
        folder.write_jsonl(name, _rows(kind, journal, row))
    for name, display in kind.displays().items():
        folder.write_json(name, _displays(plan, journal, display))
    with folder.stream("receipt.json") as stream:
        for piece in _receipt(plan, kind, journal, ending):
            stream.write(piece)
    return edited


def _rows(kind: PublishedKind, journal: Journal, row: ExportRow) -> Iterator[Mapping[str, Any]]:
    for story in stories(kind, journal):
        line = row(story)
        if line is not None:
            yield line


def _displays(plan: Plan, journal: Journal, display: Display) -> dict[str, object]:
    """What is shown of each document, by its name."""
    told: dict[str, list[EventRecord]] = {document.name: [] for document in plan.documents}
    for event in journal.events():
        if event.data.get("document") in told:
            told[event.data["document"]].append(event)
    return {name: display(events) for name, events in told.items()}


def _receipt(plan: Plan, kind: PublishedKind, journal: Journal, ending: Ending) -> Iterator[bytes]:
    """The head, then one line for every unit that was not simply clean."""
    head = as_json({**_head(plan, journal, ending), **_wholes(plan, kind, journal)}, indent=2)
    yield head.removesuffix(b"\n}") + b',\n  "units": ['
    comma = b"\n    "
    for story in stories(kind, journal):
        entry = _entry(kind, story)
        if entry is not None:
            yield comma + as_json(entry)
            comma = b",\n    "
    yield b"\n  ]\n}\n"


def _head(plan: Plan, journal: Journal, ending: Ending) -> dict[str, Any]:
    return {
        "version": RECEIPT_VERSION,
        "burnish": plan.version,
        "run_id": plan.run_id,
        "kind": plan.kind,
        "models": {"corrector": plan.corrector, "judges": list(plan.judges), **plan.roles},
        "stopped": ending.stopped,
        "states": journal.counts(),
        "published": [proof.as_record() for proof in ending.published],
        "candidates": [proof.as_record() for proof in ending.candidates],
        "totals": totals_record(journal.totals()),
    }


def _wholes(plan: Plan, kind: PublishedKind, journal: Journal) -> dict[str, Any]:
    """How the work on each document ended, and the hash of every unit that is as it came; where units stand alone, the
    proof of the whole document says enough."""
    if not kind.traits.is_whole:
        return {}
    ends = {end.data["document"]: end.data for end in journal.events(types=("round_ended",))}
    untouched: dict[str, dict[str, str]] = {document.name: {} for document in plan.documents}
    for row in journal.units():
        attempts = journal.attempts(row.id)
        if not attempts or attempts[max(row.best_attempt, 1) - 1].content is None:
            untouched[row.document][row.id] = row.content_hash
    return {"documents": [_whole(name, ends.get(name, {}), hashes) for name, hashes in untouched.items()]}


def _whole(name: str, end: Mapping[str, Any], untouched: Mapping[str, str]) -> dict[str, Any]:
    ended = {word: end.get(word) for word in ("status", "reason")}
    return {"document": name, **ended, "rounds": end.get("round", 0), "untouched": untouched}


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


def _entry(kind: PublishedKind, story: UnitStory) -> Mapping[str, Any] | None:
    """What the receipt says about a unit: nothing for one that was clean and untouched."""
    row, attempts = story.row, story.attempts
    if not attempts or (row.state == kind.states.ready and len(attempts) == 1 and not story.decisions):
        return None
    best = attempts[max(row.best_attempt, 1) - 1]
    # Units that stand alone keep their best draft, and take nothing back; nor is anything settled while one is in work.
    is_settled = kind.traits.is_whole and row.state != kind.states.initial
    gone = rolled_back(attempts, row.best_attempt) if is_settled else frozenset()
    return {
        "unit": row.id,
        "state": row.state,
        "reason": row.reason,
        "wrong": [finding.as_wire() for finding in findings_of(attempts[0]) if finding.blocks or finding.fix],
        "remaining": [finding.as_wire() for finding in findings_of(best) if finding.blocks],
        "diff": unit_diff(kind, story, best),
        "attempts": [_attempt_entry(kind, story, attempt, gone=attempt.number in gone) for attempt in attempts[1:]],
        "decisions": told_decisions(story.decisions),
        "usage": usage_record(sum((attempt.usage for attempt in attempts), Usage())),
    }


def _attempt_entry(kind: PublishedKind, story: UnitStory, attempt: AttemptRecord, *, gone: bool) -> Mapping[str, Any]:
    """One attempt; `gone` where its edits were taken at first and did not last."""
    withdrawn = attempt.number in withdrawn_in(story.decisions)
    return {
        "number": attempt.number,
        "cause": attempt.cause,
        "passed": attempt.passed and not gone and not withdrawn,
        **({"withdrawn": True} if withdrawn else {}),
        **({"rolled_back": gone} if kind.traits.is_whole else {}),
        "errors": open_errors(attempt),
        "failure": attempt.failure,
        "edits": list(attempt.edits),
        "diff": edit_diff(kind, story, attempt),
        "receipt": attempt.receipt,
        "usage": usage_record(attempt.usage),
        "at": attempt.at,
    }


def unit_diff(kind: PublishedKind, story: UnitStory, attempt: AttemptRecord) -> str:
    """From the source to an attempt, as a person reads it."""
    if attempt.content is None:
        return ""
    return _diff(kind, story, None, attempt)


def edit_diff(kind: PublishedKind, story: UnitStory, attempt: AttemptRecord) -> str:
    """What the edits of one attempt changed in the text that they were made in; empty where there were none."""
    if not attempt.edits or attempt.receipt is None or attempt.content_hash == attempt.receipt["before"]:
        return ""
    earlier = story.attempts[: attempt.number - 1]
    return _diff(
        kind, story, next((one for one in earlier if one.content_hash == attempt.receipt["before"]), None), attempt
    )


def step_diff(kind: PublishedKind, story: UnitStory, attempt: AttemptRecord) -> str:
    """From the draft before an attempt to the attempt, as a person reads it; empty where it has the same text."""
    before = [one for one in story.counted_attempts if one.number < attempt.number and one.content is not None]
    if attempt.content is None or (before and before[-1].content_hash == attempt.content_hash):
        return ""
    return _diff(kind, story, before[-1] if before else None, attempt)


def _diff(kind: PublishedKind, story: UnitStory, old: AttemptRecord | None, new: AttemptRecord) -> str:
    """From one attempt, or from the source, to another."""
    drafts = [kind.from_record(one.content) if one and one.content is not None else story.source for one in (old, new)]
    was, now = (f"{story.row.id} ({f'attempt {one.number}' if one else 'source'})" for one in (old, new))
    before, after = (kind.shown(draft).splitlines() for draft in drafts)
    return "\n".join(difflib.unified_diff(before, after, was, now, lineterm=""))


def report(plan: Plan, journal: Journal) -> dict[str, Any]:
    """What only shows over whole documents."""
    return {
        "documents": [_document_report(document.name, journal) for document in plan.documents],
        "problems": [dict(e.data) for e in journal.events(types=("input_problem",))],
        "passed_through": [dict(e.data) for e in journal.events(types=("passed_through",))],
        **unheard(journal).unheard(),
    }


def unheard(journal: Journal) -> Unheard:
    """What the rules did not say, or could not, of the drafts that are kept."""
    found = Unheard()
    for row in journal.units():
        attempts = journal.attempts(row.id) if row.attempts else []
        checked = attempts[max(row.best_attempt, 1) - 1].checked if attempts else {}
        if checked:
            rules = [finding["rule"] for finding in checked.get("ignored", ())]
            found.take_unheard(rules, checked.get("skipped", ()), checked.get("language"))
    return found


def _document_report(name: str, journal: Journal) -> dict[str, Any]:
    overview = journal.get_meta(f"overview:{name}")
    return {"document": name, **(orjson.loads(overview) if overview else {})}
