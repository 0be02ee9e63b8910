"""The disk that loses its power: what is synced stays, what is not may go."""

import os
import random
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from burnish.store.files import sync_path, write_atomically
from tests.faults.power import recorded, wreck

SEEDS = 40


def survivors(folder: Path, work: Callable[[Path], None], read: Callable[[Path], object]) -> set[object]:
    """What is read after the power went when the work was done, for many seeds."""
    folder.mkdir()
    with recorded(folder) as diary:
        work(folder)
    found = set()
    for seed in range(SEEDS):
        wreck(folder, diary.steps, random.Random(seed))
        found.add(read(folder))
    return found


def content(folder: Path) -> bytes | None:
    path = folder / "a"
    return path.read_bytes() if path.exists() else None


def write(path: Path, data: bytes) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT)
    os.write(descriptor, data)
    os.close(descriptor)


def test_what_nobody_synced_may_be_lost_or_torn(tmp_path: Path) -> None:
    data = bytes(range(256)) * 8

    def unsynced(folder: Path) -> None:
        write(folder / "a", data)
        sync_path(folder)

    found = survivors(tmp_path / "f", unsynced, content)
    assert {b"", data} < found


def test_a_file_whose_folder_nobody_synced_may_vanish(tmp_path: Path) -> None:
    def unnamed(folder: Path) -> None:
        write(folder / "a", b"data")
        sync_path(folder / "a")

    assert survivors(tmp_path / "f", unnamed, content) == {None, b"data"}


def test_a_folder_that_is_renamed_takes_its_files_along(tmp_path: Path) -> None:
    def renamed(folder: Path) -> None:
        (folder / "old" / "deep").mkdir(parents=True)
        write_atomically(folder / "old" / "deep" / "a", b"data")
        for path in (folder / "old", folder):
            sync_path(path)
        (folder / "old").rename(folder / "new")
        write(folder / "new" / "deep" / "a", b"DATA")
        sync_path(folder / "new" / "deep" / "a")

    def files(folder: Path) -> frozenset[tuple[str, bytes]]:
        return frozenset((str(p.relative_to(folder)), p.read_bytes()) for p in folder.rglob("*") if p.is_file())

    found = survivors(tmp_path / "f", renamed, files)
    assert found == {frozenset({(f"{name}/deep/a", b"DATA")}) for name in ("old", "new")}


def test_an_atomic_write_is_there(tmp_path: Path) -> None:
    def written(folder: Path) -> None:
        write_atomically(folder / "a", b"old" * 1000)
        write_atomically(folder / "a", b"new" * 1000)

    assert survivors(tmp_path / "f", written, content) == {b"new" * 1000}


@pytest.mark.parametrize(("mode", "safe"), [("FULL", True), ("OFF", False)])
def test_sqlite_writes_are_in_the_diary(tmp_path: Path, mode: str, safe: bool) -> None:
    def filled(folder: Path) -> None:
        with closing(sqlite3.connect(folder / "a", isolation_level=None)) as connection:
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute(f"PRAGMA synchronous = {mode}")
            connection.execute("CREATE TABLE t (n)")
            if safe:
                sync_path(folder)
            for number in range(20):
                connection.execute("INSERT INTO t VALUES (?)", (number,))

    def rows(folder: Path) -> object:
        try:
            with closing(sqlite3.connect(folder / "a")) as connection:
                return connection.execute("SELECT COUNT(*) FROM t").fetchone()[0]
        except sqlite3.DatabaseError:
            return "corrupt"

    found = survivors(tmp_path / "f", filled, rows)
    assert (found == {20}) == safe
