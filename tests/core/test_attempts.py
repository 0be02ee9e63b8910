"""The history of a unit: which attempt is worth keeping."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from burnish.core.attempts import (
    History,
    blocking_rules,
    breaker_states,
    findings_of,
    open_errors,
    oscillates,
    rejections_in,
)
from burnish.core.errors import StateCorrupt
from burnish.core.records import EventRecord, Usage
from tests.core.units import attempt, finding


def history(*attempts: Any) -> History:
    return History(tuple(attempts))


def test_oscillation_of_numbers() -> None:
    assert oscillates([0.5, 0.6, 0.5], step=0.01)
    assert not oscillates([0.5, 0.6, 0.6], step=0.01)
    assert not oscillates([0.6, 0.5], step=0.01)


def test_breaker_counts_streaks_from_the_end() -> None:
    states = {s.rule_id: s for s in breaker_states([{"a", "b"}, {"a"}], 2)}
    assert (states["a"].consecutive_failures, states["a"].is_tripped) == (2, True)
    assert (states["b"].consecutive_failures, states["b"].is_tripped) == (0, False)
    assert breaker_states([], 2) == ()


def test_attempts_are_numbered_without_holes() -> None:
    with pytest.raises(StateCorrupt):
        History((attempt(2),))


def test_the_best_is_the_one_with_fewest_errors_then_the_earliest() -> None:
    tries = history(attempt(1, "a", "b"), attempt(2, "a"), attempt(3, "c"), attempt(4, "a", "c"))
    assert tries.best is tries.attempts[1]
    assert tries.usage == Usage()
    assert [f.rule for f in findings_of(tries.attempts[1])] == ["a"]


def test_a_persons_own_text_is_final() -> None:
    tries = history(attempt(1), attempt(2, "a", cause="person"))
    assert tries.best is tries.attempts[1]


def test_of_several_texts_by_people_the_latest_counts() -> None:
    tries = history(attempt(1), attempt(2, "a", cause="person"), attempt(3, "a", "b", cause="person"))
    assert tries.best is tries.attempts[2]


def test_a_rejected_text_of_a_person_is_no_longer_final() -> None:
    tries = [attempt(1, "a"), attempt(2, "a", "b", cause="person")]
    sent_back = History(tuple(tries), rejections=(2,))
    assert sent_back.best is tries[1], "it is still what the next draft starts from"
    passing = sent_back.with_attempt(attempt(3))
    assert passing.best is passing.attempts[2]
    later = passing.with_attempt(attempt(4, "a", cause="person"))
    assert later.best is later.attempts[3], "a text that came after the rejection is final again"


def test_what_passed_before_a_rejection_does_not_outrank_what_passes_after_it() -> None:
    tries = History((attempt(1, cause="source"), attempt(2)), rejections=(1,))
    assert tries.best is tries.attempts[1]
    assert tries.before(2).best is tries.attempts[0]


def test_a_worse_draft_after_a_rejection_is_not_kept() -> None:
    tries = History((attempt(1, "a"), attempt(2, "a", "b"), attempt(3, "c")), rejections=(1,))
    assert tries.best is tries.attempts[2], "as many errors as what was sent back: the newer one answers the note"
    traded = History((attempt(1, "a"), attempt(2, "b", failure="new_errors: b")), rejections=(1,))
    assert traded.best is traded.attempts[0]


def test_a_safe_fix_takes_the_place_of_what_it_fixed() -> None:
    tries = history(attempt(1, cause="source", passed=False), attempt(2, "judged", cause="safe_fix"))
    assert tries.best is tries.attempts[1], "nobody judged the first: it only looks better"


def test_rejections_are_read_from_decisions() -> None:
    decisions = [
        EventRecord("decision", "u", {"verdict": verdict, "after_attempt": after})
        for verdict, after in (("edit", 1), ("reject", 2), ("accept", 2), ("reject", 4))
    ]
    assert rejections_in(decisions) == (2, 4)
    tries = History(tuple(attempt(n) for n in range(1, 6)), (2, 4))
    assert [a.number for a in tries.since_rejection] == [5]
    assert tries.before(4).rejections == (2,)
    assert len(history(attempt(1)).since_rejection) == 1


drafts_of_all = st.lists(
    st.tuples(st.sampled_from(["model", "person", "review"]), st.sets(st.sampled_from("abc"), max_size=3)),
    min_size=1,
    max_size=8,
)


@settings(max_examples=300)
@given(drafts_of_all, st.sets(st.integers(1, 8), max_size=3))
def test_a_rejection_ends_what_came_before_it(drafts: list[tuple[str, set[str]]], sent_back: set[int]) -> None:
    attempts = [
        attempt(n, *sorted(found), cause=cause, content_hash=f"sha256:{n}")
        for n, (cause, found) in enumerate(drafts, start=1)
    ]
    rejections = tuple(sorted(after for after in sent_back if after <= len(attempts)))
    tries = History(tuple(attempts), rejections)
    best, since = tries.best, tries.since_rejection
    assert best is not None
    by_people = [a for a in since if a.cause == "person"]
    if by_people:
        assert best is by_people[-1]
    elif any(a.passed for a in since):
        assert best in since and best.passed
    else:
        base = History(tuple(attempts[: rejections[-1]]), rejections[:-1]).best if rejections else None
        seen = [*since, *([base] if base is not None else [])]
        assert best in seen
        assert open_errors(best) == min(open_errors(a) for a in seen)


@pytest.mark.parametrize(
    ("scores", "step", "swings"),
    [
        ([0.5, 0.75, 0.5], 0.25, False),
        ([0.5, 0.75, 0.5], 0.2, True),
        ([0.5, 0.75, 0.5, 0.5], 0.2, False),
        ([0.0, 0.5, 0.75, 0.5], 0.2, True),
        ([0.25, 0.75, 0.5], 0.25, False),
        ([0.5, 0.75, 0.25], 0.25, False),
        ([0.75, 0.5, 0.75], 0.2, False),
        ([0.5, 0.75], 0.2, False),
    ],
)
def test_a_score_swings_only_if_it_moves_by_more_than_a_step_both_ways(
    scores: list[float], step: float, swings: bool
) -> None:
    assert oscillates(scores, step=step) is swings


def test_rules_with_errors_and_worse_block() -> None:
    findings = [finding("a", "critical"), finding("b", "error"), finding("c", "warning"), finding("b", "info")]
    tried = attempt(1, findings=tuple(one.as_record() for one in findings))
    assert blocking_rules(tried) == {"a", "b"} and open_errors(tried) == 2


def test_a_rule_trips_when_it_failed_every_time_and_often_enough() -> None:
    def tripped(failing: list[set[str]], limit: int) -> list[tuple[str, int, bool]]:
        return [(s.rule_id, s.consecutive_failures, s.is_tripped) for s in breaker_states(failing, limit)]

    assert tripped([{"a"}], 1) == [("a", 1, True)]
    assert tripped([{"a"}], 2) == [("a", 1, False)]
    assert tripped([{"a"}, {"b"}, {"b"}], 2) == [("a", 0, False), ("b", 2, False)]
    assert tripped([{"a"}, {"a"}, {"a", "b"}], 2) == [("a", 3, True), ("b", 1, False)]


def test_the_scores_break_a_tie_then_the_number_of_findings_then_the_order() -> None:
    notes = tuple(finding("n", "info").as_record() for _ in range(2))
    low, high = attempt(1, scores={"a": 0.5, "b": 0.5}), attempt(2, scores={"a": 0.25, "b": 0.8})
    assert history(low, high).best is high
    assert history(low, attempt(2, scores={"a": 0.5, "b": 0.5})).best is low
    assert history(attempt(1, scores={}, findings=notes, passed=True), attempt(2, scores={})).best.number == 2  # type: ignore[union-attr]
    assert history(attempt(1, scores={}), attempt(2, scores={"a": 0.1})).best.number == 2  # type: ignore[union-attr]


def test_the_next_and_the_last_attempt() -> None:
    assert (history().next_number, history().last, history().best) == (1, None, None)
    tries = History((attempt(1), attempt(2)), withdrawn=frozenset({2}))
    assert tries.next_number == 3 and tries.last is tries.attempts[0] and len(tries.counted) == 1


def test_a_review_takes_the_place_of_what_was_said_of_the_same_text() -> None:
    passed_by_rules = attempt(1, cause="source", passed=True)
    doubted = attempt(2, "vague", cause="review", passed=True)
    assert history(passed_by_rules, doubted).best == doubted
    objected = attempt(2, "wrong", cause="review", passed=False)
    assert history(passed_by_rules, objected).best == objected


def test_a_review_without_an_answer_takes_no_place() -> None:
    first = attempt(1, cause="source", passed=True)
    silent = attempt(2, cause="review", passed=False, failure="judges_silent: a")
    assert history(first, silent).best == first


def test_a_persons_text_is_final_whatever_a_review_says() -> None:
    person = attempt(1, cause="person", passed=True)
    assert history(person, attempt(2, cause="review", passed=False)).best == person
