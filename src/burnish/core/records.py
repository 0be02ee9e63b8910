"""Records of a run: plain data, the same for every kind and journal.

The journal stamps `at` when it writes (strictly increasing, whatever the clock does), so an unwritten record has an
empty `at`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

Json = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Usage:
    """The tokens and cost of calls. `cost` is None if the model's price is unknown."""

    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost: float | None = 0.0
    reasoning_tokens: int = 0
    """The part of the completion that was thinking."""
    cached_tokens: int = 0
    """The part of the prompt that came from the provider's cache."""
    cache_write_tokens: int = 0
    """The part of the prompt that was written to the cache, if the provider reports it."""

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


TRILLION = 10**12


def shares(usage: Usage, parts: int) -> list[Usage]:
    """Divide usage into parts that add up to it; money is divided in trillionths of a dollar, as it is summed up."""
    cost = None if usage.cost is None else round(usage.cost * TRILLION)

    def share(amount: int, part: int) -> int:
        return amount // parts + (part < amount % parts)

    return [
        Usage(
            share(usage.prompt_tokens, part),
            share(usage.completion_tokens, part),
            None if cost is None else share(cost, part) / TRILLION,
            share(usage.reasoning_tokens, part),
            share(usage.cached_tokens, part),
            share(usage.cache_write_tokens, part),
        )
        for part in range(parts)
    ]


WITHHELD = "withheld: The answer repeats a key of this machine, so it is neither used nor kept."
"""The error of a withheld call."""


@dataclass(frozen=True, slots=True)
class CallRecord:
    """A finished model call. Once it is recorded with status `ok`, its key is never called again."""

    key: str
    """Hash of everything that shapes the reply."""
    unit: str
    role: str
    model: str
    reply_name: str
    request: Json
    """The request: system, user, schema, settings. No key, no header."""
    status: Literal["ok", "failed"]
    raw: str
    """The reply's exact text; for a failed call the last body without secrets, or an empty text."""
    usage: Usage
    """The sum of all tries, including failed ones."""
    tries: int
    duration_ms: int
    error: str | None = None
    at: str = ""

    def withheld(self) -> CallRecord:
        """Return the record of an answer that holds a key: it is paid, but neither kept nor used. Without the key it
        would differ from what the model said, so its text is removed."""
        return replace(self, status="failed", raw="", error=WITHHELD)


@dataclass(frozen=True, slots=True)
class CallIntent:
    """A call that is about to be made. Its CallRecord removes it; an intent without one was possibly paid."""

    key: str
    role: str
    model: str
    tokens: int
    """The most tokens that one try can use."""
    cost: float | None = None
    """The highest cost of one try; None: the price is unknown."""
    is_over: bool = False
    """The call was not made."""
    batch: str | None = None
    """Our name of the batch that it is submitted in; None: it is not in a batch."""
    call: Json | None = None
    """The whole call, if it is in a batch: another process may collect its answer."""
    at: str = ""


@dataclass(frozen=True, slots=True)
class EventRecord:
    """An event. Events with a `dedupe` key are written at most once."""

    type: str
    unit: str | None = None
    data: Json = field(default_factory=dict)
    dedupe: str | None = None
    seq: int = 0
    """Set by the journal: 1, 2, 3, ..."""
    at: str = ""


@dataclass(frozen=True, slots=True)
class UnitRow:
    """The current state of a unit."""

    id: str
    document: str
    position: int
    """0-based order in the whole run."""
    content_hash: str
    """Hash of the unit as read from the source."""
    state: str
    reason: str | None = None
    """The reason for the state, such as `attempts_exhausted`."""
    attempts: int = 0
    best_attempt: int = 0
    open_errors: int = 0
    at: str = ""


Cause = Literal["source", "safe_fix", "model", "review", "person", "given", "memory", "machine", "script"]
"""The origin of a draft. `review` is the best draft, reviewed again. Translations may also be `given` with the source,
found in a `memory`, made by a `machine` that is not a language model, or be the previous draft in another `script`."""


@dataclass(frozen=True, slots=True)
class AttemptRecord:
    """One draft, its review and its verdict. Immutable: a second write of the same number is ignored."""

    unit: str
    number: int
    """1 is the unit as read."""
    cause: Cause
    """The origin of the draft."""
    content: Json | None
    """The unit after this attempt; None if it is the same as in the source."""
    content_hash: str
    scores: Mapping[str, float]
    findings: tuple[Json, ...]
    passed: bool
    failure: str | None = None
    """Why the attempt gave no usable draft: `reply_unreadable`, an edit's refusal, `new_errors`, ..."""
    edits: tuple[Json, ...] = ()
    receipt: Json | None = None
    usage: Usage = field(default_factory=Usage)
    calls: tuple[str, ...] = ()
    """Keys of its model calls."""
    checked: Json = field(default_factory=dict)
    """Results of the rules besides findings (`Examination.as_record`); empty if they were not run."""
    at: str = ""


@dataclass(frozen=True, slots=True)
class SourceRecord:
    """A unit as read from its document, so that it can be shown if the document has moved.

    Kinds whose first attempts hold the source have none.
    """

    unit: str
    content: Json


Record = CallRecord | CallIntent | EventRecord | UnitRow | AttemptRecord | SourceRecord


@dataclass(frozen=True, slots=True)
class Totals:
    """The cost of the whole run so far."""

    calls: int
    failed_calls: int
    usage: Usage
    unpriced_calls: int
    lost_calls: int = 0
    """Calls that were begun and never recorded, because the process was killed: possibly paid."""
    lost_tokens: int = 0
    """The most tokens that those may have used."""
    lost_cost: float = 0.0
    """The highest cost of those whose prices are known."""


@dataclass(frozen=True, slots=True)
class ModelUsage:
    """The output of one model in one role."""

    model: str
    role: str
    answered: int
    completion_tokens: int
    """Including those of failed calls."""
    reasoning_tokens: int


@dataclass(frozen=True, slots=True)
class RoleTotals:
    """The cost of one role's calls so far."""

    role: str
    calls: int
    usage: Usage
    """`cost` is the known part."""
    unpriced_calls: int
    failures: Mapping[str, int]
    """Fault (`truncated`, `refused`, `unreadable`, `timeout`, ...) -> number of calls."""


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
    "rule_dismissed",
    "rule_restored",
    "claims_answered",
    "reopened",
    "task_begun",
    "compared",
    "round_started",
    "round_ended",
    "unanswered",
    "calls_submitted",
    "other_model",
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
    "version_kept",
]


def event(
    type: EventType, unit: str | None = None, *, dedupe: str | None = None, data: Mapping[str, Any] | None = None
) -> EventRecord:
    """Return a new event that is not written yet."""
    return EventRecord(type=type, unit=unit, data=dict(data or {}), dedupe=dedupe)
