"""Votes: silence is never consent. Alpha: as published."""

import math
import random

import krippendorff
import numpy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from burnish.core.gate import bootstrap_interval, count_votes, is_majority, krippendorff_alpha


def ballot(*issues: str) -> frozenset[str]:
    return frozenset(issues)


def test_a_majority_is_more_than_half_of_all_judges() -> None:
    assert is_majority(2, 3) and not is_majority(1, 2) and not is_majority(0, 0)


def test_two_of_three_uphold() -> None:
    count = count_votes([ballot("x"), ballot("x", "y"), ballot()])
    assert count.upheld == ("x",)
    assert (count.judges, count.answered, count.content) == (3, 3, 1)
    assert count.support == 1 / 3


def test_one_voice_and_two_silent_judges_settle_nothing() -> None:
    count = count_votes([ballot("x"), None, None])
    assert count.upheld == ()
    assert count.support == 0.0


def test_three_judges_with_an_objection_each_support_nothing() -> None:
    count = count_votes([ballot("x"), ballot("y"), ballot("z")])
    assert count.upheld == ()
    assert count.support == 0.0


def test_all_clean() -> None:
    assert count_votes([ballot(), ballot()]).support == 1.0


def test_no_judges_give_no_support() -> None:
    assert count_votes([]).support == 0.0


panels = st.lists(st.one_of(st.none(), st.frozensets(st.sampled_from("xyz"))), max_size=7)


@given(panels)
def test_a_majority_supports_exactly_where_more_than_half_of_all_judges_raise_nothing(
    ballots: list[frozenset[str] | None],
) -> None:
    count = count_votes(ballots)
    assert 0.0 <= count.support <= 1.0
    assert (count.support > 0.5) == is_majority(ballots.count(frozenset()), len(ballots))
    if count.upheld:
        assert count.support < 0.5, "what a majority objects to no majority supports"


@given(panels, st.data())
def test_who_raises_more_or_falls_silent_never_helps(ballots: list[frozenset[str] | None], data: st.DataObject) -> None:
    if not ballots:
        return
    seat = data.draw(st.integers(0, len(ballots) - 1))
    now = ballots[seat]
    worse = data.draw(st.sampled_from([None, (now or frozenset()) | {"x"}]))
    changed = [*ballots[:seat], worse, *ballots[seat + 1 :]]
    assert count_votes(changed).support <= count_votes(ballots).support


# The worked example of Krippendorff (2011), "Computing Krippendorff's Alpha-Reliability": four observers, twelve units.
PUBLISHED: list[list[float | None]] = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, None, None, None],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, None, 3],
    [None, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, None],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, None],
]


def test_the_published_example_as_by_the_reference_implementation() -> None:
    expected = krippendorff.alpha(reliability_data=numpy.array(PUBLISHED, dtype=float))
    assert expected == pytest.approx(0.849, abs=0.0005)
    assert krippendorff_alpha(PUBLISHED) == pytest.approx(expected)


scores = st.floats(0, 1).map(lambda value: round(value, 3))
tables = st.integers(1, 6).flatmap(
    lambda width: st.lists(st.lists(st.none() | scores, min_size=width, max_size=width), min_size=1, max_size=5)
)


@given(tables)
@settings(max_examples=60)
def test_any_table_agrees_with_the_reference_implementation(table: list[list[float | None]]) -> None:
    alpha = krippendorff_alpha(table)
    pairable = [values for values in _columns(table) if len(values) > 1]
    if len({value for values in pairable for value in values}) < 2:
        assert alpha == (1.0 if pairable else None)
    else:
        assert alpha == pytest.approx(krippendorff.alpha(reliability_data=numpy.array(table, dtype=float)), abs=1e-9)


def _columns(table: list[list[float | None]]) -> list[list[float]]:
    return [[value for value in column if value is not None] for column in zip(*table, strict=True)]


@given(tables)
def test_alpha_is_at_most_one_and_blind_to_the_order_of_judges_and_columns(table: list[list[float | None]]) -> None:
    alpha = krippendorff_alpha(table)
    turned = krippendorff_alpha([list(reversed(row)) for row in reversed(table)])
    assert (alpha is None) == (turned is None)
    if alpha is not None:
        assert alpha <= 1.0
        assert turned == pytest.approx(alpha)


@given(tables)
@settings(max_examples=30)
def test_the_interval_is_repeatable_and_the_right_way_round(table: list[list[float | None]]) -> None:
    interval = bootstrap_interval(table, seed=7, rounds=100)
    assert interval == bootstrap_interval(table, seed=7, rounds=100)
    assert (interval is None) == (krippendorff_alpha(table) is None)
    if interval is not None:
        low, high = interval
        assert low <= high <= 1.0


@given(
    st.lists(st.lists(st.floats(allow_nan=True, allow_infinity=True), min_size=3, max_size=3), min_size=2, max_size=3)
)
def test_no_number_is_too_large_too_small_or_no_number(table: list[list[float]]) -> None:
    alpha = krippendorff_alpha(table)
    assert alpha is None or (math.isfinite(alpha) and alpha <= 1.0)


def test_what_is_no_number_is_silence() -> None:
    assert krippendorff_alpha([[0.5, math.nan, 0.7], [0.5, 0.9, 0.7]]) == krippendorff_alpha([[0.5, 0.7], [0.5, 0.7]])


def test_identical_ratings_count_as_one_and_a_lone_judge_agrees_with_nobody() -> None:
    assert krippendorff_alpha([[0.8, 0.8], [0.8, 0.8]]) == 1.0
    assert krippendorff_alpha([[0.8, 0.9, 0.7]]) is None
    assert krippendorff_alpha([]) is None
    assert bootstrap_interval([[0.8, 0.9, 0.7]]) is None


def test_two_judges_a_point_apart_on_high_scores_can_score_below_zero() -> None:
    alpha = krippendorff_alpha([[0.9, 0.8, 0.9, 0.8, 0.9, 0.9], [0.8, 0.9, 0.9, 0.9, 0.9, 0.8]])
    assert alpha is not None and alpha < 0
    interval = bootstrap_interval([[0.9, 0.8, 0.9, 0.8, 0.9, 0.9], [0.8, 0.9, 0.9, 0.9, 0.9, 0.8]])
    assert interval is not None and interval[0] < alpha < interval[1]


def test_the_interval_is_the_middle_of_what_other_columns_would_have_given() -> None:
    table = [[0.0, 1.0, 0.0], [0.0, 1.0, 1.0]]
    low, high = bootstrap_interval(table, rounds=1000) or (None, None)
    assert low is not None and low < 0 and high == 1.0
    narrow = bootstrap_interval([row * 40 for row in table], rounds=1000)
    assert narrow is not None and low < narrow[0] < narrow[1] < 1.0


@pytest.mark.parametrize("rounds", [40, 100, 1000])
def test_the_interval_leaves_out_as_much_above_as_below(rounds: int) -> None:
    table = [[0.1 * at for at in range(10)], [0.1 * ((at * 7) % 10) for at in range(10)]]
    every = sorted(
        krippendorff_alpha([[row[at] for at in drawn] for row in table]) or 0.0
        for drawn in _drawn(len(table[0]), rounds)
    )
    low, high = bootstrap_interval(table, seed=5, rounds=rounds) or (0.0, 0.0)
    cut = rounds // 40
    assert (low, high) == pytest.approx((every[cut], every[-1 - cut]))


def _drawn(size: int, rounds: int) -> list[list[int]]:
    draw = random.Random(5).random
    return [[int(draw() * size) for _ in range(size)] for _ in range(rounds)]
