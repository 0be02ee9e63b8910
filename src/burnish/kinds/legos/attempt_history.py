"""The attempts on a SEED: those of earlier runs, those of this one, and those on sentences that were replaced."""

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
"""The field of a translation with the sentences that it had before, oldest first."""
_OF_THE_OLD = ("best_attempt_number", "uncovered", "human_review")
"""Fields about a cut of the old sentences: they move there with them."""


def replaced(
    record: Mapping[str, Any], pair: Pair, legos: Sequence[Mapping[str, Any]], replaced_at: str
) -> dict[str, Any]:
    """The record with new sentences, waiting to be cut. The LEGOs of the old ones are told in it, and have to go.

    InputError where the record is an old one that cannot be migrated.
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
    """The attempts on the sentences that a valid record has now: those on sentences that were replaced are left out."""
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
"""What marks the built-in cut that is kept where a model failed: nobody's try."""


def earlier(seed: Seed) -> list[Mapping[str, Any]]:
    """The attempts of earlier runs, as the record holds them."""
    return list(seed.record.get(ATTEMPTS, ()))


def reviewed(attempts: Sequence[AttemptRecord]) -> list[AttemptRecord]:
    """The attempts of this run that were scored: each is one extraction attempt of the record. Of attempts that count:
    a person's cut that was taken back is none."""
    return [one for one in attempts if OVERALL in one.scores]


def earlier_tries(seed: Seed, *, anew: bool) -> list[Mapping[str, Any]]:
    """Those of earlier runs that count as tries: not what was cut before anything was scored, nor from other sentences,
    and none where the SEED is cut anew."""
    tries = [] if anew or not earlier(seed) else attempts_on(seed.record)
    return [one for one in tries if one["quality_score"]["scoring_version"] != LEGACY_SCORING]


def attempts_made(seed: Seed, attempts: Sequence[AttemptRecord], *, anew: bool) -> int:
    """How many count against the most that there may be; `anew`: those of earlier runs do not."""
    ours = [one for one in reviewed(attempts) if not one.checked.get(STANDS_IN)]
    return len(earlier_tries(seed, anew=anew)) + len(ours)


def best(attempts: Sequence[AttemptRecord], decisions: Sequence[EventRecord] = ()) -> AttemptRecord:
    """The scored attempt whose LEGOs are kept: a person's own cut, then one that passed, then by its score; of equals
    the later one.

    Who sends a SEED back takes those honours from every attempt before, so that whatever passes later is kept.
    """
    since = max(rejections_in(decisions), default=0)

    def worth(one: AttemptRecord) -> tuple[int, bool, float, int]:
        honoured = one.number > since
        by_person = one.number if honoured and one.cause == "person" else 0
        return by_person, honoured and one.passed, one.scores[OVERALL], one.number

    return max(reviewed(attempts), key=worth)


def kept_before(seed: Seed) -> int:
    """The number of the attempt whose LEGOs the course holds; where its record does not say so, the best one's. 0 where
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
    """What a person decided about it in an earlier run; None where nobody did."""
    said = seed.record.get("human_review")
    return str(said["decision"]) if isinstance(said, Mapping) and "decision" in said else None


def is_taken(seed: Seed) -> bool:
    """Whether a person accepted its LEGOs, or cut them."""
    return decided(seed) in ("accept", "edit")


def seed_of_attempt(attempt: AttemptRecord) -> Seed:
    """The SEED as an attempt left it."""
    assert attempt.content is not None, "every attempt on a SEED holds it whole"
    return Seed.from_record(attempt.content)
