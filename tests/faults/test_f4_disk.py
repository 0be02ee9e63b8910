import errno
from pathlib import Path

import pytest

from burnish.core.errors import StorageFailed
from burnish.store.files import write_atomically
from burnish.store.processes import system_clock
from burnish.store.sqlite_journal import create_journal
from tests.faults import f4_disk
from tests.faults.faulty_disk import faulty_disk
from tests.store.samples import happened


def test_short_form() -> None:
    figures = f4_disk.run(full=False)
    assert "0 lost" in figures


def test_what_cannot_be_confirmed_is_said_to_be_in_its_place(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"old")
    with faulty_disk(0, None) as counted:
        write_atomically(path, b"old")
    with faulty_disk(counted.calls, errno.EIO) as disk, pytest.raises(StorageFailed, match="complete and in its place"):
        write_atomically(path, b"new")
    assert disk.failed == "fsync"
    assert path.read_bytes() == b"new"


def test_every_writer_that_waits_hears_of_a_full_disk_and_the_next_may_succeed(tmp_path: Path) -> None:
    journal = create_journal(tmp_path / "journal.sqlite", clock=system_clock)
    assert journal._writer is not None
    connection = journal._writer._connection
    journal.write_now(happened(0))
    # SQLite's own limit, told by the same error as a disk without room.
    pages = connection.execute("PRAGMA page_count").fetchone()[0]
    connection.execute(f"PRAGMA max_page_count = {pages}")
    waiting = [journal._hand_over([happened(n, dedupe="x" * 5000 + str(n))]) for n in range(10)]
    errors = [future.exception() for future in waiting]
    assert {type(error) for error in errors} == {StorageFailed}
    assert len({id(error) for error in errors}) == 10
    assert "SQLITE_FULL" in str(errors[0])
    connection.execute("PRAGMA max_page_count = 1000000")
    journal.write_now(happened(1))
    assert [found.data["n"] for found in journal.events()] == [0, 1]
    journal.close()
