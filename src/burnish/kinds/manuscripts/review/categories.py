"""What reviewers call things, brought to our words: categories, severities and the dimension that each belongs to."""

from __future__ import annotations

import re
from collections.abc import Mapping

from burnish.core.findings import Severity
from burnish.kinds.manuscripts.dimensions import BLOCKING_CATEGORIES, DIMENSIONS, RULES, DimensionName

OTHER = "other"
"""The category of an issue whose reviewer named none."""
LONGEST_CATEGORY = 60
NO_NAME = re.compile(r"[^a-z0-9]+")

SEVERITY_OF: Mapping[str, Severity] = {
    **dict.fromkeys(("critical", "blocker", "blocking", "fatal", "severe"), "critical"),
    **dict.fromkeys(("error", "major", "high", "serious"), "error"),
    **dict.fromkeys(("warning", "warn", "minor", "medium", "moderate"), "warning"),
    **dict.fromkeys(("info", "information", "note", "neutral", "low", "suggestion", "trivial", "hint"), "info"),
}
"""Other tools' words for how bad something is."""

_PLACED: dict[str, DimensionName] = {
    **{placed.category: placed.dimension for placed in RULES.values()},
    # Reviewers without rules judge punctuation as typography; only unbalanced marks are the grammar's.
    "punctuation": "style",
    **{dimension: dimension for dimension in DIMENSIONS},
    **dict.fromkeys(BLOCKING_CATEGORIES, "semantic_fidelity"),
    **dict.fromkeys(("agreement", "capitalisation", "capitalization", "syntax", "word_order"), "grammar"),
    **dict.fromkeys(("consistency", "glossary", "word_choice", "wording", "false_friend"), "vocabulary"),
    **dict.fromkeys(("register", "tone", "dialogue", "point_of_view"), "voice"),
    **dict.fromkeys(
        ("accuracy", "addition", "fidelity", "meaning", "mistranslation", "omission"),
        "semantic_fidelity",
    ),
}
ELSEWHERE: DimensionName = "style"
"""Where a category counts that nobody knows: readability, layout, rhythm and the like."""


def category_named(words: str | None) -> str:
    """A category as a name: `numbers_units` for `Numbers / units`. It becomes part of a reason, so it is kept short."""
    return NO_NAME.sub("_", (words or "").casefold())[:LONGEST_CATEGORY].strip("_") or OTHER


def severity_named(words: str | None) -> Severity:
    """The severity on our scale. A word that nobody knows is an error: what cannot be read is no excuse."""
    return SEVERITY_OF.get((words or "").strip().casefold(), "error")


def dimension_of(category: str) -> DimensionName:
    """The dimension in which an issue of this category counts."""
    return _PLACED.get(category, ELSEWHERE)
