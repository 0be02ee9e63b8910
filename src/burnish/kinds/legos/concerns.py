"""The catalogue: what a review can hold against an extraction, and what it then proposes for the prompt.

A concern is about one SEED. A suggestion is a rule that would have prevented it, worded alike for every SEED, so that
those of a whole course can be counted and the frequent ones tried.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Literal, NamedTuple, Self

from burnish.kinds.legos.model import Dimension

Severity = Literal["low", "medium", "high", "critical"]
Category = Literal["iron_rule", "naturalness", "pedagogical", "consistency", "edge_case"]
ConcernId = Literal[
    "c_iron_rule_violation",
    "c_phrasal_verb_split",
    "c_unnatural_boundary",
    "c_incomplete_phrase",
    "c_dangling_determiner",
    "c_too_small",
    "c_too_large",
    "c_low_reusability",
    "c_inconsistent_granularity",
    "c_pattern_mismatch",
    "c_contraction_error",
    "c_punctuation_error",
    "c_whitespace_error",
]
SuggestionId = Literal[
    "s_extend_beyond_preposition",
    "s_cover_every_word",
    "s_copy_verbatim",
    "s_preserve_phrasal_verbs",
    "s_keep_contractions",
    "s_handle_complex_sentences",
    "s_finish_open_verbs",
    "s_keep_particles",
    "s_keep_words_whole",
    "s_target_word_count",
    "s_shorten_phrases",
    "s_even_sizes",
    "s_keep_determiners",
    "s_cut_patterns_alike",
    "s_prefer_frames",
    "s_leave_marks_out",
    "s_strip_blanks",
]

SMALLEST_MEAN, LARGEST_MEAN = 2.5, 6.0
"""Words a LEGO, on average: below c_too_small, above c_too_large."""
LARGEST_SPREAD = 1.5
"""Standard deviation of the sizes: above c_inconsistent_granularity."""
REUSABLE_FROM = 8.0
"""Reusability of a LEGO with a pronoun or a frame. Where most have less: c_low_reusability."""
LOW_AGREEMENT = 0.5
"""Share of the course that cuts alike: below c_pattern_mismatch."""


class ConcernKind(NamedTuple):
    """What is the same for every concern of one id."""

    severity: Severity
    category: Category
    auto_fixable: bool = False


CONCERNS: Mapping[ConcernId, ConcernKind] = MappingProxyType(
    {
        "c_iron_rule_violation": ConcernKind("critical", "iron_rule"),
        "c_phrasal_verb_split": ConcernKind("medium", "naturalness"),
        "c_unnatural_boundary": ConcernKind("medium", "naturalness"),
        "c_incomplete_phrase": ConcernKind("medium", "naturalness"),
        "c_dangling_determiner": ConcernKind("low", "naturalness"),
        "c_too_small": ConcernKind("medium", "pedagogical"),
        "c_too_large": ConcernKind("medium", "pedagogical"),
        "c_low_reusability": ConcernKind("low", "pedagogical"),
        "c_inconsistent_granularity": ConcernKind("medium", "consistency"),
        "c_pattern_mismatch": ConcernKind("low", "consistency"),
        "c_contraction_error": ConcernKind("high", "edge_case"),
        "c_punctuation_error": ConcernKind("medium", "edge_case"),
        "c_whitespace_error": ConcernKind("low", "edge_case", auto_fixable=True),
    }
)


@dataclass(frozen=True, slots=True)
class Concern:
    """One thing that speaks against an extraction. The fields carry the names of the wire."""

    concern_id: str
    severity: Severity
    category: Category
    description: str
    affected_legos: tuple[str, ...]
    """By their provenance: `S5L2`."""
    suggested_fix: str
    auto_fixable: bool = False
    source: str = "rule"
    """Who says so: `rule`, `model:<name>` or `person:<name>`."""

    @classmethod
    def of(cls, id: ConcernId, description: str, legos: tuple[str, ...], fix: str) -> Self:
        """A concern of the catalogue."""
        kind = CONCERNS[id]
        return cls(id, kind.severity, kind.category, description, legos, fix, kind.auto_fixable)

    def as_record(self) -> dict[str, Any]:
        """The wire's shape; who says so only where it is not the rules."""
        record = {name: getattr(self, name) for name in self.__dataclass_fields__}
        record["affected_legos"] = list(self.affected_legos)
        if self.source == "rule":
            del record["source"]
        return record

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> Self:
        known = {name: record[name] for name in cls.__dataclass_fields__ if name in record}
        return cls(**{**known, "affected_legos": tuple(record["affected_legos"])})


class Advice(NamedTuple):
    """What is the same for every suggestion of one id."""

    priority: Severity
    dimension: Dimension
    rule: str
    """What the prompt should say, in a form that holds for every SEED of a course."""


SUGGESTIONS: Mapping[SuggestionId, Advice] = MappingProxyType(
    {
        "s_extend_beyond_preposition": Advice(
            "critical",
            "iron_rule_compliance",
            "Where a LEGO would begin or end with a preposition, move its edge: take in the word that the preposition "
            "leans on, or leave the preposition to the neighbouring LEGO.",
        ),
        "s_cover_every_word": Advice(
            "high",
            "naturalness",
            "Every word of the sentence belongs to at least one LEGO. Read the sentence once more at the end and look "
            "for words that none of them holds.",
        ),
        "s_copy_verbatim": Advice(
            "high",
            "edge_case_handling",
            "Copy both halves of a LEGO letter for letter from their sentences, without changing a form or an order.",
        ),
        "s_preserve_phrasal_verbs": Advice(
            "high",
            "naturalness",
            "Keep a verb and everything that belongs to it in one LEGO (turn on, look forward to, take care of), also "
            "when an object stands in between (call me back).",
        ),
        "s_keep_contractions": Advice(
            "high",
            "edge_case_handling",
            "Never cut inside a contraction: don't, I'm and they'll are one word each.",
        ),
        "s_handle_complex_sentences": Advice(
            "high",
            "consistency",
            "In a long sentence find the clauses first, and cut each of them on its own.",
        ),
        "s_finish_open_verbs": Advice(
            "medium",
            "naturalness",
            "Do not end a LEGO on a verb that waits for something, such as want, need, have, going or able: take in "
            "what completes it.",
        ),
        "s_keep_particles": Advice(
            "medium",
            "naturalness",
            "Do not end a LEGO on a small word such as up, back or away unless its verb is in the same LEGO.",
        ),
        "s_keep_words_whole": Advice(
            "medium",
            "edge_case_handling",
            "Cut between words only, in both sentences.",
        ),
        "s_target_word_count": Advice(
            "medium",
            "pedagogical_value",
            "Aim at three to five words a LEGO. Join neighbours that are shorter.",
        ),
        "s_shorten_phrases": Advice(
            "medium",
            "pedagogical_value",
            "A LEGO of more than six words is hard to keep in mind: cut it where a speaker would pause.",
        ),
        "s_even_sizes": Advice(
            "medium",
            "consistency",
            "Let the LEGOs of one sentence be of about the same length, rather than one long one among single words.",
        ),
        "s_keep_determiners": Advice(
            "low",
            "naturalness",
            "Keep an article, a possessive or another determiner together with its noun.",
        ),
        "s_cut_patterns_alike": Advice(
            "low",
            "consistency",
            "Words that stand together in many sentences of the course are cut the same way in all of them.",
        ),
        "s_prefer_frames": Advice(
            "low",
            "pedagogical_value",
            "Prefer LEGOs that a learner can finish in many ways (I want to ..., can you ...) to those that fit one "
            "sentence only.",
        ),
        "s_leave_marks_out": Advice(
            "low",
            "edge_case_handling",
            "Leave commas, brackets and quotation marks at the edges of a LEGO out, and do not let a LEGO run on into "
            "the next sentence.",
        ),
        "s_strip_blanks": Advice("low", "edge_case_handling", "No blank stands before or behind a LEGO."),
    }
)
PRIORITIES: tuple[Severity, ...] = ("critical", "high", "medium", "low")


@dataclass(frozen=True, slots=True)
class Suggestion:
    """How the prompt could do better. The fields carry the names of the wire."""

    suggestion_id: str
    priority: Severity
    suggested_change: str
    """The rule that the prompt should say."""
    rationale: str
    expected_improvement: str
    type: Literal["prompt_improvement", "heuristic_adjustment", "training_data"] = "prompt_improvement"

    @classmethod
    def of(cls, id: SuggestionId, rationale: str, scores: Mapping[Dimension, float]) -> Self:
        """A suggestion of the catalogue. What it can bring is what its dimension lacks."""
        advice = SUGGESTIONS[id]
        missing = 10 - scores[advice.dimension]
        gain = f"up to +{missing:.1f} points in {advice.dimension}"
        return cls(id, advice.priority, advice.rule, rationale, gain)

    def as_record(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self.__dataclass_fields__}

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> Self:
        return cls(**{name: record[name] for name in cls.__dataclass_fields__ if name in record})
