"""What was tried with a SEED before: in this run, and as its record tells it from earlier ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from burnish.core.records import AttemptRecord
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


def attempts_made(seed: Seed, attempts: Sequence[AttemptRecord], *, anew: bool) -> int:
    """How many count against the most that there may be; `anew`: those of earlier runs do not."""
    past = [] if anew else [one for one in earlier(seed) if one["quality_score"]["scoring_version"] != LEGACY_SCORING]
    return len(past) + len(reviewed(attempts))


def best(attempts: Sequence[AttemptRecord]) -> AttemptRecord:
    """The scored attempt whose LEGOs are kept: one that passed before one that did not, then by its score; of equals
    the later one."""
    return max(reviewed(attempts), key=lambda one: (one.passed, one.scores[OVERALL], one.number))


def seed_of_attempt(attempt: AttemptRecord) -> Seed:
    """The SEED as an attempt left it."""
    assert attempt.content is not None, "every attempt on a SEED holds it whole"
    return Seed.from_record(attempt.content)
