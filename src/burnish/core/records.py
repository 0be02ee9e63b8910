"""What a run remembers: plain records, the same for every kind and every journal.

The journal stamps `at` when it writes (strictly increasing, whatever the clock does), so a record that has not been
written yet carries an empty `at`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

Json = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Usage:
    """What calls cost. `cost` is None where the model's price is not known."""

    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost: float | None = 0.0
    reasoning_tokens: int = 0
    """How many of the completion's were thinking."""
    cached_tokens: int = 0
    """How many of the prompt's came from the provider's cache."""
    cache_write_tokens: int = 0
    """How many of the prompt's were put into it, where the provider counts them."""

    @property
    def total_tokens(self) -> int:
        return self.prompt_tokens + self.completion_tokens

    def __add__(self, other: Usage) -> Usage:
        known = self.cost is not None and other.cost is not None
        return Usage(
            self.prompt_tokens + other.prompt_tokens,
            self.completion_tokens + other.completion_tokens,
            (self.cost or 0.0) + (other.cost or 0.0) if known else None,
            self.reasoning_tokens + other.reasoning_tokens,
            self.cached_tokens + other.cached_tokens,
            self.cache_write_tokens + other.cache_write_tokens,
        )


WITHHELD = "withheld: The answer repeats a key of this machine, so it is neither used nor kept."
"""The error of such a call."""


@dataclass(frozen=True, slots=True)
class CallRecord:
    """One model call that is over. Once recorded with status `ok`, its key is never called again."""

    key: str
    """Hash of everything that shapes the reply."""
    unit: str
    role: str
    model: str
    reply_name: str
    request: Json
    """What was sent: system, user, schema, settings. No key, no header."""
    status: Literal["ok", "failed"]
    raw: str
    """The reply's text exactly as it came; for a failed call the last body without secrets, or an empty text."""
    usage: Usage
    """All tries together: a failed try is on the bill too."""
    tries: int
    duration_ms: int
    error: str | None = None
    at: str = ""

    def withheld(self) -> CallRecord:
        """Return the record of an answer that holds a key: paid, but neither kept nor used. Without the key it would
        say something else than the model said, so nothing of it is left to be read."""
        return replace(self, status="failed", raw="", error=WITHHELD)


@dataclass(frozen=True, slots=True)
class CallIntent:
    """A call that is about to be made. Its CallRecord takes it away; where that never came, it was perhaps paid."""

    key: str
    role: str
    model: str
    tokens: int
    """The most that one try of it can use."""
    cost: float | None = None
    """The most that one try of it can cost; None: its price is not known."""
    is_over: bool = False
    """It was not made after all."""
    batch: str | None = None
    """Our name of the batch that it is submitted in; None: it is made by itself."""
    call: Json | None = None
    """The whole call, where it is submitted: its answer may be collected by another process."""
    at: str = ""


@dataclass(frozen=True, slots=True)
class EventRecord:
    """Something that happened. Events with a `dedupe` key are written at most once."""

    type: str
    unit: str | None = None
    data: Json = field(default_factory=dict)
    dedupe: str | None = None
    seq: int = 0
    """Given by the journal: 1, 2, 3, ..."""
    at: str = ""


@dataclass(frozen=True, slots=True)
class UnitRow:
    """Where a unit stands now."""

    id: str
    document: str
    position: int
    """0-based order over the whole run."""
    content_hash: str
    """Hash of the unit as it was read from the source."""
    state: str
    reason: str | None = None
    """Why it rests there, such as `attempts_exhausted`."""
    attempts: int = 0
    best_attempt: int = 0
    open_errors: int = 0
    at: str = ""


Cause = Literal["source", "safe_fix", "model", "review", "person", "given", "memory", "machine", "script"]
"""Where a draft comes from. `review` is the best draft looked at once more. Translations may also be `given` beside the
source, found in a `memory`, made by a `machine` that is no language model, or the draft before in another `script`."""


@dataclass(frozen=True, slots=True)
class AttemptRecord:
    """One draft, its review and its verdict. Never changed: a second write of the same number is ignored."""

    unit: str
    number: int
    """1 is the unit as it was read."""
    cause: Cause
    """Where the draft comes from."""
    content: Json | None
    """The unit after this attempt; None where it is the same as in the source."""
    content_hash: str
    scores: Mapping[str, float]
    findings: tuple[Json, ...]
    passed: bool
    failure: str | None = None
    """Why the attempt produced no draft worth keeping: `reply_unreadable`, an edit's refusal, `new_errors`, ..."""
    edits: tuple[Json, ...] = ()
    receipt: Json | None = None
    usage: Usage = field(default_factory=Usage)
    calls: tuple[str, ...] = ()
    """Keys of the model calls behind it."""
    checked: Json = field(default_factory=dict)
    """What the rules did beyond their findings (`Examination.as_record`); empty where they were not run."""
    at: str = ""


@dataclass(frozen=True, slots=True)
class SourceRecord:
    """A unit as it was read from its document, so that it can be shown when the document has moved.

    Kinds whose first attempts hold the source need none.
    """

    unit: str
    content: Json


Record = CallRecord | CallIntent | EventRecord | UnitRow | AttemptRecord | SourceRecord


@dataclass(frozen=True, slots=True)
class Totals:
    """What the whole run has cost so far."""

    calls: int
    failed_calls: int
    usage: Usage
    unpriced_calls: int
    lost_calls: int = 0
    """Calls that were begun and never recorded, because the process was killed: perhaps paid."""
    lost_tokens: int = 0
    """What those may have used at most."""
    lost_cost: float = 0.0
    """What those may have cost at most, where their prices are known."""


@dataclass(frozen=True, slots=True)
class ModelUsage:
    """What the calls of one role have made one model write."""

    model: str
    role: str
    answered: int
    completion_tokens: int
    """Those of calls that failed too."""
    reasoning_tokens: int


@dataclass(frozen=True, slots=True)
class RoleTotals:
    """What the calls of one role have cost so far."""

    role: str
    calls: int
    usage: Usage
    """`cost`: the known part of it."""
    unpriced_calls: int
    failures: Mapping[str, int]
    """Why calls failed (`truncated`, `refused`, `unreadable`, `timeout`, ...) -> how many did."""


EventType = Literal[
    "run_started",
    "run_resumed",
    "lock_taken_over",
    "ingested",
    "input_problem",
    "passed_through",
    "sheet_made",
    "finding_dropped",
    "edit_applied",
    "edit_refused",
    "rolled_back",
    "model_degraded",
    "state_changed",
    "decision",
    "decision_withdrawn",
    "reopened",
    "task_begun",
    "compared",
    "round_started",
    "round_ended",
    "unanswered",
    "calls_submitted",
    "run_stopped",
    "run_failed",
    "batch_formed",
    "batch_settled",
    "blocker_raised",
    "blocker_numbered",
    "stale_source",
    "reauthorized",
    "approved",
    "course_changed",
    "delivered",
    "trial_settled",
    "proof_judged",
    "publish_blocked",
    "published",
]


def event(
    type: EventType, unit: str | None = None, *, dedupe: str | None = None, data: Mapping[str, Any] | None = None
) -> EventRecord:
    """Return an event that has not been written yet."""
    return EventRecord(type=type, unit=unit, data=dict(data or {}), dedupe=dedupe)
