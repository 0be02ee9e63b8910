"""Migration of records from before the self-review to the current schema. Recorded scores are never recomputed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from burnish.core.errors import InputError
from burnish.kinds.legos.iron_rule import IronRule
from burnish.kinds.legos.model import HALVES, Lego, Seed, source_profile, words_of
from burnish.kinds.legos.placement import Extraction, Half, Sentence, placed
from burnish.kinds.legos.records import instant, newer_version
from burnish.kinds.legos.validation import is_valid, validate

LEGACY_AGENT = "phase3_v1.0_legacy"
LEGACY_SCORING = "0.0_retroactive"
LEGACY_SCORE = 7.5
"""The score of LEGOs cut before scores existed: unknown, assumed to be good."""

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
    """Migrate a translation; a current one is returned unchanged. `legos`: the number of LEGOs cut from it.

    Raise InputError if a newer Burnish wrote it, or if it holds review results without their attempts.
    """
    newer = newer_version(old)
    if newer is not None:
        raise InputError(
            f"This record is from a newer Burnish (schema {newer[:20]}).",
            field="schema_version",
            code="newer_schema",
            hint="Update Burnish. The record is unchanged.",
        )
    if old.get("type") != "translation":
        raise InputError("This is not a translation.", field="type", hint="Only translations are migrated.")
    if is_current(old):
        return dict(old)
    added = _reviewed_before(old, legos) if legos else _never_reviewed()
    for field, value in added.items():
        if field in old and old[field] is not None and old[field] != value:
            raise InputError(
                f"The record has {field}, but not the attempts that it refers to.",
                field="lego_extraction_attempts",
                hint="Restore its attempts from a copy, or remove its review fields to start over.",
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
    """The review fields with a first attempt by the legacy agent."""
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


PHASE = "phase_3"
UNKNOWN_CONFIDENCE = 0.5
"""Of LEGOs cut by other programs and not aligned: neither certain nor doubtful."""
_PROVENANCE = re.compile(r"S[0-9]{1,9}L([0-9]{1,9})")
_HINT = "Give it halves copied from the sentences of its SEED, or remove it."

Outcome = dict[str, Any] | InputError
"""The migrated LEGO, or the error."""


def migrated_legos(legos: Sequence[Mapping[str, Any]], translation: Mapping[str, Any]) -> list[Outcome]:
    """Migrate the LEGOs of one SEED, in order. Valid ones are unchanged; the fields of old ones are kept, and missing
    fields are added."""
    outcomes: list[Outcome | None] = [
        dict(lego) if is_valid(validate(lego, translation=translation)) else None for lego in legos
    ]
    old = [place for place, outcome in enumerate(outcomes) if outcome is None]
    found = _located([legos[place] for place in old], translation)
    positions = _free_positions(legos)
    for place, lego in sorted(zip(old, found, strict=True), key=_by_start):
        if isinstance(lego, InputError):
            outcomes[place] = lego
            continue
        position = _position(legos[place]) or next(positions)
        outcomes[place] = _filled(legos[place], lego, position, translation)
    return [outcome for outcome in outcomes if outcome is not None]


def _by_start(found: tuple[int, Lego | InputError]) -> tuple[int, int]:
    place, lego = found
    return (lego.start if isinstance(lego, Lego) else -1), place


def _position(lego: Mapping[str, Any]) -> int | None:
    match = _PROVENANCE.fullmatch(str(lego.get("provenance")))
    return int(match[1]) if match else None


def _free_positions(legos: Sequence[Mapping[str, Any]]) -> Iterator[int]:
    taken = {_position(lego) for lego in legos}
    return (number for number in range(1, 2 * len(legos) + 1) if number not in taken)


def _located(legos: Sequence[Mapping[str, Any]], translation: Mapping[str, Any]) -> list[Lego | InputError]:
    sentences = {half: Sentence(str(translation.get(half, ""))) for half in HALVES}
    halves = [{half: _half(lego.get(half), sentences[half]) for half in HALVES} for lego in legos]
    whole = [place for place, found in enumerate(halves) if None not in found.values()]
    starts = {half: dict(zip(whole, _places([halves[place][half] for place in whole]), strict=True)) for half in HALVES}
    return [
        _lego(lego, starts["source"][place], starts["target"][place])
        if place in starts["source"]
        else _missing(halves[place]["source"])
        for place, lego in enumerate(legos)
    ]


def _half(text: object, sentence: Sentence) -> Half | None:
    """The half in the sentence; None if it is not there letter for letter."""
    half = sentence.half(text) if isinstance(text, str) else None
    return half if half is not None and half.text == text else None


def _places(halves: Sequence[Half | None]) -> list[int]:
    return placed([half for half in halves if half is not None])


def _lego(lego: Mapping[str, Any], start: int, target_start: int) -> Lego:
    source, target = lego["source"], lego["target"]
    return Lego(
        source, target, start, start + len(source), target_start, target_start + len(target), UNKNOWN_CONFIDENCE
    )


def _missing(source: Half | None) -> InputError:
    half = "source" if source is None else "target"
    message = f"The {half} half of this LEGO is not in the {half} sentence of its SEED."
    return InputError(message, field=half, code="not_verbatim", hint=_HINT)


def _filled(old: Mapping[str, Any], lego: Lego, position: int, translation: Mapping[str, Any]) -> Outcome:
    theirs, own = _part(translation, "metadata"), _part(old, "metadata")
    id, uuid, source, target = (str(translation.get(name)) for name in ("seed_id", "uuid", "source", "target"))
    seed = Seed(id, uuid, source, target, str(theirs.get("course_code")), (lego,))
    compliant = _is_compliant(seed)
    if compliant is None:
        message = f"The source language of the course {seed.course_code[:64]!r} is not supported."
        return InputError(message, field="metadata.iron_rule_compliant", hint="Set it to true or false.")
    added = lego_metadata(seed, lego, theirs.get("created_at"), compliant=compliant)
    given = {name: value for name, value in own.items() if value is not None}
    new = {
        **old,
        "provenance": old.get("provenance") or f"S{seed.id[1:].lstrip('0') or '0'}L{position}",
        "source_seed_id": old.get("source_seed_id") or seed.id,
        "metadata": {**added, **given},
    }
    return _refusal(new, translation) or new


def lego_metadata(seed: Seed, lego: Lego, at: object, *, compliant: bool) -> dict[str, Any]:
    """The metadata of a LEGO's record. `at`: when it was made."""
    return {
        "course_code": seed.course_code,
        "phase": PHASE,
        "word_count": len(words_of(lego.source)),
        "start_index": lego.start,
        "end_index": lego.end,
        "target_start_index": lego.target_start,
        "target_end_index": lego.target_end,
        "alignment_confidence": lego.confidence,
        "iron_rule_compliant": compliant,
        "created_at": at,
    }


def _part(record: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    value = record.get(name)
    return value if isinstance(value, Mapping) else {}


def _is_compliant(seed: Seed) -> bool | None:
    """Whether its LEGO obeys the strict Iron Rule; None if the language is not supported."""
    profile = source_profile(seed.course_code)
    if profile is None:
        return None
    [piece] = Extraction.of(seed, profile).pieces
    return piece.violation(profile, IronRule("strict", infinitive_to=True)) is None


def _refusal(new: Mapping[str, Any], translation: Mapping[str, Any]) -> InputError | None:
    """The error that remains in a migrated LEGO and cannot be corrected automatically."""
    worst = next((slip for slip in validate(new, translation=translation) if slip.level == "error"), None)
    if worst is None:
        return None
    said = f"{worst.field}: {worst.message}" if worst.field else worst.message
    return InputError(f"It would not be valid after migration: {said}", code="still_invalid", hint=_HINT)
