"""Exports: plain files for other programs. All are views of the journal and can be written again at any time."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from burnish.core.attempts import (
    effective_decisions,
    findings_of,
    open_errors,
    reported_decisions,
    rolled_back,
    withdrawn_in,
)
from burnish.core.json_bytes import dumps, loads
from burnish.core.kinds import Kind
from burnish.core.presentation import RunFacts, UnitStory
from burnish.core.records import AttemptRecord, EventRecord, RoleTotals, Totals, Usage
from burnish.engine.check import Unheard
from burnish.engine.doubts import doubts_of
from burnish.engine.plan import Plan
from burnish.engine.proof import Proof
from burnish.engine.publish import blockers
from burnish.engine.unit_loader import stories
from burnish.engine.versions import is_outdated, kept_versions, publications
from burnish.store.journal import Journal
from burnish.store.paths import ExportFolder, as_json

RECEIPT_VERSION = 1


@dataclass(frozen=True, slots=True)
class Ending:
    """The end of a session: what the receipt says besides the units."""

    stopped: str
    """`done`, `needs_person`, `limit`, `interrupted` or `running`."""
    published: tuple[Proof, ...] = ()
    candidates: tuple[Proof, ...] = ()
    message: str | None = None
    """What stopped it, as text."""


def unit_counts(journal: Journal) -> dict[str, int]:
    """Return the number of units in each state, without blockers that are not units."""
    counts = journal.counts()
    for named in journal.events(types=("blocker_numbered",)):
        row = journal.unit(str(named.unit))
        if row is not None:
            counts[row.state] -= 1
    return {state: number for state, number in counts.items() if number}


def write_exports(plan: Plan, kind: Kind, journal: Journal, folder: ExportFolder, ending: Ending) -> list[str]:
    """Write the manifest, the kind's own files and the receipt. Return the names of files edited by hand before."""
    edited = folder.edited_by_hand()
    for name, summary in {"manifest.json": {}, **kind.summaries(_facts(plan, kind, journal, ending))}.items():
        folder.write_json(name, {**plan.as_record(), **summary} if name == "manifest.json" else summary)
    unseen = Unseen()
    if journal.get_meta("ingested") or not kind.is_phased:
        _write_artifacts(kind, journal, folder, unseen)
    if kind.is_phased:
        head = {**_head(plan, kind, journal, ending), **unseen.as_record()}
        journal.set_meta("unheard", dumps(unseen.unheard.unheard()).decode())
        journal.set_meta("safe_fixes", str(len(unseen.fixes)))
        here = [{**one, "path": str(folder.folder.root / one["path"])} for one in head["published"]]
        folder.write_json("receipt.json", {**head, "published": here})
        return edited
    summary = report(plan, journal)
    folder.write_json("report.json", summary)
    kept = {name: summary[name] for name in ("ignored", "skipped_rules", "not_judged") if name in summary}
    journal.set_meta("unheard", dumps(kept).decode())
    told: dict[str, list[EventRecord]] = {document.name: [] for document in plan.documents}
    displays = kind.displays()
    for event in journal.events() if displays else ():
        if event.data.get("document") in told:
            told[event.data["document"]].append(event)
    for name, display in displays.items():
        folder.write_json(name, {document: display(events) for document, events in told.items()})
    with folder.stream("receipt.json") as stream:
        for piece in _receipt(plan, kind, journal, ending):
            stream.write(piece)
    return edited


@dataclass(slots=True)
class Unseen:
    """What is easily overlooked: units that were not judged, and safe fixes."""

    unheard: Unheard = field(default_factory=Unheard)
    fixes: list[dict[str, Any]] = field(default_factory=list)

    def take(self, story: UnitStory) -> None:
        row, attempts = story.row, story.attempts
        if attempts:
            kept = attempts[max(row.best_attempt, 1) - 1]
            take_unheard(self.unheard, kept, by_person=row.id in judged_by_people(story.decisions))
        for one in attempts[: row.best_attempt]:
            if one.cause == "safe_fix" and one.receipt is not None:
                self.fixes.append({"unit": row.id, "rules": one.receipt["rules"], "edits": list(one.edits)})

    def as_record(self) -> dict[str, Any]:
        """Return the part for the receipt; empty if there is nothing to report."""
        return {**self.unheard.not_judged(), **({"safe_fixes": self.fixes} if self.fixes else {})}


def _write_artifacts(kind: Kind, journal: Journal, folder: ExportFolder, unseen: Unseen) -> None:
    """Write the files with data of every unit, in one pass over the journal, however long it is."""
    published = any(True for _ in journal.events(types=("published",), limit=1))
    with ExitStack() as open:
        rows = [(open.enter_context(folder.stream(name)), row) for name, row in kind.exports().items()]
        artifacts = [
            (open.enter_context(folder.stream(name)), one) for name, one in kind.artifacts(published=published).items()
        ]
        for story in stories(kind, journal) if rows or artifacts else ():
            unseen.take(story)
            for stream, row in rows:
                line = row(story)
                if line is not None:
                    stream.write(as_json(line) + b"\n")
            for stream, artifact in artifacts:
                for piece in artifact.take(story):
                    stream.write(piece)
        for stream, artifact in artifacts:
            for piece in artifact.end():
                stream.write(piece)


def _facts(plan: Plan, kind: Kind, journal: Journal, ending: Ending) -> RunFacts:
    document = plan.documents[0]
    waiting = tuple(blockers(journal, kind)) if kind.is_phased else ()
    approvals = [{**e.data, "at": e.at} for e in journal.events(types=("approved",))]
    return RunFacts(
        run_id=plan.run_id,
        status=STATUSES.get(ending.stopped, "stopped"),
        source={"name": document.name, "sha256": document.sha256, "changed": ending.stopped == "source_changed"},
        counts=unit_counts(journal),
        blockers=waiting,
        approval=approvals[-1] if approvals else None,
        models=dict(plan.roles),
        prompts=dict(plan.prompts),
        trouble=ending.message,
        judges=plan.judges,
        details={row.id: journal.attempts(row.id)[0].content or {} for row in waiting if not row.document},
        beside=dict(plan.arguments.get("beside", {})),
    )


STATUSES = {
    "done": "published",
    "awaiting_approval": "awaiting_approval",
    "needs_person": "blocked",
    "source_changed": "blocked",
}
"""The end of a session -> the status of the gate; for anything else the run was stopped."""


def _receipt(plan: Plan, kind: Kind, journal: Journal, ending: Ending) -> Iterator[bytes]:
    """Yield the head, then one line for every unit that was not simply clean."""
    head = as_json({**_head(plan, kind, journal, ending), **_wholes(plan, kind, journal)}, indent=2)
    yield head.removesuffix(b"\n}") + b',\n  "units": ['
    comma = b"\n    "
    for story in stories(kind, journal):
        entry = _entry(kind, story)
        if entry is not None:
            yield comma + as_json(entry)
            comma = b",\n    "
    yield b"\n  ]\n}\n"


def _head(plan: Plan, kind: Kind, journal: Journal, ending: Ending) -> dict[str, Any]:
    judges: dict[str, Any] = {"judges": list(plan.judges)}
    if kind.is_phased:
        models = {**plan.roles, **judges}
        published = [e.data["documents"] for e in journal.events(types=("published",))]
        documents: dict[str, Any] = {"published": published[-1] if published else []}
    else:
        models = {"corrector": plan.corrector, **judges, **plan.roles}
        told = recorded_unheard(journal)
        unheard = {name: told[name] for name in ("not_judged", "skipped_rules") if told.get(name)}
        written = {"published": ending.published, "candidates": ending.candidates}
        documents = unheard | {name: [proof.as_record() for proof in proofs] for name, proofs in written.items()}
    others = [dict(other.data) for other in journal.events(types=("other_model",))]
    batches = [dict(submitted.data) for submitted in journal.events(types=("calls_submitted",))]
    return {
        "version": RECEIPT_VERSION,
        "burnish": plan.version,
        "run_id": plan.run_id,
        "kind": plan.kind,
        "models": models,
        **({"answered_by": others} if others else {}),
        "stopped": ending.stopped,
        "states": unit_counts(journal),
        **({"rules_only": True} if plan.arguments.get("options", {}).get("rules_only") else {}),
        "open_claims": doubts_of(journal, kind).as_record(),
        "published_version": _published_version(journal),
        **({"earlier_versions": earlier} if (earlier := kept_versions(journal)) else {}),
        **documents,
        "totals": totals_record(journal.totals()),
        "roles": [role_record(one) for one in journal.totals_by_role()],
        **({"batches": batches} if batches else {}),
    }


def _published_version(journal: Journal) -> int | None:
    """Return the number of the published version; None if there is none, or people have decided anew since."""
    return len(publications(journal)) or None if not is_outdated(journal) else None


def _wholes(plan: Plan, kind: Kind, journal: Journal) -> dict[str, Any]:
    """Return how the work on each document ended, and the hash of every unchanged unit; empty for kinds with single
    units, for which the proof of the whole document is enough."""
    if not kind.is_whole:
        return {}
    ends = {end.data["document"]: end.data for end in journal.events(types=("round_ended",))}
    untouched: dict[str, dict[str, str]] = {document.name: {} for document in plan.documents}
    for row in journal.units():
        attempts = journal.attempts(row.id)
        if not attempts or attempts[max(row.best_attempt, 1) - 1].content is None:
            untouched[row.document][row.id] = row.content_hash
    wholes = []
    for name, hashes in untouched.items():
        end: Mapping[str, Any] = ends.get(name, {})
        ended = {"status": end.get("status"), "reason": end.get("reason"), "rounds": end.get("round", 0)}
        wholes.append({"document": name, **ended, "untouched": hashes})
    return {"documents": wholes}


def totals_record(totals: Totals) -> dict[str, Any]:
    return {
        "calls": totals.calls,
        "failed_calls": totals.failed_calls,
        **usage_record(totals.usage),
        "calls_without_a_known_price": totals.unpriced_calls,
        "calls_perhaps_paid": totals.lost_calls,
        "tokens_perhaps_paid": totals.lost_tokens,
    }


def role_record(bill: RoleTotals) -> dict[str, Any]:
    return {
        "role": bill.role,
        "calls": bill.calls,
        **usage_record(bill.usage),
        "reasoning_tokens": bill.usage.reasoning_tokens,
        "cached_tokens": bill.usage.cached_tokens,
        "cache_write_tokens": bill.usage.cache_write_tokens,
        "calls_without_a_known_price": bill.unpriced_calls,
        "failures": bill.failures,
    }


def usage_record(usage: Usage) -> dict[str, Any]:
    return {
        "prompt_tokens": usage.prompt_tokens,
        "completion_tokens": usage.completion_tokens,
        "total_tokens": usage.total_tokens,
        "cost_usd": usage.cost,
    }


def _entry(kind: Kind, story: UnitStory) -> Mapping[str, Any] | None:
    """Return the receipt's entry for a unit; None if it was clean and unchanged, and nothing is open in it."""
    row, attempts = story.row, story.attempts
    if not attempts:
        return None
    best = attempts[max(row.best_attempt, 1) - 1]
    remaining = [finding for finding in findings_of(best) if finding.severity != "info"]
    if row.state == kind.states.ready and len(attempts) == 1 and not story.decisions and not remaining:
        return None
    # Single units keep their best draft, so nothing is rolled back; and nothing is final while a unit is in work.
    is_settled = kind.is_whole and row.state != kind.states.initial
    gone = rolled_back(attempts, row.best_attempt) if is_settled else frozenset()
    return {
        "unit": row.id,
        "state": row.state,
        "reason": row.reason,
        "wrong": [finding.as_wire() for finding in findings_of(attempts[0]) if finding.blocks or finding.fix],
        "remaining": [finding.as_wire() for finding in remaining],
        "diff": unit_diff(kind, story, best),
        "attempts": list(map(partial(_attempt_entry, kind, story, gone), attempts[1:])),
        "decisions": reported_decisions(story.decisions),
        "usage": usage_record(sum((attempt.usage for attempt in attempts), Usage())),
    }


def _attempt_entry(
    kind: Kind, story: UnitStory, taken_back: Collection[int], attempt: AttemptRecord
) -> Mapping[str, Any]:
    """Return the entry of one attempt; `taken_back` are those whose edits were applied and later lost."""
    gone, withdrawn = attempt.number in taken_back, attempt.number in withdrawn_in(story.decisions)
    return {
        "number": attempt.number,
        "cause": attempt.cause,
        "passed": attempt.passed and not gone and not withdrawn,
        **({"withdrawn": True} if withdrawn else {}),
        **({"rolled_back": gone} if kind.is_whole else {}),
        "errors": open_errors(attempt),
        "failure": attempt.failure,
        "edits": list(attempt.edits),
        "diff": edit_diff(kind, story, attempt),
        "receipt": attempt.receipt,
        "usage": usage_record(attempt.usage),
        "at": attempt.at,
    }


def unit_diff(kind: Kind, story: UnitStory, attempt: AttemptRecord) -> str:
    """Return the diff from the source to an attempt, as readable text."""
    if attempt.content is None:
        return ""
    return _diff(kind, story, None, attempt)


def edit_diff(kind: Kind, story: UnitStory, attempt: AttemptRecord) -> str:
    """Return the diff made by the edits of one attempt to their text; empty if there were none."""
    if not attempt.edits or attempt.receipt is None or attempt.content_hash == attempt.receipt["before"]:
        return ""
    earlier = story.attempts[: attempt.number - 1]
    return _diff(
        kind, story, next((one for one in earlier if one.content_hash == attempt.receipt["before"]), None), attempt
    )


def step_diff(kind: Kind, story: UnitStory, attempt: AttemptRecord) -> str:
    """Return the diff from the draft before an attempt to the attempt; empty if the text is the same."""
    before = [one for one in story.counted_attempts if one.number < attempt.number and one.content is not None]
    if attempt.content is None or (before and before[-1].content_hash == attempt.content_hash):
        return ""
    return _diff(kind, story, before[-1] if before else None, attempt)


def _diff(kind: Kind, story: UnitStory, old: AttemptRecord | None, new: AttemptRecord) -> str:
    """Return the diff from one attempt, or from the source, to another."""
    drafts = [kind.from_record(one.content) if one and one.content is not None else story.source for one in (old, new)]
    was, now = (f"{story.row.id} ({f'attempt {one.number}' if one else 'source'})" for one in (old, new))
    before, after = map(str.splitlines, map(kind.shown, drafts))
    return "\n".join(difflib.unified_diff(before, after, was, now, lineterm=""))


def report(plan: Plan, journal: Journal) -> dict[str, Any]:
    """Return the report about whole documents."""
    names = [document.name for document in plan.documents]
    overviews = [{"document": name, **loads(journal.get_meta(f"overview:{name}") or "{}")} for name in names]
    return {
        "documents": overviews,
        "problems": [dict(e.data) for e in journal.events(types=("input_problem",))],
        "passed_through": [dict(e.data) for e in journal.events(types=("passed_through",))],
        **unheard(journal).unheard(),
    }


def unheard(journal: Journal) -> Unheard:
    """Return the ignored findings of the kept drafts, and what could not be judged in them."""
    found, judged = Unheard(), judged_by_people(journal.events(types=("decision",)))
    for row in journal.units():
        attempts = journal.attempts(row.id) if row.attempts else []
        if attempts:
            take_unheard(found, attempts[max(row.best_attempt, 1) - 1], by_person=row.id in judged)
    return found


def judged_by_people(decisions: Iterable[EventRecord]) -> frozenset[str]:
    """Return the units about which a person decided last, other than by sending them back or reopening them."""
    last = {str(one.unit): one.data["verdict"] for one in effective_decisions(decisions)}
    return frozenset(unit for unit, verdict in last.items() if verdict not in ("reject", "reopen"))


def recorded_unheard(journal: Journal) -> dict[str, Any]:
    """Return what was ignored and what could not be judged, as of the last export."""
    text = journal.get_meta("unheard")
    return dict(loads(text)) if text else {"ignored": {}, "skipped_rules": []}


def take_unheard(found: Unheard, attempt: AttemptRecord, *, by_person: bool) -> None:
    """Add what the rules left out in one draft. A dimension that only a model judged has a score. `by_person`: a
    person has judged all dimensions."""
    checked = attempt.checked
    if checked:
        rules = [finding["rule"] for finding in checked.get("ignored", ())]
        unjudged = {name: why for name, why in checked.get("unjudged", {}).items() if name not in attempt.scores}
        if by_person or attempt.cause == "person":
            unjudged = {}  # the person who wrote it has judged it
        found.take_unheard(rules, checked.get("skipped", ()), checked.get("language"), unjudged)
