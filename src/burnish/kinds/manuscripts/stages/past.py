"""What the attempts of a paragraph say about its reviews so far."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from burnish.core.decisions import rejections_in
from burnish.core.records import AttemptRecord
from burnish.core.stages import Item
from burnish.kinds.manuscripts.review.aggregate import ReviewIssue, ReviewRow


@dataclass(frozen=True, slots=True)
class Past:
    """The reviews of a paragraph."""

    reviews: tuple[AttemptRecord, ...]
    """All of them, failed or not."""
    failed: tuple[AttemptRecord, ...]
    """Those that failed since the run began, or since a person last sent the paragraph back."""
    edits_tried: bool
    """Whether a rework since then was made of edits."""

    @property
    def attempt(self) -> int:
        """The contract's number: 1, and one more for every review that failed."""
        return len(self.failed) + 1

    @property
    def hard_reasons(self) -> list[list[str]]:
        return [reasons_of(review, "hard_reasons") for review in self.failed]

    @property
    def best(self) -> AttemptRecord | None:
        """The best of those that failed: the earlier one where two are alike."""
        return min(self.failed, key=_badness, default=None)


def past_of(item: Item) -> Past:
    return past(item.attempts, rejections_in(item.decisions))


def past(attempts: Sequence[AttemptRecord], rejections: Sequence[int]) -> Past:
    granted = rejections[-1] if rejections else 0
    reviews = tuple(attempt for attempt in attempts if attempt.cause == "review")
    since = [attempt for attempt in attempts if attempt.number > granted]
    return Past(
        reviews,
        tuple(review for review in reviews if not review.passed and review.number > granted),
        any(attempt.cause == "model" and attempt.edits for attempt in since),
    )


def reasons_of(review: AttemptRecord, name: str = "reasons") -> list[str]:
    return list((review.receipt or {}).get(name, ()))


def rows_of(review: AttemptRecord) -> list[ReviewRow]:
    return [ReviewRow.from_wire(wire) for wire in (review.receipt or {}).get("rows", ())]


def issues_of(review: AttemptRecord) -> list[ReviewIssue]:
    return list(dict.fromkeys(issue for row in rows_of(review) for issue in row.issues))


class Judged(Protocol):
    """Anything with reasons and scores: a verdict."""

    @property
    def hard_reasons(self) -> tuple[str, ...]: ...
    @property
    def reasons(self) -> tuple[str, ...]: ...
    @property
    def scores(self) -> object: ...


def is_better(verdict: Judged, best: AttemptRecord) -> bool:
    """Whether a review that failed is better than the best before it."""
    ours = (len(verdict.hard_reasons), len(verdict.reasons), -_mean(verdict.scores))
    return ours < _badness(best)[:3]


def _badness(review: AttemptRecord) -> tuple[int, int, float, int]:
    hard, all = reasons_of(review, "hard_reasons"), reasons_of(review)
    return len(hard), len(all), -_mean(review.scores), review.number


def _mean(scores: object) -> float:
    values = [float(value) for value in scores.values()] if isinstance(scores, dict) else []
    return sum(values) / len(values) if values else 0.0
