import asyncio
import gc
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from burnish.core.errors import LimitReached, OwnershipLost, RunActive, StorageFailed, UsageError
from burnish.core.faultpoints import FAULT_POINTS, installed
from burnish.core.records import event
from burnish.store import sqlite_journal
from burnish.store.files import temporary_name
from burnish.store.lock import LockRecord
from burnish.store.paths import RunFolder
from burnish.store.redaction import Redactor
from burnish.store.sqlite_journal import open_journal, own_run, trouble_of
from tests.store.samples import SetClock, happened, holder, unit


@pytest.fixture
def folder(tmp_path: Path) -> RunFolder:
    return RunFolder.at(tmp_path / "runs", "r1")


class Killed(BaseException):
    """Stands in for the end of the process: nothing after it runs except what Python insists on."""


def test_a_new_run_is_made_and_given_back(folder: RunFolder) -> None:
    with own_run(folder, SetClock()) as run:
        assert (run.epoch, run.taken_over) == (1, None)
        assert run.journal.get_meta("epoch") == "1"
        found = holder(folder)
        assert found is not None
        assert found.epoch == 1
    assert sorted(path.name for path in folder.root.iterdir()) == [".RUNNING.guard", "journal.sqlite"]


def test_every_owner_has_an_epoch_of_its_own(folder: RunFolder) -> None:
    epochs = []
    for _ in range(3):
        with own_run(folder, SetClock()) as run:
            epochs.append(run.epoch)
            run.journal.write_now(unit())
    assert epochs == [1, 2, 3]


def test_a_second_owner_is_refused_and_changes_nothing(folder: RunFolder) -> None:
    with own_run(folder, SetClock()) as run, pytest.raises(RunActive), own_run(folder, SetClock()):
        pass
    assert run.epoch == 1
    with own_run(folder, SetClock()) as again:
        assert again.epoch == 2


def test_the_lock_is_released_when_the_journal_cannot_be_opened(folder: RunFolder) -> None:
    folder.root.mkdir(parents=True)
    folder.journal.mkdir()
    with pytest.raises(Exception, match="no journal"), own_run(folder, SetClock()):
        pass
    assert holder(folder) is None


def test_the_lock_is_released_when_the_journal_cannot_be_made(
    folder: RunFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*args: object, **options: object) -> None:
        raise StorageFailed("full")

    monkeypatch.setattr(sqlite_journal, "create_journal", full)
    with pytest.raises(StorageFailed), own_run(folder, SetClock()):
        pass
    assert holder(folder) is None


def test_a_take_over_is_in_the_journal_with_its_reason(folder: RunFolder) -> None:
    folder.root.mkdir(parents=True)
    folder.lock.write_bytes(LockRecord(7, "elsewhere", "r1", "", "2026-11-15T11:00:00Z", epoch=3).write())
    with own_run(folder, SetClock()) as run:
        audit = list(run.journal.events(types=["lock_taken_over"]))
    assert len(audit) == 1
    assert audit[0].data["reason"] == "no_heartbeat"
    assert audit[0].data["previous"]["pid"] == 7
    assert (folder.root / audit[0].data["kept_as"]).exists()
    with own_run(folder, SetClock()) as run:
        assert len(list(run.journal.events())) == 1


def test_a_take_over_whose_taker_was_killed_is_audited_by_the_next(folder: RunFolder) -> None:
    folder.root.mkdir(parents=True)
    folder.lock.write_bytes(LockRecord(7, "elsewhere", "r1", "", "2026-11-15T11:00:00Z").write())

    def kill(name: str) -> None:
        if name == "lock.stale_moved":
            raise Killed

    with installed(kill), pytest.raises(Killed), own_run(folder, SetClock()):
        pass
    with own_run(folder, SetClock()) as run:
        assert run.taken_over is None
        audit = list(run.journal.events(types=["lock_taken_over"]))
    assert [entry.data["reason"] for entry in audit] == ["not_recorded"]


def test_leftovers_of_a_killed_owner_are_removed(folder: RunFolder) -> None:
    folder.out.mkdir(parents=True)
    for place in (folder.root, folder.out):
        (place / temporary_name()).touch()
    with own_run(folder, SetClock()):
        pass
    assert not list(folder.root.rglob(".burnish-*"))


def test_secrets_do_not_reach_the_journal(folder: RunFolder) -> None:
    with own_run(folder, SetClock(), redactor=Redactor(["canary-value-1"])) as run:
        run.journal.write_now(event("run_stopped", data={"message": "key canary-value-1"}))
        *_, stopped = run.journal.events()
        assert stopped.data == {"message": "key [redacted]"}


def test_an_owner_passes_its_points_in_order(folder: RunFolder) -> None:
    seen: list[str] = []
    with installed(seen.append), own_run(folder, SetClock()) as run:
        run.journal.write_now(happened())
    assert set(seen) <= set(FAULT_POINTS)
    order = ["ownership.locked", "journal.building", "journal.created", "ownership.opened", "ownership.fenced"]
    assert [name for name in seen if name in order] == order
    assert seen[-1] == "lock.released"


def test_what_ends_the_work_is_written_down_before_the_run_is_given_back(folder: RunFolder) -> None:
    with pytest.raises(UsageError), own_run(folder, SetClock()):
        raise UsageError("There is no key.", hint="Set it.")
    with pytest.raises(UsageError), own_run(folder, SetClock(), purpose="decide") as run:
        assert trouble_of(run.journal) == "There is no key. Set it."
        raise UsageError("That makes no sense.")
    with own_run(folder, SetClock()) as run:
        assert trouble_of(run.journal) == "There is no key. Set it.", "who decides is not at work on it"
        run.journal.write_now(event("run_resumed"))
        assert trouble_of(run.journal) is None, "another process is at work now"


@pytest.mark.parametrize("failure", [LimitReached("No money."), ZeroDivisionError("by zero")])
def test_whatever_ends_it_is_the_last_event_and_there_when_the_lock_is_released(
    folder: RunFolder, failure: Exception
) -> None:
    """Nobody sees the run at rest without it: it is one transaction, and the lock goes after it."""
    seen: list[str | None] = []

    def look(point: str) -> None:
        if point == "lock.released":
            with closing(open_journal(folder.journal, clock=SetClock(), read_only=True)) as journal:
                seen.append(trouble_of(journal))

    with installed(look), pytest.raises(type(failure)), own_run(folder, SetClock()) as run:
        run.journal.write_now(event("run_started"))
        raise failure
    [said] = seen
    assert said is not None and str(failure.args[0]) in said
    with own_run(folder, SetClock()) as run:
        last = run.journal.latest()
        assert last is not None and last.type == "run_failed"


def test_a_worker_that_is_stopped_while_its_write_is_refused_leaves_no_traceback(folder: RunFolder) -> None:
    """One worker of an old owner hears that the run was taken over, and the others are stopped for it."""
    told: list[str] = []

    async def main(run: sqlite_journal.OwnedRun) -> None:
        asyncio.get_running_loop().set_exception_handler(lambda _, context: told.append(context["message"]))
        with closing(sqlite3.connect(folder.journal, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            write = asyncio.create_task(run.journal.write(event("finding_dropped", "u")))
            await asyncio.sleep(0.05)  # the write is handed over, and waits
            write.cancel()
            await asyncio.wait([write])
            other.execute("ROLLBACK")
        await run.journal.write(event("finding_dropped", "u"))

    def old_owner() -> str:
        try:
            with own_run(folder, SetClock()) as run:
                with closing(open_journal(folder.journal, clock=SetClock())) as other:
                    other.begin_epoch()
                asyncio.run(main(run))
        except OwnershipLost as lost:
            return lost.code
        return "it still owns the run"

    assert old_owner() == "ownership_lost"
    gc.collect()
    assert told == []
