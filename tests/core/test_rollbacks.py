"""Which edits are in the draft that is kept, and which were taken back: told from the attempts, which never change."""

from typing import Any

from burnish.core.attempts import kept_edits, rolled_back
from burnish.core.records import AttemptRecord
from tests.core.units import attempt


def edit(number: int, before: str, after: str, **more: Any) -> AttemptRecord:
    edits = ({"unit": "u", "field": None, "find": before, "replace": after},)
    return attempt(number, content_hash=after, edits=edits, receipt={"before": before, "after": after}, **more)


def look(number: int, content: str, cause: str = "review") -> AttemptRecord:
    return attempt(number, cause=cause, content_hash=content)


def test_edits_that_lead_to_the_kept_text_stand() -> None:
    tried = [look(1, "a", "source"), edit(2, "a", "b"), look(3, "b"), edit(4, "b", "c"), look(5, "c")]
    assert kept_edits(tried, 5) == {2, 4} and rolled_back(tried, 5) == frozenset()
    assert kept_edits(tried, 3) == {2} and rolled_back(tried, 3) == {4}, "an earlier version was the best"
    assert kept_edits(tried, 1) == frozenset() and rolled_back(tried, 1) == {2, 4}


def test_what_was_tried_again_after_a_rollback_stands_once() -> None:
    tried = [look(1, "a", "source"), edit(2, "a", "b"), edit(3, "a", "b"), look(4, "b")]
    assert kept_edits(tried, 4) == {3} and rolled_back(tried, 4) == {2}


def test_what_was_refused_was_never_taken() -> None:
    tried = [look(1, "a", "source"), edit(2, "a", "b", failure="protected: no")]
    assert kept_edits(tried, 1) == rolled_back(tried, 1) == frozenset()


def test_a_persons_text_takes_nothing_back() -> None:
    tried = [look(1, "a", "source"), edit(2, "a", "b"), look(3, "z", "person")]
    assert kept_edits(tried, 3) == rolled_back(tried, 3) == frozenset()
    assert kept_edits([], 0) == rolled_back([], 0) == frozenset()


def test_a_draft_after_a_persons_text_takes_that_back_again() -> None:
    tried = [look(1, "a", "source"), edit(2, "a", "b"), look(3, "z", "person"), edit(4, "z", "y")]
    assert kept_edits(tried, 4) == {4} and rolled_back(tried, 4) == {2}
    assert rolled_back(tried, 3) == frozenset()


def test_without_a_best_draft_the_source_is_what_stands() -> None:
    tried = [look(1, "a", "person"), edit(2, "a", "b")]
    assert kept_edits(tried, 0) == rolled_back(tried, 0) == frozenset()
    sourced = [look(1, "a", "source"), edit(2, "a", "b", cause="person")]
    assert rolled_back(sourced, 0) == {2}
