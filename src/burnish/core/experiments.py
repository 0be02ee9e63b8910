"""Experiments on prompts: is a rule worth keeping? The same units with it and without it, and what that shows.

Each unit is its own yardstick: two scores of one unit differ by the rule, two units by far more. So differences are
tested, not means. The test counts sign flips: if the rule does nothing, its two scores of a unit might as well have
come the other way round, so every difference could as well have the other sign. `p` is the share of all 2^n ways to
set the signs that give a gain at least as large. That asks for no bell curve, which scores with a ceiling, one decimal
and many ties do not have; and because scores are whole tenths, all ways can be counted: no luck is drawn, the same
scores always give the same p. It is one-sided, as the question is: does the rule help?

Several rules of one run are held against the same scores, and each is a chance to be fooled. So the .05 is the chance
that a run adopts any idle rule, not that one rule is adopted: `line_for` shares it out (Holm).
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
"""On how many units at least scores are compared."""
FEWEST_UNITS, MOST_UNITS = 63, 200
"""How many units are drawn: of 63, fifty are left to compare once a fifth is held out."""
HELD_OUT = Fraction(1, 5)
"""The share of them that the gain is not measured on: there a rule must not raise the rate of concerns."""
P_BELOW = 0.05
"""How likely a run may be to adopt any rule that does nothing."""
EFFECT_ABOVE = 0.2
"""What the effect of a rule has to exceed."""
LARGEST_EFFECT = 10.0
"""Where every unit gains the same, nothing varies and the effect has no bound; more than this says no more."""
PER_POINT = 10
"""Scores have one decimal: differences are counted in tenths."""

Reason = Literal["too_few_pairs", "no_gain", "not_significant", "small_effect", "more_concerns"]
"""Why a rule is not adopted."""


def line_for(trials: int, convinced: int = 0) -> float:
    """What p has to be below in a run of so many trials, of which so many convinced already.

    Holm's steps: as long as none of the rules adopted so far was idle, the idle ones are at most those that are left,
    and their chances add up to no more than P_BELOW, however the trials hang together.
    """
    return P_BELOW / (trials - convinced)


@dataclass(frozen=True, slots=True)
class Split:
    """The units of an experiment."""

    tested: tuple[str, ...]
    """Those on which the gain is measured."""
    held_out: tuple[str, ...]

    @property
    def units(self) -> tuple[str, ...]:
        return (*self.tested, *self.held_out)


def split(units: Iterable[str], size: int, seed: int) -> Split:
    """Draw `size` units, or all where there are fewer, and hold at least a fifth of them out.

    The same units and seed always give the same split, whatever the order that the units come in.
    """
    known = sorted(set(units))
    draw = random.Random(seed)
    drawn = draw.sample(known, min(size, len(known)))
    kept_back = math.ceil(len(drawn) * HELD_OUT)
    return Split(tuple(sorted(drawn[kept_back:])), tuple(sorted(drawn[:kept_back])))


@dataclass(frozen=True, slots=True)
class Measured:
    """What came of one unit."""

    score: float
    concerns: int
    """How many things are wrong with it."""


@dataclass(frozen=True, slots=True)
class PairedTest:
    """Two scores of each unit, compared."""

    pairs: int
    gain: float
    """The mean difference."""
    p: float
    """How often chance alone gives so large a gain."""
    effect: float
    """Cohen's d of the differences: their mean in units of their spread."""

    @classmethod
    def of(cls, before: Sequence[float], after: Sequence[float]) -> Self:
        """Compare the scores of the same units, in the same order. What is no finite number is refused."""
        if len(before) != len(after):
            raise ValueError("every unit needs a score before and one after")
        if not all(map(is_number, (*before, *after))):
            raise ValueError("scores are finite numbers")
        differences = [round(PER_POINT * new) - round(PER_POINT * old) for old, new in zip(before, after, strict=True)]
        pairs = len(differences)
        gain = sum(differences) / pairs / PER_POINT if pairs else 0.0
        return cls(pairs, gain, sign_flip_p(differences), effect_size(differences))


def sign_flip_p(differences: Sequence[int]) -> float:
    """Return the share of all ways to set the signs of the differences whose sum is at least theirs.

    A sum is at least theirs where the differences that are made positive add up to at least what the positive ones do.
    So the ways are the coefficients of the product of (1 + x^|d|), from that power on; the product is held in one
    number, with room for more than 2^n in each place.
    """
    sizes = [abs(difference) for difference in differences]
    place = len(sizes) + 2
    ways = 1
    for size in sizes:
        ways += ways << (size * place)
    reached = sum(difference for difference in differences if difference > 0)
    # The places of a number add up to its remainder by the largest digit, as the digits of a decimal do by nine.
    as_large = (ways >> (reached * place)) % ((1 << place) - 1)
    return as_large / (1 << len(sizes))


def effect_size(differences: Sequence[int]) -> float:
    """Cohen's d of paired differences, at most LARGEST_EFFECT either way; 0 where there is no difference at all."""
    pairs, total = len(differences), sum(differences)
    if pairs < 2 or total == 0:
        return 0.0
    # Whole numbers until the last step: differences that are all the same have no spread, and not nearly none.
    spread = pairs * sum(difference**2 for difference in differences) - total**2
    effect = total / math.sqrt(spread * pairs / (pairs - 1)) if spread else math.copysign(LARGEST_EFFECT, total)
    return max(-LARGEST_EFFECT, min(LARGEST_EFFECT, effect))


@dataclass(frozen=True, slots=True)
class Evidence:
    """What an experiment showed."""

    test: PairedTest
    score_before: float
    score_after: float
    """Mean scores of the units that the gain was measured on."""
    held_out: int
    concerns_before: float
    concerns_after: float
    """Concerns a unit on the part that was held out."""
    p_below: float = P_BELOW
    """The line that p is held against, see `line_for`."""

    @property
    def reasons(self) -> tuple[Reason, ...]:
        """Why the change is not adopted; none: it is."""
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
        """Means are rounded for people. What is held against a line is not: whoever looks again decides the same."""
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
    """What evidence lacks to convince. `concerns`: before and after."""
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
    """The evidence for a change: what came of the same units before and after it."""
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
