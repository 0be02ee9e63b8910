"""The gate fails closed: F14 of the reliability promises, in its short form."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from burnish.core.findings import CRASHED_RULE
from burnish.core.gate import Dimension, GatePolicy, Scorecard, judge
from tests.core.units import finding

POLICY = GatePolicy((Dimension("a", 0.8), Dimension("b", 8.0, 0.0, 10.0)))
GOOD = {"a": 0.9, "b": 9.0}


def test_a_good_card_passes() -> None:
    assert judge(Scorecard.of(GOOD), [], POLICY).passed


def test_a_score_that_just_meets_its_threshold_passes() -> None:
    assert judge(Scorecard.of({"a": 0.8, "b": 8.0}), [], POLICY).passed


@pytest.mark.parametrize(
    "value", [math.nan, math.inf, -math.inf, None, "9", True, False, -1, 11, [], {}, 10**400, "NaN", b"1", 0.79999]
)
@pytest.mark.parametrize("name", ["a", "b"])
def test_no_odd_value_passes(name: str, value: object) -> None:
    verdict = judge(Scorecard.of({**GOOD, name: value}), [], POLICY)
    assert not verdict.passed
    assert any(reason.startswith(name) for reason in verdict.reasons)


def test_a_missing_dimension_is_named() -> None:
    assert judge(Scorecard.of({"a": 1.0}), [], POLICY).reasons == ("b_missing",)


def test_a_dimension_that_comes_twice_counts_as_none() -> None:
    card = Scorecard.of([("a", 0.9), ("b", 9.0), ("a", 0.95)])
    assert judge(card, [], POLICY).reasons == ("a_unusable", "a_missing")


def test_an_unknown_dimension_keeps_the_gate_shut() -> None:
    assert judge(Scorecard.of({**GOOD, "c": 1.0}), [], POLICY).reasons == ("c_unknown",)


def test_a_policy_that_asks_for_nothing_lets_nothing_through() -> None:
    assert judge(Scorecard.of({}), [], GatePolicy(())).reasons == ("policy_asks_for_nothing",)


def test_a_crashed_check_blocks_whatever_its_severity() -> None:
    crashed = finding(CRASHED_RULE, "info")
    assert judge(Scorecard.of(GOOD), [crashed], POLICY).reasons == (CRASHED_RULE,)


def test_an_unknown_severity_blocks() -> None:
    assert not judge(Scorecard.of(GOOD), [finding(severity="fine")], POLICY).passed


@pytest.mark.parametrize(
    ("severity", "passes"), [("critical", False), ("error", False), ("warning", True), ("info", True)]
)
def test_errors_block_and_warnings_do_not(severity: str, passes: bool) -> None:
    assert judge(Scorecard.of(GOOD), [finding(severity=severity)], POLICY).passed is passes


values = st.one_of(
    st.floats(allow_nan=True, allow_infinity=True),
    st.none(),
    st.booleans(),
    st.text(max_size=3),
    st.integers(),
    st.lists(st.integers(), max_size=1),
)


@settings(max_examples=300)
@given(st.lists(st.tuples(st.sampled_from(["a", "b", "c"]), values), max_size=5))
def test_only_two_proper_scores_and_nothing_else_pass(pairs: list[tuple[str, object]]) -> None:
    proper = (
        sorted(name for name, _ in pairs) == ["a", "b"]
        and all(isinstance(value, int | float) and not isinstance(value, bool) for _, value in pairs)
        and all(0.8 <= v <= 1.0 if n == "a" else 8.0 <= v <= 10.0 for n, v in pairs)  # type: ignore[operator]
    )
    assert judge(Scorecard.of(pairs), [], POLICY).passed is proper
