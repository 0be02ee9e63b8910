"""quality_report.json: how a course stands, in numbers. One pass, any order of records, the same report."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from itertools import pairwise
from math import fsum
from typing import Any

from burnish.kinds.legos.model import DIMENSIONS
from burnish.kinds.legos.records import instant
from burnish.kinds.legos.reports.standing import Standing, is_by_person, score_of

STATUSES = ("accepted", "flagged", "failed", "pending_review")


def quality_report(records: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """The report over all translation records of a course."""
    tally = QualityTally()
    for record in records:
        tally.add(Standing(record))
    return tally.report()


class QualityTally:
    """Counts as records pass by. Means are exact sums, rounded once, so that no order of records shows in them."""

    def __init__(self) -> None:
        self._courses: set[str] = set()
        self._reviewed: list[str | None] = []
        self._total = 0
        self._people = 0
        self._statuses: Counter[str] = Counter()
        self._attempts: list[int] = []
        self._scores: list[float] = []
        self._dimensions: dict[str, list[float]] = {name: [] for name in DIMENSIONS}
        self._concerns: Counter[str] = Counter()
        self._retried: list[float] = []
        """Last score less the first one, of every SEED that was tried again. A person's own cut is no retry."""
        self._gains: dict[str, list[float]] = defaultdict(list)
        """Suggestion -> what each retry that followed it gained."""

    def add(self, seed: Standing) -> None:
        """Take one more SEED in."""
        self._total += 1
        self._courses.add(str(seed.record["metadata"]["course_code"]))
        self._people += seed.needs_a_person
        if seed.last is None:
            self._statuses["not_extracted"] += 1
            return
        self._statuses[seed.status] += 1
        self._reviewed.append(seed.record["last_reviewed_at"])
        self._add_scores(seed, seed.last)
        self._add_retries(seed)

    def _add_scores(self, seed: Standing, last: Mapping[str, Any]) -> None:
        self._attempts.append(seed.total_attempts)
        self._scores.append(seed.score)
        for name, scores in self._dimensions.items():
            scores.append(float(last["quality_score"]["dimension_scores"][name]))
        self._concerns.update({concern["concern_id"] for concern in last["concerns"]})

    def _add_retries(self, seed: Standing) -> None:
        attempts = [one for one in seed.attempts if not is_by_person(one)]
        if len(attempts) > 1:
            self._retried.append(score_of(attempts[-1]) - score_of(attempts[0]))
        for before, after in pairwise(seed.attempts):
            if is_by_person(before) or is_by_person(after):
                continue  # what a person makes of a cut says nothing about a suggestion
            for name in {suggestion["suggestion_id"] for suggestion in before["suggestions"]}:
                self._gains[name].append(score_of(after) - score_of(before))

    def report(self) -> dict[str, Any]:
        """What was counted so far."""
        return {
            "course_codes": sorted(self._courses),
            "as_of": max(filter(None, self._reviewed), key=lambda at: (instant(at), at), default=None),
            "quality_summary": self._summary(),
            "dimension_averages": {name: mean(scores) for name, scores in self._dimensions.items()},
            "concern_frequency": dict(sorted(self._concerns.items(), key=lambda one: (-one[1], one[0]))),
            "improvement_trends": self._trends(),
            "human_review_needed": self._people,
        }

    def _summary(self) -> dict[str, Any]:
        accepted = self._statuses["accepted"]
        return {
            "total_seeds": self._total,
            **{status: self._statuses[status] for status in (*STATUSES, "not_extracted")},
            "acceptance_rate": round(accepted / self._total, 4) if self._total else None,
            "average_quality_score": mean(self._scores),
            "average_attempts_per_seed": mean(self._attempts),
        }

    def _trends(self) -> dict[str, Any]:
        effects = self._effects()
        best = effects[0] if effects and effects[0]["average_gain"] > 0 else None
        return {
            "seeds_retried": len(self._retried),
            "seeds_improved_on_retry": sum(gain > 0 for gain in self._retried),
            "average_score_improvement": mean(self._retried),
            "most_effective_suggestion": best["suggestion_id"] if best else None,
            "suggestion_effects": effects,
        }

    def _effects(self) -> list[dict[str, Any]]:
        """What the retries gained that followed each suggestion, the most on top; of equals the more often tried."""
        effects = [
            {"suggestion_id": name, "retries": len(gains), "average_gain": mean(gains)}
            for name, gains in self._gains.items()
        ]
        return sorted(effects, key=lambda one: (-one["average_gain"], -one["retries"], one["suggestion_id"]))


def mean(numbers: list[float] | list[int]) -> float | None:
    """To two decimals; None where there is nothing to take it of, for 0 would be a score."""
    return round(fsum(numbers) / len(numbers), 2) if numbers else None
