"""A course in SQLite: what is stored once, and what is refused."""

from __future__ import annotations

import json
import sqlite3
import zlib
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from burnish.core.errors import InputError, StateCorrupt, StorageFailed, UsageError
from burnish.store.records import FileRecords, SqliteRecords, sqlite_records
from burnish.store.records import sqlite_records as course_database
from tests.store.records.samples import lego, translation, uuid


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "course.sqlite"


@pytest.fixture
def records(path: Path) -> Iterator[SqliteRecords]:
    with SqliteRecords(path) as opened:
        yield opened


def ask(path: Path, statement: str, *values: object) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        return connection.execute(statement, values).fetchall()


def test_texts_are_stored_once(records: SqliteRecords, path: Path) -> None:
    for number in range(1, 20):
        records.put_translation(translation(number, attempts=3))
    assert ask(path, "SELECT count(*) FROM texts") == [(4,)]
    assert records.translation(uuid(7)) == translation(7, attempts=3)


def test_texts_are_forgotten_when_there_are_too_many(
    records: SqliteRecords, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite_records, "_REMEMBERED", 2)
    for number in range(1, 4):
        records.put_translation(translation(number, attempts=2))
    assert [record["total_attempts"] for record in records.translations()] == [2, 2, 2]
    assert ask(path, "SELECT count(*) FROM texts") == [(4,)]


def test_it_is_written_ahead_and_durable(records: SqliteRecords, path: Path) -> None:
    records.put_translation(translation(1))
    assert ask(path, "PRAGMA journal_mode") == [("wal",)]


def test_two_doors_see_each_others_records(records: SqliteRecords, path: Path) -> None:
    with SqliteRecords(path) as other:
        other.put_legos(uuid(1), [lego(11, 1, 1)])
        assert records.lego_counts() == {uuid(1): 1}


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE translations SET body = x'00'",
        "UPDATE translations SET body = 7",
        "UPDATE translations SET body = 'text'",
        "DELETE FROM texts",
    ],
)
def test_a_damaged_row_is_named_and_never_overwritten(path: Path, damage: str) -> None:
    with SqliteRecords(path) as records:
        records.put_translation(translation(1, attempts=1))
    ask(path, damage)
    with SqliteRecords(path) as records:
        records.put_translation(translation(2))
        assert [record["seed_id"] for record in records.translations()] == ["C0002"]
        [problem] = records.problems()
        assert uuid(1) in problem.where
        with pytest.raises(InputError, match="not overwritten"):
            records.put_translation(translation(1))


@pytest.mark.parametrize(
    "body", [b"[1]", b'{"lego_extraction_attempts": [{"concerns": [{"description": {"a": 1}}]}]}', b"{"]
)
def test_a_body_that_is_no_record_is_named(path: Path, body: bytes) -> None:
    with SqliteRecords(path) as records:
        records.put_legos(uuid(1), [lego(11, 1, 1), lego(12, 1, 2)])
        ask(path, "UPDATE legos SET body = ? WHERE uuid = ?", zlib.compress(body), uuid(11))
        assert [record["uuid"] for record in records.legos(uuid(1))] == [uuid(12)]
        assert [record["uuid"] for record in records.all_legos()] == [uuid(12)]
        assert len(records.problems()) == 1
        with pytest.raises(InputError):
            records.put_legos(uuid(1), [lego(11, 1, 1)])


def test_files_that_are_no_course_are_refused(path: Path) -> None:
    path.write_bytes(b"This is no database, whatever its name says." * 50)
    with pytest.raises(StateCorrupt, match="is damaged"):
        SqliteRecords(path)
    path.unlink()
    ask(path, "CREATE TABLE mine (x)")
    before = path.read_bytes()
    with pytest.raises(StateCorrupt, match="holds no course"):
        SqliteRecords(path)
    assert path.read_bytes() == before


def test_a_newer_course_is_refused(path: Path) -> None:
    SqliteRecords(path).close()
    ask(path, "PRAGMA user_version = 99")
    with pytest.raises(StateCorrupt, match="newer Burnish"):
        SqliteRecords(path)


def test_reading_only_changes_nothing(path: Path) -> None:
    with pytest.raises(StorageFailed), SqliteRecords(path, read_only=True):
        pass
    path.touch()
    with pytest.raises(StateCorrupt, match="holds no course"):
        SqliteRecords(path, read_only=True)
    assert path.read_bytes() == b""
    with SqliteRecords(path) as records:
        records.put_translation(translation(1))
    with SqliteRecords(path, read_only=True) as reader:
        assert reader.translation(uuid(1)) == translation(1)
        with pytest.raises(StorageFailed):
            reader.put_translation(translation(2))
        assert reader.seed_ids() == {uuid(1): "C0001"}


def test_an_empty_file_becomes_a_course(path: Path) -> None:
    path.touch()
    with SqliteRecords(path) as records:
        records.put_translation(translation(1))
        assert records.seed_ids() == {uuid(1): "C0001"}


def test_a_place_that_cannot_be_opened_is_told(tmp_path: Path) -> None:
    (tmp_path / "folder.sqlite").mkdir()
    with pytest.raises(StorageFailed, match="cannot be used"):
        SqliteRecords(tmp_path / "folder.sqlite")


def test_a_file_that_somebody_else_makes_in_this_moment_is_used(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def taken(place: Path, data: bytes) -> None:
        place.touch()
        raise FileExistsError

    monkeypatch.setattr(course_database, "create_exclusively", taken)
    with SqliteRecords(path) as records:
        assert records.seed_ids() == {}


def test_a_failed_commit_leaves_what_was_there(records: SqliteRecords, path: Path) -> None:
    records.put_translation(translation(1))
    with pytest.raises(UsageError), records.batch():
        records.put_translation(translation(2, attempts=1))
        records.put_translation(translation(3, note="\ud800"))
    assert records.seed_ids() == {uuid(1): "C0001"}
    records.put_translation(translation(4, attempts=1))
    assert records.translation(uuid(4)) == translation(4, attempts=1)


@pytest.mark.parametrize("name", ["../../evil", b"\x00", "é" * 32])
def test_a_row_under_no_uuid_is_named_and_never_exported(tmp_path: Path, path: Path, name: object) -> None:
    body = zlib.compress(json.dumps({**translation(1), "uuid": str(name)}).encode())
    with SqliteRecords(path) as records:
        records.put_translation(translation(2))
        ask(path, "INSERT INTO translations VALUES (?, 'C0001', ?)", name, body)
        ask(path, "INSERT INTO legos VALUES (?, ?, 'C0001', 1, ?)", name, name, body)
        assert [record["seed_id"] for record in records.translations()] == ["C0002"]
        assert len(records.problems()) == 2
        records.export_to(FileRecords(tmp_path / "a" / "b"))
    assert [found.name for found in tmp_path.rglob("*.json")] == [f"{uuid(2)}.json"]


@pytest.mark.parametrize("text", ["a string", b"\xff", None])
def test_a_text_that_is_none_is_told_with_its_record(path: Path, text: object) -> None:
    with SqliteRecords(path) as records:
        records.put_translation(translation(1, attempts=1))
    if text is None:
        odd = {"lego_extraction_attempts": [{"concerns": [{"description": (1 << 64) - 1}]}]}
        ask(path, "UPDATE translations SET body = ?", zlib.compress(json.dumps({**translation(1), **odd}).encode()))
    else:
        ask(path, "UPDATE texts SET text = ?", text)
    with SqliteRecords(path) as records:
        assert list(records.translations()) == []
        assert len(records.problems()) == 1


def test_a_database_where_nobody_can_write_is_read(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The tests may run as somebody who can write anywhere."""
    with SqliteRecords(path) as records:
        records.put_translation(translation(1))
    monkeypatch.setattr("os.access", lambda place, mode: False)
    made: list[str] = []
    with SqliteRecords(path, read_only=True) as records:
        assert records.translation(uuid(1)) == translation(1)
        made += sorted(found.name for found in path.parent.iterdir())
    assert made == [path.name]
    with SqliteRecords(path) as records:
        records.put_translation(translation(2))
        with SqliteRecords(path, read_only=True) as reader:  # what is written ahead counts
            assert len(reader.seed_ids()) == 2
