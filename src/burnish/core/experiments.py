"""Experiments on prompts: test whether a rule helps, by the same units with it and without it.

Each unit is compared with itself: two scores of one unit differ by the rule, those of two units by far more. So
differences are tested, not means. The test is a sign-flip test: if the rule has no effect, every difference could as
well have the other sign. `p` is the share of all 2^n sign patterns with a gain at least as large. This needs no normal
distribution, which scores with a ceiling, one decimal and many ties do not have. Scores are whole tenths, so all
patterns can be counted exactly: the same scores always give the same p. The test is one-sided, because the question is
whether the rule helps.

Several rules of one run are compared with the same scores, and each may seem to help by chance. So .05 is the chance
that a run adopts any rule without effect, not one given rule: `line_for` divides it (Holm).
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal, Self

from burnish.core.gate import is_number

FEWEST_PAIRS = 50
"""The fewest units whose scores are compared."""
FEWEST_UNITS, MOST_UNITS = 63, 200
"""The number of units drawn: of 63, fifty remain to be compared when a fifth is held out."""
HELD_OUT = Fraction(1, 5)
"""The share of units on which the gain is not measured; there a rule must not raise the rate of concerns."""
P_BELOW = 0.05
"""The chance that a run adopts any rule without effect."""
EFFECT_ABOVE = 0.2
"""The effect of a rule must exceed this."""
LARGEST_EFFECT = 10.0
"""The effect is unbounded if all units gain the same; larger values mean no more."""
PER_POINT = 10
"""Scores have one decimal, so differences are counted in tenths."""

Reason = Literal["too_few_pairs", "no_gain", "not_significant", "small_effect", "more_concerns"]
"""Reasons for not adopting a rule."""


def line_for(trials: int, convinced: int = 0) -> float:
    """Return the threshold for p in a run of `trials` rules, of which `convinced` have passed already.

    Holm's method: as long as no adopted rule is without effect, such rules are among the remaining ones, and their
    chances add up to at most P_BELOW, even if the trials are dependent.
    """
    return P_BELOW / (trials - convinced)


@dataclass(frozen=True, slots=True)
class Split:
    """The units of an experiment."""

    tested: tuple[str, ...]
    """The units on which the gain is measured."""
    held_out: tuple[str, ...]

    @property
    def units(self) -> tuple[str, ...]:
        return (*self.tested, *self.held_out)


def split(units: Iterable[str], size: int, seed: int) -> Split:
    """Draw `size` units, or all if there are fewer, and hold out at least a fifth of them.

    The same units and seed always give the same split, in whatever order the units are given.
    """
    known = sorted(set(units))
    draw = random.Random(seed)
    drawn = draw.sample(known, min(size, len(known)))
    kept_back = math.ceil(len(drawn) * HELD_OUT)
    return Split(tuple(sorted(drawn[kept_back:])), tuple(sorted(drawn[:kept_back])))


@dataclass(frozen=True, slots=True)
class Measured:
    """The result for one unit."""

    score: float
    concerns: int
    """The number of faults."""


@dataclass(frozen=True, slots=True)
class PairedTest:
    """A comparison of two scores of each unit."""

    pairs: int
    gain: float
    """The mean difference."""
    p: float
    """The probability of at least this gain by chance."""
    effect: float
    """Cohen's d of the differences: their mean divided by their standard deviation."""

    @classmethod
    def of(cls, before: Sequence[float], after: Sequence[float]) -> Self:
        """Compare the scores of the same units, in the same order. Raise ValueError for values that are not finite."""
        if len(before) != len(after):
            raise ValueError("every unit needs a score before and one after")
        if not all(map(is_number, (*before, *after))):
            raise ValueError("scores are finite numbers")
        differences = [round(PER_POINT * new) - round(PER_POINT * old) for old, new in zip(before, after, strict=True)]
        pairs = len(differences)
        gain = sum(differences) / pairs / PER_POINT if pairs else 0.0
        return cls(pairs, gain, sign_flip_p(differences), effect_size(differences))


def sign_flip_p(differences: Sequence[int]) -> float:
    """Return the share of all sign patterns of the differences whose sum is at least theirs.

    A sum is at least theirs if the differences with a positive sign add up to at least the sum of the positive ones.
    The numbers of patterns are the coefficients of the product of (1 + x^|d|) from that power on; the product is held
    in one integer, with room for more than 2^n in each digit.
    """
    sizes = [abs(difference) for difference in differences]
    place = len(sizes) + 2
    ways = 1
    for size in sizes:
        ways += ways << (size * place)
    reached = sum(difference for difference in differences if difference > 0)
    # The digits of a number add up to its remainder by the largest digit, as with nine in decimal.
    as_large = (ways >> (reached * place)) % ((1 << place) - 1)
    return as_large / (1 << len(sizes))


def effect_size(differences: Sequence[int]) -> float:
    """Return Cohen's d of paired differences, limited to +-LARGEST_EFFECT; 0 if the mean difference is 0."""
    pairs, total = len(differences), sum(differences)
    if pairs < 2 or total == 0:
        return 0.0
    # Integers until the last step, so that equal differences have exactly no spread.
    spread = pairs * sum(difference**2 for difference in differences) - total**2
    effect = total / math.sqrt(spread * pairs / (pairs - 1)) if spread else math.copysign(LARGEST_EFFECT, total)
    return max(-LARGEST_EFFECT, min(LARGEST_EFFECT, effect))


@dataclass(frozen=True, slots=True)
class Evidence:
    """The result of an experiment."""

    test: PairedTest
    score_before: float
    score_after: float
    """Mean scores of the units on which the gain was measured."""
    held_out: int
    concerns_before: float
    concerns_after: float
    """Concerns per unit in the held-out part."""
    p_below: float = P_BELOW
    """The threshold for p, see `line_for`."""

    @property
    def reasons(self) -> tuple[Reason, ...]:
        """The reasons for not adopting the change; empty if it is adopted."""
        return lacking(
            self.test.pairs,
            self.test.gain,
            p=self.test.p,
            p_below=self.p_below,
            effect=self.test.effect,
            concerns=(self.concerns_before, self.concerns_after),
        )

    @property
    def convinces(self) -> bool:
        return not self.reasons

    def as_record(self) -> dict[str, Any]:
        """Round the means for people, but no value with a threshold, so that a later check decides the same."""
        return {
            "pairs": self.test.pairs,
            "score_before": round(self.score_before, 3),
            "score_after": round(self.score_after, 3),
            "gain": round(self.test.gain, 3),
            "p": self.test.p,
            "p_below": self.p_below,
            "effect": self.test.effect,
            "held_out": self.held_out,
            "concerns_before": round(self.concerns_before, 3),
            "concerns_after": round(self.concerns_after, 3),
        }


def lacking(
    pairs: int, gain: float, *, p: float, p_below: float, effect: float, concerns: tuple[float, float]
) -> tuple[Reason, ...]:
    """Return the reasons why the evidence does not convince. `concerns`: before and after."""
    failed: dict[Reason, bool] = {
        "too_few_pairs": pairs < FEWEST_PAIRS,
        "no_gain": gain <= 0,
        "not_significant": p >= p_below,
        "small_effect": effect <= EFFECT_ABOVE,
        "more_concerns": concerns[1] > concerns[0],
    }
    return tuple(reason for reason, holds in failed.items() if holds)


def weigh(
    split: Split, before: Mapping[str, Measured], after: Mapping[str, Measured], p_below: float = P_BELOW
) -> Evidence:
    """Return the evidence for a change from the results of the same units before and after it."""
    old, new = ([arm[unit].score for unit in split.tested] for arm in (before, after))
    return Evidence(
        test=PairedTest.of(old, new),
        score_before=_mean(old),
        score_after=_mean(new),
        held_out=len(split.held_out),
        concerns_before=_mean([before[unit].concerns for unit in split.held_out]),
        concerns_after=_mean([after[unit].concerns for unit in split.held_out]),
        p_below=p_below,
    )


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values) if values else 0.0
