"""The gate: a pure function from scorecard, findings and policy to a verdict. It fails closed.

Whatever is missing, not finite, out of range, doubled or unknown keeps the gate shut: comparing with NaN is always
False, so a gate that only asks "is it below the line?" would let it through.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Self, TypeGuard

from burnish.core.findings import BLOCKING, CRASHED_RULE, SEVERITIES, Finding


@dataclass(frozen=True, slots=True)
class Dimension:
    """One thing that is scored, and the line it has to reach."""

    name: str
    minimum: float
    lowest: float = 0.0
    highest: float = 1.0

    def holds(self, value: object) -> bool:
        """Whether `value` is a usable score: a finite number in range. True and "9" are not numbers."""
        return is_number(value) and self.lowest <= value <= self.highest


def is_number(value: object) -> TypeGuard[int | float]:
    """A finite number that a float can hold. True, "9" and 10**400 are none."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    try:
        return math.isfinite(value)
    except OverflowError:
        return False


@dataclass(frozen=True, slots=True)
class Scorecard:
    """Scores as they were claimed. What cannot be used is named, so that a gate can stay shut over it."""

    scores: Mapping[str, float]
    unusable: tuple[str, ...] = ()
    """Names that came twice, or with a value that is no finite number."""

    @classmethod
    def of(cls, claims: Mapping[str, object] | Iterable[tuple[str, object]]) -> Self:
        pairs = list(claims.items()) if isinstance(claims, Mapping) else list(claims)
        scores: dict[str, float] = {}
        unusable: list[str] = []
        for name, value in pairs:
            if name not in scores and name not in unusable and is_number(value):
                scores[name] = float(value)
            else:
                unusable.append(name)
        kept = {name: score for name, score in scores.items() if name not in unusable}
        return cls(kept, tuple(dict.fromkeys(unusable)))


@dataclass(frozen=True, slots=True)
class GatePolicy:
    """What a unit needs to pass."""

    dimensions: tuple[Dimension, ...]
    """Every one of them must be scored and reach its line."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """Pass, or every reason why not."""

    passed: bool
    reasons: tuple[str, ...] = ()


def judge(card: Scorecard, findings: Iterable[Finding], policy: GatePolicy) -> Verdict:
    """The verdict on one unit."""
    reasons = [*_score_reasons(card, policy), *_finding_reasons(findings)]
    if not policy.dimensions:
        reasons.append("policy_asks_for_nothing")
    return Verdict(not reasons, tuple(dict.fromkeys(reasons)))


def _score_reasons(card: Scorecard, policy: GatePolicy) -> Iterable[str]:
    known = {dimension.name for dimension in policy.dimensions}
    for name in card.unusable:
        yield f"{name}_unusable"
    for name in card.scores:
        if name not in known:
            yield f"{name}_unknown"
    for dimension in policy.dimensions:
        if dimension.name not in card.scores:
            yield f"{dimension.name}_missing"
        elif not dimension.holds(card.scores[dimension.name]):
            yield f"{dimension.name}_out_of_range"
        elif not card.scores[dimension.name] >= dimension.minimum:
            yield f"{dimension.name}_below_threshold"


def _finding_reasons(findings: Iterable[Finding]) -> Iterable[str]:
    for finding in findings:
        if finding.rule == CRASHED_RULE:
            yield CRASHED_RULE
        elif finding.severity not in SEVERITIES:
            yield f"{finding.rule}_severity_unknown"
        elif finding.severity in BLOCKING:
            yield finding.rule
