"""The review of an extraction by rules: five scores, what speaks against it, and what would help."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Self

from burnish.kinds.legos.concerns import PRIORITIES, Concern, Suggestion, SuggestionId
from burnish.kinds.legos.faults import Fault, faults
from burnish.kinds.legos.flagging import (
    ACCEPT,
    FLAG,
    MOST_ATTEMPTS,
    Decision,
    Flags,
    decision,
    flags,
    unusual,
    unusual_words,
)
from burnish.kinds.legos.guarantees import coverage_of
from burnish.kinds.legos.habits import Habits
from burnish.kinds.legos.iron_rule import IronRule
from burnish.kinds.legos.model import DIMENSIONS, NOWHERE, Dimension, Lego, Seed, found_near
from burnish.kinds.legos.scoring import Extraction, overall, scores_of
from burnish.languages.profiles import Tongue


@dataclass(frozen=True)
class Review:
    """What the rules say about the LEGOs of a SEED."""

    scores: Mapping[Dimension, float]
    overall: float
    concerns: tuple[Concern, ...]
    suggestions: tuple[Suggestion, ...]
    """The most pressing first."""
    uncovered: tuple[str, ...]
    """Words at the edges of the sentence that no lawful LEGO reaches, as they stand in it."""
    notes: str
    """One to three sentences for people."""

    def as_record(self) -> dict[str, Any]:
        return {
            "scores": dict(self.scores),
            "overall": self.overall,
            "concerns": [concern.as_record() for concern in self.concerns],
            "suggestions": [suggestion.as_record() for suggestion in self.suggestions],
            "uncovered": list(self.uncovered),
            "notes": self.notes,
        }

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> Self:
        return cls(
            record["scores"],
            record["overall"],
            tuple(map(Concern.from_record, record["concerns"])),
            tuple(map(Suggestion.from_record, record["suggestions"])),
            tuple(record["uncovered"]),
            record["notes"],
        )


def review(seed: Seed, tongue: Tongue, habits: Habits | None, rule: IronRule) -> Review:
    """The review of a SEED's LEGOs. Only `consistency` looks at the rest of the course, through its habits."""
    extraction = Extraction.of(seed, tongue)
    scores = scores_of(extraction, habits, rule)
    found = faults(extraction, habits, rule)
    lawful = coverage_of(extraction, rule).lawful
    concerns = tuple(fault.concern for fault in found)
    total = overall(scores)
    return Review(
        scores=scores,
        overall=total,
        concerns=concerns,
        suggestions=_suggestions(found, scores, unusual_words(extraction.words, tongue) if total < ACCEPT else None),
        uncovered=tuple(extraction.words[place].text for place in lawful),
        notes=notes(len(seed.legos), scores, total, concerns),
    )


def _suggestions(
    found: Iterable[Fault], scores: Mapping[Dimension, float], unusual: str | None
) -> tuple[Suggestion, ...]:
    """One suggestion for each kind of fault, with the first fault as its reason."""
    reasons: dict[SuggestionId, list[str]] = {}
    for fault in found:
        reasons.setdefault(fault.suggestion, []).append(fault.concern.description)
    if unusual:
        reasons["s_handle_complex_sentences"] = [f"The sentence is unusual: {unusual}."]
    suggestions = [
        Suggestion.of(id, said[0] if len(said) == 1 else f"{said[0]} So it is {len(said)} times.", scores)
        for id, said in reasons.items()
    ]
    return tuple(sorted(suggestions, key=lambda suggestion: PRIORITIES.index(suggestion.priority)))


def notes(legos: int, scores: Mapping[Dimension, float], total: float, concerns: Sequence[Concern]) -> str:
    """The review in one to three sentences."""
    if not legos:
        return "Nothing was cut from this SEED."
    weakest = min(DIMENSIONS, key=lambda dimension: scores[dimension])
    counted = "1 LEGO" if legos == 1 else f"{legos} LEGOs"
    said = [f"{counted}, {total:.1f} of 10; weakest in {weakest} ({scores[weakest]:.1f})."]
    if not concerns:
        return " ".join([*said, "Nothing speaks against it."])
    said.append(concerns[0].description)
    if len(concerns) > 1:
        more = len(concerns) - 1
        said.append("One more concern is listed." if more == 1 else f"{more} more concerns are listed.")
    return " ".join(said)


def fixed(seed: Seed) -> Seed:
    """The SEED without blanks around the halves of its LEGOs: the only fault that code can settle."""
    return replace(seed, legos=tuple(_stripped(lego, seed) for lego in seed.legos))


def _stripped(lego: Lego, seed: Seed) -> Lego:
    source, start = _half(lego.source, lego.start, seed.source)
    target, target_start = _half(lego.target, lego.target_start, seed.target)
    if (source, target) == (lego.source, lego.target):
        return lego
    return replace(
        lego,
        source=source,
        start=start,
        end=_end(source, start),
        target=target,
        target_start=target_start,
        target_end=_end(target, target_start),
    )


def _half(text: str, start: int, sentence: str) -> tuple[str, int]:
    bare = text.strip()
    if bare == text:
        return text, start
    if start == NOWHERE:
        return bare, found_near(sentence, bare, 0)
    return bare, start + len(text) - len(text.lstrip())


def _end(text: str, start: int) -> int:
    return NOWHERE if start == NOWHERE else start + len(text)


class _Measured(NamedTuple):
    scores: Mapping[Dimension, float]
    overall: float
    concerns: Counter[str]


def compare(before: Review | Mapping[str, Any], after: Review | Mapping[str, Any]) -> dict[str, Any]:
    """An attempt beside the one before it, as `compared_to_previous`. Either is a review or an attempt's record."""
    earlier, later = _measured(before), _measured(after)
    improvements: list[str] = []
    regressions: list[str] = []
    for dimension in DIMENSIONS:
        was, now = earlier.scores[dimension], later.scores[dimension]
        if was != now:
            (improvements if now > was else regressions).append(f"{dimension}: {was:.1f} -> {now:.1f}")
    for id in sorted(earlier.concerns | later.concerns):
        had, has = earlier.concerns[id], later.concerns[id]
        if had != has:
            (improvements if has < had else regressions).append(f"{id}: {had} -> {has}")
    return {
        "score_delta": f"{round(later.overall - earlier.overall, 1) + 0.0:+.1f}",
        "improvements": improvements,
        "regressions": regressions,
    }


def _measured(of: Review | Mapping[str, Any]) -> _Measured:
    if isinstance(of, Review):
        return _Measured(of.scores, of.overall, Counter(concern.concern_id for concern in of.concerns))
    score = of["quality_score"]
    counted = Counter(concern["concern_id"] for concern in of["concerns"])
    return _Measured(score["dimension_scores"], score["overall_score"], counted)


__all__ = [
    "ACCEPT",
    "FLAG",
    "MOST_ATTEMPTS",
    "Decision",
    "Flags",
    "Review",
    "compare",
    "decision",
    "fixed",
    "flags",
    "notes",
    "review",
    "unusual",
]
