"""The reports of a course, computed from its records: counts and means, the state of each SEED, and the lists of SEEDs
that need attention. Plain data, one pass, independent of the order of records.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

from burnish.kinds.legos.attempt_history import attempts_on
from burnish.kinds.legos.model import DIMENSIONS, source_profile
from burnish.kinds.legos.policy import (
    ACCEPT,
    EXHAUSTED,
    FLAG,
    MAX_ATTEMPTS,
    REASONS,
    UNUSUAL,
    by_priority,
    main_concern,
    rank,
)
from burnish.kinds.legos.records import Severity, instant
from burnish.kinds.legos.reports.inventory import Order, reuse_figures, taught_seeds, teaching_order
from burnish.kinds.legos.rule_review import unusual
from burnish.kinds.legos.scoring import mean_or_none

FOLDER = "quality_reports"
TEACHING_ORDER = "teaching_order.json"
STATUSES = ("accepted", "flagged", "failed", "pending_review")


class QualityTally:
    """Counts records one by one. Means are exact sums, rounded once, so that the order of records does not matter."""

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
        """Last score minus first score of every SEED that was tried again. A person's own cut is not a retry."""
        self._gains: dict[str, list[float]] = defaultdict(list)
        """Suggestion -> the gains of the retries that followed it."""

    def add(self, seed: SeedProgress) -> None:
        """Count one more SEED."""
        self._total += 1
        self._courses.add(str(seed.record["metadata"]["course_code"]))
        self._people += seed.needs_a_person
        self._statuses[seed.counted_as] += 1
        if seed.last is None:
            return
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
                continue  # a person's cut is not the effect of a suggestion
            for name in {suggestion["suggestion_id"] for suggestion in before["suggestions"]}:
                self._gains[name].append(score_of(after) - score_of(before))

    def report(self) -> dict[str, Any]:
        """The report of the SEEDs counted so far."""
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
        # The highest gain first; of equals the one with more retries.
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
    """Path in the course folder -> content, for every report, from valid records of the current schema."""
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


BY_PERSON = "_person"
"""The ending of `agent_version` in a person's attempt."""


@dataclass(frozen=True)
class SeedProgress:
    """One SEED of a course, as recorded."""

    record: Mapping[str, Any]

    @property
    def seed_id(self) -> str:
        return str(self.record["seed_id"])

    @property
    def uuid(self) -> str:
        return str(self.record["uuid"])

    @property
    def order(self) -> tuple[str, str]:
        """The key for the course's own order."""
        return self.seed_id, self.uuid

    @property
    def status(self) -> str:
        return str(self.record["quality_status"])

    @cached_property
    def attempts(self) -> list[Mapping[str, Any]]:
        """The attempts on its current sentences."""
        return attempts_on(self.record)

    @cached_property
    def last(self) -> Mapping[str, Any] | None:
        """The last attempt, which sets the SEED's current score."""
        return self.attempts[-1] if self.attempts else None

    @cached_property
    def kept(self) -> Mapping[str, Any] | None:
        """The attempt whose LEGOs are kept: as recorded, or else the best one, of equals the later."""
        named = self.record.get("best_attempt_number")
        by_number = {attempt["attempt_number"]: attempt for attempt in self.attempts}
        if named in by_number:
            return by_number[named]
        return max(self.attempts, key=lambda one: (score_of(one), one["attempt_number"]), default=None)

    @property
    def total_attempts(self) -> int:
        """Including those in the archive."""
        return int(self.record["total_attempts"])

    @property
    def score(self) -> float:
        """The current score, that of the last attempt."""
        return float(self.record["current_quality_score"])

    @property
    def has_failed(self) -> bool:
        """Below the threshold, also while it waits for a person."""
        below = self.last is not None and self.score < FLAG
        return self.status == "failed" or (self.status == "pending_review" and below)

    @property
    def is_flagged(self) -> bool:
        """To be reviewed, but not failed, so that no SEED is on both lists."""
        return (self.status == "flagged" or bool(self.record["flagged_for_review"])) and not self.has_failed

    @property
    def is_to_be_retried(self) -> bool:
        return self.last is not None and self.last["status"] == "retry_scheduled"

    @property
    def needs_a_person(self) -> bool:
        return bool(self.record["human_review_requested"])

    @property
    def counted_as(self) -> str:
        """The count of the summary to which it belongs. An unusual SEED waits for a person, although its score has
        the status `accepted`."""
        if self.needs_a_person:
            return "pending_review"
        return self.status if self.last is not None else "not_extracted"

    @property
    def may_be_taught(self) -> bool:
        """Accepted, and no review is requested."""
        return self.counted_as == "accepted"


def score_of(attempt: Mapping[str, Any]) -> float:
    return float(attempt["quality_score"]["overall_score"])


def is_by_person(attempt: Mapping[str, Any]) -> bool:
    """Whether a person cut it."""
    return str(attempt["agent_version"]).endswith(BY_PERSON)


REQUESTED = "a review by a person was requested"
"""The reason if the record has none and none can be computed."""
IMPLIED = frozenset(REASONS[name] for name in (UNUSUAL, "score_too_low", EXHAUSTED))
"""Reasons that are omitted beside more exact ones."""


def seed_row(seed: SeedProgress) -> dict[str, Any]:
    """A SEED with the open concerns of its last attempt."""
    last: Mapping[str, Any] = seed.last or {}
    return {
        **_named(seed),
        "quality_status": seed.status,
        "current_quality_score": seed.score,
        "total_attempts": seed.total_attempts,
        "human_review_requested": seed.needs_a_person,
        "concerns": [_concern(concern) for concern in last.get("concerns", ())],
        "review_notes": last.get("review_notes"),
    }


def retry_row(seed: SeedProgress) -> dict[str, Any]:
    """A SEED with a pending retry. The retry is due from the time of its last attempt."""
    last = seed.last
    assert last is not None, "only an attempt can be followed by a retry"
    concern = main_concern(last)
    because = f": {concern['description']}" if concern else ""
    return {
        **_named(seed),
        "current_attempt": last["attempt_number"],
        "max_attempts": MAX_ATTEMPTS,
        "last_score": score_of(last),
        "retry_reason": f"{score_of(last)} of {ACCEPT}{because}",
        "suggested_prompt_changes": [one["suggested_change"] for one in by_priority(last["suggestions"])],
        "scheduled_retry_at": last["timestamp"],
    }


def human_review_row(seed: SeedProgress) -> dict[str, Any]:
    """A SEED that waits for a person, with the open concerns of the attempt whose LEGOs are kept."""
    kept: Mapping[str, Any] = seed.kept or {}
    concerns = list(kept.get("concerns", ()))
    return {
        **_named(seed),
        "quality_status": seed.status,
        "priority": priority_of(seed),
        "reason": reason_of(seed),
        "total_attempts": seed.total_attempts,
        "best_attempt_score": score_of(kept) if kept else None,
        "concerns_summary": _summary(concerns),
        "agent_notes": kept.get("review_notes"),
        "legos": kept.get("legos_extracted", 0),
        "waits_in_a_run": seed.status == "pending_review" or bool(seed.record.get("review_reasons")),
        **_noted(seed.record),
    }


def priority_of(seed: SeedProgress) -> Severity:
    """critical: a broken Iron Rule or a failed SEED; high: not accepted; medium: accepted with serious concerns."""
    kept: Mapping[str, Any] = seed.kept or {}
    severities = Counter(concern["severity"] for concern in kept.get("concerns", ()))
    score = score_of(kept) if kept else 0.0
    if severities["critical"] or score < FLAG:
        return "critical"
    if score < ACCEPT:
        return "high"
    return "medium" if severities["high"] else "low"


def reason_of(seed: SeedProgress) -> str:
    """Why a person is asked to review, in words."""
    kept: Mapping[str, Any] | None = seed.kept
    if kept is None:
        return "it has not been cut yet"
    critical = dict.fromkeys(one["concern_id"] for one in kept["concerns"] if one["severity"] == "critical")
    reasons = [f"a critical concern is left: {', '.join(critical)}"] if critical else []
    if score_of(kept) < ACCEPT:
        times = "1 attempt" if seed.total_attempts == 1 else f"{seed.total_attempts} attempts"
        reasons.append(f"best score {score_of(kept)} after {times}, accepted from {ACCEPT}")
    reasons += _recorded(seed.record)
    return "; ".join(reasons) or REQUESTED


def _recorded(record: Mapping[str, Any]) -> list[str]:
    """The recorded reasons for a review. Without any, the reason is computed from the sentence."""
    said = record.get("review_reasons")
    if isinstance(said, list) and said:
        texts = [str(one) for one in said]
        exact = [text for text in texts if text not in IMPLIED] or texts
        return [text.removesuffix(".") for text in exact]
    profile = source_profile(str(record["metadata"]["course_code"]))
    odd = unusual(str(record["source"]), profile) if profile is not None else None
    return [f"an unusual SEED: {odd}"] if odd else []


def _noted(record: Mapping[str, Any]) -> dict[str, str | None]:
    decided: Mapping[str, Any] = record.get("human_review", {})
    note = decided.get("note") or None
    return {"note": note, "noted_by": decided.get("by") if note else None}


def _named(seed: SeedProgress) -> dict[str, Any]:
    record = seed.record
    return {"seed_id": seed.seed_id, "uuid": seed.uuid, "source": record["source"], "target": record["target"]}


def _concern(concern: Mapping[str, Any]) -> dict[str, Any]:
    names = ("concern_id", "severity", "description", "affected_legos", "suggested_fix")
    return {name: concern[name] for name in names}


def _summary(concerns: list[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Each concern once, the worst first: how often, and its LEGOs."""
    groups: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
    for concern in concerns:
        groups.setdefault((concern["concern_id"], concern["severity"]), []).append(concern)
    rows = [
        {
            "concern_id": name,
            "severity": severity,
            "count": len(same),
            "affected_legos": list(dict.fromkeys(lego for one in same for lego in one["affected_legos"])),
        }
        for (name, severity), same in groups.items()
    ]
    return sorted(rows, key=lambda row: (-rank(str(row["severity"])), row["concern_id"]))


LISTS: Mapping[str, tuple[Callable[[SeedProgress], bool], Callable[[SeedProgress], dict[str, Any]]]] = {
    "flagged_seeds": (lambda seed: seed.is_flagged, seed_row),
    "failed_seeds": (lambda seed: seed.has_failed, seed_row),
    "retry_queue": (lambda seed: seed.is_to_be_retried, retry_row),
    "human_review_queue": (lambda seed: seed.needs_a_person, human_review_row),
}
"""Name of a list -> the condition for its SEEDs, and the function for its rows."""
