"""The files of a manuscript's run as pydantic models: what others may rely on."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from burnish.kinds.manuscripts.policy import CANONICAL
from burnish.kinds.manuscripts.review_rows import ReviewIssue

Score = Annotated[float, Field(ge=0.0, le=1.0)]
ParagraphId = Annotated[str, Field(pattern=r"^p_\d{4,}$")]
Digest = Annotated[str, Field(pattern=r"^sha256:[0-9a-f]{64}$")]
Status = Literal[
    "ingested",
    "translated_pass1",
    "translated_pass2",
    "candidate_assembled",
    "review_in_progress",
    "review_failed",
    "rework_queued",
    "reworked",
    "ready_to_merge",
    "manual_review_required",
    "merged",
]
assert set(CANONICAL) == set(Status.__args__), "the states of the files are those of the table"  # type: ignore[attr-defined]


class Row(BaseModel):
    """A row of a file: nothing but what is named here."""

    model_config = ConfigDict(extra="forbid")


class ParagraphState(Row):
    """A line of state/paragraph_state.jsonl."""

    paragraph_id: ParagraphId
    content_hash: Digest
    """Of the source paragraph's text; the same for good."""
    status: Status
    attempt: Annotated[int, Field(ge=1)]
    failure_history: list[str]
    scores: dict[str, Score]
    blocking_issues: list[str]
    updated_at: str
    excluded_by_policy: bool
    exclude_reason: str | None = None
    reason: str | None = None
    """Why it rests there."""


class ParagraphScores(Row):
    """A line of state/paragraph_scores.jsonl."""

    paragraph_id: ParagraphId
    attempt: Annotated[int, Field(ge=1)]
    scores: dict[str, Score]
    """The lowest of all reviewers, by dimension."""
    hard_fail: bool
    reasons: list[str]
    by_reviewer: dict[str, dict[str, Score]]
    informational: dict[str, dict[str, float]]


class ReworkPacketRow(Row):
    """A line of state/rework_queue.jsonl."""

    paragraph_id: ParagraphId
    content_hash: Digest
    current_text: str
    source_text: str
    failure_reasons: list[str]
    failure_history: list[str]
    required_fixes: list[str]
    attempt: Annotated[int, Field(ge=1)]


class NormalizedReviewRow(BaseModel):
    """A line of review/normalized/*.jsonl. The first four fields are required; any others are optional."""

    paragraph_id: ParagraphId
    scores: dict[str, Score]
    issues: list[ReviewIssue]
    hard_fail: bool
    reviewer: str | None = None


class CandidateMapRow(Row):
    """A line of final/candidate_map.jsonl."""

    paragraph_id: ParagraphId
    paragraph_index: Annotated[int, Field(ge=1)]
    start_line: Annotated[int, Field(ge=1)]
    end_line: Annotated[int, Field(ge=1)]


class UnmappedIssue(Row):
    """An issue of a review that belongs to no paragraph."""

    reviewer: str
    category: str
    severity: Literal["critical", "error", "warning", "info"]
    description: str
    suggested_fix: str | None
    anchor: dict[Literal["line", "start_line", "end_line", "quote"], int | str]
    """Where its reviewer says that it is; empty where nothing was said."""
    mapping_error: str
    """Why that is no paragraph."""


class GateBlocker(Row):
    """Something that keeps a run from being published."""

    id: str
    state: str | None
    reason: str
    message: str
    issue: UnmappedIssue | None = None
    """What a blocker is about that is no paragraph; left out for all others."""


class GateReport(Row):
    """gate/gate_report.json: whether the run may be published, and every blocker by name."""

    run_id: str
    status: Literal["published", "awaiting_approval", "blocked", "stopped"]
    passed: bool
    required: int
    excluded: int
    counts: dict[Status, int]
    blockers: list[GateBlocker]
    approval: dict[str, Any] | None
    source: dict[str, Any]
    thresholds: dict[str, Score]
    hard_floor: dict[str, Score]
    stopped_because: str | None


class StageRecord(Row):
    """A phase of the run, in the manifest."""

    phase: str
    input: str
    output: str
    model: str | None
    """The one that does it; None where none does, or where `judges` do."""
    prompts: dict[str, str | None]
    judges: list[str] = []
    """Phase D: the models that review together."""
    critic: str | None = None
    """Phase D: the model behind the critics."""


class ManuscriptManifest(BaseModel):
    """manifest.json of a manuscript's run: these beside the fields of every manifest."""

    run_id: str
    language: str
    source_language: str
    pipeline_profile: Literal["standard_single_pass", "tamazight_two_pass"]
    semantic_language: str
    script_mode: dict[str, str]
    orthography: str | None
    stages: list[StageRecord]
    thresholds: dict[str, Score]
    rework_policy: dict[str, int]
    exclusion_policy: dict[str, Any]
    style_sheet: str | None
    critics: dict[str, str]
    counts: dict[Status, int]
    status: str
