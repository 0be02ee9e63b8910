"""What a paragraph needs to pass, where it can stand, and in words why it rests there."""

from __future__ import annotations

from burnish.core.findings import Severity
from burnish.core.gate import GatePolicy
from burnish.core.scores import Dimension
from burnish.core.states import StateTable
from burnish.kinds.manuscripts.dimensions import THRESHOLDS

INGESTED = "ingested"
EXCLUDED = "excluded"
"""Ours: in the files of the contract an excluded paragraph is `ingested` with `excluded_by_policy`."""
TRANSLATED = "translated_pass1"
RENDERED = "translated_pass2"
ASSEMBLED = "candidate_assembled"
IN_REVIEW = "review_in_progress"
FAILED = "review_failed"
QUEUED = "rework_queued"
REWORKED = "reworked"
READY = "ready_to_merge"
MANUAL = "manual_review_required"
MERGED = "merged"

CANONICAL = (
    INGESTED,
    TRANSLATED,
    RENDERED,
    ASSEMBLED,
    IN_REVIEW,
    FAILED,
    QUEUED,
    REWORKED,
    READY,
    MANUAL,
    MERGED,
)
"""The states of the contract, in its order."""

_FORWARD = {
    INGESTED: {TRANSLATED},
    TRANSLATED: {RENDERED, ASSEMBLED},
    RENDERED: {ASSEMBLED},
    ASSEMBLED: {IN_REVIEW},
    IN_REVIEW: {READY, FAILED},
    FAILED: {QUEUED},
    QUEUED: {REWORKED},
    REWORKED: {ASSEMBLED},
    # A person's decision, and nothing else, leaves it.
    MANUAL: {READY, QUEUED},
    READY: {MERGED},
    EXCLUDED: {INGESTED},
    MERGED: set(),
}
_OUT: dict[str, set[str]] = {MERGED: set(), MANUAL: {EXCLUDED}, EXCLUDED: set()}
# From everywhere before the end an immediate trigger leads to a person, and a reauthorised exclusion out of scope.
STATES = StateTable(
    initial=INGESTED,
    working=QUEUED,
    ready=READY,
    waiting=MANUAL,
    moves={state: frozenset(after | _OUT.get(state, {MANUAL, EXCLUDED})) for state, after in _FORWARD.items()},
)

MAX_ATTEMPTS = 4
BATCH = 10
SMALLEST_BATCH, LARGEST_BATCH = 5, 20
"""Paragraphs that one request to rework may hold."""

PROFILES: dict[str, dict[str, Severity]] = {
    "default": {},
    "strict": {"sentence_shape": "error", "spelling": "error", "tense_changed": "error"},
}


def gate() -> GatePolicy:
    """Every one of the five has to be scored and to reach its line."""
    return GatePolicy(tuple(Dimension(name, minimum=line) for name, line in THRESHOLDS.items()))


REASONS = {
    "passed": "every score reaches its line",
    "stale_source": "its source has changed since the run began",
    "missing_artifact": "a translation or a review of it is missing or cannot be read",
    "mapping_error": "an issue of a review could not be mapped to a paragraph",
    "hard_floor": "its meaning is so far off that a person has to look at it at once",
    "repeated_hard_fail": "it failed for the same hard reason more than once",
    "attempts_exhausted": "all attempts are used up",
    "no_translation": "nothing translated it: no entry in the memory, and no model was named",
    "not_translated": "no answer held a translation of it that could be used",
    "not_reworked": "no answer held a rework of it that could be used",
    "cannot_write_back": "its text would not stand as one block in the published file",
}
"""Why a paragraph rests where it does."""
