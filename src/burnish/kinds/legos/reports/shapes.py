"""The reports of a course as pydantic models: the published schemas."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from burnish.kinds.legos.records import Provenance, QualityStatus, SeedId, Severity, Uuid

Points = Annotated[float, Field(ge=0.0, le=10.0)]
Count = Annotated[int, Field(ge=0)]
Share = Annotated[float, Field(ge=0.0, le=1.0)]


class Part(BaseModel):
    """A part of a report, without further fields."""

    model_config = ConfigDict(extra="forbid", use_attribute_docstrings=True)


class QualitySummary(Part):
    """The number of SEEDs. The five counts make up the total."""

    total_seeds: Count
    accepted: Count
    """Those that a person must still see are not among them."""
    flagged: Count
    failed: Count
    pending_review: Count
    """Waiting for a person: below the threshold after all attempts, or unusual."""
    not_extracted: Count
    """Not tried, and waiting for nobody."""
    acceptance_rate: Annotated[float, Field(ge=0.0, le=1.0)] | None
    """The share of accepted SEEDs; null for a course without SEEDs."""
    average_quality_score: Points | None
    """Of the last attempts; null if nothing was tried."""
    average_attempts_per_seed: Annotated[float, Field(ge=1.0)] | None
    """Over the SEEDs that were tried."""


class DimensionAverages(Part):
    """The mean of each dimension over the last attempts; null if nothing was tried."""

    iron_rule_compliance: Points | None
    naturalness: Points | None
    pedagogical_value: Points | None
    consistency: Points | None
    edge_case_handling: Points | None


class SuggestionEffect(Part):
    """The gains of the retries that followed a suggestion."""

    suggestion_id: str
    retries: Annotated[int, Field(ge=1)]
    average_gain: Annotated[float, Field(ge=-10.0, le=10.0)]


class ImprovementTrends(Part):
    """The effect of retries."""

    seeds_retried: Count
    seeds_improved_on_retry: Count
    """SEEDs whose last score is higher than their first."""
    average_score_improvement: Annotated[float, Field(ge=-10.0, le=10.0)] | None
    """Last score minus first score, over all SEEDs that were tried again; null if none was."""
    most_effective_suggestion: str | None
    """The one with the highest mean gain; null if none was followed by a gain."""
    suggestion_effects: list[SuggestionEffect]
    """The highest gain first."""


class ReuseFigures(Part):
    """How often the parts of a cut are reused, over the SEEDs that are ready to be taught."""

    distinct: Count
    met_in_two_seeds: Count
    """Distinct LEGOs in two SEEDs or more."""
    share_met_in_two_seeds: Share | None
    share_of_occurrences_met_in_two_seeds: Share | None
    """The share of all occurrences of LEGOs whose LEGO is in another SEED too."""
    seeds_said_with_known: Count
    """SEEDs without new LEGOs, in the order of teaching."""
    new_a_seed: Annotated[float, Field(ge=0.0)] | None
    words_a_lego: Annotated[float, Field(ge=0.0)] | None


class Reuse(Part):
    """The cut of the course compared with the same SEEDs cut word by word (source words only) and left whole."""

    course: ReuseFigures
    word_by_word: ReuseFigures
    whole_sentences: ReuseFigures


class QualityReport(Part):
    """quality_reports/quality_report.json: the state of the course in numbers."""

    course_codes: list[str]
    as_of: str | None
    """The time of the last review."""
    quality_summary: QualitySummary
    dimension_averages: DimensionAverages
    concern_frequency: dict[Annotated[str, Field(pattern=r"^c_[a-z_]+$")], Annotated[int, Field(ge=1)]]
    """Concern -> SEEDs whose last attempt has it, the most frequent first."""
    improvement_trends: ImprovementTrends
    human_review_needed: Count
    reuse: Reuse


class SeedRow(Part):
    """The first fields of every row of a list."""

    seed_id: SeedId
    uuid: Uuid
    source: str
    target: str


class OpenConcern(Part):
    """A concern of the last attempt."""

    concern_id: str
    severity: Severity
    description: str
    affected_legos: list[Provenance]
    suggested_fix: str


class DoubtfulSeed(SeedRow):
    """A SEED that is not good enough."""

    quality_status: QualityStatus
    current_quality_score: Points
    total_attempts: Count
    human_review_requested: bool
    concerns: list[OpenConcern]
    review_notes: str | None


class FlaggedSeeds(Part):
    """quality_reports/flagged_seeds.json: usable SEEDs with concerns, in the order of the course."""

    count: Count
    seeds: list[DoubtfulSeed]


class FailedSeeds(Part):
    """quality_reports/failed_seeds.json: SEEDs below 5.0, in course order. They are not among the flagged."""

    count: Count
    seeds: list[DoubtfulSeed]


class WaitingRetry(SeedRow):
    """A SEED that is tried again in the next run."""

    current_attempt: Annotated[int, Field(ge=1)]
    max_attempts: Annotated[int, Field(ge=1)]
    last_score: Points
    retry_reason: str
    suggested_prompt_changes: list[str]
    """The most urgent first."""
    scheduled_retry_at: str
    """The earliest time: that of the last attempt."""


class RetryQueue(Part):
    """quality_reports/retry_queue.json, in the order of the course."""

    count: Count
    seeds: list[WaitingRetry]


class ConcernSummary(Part):
    """A concern, how often the attempt has it, and its LEGOs."""

    concern_id: str
    severity: Severity
    count: Annotated[int, Field(ge=1)]
    affected_legos: list[Provenance]


class WaitingPerson(SeedRow):
    """A SEED that waits for a person. Concerns and notes belong to the attempt whose LEGOs are kept."""

    quality_status: QualityStatus
    priority: Severity
    reason: str
    total_attempts: Count
    best_attempt_score: Points | None
    concerns_summary: list[ConcernSummary]
    """The worst first."""
    agent_notes: str | None
    legos: Count
    """In the kept attempt; without any, it cannot be accepted unchanged."""
    waits_in_a_run: bool
    """Whether a run, not only the course, waits for a person's decision."""
    note: str | None
    """A person's note on the last decision."""
    noted_by: str | None


class HumanReviewQueue(Part):
    """quality_reports/human_review_queue.json: the most urgent first, then the lowest score."""

    count: Count
    seeds: list[WaitingPerson]


class MetLego(Part):
    """A distinct LEGO at the place where a learner first meets it."""

    position: Annotated[int, Field(ge=1)]
    uuid: Uuid
    provenance: Provenance
    source: str
    target: str
    seed_id: SeedId
    first_met: Annotated[int, Field(ge=1)]
    """The number, from 1, of the SEED in this order."""
    times_met: Annotated[int, Field(ge=1)]
    """SEEDs of this order that contain it."""
    opens: list[SeedId]
    """SEEDs of which this LEGO is the last new one, so that they can be said from here on."""


class OrderedSeed(Part):
    """A SEED in the order of teaching. LEGOs are given by their position."""

    position: Annotated[int, Field(ge=1)]
    seed_id: SeedId
    source: str
    target: str
    new_legos: list[Annotated[int, Field(ge=1)]]
    known_legos: list[Annotated[int, Field(ge=1)]]


class TeachingOrder(Part):
    """teaching_order.json: the accepted SEEDs in the order of teaching, and each of their distinct LEGOs once, at its
    first occurrence. SEEDs with a requested review are not included."""

    order: Literal["fewest_new", "course"]
    """Next the SEED with the fewest new LEGOs, or by the numbers in the course."""
    count: Count
    left_out: Count
    """Distinct LEGOs that are in none of these SEEDs: not yet taught."""
    legos: list[MetLego]
    seeds: list[OrderedSeed]
