import errno
import os
import stat
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from burnish.core.documents import text_digest
from burnish.core.errors import StorageFailed
from burnish.core.faultpoints import installed
from burnish.store import files
from burnish.store.files import (
    atomic_writer,
    create_exclusively,
    make_folder,
    remove_leftovers,
    sha256_of,
    write_atomically,
    write_together,
)
from tests.faults.faulty_disk import faulty_disk


def mode_of(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_new_file_appears_whole(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    with atomic_writer(path) as stream:
        stream.write(b"one ")
        assert not path.exists()
        stream.write(b"two")
    assert path.read_bytes() == b"one two"
    assert [path.name for path in tmp_path.iterdir()] == ["a.json"]


def test_the_steps_come_in_the_order_that_survives_a_crash(tmp_path: Path) -> None:
    steps: list[str] = []
    with installed(steps.append):
        write_atomically(tmp_path / "a", b"x")
    assert steps == ["files.opened", "files.written", "files.synced", "files.replaced", "files.confirmed"]


def test_a_failing_block_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"old")
    with pytest.raises(KeyboardInterrupt), atomic_writer(path) as stream:
        stream.write(b"new" * 100_000)
        raise KeyboardInterrupt
    assert path.read_bytes() == b"old"
    assert [path.name for path in tmp_path.iterdir()] == ["a"]


def test_an_error_of_the_caller_is_not_taken_for_the_disks(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError), atomic_writer(tmp_path / "a"):
        (tmp_path / "missing").read_bytes()


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o666, 0o755])
def test_permissions_of_an_existing_file_are_kept(tmp_path: Path, mode: int) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"old")
    path.chmod(mode)
    write_atomically(path, b"new")
    assert mode_of(path) == mode


def test_a_new_file_obeys_the_umask(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        write_atomically(tmp_path / "a", b"x")
    finally:
        os.umask(before)
    assert mode_of(tmp_path / "a") == 0o640


def test_a_read_only_target_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"old")
    path.chmod(0o444)
    with pytest.raises(StorageFailed, match="read-only") as refused:
        write_atomically(path, b"new")
    assert refused.value.hint is not None
    assert path.read_bytes() == b"old"


def test_a_folder_or_a_device_is_no_target(tmp_path: Path) -> None:
    for target in (tmp_path, Path(os.devnull)):
        with pytest.raises(StorageFailed, match="not a regular file"):
            write_atomically(target, b"x")


def test_a_missing_folder_is_said(tmp_path: Path) -> None:
    with pytest.raises(StorageFailed, match=r"No such file or directory \(ENOENT\)") as refused:
        write_atomically(tmp_path / "no" / "a", b"x")
    assert refused.value.code == "storage_failed"
    assert "folder" in (refused.value.hint or "")


def test_a_link_stays_a_link_and_its_file_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "real").write_bytes(b"old")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    write_atomically(tmp_path / "link", b"new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_bytes() == b"new"


def test_a_name_of_full_length_can_be_written(tmp_path: Path) -> None:
    path = tmp_path / ("x" * 255)
    write_atomically(path, b"x")
    assert path.read_bytes() == b"x"


def test_creating_is_exclusive_and_complete(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    create_exclusively(path, b"first")
    with pytest.raises(FileExistsError):
        create_exclusively(path, b"second")
    assert path.read_bytes() == b"first"
    assert [path.name for path in tmp_path.iterdir()] == ["lock"]


def test_folders_are_made_with_all_above_them(tmp_path: Path) -> None:
    make_folder(tmp_path / "a" / "b")
    make_folder(tmp_path / "a" / "b")
    assert (tmp_path / "a" / "b").is_dir()
    (tmp_path / "file").touch()
    for path in (tmp_path / "file", tmp_path / "file" / "below"):
        with pytest.raises(StorageFailed, match="make the folder"):
            make_folder(path)


def test_leftovers_of_a_killed_process_are_removed(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    left = [tmp_path / files.temporary_name(), tmp_path / "out" / files.temporary_name()]
    for path in left:
        path.touch()
    (tmp_path / "kept.tmp").touch()
    assert sorted(remove_leftovers(tmp_path)) == sorted(left)
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["kept.tmp", "out"]


@given(st.text())
def test_the_digest_of_a_file_is_that_of_its_text(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    path = tmp_path_factory.getbasetemp() / "digest"
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    assert sha256_of(path) == text_digest(text)


@pytest.mark.parametrize("count", [3, files.SYNCED_ONE_BY_ONE + 1])
def test_files_that_are_written_together_are_synced_before_any_is_replaced(tmp_path: Path, count: int) -> None:
    steps: list[str] = []
    with installed(steps.append):
        write_together({tmp_path / str(number): b"new" for number in range(count)})
    each = ["files.opened", "files.written"] * count
    assert steps == [*each, *["files.synced"] * count, *["files.replaced"] * count, "files.confirmed"]
    assert {path.read_bytes() for path in tmp_path.iterdir()} == {b"new"}


def test_a_disk_that_cannot_keep_one_of_them_is_told_and_all_stay_old(tmp_path: Path) -> None:
    names = [str(number) for number in range(files.SYNCED_ONE_BY_ONE + 1)]
    for name in names:
        (tmp_path / name).write_bytes(b"old")
    told: set[str | None] = set()
    for call in (1, 2, 3, 40, 41, 100, 101, 103, 130, 150):
        with pytest.raises(StorageFailed, match="EIO"), faulty_disk(call, errno.EIO) as disk:
            write_together({tmp_path / name: b"new" for name in names})
        told.add(disk.failed)
        assert sorted(path.name for path in tmp_path.iterdir()) == sorted(names)
        assert {path.read_bytes() for path in tmp_path.iterdir()} == {b"old"}
    assert {"open", "write", "fsync"} <= told


def test_below_a_folder_nothing_is_removed_unless_it_is_said(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    here, below = tmp_path / files.temporary_name(), tmp_path / "out" / files.temporary_name()
    for path in (here, below):
        path.touch()
    assert remove_leftovers(tmp_path, below=False) == [here]
    assert below.exists() and not here.exists()


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such modes")
def test_only_a_private_folder_itself_is_closed_to_others_and_all_inside_a_run(tmp_path: Path) -> None:
    before = os.umask(0o022)
    try:
        make_folder(tmp_path / "a" / "b", private=True)
        make_folder(tmp_path / "c" / "d")
        (tmp_path / "run").mkdir()
        (tmp_path / "run" / "journal.sqlite").touch()
        make_folder(tmp_path / "run" / "out" / "deep")
    finally:
        os.umask(before)
    modes = {path: (tmp_path / path).stat().st_mode & 0o777 for path in ("a", "a/b", "c/d", "run/out", "run/out/deep")}
    assert modes == {"a": 0o755, "a/b": 0o700, "c/d": 0o755, "run/out": 0o700, "run/out/deep": 0o700}
