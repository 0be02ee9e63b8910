import sqlite3
from pathlib import Path

from burnish.store.clock import system_clock
from burnish.store.sqlite_journal import create_journal
from tests.faults import f18_versions, journal_v2


def test_short_form() -> None:
    assert f18_versions.run(full=False)


def schema(path: Path) -> set[str]:
    connection = sqlite3.connect(path)
    rows = connection.execute("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL").fetchall()
    connection.close()
    return {" ".join(row[0].split()).replace("( ", "(") for row in rows}


def test_a_new_journal_has_the_schema_of_the_frozen_one(tmp_path: Path) -> None:
    """As long as version 2 is the newest: a released step that is changed afterwards is noticed here."""
    create_journal(tmp_path / "new.sqlite", clock=system_clock).close()
    journal_v2.write(tmp_path / "old.sqlite")
    assert schema(tmp_path / "new.sqlite") == schema(tmp_path / "old.sqlite")
