"""A batch that came with a folder from anywhere: it touches records, or nothing."""

from __future__ import annotations

import base64
import json
import os
from pathlib import Path
from typing import Any

import pytest

from burnish.core.errors import BurnishError, InputError, StateCorrupt
from burnish.store.records import FileRecords, SqliteRecords
from tests.store.records.samples import translation, uuid

NAME = f"translations/{uuid(1)}.json"
NEW = json.dumps(translation(1, source="New.")).encode()


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """Of a course with one SEED. Beside it lies a file that is nobody's business."""
    FileRecords(tmp_path / "course").put_translation(translation(1))
    (tmp_path / "mine.txt").write_text("mine")
    return tmp_path / "course" / "amino_acids"


def waiting(home: Path, changes: dict[str, Any]) -> None:
    (home / ".pending.json").write_text(json.dumps({"changes": changes}))


def text(data: bytes) -> str:
    return base64.b64encode(data).decode()


def test_a_batch_of_ours_is_finished(home: Path) -> None:
    waiting(home, {NAME: text(NEW)})
    record = FileRecords(home.parent).translation(uuid(1))
    assert record is not None and record["source"] == "New."
    assert not (home / ".pending.json").exists()


@pytest.mark.parametrize("linked", ["file", "shelf", "home"])
def test_nothing_is_written_through_a_link(home: Path, linked: str) -> None:
    mine, outside = home.parent.parent / "mine.txt", home.parent.parent / "outside"
    if linked == "file":
        (home / NAME).unlink()
        (home / NAME).symlink_to(mine)
    else:
        place = home if linked == "home" else home / "translations"
        waiting(home, {NAME: text(NEW)})
        place.rename(outside)
        place.symlink_to(outside)
    if linked != "home":
        waiting(home, {NAME: text(NEW), f"translations/{uuid(2)}.json": None})
    before = {path: path.read_bytes() for path in outside.rglob("*.json")}
    with pytest.raises(InputError, match="This is a link"):
        FileRecords(home.parent)
    assert mine.read_text() == "mine"
    assert {path: path.read_bytes() for path in outside.rglob("*.json")} == before


def test_a_link_that_appears_while_the_course_is_open_is_not_followed(home: Path) -> None:
    records = FileRecords(home.parent)
    outside = home.parent.parent / "outside"
    (home / "translations").rename(outside)
    (home / "translations").symlink_to(outside)
    with pytest.raises(InputError, match="This is a link"):
        records.put_translation(translation(1, source="New."))
    assert json.loads((outside / f"{uuid(1)}.json").read_text())["source"] == "I want to speak."


def test_a_batch_is_not_written_down_through_a_link(home: Path) -> None:
    target = home.parent.parent / "not_there_yet"
    (home / ".pending.json").symlink_to(target)
    with pytest.raises(StateCorrupt, match="no plain file"):
        FileRecords(home.parent)
    assert not target.exists()


@pytest.mark.parametrize("sort", ["folder", "fifo"])
def test_what_is_no_file_is_no_batch(home: Path, sort: str) -> None:
    if sort == "folder":
        (home / ".pending.json").mkdir()
    else:
        os.mkfifo(home / ".pending.json")
    with pytest.raises(StateCorrupt, match="no plain file"):
        FileRecords(home.parent)


@pytest.mark.parametrize(
    "changes",
    [
        {NAME: text(NEW) + "!"},
        {NAME: text(b"{}")},
        {NAME: text(json.dumps(translation(2)).encode())},
        {NAME: 7},
        {f"translations/{uuid(1)}.json.gz": text(NEW)},
        {f"translations/../{uuid(1)}.json": text(NEW)},
        {f"elsewhere/{uuid(1)}.json": text(NEW)},
        {f"/{uuid(1)}.json": None},
    ],
)
def test_a_batch_that_is_no_batch_changes_nothing(home: Path, changes: dict[str, Any]) -> None:
    waiting(home, {f"translations/{uuid(3)}.json": text(json.dumps(translation(3)).encode()), **changes})
    with pytest.raises(StateCorrupt, match="is not a batch of Burnish"):
        FileRecords(home.parent)
    assert [path.name for path in home.rglob("*.json") if path.parent != home] == [f"{uuid(1)}.json"]


def test_a_database_is_not_written_through_a_link(tmp_path: Path) -> None:
    (tmp_path / "mine.sqlite").touch()
    (tmp_path / "amino_acids.sqlite").symlink_to(tmp_path / "mine.sqlite")
    with pytest.raises(BurnishError, match="This is a link"):
        SqliteRecords(tmp_path / "amino_acids.sqlite")
    assert (tmp_path / "mine.sqlite").read_bytes() == b""
