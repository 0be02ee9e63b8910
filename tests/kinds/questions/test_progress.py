"""The next move of a question: it always ends, and keeps the best."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from burnish.core.attempts import History, open_errors
from burnish.core.records import AttemptRecord, EventRecord
from burnish.core.tasks import USUAL_ATTEMPTS
from burnish.kinds.questions.kind import QuestionsKind
from burnish.kinds.questions.model import Question
from burnish.kinds.questions.progress import NextMove, UnitProgress
from tests.core.units import attempt
from tests.engine.questions_bench import sound

KIND = QuestionsKind()
SOURCE = attempt(1, "r1", "r2", cause="source")


def progress(*attempts: AttemptRecord, **more: Any) -> UnitProgress:
    return UnitProgress(KIND, Question.model_validate(sound(0)), History(attempts), **more)


def move(*attempts: AttemptRecord, can_repair: bool = True, **more: Any) -> NextMove:
    return progress(*attempts, **more).next_move(can_repair=can_repair)


def test_it_begins_with_a_review() -> None:
    assert move() == NextMove("review")


def test_what_passed_is_accepted() -> None:
    assert move(attempt(1, cause="source")) == NextMove("accept", "attempt_1")


def test_errors_are_repaired_twice_then_a_person_is_asked() -> None:
    assert move(SOURCE) == move(SOURCE, attempt(2, "r1")) == NextMove("repair")
    assert move(SOURCE, attempt(2, "r1"), attempt(3, "r2")) == NextMove("ask_person", "attempts_exhausted")


def test_a_rule_that_fails_every_time_trips_the_breaker() -> None:
    assert move(SOURCE, attempt(2, "r1", "r2"), attempt(3, "r1")) == NextMove("ask_person", "circuit_breaker", ("r1",))


def test_what_cannot_be_repaired_goes_to_a_person() -> None:
    assert move(SOURCE, can_repair=False) == NextMove("ask_person", "no_model")
    fatal = sorted(KIND.fatal_rules)[0]
    assert move(attempt(1, fatal, cause="source")) == NextMove("ask_person", "fatal_finding")
    assert move(SOURCE, attempt(2, "r1", failure="model_failed: 400")) == NextMove("ask_person", "model_failed")


def test_a_rationale_against_the_key_is_never_repaired_by_a_model() -> None:
    rule = "ext_contradicting_rationale"
    assert move(attempt(1, "r1", rule, cause="source")) == NextMove("ask_person", rule)
    assert move(SOURCE, attempt(2, rule)) == NextMove("ask_person", rule), "what a model wrote is looked at, too"


def test_attempts_granted_anew_count_from_there() -> None:
    assert move(SOURCE, attempt(2, "r1"), attempt(3, "r1"), granted_after=3) == NextMove("repair")


def test_judges_that_were_silent_are_asked_again() -> None:
    silent = attempt(1, cause="source", passed=False, failure="judges_silent: m: x")
    assert move(silent) == NextMove("ask_person", "judges_silent")
    assert move(silent, granted_after=1) == NextMove("review")


def test_a_rejection_is_answered_by_another_draft() -> None:
    sent_back = EventRecord("decision", "u", {"verdict": "reject", "by": "Ada", "note": "No.", "after_attempt": 1})
    found = UnitProgress.recalled(KIND, Question.model_validate(sound(0)), [attempt(1, cause="source")], [sent_back])
    assert [finding.rule for finding in found.errors] == ["sent_back"]
    assert found.next_move(can_repair=True) == NextMove("repair")
    assert found.with_attempt(attempt(2)).next_move(can_repair=True) == NextMove("accept", "attempt_2")


rules = st.sets(st.sampled_from("abcd"), max_size=4)


@settings(max_examples=200)
@given(st.lists(rules, min_size=1, max_size=12))
def test_it_always_ends_and_never_keeps_a_worse_draft(drafts: list[set[str]]) -> None:
    """F15: whatever a model writes, the loop ends, and what it keeps is never worse than the best it saw."""
    ends(drafts)


def ends(drafts: list[set[str]]) -> int:
    """Follow the moves with these drafts; how many attempts it took."""
    now, feed, last = progress(), iter(drafts * 9), None
    for _ in range(USUAL_ATTEMPTS + 3):
        last = now.next_move(can_repair=True)
        if last.name not in ("review", "repair"):
            break
        cause = "source" if last.name == "review" else "model"
        now = now.with_attempt(attempt(now.history.next_number, *sorted(next(feed)), cause=cause))
    best = now.history.best
    assert last is not None and last.name in ("accept", "ask_person") and best is not None
    assert open_errors(best) == min(open_errors(a) for a in now.history.attempts)
    assert (last.name == "accept") == any(a.passed for a in now.history.attempts)
    return len(now.history.attempts)


def test_moves_that_end_it_have_a_reason() -> None:
    assert ends([{"a"}]) == USUAL_ATTEMPTS + 1
    with pytest.raises(StopIteration):
        ends([])
