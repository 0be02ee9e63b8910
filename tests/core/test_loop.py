"""The loop ends, and keeps the best."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from burnish.core.attempts import (
    History,
    breaker_states,
    converged,
    findings_of,
    open_errors,
    oscillates,
)
from burnish.core.decisions import rejections_in
from burnish.core.errors import StateCorrupt
from burnish.core.loop import DocumentState, Limits, LoopPolicy, Move, UnitState, next_moves
from burnish.core.records import EventRecord, Usage
from tests.core.units import attempt

POLICY = LoopPolicy(max_repairs=2)


def move(history: History, policy: LoopPolicy = POLICY, **more: Any) -> Move:
    document = DocumentState(
        (UnitState("u", history, **{k: v for k, v in more.items() if k != "usage"}),), more.get("usage", Usage()), 0.0
    )
    [only] = next_moves(document, policy)
    return only


def history(*attempts: Any) -> History:
    return History(tuple(attempts))


SOURCE = attempt(1, "r1", "r2", cause="source")


def test_it_begins_with_a_review_or_a_draft() -> None:
    assert move(History()).name == "review"
    assert move(History(), starts_empty=True).name == "draft"


def test_what_passed_is_accepted() -> None:
    assert move(history(attempt(1, cause="source"))) == Move("accept", "u", "attempt_1")


def test_errors_are_repaired_twice_then_a_person_is_asked() -> None:
    assert move(history(SOURCE)) == Move("repair", "u", rules=("r1", "r2"))
    assert move(history(SOURCE, attempt(2, "r1"))) == Move("repair", "u", rules=("r1",))
    spent = move(history(SOURCE, attempt(2, "r1"), attempt(3, "r2")))
    assert (spent.name, spent.reason, spent.rules) == ("ask_person", "attempts_exhausted", ())


def test_a_rule_that_fails_every_time_trips_the_breaker() -> None:
    spent = move(history(SOURCE, attempt(2, "r1", "r2"), attempt(3, "r1")))
    assert (spent.name, spent.reason, spent.rules) == ("ask_person", "circuit_breaker", ("r1",))


@pytest.mark.parametrize("why", ["no_model", "fatal_finding", "model_failed"])
def test_what_cannot_be_repaired_goes_to_a_person(why: str) -> None:
    assert move(history(SOURCE), unrepairable=why) == Move("ask_person", "u", why)


def test_attempts_granted_anew_count_from_there() -> None:
    spent = history(SOURCE, attempt(2, "r1"), attempt(3, "r1"))
    assert move(spent, granted_after=3).name == "repair"


def test_a_second_look() -> None:
    assert move(history(SOURCE), review_again=True).name == "review"


@pytest.mark.parametrize(
    ("limits", "usage", "reason"),
    [
        (Limits(tokens=100), Usage(60, 40), "token_budget"),
        (Limits(cost=0.5), Usage(1, 1, 0.5), "cost_budget"),
        (Limits(seconds=0.0), Usage(), "timeout"),
    ],
)
def test_ceilings(limits: Limits, usage: Usage, reason: str) -> None:
    assert move(history(SOURCE), LoopPolicy(2, limits), usage=usage).reason == reason


def test_an_unknown_price_meets_no_cost_ceiling() -> None:
    assert move(history(SOURCE), LoopPolicy(2, Limits(cost=0.5)), usage=Usage(1, 1, None)).name == "repair"


def test_best_effort_instead_of_a_person() -> None:
    policy = LoopPolicy(1, when_spent="best_effort")
    assert move(history(SOURCE, attempt(2, "r1")), policy).name == "best_effort"


def test_locks_and_convergence() -> None:
    scores = [0.5, 0.7, 0.6]
    ups_and_downs = history(*(attempt(n, "r", scores={"s": s}) for n, s in enumerate(scores, start=1)))
    assert move(ups_and_downs, LoopPolicy(9, oscillation_step=0.01)) == Move("lock", "u", "oscillation")
    assert move(ups_and_downs, LoopPolicy(9, max_edits_before_lock=2)) == Move("lock", "u", "max_edits")
    assert move(ups_and_downs, LoopPolicy(9), locked=True) == Move("ask_person", "u", "locked")
    flat = history(*(attempt(n, "r", scores={"s": 0.5}) for n in (1, 2, 3)))
    assert move(flat, LoopPolicy(9, convergence_step=0.02)) == Move("ask_person", "u", "converged")


def test_convergence_and_oscillation_of_numbers() -> None:
    assert not converged([0.5, 0.5], step=0.02)
    assert converged([0.1, 0.5, 0.51, 0.505], step=0.02)
    assert not converged([0.5, 0.51, 0.6], step=0.02)
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
    assert move(passing, granted_after=2) == Move("accept", "u", "attempt_3")
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
    attempts = [attempt(n, *sorted(found), cause=cause) for n, (cause, found) in enumerate(drafts, start=1)]
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


rules = st.sets(st.sampled_from("abcd"), max_size=4)


@settings(max_examples=300)
@given(st.lists(rules, min_size=1, max_size=12), st.integers(0, 4))
def test_it_always_ends_and_never_keeps_a_worse_draft(drafts: list[set[str]], patience: int) -> None:
    """F15: whatever a model writes, the loop ends, and what it keeps is never worse than the best it saw."""
    policy = LoopPolicy(patience)
    tries, feed, last = History(), iter(drafts * 9), None
    for _ in range(patience + 3):
        last = move(tries, policy)
        if last.name not in ("review", "repair"):
            break
        cause = "source" if last.name == "review" else "model"
        tries = tries.with_attempt(attempt(tries.next_number, *sorted(next(feed)), cause=cause))
    assert last is not None and last.name in ("accept", "ask_person")
    assert tries.best is not None
    assert open_errors(tries.best) == min(open_errors(a) for a in tries.attempts)
    assert (last.name == "accept") == any(a.passed for a in tries.attempts)
