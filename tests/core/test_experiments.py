"""Is a rule worth keeping? Counted by hand where few signs can be set, and against all ways to set them."""

from itertools import product
from math import ceil, nan
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from burnish.core.experiments import (
    EFFECT_ABOVE,
    FEWEST_PAIRS,
    FEWEST_UNITS,
    LARGEST_EFFECT,
    P_BELOW,
    Evidence,
    Measured,
    PairedTest,
    effect_size,
    lacking,
    line_for,
    sign_flip_p,
    split,
    weigh,
)

TENTHS = st.integers(min_value=-100, max_value=100)
SCORES = st.lists(st.tuples(st.integers(0, 100), st.integers(0, 100)), min_size=1, max_size=60)


def every_way(differences: list[int]) -> float:
    """The same p by setting every sign."""
    sums = [
        sum(sign * one for sign, one in zip(signs, differences, strict=True))
        for signs in product((1, -1), repeat=len(differences))
    ]
    return sum(total >= sum(differences) for total in sums) / len(sums)


@given(st.lists(TENTHS, max_size=9))
def test_p_is_the_share_of_all_ways_to_set_the_signs(differences: list[int]) -> None:
    assert sign_flip_p(differences) == every_way(differences)


@pytest.mark.parametrize(
    ("differences", "p"),
    [([], 1.0), ([0, 0, 0], 1.0), ([5], 0.5), ([-5], 1.0), ([1, 1, 1, 1, 1], 1 / 32), ([3, -1], 0.5)],
)
def test_p_of_few_differences(differences: list[int], p: float) -> None:
    assert sign_flip_p(differences) == p


def test_two_hundred_pairs_of_the_largest_difference_are_still_counted_exactly() -> None:
    assert sign_flip_p([100] * 200) == 2.0**-200


@given(SCORES)
def test_the_other_way_round_the_gain_and_the_effect_change_their_sign(pairs: list[tuple[int, int]]) -> None:
    before, after = [old / 10 for old, _ in pairs], [new / 10 for _, new in pairs]
    there, back = PairedTest.of(before, after), PairedTest.of(after, before)
    assert (back.gain, back.effect) == (-there.gain, -there.effect)
    assert there.p + back.p >= 1  # what is as likely as it was is counted on both sides


@given(SCORES, st.randoms(use_true_random=False))
def test_the_order_of_the_units_changes_nothing(pairs: list[tuple[int, int]], shuffler: object) -> None:
    shuffled = list(pairs)
    shuffler.shuffle(shuffled)  # type: ignore[attr-defined]
    assert PairedTest.of(*zip(*pairs, strict=True)) == PairedTest.of(*zip(*shuffled, strict=True))


@given(st.lists(TENTHS, max_size=60))
def test_without_a_gain_chance_explains_it_at_least_half_the_time(differences: list[int]) -> None:
    if sum(differences) <= 0:
        assert sign_flip_p(differences) >= 0.5


@given(SCORES)
def test_the_same_scores_are_no_evidence(pairs: list[tuple[int, int]]) -> None:
    scores = [old / 10 for old, _ in pairs]
    same = PairedTest.of(scores, scores)
    assert (same.gain, same.p, same.effect) == (0, 1, 0)


def test_differences_that_do_not_vary_have_the_largest_effect_there_is() -> None:
    assert effect_size([3] * 50) == LARGEST_EFFECT
    assert effect_size([-3] * 50) == -LARGEST_EFFECT
    assert effect_size([0] * 50) == 0
    assert effect_size([7]) == 0, "one unit shows no spread"


def test_the_effect_is_the_mean_in_units_of_the_spread() -> None:
    assert effect_size([1, 2, 3]) == pytest.approx(2.0)


@pytest.mark.parametrize(("before", "after"), [([1.0], []), ([nan], [1.0]), ([True], [1.0])])
def test_scores_that_are_none_are_refused(before: list[float], after: list[float]) -> None:
    with pytest.raises(ValueError, match="score"):
        PairedTest.of(before, after)


@settings(max_examples=30)
@given(st.sets(st.text("0123456789", min_size=4, max_size=4), min_size=50), st.integers(50, 200), st.integers())
def test_a_split_holds_a_fifth_out_and_depends_on_nothing_but_units_and_seed(
    units: set[str], size: int, seed: int
) -> None:
    drawn = split(units, size, seed)
    assert drawn == split(sorted(units, reverse=True), size, seed)
    assert set(drawn.tested).isdisjoint(drawn.held_out)
    assert set(drawn.units) <= units
    assert len(drawn.units) == min(size, len(units))
    assert len(drawn.held_out) == ceil(len(drawn.units) / 5)


def test_of_the_fewest_units_fifty_are_left_to_compare() -> None:
    units = [f"C{number:04}" for number in range(FEWEST_UNITS)]
    assert len(split(units, FEWEST_UNITS, 0).tested) == FEWEST_PAIRS == 50
    assert len(split(units[1:], FEWEST_UNITS, 0).tested) == 49


def test_what_chance_is_allowed_is_shared_among_the_trials_of_a_run() -> None:
    assert line_for(1) == P_BELOW
    assert line_for(5) == pytest.approx(0.01)
    assert [line_for(5, convinced) for convinced in range(5)] == sorted(line_for(left) for left in range(1, 6))
    assert line_for(5, 4) == P_BELOW, "the last one that is left has all of it"


def test_another_seed_draws_other_units() -> None:
    units = [f"C{number:04}" for number in range(500)]
    assert split(units, 50, 1) != split(units, 50, 2)


def evidence(gains: list[float], concerns: tuple[int, int] = (1, 1)) -> Evidence:
    units = [f"C{number:04}" for number in range(len(gains) * 5 // 4)]
    drawn = split(units, len(units), 0)
    before = {unit: Measured(5.0, concerns[0]) for unit in units}
    gained = dict(zip(drawn.tested, gains, strict=False))
    return weigh(drawn, before, {unit: Measured(5.0 + gained.get(unit, 0.0), concerns[1]) for unit in units})


def test_a_gain_that_chance_does_not_explain_convinces() -> None:
    found = evidence([0.5, 1.0] * 30)
    assert found.convinces
    assert found.as_record() | {"p": 0} == {
        "pairs": 60,
        "score_before": 5.0,
        "score_after": 5.75,
        "gain": 0.75,
        "p": 0,
        "p_below": 0.05,
        "effect": pytest.approx(2.975, abs=0.001),
        "held_out": 15,
        "concerns_before": 1.0,
        "concerns_after": 1.0,
    }


@pytest.mark.parametrize(
    ("gains", "concerns", "reasons"),
    [
        ([0.0] * 60, (1, 1), ("no_gain", "not_significant", "small_effect")),
        ([-0.5, -1.0] * 30, (1, 1), ("no_gain", "not_significant", "small_effect")),
        ([2.0, -1.9] * 30, (1, 1), ("not_significant", "small_effect")),
        ([0.5, 1.0] * 30, (1, 2), ("more_concerns",)),
        ([0.5, 1.0] * 30, (2, 1), ()),
        ([0.5, 1.0] * 24, (1, 1), ("too_few_pairs",)),
        ([3.0] * 5 + [-3.0] * 2 + [0.0] * 153, (1, 1), ("not_significant", "small_effect")),
        ([1.0] * 5 + [0.0] * 155, (1, 1), ("small_effect",)),
    ],
)
def test_whatever_is_missing_is_named(gains: list[float], concerns: tuple[int, int], reasons: tuple[str, ...]) -> None:
    assert evidence(gains, concerns).reasons == reasons


def test_p_is_held_against_the_line_of_its_run() -> None:
    gains = [0.6] * 15 + [-0.5] * 6 + [0.0] * 39
    units = [f"C{number:04}" for number in range(75)]
    drawn = split(units, 75, 0)
    before = dict.fromkeys(units, Measured(5.0, 1))
    after = before | {unit: Measured(5.0 + gain, 1) for unit, gain in zip(drawn.tested, gains, strict=True)}
    alone, one_of_five = (weigh(drawn, before, after, line_for(trials)) for trials in (1, 5))
    assert 0.01 < alone.test.p < 0.05
    assert alone.reasons == ()
    assert one_of_five.reasons == ("not_significant",)
    assert one_of_five.as_record()["p_below"] == 0.01


@pytest.mark.parametrize(
    ("changes", "reasons"),
    [
        ({}, ()),
        ({"pairs": FEWEST_PAIRS - 1}, ("too_few_pairs",)),
        ({"gain": 0.0}, ("no_gain",)),
        ({"p": 0.05}, ("not_significant",)),
        ({"effect": EFFECT_ABOVE}, ("small_effect",)),
        ({"concerns": (1.0, 1.01)}, ("more_concerns",)),
    ],
)
def test_what_only_reaches_a_line_is_not_beyond_it(changes: dict[str, Any], reasons: tuple[str, ...]) -> None:
    just: dict[str, Any] = {
        "pairs": FEWEST_PAIRS, "gain": 0.1, "p": 0.0499, "p_below": 0.05, "effect": 0.201, "concerns": (1.0, 1.0),
    }  # fmt: skip
    assert lacking(**{**just, **changes}) == reasons
