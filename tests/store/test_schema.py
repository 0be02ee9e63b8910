import re
import sqlite3
from pathlib import Path

import pytest

from burnish.core.errors import StateCorrupt
from burnish.core.faultpoints import installed
from burnish.store import schema
from burnish.store.processes import system_clock
from burnish.store.schema import MIGRATIONS, Migration, check_version, known_version, migrate, version_of
from burnish.store.sqlite_journal import create_journal, open_journal
from tests.store.samples import unit

NEXT = Migration(
    known_version() + 1, ("ALTER TABLE units ADD COLUMN note", "CREATE INDEX units_by_note ON units (note)")
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "journal.sqlite"
    journal = create_journal(path, clock=system_clock)
    journal.write_now(unit())
    journal.close()
    return path


def test_steps_are_numbered_without_a_gap() -> None:
    first = MIGRATIONS[0].version
    assert [step.version for step in MIGRATIONS] == list(range(first, first + len(MIGRATIONS)))


def test_a_new_journal_has_the_newest_version(path: Path) -> None:
    assert version_of(sqlite3.connect(path)) == known_version()


def test_an_older_journal_is_brought_up_to_date_and_keeps_its_content(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(schema, "MIGRATIONS", (*MIGRATIONS, NEXT))
    journal = open_journal(path, clock=system_clock)
    assert journal.counts() == {"draft": 1}
    journal.close()
    assert version_of(sqlite3.connect(path)) == NEXT.version


def test_reading_an_older_journal_does_not_change_it(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(schema, "MIGRATIONS", (*MIGRATIONS, NEXT))
    reader = open_journal(path, clock=system_clock, read_only=True)
    assert reader.counts() == {"draft": 1}
    reader.close()
    assert version_of(sqlite3.connect(path)) == NEXT.version - 1


def test_a_step_that_fails_changes_nothing(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    broken = Migration(NEXT.version, (*NEXT.statements, "CREATE TABLE units (id)"))
    monkeypatch.setattr(schema, "MIGRATIONS", (*MIGRATIONS, broken))
    with pytest.raises(StateCorrupt, match="already exists"):
        open_journal(path, clock=system_clock)
    connection = sqlite3.connect(path)
    assert version_of(connection) == known_version() - 1
    assert "note" not in [row[1] for row in connection.execute("PRAGMA table_info(units)")]


def test_a_crash_in_the_middle_of_a_step_changes_nothing(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(schema, "MIGRATIONS", (*MIGRATIONS, NEXT))

    def crash(name: str) -> None:
        if name == "journal.migrating":
            raise KeyboardInterrupt

    connection = sqlite3.connect(path, isolation_level=None)
    with installed(crash), pytest.raises(KeyboardInterrupt):
        migrate(connection)
    assert version_of(connection) == NEXT.version - 1
    assert migrate(connection) == [NEXT.version]
    assert migrate(connection) == []


@pytest.mark.parametrize("version", [MIGRATIONS[0].version - 1, MIGRATIONS[0].version, known_version()])
def test_only_versions_that_are_known_are_read(path: Path, version: int) -> None:
    connection = sqlite3.connect(path)
    connection.execute(f"PRAGMA user_version = {version}")
    if version < MIGRATIONS[0].version:
        with pytest.raises(StateCorrupt, match="draft of Burnish"):
            check_version(connection, path)
    else:
        assert check_version(connection, path) == version
    connection.execute(f"PRAGMA user_version = {known_version() + 1}")
    with pytest.raises(StateCorrupt, match="newer Burnish"):
        check_version(connection, path)
    connection.execute(f"PRAGMA user_version = {known_version()}")
    connection.execute("PRAGMA application_id = 7")
    with pytest.raises(StateCorrupt, match="not a journal"):
        check_version(connection, path)


def test_what_is_up_to_date_is_not_touched(path: Path) -> None:
    connection = sqlite3.connect(path)
    assert migrate(connection) == []
    connection.execute(f"PRAGMA user_version = {MIGRATIONS[0].version}")
    for step in MIGRATIONS[1:]:
        for table, column in re.findall(r"ALTER TABLE (\w+) ADD COLUMN (\w+)", " ".join(step.statements)):
            connection.execute(f"ALTER TABLE {table} DROP COLUMN {column}")
    connection.commit()
    assert migrate(connection) == [step.version for step in MIGRATIONS[1:]]
    assert not connection.in_transaction
