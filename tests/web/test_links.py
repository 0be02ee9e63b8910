"""Addresses: ids are content, and no content leaves its place in a URL."""

from __future__ import annotations

from urllib.parse import parse_qs, unquote, urlsplit

from hypothesis import given
from hypothesis import strategies as st
from starlette.requests import Request

from burnish.web.rendering import (
    precision_link,
    queue_link,
    rule_link,
    rules_link,
    run_link,
    runs_link,
    same_page,
    unit_link,
)

IDS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1)


@given(IDS, IDS)
def test_any_id_comes_back_from_its_address(run: str, unit: str) -> None:
    parts = urlsplit(unit_link(run, unit)).path.split("/")
    assert [unquote(part) for part in parts] == ["", "runs", run, "units", unit]


@given(IDS)
def test_any_value_comes_back_from_a_query(value: str) -> None:
    link = urlsplit(queue_link(run=value, unit="u"))
    assert link.path == "/queue" and link.fragment == ""
    assert parse_qs(link.query, keep_blank_values=True, separator="&")["run"] == [value]


def test_nothing_is_said_of_what_is_not_given() -> None:
    assert runs_link(state=None, kind="legos") == "/runs?kind=legos"
    assert run_link("a b", "report.html") == "/runs/a%20b/report.html"
    assert run_link("r", tab="units", state=("x", "y")) == "/runs/r?tab=units&state=x&state=y"
    assert [rule_link("a/b"), rules_link(), precision_link(kind="k")] == ["/rules/a%2Fb", "/rules", "/precision?kind=k"]


def test_a_filter_changes_one_thing_of_the_page() -> None:
    request = Request(
        {"type": "http", "method": "GET", "path": "/runs", "query_string": b"state=a&state=b&find=x", "headers": []}
    )
    assert same_page(request, find=None, kind="legos") == "/runs?state=a&state=b&kind=legos"
