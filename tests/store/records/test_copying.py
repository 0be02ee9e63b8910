"""A copy of a course is there whole, or not there."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Literal

import pytest

from burnish.core import faultpoints
from burnish.core.errors import StorageFailed, UsageError
from burnish.store.records import Copied, FileRecords, Store, copy_course, open_records
from tests.store.records.samples import lego, translation, uuid

MORE = {"prompts/overlay.json": b"{}"}


@pytest.fixture
def course(tmp_path: Path) -> FileRecords:
    records = FileRecords(tmp_path / "course")
    with records.batch():
        for number in range(1, 41):
            records.put_translation(translation(number, attempts=2))
            records.put_legos(uuid(number), [lego(100 * number, number, 1)])
    return records


@pytest.mark.parametrize("into", ["files", "sqlite"])
@pytest.mark.parametrize("point", [1, 6, 90, 280])
def test_a_killed_copy_is_none_and_made_again(course: FileRecords, tmp_path: Path, into: Store, point: int) -> None:
    child = os.fork()
    if not child:
        reached = iter(range(1, point + 1))
        faultpoints.install(lambda name: None if next(reached, point) < point else os._exit(9))
        try:
            copy_course(course, tmp_path / "copy", into, keep=1, more=MORE)
            os._exit(0)
        finally:
            os._exit(1)
    killed = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 9
    if not killed:  # the database has fewer points
        assert into == "sqlite" and point > 1
        return
    with pytest.raises(UsageError, match="no course in"):
        open_records(tmp_path / "copy")
    assert copy_course(course, tmp_path / "copy", into, keep=1, more=MORE) == Copied(40, 40, 40)
    with open_records(tmp_path / "copy") as copy:
        assert list(copy.translations()) == list(course.translations())
        assert list(copy.all_legos()) == list(course.all_legos())
    name = "amino_acids" if into == "files" else "amino_acids.sqlite"
    assert sorted(path.name for path in (tmp_path / "copy").iterdir()) == [name, "prompts"]


@pytest.mark.parametrize("there", ["files", "sqlite", "link", "prompts", "linked prompts"])
@pytest.mark.parametrize("into", ["files", "sqlite"])
def test_a_folder_that_holds_a_course_is_left_alone(
    course: FileRecords,
    tmp_path: Path,
    into: Store,
    there: Literal["files", "sqlite", "link", "prompts", "linked prompts"],
) -> None:
    target = tmp_path / "taken"
    target.mkdir()
    if there == "files" or there == "sqlite":
        with open_records(target, there) as records:
            records.put_translation(translation(1))
    elif there == "link":
        (target / "amino_acids").symlink_to(tmp_path / "nowhere")
    elif there == "prompts":
        (target / "prompts").mkdir()
        (target / "prompts/overlay.json").write_bytes(b"other")
    else:
        (tmp_path / "own").mkdir()
        (tmp_path / "own/overlay.json").write_bytes(MORE["prompts/overlay.json"])
        (target / "prompts").symlink_to(tmp_path / "own")
    before = sorted(path.name for path in target.iterdir())
    with pytest.raises(UsageError, match="already"):
        copy_course(course, target, into, more=MORE)
    assert sorted(path.name for path in target.iterdir()) == before


def test_an_empty_course_is_copied_too(tmp_path: Path) -> None:
    (tmp_path / "copy/amino_acids").mkdir(parents=True)
    assert copy_course(FileRecords(tmp_path / "course"), tmp_path / "copy", "files") == Copied(0, 0, 0)
    with open_records(tmp_path / "copy") as copy:
        assert copy.seed_ids() == {}


def test_a_database_that_was_not_closed_is_no_copy(
    course: FileRecords, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("burnish.store.records.SqliteRecords.close", lambda self: None)
    with pytest.raises(StorageFailed, match="could not be closed"):
        copy_course(course, tmp_path / "copy", "sqlite")
    assert list((tmp_path / "copy").iterdir()) == []
