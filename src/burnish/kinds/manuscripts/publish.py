"""The files of the contract that a manuscript's run writes.

Files of rows are made in one pass over all paragraphs; the manifest and the gate report describe the run.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from burnish.core.attempts import rejections_in
from burnish.core.json_bytes import dumps
from burnish.core.presentation import Artifact, RunFacts, UnitStory
from burnish.core.records import AttemptRecord, UnitRow
from burnish.kinds.manuscripts.block_fit import candidate_pieces
from burnish.kinds.manuscripts.bundle import Bundle, BundleRows, Of, Tokens
from burnish.kinds.manuscripts.findings import RECORDED_AS
from burnish.kinds.manuscripts.model import Paragraph
from burnish.kinds.manuscripts.policy import (
    CANONICAL,
    EXCLUDED,
    HARD_FLOOR,
    INGESTED,
    MANUAL,
    QUEUED,
    REASONS,
    THRESHOLDS,
)
from burnish.kinds.manuscripts.progress import Past, paragraph_of, past, reasons_of, rows_of
from burnish.kinds.manuscripts.requests import prompt
from burnish.kinds.manuscripts.resources import Equipment
from burnish.kinds.manuscripts.review_rows import RULES_REVIEWER, ReviewRow
from burnish.kinds.manuscripts.verdict import aggregate, rework_packet

FINAL = "final/final.md"
TYPOGRAPHY = "critic:typography"


@dataclass(frozen=True)
class ParagraphRecord:
    """A unit's story, as the files of the contract need it."""

    story: UnitStory
    source: Paragraph
    draft: Paragraph
    """The kept draft."""
    past: Past
    review: AttemptRecord | None
    """The last review of the kept draft."""

    @classmethod
    def of(cls, story: UnitStory) -> ParagraphRecord:
        source = paragraph_of(story.source)
        kept = story.attempts[story.row.best_attempt - 1]
        draft = Paragraph.from_record(kept.content) if kept.content is not None else source
        judged = [
            one for one in story.counted_attempts if one.cause == "review" or (one.cause == "person" and one.scores)
        ]
        reviews = [one for one in judged if one.content_hash == kept.content_hash]
        known = past(story.attempts, rejections_in(story.decisions))
        return cls(story, source, draft, known, reviews[-1] if reviews else None)

    @property
    def rows(self) -> list[ReviewRow]:
        if self.review is not None and self.review.cause == "person":
            # A person's text is checked by the rules only, when it is entered.
            return [ReviewRow(self.source.id, RULES_REVIEWER, self.review.scores)]
        return rows_of(self.review) if self.review is not None else []

    def attempt(self, most: int) -> int:
        """The contract's number of the attempt, at most that of the last one allowed."""
        return min(self.past.attempt, most)

    @property
    def failure_history(self) -> list[str]:
        """The reasons of all failed reviews: sending back grants new attempts but does not erase the history."""
        return [reason for review in self.past.reviews if not review.passed for reason in reasons_of(review)]


T = TypeVar("T")


def once(make: Callable[[UnitStory], T]) -> Callable[[UnitStory], T]:
    """Cache the last result: several files need the same value of a story."""
    last: list[tuple[UnitStory, T]] = []

    def made(story: UnitStory) -> T:
        if not last or last[0][0] is not story:
            last[:] = [(story, make(story))]
        return last[0][1]

    return made


RecordOf = Callable[[UnitStory], ParagraphRecord]


@dataclass(slots=True)
class Lines:
    """A JSONL file with some rows for each paragraph."""

    rows: Callable[[UnitStory], Iterable[Mapping[str, Any]]]

    def take(self, story: UnitStory) -> Iterator[bytes]:
        return map(as_line, self.rows(story))

    def end(self) -> Iterator[bytes]:
        return iter(())


@dataclass(slots=True)
class CandidateFile:
    """`candidate.md`, or its map."""

    record_of: RecordOf
    maps: bool
    line: int = 1
    """The first line of the next paragraph."""

    def take(self, story: UnitStory) -> Iterator[bytes]:
        for _, place in candidate_pieces([self.record_of(story).draft], self.line):
            blank = "" if place.start_line == 1 else "\n"
            written = f"{blank}{place.text}\n".encode("utf-8", "surrogatepass")
            yield as_line(place.as_wire()) if self.maps else written
            self.line = place.end_line + 2

    def end(self) -> Iterator[bytes]:
        return iter(())


@dataclass(slots=True)
class IssuesFile:
    """The issues of critics in their own shape: one JSON object with all issues."""

    record_of: RecordOf
    wanted: Callable[[ReviewRow], bool]
    issues: int = 0

    def take(self, story: UnitStory) -> Iterator[bytes]:
        for row in self.record_of(story).rows:
            for issue in row.issues if self.wanted(row) else ():
                head = b",\n    " if self.issues else b'{\n  "issues": [\n    '
                yield head + as_line(issue.as_wire()).rstrip(b"\n")
                self.issues += 1

    def end(self) -> Iterator[bytes]:
        yield b"\n  ]\n}\n" if self.issues else b'{\n  "issues": []\n}\n'


def bundle_files(record_of: RecordOf, folder: str, of: Of, *names: str) -> dict[str, Artifact]:
    """The files of one bundle, or some of them."""
    bundle = Bundle(of)
    rows_of_story = once(lambda one: bundle.rows(record_of(one).source if of == "source" else record_of(one).draft))

    def lines(rows: Callable[[BundleRows], Iterable[Mapping[str, Any]]]) -> Lines:
        return Lines(lambda story: rows(found) if (found := rows_of_story(story)) is not None else ())

    made: dict[str, Artifact] = {
        "paragraphs.jsonl": lines(lambda rows: [rows.paragraph]),
        "sentences.jsonl": lines(lambda rows: rows.sentences),
        "words.jsonl": lines(lambda rows: rows.words),
        "manuscript_tokens.json": TokensFile(rows_of_story),
    }
    return {f"{folder}/{name}": file for name, file in made.items() if not names or name in names}


@dataclass(slots=True)
class TokensFile:
    """`manuscript_tokens.json`."""

    rows: Callable[[UnitStory], BundleRows | None]
    tokens: Tokens = field(default_factory=Tokens)

    def take(self, story: UnitStory) -> Iterator[bytes]:
        rows = self.rows(story)
        if rows is not None:
            yield self.tokens.take(rows)

    def end(self) -> Iterator[bytes]:
        yield self.tokens.end()


def _is_critic(row: ReviewRow) -> bool:
    return row.reviewer.startswith(("critic:", "file"))


def _is_typography(row: ReviewRow) -> bool:
    return row.reviewer == TYPOGRAPHY


def artifacts(equipment: Equipment, *, published: bool) -> dict[str, Artifact]:
    """Every file of a run's tree except the summaries and the final text."""
    most, record_of, renders = equipment.terms.max_attempts, once(ParagraphRecord.of), equipment.terms.renders
    pre = ("paragraphs.jsonl", "sentences.jsonl")

    def lines(rows: Callable[[ParagraphRecord], Iterable[Mapping[str, Any]]]) -> Lines:
        return Lines(lambda story: rows(record_of(story)))

    def rows_by(wanted: Callable[[ReviewRow], bool]) -> Lines:
        return lines(lambda record: [row.as_wire() for row in record.rows if wanted(row)])

    return {
        **bundle_files(record_of, "source_pre", "source"),
        **bundle_files(record_of, "pass1_pre", "latin" if renders else "translation", *pre),
        **(bundle_files(record_of, "pass2_pre", "translation", *pre) if renders else {}),
        "state/paragraph_state.jsonl": lines(lambda record: [state_row(record, most)]),
        "state/paragraph_scores.jsonl": lines(lambda record: scores_rows(record, most)),
        "state/rework_queue.jsonl": lines(lambda record: queue_rows(record, most)),
        "review/grammar/paragraph_rows.jsonl": rows_by(lambda row: not _is_critic(row)),
        "review/typography/review.json": IssuesFile(record_of, _is_typography),
        "review/critics/review.json": IssuesFile(record_of, _is_critic),
        "review/normalized/grammar_paragraph_rows.jsonl": rows_by(lambda row: not _is_critic(row)),
        "review/normalized/typography_paragraph_rows.jsonl": rows_by(_is_typography),
        "review/normalized/critics_paragraph_rows.jsonl": rows_by(_is_critic),
        "final/candidate.md": CandidateFile(record_of, maps=False),
        "final/candidate_map.jsonl": CandidateFile(record_of, maps=True),
        **(bundle_files(record_of, "final/final_pre", "final") if published else {}),
    }


def state_row(record: ParagraphRecord, most: int) -> dict[str, Any]:
    """The state of a paragraph, as in the contract. One out of scope is `ingested`, with the reason."""
    row, review = record.story.row, record.review
    blocking = reasons_of(review, "hard_reasons") if review is not None and not review.passed else []
    wire: dict[str, Any] = {
        "paragraph_id": row.id,
        "content_hash": record.source.source_hash,
        "status": INGESTED if row.state == EXCLUDED else row.state,
        "attempt": record.attempt(most),
        "failure_history": record.failure_history,
        "scores": dict(review.scores) if review is not None else {},
        "blocking_issues": blocking,
        "updated_at": row.at,
        "excluded_by_policy": row.state == EXCLUDED,
    }
    if row.state == EXCLUDED:
        wire["exclude_reason"] = row.reason
    elif row.reason:
        wire["reason"] = row.reason
    return wire


def scores_rows(record: ParagraphRecord, most: int) -> Iterator[dict[str, Any]]:
    """The scores of the kept draft, with those of every reviewer."""
    if record.review is None:
        return
    verdict = aggregate(record.rows)
    yield {
        "paragraph_id": record.story.row.id,
        "attempt": min(int((record.review.receipt or {}).get("attempt", 1)), most),
        "scores": dict(record.review.scores),
        "hard_fail": bool(verdict.hard_reasons),
        "reasons": reasons_of(record.review),
        "by_reviewer": {name: dict(given) for name, given in verdict.by_reviewer.items()},
        "informational": {name: dict(given) for name, given in verdict.informational.items()},
    }


def queue_rows(record: ParagraphRecord, most: int) -> Iterator[dict[str, Any]]:
    """The packet of a paragraph that waits for its rework, or for a model to do it."""
    row = record.story.row
    if record.review is None or (row.state != QUEUED and (row.state != MANUAL or row.reason != "no_model")):
        return
    standing = record.story.effective_decisions
    notes = [each.data.get("note") for each in standing if each.data.get("verdict") == "reject"]
    yield rework_packet(
        record.draft,
        aggregate(record.rows),
        failure_history=record.failure_history,
        attempt=record.attempt(most),
        note=notes[-1] if notes else None,
    )


def as_line(row: Mapping[str, Any]) -> bytes:
    """One line of JSON. A lone surrogate, which UTF-8 cannot encode, is written as its escape."""
    try:
        return dumps(row) + b"\n"
    except ValueError:
        return json.dumps(row, ensure_ascii=True, separators=(",", ":")).encode() + b"\n"


GATE = "gate/gate_report.json"
MANIFEST = "manifest.json"
ANCHORS = ("line", "start_line", "end_line", "quote")
SOURCE_CHANGED = "The source has changed since the run began; no decision can publish this run. Start a new one."


def summaries(run: RunFacts, equipment: Equipment) -> dict[str, Mapping[str, Any]]:
    return {MANIFEST: manifest(run, equipment), GATE: gate_report(run)}


def canonical_counts(counts: Mapping[str, int]) -> dict[str, int]:
    """The number of paragraphs in each state of the contract, where those out of scope count as `ingested`."""
    found = {state: counts.get(state, 0) for state in CANONICAL}
    found[INGESTED] += counts.get(EXCLUDED, 0)
    return found


def gate_report(run: RunFacts) -> dict[str, Any]:
    """Whether the run may be published, and every blocker by name. Written at every end of a run."""
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
    if row.id not in details:
        return named
    # An issue without a paragraph: the reviewer, the claim, its anchor, and why the anchor cannot be mapped.
    claim = details[row.id]["issue"]
    issue = {
        **{name: claim[name] for name in ("reviewer", "category", "severity", "description")},
        "suggested_fix": claim.get("suggested_fix"),
        "anchor": {name: claim[name] for name in ANCHORS if name in claim},
        "mapping_error": details[row.id][RECORDED_AS],
    }
    return {**named, "issue": issue}


def manifest(run: RunFacts, equipment: Equipment) -> dict[str, Any]:
    """The fields that the contract requires of a manifest besides the plan."""
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
    """The fields of a manifest for the materials. They are recorded when the files are read, so that a run's files can
    be made again from the journal alone."""
    exclusions = equipment.exclusions
    ids, rules = (exclusions.ids, exclusions.rules) if exclusions is not None else ({}, ())
    return {
        "exclusion_policy": {
            "carried_through": ["code block", "front matter", "raw HTML"],
            "ids": {id: reason for id, (reason, _) in ids.items()},
            "patterns": [{"pattern": rule.pattern.pattern, "reason": rule.reason} for rule in rules],
        },
        "style_sheet": equipment.style.version if equipment.style is not None else None,
        "critics": {critic.name: critic.version for critic in equipment.critics},
    }


def _stages(run: RunFacts, equipment: Equipment) -> list[dict[str, Any]]:
    """Every phase with its input, output, models and prompts."""
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
    """The reviewing models: the judges if there are any, else the one reviewer; and the model of critics."""
    single, critic = None if run.judges else run.models.get("reviewer"), run.models.get("critic")
    prompts = (*(("review",) if single or run.judges else ()), *(("critic",) if critic else ()))
    return {"model": single, "judges": list(run.judges), "critic": critic, "prompts": _versions(run, prompts)}


def _versions(run: RunFacts, prompts: Iterable[str]) -> dict[str, str | None]:
    return {name: run.prompts.get(prompt(name)) for name in prompts}
