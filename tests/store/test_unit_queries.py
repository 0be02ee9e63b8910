"""A filter is the query of a link: whatever is typed there, it is a filter."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from burnish.core.findings import SEVERITIES
from burnish.store.unit_queries import ALL, LONGEST, MOST_STATES, QueueFilter, UnitFilter

WORDS = st.text(min_size=1, max_size=LONGEST)
FILTERS = st.builds(
    UnitFilter,
    states=st.lists(WORDS, unique=True, max_size=4).map(tuple),
    rule=st.none() | WORDS,
    severity=st.none() | st.sampled_from(SEVERITIES),
    cause=st.none() | WORDS,
    text=st.none() | WORDS,
    document=st.none() | WORDS,
    repaired=st.booleans(),
    open=st.booleans(),
)


class Query(dict[str, Any]):
    """The query of a request, which keeps several values of a name."""

    def __init__(self, pairs: list[tuple[str, str]]) -> None:
        super().__init__(pairs)
        self._pairs = pairs

    def getlist(self, name: str) -> list[str]:
        return [value for key, value in self._pairs if key == name]


@given(FILTERS)
def test_a_link_says_all_of_a_filter(where: UnitFilter) -> None:
    assert UnitFilter.from_query(Query(where.as_query())) == where


def test_no_query_lets_everything_through() -> None:
    assert UnitFilter.from_query({}) == ALL
    assert ALL.as_query() == []


@pytest.mark.parametrize(
    "query", [{"severity": "dreadful"}, {"repaired": "yes"}, {"state": ""}, {"text": ""}, {"page": "9", "x": "1"}]
)
def test_what_it_does_not_know_it_passes_over(query: dict[str, str]) -> None:
    assert UnitFilter.from_query(query) == ALL


def test_long_values_are_cut_and_many_states_left_out() -> None:
    where = UnitFilter.from_query(Query([("text", "x" * 9_999), *(("state", f"s{n}") for n in range(99))]))
    assert where.text == "x" * LONGEST
    assert len(where.states) == MOST_STATES


def test_a_filter_of_the_queue_is_a_link_too() -> None:
    where = QueueFilter(kind="legos", run="r", cause="attempts_exhausted", document="d")
    assert QueueFilter.from_query(dict(where.as_query())) == where
    assert QueueFilter().as_query() == []
