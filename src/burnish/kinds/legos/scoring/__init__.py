"""How good an extraction is: five scores from 0 to 10, one module each, and their weighted sum.

    iron_rule_compliance    .35    no LEGO begins or ends with a preposition
    naturalness             .25    cut where a speaker would pause
    pedagogical_value       .20    worth learning, and neither too short nor too long
    consistency             .10    even sizes, and the same pattern cut the same way across the course
    edge_case_handling      .10    contractions, punctuation, special characters and words are left whole

Scores are rounded to one decimal, and the sum is taken over the rounded ones, so that anybody can check it from a
record. A SEED without LEGOs teaches nobody and has 0 everywhere.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from burnish.kinds.legos.habits import Habits
from burnish.kinds.legos.iron_rule import IronRule
from burnish.kinds.legos.model import DIMENSIONS, Dimension
from burnish.kinds.legos.scoring.consistency import consistency
from burnish.kinds.legos.scoring.edge_cases import edge_case_handling
from burnish.kinds.legos.scoring.extraction import Extraction, spans_of
from burnish.kinds.legos.scoring.iron import iron_rule_compliance
from burnish.kinds.legos.scoring.naturalness import naturalness
from burnish.kinds.legos.scoring.pedagogy import pedagogical_value
from burnish.kinds.legos.scoring.rounding import one_decimal

SCORING_VERSION = "1.0"
WEIGHTS: Mapping[Dimension, float] = MappingProxyType(
    {
        "iron_rule_compliance": 0.35,
        "naturalness": 0.25,
        "pedagogical_value": 0.20,
        "consistency": 0.10,
        "edge_case_handling": 0.10,
    }
)


def scores_of(extraction: Extraction, habits: Habits | None, rule: IronRule) -> dict[Dimension, float]:
    """The five scores. Without habits the SEED is taken to be cut like the rest of its course."""
    if not extraction.pieces:
        return dict.fromkeys(DIMENSIONS, 0.0)
    found: dict[Dimension, float] = {
        "iron_rule_compliance": iron_rule_compliance(extraction, rule),
        "naturalness": naturalness(extraction),
        "pedagogical_value": pedagogical_value(extraction),
        "consistency": consistency(extraction, habits),
        "edge_case_handling": edge_case_handling(extraction),
    }
    return {dimension: one_decimal(score) for dimension, score in found.items()}


def overall(scores: Mapping[Dimension, float]) -> float:
    """The weighted sum, with one decimal."""
    return one_decimal(sum(WEIGHTS[dimension] * scores[dimension] for dimension in DIMENSIONS))


__all__ = ["SCORING_VERSION", "WEIGHTS", "Extraction", "one_decimal", "overall", "scores_of", "spans_of"]
