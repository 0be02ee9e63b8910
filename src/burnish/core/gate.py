"""The gate: a pure function from scorecard, findings and policy to a verdict; it fails closed. Also votes and states.

Missing, infinite, out-of-range, duplicate or unknown values keep the gate shut: comparing with NaN is always False, so
a gate that only checks "below the threshold?" would let it pass.
"""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, Self, TypeGuard, TypeVar

from burnish.core.errors import StateCorrupt
from burnish.core.findings import BLOCKING, CRASHED_RULE, SEVERITIES, Finding

Issue = TypeVar("Issue", bound=Hashable)


@dataclass(frozen=True, slots=True)
class Count(Generic[Issue]):
    """The votes of the judges on every issue that was raised."""

    judges: int
    answered: int
    content: int
    """How many judges answered without raising anything."""
    raised: dict[Issue, int]
    """Issue -> how many judges raised it. Repetitions by one judge count once."""

    @property
    def upheld(self) -> tuple[Issue, ...]:
        """Issues raised by more than half of all judges."""
        return tuple(issue for issue, votes in self.raised.items() if is_majority(votes, self.judges))

    @property
    def support(self) -> float:
        """The share of judges without objections. Neither an abstention nor a single objection counts as support."""
        return self.content / self.judges if self.judges else 0.0


def is_majority(votes: int, judges: int) -> bool:
    return votes * 2 > judges


def count_votes(ballots: Sequence[frozenset[Issue] | None]) -> Count[Issue]:
    """Count one ballot per judge: the issues that the judge raises, or None if it abstains."""
    raised: dict[Issue, int] = {}
    for ballot in ballots:
        for issue in ballot or ():
            raised[issue] = raised.get(issue, 0) + 1
    answered = [ballot for ballot in ballots if ballot is not None]
    return Count(len(ballots), len(answered), sum(not ballot for ballot in answered), raised)


Ratings = Sequence[Sequence[float | None]]
"""One row per judge, one column per rated item; None (or anything that is not a finite number) if a judge abstains."""
CONFIDENCE = 0.95


def krippendorff_alpha(ratings: Ratings) -> float | None:
    """Krippendorff's alpha of numbers on one scale: 1 is perfect agreement, 0 is agreement by chance, below 0 is
    systematic disagreement.

    If all ratings are equal, alpha is undefined and counts as 1. None: no column was rated twice, so there is nothing
    to compare.
    """
    columns = _pairable(ratings)
    if not columns:
        return None
    return _alpha(_disagreement(columns), [1] * len(columns))


def bootstrap_interval(ratings: Ratings, *, seed: int = 0, rounds: int = 1000) -> tuple[float, float] | None:
    """Return a confidence interval of alpha: the middle CONFIDENCE of its values for resampled columns.

    The same ratings and seed always give the same interval. None if alpha itself is None.
    """
    columns = _pairable(ratings)
    if not columns:
        return None
    table = _disagreement(columns)
    draw = random.Random(seed).random
    size = len(columns)
    drawn = Counter(tuple(sorted([int(draw() * size) for _ in range(size)])) for _ in range(rounds))
    # A few columns are often resampled in the same way: compute alpha once for each combination.
    alphas: list[float] = []
    for columns_drawn, often in drawn.items():
        alphas += often * [_alpha(table, [columns_drawn.count(at) for at in range(size)])]
    alphas.sort()
    outside = int((1 - CONFIDENCE) / 2 * rounds)
    return alphas[outside], alphas[rounds - 1 - outside]


def _pairable(ratings: Ratings) -> list[list[float]]:
    """Return the usable values of all columns with ratings of at least two judges."""
    width = max((len(row) for row in ratings), default=0)
    columns = [[row[at] for row in ratings if at < len(row)] for at in range(width)]
    usable = [[float(value) for value in column if is_number(value)] for column in columns]
    return [column for column in usable if len(column) > 1]


@dataclass(frozen=True, slots=True)
class _Disagreement:
    """Sums of squared differences, computed once: resampling only changes their weights."""

    sizes: list[int]
    within: list[float]
    """For each column, the sum of the mean differences of each value from the others."""
    between: list[list[float]]
    """For each pair of columns, the sum of the differences between their values."""


def _disagreement(columns: list[list[float]]) -> _Disagreement:
    values = [value for column in columns for value in column]
    # Halve before subtracting and divide by the range, so that squares neither overflow nor vanish.
    span = max(values) / 2 - min(values) / 2 or 1.0

    def difference(a: float, b: float) -> float:
        return ((a / 2 - b / 2) / span) ** 2

    between = [[sum(difference(a, b) for a in one for b in other) for other in columns] for one in columns]
    sizes = [len(column) for column in columns]
    within = [between[at][at] / (size - 1) for at, size in enumerate(sizes)]
    return _Disagreement(sizes, within, between)


def _alpha(table: _Disagreement, times: Sequence[int]) -> float:
    """Return alpha over the columns, each taken as often as `times` says."""
    drawn = [(at, often) for at, often in enumerate(times) if often]
    values = sum(often * table.sizes[at] for at, often in drawn)
    observed = sum(often * table.within[at] for at, often in drawn) / values
    expected = sum(often * again * table.between[at][other] for at, often in drawn for other, again in drawn)
    expected /= values * (values - 1)
    return 1.0 - observed / expected if expected else 1.0


@dataclass(frozen=True, slots=True)
class Dimension:
    """A scored dimension and its threshold."""

    name: str
    minimum: float
    lowest: float = 0.0
    highest: float = 1.0

    def holds(self, value: object) -> bool:
        """Return whether `value` is a usable score: a finite number in range. True and "9" are not numbers."""
        return is_number(value) and self.lowest <= value <= self.highest


def is_number(value: object) -> TypeGuard[int | float]:
    """Return whether the value is a finite number that a float can hold. True, "9" and 10**400 are not."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    try:
        return math.isfinite(value)
    except OverflowError:
        return False


@dataclass(frozen=True, slots=True)
class Scorecard:
    """Scores as claimed. Unusable ones are named, so that the gate can fail."""

    scores: Mapping[str, float]
    unusable: tuple[str, ...] = ()
    """Names that are duplicate, or whose value is not a finite number."""

    @classmethod
    def of(cls, claims: Mapping[str, object] | Iterable[tuple[str, object]]) -> Self:
        pairs = list(claims.items()) if isinstance(claims, Mapping) else list(claims)
        scores: dict[str, float] = {}
        unusable: list[str] = []
        for name, value in pairs:
            if name not in scores and name not in unusable and is_number(value):
                scores[name] = float(value)
            else:
                unusable.append(name)
        kept = {name: score for name, score in scores.items() if name not in unusable}
        return cls(kept, tuple(dict.fromkeys(unusable)))


@dataclass(frozen=True, slots=True)
class GatePolicy:
    """The requirements for passing."""

    dimensions: tuple[Dimension, ...]
    """Each of them must be scored and meet its threshold."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """Pass, or all reasons against it."""

    passed: bool
    reasons: tuple[str, ...] = ()


def judge(card: Scorecard, findings: Iterable[Finding], policy: GatePolicy) -> Verdict:
    """Return the verdict on one unit."""
    reasons = [*_score_reasons(card, policy)]
    for finding in findings:
        if finding.rule == CRASHED_RULE or finding.severity in BLOCKING:
            reasons.append(finding.rule)
        elif finding.severity not in SEVERITIES:
            reasons.append(f"{finding.rule}_severity_unknown")
    if not policy.dimensions:
        reasons.append("policy_asks_for_nothing")
    return Verdict(not reasons, tuple(dict.fromkeys(reasons)))


def _score_reasons(card: Scorecard, policy: GatePolicy) -> Iterable[str]:
    known = {dimension.name for dimension in policy.dimensions}
    for name in card.unusable:
        yield f"{name}_unusable"
    for name in card.scores:
        if name not in known:
            yield f"{name}_unknown"
    for dimension in policy.dimensions:
        if dimension.name not in card.scores:
            yield f"{dimension.name}_missing"
        elif not dimension.holds(card.scores[dimension.name]):
            yield f"{dimension.name}_out_of_range"
        elif not card.scores[dimension.name] >= dimension.minimum:
            yield f"{dimension.name}_below_threshold"


@dataclass(frozen=True, slots=True)
class StateTable:
    """The states of one kind. A move that is not in the table is a bug."""

    initial: str
    working: str
    """The state during repairs."""
    ready: str
    """The state in which a unit may be published."""
    waiting: str
    """The state that only a person's decision ends."""
    moves: Mapping[str, frozenset[str]]
    dropped: str | None = None
    """The state of a unit that a person excluded from publishing; None: this kind has none."""

    def check(self, before: str, after: str) -> str:
        """Return `after` if the table allows the move; staying in a state is always allowed."""
        if before == after and after in self.moves:
            return after
        if after not in self.moves.get(before, frozenset()):
            raise StateCorrupt(f"A unit cannot move from {before!r} to {after!r}.")
        return after

    def rests(self, state: str) -> bool:
        """Return whether a unit in this state needs no more work."""
        return state in (self.ready, self.waiting, self.dropped)
