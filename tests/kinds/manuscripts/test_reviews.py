"""Reviews by other tools."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from burnish.core.errors import InputError
from burnish.kinds.manuscripts.reviews import LARGEST, ForeignIssue, read_review

ISSUE = {"category": "style", "severity": "minor", "description": "Too long.", "line": 3}
READ = ForeignIssue("style", "minor", "Too long.", "tool", line=3)


def read(text: str) -> tuple[ForeignIssue, ...]:
    return read_review(text.encode(), "review.json", "tool")


@pytest.mark.parametrize(
    "text",
    [
        json.dumps([ISSUE]),
        json.dumps(ISSUE),
        json.dumps({"issues": [ISSUE]}),
        json.dumps({"reviewer": None, "scores": {"style": 0.5}, "issues": [ISSUE]}, indent=2),
        json.dumps([{"issues": [ISSUE]}]),
        json.dumps({"issues": [ISSUE]}) + "\n" + json.dumps({"issues": []}) + "\n",
    ],
)
def test_every_form_says_the_same(text: str) -> None:
    assert read(text) == (READ,)


def test_one_issue_a_line() -> None:
    assert read(f"{json.dumps(ISSUE)}\r\n\r\n{json.dumps(ISSUE)}\r\n") == (READ, READ)


def test_all_that_an_issue_may_say() -> None:
    issue = {
        **ISSUE,
        "severity": "CRITICAL",
        "start_line": 4,
        "end_line": 5,
        "quote": " as it is ",
        "suggested_fix": "Cut it.",
        "reviewer": "ann",
        "paragraph_id": "p_0003",
    }
    expected = ForeignIssue("style", "critical", "Too long.", "ann", 3, 4, 5, " as it is ", "Cut it.", "p_0003")
    assert read(json.dumps([issue])) == (expected,)


def test_what_a_row_says_holds_for_its_issues() -> None:
    row = {"reviewer": "ann", "paragraph_id": "p_0002", "issues": [ISSUE, {**ISSUE, "reviewer": "bob"}]}
    assert [(issue.reviewer, issue.paragraph_id) for issue in read(json.dumps([row]))] == [
        ("ann", "p_0002"),
        ("bob", "p_0002"),
    ]


def test_an_issue_without_an_anchor_and_one_that_no_line_can_have_are_kept() -> None:
    bare = {key: value for key, value in ISSUE.items() if key != "line"}
    first, second = read(json.dumps([bare, {**ISSUE, "line": -7}]))
    assert first.line is None and first.quote is None
    assert second.line == -7


def test_a_review_that_found_nothing() -> None:
    assert read("[]") == () == read('{"issues": []}')


@pytest.mark.parametrize(
    ("text", "code", "field"),
    [
        ("", "empty", None),
        ("[1]", "no_object", "[0]"),
        ("7", "no_list", None),
        ('{"issues": 1}', "no_list", "issues"),
        ('{"issues": [1]}', "bad_issue", "issues[0]"),
        ('[{"category": "x"', "invalid_json", None),
        ('[{"line": NaN}]', "invalid_json", None),
        (json.dumps([{**ISSUE, "severity": "awful"}]), "bad_issue", "[0].severity"),
        (json.dumps([ISSUE, {**ISSUE, "description": " "}]), "bad_field", "[1].description"),
        (json.dumps([{**ISSUE, "category": 4}]), "bad_field", "[0].category"),
        (json.dumps([{**ISSUE, "line": "3"}]), "bad_issue", "[0].line"),
        (json.dumps([{**ISSUE, "line": True}]), "bad_issue", "[0].line"),
        (json.dumps([{**ISSUE, "line": 1.5}]), "bad_issue", "[0].line"),
        (json.dumps([{**ISSUE, "quote": "x" * 20_001}]), "bad_issue", "[0].quote"),
        (json.dumps([{**ISSUE, "quote": ["x"]}]), "bad_field", "[0].quote"),
        ("[" * 300, "invalid_json", None),
        ("[" + "{}," * 2_100_000 + "{}]", "too_complex", None),
    ],
)
def test_what_cannot_be_read_is_named(text: str, code: str, field: str | None) -> None:
    with pytest.raises(InputError) as caught:
        read(text)
    assert (caught.value.code, caught.value.field) == (code, field)


def test_a_line_that_is_broken_is_named_by_its_number() -> None:
    with pytest.raises(InputError) as caught:
        read(f"{json.dumps(ISSUE)}\n{json.dumps(ISSUE)[:-4]}\n")
    assert caught.value.line == 2


def test_a_file_too_large_is_refused() -> None:
    with pytest.raises(InputError, match="larger than 64 MB"):
        read_review(bytes(LARGEST + 1), "review.json", "tool")


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3),
    max_leaves=5,
)
names = st.sampled_from(["category", "severity", "description", "line", "end_line", "quote", "issues", "reviewer"])


@settings(max_examples=80, deadline=None)
@given(st.lists(st.dictionaries(names, values, max_size=5), max_size=3))
def test_any_json_is_read_or_refused(rows: list[dict[str, object]]) -> None:
    try:
        found = read(json.dumps(rows))
    except InputError as error:
        assert error.path == "review.json"
    else:
        assert all(issue.category and issue.description and issue.reviewer for issue in found)
