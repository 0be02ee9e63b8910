"""How recorded names are compared with those of today, and what is no part of a recording."""

RENAMED: dict[str, str] = {}
"""A name in the recordings -> what it is called now. It holds for keys and for whole strings, and is emptied when the
recordings are made anew with the new names."""

PROSE = frozenset(
    {
        "description",
        "detail",
        "hint",
        "lost",
        "message",
        "review_notes",
        "suggestion",
        "title",
        "words",
    }
)
"""Fields that hold sentences for people: they may be worded anew, so they are not recorded."""

EXPLAINED = frozenset({"failure", "error"})
"""Fields that begin with codes and go on with a sentence: `edit_refused: not_found: stem: the words ...`."""

PASSING = frozenset(
    {"durationMs", "version", "burnish", "duration_ms", "seconds", "agent_version", "pid", "host", "port"}
)
"""Fields that differ from release to release, or from run to run."""
