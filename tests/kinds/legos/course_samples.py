"""Records of a course as they should be."""

from __future__ import annotations

from typing import Any

CREATED = "2026-01-01T08:00:00.000Z"


def attempt(number: int = 1, score: float = 8.4, **more: Any) -> dict[str, Any]:
    whole = {
        "attempt_number": number,
        "timestamp": f"2026-01-02T09:0{number}:00Z",
        "agent_version": "burnish_1",
        "prompt_version": "1.2.0",
        "legos_extracted": 2,
        "quality_score": {
            "overall_score": score,
            "dimension_scores": {
                "iron_rule_compliance": 10,
                "naturalness": 7.5,
                "pedagogical_value": 8,
                "consistency": 8.0,
                "edge_case_handling": 0,
            },
            "calculated_at": f"2026-01-02T09:0{number}:01+01:00",
            "scoring_version": "1.0",
        },
        "concerns": [
            {
                "concern_id": "c_too_small",
                "severity": "medium",
                "category": "pedagogical",
                "description": "The phrases are short.",
                "affected_legos": ["S7L1"],
                "suggested_fix": "Cut longer ones.",
                "auto_fixable": False,
            }
        ],
        "suggestions": [
            {
                "suggestion_id": "s_target_word_count",
                "type": "prompt_improvement",
                "priority": "high",
                "current_prompt_excerpt": "Cut phrases.",
                "suggested_change": "Cut phrases of three to five words.",
                "rationale": "Short ones teach little.",
                "expected_improvement": "One point.",
            }
        ],
        "status": "accepted" if score >= 8 else "failed",
        "review_notes": "Fine.",
    }
    if number > 1:
        whole["compared_to_previous"] = {"score_delta": "+0.5", "improvements": ["Longer."], "regressions": []}
    return {**whole, **more}


def translation(attempts: int = 1, score: float = 8.4, **more: Any) -> dict[str, Any]:
    """As it is after so many attempts, all with this score."""
    return {
        "uuid": "0123456789abcdef0123456789abcdef",
        "type": "translation",
        "seed_id": "C0007",
        "source": "I want to speak with you now.",
        "target": "Сакам да зборувам со тебе сега.",
        "metadata": {
            "course_code": "mkd_for_eng_574seeds",
            "phase": "phase_1",
            "heuristics_applied": ["clarity"],
            "created_at": CREATED,
            "migrated_from": "paper",
        },
        "lego_extraction_attempts": [attempt(number, score) for number in range(1, attempts + 1)],
        "quality_status": ("accepted" if score >= 8 else "flagged") if attempts else "pending_review",
        "current_quality_score": score if attempts else 0,
        "total_attempts": attempts,
        "flagged_for_review": False,
        "human_review_requested": False,
        "last_reviewed_at": "2026-01-02T09:01:01Z" if attempts else None,
        **more,
    }


def old_translation() -> dict[str, Any]:
    """From before the self-review."""
    new = translation(0)
    return {name: new[name] for name in ("uuid", "type", "seed_id", "source", "target", "metadata")}


def lego(**more: Any) -> dict[str, Any]:
    return {
        "uuid": "fedcba9876543210fedcba9876543210",
        "type": "lego",
        "provenance": "S7L1",
        "source_translation_uuid": "0123456789abcdef0123456789abcdef",
        "source_seed_id": "C0007",
        "source": "I want to speak",
        "target": "Сакам да зборувам",
        "metadata": {
            "course_code": "mkd_for_eng_574seeds",
            "phase": "phase_3",
            "word_count": 4,
            "start_index": 0,
            "end_index": 15,
            "target_start_index": 0,
            "target_end_index": 17,
            "alignment_confidence": 0.9,
            "iron_rule_compliant": True,
            "created_at": CREATED,
        },
        **more,
    }
