import json
import os
import threading
from datetime import timedelta
from pathlib import Path

import pytest

from burnish.core.errors import RunActive, StorageFailed
from burnish.core.faultpoints import installed
from burnish.store import lock as lock_module
from burnish.store.lock import LockRecord, kept_take_overs, live_holder, take_lock
from burnish.store.paths import RunFolder
from tests.store.samples import NOON, SetClock, holder


@pytest.fixture
def folder(tmp_path: Path) -> RunFolder:
    made = RunFolder.at(tmp_path, "tx_001")
    made.root.mkdir()
    return made


def test_the_lock_says_who_holds_the_run(folder: RunFolder) -> None:
    with take_lock(folder, SetClock()):
        fields = json.loads(folder.lock.read_text())
    assert fields["pid"] == os.getpid()
    assert fields["run_id"] == "tx_001"
    assert fields["started_at"] == fields["last_heartbeat_at"] == "2026-11-15T12:00:00.000000Z"
    assert fields["host"]


def test_a_second_taker_is_told_who_holds_it(folder: RunFolder) -> None:
    with take_lock(folder, SetClock()), pytest.raises(RunActive) as refused:
        take_lock(folder, SetClock())
    message = str(refused.value)
    assert f"process {os.getpid()}" in message
    assert "since '2026-11-15T12:00:00" in message
    assert "last heard of" in message
    assert "burnish status tx_001" in (refused.value.hint or "")


def test_it_is_released_at_the_end_and_after_an_error(folder: RunFolder) -> None:
    with take_lock(folder, SetClock()):
        assert holder(folder) is not None
    assert holder(folder) is None
    with pytest.raises(ZeroDivisionError), take_lock(folder, SetClock()):
        raise ZeroDivisionError
    assert not folder.lock.exists()
    assert [path.name for path in folder.root.iterdir()] == [".RUNNING.guard"]


def test_releasing_twice_does_no_harm_to_the_next_holder(folder: RunFolder) -> None:
    first = take_lock(folder, SetClock())
    first.release()
    with take_lock(folder, SetClock()) as second:
        first.release()
        assert holder(folder) == second.record


def test_a_lock_that_was_taken_over_is_neither_renewed_nor_released_by_its_old_holder(folder: RunFolder) -> None:
    first = take_lock(folder, SetClock())
    folder.lock.unlink()
    with take_lock(folder, SetClock()) as second:
        assert first.beat() is False
        assert first.lost
        first.release()
        assert holder(folder) == second.record


def test_a_forked_child_does_not_release_its_parents_lock(folder: RunFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    held = take_lock(folder, SetClock())
    with monkeypatch.context() as child:
        child.setattr(os, "getpid", lambda: 1)
        held.release()
    assert holder(folder) == held.record
    held.release()
    assert holder(folder) is None


def test_a_heartbeat_renews_the_time_and_keeps_the_rest(folder: RunFolder) -> None:
    clock = SetClock()
    with take_lock(folder, clock) as held:
        clock.move(10)
        assert held.beat()
        assert held.set_epoch(3)
        found = holder(folder)
    assert found is not None
    assert (found.started_at, found.last_heartbeat_at) == ("2026-11-15T12:00:00.000000Z", "2026-11-15T12:00:10.000000Z")
    assert found.epoch == 3


def test_the_thread_beats_until_release(folder: RunFolder) -> None:
    beats = threading.Semaphore(0)
    held = take_lock(folder, SetClock())
    with installed(lambda name: beats.release() if name == "lock.beating" else None):
        held.start_heartbeat(0.001)
        assert all(beats.acquire(timeout=30) for _ in range(3))
        held.release()
    assert not folder.lock.exists()


def test_the_thread_ends_when_the_lock_is_lost(folder: RunFolder) -> None:
    held = take_lock(folder, SetClock())
    folder.lock.unlink()
    held.start_heartbeat(0.001)
    thread = held._thread
    assert thread is not None
    thread.join(timeout=30)
    assert held.lost


def test_a_heartbeat_that_the_disk_refuses_is_tried_again(folder: RunFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    tries: list[int] = []
    enough = threading.Event()
    real = lock_module.write_atomically

    def sometimes(path: Path, data: bytes) -> None:
        tries.append(1)
        if len(tries) >= 3:
            enough.set()
        if len(tries) == 1:
            raise StorageFailed("full")
        real(path, data)

    monkeypatch.setattr(lock_module, "write_atomically", sometimes)
    with take_lock(folder, SetClock()) as held:
        held.start_heartbeat(0.001)
        assert enough.wait(timeout=30)
    assert not held.lost


def test_a_stale_lock_is_kept_for_the_audit(folder: RunFolder) -> None:
    clock = SetClock()
    old = LockRecord(1, "elsewhere", "tx_001", "2026-11-15T11:00:00Z", "2026-11-15T11:30:00Z", epoch=4)
    folder.lock.write_bytes(old.write())
    with take_lock(folder, clock) as held:
        over = held.taken_over
    assert over is not None
    assert over.reason == "no_heartbeat"
    assert over.previous == old.summary()
    kept = folder.root / "RUNNING.stale.20261115T120000.000000Z.lock"
    assert over.kept_as == kept.name
    assert LockRecord.read(kept.read_bytes()) == old
    assert kept_take_overs(folder)[0].previous == old.summary()
    audit = over.event()
    assert audit.type == "lock_taken_over"
    assert audit.dedupe == f"lock_taken_over:{kept.name}"


def test_two_stale_locks_of_one_moment_are_both_kept(folder: RunFolder) -> None:
    for _ in range(2):
        folder.lock.write_bytes(LockRecord(1, "elsewhere", "r", "", "2026-11-15T11:30:00Z").write())
        take_lock(folder, SetClock()).release()
    assert len(folder.stale_locks()) == 2


@pytest.mark.parametrize("make", ["directory", "link", "pipe"])
def test_a_thing_that_is_no_lock_file_is_judged_by_its_age(folder: RunFolder, make: str) -> None:
    if make == "directory":
        folder.lock.mkdir()
    elif make == "link":
        folder.lock.symlink_to("/etc/hostname")
    else:
        os.mkfifo(folder.lock)
    changed = NOON.timestamp()
    os.utime(folder.lock, (changed, changed), follow_symlinks=False)
    with pytest.raises(RunActive, match="cannot be read"):
        take_lock(folder, SetClock(NOON + timedelta(seconds=60)))
    with take_lock(folder, SetClock(NOON + timedelta(seconds=121))) as held:
        assert held.taken_over is not None
        assert held.taken_over.reason == "unreadable"


def test_a_program_that_ignores_the_guard_still_cannot_be_overrun(folder: RunFolder) -> None:
    intruder = LockRecord(os.getpid(), "x", "r", "", "2026-11-15T12:00:00Z").write()

    def intrude(name: str) -> None:
        if name == "files.synced":
            folder.lock.write_bytes(intruder)

    with installed(intrude), pytest.raises(RunActive, match="just now"):
        take_lock(folder, SetClock())
    assert folder.lock.read_bytes() == intruder


def test_a_guard_that_is_never_freed_does_not_hang_the_others(
    folder: RunFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lock_module, "GUARD_PATIENCE_SECONDS", 0.05)
    with lock_module._guarded(folder), pytest.raises(RunActive, match="does not continue"):
        take_lock(folder, SetClock())


def test_a_lock_that_cannot_be_reached_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(StorageFailed, match="ENOTDIR"):
        live_holder(RunFolder("r", tmp_path / "file"), SetClock())


def test_a_missing_folder_is_said(tmp_path: Path) -> None:
    with pytest.raises(StorageFailed, match="ENOENT"):
        take_lock(RunFolder.at(tmp_path, "nowhere"), SetClock())


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "7",
        '"pid"',
        '["pid"]',
        "null",
        "{}",
        "\x00" * 200,
        '{"pid": 1}',
        '{"pid": "1", "host": "h", "run_id": "r", "started_at": "", "last_heartbeat_at": "2026-11-15T12:00:00Z"}',
        '{"pid": true, "host": "h", "run_id": "r", "started_at": "", "last_heartbeat_at": "2026-11-15T12:00:00Z"}',
        '{"pid": 0, "host": "h", "run_id": "r", "started_at": "", "last_heartbeat_at": "2026-11-15T12:00:00Z"}',
        '{"pid": 3000000000, "host": "", "run_id": "", "started_at": "", "last_heartbeat_at": "2026-11-15T12:00:00Z"}',
        '{"pid": 1, "host": 7, "run_id": "r", "started_at": "", "last_heartbeat_at": "2026-11-15T12:00:00Z"}',
        '{"pid": 1, "host": "h", "run_id": "r", "started_at": "", "last_heartbeat_at": "yesterday"}',
        '{"pid": 1, "host": "h", "run_id": "r", "started_at": "", "last_heartbeat_at": "2026-11-15T12:00:00"}',
        '{"pid": 1, "host": "h", "run_id": "r", "started_at": "", "last_heartbeat_at": "2026-11-15T12:00:00Z", '
        '"process_start": "x"}',
        '{"pid": 1, "host": "h", "run_id": "r", "started_at": "", "last_heartbeat_at": "2026-11-15T12:00:00Z", '
        '"boot_id": 7}',
        "[" * 60_000,
    ],
)
def test_damaged_locks_are_not_read(text: str) -> None:
    assert LockRecord.read(text.encode()) is None


def test_the_fields_of_the_contract_are_enough() -> None:
    text = '{"pid": 1, "host": "h", "run_id": "r", "started_at": "", "last_heartbeat_at": "2026-11-15T12:00:00Z"}'
    record = LockRecord.read(text.encode())
    assert record is not None
    assert record.process.pid == 1


def test_a_live_holder_is_told_from_a_stale_lock(folder: RunFolder) -> None:
    assert live_holder(folder, SetClock()) is None
    with take_lock(folder, SetClock()) as held:
        assert live_holder(folder, SetClock()) == held.record
    folder.lock.write_bytes(LockRecord(7, "elsewhere", "r", "", "2026-11-15T11:00:00Z").write())
    assert live_holder(folder, SetClock()) is None


def test_of_several_stale_locks_of_one_moment_each_has_the_next_free_name(folder: RunFolder) -> None:
    for _ in range(3):
        folder.lock.write_bytes(LockRecord(1, "elsewhere", "r", "", "2026-11-15T11:30:00Z").write())
        take_lock(folder, SetClock()).release()
    stem = "RUNNING.stale.20261115T120000.000000Z"
    assert sorted(path.name for path in folder.stale_locks()) == [f"{stem}-1.lock", f"{stem}-2.lock", f"{stem}.lock"]


def test_a_stale_lock_that_nobody_can_read_is_told_without_its_holder(folder: RunFolder) -> None:
    (folder.root / "RUNNING.stale.a.lock").write_text("nothing")
    (folder.root / "RUNNING.stale.b.lock").mkdir()
    assert [(one.kept_as, one.reason, one.previous) for one in kept_take_overs(folder)] == [
        ("RUNNING.stale.a.lock", "not_recorded", None),
        ("RUNNING.stale.b.lock", "not_recorded", None),
    ]
