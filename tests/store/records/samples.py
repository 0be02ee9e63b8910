"""Records of a small course, with things in them that a store does not know."""

from typing import Any

AT = "2026-01-01T00:00:00Z"


def uuid(number: int) -> str:
    return f"{number:032x}"


def attempt(number: int, **more: Any) -> dict[str, Any]:
    return {
        "attempt_number": number,
        "timestamp": f"2026-01-01T00:00:{number:02d}Z",
        "concerns": [{"concern_id": "c_too_small", "description": "Small.", "suggested_fix": "Grow.", "odd": [1, {}]}],
        "suggestions": [{"rationale": "So.", "suggested_change": "Say «више».", "suggestion_id": "s_more"}],
        "quality_score": {"overall_score": 8, "dimension_scores": {"naturalness": 8.0}},
        **more,
    }


def translation(number: int, attempts: int = 0, **more: Any) -> dict[str, Any]:
    return {
        "unknown_first": {"b": 1, "a": [None, True, 1.0, 10, "\u200fשלום", "e\u0301"]},
        "uuid": uuid(number),
        "type": "translation",
        "seed_id": f"C{number:04d}",
        "source": "I want to speak.",
        "target": "Сакам да зборувам.",
        "lego_extraction_attempts": [attempt(place) for place in range(1, attempts + 1)],
        "total_attempts": attempts,
        **more,
    }


def lego(number: int, of: int, place: int, **more: Any) -> dict[str, Any]:
    return {
        "uuid": uuid(number),
        "type": "lego",
        "provenance": f"S{of}L{place}",
        "source_translation_uuid": uuid(of),
        "source_seed_id": f"C{of:04d}",
        "source": "I want",
        "target": "Сакам",
        **more,
    }
