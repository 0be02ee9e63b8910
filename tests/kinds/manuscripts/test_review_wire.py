"""Rows on the wire: the contract's keys first, and the same row when they are read again."""

from hypothesis import given
from hypothesis import strategies as st

from burnish.core.findings import SEVERITIES
from burnish.kinds.manuscripts.policy import DIMENSIONS
from burnish.kinds.manuscripts.review_rows import ReviewIssue, ReviewRow, row

ISSUES = st.builds(
    ReviewIssue,
    st.sampled_from(["grammar", "negation"]),
    st.sampled_from(SEVERITIES),
    st.text(max_size=9),
    st.none() | st.text(max_size=9),
    quote=st.none() | st.text(max_size=9),
    line=st.none() | st.integers(1, 9),
    reviewer=st.sampled_from(["rules", "critic:x"]),
)
SCORES = st.dictionaries(st.sampled_from(DIMENSIONS), st.floats(0, 1))


def test_a_row_has_the_contracts_keys_and_no_empty_ones() -> None:
    wire = row("p_0002", "rules", {"grammar": 0.62}, (ReviewIssue("grammar", "critical", "wrong"),)).as_wire()
    assert list(wire) == ["paragraph_id", "scores", "issues", "hard_fail", "reviewer"]
    assert wire["hard_fail"] is True and list(wire["issues"][0]) == ["category", "severity", "description", "reviewer"]


@given(SCORES, st.lists(ISSUES, max_size=3), SCORES, st.none() | st.just("away"))
def test_a_row_is_the_same_when_it_is_read_again(
    scores: dict[str, float], issues: list[ReviewIssue], informational: dict[str, float], failure: str | None
) -> None:
    made = row("p_0001", "x", scores, tuple(issues), expected=("voice",), informational=informational, failure=failure)
    assert ReviewRow.from_wire(made.as_wire()) == made
    assert made.hard_fail == any(issue.blocks for issue in issues)
