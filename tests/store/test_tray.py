"""The tray of a run: durable, one decision a unit, and nobody's but ours."""

import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from burnish.core.errors import StateCorrupt, UsageError
from burnish.store.paths import RunFolder
from burnish.store.tray import Tray, TrayEntry, Withdrawn

ONE = TrayEntry("q1", "m1", "accept", "Ada", None, None, seen="2026-01-01", at="2026-01-02")
HOSTILE = TrayEntry("doc.json/q\ud800\x00", "m2", "edit", "Ada\x00", "n\udfff", "text " * 5000, seen="1", at="2")


@pytest.fixture
def tray(tmp_path: Path) -> Tray:
    return Tray(tmp_path / "tray.sqlite")


def lay(tray: Tray, *entries: TrayEntry) -> None:
    with tray.held() as held:
        for entry in entries:
            held.lay(entry)


def test_a_run_without_one_has_nothing_in_it(tray: Tray) -> None:
    assert tray.entries() == []
    assert not tray.path.exists(), "looking makes none"
    tray.path.touch()
    assert tray.entries() == [], "whoever was about to make it was killed"


def test_everything_comes_back_as_it_was_laid_in(tray: Tray) -> None:
    lay(tray, HOSTILE, ONE)
    assert tray.entries() == [HOSTILE, ONE]
    with tray.held() as held:
        assert held.entry("q1") == ONE
        assert held.entry("q2") is None


def test_one_decision_a_unit(tray: Tray) -> None:
    lay(tray, ONE, HOSTILE)
    lay(tray, replace(ONE, mark="m3", verdict="reject", note="Why."))
    assert [(entry.unit, entry.mark) for entry in tray.entries()] == [(HOSTILE.unit, "m2"), ("q1", "m3")]


def test_what_could_not_be_put_into_effect_says_why(tray: Tray) -> None:
    lay(tray, ONE, HOSTILE)
    with tray.held() as held:
        held.fail("q1", "It has moved.")
        held.remove(HOSTILE.unit)
    assert tray.entries() == [replace(ONE, why="It has moved.")]


def test_what_fails_halfway_was_never_done(tray: Tray) -> None:
    lay(tray, ONE)
    with pytest.raises(UsageError), tray.held() as held:
        held.remove("q1")
        held.lay(HOSTILE)
        raise UsageError("The journal says no.")
    assert tray.entries() == [ONE]


def test_another_file_in_its_place_is_left_alone(tray: Tray) -> None:
    with closing(sqlite3.connect(tray.path)) as other:
        other.execute("CREATE TABLE t (x)")
    before = tray.path.read_bytes()
    with pytest.raises(StateCorrupt, match="no tray of Burnish"):
        tray.entries()
    with pytest.raises(StateCorrupt, match="no tray of Burnish"):
        lay(tray, ONE)
    assert tray.path.read_bytes() == before
    tray.path.write_bytes(b"not SQLite at all" * 100)
    with pytest.raises(StateCorrupt, match="damaged"):
        tray.entries()


def test_what_is_taken_back_is_kept_until_it_is_told(tray: Tray) -> None:
    lay(tray, ONE, HOSTILE)
    with tray.held() as held:
        held.withdraw(HOSTILE.unit, by="Bob\x00", at="3")
        held.withdraw("q9", by="Bob", at="3")
    assert tray.entries() == [ONE]
    assert tray.withdrawn() == [Withdrawn(HOSTILE, "Bob\x00", "3")]
    with tray.held() as held:
        held.forget_withdrawn()
    assert tray.withdrawn() == []


def test_what_cannot_be_put_into_effect_now_waits_on(tray: Tray) -> None:
    lay(tray, ONE)
    with tray.held() as held:
        held.put_off("q1", "The file is away.")
    assert tray.entries() == [replace(ONE, delay="The file is away.")]


def test_one_of_the_first_version_is_brought_up_to_the_present(tray: Tray) -> None:
    lay(tray, ONE)
    with closing(sqlite3.connect(tray.path)) as other:
        other.execute("ALTER TABLE entries DROP COLUMN delay")
        other.execute("DROP TABLE withdrawn")
        other.execute("PRAGMA user_version = 1")
    assert tray.entries() == [ONE] and tray.withdrawn() == []


def test_a_newer_one_is_refused_politely(tray: Tray) -> None:
    lay(tray, ONE)
    with closing(sqlite3.connect(tray.path)) as other:
        other.execute("PRAGMA user_version = 9")
    with pytest.raises(StateCorrupt, match="newer Burnish") as refused:
        tray.entries()
    assert "Update Burnish" in str(refused.value.hint)


def test_no_export_takes_its_name(tmp_path: Path) -> None:
    folder = RunFolder.at(tmp_path, "r")
    assert folder.tray == folder.root / "tray.sqlite"
    with pytest.raises(UsageError, match="the run needs that name"):
        folder.export("tray.sqlite")
