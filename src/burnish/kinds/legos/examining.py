"""Rules on one SEED, as the engine and people see them: findings with places, and scores on a scale of ten."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from burnish.core.checks import Examination
from burnish.core.documents import Field
from burnish.core.findings import Finding
from burnish.kinds.legos.aligning import Links
from burnish.kinds.legos.concerns import Concern
from burnish.kinds.legos.equipment import Terms
from burnish.kinds.legos.guarantees import guarantees
from burnish.kinds.legos.habits import Habits
from burnish.kinds.legos.model import Seed
from burnish.kinds.legos.policy import OVERALL
from burnish.kinds.legos.reviewing import Review, review
from burnish.kinds.legos.rulebook import SEVERITIES

BROKEN = "c_guarantee_broken"


@dataclass(frozen=True, slots=True)
class Looked:
    """What rules say of a SEED's LEGOs."""

    review: Review
    broken: tuple[str, ...]
    """Guarantees that are not kept; no score makes up for them."""

    def measured(self) -> dict[str, Any]:
        """Everything but the scores, ready for JSON."""
        return {
            "concerns": [concern.as_record() for concern in self.review.concerns],
            "suggestions": [suggestion.as_record() for suggestion in self.review.suggestions],
            "notes": " ".join((*self.broken[:1], self.review.notes)),
            "broken": list(self.broken),
        }

    def scores(self) -> dict[str, float]:
        return {**{str(name): score for name, score in self.review.scores.items()}, OVERALL: self.review.overall}


def look(seed: Seed, terms: Terms, habits: Habits | None, links: Links | None = None) -> Looked:
    """`links`: which words say the same, where that is known."""
    return Looked(
        review(seed, terms.tongue, habits, terms.rule),
        guarantees(seed, terms.tongue, terms.rule, links),
    )


def examination(seed: Seed, looked: Looked) -> Examination:
    """The same for whoever speaks in findings."""
    return Examination(findings_of(seed, looked), measured={"scores": looked.scores(), **looked.measured()})


def findings_of(seed: Seed, looked: Looked) -> tuple[Finding, ...]:
    texts = seed.texts()
    concerns = [_finding(seed.id, texts, concern) for concern in looked.review.concerns]
    return (*concerns, *(Finding(BROKEN, "error", seed.id, None, said) for said in looked.broken))


def _finding(unit: str, texts: Mapping[Field, str], concern: Concern) -> Finding:
    """A concern points at the first LEGO that it is about."""
    field = _field(texts, concern.affected_legos[0]) if concern.affected_legos else None
    quote = texts.get(field) if field is not None else None
    return Finding(
        concern.concern_id,
        SEVERITIES[concern.severity],
        unit,
        field,
        concern.description,
        concern.suggested_fix,
        quote,
        0 if quote is not None else None,
        len(quote) if quote is not None else None,
        source=concern.source,
    )


def _field(texts: Mapping[Field, str], provenance: str) -> Field:
    """`S44L2` -> `L2.source`; None where there is no such LEGO."""
    place = provenance.rpartition("L")[2]
    field = f"L{place}.source"
    return field if field in texts else None
