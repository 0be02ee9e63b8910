"""The gate: a pure function from scorecard, findings and policy to a verdict. It fails closed.

Whatever is missing, not finite, out of range, doubled or unknown keeps the gate shut: comparing with NaN is always
False, so a gate that only asks "is it below the line?" would let it through.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from burnish.core.findings import BLOCKING, CRASHED_RULE, SEVERITIES, Finding
from burnish.core.scores import Dimension, Scorecard


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
