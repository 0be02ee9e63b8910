"""The records of a course as others read and write them: amino acids of translations and of LEGOs.

Checked strictly (no "8" for 8), and kept whole: what we do not know stays, in the order in which it stood. Fields that
may be left out are left out, never null.
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
"""Of the schema. Records need not say theirs; one with a higher number is not ours to touch."""
LARGEST_VERSION = 1_000_000
"""What is higher is no version."""

_DATE_TIME = re.compile(
    r"([0-9]{4})-([0-9]{2})-([0-9]{2})[Tt]([0-9]{2}):([0-9]{2}):([0-9]{2})(?:\.([0-9]+))?"
    r"(?:[Zz]|([+-])([0-9]{2}):([0-9]{2}))"
)
"""RFC 3339, which is what `date-time` means in a JSON Schema."""


def instant(text: str) -> tuple[int, str] | None:
    """A date-time as seconds and the digits after them, comparable; None where it is none.

    Fractions stay digits: two moments a nanosecond apart are two moments. Trailing zeros say nothing.
    """
    match = _DATE_TIME.fullmatch(text)
    if match is None:
        return None
    year, month, day, hour, minute, second = (int(part) for part in match.groups()[:6])
    fraction, sign, ahead_hours, ahead_minutes = match.groups()[6:]
    if hour > 23 or minute > 59 or second > 60 or int(ahead_hours or 0) > 23 or int(ahead_minutes or 0) > 59:
        return None
    try:
        # The proleptic calendar has a year 0, Python has none; 400 years later every date is the same.
        days = date(year + 400, month, day).toordinal()
    except ValueError:
        return None
    ahead = (int(ahead_hours or 0) * 60 + int(ahead_minutes or 0)) * (-1 if sign == "-" else 1)
    minutes = days * 1440 + hour * 60 + minute - ahead
    if second == 60 and minutes % 1440 != 1439:  # a second is put in at the end of a day in UTC only
        return None
    return minutes * 60 + second, (fraction or "").rstrip("0")


def newer_version(record: Mapping[str, Any]) -> str | None:
    """The schema version of a record that a newer Burnish wrote; None for ours."""
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
        raise ValueError("is no date-time such as 2026-01-31T09:30:00Z")
    return text


def _whole(value: object) -> object:
    """JSON knows no difference between 1 and 1.0."""
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
    """A record that comes back as it was read: with every field, in its order."""

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
        """The record, checked. pydantic's ValidationError where it is none."""
        return cls.model_validate(record)

    def as_record(self) -> dict[str, Any]:
        """As it is written: unknown fields kept, optional ones that are not there left out."""
        return self.model_dump()


class DimensionScores(Kept):
    """The five dimensions of an extraction, each from 0 to 10."""

    iron_rule_compliance: Score
    naturalness: Score
    pedagogical_value: Score
    consistency: Score
    edge_case_handling: Score


class QualityScore(Kept):
    """What an extraction was found to be worth."""

    overall_score: Score
    """The dimensions weighed together, one decimal. A recorded score is never computed again."""
    dimension_scores: DimensionScores
    calculated_at: DateTime
    scoring_version: str
    """By which rubric; any name is fine, `0.0_retroactive` is that of extractions older than the review."""


class Concern(Kept):
    """Something wrong with an extraction."""

    concern_id: Annotated[str, Field(pattern="^c_[a-z_]+$")]
    severity: Severity
    category: Category
    description: Text
    affected_legos: list[Provenance]
    suggested_fix: Text
    auto_fixable: bool


class Suggestion(Kept):
    """How the prompt could do better."""

    suggestion_id: Annotated[str, Field(pattern="^s_[a-z_]+$")]
    type: SuggestionType
    priority: Severity
    current_prompt_excerpt: str | MISSING = MISSING
    """The part of the prompt that is meant."""
    suggested_change: Text
    rationale: Text
    expected_improvement: Text


class ComparisonResult(Kept):
    """An attempt beside the one before it."""

    score_delta: Annotated[str, Field(pattern=r"^[+-][0-9]+\.[0-9]$")]
    """With its sign: `+2.0`."""
    improvements: list[str]
    regressions: list[str]


class ExtractionAttempt(Kept):
    """One extraction of a SEED, and its review. Never changed once it is recorded, but for its status."""

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
    """From the second attempt on."""


class TranslationMetadata(Kept):
    """Where a translation comes from."""

    course_code: str
    phase: str
    heuristics_applied: list[str]
    created_at: DateTime
    migrated_from: str | MISSING = MISSING
    columns: dict[str, str] | MISSING = MISSING
    """What else the imported file said of it, by the name of its column: audio, notes."""


class HumanReview(Kept):
    """What a person decided about a SEED."""

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
    """Words at the edge of the sentence that no lawful LEGO reaches."""
    human_review: HumanReview | MISSING = MISSING
    """What a person decided."""
    review_reasons: list[str] | MISSING = MISSING
    """Why a person is asked to look, in words."""
    replaced: list[dict[str, Any]] | MISSING = MISSING
    """The sentences that it had before they were corrected, with what was cut from them; oldest first."""
    archived_attempts: Count | MISSING = MISSING
    """How many of the oldest attempts were moved to the archive; `total_attempts` counts them too."""
    schema_version: Annotated[str, Field(pattern=r"^1(\.[0-9]+)*$")] | MISSING = MISSING
    """Of this schema. Records need not say it."""


class ArchivedAttempts(Kept):
    """The older attempts of a SEED, moved out of its record."""

    uuid: Uuid
    """Of the translation."""
    lego_extraction_attempts: list[ExtractionAttempt]
    """Oldest first."""


class LegoMetadata(Kept):
    """Where a LEGO stands in its sentences, in characters; an end is the first character behind it."""

    course_code: str
    phase: str
    word_count: Ordinal
    start_index: Count
    end_index: Count
    target_start_index: Count
    target_end_index: Count
    alignment_confidence: Share
    """How sure it is that the two halves say the same."""
    iron_rule_compliant: bool
    created_at: DateTime


class LegoAminoAcid(Kept):
    """A LEGO: a teachable phrase, both halves."""

    uuid: Uuid
    type: Literal["lego"]
    provenance: Provenance
    """The SEED's number and the place in it: `S44L1`."""
    source_translation_uuid: Uuid
    source_seed_id: SeedId
    source: Text
    target: Text
    metadata: LegoMetadata
    schema_version: Annotated[str, Field(pattern=r"^1(\.[0-9]+)*$")] | MISSING = MISSING
    """Of this schema. Records need not say it."""
