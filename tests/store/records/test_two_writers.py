"""Several processes in one course: whoever writes sees what the others wrote, and nothing gets lost."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from burnish.store.records import CourseRecords, FileRecords, SqliteRecords
from tests.store.records.samples import lego, translation, uuid

OPENERS: dict[str, Callable[[Path], CourseRecords]] = {
    "files": FileRecords,
    "sqlite": lambda folder: SqliteRecords(folder / "amino_acids.sqlite"),
}
ROUNDS = 12


def counting(folder: Path, store: str) -> None:
    with OPENERS[store](folder) as records:
        list(records.translations())  # known before the batch begins
        for _ in range(ROUNDS):
            with records.batch():
                record = records.translation(uuid(1))
                assert record is not None
                records.put_translation({**record, "count": record["count"] + 1})
                number = max(len(records.seed_ids()), 1) + 1
                records.put_translation(translation(number))
                records.put_legos(uuid(1), [lego(1000 + record["count"] + place, 1, place) for place in (1, 2)])


def child(work: Callable[[], None]) -> int:
    process = os.fork()
    if not process:
        try:
            work()
        except BaseException:
            os._exit(1)
        os._exit(0)
    return process


@pytest.mark.parametrize("store", OPENERS)
def test_what_a_batch_read_is_what_it_changes(tmp_path: Path, store: str) -> None:
    """Everybody counts up and takes the next number: what is read too early would be taken twice."""
    with OPENERS[store](tmp_path) as records:
        records.put_translation(translation(1, count=0))
    children = [child(lambda: counting(tmp_path, store)) for _ in range(3)]
    assert [os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]) for process in children] == [0, 0, 0]
    with OPENERS[store](tmp_path) as records:
        record = records.translation(uuid(1))
        assert record is not None and record["count"] == 3 * ROUNDS
        assert len(records.seed_ids()) == 3 * ROUNDS + 1
        assert records.problems() == []
        assert [lego["uuid"] for lego in records.all_legos()] == [uuid(1000 + 3 * ROUNDS), uuid(1001 + 3 * ROUNDS)]


def test_a_set_of_legos_of_another_process_is_replaced(tmp_path: Path) -> None:
    ours, theirs = FileRecords(tmp_path), FileRecords(tmp_path)
    ours.put_legos(uuid(1), [lego(11, 1, 1)])
    assert theirs.lego_counts() == {uuid(1): 1}
    ours.put_legos(uuid(1), [lego(12, 1, 1), lego(13, 1, 2)])
    theirs.put_legos(uuid(1), [lego(14, 1, 1)])
    assert [record["uuid"] for record in ours.all_legos()] == [uuid(14)]
    assert ours.problems() == []


def test_two_batches_in_the_same_moment_are_told_apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The clock of a file system stands still for some milliseconds, and here for good."""
    ours, theirs = FileRecords(tmp_path), FileRecords(tmp_path)
    ours.put_translation(translation(1))
    assert len(theirs.seed_ids()) == 1
    for number in range(2, 6):
        (ours if number % 2 else theirs).put_translation(translation(number))
        for folder in (tmp_path / "amino_acids").iterdir():
            os.utime(folder, ns=(0, 0))
        assert len(ours.seed_ids()) == len(theirs.seed_ids()) == number


def test_a_batch_that_fails_leaves_no_course(tmp_path: Path) -> None:
    records = FileRecords(tmp_path)
    with pytest.raises(RuntimeError), records.batch():
        records.put_translation(translation(1))
        raise RuntimeError
    assert list(tmp_path.iterdir()) == []
    records.put_translation(translation(1))
    assert len(records.seed_ids()) == 1


def test_a_course_in_which_others_write_all_the_time_is_read_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    FileRecords(tmp_path).put_translation(translation(1))
    moments = iter(range(1000))
    monkeypatch.setattr("burnish.store.records.stamps", lambda home: (next(moments),))
    assert FileRecords(tmp_path).seed_ids() == {uuid(1): "C0001"}
