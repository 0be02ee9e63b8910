"""What was tried with a SEED before: in this run, and as its record tells it from earlier ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from burnish.core.attempts import rejections_in
from burnish.core.records import AttemptRecord, EventRecord
from burnish.kinds.legos.migration import LEGACY_SCORING
from burnish.kinds.legos.model import Seed
from burnish.kinds.legos.policy import OVERALL

ATTEMPTS = "lego_extraction_attempts"


def earlier(seed: Seed) -> list[Mapping[str, Any]]:
    """The attempts of earlier runs, as the record holds them."""
    return list(seed.record.get(ATTEMPTS, ()))


def reviewed(attempts: Sequence[AttemptRecord]) -> list[AttemptRecord]:
    """The attempts of this run that were scored: each is one extraction attempt of the record."""
    return [one for one in attempts if OVERALL in one.scores]


def earlier_tries(seed: Seed, *, anew: bool) -> list[Mapping[str, Any]]:
    """Those of earlier runs that count as tries: not what was cut before anything was scored, and none where the SEED
    is cut anew."""
    return [] if anew else [one for one in earlier(seed) if one["quality_score"]["scoring_version"] != LEGACY_SCORING]


def attempts_made(seed: Seed, attempts: Sequence[AttemptRecord], *, anew: bool) -> int:
    """How many count against the most that there may be; `anew`: those of earlier runs do not."""
    return len(earlier_tries(seed, anew=anew)) + len(reviewed(attempts))


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


def seed_of_attempt(attempt: AttemptRecord) -> Seed:
    """The SEED as an attempt left it."""
    assert attempt.content is not None, "every attempt on a SEED holds it whole"
    return Seed.from_record(attempt.content)
