"""CLEV: two judges, a third where they part, and never a lone acceptance."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from burnish.kinds.lessons.refinement.types import JudgeAggregatedResult
from burnish.kinds.lessons.refinement.verdicts import (
    Abstention,
    Ballot,
    PanelFailed,
    distinct_issues,
    third_judge_reason,
    vote,
)
from tests.kinds.lessons.refinement.makers import issue, verdict

DOWN = Abstention("down", "no answer")


def voted(*ballots: Ballot) -> JudgeAggregatedResult:
    result = vote(ballots)
    assert isinstance(result, JudgeAggregatedResult)
    return result


@pytest.mark.parametrize(
    ("first", "second", "reason"),
    [
        (verdict("a", 0.8), verdict("b", 0.9), None),
        (verdict("a", 0.3), verdict("b", 0.4), None),
        (verdict("a", 0.8), verdict("b", 0.91), "disagreement"),
        (verdict("a", 0.8, "low"), verdict("b", 0.8), "low_confidence"),
        (verdict("a", 0.8, "medium"), verdict("b", 0.8, "medium"), None),
        (verdict("a", 0.8), DOWN, "seat_failed"),
        (DOWN, DOWN, "seat_failed"),
    ],
)
def test_when_a_third_judge_is_asked(first: Ballot, second: Ballot, reason: str | None) -> None:
    assert third_judge_reason(first, second) == reason


def test_two_that_agree_give_their_mean() -> None:
    result = voted(verdict("a", 0.8), verdict("b", 0.9))
    assert (result.aggregated_score, result.voting_method, result.consensus_reached) == (0.85, "unanimous", True)
    assert result.final_recommendation == "ACCEPT_WITH_MINOR_REVISION" and result.may_accept


def test_two_of_three_that_agree_win() -> None:
    result = voted(verdict("a", 0.9), verdict("b", 0.5), verdict("c", 0.94))
    assert (result.aggregated_score, result.voting_method, result.consensus_reached) == (0.92, "majority", True)
    assert result.final_recommendation == "ACCEPT"


def test_the_pair_that_is_surest_then_closest_counts() -> None:
    result = voted(verdict("a", 0.80, "low"), verdict("b", 0.81), verdict("c", 0.89))
    assert result.aggregated_score == 0.85
    close = voted(verdict("a", 0.80), verdict("b", 0.90), verdict("c", 0.92))
    assert close.aggregated_score == 0.91


def test_three_that_are_apart_give_the_median() -> None:
    result = voted(verdict("a", 0.9), verdict("b", 0.5), verdict("c", 0.7))
    assert (result.aggregated_score, result.voting_method, result.consensus_reached) == (0.7, "tiebreaker", False)


def test_the_third_judge_takes_a_failed_seat() -> None:
    result = voted(verdict("a", 0.92), DOWN, verdict("c", 0.94))
    assert (result.voting_method, result.final_recommendation) == ("unanimous", "ACCEPT")
    assert len(result.verdicts) == 2


def test_two_that_disagree_without_a_third_give_the_lower() -> None:
    result = voted(verdict("a", 1.0), verdict("b", 0.8))
    assert (result.aggregated_score, result.voting_method, result.consensus_reached) == (0.8, "tiebreaker", False)
    doubtful = voted(verdict("a", 0.9, "low"), verdict("b", 0.9))
    assert doubtful.final_recommendation == "ESCALATE" and not doubtful.may_accept


@pytest.mark.parametrize(
    ("score", "issues", "expected"),
    [
        (0.99, 0, "ESCALATE"),
        (0.80, 0, "ESCALATE"),
        (0.80, 2, "ITERATIVE_REFINEMENT"),
        (0.70, 2, "ITERATIVE_REFINEMENT"),
        (0.50, 2, "REGENERATE"),
    ],
)
def test_a_lone_verdict_never_accepts(score: float, issues: int, expected: str) -> None:
    found = [issue(quote=str(number)) for number in range(issues)]
    result = voted(DOWN, verdict("b", score, issues=found), DOWN)
    assert result.final_recommendation == expected
    assert not result.may_accept and not result.consensus_reached


def test_all_failing_is_a_value_with_every_reason() -> None:
    result = vote([DOWN, Abstention("b", "unreadable")])
    assert isinstance(result, PanelFailed)
    assert "down: no answer" in result.message and "b: unreadable" in result.message


def test_what_two_judges_say_alike_is_one_issue_and_the_worse_one_counts() -> None:
    mild, grave = issue(quote="x", severity="minor"), issue(quote="x", severity="critical")
    found = distinct_issues([verdict("a", issues=[mild]), verdict("b", issues=[grave, issue(quote="y")])])
    assert [(one.severity, one.quoted_text) for one in found] == [("critical", "x"), ("major", "y")]


ballots = st.one_of(
    st.just(DOWN),
    st.builds(
        verdict,
        st.sampled_from("abc"),
        st.floats(0, 1).map(lambda score: round(score, 2)),
        st.sampled_from(["high", "medium", "low"]),
    ),
)


@given(st.lists(ballots, min_size=1, max_size=3))
def test_the_score_stays_among_the_verdicts_and_acceptance_needs_two(seats: list[Ballot]) -> None:
    result = vote(seats)
    if isinstance(result, PanelFailed):
        assert all(isinstance(ballot, Abstention) for ballot in seats)
        return
    scores = [one.overall_score for one in result.verdicts]
    assert min(scores) <= result.aggregated_score <= max(scores)
    if result.final_recommendation == "ACCEPT":
        agreeing = [one for one in result.verdicts if abs(one.overall_score - result.aggregated_score) <= 0.1]
        assert len(result.verdicts) >= 2 and any(one.confidence != "low" for one in agreeing)
        assert result.aggregated_score >= 0.9 - 1e-9
