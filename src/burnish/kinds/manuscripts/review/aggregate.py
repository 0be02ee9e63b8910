"""Aggregation: all rows about one paragraph become one verdict, and the verdict a state.

It fails closed. The lowest score of a dimension counts; one that is missing, doubled, out of range or no finite number
makes the dimension missing, whatever other reviewers say about it.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Literal, NamedTuple, Protocol, Self

from burnish.core.errors import InternalError
from burnish.core.findings import SEVERITIES, Severity
from burnish.core.gate import Dimension, GatePolicy, Scorecard, judge
from burnish.kinds.manuscripts.policy import (
    BLOCKING_CATEGORIES,
    DIMENSIONS,
    HARD_FLOOR,
    RULES,
    THRESHOLDS,
    DimensionName,
)

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


class Placement(NamedTuple):
    """Where one paragraph stands in the candidate."""

    paragraph_id: str
    paragraph_index: int
    start_line: int
    """1-based."""
    end_line: int
    """The last line that is the paragraph's."""
    text: str
    """The block as it stands in the candidate, markers included."""


class Anchored(Protocol):
    """Anything with the anchors of an issue: a critic's reply, a row of a file."""

    @property
    def line(self) -> int | None: ...
    @property
    def start_line(self) -> int | None: ...
    @property
    def end_line(self) -> int | None: ...
    @property
    def quote(self) -> str | None: ...


@dataclass(frozen=True, slots=True)
class Mapped:
    """The paragraphs that an issue belongs to, in order; at least one."""

    paragraph_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class MappingError:
    """Why an issue belongs to no paragraph."""

    reason: str


class LineMap:
    """The candidate, or a window of it, by its lines."""

    def __init__(self, placements: Iterable[Placement]) -> None:
        self.placements: Sequence[Placement] = sorted(placements, key=lambda one: (one.start_line, one.paragraph_index))
        self._starts = [one.start_line for one in self.placements]
        self._ends = [one.end_line for one in self.placements]
        self._ids = frozenset(one.paragraph_id for one in self.placements)

    @property
    def paragraph_ids(self) -> tuple[str, ...]:
        return tuple(one.paragraph_id for one in self.placements)

    def resolve(self, anchor: Anchored) -> Mapped | MappingError:
        """The paragraphs that the anchor points at."""
        start, end = anchor.start_line, anchor.end_line
        if start is not None or end is not None:
            # One end of a range alone is the line that it names.
            return self._by_range(start if start is not None else end, end if end is not None else start)
        if anchor.line is not None:
            return self._by_line(anchor.line)
        if anchor.quote is not None and anchor.quote.strip():
            return self._by_quote(anchor.quote)
        return MappingError("The issue names no line and quotes nothing.")

    def named(self, paragraph_id: str) -> Mapped | MappingError:
        """The paragraph of this id, for reviewers that know our ids."""
        if paragraph_id in self._ids:
            return Mapped((paragraph_id,))
        return MappingError(f"There is no paragraph {paragraph_id!r} here.")

    def _by_range(self, start: int | None, end: int | None) -> Mapped | MappingError:
        if start is None or end is None or start > end:
            return MappingError(f"The lines {start} to {end} are no range.")
        found = self._overlapping(start, end)
        return Mapped(found) if found else MappingError(f"No paragraph stands on the lines {start} to {end}.")

    def _by_line(self, line: int) -> Mapped | MappingError:
        found = self._overlapping(line, line)
        return Mapped(found) if found else MappingError(f"No paragraph stands on line {line}.")

    def _overlapping(self, start: int, end: int) -> tuple[str, ...]:
        """Blocks follow each other without overlapping, so their ends are in order as their starts are."""
        first, behind = bisect_left(self._ends, start), bisect_right(self._starts, end)
        return tuple(one.paragraph_id for one in self.placements[first:behind])

    def _by_quote(self, quote: str) -> Mapped | MappingError:
        """Of several paragraphs that hold it, the first: placements are sorted by line, then by index."""
        for one in self.placements:
            if quote in one.text:
                return Mapped((one.paragraph_id,))
        return MappingError("The quoted words stand in no paragraph.")


RULES_REVIEWER = "rules"
"""The reviewer that needs no model."""


@dataclass(frozen=True, slots=True)
class ReviewIssue:
    """One thing that a reviewer holds against a paragraph."""

    category: str
    severity: Severity
    description: str
    suggested_fix: str | None = None
    quote: str | None = None
    """Words of the translation, as the reviewer gave them."""
    start: int | None = None
    """Where the quote begins in the translation, in characters; None where it is not there, or nothing was quoted."""
    end: int | None = None
    line: int | None = None
    """Lines of the candidate, where the reviewer was shown those."""
    start_line: int | None = None
    end_line: int | None = None
    reviewer: str = RULES_REVIEWER
    rule: str | None = None
    """The rule's id, where a rule says so."""

    @property
    def dimension(self) -> DimensionName:
        """Where it counts."""
        placed = RULES.get(self.rule or "")
        return placed.dimension if placed is not None else dimension_of(self.category)

    @property
    def blocks(self) -> bool:
        """Whether the paragraph fails over this alone, whatever its scores are.

        What changes the meaning does, whatever a reviewer calls it. A rule that only warns is not sure of what it
        sees, so it does not.
        """
        if self.severity not in SEVERITIES or self.severity == "critical":
            return True
        sure = self.reviewer != RULES_REVIEWER or self.severity == "error"
        return sure and self.category in BLOCKING_CATEGORIES

    def as_wire(self) -> dict[str, Any]:
        """JSON-ready; what is not there is left out."""
        return {name: value for name, value in asdict(self).items() if value is not None}

    @classmethod
    def from_wire(cls, record: Mapping[str, Any]) -> Self:
        return cls(**record)


@dataclass(frozen=True, slots=True)
class ReviewRow:
    """One reviewer's word on one paragraph."""

    paragraph_id: str
    reviewer: str
    scores: Mapping[str, float]
    """Those that count. A dimension that the reviewer was to score and that is not here is missing."""
    issues: tuple[ReviewIssue, ...] = ()
    hard_fail: bool = False
    expected: tuple[DimensionName, ...] = ()
    """The dimensions that this reviewer has to score."""
    informational: Mapping[str, float] = field(default_factory=dict)
    """Scores that are shown and decide nothing."""
    failure: str | None = None
    """Why the reviewer has said nothing that can be used."""

    def as_wire(self) -> dict[str, Any]:
        """The contract's four keys, then those that are optional."""
        wire: dict[str, Any] = {
            "paragraph_id": self.paragraph_id,
            "scores": dict(self.scores),
            "issues": [issue.as_wire() for issue in self.issues],
            "hard_fail": self.hard_fail,
            "reviewer": self.reviewer,
        }
        more = {"expected": list(self.expected), "informational": dict(self.informational), "failure": self.failure}
        return wire | {name: value for name, value in more.items() if value}

    @classmethod
    def from_wire(cls, record: Mapping[str, Any]) -> Self:
        issues = tuple(ReviewIssue.from_wire(issue) for issue in record["issues"])
        return cls(**{**record, "issues": issues, "expected": tuple(record.get("expected", ()))})


def row(
    paragraph_id: str,
    reviewer: str,
    scores: Mapping[str, float],
    issues: tuple[ReviewIssue, ...],
    *,
    expected: tuple[DimensionName, ...] = (),
    informational: Mapping[str, float] | None = None,
    failure: str | None = None,
) -> ReviewRow:
    """A row that fails hard as soon as one of its issues blocks."""
    hard_fail = any(issue.blocks for issue in issues)
    return ReviewRow(paragraph_id, reviewer, scores, issues, hard_fail, expected, informational or {}, failure)


HARD_FAIL = "hard_fail"
"""The reason where a reviewer fails a paragraph and names no issue that would."""
MISSING = "_missing"
CRITICAL = "critical_"

ReviewedState = Literal["ready_to_merge", "rework_queued", "manual_review_required"]
Trigger = Literal["stale_source", "missing_artifact", "hard_floor", "repeated_hard_fail", "attempts_exhausted"]


@dataclass(frozen=True, slots=True)
class Verdict:
    """What all reviewers together say about one paragraph."""

    passed: bool
    reasons: tuple[str, ...]
    """`<dimension>_below_threshold` and `<dimension>_missing` in the order of the dimensions, what else is missing,
    then `critical_<category>` in alphabetical order, then `hard_fail`. Empty if it passed."""
    hard_reasons: tuple[str, ...]
    """Those of the reasons that fail a paragraph whatever its scores are."""
    scores: Mapping[str, float]
    """The lowest of each dimension."""
    by_reviewer: Mapping[str, Mapping[str, float]]
    """Dimension -> reviewer -> score: all that were given and can be used."""
    issues: tuple[ReviewIssue, ...]
    informational: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    """Reviewer -> what else was scored: shown, never decisive."""

    @property
    def only_missing(self) -> bool:
        """Whether nothing is held against the text, only a review is missing: the reviewers are to be asked again."""
        # A category may end in the same letters: what fails hard is never only missing.
        return bool(self.reasons) and not self.hard_reasons and all(one.endswith(MISSING) for one in self.reasons)


class Decision(NamedTuple):
    """Where a paragraph goes after a review."""

    state: ReviewedState
    trigger: Trigger | None = None
    """Why a person has to look at it."""


def aggregate(rows: Iterable[ReviewRow], *, thresholds: Mapping[DimensionName, float] = THRESHOLDS) -> Verdict:
    """The verdict on the paragraph that all the rows are about. Without rows, everything is missing."""
    said = list(rows)
    if len({row.paragraph_id for row in said}) > 1:
        raise InternalError("Review rows of several paragraphs cannot make one verdict.")
    dimensions = {name: Dimension(name, thresholds[name]) for name in DIMENSIONS}
    claims, unusable = _claims(said, dimensions)
    lowest = {name: min(given.values()) for name, given in claims.items() if given and name not in unusable}
    card = judge(Scorecard.of(lowest), (), GatePolicy(tuple(dimensions.values())))
    hard = _hard_reasons(said)
    reasons = tuple(dict.fromkeys([*card.reasons, *_silent_reviewers(said), *hard]))
    return Verdict(
        passed=not reasons,
        reasons=reasons,
        hard_reasons=hard,
        scores=lowest,
        by_reviewer={name: given for name, given in claims.items() if given},
        issues=tuple(dict.fromkeys(issue for row in said for issue in row.issues)),
        informational=_informational(said, dimensions),
    )


def _claims(
    rows: Iterable[ReviewRow], dimensions: Mapping[DimensionName, Dimension]
) -> tuple[dict[str, dict[str, float]], set[str]]:
    """The usable scores by dimension and reviewer, and the dimensions about which something unusable was said."""
    claims: dict[str, dict[str, float]] = {name: {} for name in dimensions}
    unusable: set[str] = set()
    for row in rows:
        unusable.update(name for name in row.expected if name not in row.scores)
        for name, dimension in dimensions.items():
            if name not in row.scores:
                continue
            value = row.scores[name]
            if dimension.holds(value):
                claims[name][row.reviewer] = min(float(value), claims[name].get(row.reviewer, dimension.highest))
            else:
                unusable.add(name)
    return claims, unusable


def _silent_reviewers(rows: Iterable[ReviewRow]) -> list[str]:
    """Reviewers without scores of their own that said nothing usable. Of the others, their scores are missing."""
    silent = {row.reviewer for row in rows if row.failure is not None and not row.expected}
    return sorted(f"{category_named(reviewer)}{MISSING}" for reviewer in silent)


def _hard_reasons(rows: Iterable[ReviewRow]) -> tuple[str, ...]:
    critical: set[str] = set()
    unexplained = False
    for row in rows:
        blocking = {f"{CRITICAL}{issue.category}" for issue in row.issues if issue.blocks}
        critical |= blocking
        # Anything but a plain False is a no.
        unexplained = unexplained or (row.hard_fail is not False and not blocking)
    return (*sorted(critical), *([HARD_FAIL] if unexplained else []))


def _informational(
    rows: Iterable[ReviewRow], dimensions: Mapping[DimensionName, Dimension]
) -> dict[str, dict[str, float]]:
    """What reviewers score besides the five, and what critics score at all."""
    found: dict[str, dict[str, float]] = {}
    for row in rows:
        extra = {name: value for name, value in row.scores.items() if name not in dimensions}
        usable = Scorecard.of({**extra, **row.informational}).scores
        if usable:
            found.setdefault(row.reviewer, {}).update(usable)
    return found


def next_state(
    verdict: Verdict,
    history: Sequence[Collection[str]] = (),
    *,
    attempt: int,
    max_attempts: int,
    stale_source: bool = False,
    missing_artifact: bool = False,
) -> Decision:
    """Where a reviewed paragraph goes.

    `history`: the hard-fail reasons of its earlier attempts, one set each; `attempt`: the number of the attempt that
    was reviewed, 1 for the first. After a person sent it back, both begin anew. An issue that maps to no paragraph is a
    blocker of the run, and no paragraph's.
    """
    triggers: dict[Trigger, bool] = {
        "stale_source": stale_source,
        "missing_artifact": missing_artifact,
        "hard_floor": _below_floor(verdict),
        "repeated_hard_fail": any(reason in earlier for earlier in history for reason in verdict.hard_reasons),
        "attempts_exhausted": not verdict.passed and not attempt < max_attempts,
    }
    for trigger, is_met in triggers.items():
        if is_met:
            return Decision("manual_review_required", trigger)
    return Decision("ready_to_merge" if verdict.passed else "rework_queued")


def _below_floor(verdict: Verdict) -> bool:
    fidelity = verdict.scores.get("semantic_fidelity")
    return fidelity is not None and fidelity < HARD_FLOOR
