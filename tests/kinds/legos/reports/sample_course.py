"""A small course with a SEED of every standing, as records: what the reports are made from."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

COURSE = "mkd_for_eng_574seeds"
DIMENSIONS = ("iron_rule_compliance", "naturalness", "pedagogical_value", "consistency", "edge_case_handling")


def uuid_of(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def concern(
    id: str, severity: str = "medium", *legos: str, description: str = "Something is cut badly"
) -> dict[str, Any]:
    return {
        "concern_id": id,
        "severity": severity,
        "category": "naturalness",
        "description": description,
        "affected_legos": list(legos),
        "suggested_fix": "Cut it elsewhere",
        "auto_fixable": False,
    }


def suggestion(id: str, priority: str = "medium", change: str = "Add a rule") -> dict[str, Any]:
    return {
        "suggestion_id": id,
        "type": "prompt_improvement",
        "priority": priority,
        "suggested_change": change,
        "rationale": "It was not said",
        "expected_improvement": "+1 point",
    }


def attempt(
    number: int,
    score: float,
    concerns: Sequence[dict[str, Any]] = (),
    suggestions: Sequence[dict[str, Any]] = (),
    status: str = "flagged",
) -> dict[str, Any]:
    at = f"2026-01-0{number}T10:00:00.000Z"
    made = {
        "attempt_number": number,
        "timestamp": at,
        "agent_version": "burnish_0.1",
        "prompt_version": "1.0.0",
        "legos_extracted": 2,
        "quality_score": {
            "overall_score": score,
            "dimension_scores": {name: max(0.0, score - place / 2) for place, name in enumerate(DIMENSIONS)},
            "calculated_at": at,
            "scoring_version": "1.0",
        },
        "concerns": list(concerns),
        "suggestions": list(suggestions),
        "status": status,
        "review_notes": f"Attempt {number} reviewed.",
    }
    if number > 1:
        made["compared_to_previous"] = {"score_delta": "+0.1", "improvements": [], "regressions": []}
    return made


def translation(
    seed_id: str,
    source: str,
    target: str,
    *attempts: dict[str, Any],
    status: str = "accepted",
    flagged: bool = False,
    person: bool = False,
    **more: Any,
) -> dict[str, Any]:
    return {
        "uuid": uuid_of(seed_id + source),
        "type": "translation",
        "seed_id": seed_id,
        "source": source,
        "target": target,
        "metadata": {
            "course_code": COURSE,
            "phase": "phase_1",
            "heuristics_applied": [],
            "created_at": "2026-01-01T09:00:00.000Z",
        },
        "lego_extraction_attempts": list(attempts),
        "quality_status": status,
        "current_quality_score": attempts[-1]["quality_score"]["overall_score"] if attempts else 0,
        "total_attempts": len(attempts),
        "flagged_for_review": flagged,
        "human_review_requested": person,
        "last_reviewed_at": attempts[-1]["timestamp"] if attempts else None,
        **more,
    }


def lego(seed: dict[str, Any], position: int, source: str, target: str) -> dict[str, Any]:
    start, there = seed["source"].index(source), seed["target"].index(target)
    provenance = f"S{int(seed['seed_id'][1:])}L{position}"
    return {
        "uuid": uuid_of(seed["uuid"] + provenance),
        "type": "lego",
        "provenance": provenance,
        "source_translation_uuid": seed["uuid"],
        "source_seed_id": seed["seed_id"],
        "source": source,
        "target": target,
        "metadata": {
            "course_code": COURSE,
            "phase": "phase_3",
            "word_count": len(source.split()),
            "start_index": start,
            "end_index": start + len(source),
            "target_start_index": there,
            "target_end_index": there + len(target),
            "alignment_confidence": 0.9,
            "iron_rule_compliant": True,
            "created_at": "2026-01-01T10:00:00.000Z",
        },
    }


ACCEPTED = translation(
    "C0001", "I need coffee this morning", "Ми треба кафе утрово", attempt(1, 9.0, status="accepted")
)
IMPROVED = translation(
    "C0002",
    "She called me back yesterday",
    "Таа ми се јави назад вчера",
    attempt(
        1,
        6.5,
        [concern("c_phrasal_verb_split", "medium", "S2L1", "S2L2")],
        [suggestion("s_preserve_phrasal_verbs", "high"), suggestion("s_target_word_count")],
    ),
    attempt(2, 8.5, status="accepted"),
)
RETRIED = translation(
    "C0003",
    "We sat in the old kitchen",
    "Седевме во старата кујна",
    attempt(
        1,
        7.0,
        [
            concern("c_too_small", "medium", "S3L1", description="The LEGOs are too small"),
            concern("c_dangling_determiner", "low", "S3L1", description="One ends on 'the'"),
            concern("c_dangling_determiner", "low", "S3L2", description="Another ends on 'the'"),
        ],
        [
            suggestion("s_target_word_count", "medium", "Aim at three to five words"),
            suggestion("s_keep_determiners", "critical", "Never end on a determiner"),
        ],
        status="retry_scheduled",
    ),
    status="flagged",
    flagged=True,
)
EXHAUSTED = translation(
    "C0004",
    "With whom did you come",
    "Со кого дојде",
    attempt(
        1, 4.0, [concern("c_iron_rule_violation", "critical", "S4L1")], [suggestion("s_target_word_count")], "failed"
    ),
    attempt(2, 6.0, [concern("c_unnatural_boundary", "medium", "S4L2")], status="flagged"),
    attempt(3, 5.5, [concern("c_too_large", "low", "S4L1"), concern("c_iron_rule_violation", "critical", "S4L1")]),
    status="pending_review",
    flagged=True,
    person=True,
    best_attempt_number=2,
)
FAILED = translation(
    "C0005",
    "Off of it",
    "Од тоа",
    attempt(1, 3.5, [concern("c_iron_rule_violation", "critical", "S5L1"), concern("c_too_small", "medium", "S5L1")]),
    status="failed",
    flagged=True,
    person=True,
)
UNTOUCHED = translation("C0006", "Good evening", "Добра вечер", status="pending_review")
RECORDS = [ACCEPTED, IMPROVED, RETRIED, EXHAUSTED, FAILED, UNTOUCHED]

LEGOS = [
    lego(ACCEPTED, 1, "I need coffee", "Ми треба кафе"),
    lego(ACCEPTED, 2, "this morning", "утрово"),
    lego(IMPROVED, 1, "She called me back", "Таа ми се јави назад"),
    lego(IMPROVED, 2, "yesterday", "вчера"),
    lego(RETRIED, 1, "We sat in the old kitchen", "Седевме во старата кујна"),
    lego(EXHAUSTED, 1, "did you come", "дојде"),
]
