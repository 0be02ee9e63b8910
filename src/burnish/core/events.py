"""Events: what happened, in the journal's order. Everything a person later reads about a run is told by these."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from burnish.core.records import EventRecord

EventType = Literal[
    "run_started",
    "run_resumed",
    "lock_taken_over",
    "ingested",
    "input_problem",
    "passed_through",
    "finding_dropped",
    "edit_applied",
    "edit_refused",
    "rolled_back",
    "model_degraded",
    "state_changed",
    "decision",
    "decision_withdrawn",
    "reopened",
    "compared",
    "round_started",
    "round_ended",
    "unanswered",
    "run_stopped",
    "batch_formed",
    "batch_settled",
    "blocker_raised",
    "blocker_numbered",
    "stale_source",
    "reauthorized",
    "approved",
    "course_changed",
    "trial_settled",
    "publish_blocked",
    "published",
]


def event(
    type: EventType, unit: str | None = None, *, dedupe: str | None = None, data: Mapping[str, Any] | None = None
) -> EventRecord:
    """An event that has not been written yet."""
    return EventRecord(type=type, unit=unit, data=dict(data or {}), dedupe=dedupe)
