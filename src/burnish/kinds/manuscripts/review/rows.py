"""Review rows: what one reviewer says about one paragraph, whoever the reviewer is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Self

from burnish.core.findings import SEVERITIES, Severity
from burnish.kinds.manuscripts.dimensions import BLOCKING_CATEGORIES, RULES, DimensionName
from burnish.kinds.manuscripts.review.categories import dimension_of

RULES_REVIEWER = "rules"
"""The reviewer that needs no model."""


@dataclass(frozen=True, slots=True)
class ReviewIssue:
    """One thing that a reviewer holds against a paragraph."""

    category: str
    severity: Severity
    description: str
    suggested_fix: str | None = None
    quote: str | None = None
    """Words of the translation, as the reviewer gave them."""
    start: int | None = None
    """Where the quote begins in the translation, in characters; None where it is not there, or nothing was quoted."""
    end: int | None = None
    line: int | None = None
    """Lines of the candidate, where the reviewer was shown those."""
    start_line: int | None = None
    end_line: int | None = None
    reviewer: str = RULES_REVIEWER
    rule: str | None = None
    """The rule's id, where a rule says so."""

    @property
    def dimension(self) -> DimensionName:
        """Where it counts."""
        placed = RULES.get(self.rule or "")
        return placed.dimension if placed is not None else dimension_of(self.category)

    @property
    def blocks(self) -> bool:
        """Whether the paragraph fails over this alone, whatever its scores are.

        What changes the meaning does, whatever a reviewer calls it. A rule that only warns is not sure of what it
        sees, so it does not.
        """
        if self.severity not in SEVERITIES or self.severity == "critical":
            return True
        sure = self.reviewer != RULES_REVIEWER or self.severity == "error"
        return sure and self.category in BLOCKING_CATEGORIES

    def as_wire(self) -> dict[str, Any]:
        """JSON-ready; what is not there is left out."""
        return {name: value for name, value in asdict(self).items() if value is not None}

    @classmethod
    def from_wire(cls, record: Mapping[str, Any]) -> Self:
        return cls(**record)


@dataclass(frozen=True, slots=True)
class ReviewRow:
    """One reviewer's word on one paragraph."""

    paragraph_id: str
    reviewer: str
    scores: Mapping[str, float]
    """Those that count. A dimension that the reviewer was to score and that is not here is missing."""
    issues: tuple[ReviewIssue, ...] = ()
    hard_fail: bool = False
    expected: tuple[DimensionName, ...] = ()
    """The dimensions that this reviewer has to score."""
    informational: Mapping[str, float] = field(default_factory=dict)
    """Scores that are shown and decide nothing."""
    failure: str | None = None
    """Why the reviewer has said nothing that can be used."""

    def as_wire(self) -> dict[str, Any]:
        """The contract's four keys, then those that are optional."""
        wire: dict[str, Any] = {
            "paragraph_id": self.paragraph_id,
            "scores": dict(self.scores),
            "issues": [issue.as_wire() for issue in self.issues],
            "hard_fail": self.hard_fail,
            "reviewer": self.reviewer,
        }
        more = {"expected": list(self.expected), "informational": dict(self.informational), "failure": self.failure}
        return wire | {name: value for name, value in more.items() if value}

    @classmethod
    def from_wire(cls, record: Mapping[str, Any]) -> Self:
        issues = tuple(ReviewIssue.from_wire(issue) for issue in record["issues"])
        return cls(**{**record, "issues": issues, "expected": tuple(record.get("expected", ()))})


def row(
    paragraph_id: str,
    reviewer: str,
    scores: Mapping[str, float],
    issues: tuple[ReviewIssue, ...],
    *,
    expected: tuple[DimensionName, ...] = (),
    informational: Mapping[str, float] | None = None,
    failure: str | None = None,
) -> ReviewRow:
    """A row that fails hard as soon as one of its issues blocks."""
    hard_fail = any(issue.blocks for issue in issues)
    return ReviewRow(paragraph_id, reviewer, scores, issues, hard_fail, expected, informational or {}, failure)
