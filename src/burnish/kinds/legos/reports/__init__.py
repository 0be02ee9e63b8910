"""The reports of a course: plain data over the records that the store holds. Pure, one pass, any order of records."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from itertools import pairwise
from typing import Any

from burnish.kinds.legos.model import DIMENSIONS
from burnish.kinds.legos.policy import MAX_ATTEMPTS, rank
from burnish.kinds.legos.records import instant
from burnish.kinds.legos.reports.inventory import Order, reuse_figures, taught_seeds, teaching_order
from burnish.kinds.legos.reports.queues import LISTS, SeedProgress, is_by_person, score_of
from burnish.kinds.legos.scoring import mean_or_none

FOLDER = "quality_reports"
TEACHING_ORDER = "teaching_order.json"
STATUSES = ("accepted", "flagged", "failed", "pending_review")


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

    def add(self, seed: SeedProgress) -> None:
        """Take one more SEED in."""
        self._total += 1
        self._courses.add(str(seed.record["metadata"]["course_code"]))
        self._people += seed.needs_a_person
        if seed.last is None:
            self._statuses["not_extracted"] += 1
            return
        self._statuses[seed.status] += 1
        self._reviewed.append(seed.record["last_reviewed_at"])
        self._attempts.append(seed.total_attempts)
        self._scores.append(seed.score)
        for name, scores in self._dimensions.items():
            scores.append(float(seed.last["quality_score"]["dimension_scores"][name]))
        self._concerns.update({concern["concern_id"] for concern in seed.last["concerns"]})
        self._add_retries(seed)

    def _add_retries(self, seed: SeedProgress) -> None:
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
            "dimension_averages": {name: mean_or_none(scores) for name, scores in self._dimensions.items()},
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
            "average_quality_score": mean_or_none(self._scores),
            "average_attempts_per_seed": mean_or_none(self._attempts),
        }

    def _trends(self) -> dict[str, Any]:
        effects: list[dict[str, Any]] = [
            {"suggestion_id": name, "retries": len(gains), "average_gain": mean_or_none(gains)}
            for name, gains in self._gains.items()
        ]
        # The most on top; of equals the more often tried.
        effects.sort(key=lambda one: (-one["average_gain"], -one["retries"], one["suggestion_id"]))
        best = effects[0] if effects and effects[0]["average_gain"] > 0 else None
        return {
            "seeds_retried": len(self._retried),
            "seeds_improved_on_retry": sum(gain > 0 for gain in self._retried),
            "average_score_improvement": mean_or_none(self._retried),
            "most_effective_suggestion": best["suggestion_id"] if best else None,
            "suggestion_effects": effects,
        }


def course_reports(
    translations: Iterable[Mapping[str, Any]],
    legos: Iterable[Mapping[str, Any]],
    max_attempts: int = MAX_ATTEMPTS,
    order: Order = "fewest_new",
) -> dict[str, dict[str, Any]]:
    """Path in the course folder -> content, of every report; in one pass over valid records of the present schema."""
    tally, ready = QualityTally(), dict[str, Mapping[str, Any]]()
    rows: dict[str, list[tuple[tuple[str, str], dict[str, Any]]]] = {name: [] for name in LISTS}
    for record in translations:
        seed = SeedProgress(record)
        tally.add(seed)
        if seed.may_be_taught:
            ready[seed.uuid] = {name: record[name] for name in ("seed_id", "source", "target")}
        for name, (belongs, row) in LISTS.items():
            if belongs(seed):
                rows[name].append((seed.order, row(seed)))
    lists = {name: [row for _, row in sorted(found, key=lambda one: one[0])] for name, found in rows.items()}
    lists["retry_queue"] = [{**row, "max_attempts": max_attempts} for row in lists["retry_queue"]]
    # The most urgent first, then the lowest score.
    lists["human_review_queue"].sort(key=lambda row: (-rank(row["priority"]), row["best_attempt_score"] or 0.0))
    taught = taught_seeds(ready, legos, ready)
    return {
        f"{FOLDER}/quality_report.json": {**tally.report(), "reuse": reuse_figures(taught, order)},
        **{f"{FOLDER}/{name}.json": {"count": len(found), "seeds": found} for name, found in lists.items()},
        TEACHING_ORDER: teaching_order(taught, order),
    }
