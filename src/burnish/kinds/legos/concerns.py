"""The catalogue: what a review can hold against an extraction, and what it then proposes for the prompt.

A concern is about one SEED. A suggestion is a rule that would have prevented it, worded alike for every SEED, so that
those of a whole course can be counted and the frequent ones tried. The words of both are in `concerns.toml`.
"""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, NamedTuple, Self, cast

from burnish.core import findings
from burnish.core.presentation import DocumentRule
from burnish.kinds.legos.model import Dimension

Severity = Literal["low", "medium", "high", "critical"]
Category = Literal["iron_rule", "naturalness", "pedagogical", "consistency", "edge_case"]
PRIORITIES: tuple[Severity, ...] = ("critical", "high", "medium", "low")
SEVERITIES: Mapping[str, findings.Severity] = dict(
    zip(PRIORITIES, ("critical", "error", "warning", "info"), strict=True)
)
"""The contract's words -> ours."""

SMALLEST_MEAN, LARGEST_MEAN = 2.5, 6.0
"""Words a LEGO, on average: below c_too_small, above c_too_large."""
LARGEST_SPREAD = 1.5
"""Standard deviation of the sizes: above c_inconsistent_granularity."""
REUSABLE_FROM = 8.0
"""Reusability of a LEGO with a pronoun or a frame. Where most have less: c_low_reusability."""
LOW_AGREEMENT = 0.5
"""Share of the course that cuts alike: below c_pattern_mismatch."""


class ConcernKind(NamedTuple):
    """What is the same for every concern of one id."""

    severity: Severity
    category: Category
    auto_fixable: bool = False


class Advice(NamedTuple):
    """What is the same for every suggestion of one id."""

    priority: Severity
    dimension: Dimension
    rule: str
    """What the prompt should say, in a form that holds for every SEED of a course."""


_TEXTS = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
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
"""Every concern, and what else findings can name, for `burnish rules` and its pages."""
TITLES: Mapping[str, str] = {rule.id: rule.title for rule in RULES}
"""Concern -> what people call it. A model may make up further ones."""


@dataclass(frozen=True, slots=True)
class Concern:
    """One thing that speaks against an extraction. The fields carry the names of the wire."""

    concern_id: str
    severity: Severity
    category: Category
    description: str
    affected_legos: tuple[str, ...]
    """By their provenance: `S5L2`."""
    suggested_fix: str
    auto_fixable: bool = False
    source: str = "rule"
    """Who says so: `rule`, `model:<name>` or `person:<name>`."""

    @classmethod
    def of(cls, id: str, description: str, legos: tuple[str, ...], fix: str) -> Self:
        """A concern of the catalogue."""
        kind = CONCERNS[id]
        return cls(id, kind.severity, kind.category, description, legos, fix, kind.auto_fixable)

    def as_record(self) -> dict[str, Any]:
        """The wire's shape; who says so only where it is not the rules."""
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
    """How the prompt could do better. The fields carry the names of the wire."""

    suggestion_id: str
    priority: Severity
    suggested_change: str
    """The rule that the prompt should say."""
    rationale: str
    expected_improvement: str
    type: Literal["prompt_improvement", "heuristic_adjustment", "training_data"] = "prompt_improvement"

    @classmethod
    def of(cls, id: str, rationale: str, scores: Mapping[Dimension, float]) -> Self:
        """A suggestion of the catalogue. What it can bring is what its dimension lacks."""
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
    """The most frequent concern of an attempt; of two that are as frequent the worse, then the one told first."""
    concerns: list[Mapping[str, Any]] = list(attempt["concerns"])
    counts = Counter(concern["concern_id"] for concern in concerns)
    return max(concerns, key=lambda one: (counts[one["concern_id"]], rank(one["severity"])), default=None)


def by_priority(suggestions: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The most urgent first; the order of equals is kept."""
    return sorted(suggestions, key=lambda one: -rank(one["priority"]))


def rank(severity: str) -> int:
    """Higher is worse; priorities are called the same."""
    return -PRIORITIES.index(cast(Severity, severity))
