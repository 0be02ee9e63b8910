import asyncio
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from burnish.core.errors import OwnershipLost, StateCorrupt, StorageFailed, UsageError
from burnish.core.faultpoints import installed
from burnish.core.records import AttemptRecord, CallIntent, CallRecord, EventRecord, UnitRow, Usage, event
from burnish.store.group_writer import guard_of
from burnish.store.journal import HEAVY_PAGE, PAGE, Journal
from burnish.store.processes import system_clock
from burnish.store.schema import use_wal
from burnish.store.sqlite_journal import create_journal, open_journal
from tests.store.samples import SetClock, attempt, call, happened, unit
from tests.store.test_rows import ANY_JSON, ANY_TEXT

NASTY = "a\x00b \ud800 \udfff\ud83d\ude00 😀 \u202e \x1b[2J ' \" \\ \r\n"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "journal.sqlite"


@pytest.fixture
def journal(path: Path) -> Iterator[Journal]:
    made = create_journal(path, clock=system_clock)
    yield made
    made.close()


def unstamped(record: Any) -> Any:
    return replace(record, at="", **({"seq": 0} if isinstance(record, EventRecord) else {}))


def test_it_is_a_journal(journal: Journal) -> None:
    as_interface: Journal = journal
    assert as_interface.counts() == {}
    assert as_interface.call("k1") is None
    assert as_interface.unit("q1") is None
    assert as_interface.attempts("q1") == []
    assert as_interface.get_meta("x") is None
    assert list(as_interface.events()) == list(as_interface.calls()) == list(as_interface.units()) == []
    assert as_interface.totals().usage == Usage(0, 0, 0.0)


def test_a_guard_that_cannot_be_read_does_not_stop_the_writer(journal: Journal, path: Path) -> None:
    guard_of(path).symlink_to(path)  # never followed: opening it fails
    journal.write_now(call())
    journal.write_now(happened())
    assert journal.call("k1") is not None and len(list(journal.events())) == 1


def test_it_is_written_ahead_and_in_full(journal: Journal, path: Path) -> None:
    assert journal._writer is not None
    connection = journal._writer._connection
    assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    assert connection.execute("PRAGMA synchronous").fetchone() == (2,)


def test_every_record_comes_back_as_it_was(journal: Journal) -> None:
    records = [call(), attempt(), unit(), happened(1, dedupe="d1")]
    asyncio.run(journal.write(*records))
    assert unstamped(journal.call("k1")) == records[0]
    assert [unstamped(found) for found in journal.attempts("q1")] == [records[1]]
    assert unstamped(journal.unit("q1")) == records[2]
    assert [unstamped(found) for found in journal.events()] == [records[3]]


def test_hostile_text_comes_back_exactly(journal: Journal) -> None:
    data = {NASTY: [NASTY, {"deep": NASTY}]}
    records = [
        call(NASTY, unit=NASTY, role=NASTY, model=NASTY, reply_name=NASTY, request=data, raw=NASTY * 5000, error=NASTY),
        attempt(
            NASTY, content=data, content_hash=NASTY, findings=(data,), failure=NASTY, edits=(data,), calls=(NASTY,)
        ),
        unit(NASTY, document=NASTY, content_hash=NASTY, state=NASTY, reason=NASTY),
        event("decision", NASTY, dedupe=NASTY, data=data),
    ]
    journal.write_now(*records)
    journal.set_meta(NASTY, NASTY)
    assert unstamped(journal.call(NASTY)) == records[0]
    assert [unstamped(found) for found in journal.calls(NASTY)] == [records[0]]
    assert [unstamped(found) for found in journal.attempts(NASTY)] == [records[1]]
    assert [unstamped(found) for found in journal.units(states=[NASTY])] == [records[2]]
    assert [unstamped(found) for found in journal.events(unit=NASTY)] == [records[3]]
    assert journal.counts() == {NASTY: 1}
    assert journal.get_meta(NASTY) == NASTY


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60, deadline=None)
@given(key=ANY_TEXT, raw=ANY_TEXT, data=st.dictionaries(ANY_TEXT, ANY_JSON, max_size=3))
def test_any_call_comes_back_exactly(journal: Journal, key: str, raw: str, data: dict[str, Any]) -> None:
    known = journal.call(key)
    record = call(key, raw=raw, request=data)
    journal.write_now(record)
    assert unstamped(journal.call(key)) == (unstamped(known) if known else record)


def test_only_the_first_good_reply_of_a_key_counts_and_failures_are_kept(journal: Journal) -> None:
    failed = call(status="failed", raw="", error="503")
    journal.write_now(replace(failed, error="reset"), failed)
    newest = journal.call("k1")
    assert newest is not None
    assert (newest.status, newest.error) == ("failed", "503")
    journal.write_now(call(raw="first"))
    journal.write_now(call(raw="second"))
    recorded = journal.call("k1")
    assert recorded is not None
    assert (recorded.status, recorded.raw) == ("ok", "first")
    assert [(found.status, found.raw) for found in journal.calls()] == [("failed", ""), ("failed", ""), ("ok", "first")]
    totals = journal.totals()
    assert (totals.calls, totals.failed_calls, totals.usage.prompt_tokens) == (3, 2, 300)


def test_totals_add_up_the_same_in_every_order_and_count_unpriced_calls(journal: Journal) -> None:
    costs = [0.1, 0.2, 0.3, None, 1e-9, 12.345678]
    for turn, order in enumerate((costs, costs[::-1])):
        journal.write_now(*(call(f"{turn}-{n}", usage=Usage(1, 2, cost)) for n, cost in enumerate(order)))
    totals = journal.totals()
    assert totals.usage == Usage(12, 24, 25.891356002)
    assert totals.unpriced_calls == 2


def test_the_first_attempt_and_the_first_event_of_a_name_win(journal: Journal) -> None:
    journal.write_now(attempt(number=2), attempt(number=1), attempt(number=1, passed=True))
    journal.write_now(happened(1, dedupe="x"), happened(2, dedupe="x"), happened(3), happened(3))
    assert [(found.number, found.passed) for found in journal.attempts("q1")] == [(1, False), (2, False)]
    assert [(found.seq, found.data["n"]) for found in journal.events()] == [(1, 1), (2, 3), (3, 3)]


def test_a_unit_is_rewritten(journal: Journal) -> None:
    journal.write_now(unit("q1", 0), unit("q2", 1))
    journal.write_now(unit("q1", 0, state="validated", attempts=2, best_attempt=1, open_errors=0))
    assert journal.counts() == {"draft": 1, "validated": 1}
    assert journal.unit("q1").attempts == 2  # type: ignore[union-attr]


def test_units_are_paged_by_position(journal: Journal) -> None:
    total = 2 * PAGE + 10
    states = ["draft", "validated", "correcting"]
    journal.write_now(*(unit(f"q{n}", n, state=states[n % 3]) for n in reversed(range(total))))
    assert [row.position for row in journal.units()] == list(range(total))
    assert [row.position for row in journal.units(after_position=PAGE, limit=3)] == [PAGE + 1, PAGE + 2, PAGE + 3]
    assert [row.position for row in journal.units(states=["draft"])] == list(range(0, total, 3))
    two = list(journal.units(states=["draft", "correcting"], limit=PAGE + 1))
    assert [row.position for row in two] == [n for n in range(total) if n % 3 != 1][: PAGE + 1]
    assert list(journal.units(limit=0)) == []


def test_units_that_share_a_position_are_all_found(journal: Journal) -> None:
    journal.write_now(*(unit(f"q{n}", 7) for n in range(PAGE + 5)))
    assert len(list(journal.units())) == PAGE + 5


def test_reading_and_moving_units_at_once_skips_none(journal: Journal) -> None:
    journal.write_now(*(unit(f"q{n}", n) for n in range(PAGE + 5)))
    for row in journal.units(states=["draft"]):
        if row.position % 100 == 0:
            journal.write_now(replace(row, state="validated"))
    assert journal.counts() == {"draft": PAGE - 1, "validated": 6}


def test_events_are_found_by_number_unit_and_type(journal: Journal) -> None:
    total = PAGE + 20
    types = ["decision", "ingested", "rolled_back"]
    journal.write_now(*(EventRecord(types[n % 3], f"q{n % 2}" if n % 4 else None) for n in range(total)))
    assert [found.seq for found in journal.events()] == list(range(1, total + 1))
    assert [found.seq for found in journal.events(after=PAGE, limit=2)] == [PAGE + 1, PAGE + 2]
    assert all(found.type == "decision" for found in journal.events(types=["decision"]))
    assert len(list(journal.events(types=["decision"]))) == len(range(0, total, 3))
    assert len(list(journal.events(types=["decision", "ingested"]))) == len([n for n in range(total) if n % 3 < 2])
    both = [n for n in range(total) if n % 4 and n % 2 == 1 and n % 3 == 0]
    assert len(list(journal.events(unit="q1", types=["decision"]))) == len(both)


def test_calls_are_paged(journal: Journal) -> None:
    total = 2 * HEAVY_PAGE + 1
    journal.write_now(*(call(f"k{n}", unit=f"q{n % 2}") for n in range(total)))
    assert [found.key for found in journal.calls()] == [f"k{n}" for n in range(total)]
    assert [found.key for found in journal.calls("q1")] == [f"k{n}" for n in range(1, total, 2)]


def test_many_producers_share_commits(journal: Journal) -> None:
    commits: list[str] = []

    async def produce(worker: int) -> None:
        for n in range(20):
            await journal.write(call(f"{worker}-{n}"))
            assert journal.call(f"{worker}-{n}") is not None

    async def produce_all() -> None:
        await asyncio.gather(*(produce(worker) for worker in range(32)))

    with installed(lambda name: commits.append(name) if name == "journal.committed" else None):
        asyncio.run(produce_all())
    assert journal.totals().calls == 640
    assert len(commits) < 640


def test_writing_nothing_is_nothing(journal: Journal) -> None:
    journal.write_now()
    asyncio.run(journal.write())
    assert list(journal.events()) == []


def test_a_write_whose_worker_is_stopped_is_still_carried_out(journal: Journal) -> None:
    async def stopped() -> None:
        waiting = asyncio.create_task(journal.write(call("paid")))
        await asyncio.sleep(0)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting

    asyncio.run(stopped())
    journal.set_meta("after", "1")
    assert journal.call("paid") is not None


def test_a_value_that_cannot_be_stored_fails_alone(journal: Journal) -> None:
    async def write_all() -> list[BaseException | None]:
        records = [call(f"k{n}", usage=Usage(2**70 if n == 3 else 1, 0, 0.0)) for n in range(8)]
        return await asyncio.gather(*(journal.write(record) for record in records), return_exceptions=True)

    outcomes = asyncio.run(write_all())
    assert isinstance(outcomes[3], UsageError)
    assert [outcome for n, outcome in enumerate(outcomes) if n != 3] == [None] * 7
    assert journal.totals().calls == 7


def test_an_error_that_nobody_foresaw_reaches_the_writer_and_nothing_is_written(journal: Journal) -> None:
    def stumble(name: str) -> None:
        if name == "journal.inserted":
            raise RuntimeError("unforeseen")

    with installed(stumble), pytest.raises(RuntimeError, match="unforeseen"):
        journal.write_now(happened(1))
    journal.write_now(happened(2))
    assert [found.data["n"] for found in journal.events()] == [2]


def test_a_file_system_without_write_ahead_logs_is_refused(path: Path) -> None:
    with pytest.raises(StorageFailed, match="mode memory"):
        use_wal(sqlite3.connect(":memory:"), path)


def test_what_is_no_json_is_refused_at_once(journal: Journal) -> None:
    with pytest.raises(TypeError):
        journal.write_now(EventRecord("decision", data={"x": object()}))
    assert list(journal.events()) == []


def test_meta_is_kept_and_the_epoch_is_not_for_everyone(journal: Journal, path: Path) -> None:
    journal.set_meta("a", "1")
    journal.set_meta("a", "2")
    assert journal.get_meta("a") == "2"
    with pytest.raises(UsageError, match="itself"):
        journal.set_meta("epoch", "7")
    assert journal.get_meta("epoch") == "0"


def test_a_later_epoch_shuts_the_earlier_owner_out(journal: Journal, path: Path) -> None:
    later = open_journal(path, clock=system_clock)
    assert later.begin_epoch(happened(1)) == 1
    for write in (lambda: journal.write_now(happened(2)), lambda: journal.set_meta("x", "1"), journal.begin_epoch):
        with pytest.raises(OwnershipLost, match="took this run over"):
            write()
    later.write_now(happened(3))
    assert [found.data["n"] for found in later.events()] == [1, 3]
    assert later.get_meta("x") is None
    later.close()


def test_a_reader_sees_what_is_committed_and_changes_nothing(journal: Journal, path: Path) -> None:
    reader = open_journal(path, clock=system_clock, read_only=True)
    journal.write_now(unit())
    assert reader.counts() == {"draft": 1}
    with pytest.raises(UsageError, match="reading only"):
        reader.write_now(unit("q2", 1))
    with pytest.raises(StorageFailed, match="readonly"):
        reader.ask(lambda connection: connection.execute("DELETE FROM units"))
    reader.close()


def test_another_process_reads_while_a_read_is_open_and_the_writer_goes_on(journal: Journal, path: Path) -> None:
    journal.write_now(*(unit(f"q{n}", n) for n in range(PAGE + 1)))
    rows = journal.units()
    next(rows)
    journal.write_now(unit("later", PAGE + 1))
    program = (
        "import sys; from pathlib import Path; from burnish.store.sqlite_journal import open_journal; "
        "from burnish.store.processes import system_clock; "
        "print(open_journal(Path(sys.argv[1]), clock=system_clock, read_only=True).counts())"
    )
    told = subprocess.run([sys.executable, "-c", program, str(path)], capture_output=True, text=True, check=True)
    assert told.stdout.strip() == str({"draft": PAGE + 2})
    assert len(list(rows)) == PAGE + 1


def test_it_may_be_read_from_many_threads(journal: Journal) -> None:
    journal.write_now(*(unit(f"q{n}", n) for n in range(50)))
    sums: list[int] = []
    threads = [
        threading.Thread(target=lambda: sums.append(sum(1 for _ in range(20) for _ in journal.units())))
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sums == [1000] * 4


def test_closing_twice_is_fine_and_writing_afterwards_is_not(path: Path) -> None:
    journal = create_journal(path, clock=system_clock)
    journal.write_now(unit())
    journal.close()
    journal.close()
    with pytest.raises(UsageError, match="closed"):
        journal.write_now(unit())
    with pytest.raises(UsageError, match="closed"):
        journal.counts()
    assert [file.name for file in path.parent.iterdir()] == ["journal.sqlite"]


def test_what_was_handed_over_is_written_before_closing(path: Path) -> None:
    journal = create_journal(path, clock=system_clock)
    futures = [journal._hand_over([happened(n)]) for n in range(100)]
    journal.close()
    assert [future.result() for future in futures] == [None] * 100
    again = open_journal(path, clock=system_clock, read_only=True)
    assert len(list(again.events())) == 100
    again.close()


def test_a_journal_is_not_made_over_another(journal: Journal, path: Path) -> None:
    journal.write_now(unit())
    with pytest.raises(UsageError, match="already"):
        create_journal(path, clock=system_clock)
    assert journal.counts() == {"draft": 1}
    assert not list(path.parent.glob(".burnish-*"))


def test_a_missing_journal_is_said(path: Path) -> None:
    with pytest.raises(StateCorrupt, match="no journal"):
        open_journal(path, clock=system_clock)
    assert not path.exists()


def damaged(path: Path, how: str) -> None:
    create_journal(path, clock=system_clock).close()
    data = path.read_bytes()
    damage = {
        "empty": b"",
        "truncated": data[: len(data) // 2],
        "one page short": data[:-4096],
        "text": b"this is not a database at all, whatever its name says" * 50,
        "head only": data[:100],
        "zeros": bytes(len(data)),
        "scrambled": data[:100] + bytes(byte ^ 0x5A for byte in data[100:]),
    }
    path.write_bytes(damage[how])


@pytest.mark.parametrize("how", ["empty", "truncated", "one page short", "text", "head only", "zeros", "scrambled"])
@pytest.mark.parametrize("read_only", [True, False])
def test_a_damaged_journal_is_refused(path: Path, how: str, read_only: bool) -> None:
    damaged(path, how)
    with pytest.raises(StateCorrupt) as refused:
        open_journal(path, clock=system_clock, read_only=read_only).counts()
    assert refused.value.exit_code == 5
    assert refused.value.hint is not None


def test_another_programs_database_is_refused(path: Path) -> None:
    other = sqlite3.connect(path)
    other.execute("CREATE TABLE meta (key, value)")
    other.commit()
    other.close()
    before = path.read_bytes()
    with pytest.raises(StateCorrupt, match="not a journal of Burnish"):
        open_journal(path, clock=system_clock)
    assert path.read_bytes() == before


def test_damage_inside_a_value_is_found_when_it_is_read(path: Path) -> None:
    journal = create_journal(path, clock=system_clock)
    journal.write_now(call("json"), call("zipped", raw="x" * 100_000), unit())
    journal.close()
    raw = sqlite3.connect(path)
    raw.execute("UPDATE calls SET request = '{' WHERE key = 'json'")
    raw.execute("UPDATE calls SET raw = X'7A0000' WHERE key = 'zipped'")
    raw.execute("UPDATE units SET id = CAST(X'FFFE' AS TEXT)")
    raw.commit()
    raw.close()
    journal = open_journal(path, clock=system_clock)
    for read in (lambda: journal.call("json"), lambda: journal.call("zipped"), lambda: list(journal.units())):
        with pytest.raises(StateCorrupt, match="damaged"):
            read()
    journal.close()


def test_stamps_strictly_increase_within_one_write(path: Path) -> None:
    journal = create_journal(path, clock=SetClock())
    journal.write_now(*(happened(n) for n in range(5)))
    stamps = [found.at for found in journal.events()]
    journal.close()
    assert stamps == [f"2026-11-15T12:00:00.{n:06d}Z" for n in range(5)]


@pytest.mark.parametrize("record", [call(), unit(), attempt(), happened()])
def test_records_of_every_sort_are_stamped(journal: Journal, record: Any) -> None:
    journal.write_now(record)
    found: list[CallRecord | UnitRow | AttemptRecord | EventRecord]
    found = [*journal.calls(), *journal.units(), *journal.attempts("q1"), *journal.events()]
    assert [len(one.at) for one in found] == [27]


def test_nothing_is_left_beside_it_whoever_closes_last(path: Path) -> None:
    writer = create_journal(path.with_name("other.sqlite"), clock=system_clock)
    reader = open_journal(path.with_name("other.sqlite"), clock=system_clock, read_only=True)
    writer.write_now(unit())
    assert reader.counts() == {"draft": 1}
    writer.close()
    reader.close()
    assert not [found.name for found in path.parent.glob("other.sqlite-*")]
    open_journal(path.with_name("other.sqlite"), clock=system_clock, read_only=True).close()
    assert not [found.name for found in path.parent.glob("other.sqlite-*")]


def test_an_event_names_files_and_not_where_they_lie(journal: Journal, path: Path) -> None:
    documents = [
        {"document": "bank.json", "path": str(path.parent / "out" / "bank.json")},
        {"document": "/srv/banks/old.json", "path": "/srv/elsewhere.json"},
    ]
    data = {"documents": documents, "path": "bank.json", "message": "/ is kept"}
    journal.write_now(event("published", data=data))
    [told] = journal.events()
    names = [
        {"document": "bank.json", "path": "out/bank.json"},
        {"document": "old.json", "path": "elsewhere.json"},
    ]
    assert told.data == {**data, "documents": names}


def test_a_call_that_was_lost_stays_on_the_bill_although_it_is_made_again(tmp_path: Path) -> None:
    path = tmp_path / "journal.sqlite"
    intent = CallIntent("a", "judge", "m", 700)
    with closing(create_journal(path, clock=SetClock())) as journal:
        journal.write_now(intent)
        assert journal.totals().lost_calls == 1
    with closing(open_journal(path, clock=SetClock())) as journal:
        journal.begin_epoch()
        journal.write_now(intent)
        assert journal.totals().lost_calls == 2
        journal.write_now(call("a"))
        assert (journal.totals().calls, journal.totals().lost_calls, journal.totals().lost_tokens) == (1, 1, 700)


def test_a_call_that_was_submitted_in_a_batch_is_not_lost_whoever_collects_it(tmp_path: Path) -> None:
    path = tmp_path / "journal.sqlite"
    intent = CallIntent("a", "judge", "m", 700, 0.5, batch="mark", call={"user": NASTY, "max_tokens": 7})
    with closing(create_journal(path, clock=SetClock())) as journal:
        journal.write_now(intent, CallIntent("b", "judge", "m", 700, batch="mark", call={}))
        assert (journal.totals().lost_calls, len(journal.submitted())) == (0, 2)
    with closing(open_journal(path, clock=SetClock())) as journal:
        journal.begin_epoch()
        [found, _] = journal.submitted()
        assert replace(found, at="") == intent
        assert found.at
        journal.write_now(call("a"))
        assert (journal.totals().calls, len(journal.submitted())) == (1, 1)
        journal.write_now(CallIntent("b", "judge", "m", 700, is_over=True))
        assert journal.submitted() == []
