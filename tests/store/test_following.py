"""Light reading of a journal: what is new, in the order in which it was written."""

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from burnish.core.errors import StateCorrupt
from burnish.core.events import event
from burnish.store import migrations
from burnish.store.clock import system_clock
from burnish.store.following import Following, Sketch
from burnish.store.migrations import MIGRATIONS, Migration, known_version
from burnish.store.sqlite_journal import SqliteJournal, create_journal
from tests.faults import journal_v1
from tests.store.samples import attempt, call, happened, unit


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "journal.sqlite"


@pytest.fixture
def journal(path: Path) -> Iterator[SqliteJournal]:
    made = create_journal(path, clock=system_clock)
    yield made
    made.close()


@pytest.fixture
def followed(journal: SqliteJournal, path: Path) -> Iterator[Following]:
    made = Following(path)
    yield made
    made.close()


def test_units_that_have_changed(journal: SqliteJournal, followed: Following) -> None:
    journal.write_now(*(unit(f"q{number}", number) for number in range(3)))
    first = followed.changed_units("", 2)
    assert [row.id for _, row in first] == ["q0", "q1"]
    assert [row.id for _, row in followed.changed_units(first[-1][1].at, 9)] == ["q2"]
    journal.write_now(unit("q1", 1, state="validated"))
    [(number, row)] = followed.changed_units(followed.changed_units("", 9)[-2][1].at, 9)
    assert (row.id, row.state, number) == ("q1", "validated", first[1][0]), "a unit keeps its number"
    assert followed.how_many_changed("", 2) == 2
    assert followed.how_many_changed(row.at, 2) == 0


def test_sketches_leave_out_what_only_a_page_shows(journal: SqliteJournal, followed: Following) -> None:
    row = unit(best_attempt=2)
    journal.write_now(row, attempt("q1", 1), attempt("q1", 2), attempt("other", 1))
    found = followed.sketches(["q1", "nobody"])
    assert list(found) == ["q1"]
    assert [sketch.content for sketch in found["q1"]] == [None, {"stem": "Which drug?"}]
    assert found["q1"] == [Sketch.of(whole, row) for whole in followed.attempts("q1")]
    assert followed.attempts("q1") == journal.attempts("q1")


def test_attempts_that_are_new(journal: SqliteJournal, followed: Following) -> None:
    journal.write_now(attempt("q1", 1), attempt("q2", 1), attempt("q1", 2))
    found = followed.new_attempts(0, 2)
    assert [(one.unit, one.number) for one in found] == [("q1", 1), ("q2", 1)]
    assert [(one.unit, one.number) for one in followed.new_attempts(found[-1].id, 9)] == [("q1", 2)]


def test_bills_that_are_new(journal: SqliteJournal, followed: Following) -> None:
    journal.write_now(*(call(f"k{number}") for number in range(3)))
    found = followed.bills(("", 0), 2)
    assert [(one.tokens, one.cost) for one in found] == [(120, 0.0015)] * 2
    assert [one.id for one in followed.bills((found[-1].at, found[-1].id), 9)] == [3]
    assert followed.ends()[2] == 3


def test_decisions_of_some_units(journal: SqliteJournal, followed: Following) -> None:
    assert followed.decisions(["q1"]) == {}
    for name in ("q1", "q2", "q1"):
        journal.write_now(happened(unit=name), event("decision", name, data={"verdict": "accept"}))
    found = followed.decisions(["q1", "nobody"])
    assert [one.seq for one in found["q1"]] == [2, 6]
    assert followed.latest("decision") == found["q1"][-1]


def test_the_run_as_a_whole(journal: SqliteJournal, followed: Following) -> None:
    assert followed.outermost() is None and followed.latest() is None
    assert followed.ends() == ("", 0, 0)
    journal.write_now(unit("b", 1), unit("a", 0), unit("issue", 9, document=""), happened(1), call())
    journal.set_meta("plan", "{}")
    ends = followed.outermost()
    assert ends is not None and [row.id for row in ends] == ["a", "b"]
    assert (followed.counts(), followed.totals()) == (journal.counts(), journal.totals())
    assert (followed.meta("plan"), followed.meta("nothing")) == ("{}", None)
    assert [one.data for one in followed.events("ingested")] == [{"n": 1}]


def test_it_stands_still_for_a_moment(journal: SqliteJournal, followed: Following) -> None:
    with followed.moment():
        assert followed.changed_units("", 9) == []
        journal.write_now(unit())
        assert followed.changed_units("", 9) == []
    assert len(followed.changed_units("", 9)) == 1


def test_what_is_new_is_found_by_index(journal: SqliteJournal, path: Path) -> None:
    connection = sqlite3.connect(path)
    for query, index in (
        ("SELECT id FROM units WHERE at > '' ORDER BY at LIMIT 9", "units_by_time"),
        ("SELECT id, prompt_tokens + completion_tokens, cost FROM calls WHERE at > '' ORDER BY at", "calls_by_time"),
        ("SELECT MAX(at) FROM units", "units_by_time"),
    ):
        [plan] = connection.execute(f"EXPLAIN QUERY PLAN {query}").fetchall()
        assert plan[3].startswith("SEARCH") and index in plan[3], plan
    connection.close()


class TestOtherJournals:
    def test_none(self, path: Path) -> None:
        with pytest.raises(StateCorrupt, match="no journal"):
            Following(path)

    def test_one_that_is_no_journal(self, path: Path) -> None:
        sqlite3.connect(path).execute("CREATE TABLE t (x)")
        with pytest.raises(StateCorrupt, match="not a journal"):
            Following(path)

    def test_one_that_has_to_be_brought_up_to_date(self, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        journal_v1.write(path)
        step = Migration(known_version() + 1, ("ALTER TABLE units ADD COLUMN note",))
        monkeypatch.setattr(migrations, "MIGRATIONS", (*MIGRATIONS, step))
        with pytest.raises(StateCorrupt, match="brought up to date"):
            Following(path)

    def test_one_that_is_damaged(self, journal: SqliteJournal, followed: Following, path: Path) -> None:
        journal.write_now(attempt("q1", 1), unit())
        connection = sqlite3.connect(path)
        connection.execute("UPDATE attempts SET findings = 'no json'")
        connection.commit()
        connection.close()
        with pytest.raises(StateCorrupt, match="damaged"):
            followed.sketches(["q1"])
