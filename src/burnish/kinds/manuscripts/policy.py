"""The policy of manuscripts: dimensions and thresholds, states, reasons in words, and the scores of rules."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable
from typing import Literal, NamedTuple, get_args

from burnish.core.findings import SEVERITIES, Finding, Severity
from burnish.core.gate import Dimension, GatePolicy, StateTable

DimensionName = Literal["grammar", "vocabulary", "style", "voice", "semantic_fidelity"]
DIMENSIONS: tuple[DimensionName, ...] = get_args(DimensionName)

THRESHOLDS: dict[DimensionName, float] = {
    "grammar": 0.80,
    "vocabulary": 0.80,
    "style": 0.80,
    "voice": 0.80,
    "semantic_fidelity": 0.85,
}
HARD_FLOOR = 0.50
"""Below this, semantic_fidelity sends a paragraph to a person at once."""

BLOCKING_CATEGORIES = frozenset(
    {"meaning_change", "negation", "numbers_units", "named_entity", "timeline", "who_did_what"}
)
"""An issue of one of these fails its paragraph at any severity; so does a critical one of any other category."""


class Placed(NamedTuple):
    """The dimension and category of a rule's findings."""

    dimension: DimensionName
    category: str
    """As in review rows; one of BLOCKING_CATEGORIES makes an error of the rule a hard fail."""


_CATEGORIES: dict[DimensionName, dict[str, tuple[str, ...]]] = {
    "grammar": {
        "grammar": ("agreement", "doubled_word", "missing_word", "sentence_case"),
        "spelling": ("mixed_letters", "spelling"),
        "punctuation": ("unbalanced_marks",),
    },
    "vocabulary": {
        "untranslated": ("foreign_words", "untranslated_text"),
        "terminology": ("glossary_term", "inconsistent_name", "name_not_kept"),
    },
    "style": {
        "shape": ("emphasis_changed", "sentence_shape"),
        "punctuation": ("end_punctuation", "stray_punctuation"),
        "length": ("length_ratio",),
        "typography": ("spacing", "target_typography"),
    },
    "voice": {
        "formality": ("formality_mixed",),
        "person": ("person_changed",),
        "question_exclamation": ("question_or_exclamation",),
        "tense": ("tense_changed",),
    },
    "semantic_fidelity": {
        "addition": ("chat_wrapping", "text_added"),
        "timeline": ("dates_changed",),
        "markup": ("links_changed", "placeholders_changed"),
        "meaning_change": (
            "misplaced_text",
            "repeated_text",
            "sentences_missing",
            "translation_missing",
            "unrelated_text",
        ),
        "named_entity": ("names_changed",),
        "negation": ("negation_changed",),
        "numbers_units": ("numbers_changed", "units_changed"),
        "omission": ("text_breaks_off", "text_left_out"),
    },
}
"""Dimension -> category -> its rules."""
RULES = {
    rule: Placed(dimension, category)
    for dimension, categories in _CATEGORIES.items()
    for category, rules in categories.items()
    for rule in rules
}
INGESTED = "ingested"
EXCLUDED = "excluded"
"""Internal: in the files of the contract an excluded paragraph is `ingested` with `excluded_by_policy`."""
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

Status = Literal[
    "ingested",
    "translated_pass1",
    "translated_pass2",
    "candidate_assembled",
    "review_in_progress",
    "review_failed",
    "rework_queued",
    "reworked",
    "ready_to_merge",
    "manual_review_required",
    "merged",
]
CANONICAL: tuple[str, ...] = get_args(Status)
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
    # Only a person's decision leaves it.
    MANUAL: {READY, QUEUED},
    READY: {MERGED},
    EXCLUDED: {INGESTED},
    MERGED: set(),
}
_OUT: dict[str, set[str]] = {MERGED: set(), MANUAL: {EXCLUDED}, EXCLUDED: set()}
# From every state before the end a trigger can lead to a person, and a reauthorised exclusion out of scope.
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
"""Limits of the paragraphs in one request to rework."""

PROFILES: dict[str, dict[str, Severity]] = {
    "default": {},
    "strict": {"sentence_shape": "error", "spelling": "error", "tense_changed": "error"},
}


def gate() -> GatePolicy:
    """The gate: each of the five dimensions must be scored and meet its threshold."""
    return GatePolicy(tuple(Dimension(name, minimum=line) for name, line in THRESHOLDS.items()))


REASONS = {
    "passed": "all scores meet their thresholds",
    "stale_source": "the source has changed since the run began",
    "not_judged": "no rule was able to judge all of it, and no model reviews",
    "missing_artifact": "a translation or a review is missing or cannot be read",
    "mapping_error": "a review issue belongs to no paragraph",
    "hard_floor": "the meaning is far off, so a person has to look at it",
    "repeated_hard_fail": "failed twice for the same blocking reason",
    "attempts_exhausted": "all attempts are used up",
    "no_translation": "not translated: no entry in the memory, and no model is set",
    "not_translated": "no usable translation in the answers",
    "not_reworked": "no usable rework in the answers",
    "no_model": "it has errors, and no model is set that can rework it",
    "cannot_write_back": "the text would not stay one block in the published file",
}
"""The reason of a state -> the words for it."""
WARNING = 0.05
WARNING_AGAIN = 0.02
"""The cost of a rule's second warning. Further ones cost nothing."""
WARNINGS_TOGETHER = 0.15
"""The most that warnings cost together: semantic_fidelity still meets its threshold of .85."""
WITH_AN_ERROR = 0.70
FURTHER_ERROR = 0.05
CRITICAL = 0.20


class Mark(NamedTuple):
    """An issue with a paragraph, reduced to what its score needs."""

    dimension: DimensionName
    name: str
    """The rule's id, or the category for reviewers without rules. Marks of one name count once."""
    severity: str


def rule_scores(findings: Iterable[Finding], unjudged: Collection[str] = ()) -> dict[str, float]:
    """The scores of the rules; none at all if one of them crashed or is unknown. A dimension that they could not judge
    has none."""
    marks: list[Mark] = []
    for finding in findings:
        placed = RULES.get(finding.rule)
        if placed is None or finding.severity not in SEVERITIES:
            return {}
        marks.append(Mark(placed.dimension, finding.rule, finding.severity))
    return {
        dimension: score([mark for mark in marks if mark.dimension == dimension])
        for dimension in DIMENSIONS
        if dimension not in unjudged
    }


def score(marks: Iterable[Mark]) -> float:
    """The score of one dimension from the marks in it."""
    found = list(marks)
    if any(mark.severity == "critical" for mark in found):
        return CRITICAL
    failing = {mark.name for mark in found if mark.severity == "error"}
    warning = Counter(mark.name for mark in found if mark.severity == "warning" and mark.name not in failing)
    cost = min(WARNINGS_TOGETHER, sum(WARNING + (WARNING_AGAIN if times > 1 else 0) for times in warning.values()))
    best = WITH_AN_ERROR - FURTHER_ERROR * (len(failing) - 1) if failing else 1.0
    # Sums of twentieths are not exact in binary: unrounded, three warnings would fall below the threshold of .85.
    return max(HARD_FLOOR, round(best - cost, 2))
