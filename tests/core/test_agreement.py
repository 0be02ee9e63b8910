"""Votes: silence is never consent."""

from hypothesis import given
from hypothesis import strategies as st

from burnish.core.agreement import count_votes, is_majority


def ballot(*issues: str) -> frozenset[str]:
    return frozenset(issues)


def test_a_majority_is_more_than_half_of_all_seats() -> None:
    assert is_majority(2, 3) and not is_majority(1, 2) and not is_majority(0, 0)


def test_two_of_three_uphold() -> None:
    count = count_votes([ballot("x"), ballot("x", "y"), ballot()])
    assert count.upheld == ("x",)
    assert count.unsettled == ()
    assert count.support == 1 / 3


def test_one_voice_and_two_silent_seats_settle_nothing() -> None:
    count = count_votes([ballot("x"), None, None])
    assert count.upheld == () and count.unsettled == ("x",) and not count.quorate
    assert count.support == 0.0


def test_one_against_one_is_unsettled() -> None:
    assert count_votes([ballot("x"), ballot()]).unsettled == ("x",)


def test_all_clean() -> None:
    assert count_votes([ballot(), ballot()]).support == 1.0


def test_no_seats_give_no_support() -> None:
    assert count_votes([]).support == 0.0


@given(st.lists(st.one_of(st.none(), st.frozensets(st.sampled_from("xyz"))), max_size=7))
def test_what_is_upheld_is_never_also_unsettled_and_support_is_a_share(ballots: list[frozenset[str] | None]) -> None:
    count = count_votes(ballots)
    assert not set(count.upheld) & set(count.unsettled)
    assert 0.0 <= count.support <= 1.0
    if count.support > 0.5:
        assert count.quorate
