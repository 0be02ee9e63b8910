"""A model's review beside that of the rules. What it says are claims: they are looked at before they count.

Whether a LEGO begins with a preposition, how long the LEGOs are and whether they hold blanks at their edges is
counted, and needs no opinion: there a model adds nothing. What it can see and rules cannot is whether the two halves
mean the same, and whether people speak like that.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Self

from burnish.core.replies import ConcernPart, LegoReviewReply, SuggestionPart, scores_of
from burnish.core.verification import refutes_itself
from burnish.kinds.legos.concerns import CONCERNS, PRIORITIES, Concern, ConcernKind, Suggestion
from burnish.kinds.legos.model import DIMENSIONS, Dimension, Seed, plain_line
from burnish.kinds.legos.review import Review
from burnish.kinds.legos.scoring import one_decimal, overall

COUNTED = frozenset(
    {"c_iron_rule_violation", "c_too_small", "c_too_large", "c_inconsistent_granularity", "c_whitespace_error"}
)
"""Concerns that rules raise by counting: a model that raises one more is mistaken."""
COUNTED_DIMENSIONS: frozenset[Dimension] = frozenset({"iron_rule_compliance"})
MOST_CONCERNS, MOST_SUGGESTIONS = 20, 10
LONGEST_TEXT = 600
"""Characters of a description or a suggestion that are kept."""
MODEL = "model"

DROPPED = {
    "unknown_lego": "it names no LEGO of this SEED",
    "self_refuting": "it takes back what it says",
    "duplicate": "it was said before",
    "counted": "rules count this, and found nothing",
    "too_many": "there are more than anybody would read",
}
"""Every reason for which a claim does not count."""


@dataclass(frozen=True, slots=True)
class DroppedClaim:
    """A concern or a suggestion of a model that nobody acts on. Kept, with the reason."""

    id: str
    text: str
    reason: str
    """One of `DROPPED`."""

    def as_record(self) -> dict[str, str]:
        return {"id": self.id, "text": self.text, "reason": self.reason}


@dataclass(frozen=True)
class ModelReview:
    """What a model says about the LEGOs of a SEED, as far as it holds."""

    scores: Mapping[Dimension, float]
    concerns: tuple[Concern, ...] = ()
    suggestions: tuple[Suggestion, ...] = ()
    dropped: tuple[DroppedClaim, ...] = ()

    def as_record(self) -> dict[str, Any]:
        return {
            "dimension_scores": dict(self.scores),
            "concerns": [concern.as_record() for concern in self.concerns],
            "suggestions": [suggestion.as_record() for suggestion in self.suggestions],
            "dropped": [claim.as_record() for claim in self.dropped],
        }

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> Self:
        return cls(
            record["dimension_scores"],
            tuple(map(Concern.from_record, record["concerns"])),
            tuple(map(Suggestion.from_record, record["suggestions"])),
            tuple(DroppedClaim(**claim) for claim in record["dropped"]),
        )


def review_of(reply: LegoReviewReply, seed: Seed, *, by: str = MODEL) -> ModelReview:
    """A model's answer, verified against the SEED. `by`: whose word it is, such as `model:openai:gpt`."""
    known = {seed.provenance(place) for place in range(1, len(seed.legos) + 1)}
    held: dict[object, Concern] = {}
    dropped: list[DroppedClaim] = []
    for part in reply.concerns:
        concern = _concern(part, known, by)
        reason = _doubt(part, concern, held)
        if reason is None:
            held[_key(concern)] = concern
        else:
            dropped.append(DroppedClaim(part.concern_id, concern.description, reason))
    given = scores_of(reply.dimension_scores)
    return ModelReview(
        {dimension: one_decimal(given[dimension]) for dimension in DIMENSIONS},
        tuple(held.values()),
        tuple(_suggestions(reply)),
        tuple(dropped),
    )


def _concern(part: ConcernPart, known: set[str], by: str) -> Concern:
    """A claim as a concern. What one of the catalogue weighs is not the model's to say."""
    kind = CONCERNS.get(part.concern_id, ConcernKind(part.severity, part.category))
    legos = tuple(dict.fromkeys(name for name in part.affected_legos if name in known))
    said, fix = _text(part.description), _text(part.suggested_fix)
    return Concern(part.concern_id, kind.severity, kind.category, said, legos, fix, kind.auto_fixable, source=by)


def _doubt(part: ConcernPart, concern: Concern, held: Mapping[object, Concern]) -> str | None:
    if part.affected_legos and not concern.affected_legos:
        return "unknown_lego"
    if refutes_itself(part.description):
        return "self_refuting"
    if _key(concern) in held:
        return "duplicate"
    return "too_many" if len(held) >= MOST_CONCERNS else None


def _key(concern: Concern) -> tuple[str, tuple[str, ...]]:
    """Two concerns with the same key say the same thing."""
    return concern.concern_id, tuple(sorted(concern.affected_legos))


def _suggestions(reply: LegoReviewReply) -> Iterator[Suggestion]:
    parts: dict[str, SuggestionPart] = {}
    for part in reply.suggestions:
        parts.setdefault(part.suggestion_id, part)
    ordered = sorted(parts.values(), key=lambda part: PRIORITIES.index(part.priority))
    yield from map(_suggestion, ordered[:MOST_SUGGESTIONS])


def _suggestion(part: SuggestionPart) -> Suggestion:
    return Suggestion(
        part.suggestion_id,
        part.priority,
        _text(part.suggested_change),
        _text(part.rationale),
        _text(part.expected_improvement),
        part.type,
    )


def _text(text: str) -> str:
    """One line of a model's words, fit for a terminal and a table; a dash where nothing is left."""
    return plain_line(text, LONGEST_TEXT) or "-"


def together(rules: Review, said: ModelReview) -> Review:
    """Both reviews as one: the lowest score of a dimension counts, and every concern says whose it is.

    What can be counted is the rules' alone.
    """
    scores = {dimension: _lowest(dimension, rules, said) for dimension in DIMENSIONS}
    total = overall(scores)
    return replace(
        rules,
        scores=scores,
        overall=total,
        concerns=(*rules.concerns, *heard(rules, said).concerns),
        suggestions=_joined(rules, said),
        notes=_noted(rules, scores, total),
    )


def heard(rules: Review, said: ModelReview) -> ModelReview:
    """What counts of a model's review beside that of the rules; the rest is dropped with its reason."""
    raised = {_key(concern) for concern in rules.concerns}
    kept: list[Concern] = []
    dropped = list(said.dropped)
    for concern in said.concerns:
        if _key(concern) in raised:
            dropped.append(DroppedClaim(concern.concern_id, concern.description, "duplicate"))
        elif concern.concern_id in COUNTED:
            dropped.append(DroppedClaim(concern.concern_id, concern.description, "counted"))
        else:
            kept.append(concern)
    return replace(said, concerns=tuple(kept), dropped=tuple(dropped))


def _lowest(dimension: Dimension, rules: Review, said: ModelReview) -> float:
    own = rules.scores[dimension]
    return own if dimension in COUNTED_DIMENSIONS else min(own, said.scores[dimension])


def _joined(rules: Review, said: ModelReview) -> tuple[Suggestion, ...]:
    """Every suggestion once, the rules' first among equals."""
    ids = {suggestion.suggestion_id for suggestion in rules.suggestions}
    new = [suggestion for suggestion in said.suggestions if suggestion.suggestion_id not in ids]
    return tuple(sorted((*rules.suggestions, *new), key=lambda one: PRIORITIES.index(one.priority)))


def _noted(rules: Review, scores: Mapping[Dimension, float], total: float) -> str:
    """The rules' notes, and what the model changed about the result."""
    lower = [dimension for dimension in DIMENSIONS if scores[dimension] < rules.scores[dimension]]
    if not lower:
        return rules.notes
    return f"{rules.notes} With a model's lower {', '.join(lower)} it is {total:.1f} of 10."
