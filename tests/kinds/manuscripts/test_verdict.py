"""The verdict on a paragraph fails closed (F14), and only a clean verdict leads to `ready_to_merge` (F16)."""

import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from burnish.core.errors import InternalError
from burnish.kinds.manuscripts.policy import BLOCKING_CATEGORIES, DIMENSIONS, HARD_FLOOR, THRESHOLDS
from burnish.kinds.manuscripts.review_rows import ReviewIssue, ReviewRow, row
from burnish.kinds.manuscripts.verdict import Decision, Verdict, aggregate, next_state

GOOD: dict[str, float] = dict.fromkeys(DIMENSIONS, 0.9)
ODD: list[Any] = [math.nan, math.inf, -math.inf, None, "0.9", "NaN", True, False, -0.1, 1.1, 11, 10**400, [], {}, b"1"]


def issue(category: str = "grammar", severity: Any = "error", reviewer: str = "grammar") -> ReviewIssue:
    return ReviewIssue(category, severity, "wrong", reviewer=reviewer)


def said(scores: Any = None, *issues: ReviewIssue, reviewer: str = "rules", **more: Any) -> ReviewRow:
    return row("p_0001", reviewer, GOOD if scores is None else scores, issues, **more)


def test_a_good_paragraph_passes() -> None:
    verdict = aggregate([said(), said({"grammar": 0.8, "voice": 1.0}, reviewer="grammar")])
    assert verdict.passed and verdict.reasons == verdict.hard_reasons == ()
    assert verdict.scores == {**GOOD, "grammar": 0.8}
    assert verdict.by_reviewer["voice"] == {"rules": 0.9, "grammar": 1.0}


def test_every_score_on_its_line_passes() -> None:
    assert aggregate([said(dict(THRESHOLDS))]).passed


@pytest.mark.parametrize("name", DIMENSIONS)
def test_a_score_below_its_line_is_named(name: str) -> None:
    assert aggregate([said({**GOOD, name: 0.7999})]).reasons == (f"{name}_below_threshold",)


@pytest.mark.parametrize("value", ODD, ids=repr)
@pytest.mark.parametrize("name", DIMENSIONS)
def test_an_odd_score_is_a_missing_one_even_beside_a_good_one(name: str, value: object) -> None:
    odd = said({**GOOD, name: value}, reviewer="grammar")
    for rows in ([odd], [said(), odd], [odd, said()]):
        assert aggregate(rows).reasons == (f"{name}_missing",)


def test_nothing_said_is_everything_missing() -> None:
    assert aggregate([]).reasons == tuple(f"{name}_missing" for name in DIMENSIONS)


def test_a_score_that_a_reviewer_owes_is_missing_whatever_others_say() -> None:
    verdict = aggregate([said(), said({"grammar": 0.9}, reviewer="grammar", expected=("grammar", "voice"))])
    assert verdict.reasons == ("voice_missing",) and verdict.only_missing


def test_a_critic_that_gave_no_answer_is_named() -> None:
    verdict = aggregate([said(), said({}, reviewer="critic:typography", failure="reply_unreadable: cut off")])
    assert verdict.reasons == ("critic_typography_missing",) and verdict.only_missing


def test_metrics_beyond_the_five_inform_and_decide_nothing() -> None:
    extra = {**GOOD, "rhythm": 0.1, "odd": math.nan}
    verdict = aggregate([said(extra), said({}, reviewer="critic:x", informational={"grammar": 0.2})])
    assert verdict.passed
    assert verdict.informational == {"rules": {"rhythm": 0.1}, "critic:x": {"grammar": 0.2}}


@pytest.mark.parametrize(
    ("found", "reasons"),
    [
        (issue("grammar", "critical"), ("critical_grammar",)),
        (issue("negation", "info"), ("critical_negation",)),
        (issue("negation", "error", "rules"), ("critical_negation",)),
        (issue("grammar", "unheard_of"), ("critical_grammar",)),
        (issue("negation", "warning", "rules"), ()),
        (issue("negation", "info", "rules"), ()),
        (issue("grammar", "error"), ()),
        (issue("typography", "warning"), ()),
    ],
)
def test_what_blocks_and_what_does_not(found: ReviewIssue, reasons: tuple[str, ...]) -> None:
    verdict = aggregate([said(None, found)])
    assert verdict.reasons == verdict.hard_reasons == reasons
    assert verdict.issues == (found,)


@pytest.mark.parametrize("word", [True, None, "no", 1])
def test_a_reviewer_may_fail_a_paragraph_without_saying_why(word: Any) -> None:
    verdict = aggregate([ReviewRow("p_0001", "file:x", GOOD, hard_fail=word)])
    assert verdict.reasons == verdict.hard_reasons == ("hard_fail",)


def test_reasons_stand_in_one_order() -> None:
    rows = [
        said({**GOOD, "voice": 0.1}, issue("timeline", "critical"), issue("grammar", "critical")),
        said({"semantic_fidelity": 0.6}, reviewer="fidelity"),
        said({}, reviewer="critic:b", failure="away"),
        said({}, reviewer="critic:a", failure="away"),
        ReviewRow("p_0001", "file:x", {}, hard_fail=True),
    ]
    expected = (
        "voice_below_threshold",
        "semantic_fidelity_below_threshold",
        "critic_a_missing",
        "critic_b_missing",
        "critical_grammar",
        "critical_timeline",
        "hard_fail",
    )
    assert aggregate(rows).reasons == aggregate(reversed(rows)).reasons == expected
    assert not aggregate(rows).only_missing


def test_a_category_that_sounds_like_a_missing_score_is_still_a_fault() -> None:
    assert not aggregate([said(None, issue("verb_missing", "critical"))]).only_missing


def test_the_lowest_score_of_a_reviewer_that_speaks_twice_counts() -> None:
    verdict = aggregate([said({**GOOD, "style": 0.85}), said({**GOOD, "style": 0.81}), said()])
    assert verdict.scores["style"] == verdict.by_reviewer["style"]["rules"] == 0.81


def test_rows_of_two_paragraphs_are_a_mistake() -> None:
    with pytest.raises(InternalError):
        aggregate([said(), ReviewRow("p_0002", "rules", GOOD)])


VALUES = st.one_of(st.floats(0.7, 1.0), st.floats(0, 1), st.floats(), st.sampled_from(ODD))
ISSUES = st.builds(
    issue,
    st.sampled_from(["grammar", "typography", *sorted(BLOCKING_CATEGORIES)]),
    st.sampled_from(["critical", "error", "warning", "info", "odd"]),
    st.sampled_from(["rules", "grammar"]),
)
ROWS = st.lists(
    st.builds(
        lambda scores, issues, expected, failure, hard: ReviewRow(
            "p_0001", "r", scores, tuple(issues), hard or any(i.blocks for i in issues), tuple(expected), {}, failure
        ),
        st.fixed_dictionaries({}, optional=dict.fromkeys(DIMENSIONS, VALUES)) | st.just(GOOD),
        st.lists(ISSUES, max_size=2),
        st.lists(st.sampled_from(DIMENSIONS), max_size=2),
        st.none() | st.just("away"),
        st.booleans(),
    ),
    max_size=4,
)


def sound(value: object) -> bool:
    """A usable score, said in other words than the code's."""
    return type(value) in (int, float) and 0 <= value <= 1  # type: ignore[operator]


def in_order(rows: list[ReviewRow]) -> bool:
    """Whether a paragraph may pass, by the contract's words alone."""
    for name, line in THRESHOLDS.items():
        claims = [row.scores[name] for row in rows if name in row.scores]
        if not claims or not all(sound(claim) and claim >= line for claim in claims):
            return False
        if any(name in row.expected and name not in row.scores for row in rows):
            return False
    silent = any(row.failure and not row.expected for row in rows)
    return not silent and not any(row.hard_fail or any(i.blocks for i in row.issues) for row in rows)


@settings(max_examples=100)
@given(ROWS)
def test_nothing_passes_that_the_contract_would_not_let_pass(rows: list[ReviewRow]) -> None:
    verdict = aggregate(rows)
    assert verdict.passed == in_order(rows) == (not verdict.reasons)
    assert set(verdict.hard_reasons) <= set(verdict.reasons)
    assert all(sound(score) for score in verdict.scores.values())


def failed(*hard: str, fidelity: float = 0.9) -> Verdict:
    return Verdict(False, hard or ("voice_below_threshold",), hard, {"semantic_fidelity": fidelity}, {}, ())


PASSED = Verdict(True, (), (), GOOD, {}, ())


@pytest.mark.parametrize(
    ("verdict", "history", "attempt", "flags", "decision"),
    [
        (PASSED, [], 1, {}, Decision("ready_to_merge")),
        (PASSED, [{"critical_x"}], 4, {}, Decision("ready_to_merge")),
        (failed(), [], 1, {}, Decision("rework_queued")),
        (failed(), [(), ()], 3, {}, Decision("rework_queued")),
        (failed(), [], 4, {}, Decision("manual_review_required", "attempts_exhausted")),
        (failed(), [], 9, {}, Decision("manual_review_required", "attempts_exhausted")),
        (failed("critical_x"), [], 1, {}, Decision("rework_queued")),
        (failed("critical_x"), [{"critical_y"}], 2, {}, Decision("rework_queued")),
        (failed("critical_x"), [{"critical_x"}], 2, {}, Decision("manual_review_required", "repeated_hard_fail")),
        (failed("b", "a"), [{"a"}, {"c"}], 3, {}, Decision("manual_review_required", "repeated_hard_fail")),
        (failed(fidelity=HARD_FLOOR), [], 1, {}, Decision("rework_queued")),
        (failed(fidelity=0.4999), [], 1, {}, Decision("manual_review_required", "hard_floor")),
        (failed("a", fidelity=0.1), [{"a"}], 4, {}, Decision("manual_review_required", "hard_floor")),
        (PASSED, [], 1, {"missing_artifact": True}, Decision("manual_review_required", "missing_artifact")),
        (failed(), [], 1, {"stale_source": True}, Decision("manual_review_required", "stale_source")),
    ],
)
def test_where_a_paragraph_goes(
    verdict: Verdict, history: list[Any], attempt: int, flags: dict[str, bool], decision: Decision
) -> None:
    assert next_state(verdict, history, attempt=attempt, max_attempts=4, **flags) == decision


@settings(max_examples=100)
@given(
    ROWS,
    st.lists(st.sets(st.sampled_from(["critical_grammar", "critical_negation", "hard_fail"])), max_size=3),
    st.integers(1, 6),
    st.integers(1, 5),
    st.fixed_dictionaries(dict.fromkeys(("stale_source", "missing_artifact"), st.booleans())),
)
def test_only_a_clean_verdict_is_ready_and_every_other_has_somewhere_to_go(
    rows: list[ReviewRow], history: list[set[str]], attempt: int, most: int, flags: dict[str, bool]
) -> None:
    verdict = aggregate(rows)
    state, trigger = next_state(verdict, history, attempt=attempt, max_attempts=most, **flags)
    at_once = any(flags.values()) or verdict.scores.get("semantic_fidelity", 1) < HARD_FLOOR
    assert (state == "ready_to_merge") == (verdict.passed and not at_once)
    assert (state == "manual_review_required") == (trigger is not None)
    if state == "rework_queued":
        assert attempt < most and not at_once and not any(set(verdict.hard_reasons) & earlier for earlier in history)
