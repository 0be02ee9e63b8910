"""Which fields of a run are no part of a recording."""

from collections.abc import Collection

PROSE = frozenset(
    {
        "agent_notes",
        "blocked",
        "broken_guarantees",
        "concerns_summary",
        "description",
        "detail",
        "errorMessage",
        "expected_improvement",
        "feedback",
        "fixInstructions",
        "fix_instructions",
        "hint",
        "improvementHints",
        "lost",
        "message",
        "rationale",
        "reasoning",
        "review_notes",
        "review_reasons",
        "statusMessage",
        "suggestedFix",
        "suggested_change",
        "suggested_fix",
        "suggestion",
        "synthesized_instructions",
        "title",
        "why",
        "words",
    }
)
"""Fields that hold sentences for people: they may be worded anew, so they are not recorded."""


def is_prose(key: str, beside: Collection[str]) -> bool:
    """Whether a field holds a sentence for people: `text` does where it says a reason or a run's state in words."""
    return key in PROSE or (key == "text" and not {"reason", "detail"}.isdisjoint(beside))


EXPLAINED = frozenset({"error", "failure", "reason"})
"""Fields that begin with codes, or hold one, and may go on with a sentence."""

PASSING = frozenset(
    {"agent_version", "burnish", "bytes", "durationMs", "duration_ms", "host", "pid", "port", "seconds", "version"}
    | {"calls_perhaps_paid", "tokens_perhaps_paid", "lost_calls", "lost_tokens", "lost_cost"}  # how many a kill meets
)
"""Fields that differ from release to release, or from run to run."""
