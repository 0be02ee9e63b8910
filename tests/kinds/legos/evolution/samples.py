"""Records, rules and evidence for tests of an evolution."""

from __future__ import annotations

from typing import Any

from burnish.core.experiments import Evidence, PairedTest
from burnish.kinds.legos.evolution.overlay import Rule

KEEP_VERBS = "Keep verbs of several words whole in one LEGO."
GOOD = Rule("r_preserve_phrasal_verbs_00000001", KEEP_VERBS, "s_preserve_phrasal_verbs", 9)
OTHER = Rule("r_target_word_count_00000002", "Aim for three to five words in a LEGO.", "s_target_word_count", 5)


def suggestion(
    id: str = "s_preserve_phrasal_verbs", change: str = KEEP_VERBS, priority: str = "high", **more: Any
) -> dict[str, Any]:
    return {
        "suggestion_id": id,
        "type": "prompt_improvement",
        "priority": priority,
        "suggested_change": change,
        "rationale": "because",
        "expected_improvement": "some",
        **more,
    }


def record(number: int, *attempts: list[dict[str, Any]]) -> dict[str, Any]:
    """A translation record whose attempts suggest these."""
    return {
        "seed_id": f"C{number:04}",
        "lego_extraction_attempts": [{"suggestions": suggestions} for suggestions in attempts],
    }


def evidence(
    gain: float = 0.8, p: float = 0.001, effect: float = 0.9, concerns: tuple[float, float] = (1.0, 0.5)
) -> Evidence:
    return Evidence(PairedTest(80, gain, p, effect), 7.0, 7.0 + gain, 20, *concerns)


NOTHING_GAINED = evidence(gain=-0.1, p=0.7, effect=-0.05)
