"""The states of a SEED, the conditions to pass, and the catalogue of concerns and suggestions.

A concern is about one SEED. A suggestion is a rule that would have prevented it, with the same words for every SEED, so
that suggestions can be counted over a course and frequent ones tried. The texts of both are in `concerns.toml`.
"""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, NamedTuple, Self, cast

from burnish.core import findings
from burnish.core.gate import Dimension as GateDimension
from burnish.core.gate import GatePolicy, StateTable
from burnish.core.presentation import DocumentRule
from burnish.kinds.legos.model import DIMENSIONS, OVERALL, Dimension

ACCEPT, FLAG = 8.0, 5.0
"""The thresholds: an extraction is accepted from the first, flagged from the second, and has failed below it."""
MAX_ATTEMPTS = 3
MOST_RULES = 12
"""The most rules that a course may add to a prompt: models do not follow longer lists."""
PENDING = "pending_extraction"
ALIGNED = "aligned"
EXTRACTED = "extracted"
RETRY = "retry_scheduled"
ACCEPTED = "accepted"
WAITING = "pending_review"
WRITTEN = "written"
SETTLED = "settled_before"
"""Accepted in an earlier run: not cut again, but its cut counts for the habits of the course."""

STATES = StateTable(
    initial=PENDING,
    working=RETRY,
    ready=ACCEPTED,
    waiting=WAITING,
    moves={
        # A person decides first on records that were changed since they were read.
        PENDING: frozenset({ALIGNED, WAITING}),
        # Earlier runs may have used all attempts.
        ALIGNED: frozenset({EXTRACTED, WAITING}),
        EXTRACTED: frozenset({ACCEPTED, RETRY, WAITING}),
        RETRY: frozenset({EXTRACTED, WAITING, ACCEPTED}),
        # Only a person's decision leaves this state.
        WAITING: frozenset({ACCEPTED, RETRY}),
        # An editor may undo it until the course is written.
        ACCEPTED: frozenset({WRITTEN, WAITING}),
        WRITTEN: frozenset(),
        SETTLED: frozenset(),
    },
)

RETRY_BELOW = ACCEPT
"""The threshold for another attempt. The operator may change it, but not the threshold for acceptance."""

PROFILES: dict[str, dict[str, findings.Severity]] = {"default": {}, "strict": {}}

UNUSUAL, CRITICAL, DOUBTFUL = "unusual_seed", "critical_concern", "doubtful_halves"
HELD, DECIDED = "held", "decided_before"
SEEN_ALL_THE_SAME = frozenset({UNUSUAL, CRITICAL, DOUBTFUL, HELD, DECIDED})
"""Reasons why a cut that passed waits for a person anyway."""
WAITED, EXHAUSTED = "waited_before", "attempts_exhausted"

REASONS = {
    "accepted": "The LEGOs keep the rules and score high enough.",
    "score_too_low": "The score of the LEGOs is below the threshold.",
    "guarantee_broken": "The LEGOs score high enough, but break a rule that always blocks.",
    UNUSUAL: "The LEGOs score high enough, but the SEED is unusual: check the cut.",
    CRITICAL: "The LEGOs score high enough, but the reviewer has a critical concern.",
    DOUBTFUL: "The LEGOs score high enough, but the halves of one may differ in meaning.",
    HELD: "A person asked to see the cut before it is accepted.",
    DECIDED: "A person decided on this SEED before; no model overrules that.",
    WAITED: "Waiting since an earlier run.",
    "flagged": "The score of the LEGOs is below 8.0, and no further attempt is made.",
    "accepted_before": "Accepted in an earlier run.",
    "not_asked_for": "Not part of this run.",
    EXHAUSTED: "No attempt scores high enough, and none is left.",
    "no_better_cut": "The built-in extractor has no other cut.",
    "reviewer_unreadable": "The reviewer's answer could not be read.",
}


def gate() -> GatePolicy:
    """The gate for a person's own cut. The five dimensions are shown; the overall score decides."""
    within = [GateDimension(name, 0.0, 0.0, 10.0) for name in DIMENSIONS]
    return GatePolicy((*within, GateDimension(OVERALL, ACCEPT, 0.0, 10.0)))


Severity = Literal["low", "medium", "high", "critical"]
Category = Literal["iron_rule", "naturalness", "pedagogical", "consistency", "edge_case"]
PRIORITIES: tuple[Severity, ...] = ("critical", "high", "medium", "low")
SEVERITIES: Mapping[str, findings.Severity] = dict(
    zip(PRIORITIES, ("critical", "error", "warning", "info"), strict=True)
)
"""The severities of the contract -> those of findings."""

SMALLEST_MEAN, LARGEST_MEAN = 2.5, 6.0
"""Mean number of words per LEGO: below c_too_small, above c_too_large."""
LARGEST_SPREAD = 1.5
"""Standard deviation of the sizes: above c_inconsistent_granularity."""
REUSABLE_FROM = 8.0
"""Reusability of a LEGO with a pronoun or a frame. If most have less: c_low_reusability."""
LOW_AGREEMENT = 0.5
"""Share of the course that is cut alike: below c_pattern_mismatch."""


class ConcernKind(NamedTuple):
    """The properties shared by all concerns of one id."""

    severity: Severity
    category: Category
    auto_fixable: bool = False


class Advice(NamedTuple):
    """The properties shared by all suggestions of one id."""

    priority: Severity
    dimension: Dimension
    rule: str
    """The text for the prompt, in a form that holds for every SEED of a course."""


_TEXTS = tomllib.loads(Path(__file__).with_name("concerns.toml").read_text(encoding="utf-8"))
CONCERNS: Mapping[str, ConcernKind] = {
    id: ConcernKind(text["severity"], text["category"], text.get("auto_fixable", False))
    for id, text in _TEXTS["concerns"].items()
}
SUGGESTIONS: Mapping[str, Advice] = {id: Advice(**text) for id, text in _TEXTS["suggestions"].items()}


def _document_rule(id: str, severity: findings.Severity, text: Mapping[str, str]) -> DocumentRule:
    limits = {"SMALLEST_MEAN": SMALLEST_MEAN, "LARGEST_MEAN": LARGEST_MEAN, "LARGEST_SPREAD": LARGEST_SPREAD}
    sections = {
        "What it looks for": text["looks_for"].format(**limits),
        "Why it matters": text["matters"],
        "Fix": text["fix"],
    }
    return DocumentRule(id, text["title"], severity, text["summary"], sections)


RULES: tuple[DocumentRule, ...] = (
    *(_document_rule(id, SEVERITIES[text["severity"]], text) for id, text in _TEXTS["concerns"].items()),
    *(_document_rule(id, text["severity"], text) for id, text in _TEXTS["beyond"].items()),
)
"""Every concern, and the other rules of findings, for `burnish rules` and its pages."""
TITLES: Mapping[str, str] = {rule.id: rule.title for rule in RULES}
"""Concern -> its title. A model may add further concerns."""


@dataclass(frozen=True, slots=True)
class Concern:
    """A fault of an extraction. Field names are those of the JSON."""

    concern_id: str
    severity: Severity
    category: Category
    description: str
    affected_legos: tuple[str, ...]
    """By their provenance: `S5L2`."""
    suggested_fix: str
    auto_fixable: bool = False
    source: str = "rule"
    """Its author: `rule`, `model:<name>` or `person:<name>`."""

    @classmethod
    def of(cls, id: str, description: str, legos: tuple[str, ...], fix: str) -> Self:
        """A concern from the catalogue."""
        kind = CONCERNS[id]
        return cls(id, kind.severity, kind.category, description, legos, fix, kind.auto_fixable)

    def as_record(self) -> dict[str, Any]:
        """The concern as JSON; the author only if it is not a rule."""
        record = {name: getattr(self, name) for name in self.__dataclass_fields__}
        record["affected_legos"] = list(self.affected_legos)
        if self.source == "rule":
            del record["source"]
        return record

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> Self:
        known = {name: record[name] for name in cls.__dataclass_fields__ if name in record}
        return cls(**{**known, "affected_legos": tuple(record["affected_legos"])})


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A change proposed for the prompt. Field names are those of the JSON."""

    suggestion_id: str
    priority: Severity
    suggested_change: str
    """The rule to add to the prompt."""
    rationale: str
    expected_improvement: str
    type: Literal["prompt_improvement", "heuristic_adjustment", "training_data"] = "prompt_improvement"

    @classmethod
    def of(cls, id: str, rationale: str, scores: Mapping[Dimension, float]) -> Self:
        """A suggestion from the catalogue. The expected gain is what its dimension lacks."""
        advice = SUGGESTIONS[id]
        missing = 10 - scores[advice.dimension]
        gain = f"up to +{missing:.1f} points in {advice.dimension}"
        return cls(id, advice.priority, advice.rule, rationale, gain)

    def as_record(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self.__dataclass_fields__}

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> Self:
        return cls(**{name: record[name] for name in cls.__dataclass_fields__ if name in record})


def main_concern(attempt: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """The most frequent concern of an attempt; of equals the worst, then the first."""
    concerns: list[Mapping[str, Any]] = list(attempt["concerns"])
    counts = Counter(concern["concern_id"] for concern in concerns)
    return max(concerns, key=lambda one: (counts[one["concern_id"]], rank(one["severity"])), default=None)


def by_priority(suggestions: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The most urgent first; equals keep their order."""
    return sorted(suggestions, key=lambda one: -rank(one["priority"]))


def rank(severity: str) -> int:
    """Higher is worse; priorities use the same names."""
    return -PRIORITIES.index(cast(Severity, severity))
