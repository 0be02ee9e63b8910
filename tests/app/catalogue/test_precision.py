"""Shares with their intervals, and what people's decisions say of rules and judges."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from burnish.app.catalogue import PrecisionLine, wilson
from burnish.app.catalogue.drawers import Tally
from burnish.app.catalogue.summing import precision_of

CASES = st.integers(1, 10_000).flatmap(lambda of: st.tuples(st.integers(0, of), st.just(of)))


@pytest.mark.parametrize(
    ("right", "of", "low", "high"), [(48, 50, 0.87, 0.99), (11, 19, 0.36, 0.77), (0, 1, 0.0, 0.79), (1, 1, 0.21, 1.0)]
)
def test_known_intervals(right: int, of: int, low: float, high: float) -> None:
    found = wilson(right, of)
    assert (round(found[0], 2), round(found[1], 2)) == (low, high)


def test_of_nothing_everything_is_possible() -> None:
    assert wilson(0, 0) == (0.0, 1.0)


@given(CASES)
def test_the_share_lies_in_its_interval(case: tuple[int, int]) -> None:
    low, high = wilson(*case)
    assert 0.0 <= low <= case[0] / case[1] <= high <= 1.0
    assert low < high


@given(CASES)
def test_right_and_wrong_mirror_each_other(case: tuple[int, int]) -> None:
    right, of = case
    low, high = wilson(right, of)
    mirrored = wilson(of - right, of)
    assert mirrored[0] == pytest.approx(1 - high, abs=1e-9)
    assert mirrored[1] == pytest.approx(1 - low, abs=1e-9)


@given(CASES, st.integers(2, 20))
def test_more_cases_make_it_surer(case: tuple[int, int], times: int) -> None:
    few, many = wilson(*case), wilson(case[0] * times, case[1] * times)
    assert many[1] - many[0] < few[1] - few[0]


def test_tallies_are_added_up_for_each_rule_and_judge() -> None:
    tallies = [Tally("model:a", True, 1), Tally("r", True, 2), Tally("r", False, 1), Tally("taken_back", True, 0)]
    rule, judge = precision_of("questions", tallies)
    assert (rule.who, rule.kind, rule.right, rule.of, rule.is_judge) == ("r", "questions", 2, 3, False)
    assert (judge.who, judge.right, judge.of, judge.is_judge) == ("model:a", 1, 1, True)
    assert rule == PrecisionLine.counted("r", "questions", 2, 3)
