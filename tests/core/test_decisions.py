"""Decisions that were taken back: they stay in the journal, and count nowhere."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from burnish.core.attempts import (
    History,
    effective_decisions,
    is_undo,
    rejections_in,
    reported_decisions,
    restored,
    row_before,
    withdrawn_in,
)
from burnish.core.presentation import UnitStory
from burnish.core.records import EventRecord, UnitRow
from burnish.core.tasks import Item
from tests.core.units import PlainUnit, attempt

ROW = UnitRow("u", "d", 0, "h", "waiting", "no_model", attempts=1, best_attempt=1, open_errors=2, at="1")


def said(seq: int, verdict: str, after: int = 1, **more: object) -> EventRecord:
    data = {"verdict": verdict, "by": "Ada", "note": None, "after_attempt": after, "reason_before": "no_model", **more}
    return EventRecord("decision", "u", data, seq=seq, at=f"t{seq}")


def undo(seq: int, of: int, by: str = "Bob") -> EventRecord:
    return said(seq, "undo", by=by, undoes=of)


def test_what_was_taken_back_does_not_stand_and_neither_does_the_taking_back() -> None:
    accept, reopened, edit = (
        said(1, "accept"),
        EventRecord("reopened", "u", {"after_attempt": 1}, seq=3),
        said(4, "edit", 2),
    )
    every = [accept, undo(2, 1), reopened, edit]
    assert effective_decisions(every) == (reopened, edit)
    assert [is_undo(event) for event in every] == [False, True, False, False]
    assert effective_decisions([]) == ()


def test_only_rejections_that_stand_grant_attempts() -> None:
    every = [said(1, "reject", 2), undo(2, 1), said(3, "reject", 4)]
    assert rejections_in(every) == (4,)
    assert rejections_in(every[:1]) == (2,)


def test_a_text_that_was_taken_back_is_withdrawn_and_nothing_else_is() -> None:
    every = [said(1, "edit", 2), said(2, "edit", 3), undo(3, 2), said(4, "accept", 3), undo(5, 4)]
    assert withdrawn_in(every) == {3}


def test_reports_tell_who_took_a_decision_back() -> None:
    plain, gone = reported_decisions(
        [said(1, "accept", before={"state": "waiting"}, mark="m"), said(2, "edit", 2), undo(3, 2)]
    )
    assert plain == {
        "verdict": "accept",
        "by": "Ada",
        "note": None,
        "after_attempt": 1,
        "reason_before": "no_model",
        "at": "t1",
    }
    assert (gone["undone_by"], gone["undone_at"]) == ("Bob", "t3")


def test_a_row_comes_back_but_for_its_attempts() -> None:
    decided = replace(ROW, state="ready", reason="edited by Ada", attempts=2, best_attempt=2, open_errors=0, at="9")
    assert restored(decided, row_before(ROW)) == replace(ROW, attempts=2, at="9")


@pytest.fixture
def tried() -> History:
    """A model's draft, then a person's text; the person took it back."""
    attempts = [attempt(1, "a"), attempt(2, cause="model", passed=True), attempt(3, "a", cause="person")]
    return History.of(attempts, [said(1, "edit", 3), undo(2, 1)])


def test_a_withdrawn_text_is_never_the_best_nor_the_last(tried: History) -> None:
    assert tried.best is tried.attempts[1]
    assert tried.last is tried.attempts[1]
    assert tried.next_number == 4, "its number is taken for ever"
    assert [one.number for one in tried.counted] == [1, 2]
    assert [one.number for one in tried.since_rejection] == [1, 2]
    assert tried.before(4).withdrawn == {3}
    assert tried.with_attempt(attempt(4, cause="person")).best == attempt(4, cause="person")


def test_stories_and_items_say_what_counts() -> None:
    attempts = (attempt(1), attempt(2, cause="person"))
    decisions = (said(1, "edit", 2), undo(2, 1), said(3, "accept", 2))
    unit = PlainUnit.of()
    for told in (UnitStory(ROW, unit, attempts, decisions), Item(ROW, unit, unit, attempts, decisions)):
        assert told.effective_decisions == decisions[2:]
        assert told.counted_attempts == attempts[:1]
    assert Item(ROW, unit, unit, attempts).counted_attempts is attempts


@given(st.lists(st.sampled_from(["accept", "edit", "reject", "undo"]), max_size=12))
def test_any_sequence_leaves_what_a_stack_leaves(verdicts: list[str]) -> None:
    """Each undo takes away the last decision that stands, as from a stack."""
    events: list[EventRecord] = []
    stack: list[EventRecord] = []
    attempts = 1
    for seq, verdict in enumerate(verdicts, start=1):
        if verdict == "undo":
            if stack:
                events.append(undo(seq, stack.pop().seq))
            continue
        attempts += verdict == "edit"
        events.append(said(seq, verdict, attempts))
        stack.append(events[-1])
    assert effective_decisions(events) == tuple(stack)
    assert rejections_in(events) == tuple(e.data["after_attempt"] for e in stack if e.data["verdict"] == "reject")
    texts = {e.data["after_attempt"] for e in events if e.data["verdict"] == "edit"}
    assert withdrawn_in(events) == texts - {e.data["after_attempt"] for e in stack if e.data["verdict"] == "edit"}
