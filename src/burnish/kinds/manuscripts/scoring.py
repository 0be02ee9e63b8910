"""How the scores of rules come about: one formula for all five dimensions, counted by rule and not by finding.

    nothing found                  1.00
    warnings                       1.00 - 0.05 for each rule that warns (0.07 where it warns twice or more), together
                                   at most 0.15: warnings alone never fail a paragraph
    errors                         0.70 - 0.05 for each further rule with an error, less the warnings as above, never
                                   below 0.50: errors fail their dimension, and leave it at the floor or above
    something critical             0.20
    a check that crashed, or a
    rule that nobody placed        no score at all: what was not judged does not pass

Remarks (`info`) cost nothing. A rule that finds one thing ten times is one trouble, most often with one cause; a sum
over findings would fail long paragraphs for being long.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

from burnish.core.findings import SEVERITIES, Finding
from burnish.kinds.manuscripts.dimensions import DIMENSIONS, HARD_FLOOR, RULES, DimensionName

WARNING = 0.05
WARNING_AGAIN = 0.02
"""What a rule's second warning adds. Further ones add nothing."""
WARNINGS_TOGETHER = 0.15
"""The most that warnings cost: semantic_fidelity still reaches its line of .85."""
WITH_AN_ERROR = 0.70
FURTHER_ERROR = 0.05
CRITICAL = 0.20


class Mark(NamedTuple):
    """One thing held against a paragraph, as far as its score is concerned."""

    dimension: DimensionName
    name: str
    """The rule's id, or the category where a reviewer has no rules. Marks of one name count once."""
    severity: str


def rule_scores(findings: Iterable[Finding]) -> dict[str, float]:
    """The five scores of the rules, or none at all where one of them crashed or is unknown."""
    marks: list[Mark] = []
    for finding in findings:
        placed = RULES.get(finding.rule)
        if placed is None or finding.severity not in SEVERITIES:
            return {}
        marks.append(Mark(placed.dimension, finding.rule, finding.severity))
    return {dimension: score([mark for mark in marks if mark.dimension == dimension]) for dimension in DIMENSIONS}


def score(marks: Iterable[Mark]) -> float:
    """The score of one dimension from what is held against it there."""
    found = list(marks)
    if any(mark.severity == "critical" for mark in found):
        return CRITICAL
    failing = {mark.name for mark in found if mark.severity == "error"}
    warning = Counter(mark.name for mark in found if mark.severity == "warning" and mark.name not in failing)
    cost = min(WARNINGS_TOGETHER, sum(WARNING + (WARNING_AGAIN if times > 1 else 0) for times in warning.values()))
    best = WITH_AN_ERROR - FURTHER_ERROR * (len(failing) - 1) if failing else 1.0
    # Sums of twentieths are not exact in binary: unrounded, three warnings would fall below the line of .85.
    return max(HARD_FLOOR, round(best - cost, 2))
