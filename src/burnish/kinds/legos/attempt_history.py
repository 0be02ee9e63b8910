"""The attempts on a SEED: of earlier runs, of this run, and on sentences that were replaced."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from burnish.core.attempts import rejections_in
from burnish.core.records import AttemptRecord, EventRecord
from burnish.kinds.legos.migration import LEGACY_SCORING, migrated
from burnish.kinds.legos.model import OVERALL, Seed
from burnish.kinds.legos.pairs import Pair
from burnish.kinds.legos.records import instant

REPLACED = "replaced"
"""The field of a translation with its former sentences, oldest first."""
_OF_THE_OLD = ("best_attempt_number", "uncovered", "human_review")
"""Fields about a cut of the old sentences: they are moved there too."""


def replaced(
    record: Mapping[str, Any], pair: Pair, legos: Sequence[Mapping[str, Any]], replaced_at: str
) -> dict[str, Any]:
    """The record with new sentences and no cut. The LEGOs of the old sentences are kept in `replaced` only.

    Raise InputError if the record is an old one that cannot be migrated.
    """
    current = migrated(record, len(legos))
    before = {
        "source": current["source"],
        "target": current["target"],
        "replaced_at": replaced_at,
        "legos": [{"source": lego.get("source"), "target": lego.get("target")} for lego in legos],
        **{name: current[name] for name in _OF_THE_OLD if name in current},
    }
    known = current.get(REPLACED)
    return {
        **{name: value for name, value in current.items() if name not in _OF_THE_OLD},
        "source": pair.source,
        "target": pair.target,
        "quality_status": "pending_review",
        "flagged_for_review": False,
        "human_review_requested": False,
        REPLACED: [*(known if isinstance(known, list) else ()), before],
    }


def attempts_on(record: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The attempts on the current sentences of a valid record, without those on sentences that were replaced."""
    known = record.get(REPLACED)
    last = known[-1] if isinstance(known, list) and known else None
    at = last.get("replaced_at") if isinstance(last, Mapping) else None
    since = instant(at) if isinstance(at, str) else None
    attempts: list[Mapping[str, Any]] = list(record["lego_extraction_attempts"])
    if since is None:
        return attempts
    moments = (instant(one["timestamp"]) for one in attempts)
    return [one for one, moment in zip(attempts, moments, strict=True) if moment is not None and moment > since]


ATTEMPTS = "lego_extraction_attempts"
STANDS_IN = "stands_in"
"""Marks the built-in cut that is shown to a person if a model failed. It does not count as an attempt."""


def earlier(seed: Seed) -> list[Mapping[str, Any]]:
    """The attempts of earlier runs, as they are in the record."""
    return list(seed.record.get(ATTEMPTS, ()))


def reviewed(attempts: Sequence[AttemptRecord]) -> list[AttemptRecord]:
    """The attempts of this run that were scored: each is one extraction attempt of the record. Only attempts that
    count are given: a person's cut that was undone does not."""
    return [one for one in attempts if OVERALL in one.scores]


def earlier_tries(seed: Seed, *, anew: bool) -> list[Mapping[str, Any]]:
    """The attempts of earlier runs that count: not those made before the review existed, nor those on other
    sentences, and none if the SEED is cut again from the beginning."""
    tries = [] if anew or not earlier(seed) else attempts_on(seed.record)
    return [one for one in tries if one["quality_score"]["scoring_version"] != LEGACY_SCORING]


def attempts_made(seed: Seed, attempts: Sequence[AttemptRecord], *, anew: bool) -> int:
    """Count the attempts against the limit; with `anew`, those of earlier runs do not count."""
    ours = [one for one in reviewed(attempts) if not one.checked.get(STANDS_IN)]
    return len(earlier_tries(seed, anew=anew)) + len(ours)


def best(attempts: Sequence[AttemptRecord], decisions: Sequence[EventRecord] = ()) -> AttemptRecord:
    """The scored attempt whose LEGOs are kept: first a person's own cut, then one that passed, then the one with
    the highest score; of equals the later one.

    A rejection cancels this for all earlier attempts, so that an attempt that passes later is kept.
    """
    since = max(rejections_in(decisions), default=0)

    def worth(one: AttemptRecord) -> tuple[int, bool, float, int]:
        honoured = one.number > since
        by_person = one.number if honoured and one.cause == "person" else 0
        return by_person, honoured and one.passed, one.scores[OVERALL], one.number

    return max(reviewed(attempts), key=worth)


def kept_before(seed: Seed) -> int:
    """The number of the attempt whose LEGOs the course holds: as recorded, or else that of the best attempt. 0 if
    there was none."""
    past = earlier(seed)
    said = seed.record.get("best_attempt_number")
    if isinstance(said, int) and 1 <= said <= len(past):
        return said
    scores = [one["quality_score"]["overall_score"] for one in past]
    return scores.index(max(scores)) + 1 if scores else 0


def is_better_before(seed: Seed, ours: AttemptRecord) -> bool:
    """Whether the LEGOs that the course holds are better than those of an attempt that did not pass."""
    number = kept_before(seed)
    if not seed.legos or not number:
        return False
    was_accepted = seed.record.get("quality_status") == "accepted"
    return was_accepted or bool(earlier(seed)[number - 1]["quality_score"]["overall_score"] > ours.scores[OVERALL])


def decided(seed: Seed) -> str | None:
    """A person's decision of an earlier run; None if there is none."""
    said = seed.record.get("human_review")
    return str(said["decision"]) if isinstance(said, Mapping) and "decision" in said else None


def is_taken(seed: Seed) -> bool:
    """Whether a person accepted its LEGOs or cut them."""
    return decided(seed) in ("accept", "edit")


def seed_of_attempt(attempt: AttemptRecord) -> Seed:
    """The SEED with the content of an attempt."""
    assert attempt.content is not None, "every attempt on a SEED stores the whole SEED"
    return Seed.from_record(attempt.content)
