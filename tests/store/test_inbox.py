"""The inbox: decisions from any process, each counted once, held against the unit that the person saw."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, get_args

import pytest

from burnish.core.errors import StorageFailed
from burnish.core.records import event
from burnish.store.inbox import Inbox, InboxEntry, State, Withdrawal
from burnish.store.journal import Journal
from burnish.store.paths import RunFolder
from burnish.store.sqlite_journal import own_run
from tests.store.samples import SetClock, unit

AT, LATER = "2026-11-15T12:00:00.000000Z", "2026-11-15T12:05:00.000000Z"


@pytest.fixture
def folder(tmp_path: Any) -> RunFolder:
    return RunFolder.at(tmp_path / "runs", "r1")


@pytest.fixture
def journal(folder: RunFolder) -> Iterator[Journal]:
    with own_run(folder, SetClock()) as run:
        run.journal.write_now(unit("q1"), unit("q2", 1), unit("q\ud800", 2))
        yield run.journal


@pytest.fixture
def inbox(folder: RunFolder, journal: Journal) -> Inbox:
    return Inbox(folder)


def kept(journal: Journal) -> list[InboxEntry]:
    return journal.inbox(*get_args(State))


def entry(journal: Journal, id: str = "q1", mark: str | None = None, **more: Any) -> InboxEntry:
    row = journal.unit(id)
    seen = "" if row is None else row.at
    plain = InboxEntry(
        mark or f"mark of {id.encode('unicode_escape').decode()}", id, "accept", "Ada", None, None, seen, AT, LATER
    )
    return replace(plain, **more)


def test_a_decision_is_read_as_it_was_written(inbox: Inbox, journal: Journal) -> None:
    said = entry(journal, "q\ud800", verdict="edit", by="Ada\x00", note="why\ud800", text="x" * 9_000, token="abcd")
    plain = entry(journal)
    assert inbox.add([said, plain]) == {}
    assert kept(journal) == [said, plain] and all(one.waits for one in kept(journal))


def test_the_same_decision_twice_is_one(inbox: Inbox, journal: Journal) -> None:
    one = entry(journal)
    assert inbox.add([one]) == inbox.add([one]) == {}
    assert kept(journal) == [one]


def test_of_two_decisions_about_a_unit_the_first_stands(inbox: Inbox, journal: Journal) -> None:
    one, other, third = entry(journal), entry(journal, mark="other", by="Ben"), entry(journal, "q2")
    inbox.add([one])
    assert inbox.add([other, third]) == {"q1": "q1"}
    assert kept(journal) == [one, third]


def test_a_decision_about_a_unit_that_has_changed_or_is_not_there_is_refused(inbox: Inbox, journal: Journal) -> None:
    stale = entry(journal)
    journal.write_now(unit("q1", state="accepted"))
    assert inbox.add([stale, entry(journal, "nobody"), entry(journal, "q2")]) == {"q1": "q1", "nobody": "nobody"}
    assert [one.unit for one in kept(journal)] == ["q2"]


def test_a_command_is_added_as_a_whole_or_not_at_all(inbox: Inbox, journal: Journal) -> None:
    known = entry(journal, "q2", mark="first")
    inbox.add([known])
    both = [entry(journal, command="c"), entry(journal, "q2", command="c"), entry(journal, "q\ud800")]
    assert inbox.add(both) == {"q1": "q2", "q2": "q2"}
    assert [one.unit for one in kept(journal)] == ["q2", "q\ud800"], "what stands alone is added all the same"
    assert inbox.add([Withdrawal("first", "q2", "Ben", LATER, "d"), entry(journal, command="d")]) == {}
    assert {one.mark: (one.state, one.command) for one in kept(journal)}["mark of q1"] == ("waiting", "d")


def test_what_is_dropped_beside_another_needs_it_as_it_was_seen(inbox: Inbox, journal: Journal) -> None:
    row = journal.unit("q2")
    assert row is not None
    drop = entry(journal, verdict="drop", beside={"q2": row.at})
    inbox.add([entry(journal, "q2", mark="accepted")])
    assert inbox.add([drop]) == {} and kept(journal)[1] == drop, "who accepts the other keeps it"
    inbox.add([Withdrawal(drop.mark, "q1", "Ada", LATER), Withdrawal("accepted", "q2", "Ada", LATER)])
    inbox.add([entry(journal, "q2", mark="dropped", verdict="drop")])
    again = replace(drop, mark="again")
    assert inbox.add([again]) == {"q1": "q2"}
    inbox.add([Withdrawal("dropped", "q2", "Ada", LATER)])
    journal.write_now(unit("q2", 1, state="accepted"))
    assert inbox.add([again]) == {"q1": "q2"}, "it has changed"


def test_only_what_was_not_applied_is_withdrawn(inbox: Inbox, journal: Journal) -> None:
    inbox.add([entry(journal), entry(journal, "q2")])
    withdrawal = Withdrawal("mark of q1", "q1", "Ben", LATER)
    assert inbox.add([withdrawal, Withdrawal("nobody's", "q9", "Ben", LATER)]) == {"q9": "q9"}
    assert [(one.state, one.withdrawn_by, one.withdrawn_at) for one in kept(journal)] == [
        ("withdrawn", "Ben", LATER),
        ("waiting", None, None),
    ]
    assert inbox.add([withdrawal]) == {"q1": "q1"}
    again = entry(journal, mark="again")
    assert inbox.add([again]) == {}
    journal.apply_decisions({"again": (again.seen, [event("decision", "q1")])})
    assert inbox.add([Withdrawal("again", "q1", "Ben", LATER)]) == {"q1": "q1"}
    assert [one.state for one in kept(journal)][-1] == "applied"


def test_a_decision_that_could_not_be_applied_makes_way_for_the_next(inbox: Inbox, journal: Journal) -> None:
    inbox.add([entry(journal), entry(journal, "q2")])
    journal.apply_decisions({}, failed={"mark of q1": "no room"}, delayed={"mark of q2": "busy"})
    assert [(one.state, one.why, one.delay) for one in kept(journal)] == [
        ("failed", "no room", None),
        ("waiting", None, "busy"),
    ]
    assert inbox.add([Withdrawal("mark of q1", "q1", "Ada", LATER)]) == {}
    inbox.add([entry(journal, mark="second")])
    journal.apply_decisions({}, failed={"second": "no room"})
    assert inbox.add([entry(journal, mark="third", by="Cleo", at=LATER)]) == {}
    states = {one.mark: (one.state, one.withdrawn_by) for one in kept(journal)}
    assert states["second"] == ("withdrawn", "Cleo") and states["third"][0] == "waiting"


def test_a_decision_is_applied_once_and_only_to_the_unit_that_was_seen(inbox: Inbox, journal: Journal) -> None:
    one, other = entry(journal), entry(journal, "q2")
    inbox.add([one, other])
    journal.write_now(unit("q2", 1, state="accepted"))
    changed = journal.unit("q2")
    assert changed is not None
    journal.apply_decisions(
        {
            one.mark: (one.seen, [event("decision", "q1"), unit("q1", state="accepted")]),
            other.mark: (other.seen, [event("decision", "q2")]),
        }
    )
    journal.apply_decisions({one.mark: (one.seen, [event("decision", "q1")])})
    assert [each.unit for each in journal.events(types=["decision"])] == ["q1"]
    assert {each.unit: each.state for each in kept(journal)} == {"q1": "applied", "q2": "waiting"}
    row = journal.unit("q1")
    assert row is not None and row.state == "accepted"


def test_an_undo_is_applied_unless_work_began_with_what_it_undoes(inbox: Inbox, journal: Journal) -> None:
    for id in ("q1", "q2"):
        journal.write_now(event("decision", id))
    journal.write_now(event("task_begun", "q2"))
    undoes = [entry(journal, id, verdict="undo") for id in ("q1", "q2")]
    inbox.add(undoes)
    journal.apply_decisions({one.mark: (one.seen, [event("decision_withdrawn", one.unit)]) for one in undoes})
    assert [each.unit for each in journal.events(types=["decision_withdrawn"])] == ["q1"]


def test_what_was_withdrawn_is_told_to_the_journal_once(inbox: Inbox, journal: Journal) -> None:
    inbox.add([entry(journal), entry(journal, "q2")])
    inbox.add([Withdrawal("mark of q1", "q1", "Ben", LATER)])
    journal.record_withdrawn({"mark of q1": event("decision_withdrawn", "q1")})
    assert {one.unit: one.state for one in kept(journal)} == {"q1": "told", "q2": "waiting"}
    assert [each.unit for each in journal.events(types=["decision_withdrawn"])] == ["q1"]


def test_waiting_decisions_are_due_at_once_if_somebody_says_so(inbox: Inbox, journal: Journal) -> None:
    inbox.add([entry(journal), entry(journal, "q2"), entry(journal, "q\ud800", due=AT)])
    journal.apply_decisions({}, failed={"mark of q2": "no room"})
    assert inbox.hasten("2026-11-15T12:01:00.000000Z", "q\ud800") == 1
    assert inbox.hasten("2026-11-15T12:02:00.000000Z", "nobody") == 0
    assert inbox.hasten("2026-11-15T12:03:00.000000Z") == 2
    assert {one.unit: one.due for one in kept(journal)} == {
        "q1": "2026-11-15T12:03:00.000000Z",
        "q2": LATER,
        "q\ud800": AT,
    }


def test_what_fails_in_the_middle_adds_nothing(inbox: Inbox, journal: Journal) -> None:
    with pytest.raises((TypeError, ValueError, AttributeError, StorageFailed)):
        inbox.add([entry(journal), entry(journal, "q2", by=object())])
    assert kept(journal) == []
    assert inbox.add([entry(journal)]) == {}


def test_the_inbox_tells_what_waits_and_what_is_due(inbox: Inbox, journal: Journal) -> None:
    inbox.add([entry(journal), entry(journal, "q2", due=AT)])
    journal.apply_decisions({}, failed={"mark of q2": "no room"})
    assert [one.unit for one in journal.inbox("waiting")] == ["q1"]
    assert [one.unit for one in journal.inbox("waiting", "failed", unit="q2")] == ["q2"]
    assert journal.inbox("waiting", unit="q2") == []
    assert journal.how_many_decided() == 1
    assert (journal.has_due(AT), journal.has_due(LATER)) == (False, True)
