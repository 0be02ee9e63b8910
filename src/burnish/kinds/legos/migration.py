"""Migration: records from before the self-review, made ones of today. Recorded scores are never computed again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from burnish.core.errors import InputError
from burnish.kinds.legos.records import instant, newer_version

LEGACY_AGENT = "phase3_v1.0_legacy"
LEGACY_SCORING = "0.0_retroactive"
LEGACY_SCORE = 7.5
"""Of LEGOs that were cut before anything was scored: not known, taken to be fine."""

_LEGACY_DIMENSIONS = {
    "iron_rule_compliance": 10,
    "naturalness": 7,
    "pedagogical_value": 7,
    "consistency": 7,
    "edge_case_handling": 8,
}


def is_current(record: Mapping[str, Any]) -> bool:
    """Whether a translation has the fields of the self-review."""
    return record.get("lego_extraction_attempts") is not None


def migrated(old: Mapping[str, Any], legos: int) -> dict[str, Any]:
    """A translation of today; one that is of today already is given back unchanged. `legos`: how many were cut from it.

    InputError where a newer Burnish wrote it, or where it holds results of a review whose attempts are gone.
    """
    newer = newer_version(old)
    if newer is not None:
        raise InputError(
            f"This record is from a newer Burnish (schema {newer[:20]}).",
            field="schema_version",
            code="newer_schema",
            hint="Update Burnish. The record was left as it is.",
        )
    if old.get("type") != "translation":
        raise InputError("This is no translation.", field="type", hint="Only translations are migrated.")
    if is_current(old):
        return dict(old)
    added = _reviewed_before(old, legos) if legos else _never_reviewed()
    for field, value in added.items():
        if field in old and old[field] is not None and old[field] != value:
            raise InputError(
                f"The record has {field}, but not the attempts that it speaks of.",
                field="lego_extraction_attempts",
                hint="Restore its attempts from a copy, or take its review fields out to begin again.",
            )
    return {**old, **added}


def _never_reviewed() -> dict[str, Any]:
    return {
        "lego_extraction_attempts": [],
        "quality_status": "pending_review",
        "current_quality_score": 0,
        "total_attempts": 0,
        "flagged_for_review": False,
        "human_review_requested": False,
        "last_reviewed_at": None,
    }


def _reviewed_before(old: Mapping[str, Any], legos: int) -> dict[str, Any]:
    """With a first attempt in the name of those who cut the LEGOs."""
    metadata = old.get("metadata")
    created = metadata.get("created_at") if isinstance(metadata, Mapping) else None
    if not isinstance(created, str) or instant(created) is None:
        raise InputError(
            "The record does not say when it was made, so its first attempt cannot be dated.",
            field="metadata.created_at",
            hint="Give it a date-time such as 2026-01-31T09:30:00Z.",
        )
    attempt = {
        "attempt_number": 1,
        "timestamp": created,
        "agent_version": LEGACY_AGENT,
        "prompt_version": "1.0.0",
        "legos_extracted": legos,
        "quality_score": {
            "overall_score": LEGACY_SCORE,
            "dimension_scores": dict(_LEGACY_DIMENSIONS),
            "calculated_at": created,
            "scoring_version": LEGACY_SCORING,
        },
        "concerns": [],
        "suggestions": [],
        "status": "accepted",
        "review_notes": "Cut before extractions were reviewed; its score is assumed.",
    }
    return {
        **_never_reviewed(),
        "lego_extraction_attempts": [attempt],
        "quality_status": "accepted",
        "current_quality_score": LEGACY_SCORE,
        "total_attempts": 1,
        "last_reviewed_at": created,
    }
