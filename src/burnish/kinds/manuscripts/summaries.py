"""What is said of a manuscript's run as a whole: the manifest and the report of the gate."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from burnish.core.presentation import RunFacts
from burnish.core.records import UnitRow
from burnish.kinds.manuscripts.findings import RECORDED_AS
from burnish.kinds.manuscripts.policy import CANONICAL, EXCLUDED, HARD_FLOOR, INGESTED, REASONS, THRESHOLDS
from burnish.kinds.manuscripts.requests import prompt
from burnish.kinds.manuscripts.resources import Equipment

GATE = "gate/gate_report.json"
MANIFEST = "manifest.json"
REVIEWS = ("review_grammar", "review_fidelity")
ANCHORS = ("line", "start_line", "end_line", "quote")
SOURCE_CHANGED = "The source has changed since the run began; no decision can publish this run. Start a new one."


def summaries(run: RunFacts, equipment: Equipment) -> dict[str, Mapping[str, Any]]:
    return {MANIFEST: manifest(run, equipment), GATE: gate_report(run)}


def canonical_counts(counts: Mapping[str, int]) -> dict[str, int]:
    """How many paragraphs are in each state of the contract. What is out of scope counts as `ingested` there."""
    found = {state: counts.get(state, 0) for state in CANONICAL}
    found[INGESTED] += counts.get(EXCLUDED, 0)
    return found


def gate_report(run: RunFacts) -> dict[str, Any]:
    """Whether the run may be published, and every blocker by name. Written however a run ends."""
    excluded = run.counts.get(EXCLUDED, 0)
    blockers = [_blocker(row, run.details) for row in run.blockers]
    if run.source["changed"]:
        blockers.insert(0, {"id": "source", "state": None, "reason": "source_changed", "message": SOURCE_CHANGED})
    return {
        "run_id": run.run_id,
        "status": run.status,
        "passed": run.status == "published",
        "required": sum(run.counts.values()) - excluded,
        "excluded": excluded,
        "counts": canonical_counts(run.counts),
        "blockers": blockers,
        "approval": run.approval,
        "source": dict(run.source),
        "thresholds": dict(THRESHOLDS),
        "hard_floor": {"semantic_fidelity": HARD_FLOOR},
        "stopped_because": run.trouble,
    }


def _blocker(row: UnitRow, details: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    reason = row.reason or row.state
    named = {"id": row.id, "state": row.state, "reason": reason, "message": REASONS.get(reason, reason)}
    return {**named, "issue": _unmapped(details[row.id])} if row.id in details else named


def _unmapped(record: Mapping[str, Any]) -> dict[str, Any]:
    """An issue that belongs to no paragraph: who said what, where it should be, and why that is nowhere."""
    said = record["issue"]
    return {
        "reviewer": said["reviewer"],
        "category": said["category"],
        "severity": said["severity"],
        "description": said["description"],
        "suggested_fix": said.get("suggested_fix"),
        "anchor": {name: said[name] for name in ANCHORS if name in said},
        "mapping_error": record[RECORDED_AS],
    }


def manifest(run: RunFacts, equipment: Equipment) -> dict[str, Any]:
    """What the contract asks of a manifest, beside the plan itself."""
    terms = equipment.terms
    return {
        "language": "tamazight" if terms.renders else terms.target,
        "source_language": terms.source,
        "pipeline_profile": terms.profile,
        "semantic_language": "tamazight" if terms.renders else terms.target,
        "script_mode": {"pass1": "latin", "pass2": "tifinagh"} if terms.renders else {"pass1": "as_written"},
        "orthography": terms.orthography if equipment.writes_tamazight else None,
        "stages": _stages(run, equipment),
        "thresholds": {**THRESHOLDS, "semantic_fidelity_hard_floor": HARD_FLOOR},
        "rework_policy": {"max_paragraph_attempts": terms.max_attempts, "batch": terms.batch},
        **run.beside,
        "counts": canonical_counts(run.counts),
        "status": run.status,
    }


def read_beside(equipment: Equipment) -> dict[str, Any]:
    """What a manifest says of the files beside the source. It is written down when they are read: a run's files are
    made again from the journal alone, whatever has become of those."""
    return {
        "exclusion_policy": _exclusion_policy(equipment),
        "style_sheet": equipment.style.version if equipment.style is not None else None,
        "critics": {critic.name: critic.version for critic in equipment.critics},
    }


def _exclusion_policy(equipment: Equipment) -> dict[str, Any]:
    exclusions = equipment.exclusions
    carried = ["code block", "front matter", "raw HTML"]
    if exclusions is None:
        return {"carried_through": carried, "ids": {}, "patterns": []}
    return {
        "carried_through": carried,
        "ids": {id: reason for id, (reason, _) in exclusions.ids.items()},
        "patterns": [{"pattern": rule.pattern.pattern, "reason": rule.reason} for rule in exclusions.rules],
    }


def _stages(run: RunFacts, equipment: Equipment) -> list[dict[str, Any]]:
    """Every phase: what it reads and writes, and which models and prompts it uses."""
    renders = equipment.terms.renders
    reviewed = "pass2_pre" if renders else "pass1_pre"

    def stage(phase: str, reads: str, writes: str, model: str | None = None, *prompts: str) -> dict[str, Any]:
        ids = _versions(run, prompts) if model else {}
        return {"phase": phase, "input": reads, "output": writes, "model": model, "prompts": ids}

    by_model = equipment.terms.translator == "model"
    translator = run.models.get("translator") if by_model else equipment.terms.translator
    return [
        stage("A", str(run.source["name"]), "source_pre"),
        stage("B", "source_pre", "pass1_pre", translator, *(["translate"] if by_model else ())),
        *([stage("C", "pass1_pre", "pass2_pre")] if renders else []),
        stage("C.5", reviewed, "final/candidate.md"),
        {**stage("D", reviewed, "review"), **_reviewers(run)},
        stage("E", "state/rework_queue.jsonl", reviewed, run.models.get("reworker"), "rework_edit", "rework_paragraph"),
        stage("F", reviewed, "final/final.md"),
    ]


def _reviewers(run: RunFacts) -> dict[str, Any]:
    """Who reviews: the judges where there are any, else the one reviewer; critics have a model of their own."""
    single, critic = None if run.judges else run.models.get("reviewer"), run.models.get("critic")
    prompts = (*(REVIEWS if single or run.judges else ()), *(("critic",) if critic else ()))
    return {"model": single, "judges": list(run.judges), "critic": critic, "prompts": _versions(run, prompts)}


def _versions(run: RunFacts, prompts: Iterable[str]) -> dict[str, str | None]:
    return {name: run.prompts.get(prompt(name)) for name in prompts}
