"""The catalogue's file is a cache: whatever is odd about it, it is made anew, or elsewhere where it has to be."""

import sqlite3
from pathlib import Path

import pytest

from burnish.app.catalogue import database
from burnish.app.catalogue.database import MOST_IDLE, Damaged, Database
from burnish.app.catalogue.schema import VERSION
from burnish.core.errors import StorageFailed


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "catalogue.sqlite"


def mark(opened: Database) -> None:
    with opened.writing() as connection:
        connection.execute("INSERT INTO meta VALUES ('mark', 'ours')")


def is_marked(opened: Database) -> bool:
    with opened.reading() as connection:
        return connection.execute("SELECT value FROM meta WHERE key = 'mark'").fetchone() is not None


def reopened(path: Path, identity: str = "one") -> bool:
    """Whether what was written is still there."""
    opened = Database.opened(path, identity)
    try:
        return is_marked(opened)
    finally:
        opened.close()


@pytest.fixture
def marked(path: Path) -> Path:
    opened = Database.opened(path, "one")
    mark(opened)
    opened.close()
    return path


def change(path: Path, statement: str) -> None:
    connection = sqlite3.connect(path)
    connection.execute(statement)
    connection.commit()
    connection.close()


def test_it_is_kept(marked: Path) -> None:
    assert reopened(marked)


def test_one_of_another_journal_is_made_anew(marked: Path) -> None:
    assert not reopened(marked, "other")


@pytest.mark.parametrize(
    "statement",
    [
        f"PRAGMA user_version = {VERSION + 1}",
        "PRAGMA application_id = 7",
        "DROP TABLE spent",
        "CREATE TRIGGER t AFTER INSERT ON units BEGIN DELETE FROM units; END",
        "CREATE VIEW v AS SELECT 1",
        "DELETE FROM meta WHERE key = 'identity'",
    ],
)
def test_one_that_somebody_changed_is_made_anew(marked: Path, statement: str) -> None:
    change(marked, statement)
    assert not reopened(marked)
    assert not reopened(marked), "and stays as it is made"


@pytest.mark.parametrize("content", [b"", b"no database", b"SQLite format 3\x00" + b"\xff" * 5_000])
def test_a_file_that_is_no_database_is_made_anew(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    assert not reopened(path)


def test_a_torn_file_is_damaged_when_that_shows(marked: Path) -> None:
    data = marked.read_bytes()
    marked.write_bytes(data[:4096] + b"\x00" * (len(data) - 4096))
    opened = Database.opened(marked, "one")
    mark(opened)
    assert is_marked(opened), "what could not be read was made anew"
    opened.close()


def test_one_that_goes_is_noticed(path: Path) -> None:
    opened = Database.opened(path, "one")
    assert opened.is_there
    path.unlink()
    assert not opened.is_there
    other = Database.opened(path, "one")
    assert other.is_there and not opened.is_there
    opened.close()
    other.close()


def test_one_that_is_removed_is_made_anew(marked: Path) -> None:
    Database.opened(marked, "one").remove()
    assert not marked.exists()
    assert not reopened(marked)


def test_a_query_that_fails_means_that_it_is_damaged(path: Path) -> None:
    opened = Database.opened(path, "one")
    with pytest.raises(Damaged), opened.reading() as connection:
        connection.execute("SELECT nothing FROM nowhere")
    with pytest.raises(Damaged), opened.writing() as connection:
        connection.execute("INSERT INTO meta VALUES ('identity', 'again')")
    assert not is_marked(opened), "and the next question is answered"
    opened.close()


def test_readers_cannot_write(path: Path) -> None:
    opened = Database.opened(path, "one")
    with pytest.raises(sqlite3.OperationalError, match="readonly"), opened.reading() as connection:
        connection.execute("DELETE FROM meta")
    opened.close()


def test_connections_are_used_again_but_not_hoarded(path: Path) -> None:
    opened = Database.opened(path, "one")
    readers = [opened.reading() for _ in range(MOST_IDLE + 2)]
    used = {id(reader.__enter__()) for reader in readers}
    assert len(used) == len(readers)
    for reader in readers:
        reader.__exit__(None, None, None)
    with opened.reading() as connection:
        assert id(connection) in used
    opened.close()
    opened.close()


class TestWhereNothingCanBeWritten:
    def test_a_private_file_is_used_and_removed(self, path: Path) -> None:
        path.mkdir()
        (path / "in the way").touch()
        opened = Database.opened(path, "one")
        mark(opened)
        assert is_marked(opened) and opened.path.parent != path.parent
        opened.close()
        assert not list(opened.path.parent.glob(f"{opened.path.name}*"))

    def test_without_a_folder_too(self, tmp_path: Path) -> None:
        opened = Database.opened(tmp_path / "gone" / "catalogue.sqlite", "one")
        assert opened.is_there
        opened.close()
        assert not opened.is_there

    def test_another_who_does_not_let_go_is_told(self, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(database, "BUSY_SECONDS", 0.01)
        opened = Database.opened(path, "one")
        with opened.writing(), pytest.raises(StorageFailed, match="cannot be written"), opened.writing():
            pytest.fail("two write at once")
        opened.close()
