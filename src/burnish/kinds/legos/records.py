"""The record files of a course: translation and LEGO amino acids, as other programs read and write them.

Records are checked strictly (no "8" for 8), and written back complete: unknown fields are kept, and the order of fields
too. Optional fields are left out, never null.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date
from typing import Annotated, Any, Literal, Self

from pydantic import (
    MISSING,
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ModelWrapValidatorHandler,
    PrivateAttr,
    SerializerFunctionWrapHandler,
    WithJsonSchema,
    model_serializer,
    model_validator,
)

QualityStatus = Literal["accepted", "flagged", "failed", "pending_review"]
AttemptStatus = Literal["accepted", "flagged", "failed", "retry_scheduled"]
Severity = Literal["low", "medium", "high", "critical"]
Category = Literal["iron_rule", "naturalness", "pedagogical", "consistency", "edge_case"]
SuggestionType = Literal["prompt_improvement", "heuristic_adjustment", "training_data"]

KNOWN_MAJOR = 1
"""The schema's major version. Records may omit theirs; one with a higher number is not changed."""
LARGEST_VERSION = 1_000_000
"""A higher number is not a version."""

_DATE_TIME = re.compile(
    r"([0-9]{4})-([0-9]{2})-([0-9]{2})[Tt]([0-9]{2}):([0-9]{2}):([0-9]{2})(?:\.([0-9]+))?"
    r"(?:[Zz]|([+-])([0-9]{2}):([0-9]{2}))"
)
"""RFC 3339, which is what `date-time` means in a JSON Schema."""


def instant(text: str) -> tuple[int, str] | None:
    """A date-time as comparable seconds and the digits after them; None if it is not one.

    Fractions stay digits, because times may differ by a nanosecond. Trailing zeros are ignored.
    """
    match = _DATE_TIME.fullmatch(text)
    if match is None:
        return None
    year, month, day, hour, minute, second = (int(part) for part in match.groups()[:6])
    fraction, sign, ahead_hours, ahead_minutes = match.groups()[6:]
    if hour > 23 or minute > 59 or second > 60 or int(ahead_hours or 0) > 23 or int(ahead_minutes or 0) > 59:
        return None
    try:
        # Year 0 exists in ISO 8601 but not in Python; the calendar repeats after 400 years.
        days = date(year + 400, month, day).toordinal()
    except ValueError:
        return None
    ahead = (int(ahead_hours or 0) * 60 + int(ahead_minutes or 0)) * (-1 if sign == "-" else 1)
    minutes = days * 1440 + hour * 60 + minute - ahead
    if second == 60 and minutes % 1440 != 1439:  # leap seconds occur only at the end of a day in UTC
        return None
    return minutes * 60 + second, (fraction or "").rstrip("0")


def newer_version(record: Mapping[str, Any]) -> str | None:
    """The schema version of a record written by a newer Burnish; None for a known version."""
    said = record.get("schema_version")
    if isinstance(said, int | float) and not isinstance(said, bool) and 0 <= said < LARGEST_VERSION:
        said = str(said)
    if not isinstance(said, str):
        return None
    major = said.strip().lstrip("v").split(".", 1)[0]
    is_number = major.isascii() and major.isdecimal() and len(major) <= len(str(LARGEST_VERSION))
    return said if is_number and int(major) > KNOWN_MAJOR else None


def _date_time(text: str) -> str:
    if instant(text) is None:
        raise ValueError("is not a date-time such as 2026-01-31T09:30:00Z")
    return text


def _whole(value: object) -> object:
    """An integral float as int: in JSON, 1 and 1.0 are the same."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


DateTime = Annotated[
    str, AfterValidator(_date_time), WithJsonSchema({"type": "string", "format": "date-time"}, mode="validation")
]
Score = Annotated[
    int | float, Field(ge=0, le=10), WithJsonSchema({"type": "number", "minimum": 0, "maximum": 10}, mode="validation")
]
Share = Annotated[
    int | float, Field(ge=0, le=1), WithJsonSchema({"type": "number", "minimum": 0, "maximum": 1}, mode="validation")
]
Count = Annotated[int, Field(ge=0), BeforeValidator(_whole)]
Ordinal = Annotated[int, Field(ge=1), BeforeValidator(_whole)]
Text = Annotated[str, Field(min_length=1)]
Uuid = Annotated[str, Field(pattern="^[a-f0-9]{32}$")]
SeedId = Annotated[str, Field(pattern="^C[0-9]{4}$")]
Provenance = Annotated[str, Field(pattern="^S[0-9]+L[0-9]+$")]


class Kept(BaseModel):
    """A record that is written back as it was read: with every field, in order."""

    model_config = ConfigDict(extra="allow", strict=True, use_attribute_docstrings=True, protected_namespaces=())

    _order: tuple[str, ...] = PrivateAttr(())

    @model_validator(mode="wrap")
    @classmethod
    def _remember_order(cls, value: Any, handler: ModelWrapValidatorHandler[Self]) -> Self:
        record = handler(value)
        if isinstance(value, Mapping):
            record._order = tuple(value)
        return record

    @model_serializer(mode="wrap")
    def _in_order(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        fields: dict[str, Any] = handler(self)
        return {name: fields[name] for name in (*self._order, *fields) if name in fields}

    @classmethod
    def of(cls, record: Mapping[str, Any]) -> Self:
        """The checked record. Raise pydantic's ValidationError if it is invalid."""
        return cls.model_validate(record)

    def as_record(self) -> dict[str, Any]:
        """The record as written: unknown fields are kept, missing optional ones left out."""
        return self.model_dump()


class DimensionScores(Kept):
    """The five dimensions of an extraction, each from 0 to 10."""

    iron_rule_compliance: Score
    naturalness: Score
    pedagogical_value: Score
    consistency: Score
    edge_case_handling: Score


class QualityScore(Kept):
    """The scores of an extraction."""

    overall_score: Score
    """The weighted sum of the dimensions, one decimal. A recorded score is never recomputed."""
    dimension_scores: DimensionScores
    calculated_at: DateTime
    scoring_version: str
    """The version of the rubric; any name is allowed, `0.0_retroactive` marks extractions older than the review."""


class Concern(Kept):
    """A fault of an extraction."""

    concern_id: Annotated[str, Field(pattern="^c_[a-z_]+$")]
    severity: Severity
    category: Category
    description: Text
    affected_legos: list[Provenance]
    suggested_fix: Text
    auto_fixable: bool


class Suggestion(Kept):
    """A change proposed for the prompt."""

    suggestion_id: Annotated[str, Field(pattern="^s_[a-z_]+$")]
    type: SuggestionType
    priority: Severity
    current_prompt_excerpt: str | MISSING = MISSING
    """The part of the prompt that it is about."""
    suggested_change: Text
    rationale: Text
    expected_improvement: Text


class ComparisonResult(Kept):
    """An attempt compared with the one before it."""

    score_delta: Annotated[str, Field(pattern=r"^[+-][0-9]+\.[0-9]$")]
    """With its sign: `+2.0`."""
    improvements: list[str]
    regressions: list[str]


class ExtractionAttempt(Kept):
    """One extraction of a SEED, and its review. Once recorded, only its status changes."""

    attempt_number: Ordinal
    timestamp: DateTime
    agent_version: str
    prompt_version: str
    legos_extracted: Count
    quality_score: QualityScore
    concerns: list[Concern]
    suggestions: list[Suggestion]
    status: AttemptStatus
    review_notes: Text
    """The review in one to three sentences."""
    compared_to_previous: ComparisonResult | MISSING = MISSING
    """Present from the second attempt on."""


class TranslationMetadata(Kept):
    """The origin of a translation."""

    course_code: str
    phase: str
    heuristics_applied: list[str]
    created_at: DateTime
    migrated_from: str | MISSING = MISSING
    columns: dict[str, str] | MISSING = MISSING
    """The other columns of the imported file, by name: audio, notes."""


class HumanReview(Kept):
    """A person's decision on a SEED."""

    decision: Text
    """Such as `accept` or `reject`."""
    by: str
    at: DateTime
    note: str | MISSING = MISSING


class TranslationAminoAcid(Kept):
    """A SEED: a sentence pair with the history of its extractions."""

    uuid: Uuid
    type: Literal["translation"]
    seed_id: SeedId
    source: Text
    target: Text
    metadata: TranslationMetadata
    lego_extraction_attempts: list[ExtractionAttempt]
    """Oldest first."""
    quality_status: QualityStatus
    current_quality_score: Score
    """The last attempt's overall score; 0 before the first."""
    total_attempts: Count
    flagged_for_review: bool
    human_review_requested: bool
    last_reviewed_at: DateTime | None
    """Null before the first review."""
    best_attempt_number: Ordinal | MISSING = MISSING
    """The attempt whose LEGOs are kept."""
    uncovered: list[str] | MISSING = MISSING
    """Words at the edge of the sentence that no allowed LEGO can hold."""
    human_review: HumanReview | MISSING = MISSING
    """A person's decision."""
    review_reasons: list[str] | MISSING = MISSING
    """Why a person is asked to review it, in words."""
    replaced: list[dict[str, Any]] | MISSING = MISSING
    """The sentences before they were corrected, with their LEGOs; oldest first."""
    archived_attempts: Count | MISSING = MISSING
    """How many of the oldest attempts were moved to the archive; `total_attempts` counts them too."""
    schema_version: Annotated[str, Field(pattern=r"^1(\.[0-9]+)*$")] | MISSING = MISSING
    """The schema version. Records may omit it."""


class ArchivedAttempts(Kept):
    """The older attempts of a SEED, moved out of its record."""

    uuid: Uuid
    """The UUID of the translation."""
    lego_extraction_attempts: list[ExtractionAttempt]
    """Oldest first."""


class LegoMetadata(Kept):
    """The place of a LEGO in its sentences, in characters; an end is the first character after it."""

    course_code: str
    phase: str
    word_count: Ordinal
    start_index: Count
    end_index: Count
    target_start_index: Count
    target_end_index: Count
    alignment_confidence: Share
    """How certain it is that the two halves have the same meaning."""
    iron_rule_compliant: bool
    created_at: DateTime


class LegoAminoAcid(Kept):
    """A LEGO: a teachable phrase, both halves."""

    uuid: Uuid
    type: Literal["lego"]
    provenance: Provenance
    """The SEED's number and the LEGO's number in it: `S44L1`."""
    source_translation_uuid: Uuid
    source_seed_id: SeedId
    source: Text
    target: Text
    metadata: LegoMetadata
    schema_version: Annotated[str, Field(pattern=r"^1(\.[0-9]+)*$")] | MISSING = MISSING
    """The schema version. Records may omit it."""
