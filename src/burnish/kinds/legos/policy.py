"""Where a SEED can stand, what it needs to pass, and in words why it rests there."""

from __future__ import annotations

from burnish.core.findings import Severity
from burnish.core.gate import Dimension, GatePolicy, StateTable
from burnish.kinds.legos.model import DIMENSIONS, OVERALL

ACCEPT, FLAG = 8.0, 5.0
"""The lines: from here on an extraction is accepted, from here on flagged; below it has failed."""
MAX_ATTEMPTS = 3
MOST_RULES = 12
"""Rules that a course may add to a prompt: with more it is read by nobody, models included."""
PENDING = "pending_extraction"
ALIGNED = "aligned"
EXTRACTED = "extracted"
RETRY = "retry_scheduled"
ACCEPTED = "accepted"
WAITING = "pending_review"
WRITTEN = "written"
SETTLED = "settled_before"
"""Accepted in an earlier run: nobody cuts it again, but how it is cut counts for the course."""

STATES = StateTable(
    initial=PENDING,
    working=RETRY,
    ready=ACCEPTED,
    waiting=WAITING,
    moves={
        # A person sees what was taken in, where that was changed since.
        PENDING: frozenset({ALIGNED, WAITING}),
        # Earlier runs may have used up all attempts.
        ALIGNED: frozenset({EXTRACTED, WAITING}),
        EXTRACTED: frozenset({ACCEPTED, RETRY, WAITING}),
        RETRY: frozenset({EXTRACTED, WAITING, ACCEPTED}),
        # A person's decision, and nothing else, leaves it.
        WAITING: frozenset({ACCEPTED, RETRY}),
        # An editor may take it back until the course is written.
        ACCEPTED: frozenset({WRITTEN, WAITING}),
        WRITTEN: frozenset(),
        SETTLED: frozenset(),
    },
)

RETRY_BELOW = ACCEPT
"""Below it there is another attempt. The operator may set another line; what is accepted is not his to say."""

PROFILES: dict[str, dict[str, Severity]] = {"default": {}, "strict": {}}

UNUSUAL, CRITICAL, DOUBTFUL = "unusual_seed", "critical_concern", "doubtful_halves"
HELD, DECIDED = "held", "decided_before"
SEEN_ALL_THE_SAME = frozenset({UNUSUAL, CRITICAL, DOUBTFUL, HELD, DECIDED})
"""Why a cut that passed waits for a person all the same."""
WAITED, EXHAUSTED = "waited_before", "attempts_exhausted"

REASONS = {
    "accepted": "The LEGOs keep the rules and score high enough.",
    "score_too_low": "The score of the LEGOs is below the threshold.",
    "guarantee_broken": "The LEGOs score high enough, but break a rule that always blocks.",
    UNUSUAL: "The LEGOs score high enough, but the SEED is unusual: check the cut.",
    CRITICAL: "The LEGOs score high enough, but the reviewer has a critical concern.",
    DOUBTFUL: "The LEGOs score high enough, but the halves of one may differ in meaning.",
    HELD: "A person asked to see the cut before it is accepted.",
    DECIDED: "A person decided on this SEED before; no model overrules that.",
    WAITED: "Waiting since an earlier run.",
    "flagged": "The score of the LEGOs is below 8.0, and no further attempt is made.",
    "accepted_before": "Accepted in an earlier run.",
    "not_asked_for": "Not part of this run.",
    EXHAUSTED: "No attempt scores high enough, and none is left.",
    "no_better_cut": "The built-in extractor has no other cut.",
    "reviewer_unreadable": "The reviewer's answer could not be read.",
}


def gate() -> GatePolicy:
    """What a person's own cut is held against. The five dimensions inform; the overall score counts."""
    within = [Dimension(name, 0.0, 0.0, 10.0) for name in DIMENSIONS]
    return GatePolicy((*within, Dimension(OVERALL, ACCEPT, 0.0, 10.0)))
