"""How a SEED stands: what the reports read out of its translation record. Pure; the record is valid and migrated."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, get_args

from burnish.kinds.legos.flagging import FLAG
from burnish.kinds.legos.records import Severity
from burnish.kinds.legos.replacing import attempts_on

SEVERITIES: tuple[Severity, ...] = get_args(Severity)
"""From the least to the worst; priorities are called the same."""
BY_PERSON = "_person"
"""How the agent's version of an attempt ends that a person made."""


@dataclass(frozen=True)
class Standing:
    """One SEED of a course, as its record tells it."""

    record: Mapping[str, Any]

    @property
    def seed_id(self) -> str:
        return str(self.record["seed_id"])

    @property
    def uuid(self) -> str:
        return str(self.record["uuid"])

    @property
    def order(self) -> tuple[str, str]:
        """The course's own order, whatever order the records came in."""
        return self.seed_id, self.uuid

    @property
    def status(self) -> str:
        return str(self.record["quality_status"])

    @cached_property
    def attempts(self) -> list[Mapping[str, Any]]:
        """Those on the sentences that it has now."""
        return attempts_on(self.record)

    @cached_property
    def last(self) -> Mapping[str, Any] | None:
        """The last attempt: what the SEED's current score is about."""
        return self.attempts[-1] if self.attempts else None

    @cached_property
    def kept(self) -> Mapping[str, Any] | None:
        """The attempt whose LEGOs are kept: the one that is named, else the best, the later of two that are equal."""
        named = self.record.get("best_attempt_number")
        by_number = {attempt["attempt_number"]: attempt for attempt in self.attempts}
        if named in by_number:
            return by_number[named]
        return max(self.attempts, key=lambda one: (score_of(one), one["attempt_number"]), default=None)

    @property
    def total_attempts(self) -> int:
        """Those in the archive among them."""
        return int(self.record["total_attempts"])

    @property
    def score(self) -> float:
        """The current one, which is the last attempt's."""
        return float(self.record["current_quality_score"])

    @property
    def is_extracted(self) -> bool:
        return self.last is not None

    @property
    def has_failed(self) -> bool:
        """Below the line, also while it waits for a person."""
        below = self.is_extracted and self.score < FLAG
        return self.status == "failed" or (self.status == "pending_review" and below)

    @property
    def is_flagged(self) -> bool:
        """Worth a look, and not among the failed, so that no SEED is on both lists."""
        return (self.status == "flagged" or bool(self.record["flagged_for_review"])) and not self.has_failed

    @property
    def is_to_be_retried(self) -> bool:
        return self.last is not None and self.last["status"] == "retry_scheduled"

    @property
    def needs_a_person(self) -> bool:
        return bool(self.record["human_review_requested"])

    @property
    def may_be_taught(self) -> bool:
        """Accepted, and nobody is asked to look at it first."""
        return self.status == "accepted" and not self.needs_a_person


def score_of(attempt: Mapping[str, Any]) -> float:
    return float(attempt["quality_score"]["overall_score"])


def is_by_person(attempt: Mapping[str, Any]) -> bool:
    """Whether a person cut it."""
    return str(attempt["agent_version"]).endswith(BY_PERSON)


def main_concern(attempt: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """The most frequent concern of an attempt; of two that are as frequent the worse, then the one told first."""
    concerns: list[Mapping[str, Any]] = list(attempt["concerns"])
    counts = Counter(concern["concern_id"] for concern in concerns)
    return max(concerns, key=lambda one: (counts[one["concern_id"]], rank(one["severity"])), default=None)


def by_priority(suggestions: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The most urgent first; the order of equals is kept."""
    return sorted(suggestions, key=lambda one: -rank(one["priority"]))


def rank(severity: str) -> int:
    return SEVERITIES.index(severity)
