"""What is found in the folder of a course, and what is told of it."""

from __future__ import annotations

import gzip
import json
import os
from pathlib import Path

import pytest

from burnish.app.course_files import CourseFile, Unread, found_files
from burnish.store.records import FileRecords
from tests.kinds.legos.course_samples import lego, translation

HOME = Path("course/amino_acids")


@pytest.fixture(autouse=True)
def course(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    records = FileRecords(Path("course"))
    records.put_translation(translation())
    records.put_legos(translation()["uuid"], [lego()])


def troubles(*paths: str) -> dict[str, str]:
    """Name of a file that cannot be read -> why."""
    values = [value for file in found_files(paths or ("course",)) for value in file.values()]
    return {Path(where).name: value.reason for where, value in values if isinstance(value, Unread)}


def test_a_sound_course_has_none() -> None:
    assert len(found_files(["course"])) == 2
    assert troubles() == {}


@pytest.mark.parametrize("sort", ["file", "folder", "link"])
def test_a_batch_that_was_not_finished_is_told(sort: str) -> None:
    pending = HOME / ".pending.json"
    if sort == "file":
        pending.write_text('{"changes": {}}')
    elif sort == "folder":
        pending.mkdir()
    else:
        pending.symlink_to("nowhere")
    assert "not finished" in troubles()[".pending.json"]


def test_what_is_no_plain_file_is_told() -> None:
    os.mkfifo(HOME / "legos" / "fifo.json")
    (HOME / "legos" / "folder.json").mkdir()
    (HOME / "legos" / "link").symlink_to("/dev/null")
    (HOME / "archive").symlink_to(Path("elsewhere").absolute())
    os.mkfifo("fifo.sqlite")
    told = troubles("course", "fifo.sqlite", "/dev/null")
    assert set(told) == {"fifo.json", "folder.json", "link", "archive", "fifo.sqlite", "null"}
    assert set(told.values()) == {"it is no plain file"}


def test_a_home_that_is_a_link_is_told_and_a_file_may_be_named_through_one() -> None:
    HOME.rename("elsewhere")
    HOME.symlink_to(Path("elsewhere").absolute())
    assert troubles() == {"amino_acids": "it is no plain file"}
    Path("link.json").symlink_to(next(Path("elsewhere/translations").iterdir()).absolute())
    assert troubles("link.json") == {}


def test_a_database_that_is_a_link_is_not_opened() -> None:
    Path("course/deep").mkdir()
    Path("loose/deep").mkdir(parents=True)
    Path("loose/deep/amino_acids.sqlite").symlink_to("/dev/null")
    [file] = found_files(["loose"])
    assert not file.is_database
    assert troubles("loose") == {"amino_acids.sqlite": "it is no plain file"}


@pytest.mark.parametrize(
    ("name", "data", "why"),
    [
        ("a.json", b'{"a": 123456789012345678901234567890}', "a number is too large"),
        ("a.json.gz", gzip.compress(b"{}" * 99, mtime=0)[:10] + b"\xff" * 30, "no whole gzip file"),
        ("a.json", b'{"a":' * 201 + b"1" + b"}" * 201, "recursion limit"),
    ],
)
def test_what_the_store_would_not_read_is_not_read_here(name: str, data: bytes, why: str) -> None:
    (HOME / "legos" / name).write_bytes(data)
    assert why in troubles()[name]


def test_one_record_of_a_file() -> None:
    Path("a.json").write_text(json.dumps(translation()))
    Path("b.json").write_text("[1]")
    assert CourseFile(Path("a.json")).record() == translation()
    assert CourseFile(Path("b.json")).record() is None
