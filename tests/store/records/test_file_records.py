"""A course in files: what else may lie there, what a crash leaves, and who may write."""

from __future__ import annotations

import base64
import gzip
import json
import os
from pathlib import Path
from typing import Any

import pytest

from burnish.core import faultpoints
from burnish.core.errors import InputError, StateCorrupt, StorageFailed
from burnish.store.files import SYNCED_ONE_BY_ONE
from burnish.store.records import FileRecords
from burnish.store.records.course_folder import checked, stamps
from burnish.store.records.course_records import ATTEMPTS, LARGEST
from tests.store.records.samples import lego, translation, uuid


def put_by_hand(folder: Path, name: str, content: Any) -> Path:
    path = folder / "amino_acids" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())
    return path


BROKEN: dict[str, tuple[str, bytes]] = {
    "half-written": (f"{uuid(1)}.json", b'{"uuid": "0000'),
    "empty": (f"{uuid(1)}.json", b""),
    "no object": (f"{uuid(1)}.json", b"[1]"),
    "not UTF-8": (f"{uuid(1)}.json", b'{"uuid": "\xff"}'),
    "twice the same key": (f"{uuid(1)}.json", b'{"uuid": "a", "uuid": "b"}'),
    "not a number": (f"{uuid(1)}.json", b'{"a": NaN}'),
    "infinite": (f"{uuid(1)}.json", b'{"a": [1e999]}'),
    "too large a number": (f"{uuid(1)}.json", b'{"a": {"b": 99999999999999999999}}'),
    "nested too deep": (f"{uuid(1)}.json", b'{"a":' * 5000 + b"1" + b"}" * 5000),
    "another's uuid": (f"{uuid(1)}.json", json.dumps(translation(2)).encode()),
    "another type": (f"{uuid(1)}.json", json.dumps({**translation(1), "type": "lego"}).encode()),
    "no id": (f"{uuid(1)}.json", json.dumps({**translation(1), "seed_id": None}).encode()),
    "no gzip": (f"{uuid(1)}.json.gz", b"{}"),
    "cut gzip": (f"{uuid(1)}.json.gz", gzip.compress(json.dumps(translation(1)).encode())[:-9]),
    "damaged gzip": (f"{uuid(1)}.json.gz", gzip.compress(json.dumps(translation(1)).encode())[:10] + b"\xff" * 30),
    "too large": (f"{uuid(1)}.json", b" " * (LARGEST + 1)),
    "a bomb": (f"{uuid(1)}.json.gz", gzip.compress(b" " * (LARGEST + 1))),
}


@pytest.mark.parametrize("sort", BROKEN)
def test_what_is_no_record_is_named_and_never_overwritten(tmp_path: Path, sort: str) -> None:
    name, content = BROKEN[sort]
    path = put_by_hand(tmp_path, f"translations/{name}", content)
    put_by_hand(tmp_path, f"translations/{uuid(3)}.json", translation(3))
    records = FileRecords(tmp_path)
    assert [record["seed_id"] for record in records.translations()] == ["C0003"]
    [problem] = records.problems()
    assert problem.where == str(path)
    with pytest.raises(InputError, match="is not overwritten") as refused:
        records.put_translation(translation(1))
    assert refused.value.path == str(path)
    with records.batch():
        with pytest.raises(InputError):
            records.put_translation(translation(1))
        records.put_translation(translation(4))
    assert path.read_bytes() == content
    assert records.translation(uuid(4)) == translation(4)


def test_foreign_files_and_links_are_named(tmp_path: Path) -> None:
    put_by_hand(tmp_path, "translations/notes.txt", b"mine")
    (tmp_path / "amino_acids/translations/folder").mkdir()
    (tmp_path / "elsewhere.json").write_text(json.dumps(translation(1)))
    (tmp_path / "amino_acids/translations" / f"{uuid(1)}.json").symlink_to(tmp_path / "elsewhere.json")
    records = FileRecords(tmp_path)
    assert [Path(problem.where).name for problem in records.problems()] == [f"{uuid(1)}.json", "folder", "notes.txt"]
    with pytest.raises(InputError):
        records.put_translation(translation(1, source="Changed."))
    assert json.loads((tmp_path / "elsewhere.json").read_text()) == translation(1)


def test_a_record_that_lies_there_twice_is_left_alone(tmp_path: Path) -> None:
    put_by_hand(tmp_path, f"translations/{uuid(1)}.json", translation(1))
    put_by_hand(tmp_path, f"translations/{uuid(1)}.json.gz", gzip.compress(json.dumps(translation(1)).encode()))
    records = FileRecords(tmp_path)
    [problem] = records.problems()
    assert "only one of them can be right" in problem.message
    with pytest.raises(InputError):
        records.put_translation(translation(1))


def test_an_archive_of_nobody_is_named(tmp_path: Path) -> None:
    put_by_hand(tmp_path, f"archive/{uuid(1)}.json", {"uuid": uuid(1), "lego_extraction_attempts": []})
    [problem] = FileRecords(tmp_path).problems()
    assert "a translation that is not here" in problem.message


@pytest.mark.parametrize("attempts", [7, {}, None])
def test_an_archive_in_no_known_shape_is_named(tmp_path: Path, attempts: Any) -> None:
    put_by_hand(tmp_path, f"translations/{uuid(1)}.json", {**translation(1), "archived_attempts": 1})
    archive = {"uuid": uuid(1), "lego_extraction_attempts": attempts}
    path = put_by_hand(tmp_path, f"archive/{uuid(1)}.json", archive)
    records = FileRecords(tmp_path)
    assert list(records.translations()) == []
    [problem] = records.problems()
    assert problem.where == str(path) and "no list of" in problem.message
    with pytest.raises(InputError):
        records.put_translation(translation(1))
    assert json.loads(path.read_text()) == archive


def test_a_record_that_breaks_while_it_is_open_is_told_then(tmp_path: Path) -> None:
    records = FileRecords(tmp_path)
    records.put_translation(translation(1))
    put_by_hand(tmp_path, f"translations/{uuid(1)}.json", b"{")
    assert list(records.translations()) == []
    assert "no longer" in records.problems()[0].message
    with pytest.raises(InputError):
        records.put_translation(translation(1))


def test_files_keep_their_form_unless_another_is_asked_for(tmp_path: Path) -> None:
    folder = tmp_path / "amino_acids" / "translations"
    FileRecords(tmp_path, gzip=True).put_translation(translation(1))
    assert [path.name for path in folder.iterdir()] == [f"{uuid(1)}.json.gz"]
    kept = FileRecords(tmp_path)
    kept.put_translation(translation(1, source="New."))
    kept.put_translation(translation(2))
    assert sorted(path.name for path in folder.iterdir()) == [f"{uuid(1)}.json.gz", f"{uuid(2)}.json"]
    FileRecords(tmp_path, gzip=False).put_translation(translation(1))
    assert sorted(path.name for path in folder.iterdir()) == [f"{uuid(1)}.json", f"{uuid(2)}.json"]
    assert FileRecords(tmp_path).translation(uuid(1)) == translation(1)


def test_archived_attempts_lie_in_a_file_of_their_own(tmp_path: Path) -> None:
    records = FileRecords(tmp_path)
    records.put_translation(translation(1, attempts=3))
    records.archive(keep=1)
    home = tmp_path / "amino_acids"
    kept = json.loads((home / "translations" / f"{uuid(1)}.json").read_text())
    older = json.loads((home / "archive" / f"{uuid(1)}.json").read_text())
    assert [attempt["attempt_number"] for attempt in kept["lego_extraction_attempts"]] == [3]
    assert [attempt["attempt_number"] for attempt in older["lego_extraction_attempts"]] == [1, 2]
    assert kept["archived_attempts"] == 2
    records.restore()
    assert not list((home / "archive").iterdir())


def batch(records: FileRecords) -> None:
    """Changes, additions and removals, more than are synced one by one."""
    with records.batch():
        for number in range(1, 5 + SYNCED_ONE_BY_ONE):
            records.put_translation(translation(number, attempts=1, source="New."))
        records.put_legos(uuid(1), [lego(12, 1, 1)])


def state(folder: Path) -> str:
    records = FileRecords(folder)
    return json.dumps([list(records.translations()), list(records.all_legos())])


@pytest.mark.parametrize("point", [1, 3, 4, 6, 20, 60])
def test_a_killed_batch_is_there_whole_or_not_at_all(tmp_path: Path, point: int) -> None:
    for name in ("old", "new", "killed"):
        records = FileRecords(tmp_path / name)
        records.put_translation(translation(1))
        records.put_legos(uuid(1), [lego(11, 1, 1), lego(13, 1, 2)])
    batch(FileRecords(tmp_path / "new"))
    child = os.fork()
    if not child:
        reached = iter(range(1, point + 1))
        faultpoints.install(lambda name: None if next(reached) < point else os._exit(9))
        batch(FileRecords(tmp_path / "killed"))
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 9
    found = state(tmp_path / "killed")
    # The batch is written down, and so decided, when its own file is in place: the fourth point.
    assert found == (state(tmp_path / "new") if point >= 4 else state(tmp_path / "old"))
    FileRecords(tmp_path / "killed").put_translation(translation(9))
    left = [path.name for path in (tmp_path / "killed").rglob("*") if path.name.startswith(".")]
    assert left == []


@pytest.mark.parametrize(
    "pending",
    [
        b"{",
        b"[]",
        b'{"changes": 7}',
        b'{"changes": {"../../evil.json": null}}',
        b'{"changes": {"translations/x": null}}',
        b'{"changes": {"translations/%s.json": "\xc3\xa9"}}' % uuid(1).encode(),
    ],
)
def test_a_batch_that_is_none_of_ours_is_refused(tmp_path: Path, pending: bytes) -> None:
    put_by_hand(tmp_path, f"translations/{uuid(1)}.json", translation(1))
    put_by_hand(tmp_path, ".pending.json", pending)
    with pytest.raises(StateCorrupt, match="is not a batch of Burnish"):
        FileRecords(tmp_path)


def test_another_process_batch_is_completed_first(tmp_path: Path) -> None:
    records = FileRecords(tmp_path)
    records.put_translation(translation(1))
    waiting = {f"translations/{uuid(2)}.json": base64.b64encode(json.dumps(translation(2)).encode()).decode()}
    put_by_hand(tmp_path, ".pending.json", {"changes": waiting})
    records.put_translation(translation(3))
    assert [record["seed_id"] for record in FileRecords(tmp_path).translations()] == ["C0001", "C0002", "C0003"]


def test_a_disk_that_refuses_leaves_the_course_as_it_was(tmp_path: Path) -> None:
    records = FileRecords(tmp_path)
    records.put_translation(translation(1))
    path = tmp_path / "amino_acids" / "translations" / f"{uuid(1)}.json"
    path.chmod(0o444)
    with pytest.raises(StorageFailed, match="read-only"):
        records.put_translation(translation(1, source="Changed."))
    assert records.translation(uuid(1)) == translation(1)


UUID = "0123456789abcdef" * 2
RECORDS: dict[str, dict[str, Any]] = {
    "translations": {"uuid": UUID, "type": "translation", "seed_id": "S1"},
    "legos": {"uuid": UUID, "type": "lego", "source_translation_uuid": UUID},
    "archive": {"uuid": UUID, ATTEMPTS: []},
}


@pytest.mark.parametrize("shelf", RECORDS)
def test_a_record_belongs_on_its_shelf_under_its_name(shelf: Any) -> None:
    record = RECORDS[shelf]
    assert checked(shelf, UUID, record) == record
    for name in (UUID[1:], f"{UUID}0", f" {UUID}", UUID.upper(), f"{UUID}\n"):
        with pytest.raises(ValueError, match="32 hex digits"):
            checked(shelf, name, {**record, "uuid": name})
    with pytest.raises(ValueError, match="that of its name"):
        checked(shelf, UUID[::-1], record)
    for name in set(record) - {"uuid"}:
        for wrong in ({**record, name: 7}, {key: value for key, value in record.items() if key != name}):
            with pytest.raises(ValueError, match=r"type|has no"):
                checked(shelf, UUID, wrong)


def test_a_folder_that_is_not_there_has_no_time(tmp_path: Path) -> None:
    (tmp_path / "legos").mkdir()
    home, translations, legos, archive = stamps(tmp_path)
    assert (translations, archive) == (0, 0) and home > 0 and legos > 0
