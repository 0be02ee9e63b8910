"""How fast somebody decides."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from burnish.core.records import event
from burnish.store.journal import MemoryJournal
from burnish.store.processes import iso
from burnish.web import queue_position as pace_module
from burnish.web.queue_position import Pace, decisions_since, midnight, pace_of

MORNING = datetime(2026, 11, 15, 8, 0, tzinfo=UTC)


def journal(*seconds: float, by: str = "Robin", noise: int = 0) -> MemoryJournal:
    """Decisions at these seconds of the morning, each behind some events of another sort."""
    moments = iter([MORNING + timedelta(seconds=second) for second in seconds for _ in range(noise + 1)])
    made = MemoryJournal(clock=lambda: next(moments))
    for number, _ in enumerate(seconds):
        for _ in range(noise):
            made.write_now(event("rolled_back", "u"))
        made.write_now(event("decision", f"u{number}", data={"verdict": "accept", "by": by, "after_attempt": 1}))
    return made


def test_the_middle_of_the_gaps_without_breaks_and_without_what_was_decided_at_once() -> None:
    pace = pace_of([journal(0, 10, 24, 24.1, 24.2, 40, 4000, 4012)], "Robin", iso(MORNING))
    assert (pace.decided, pace.seconds_each) == (8, 13.0)
    assert pace.left(10) == 130.0


def test_several_runs_count_together_and_other_people_do_not() -> None:
    journals = [journal(0, 20), journal(10, 30), journal(5, 15, by="Lila")]
    assert pace_of(journals, "Robin", iso(MORNING)) == Pace(4, 10.0)
    assert pace_of(journals, "Nobody", iso(MORNING)) == Pace(0, None)


def test_few_decisions_are_no_pace() -> None:
    assert pace_of([journal(0, 10)], "Robin", iso(MORNING)) == Pace(2, None)
    assert Pace(2, None).left(5) is None


def test_thousands_are_not_counted_and_that_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pace_module, "MOST_READ", 3)
    assert pace_of([journal(0, 10, 20)], "Robin", iso(MORNING)) == Pace(3, 10.0)
    assert not pace_of([journal(0, 10, 20, 30, 40), journal(5)], "Robin", iso(MORNING)).is_all


def test_what_was_taken_back_does_not_count() -> None:
    taken = journal(0, 10)
    first = next(iter(taken.events(types=("decision",))))
    undone = MemoryJournal(clock=lambda: MORNING + timedelta(seconds=20))
    undone.write_now(first)
    undone.write_now(event("decision", first.unit, data={"verdict": "undo", "by": "Robin", "undoes": 1}))
    assert pace_of([undone], "Robin", iso(MORNING)).decided == 0


def test_it_goes_on_from_where_it_was_read() -> None:
    seconds = iter(range(0, 100, 10))
    made = MemoryJournal(clock=lambda: MORNING + timedelta(seconds=next(seconds)))
    for number in range(4):
        made.write_now(event("decision", f"u{number}", data={"verdict": "accept", "by": "Robin", "after_attempt": 1}))
        assert pace_of([made], "Robin", iso(MORNING)).decided == number + 1
    made.write_now(event("decision", "u0", data={"verdict": "undo", "by": "Robin", "undoes": 1}))
    assert pace_of([made], "Robin", iso(MORNING)) == Pace(3, 10.0)
    assert pace_of([made], "Robin", iso(MORNING + timedelta(seconds=15))) == Pace(2, None), "another day"


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 30), st.integers(0, 3), st.integers(-5, 40))
def test_decisions_since_a_moment_are_found_wherever_they_begin(many: int, noise: int, second: int) -> None:
    made = journal(*(float(number) for number in range(many)), noise=noise)
    since = iso(MORNING + timedelta(seconds=second))
    wanted = [found.unit for found in made.events(types=("decision",)) if found.at >= since]
    assert [found.unit for found in decisions_since(made, since)] == wanted


def test_today_begins_at_midnight() -> None:
    begun = midnight(MORNING)
    assert begun <= iso(MORNING) and begun > iso(MORNING - timedelta(hours=24))
