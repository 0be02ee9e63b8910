"""All runs of a folder: opened, kept, followed, and their queue put in order."""

import gc
import shutil
import threading
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from burnish.app import run_index as module
from burnish.app.run_index import QueueLine, RunIndex
from burnish.core.errors import UsageError
from burnish.engine.plan import renewed, take_up
from burnish.store.inbox import Inbox, InboxEntry
from burnish.store.processes import system_clock
from burnish.store.sqlite_journal import open_journal
from burnish.store.unit_queries import QueueFilter, UnitFilter
from tests.app.run_index.four_kinds import RUNS
from tests.app.run_index.ledger import WAITING, Said, ledger

VAGUE, WRONG, MINOR = ("vague", "error"), ("wrong", "critical"), ("minor", "warning")


def rest(home: Path, id: str, sizes: tuple[int, ...], *units: tuple[int, Said | None]) -> None:
    """A run in which these units rest: waiting where something is found."""
    with ledger(home, id, sizes=sizes) as book, book.together():
        for number, found in units:
            book.rests(book.name(number), *([] if found is None else [found]))
        book.ends()


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[RunIndex]:
    found = RunIndex(tmp_path / "runs")
    yield found
    found.close()


class TestOpening:
    def test_a_run_that_is_not_there(self, opened: RunIndex) -> None:
        for name in ("nobody", "../r", "", "r/../r"):
            with pytest.raises(UsageError):
                opened.open(name)

    def test_a_run_that_cannot_be_read_says_why(self, tmp_path: Path, opened: RunIndex) -> None:
        rest(tmp_path, "r", (3,))
        with ledger(tmp_path, "other"):
            pass
        shutil.copy(tmp_path / "runs/other/journal.sqlite", tmp_path / "runs/r/journal.sqlite")
        (tmp_path / "runs/r/journal.sqlite").write_bytes(b"nothing")
        with pytest.raises(Exception, match="journal"):
            opened.open("r")

    def test_it_is_kept_open_and_followed(self, tmp_path: Path, opened: RunIndex) -> None:
        with ledger(tmp_path) as book:
            first = opened.open("r")
            book.rests(book.name(0), VAGUE)
            again = opened.open("r")
            assert again is first
            line = first.line("q0000")
            assert line is not None and line.state == WAITING

    def test_the_least_used_make_room(self, tmp_path: Path, opened: RunIndex, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(module, "MOST_OPEN", 2)
        for id in ("a", "b", "c"):
            rest(tmp_path, id, (2,), (0, VAGUE))
        kept = opened.open("a")
        opened.open("b")
        opened.open("c")
        gc.collect()
        assert kept.units().total == 2, "whoever still reads it goes on"
        journal = kept.view.journal
        assert opened.open("a") is not kept
        del kept
        gc.collect()
        with pytest.raises(UsageError, match="closed"):
            journal.counts()

    def test_a_run_of_the_same_name_that_was_begun_anew(self, tmp_path: Path, opened: RunIndex) -> None:
        rest(tmp_path, "r", (2,), (0, VAGUE))
        assert opened.open("r").units().total == 2
        shutil.rmtree(tmp_path / "runs/r")
        (tmp_path / "r.jsonl").unlink()
        rest(tmp_path, "r", (5,), (0, VAGUE))
        assert opened.open("r").units().total == 5

    def test_a_journal_that_was_put_back_from_a_copy(self, tmp_path: Path, opened: RunIndex) -> None:
        with ledger(tmp_path) as book:
            book.rests(book.name(0), VAGUE)
        shutil.copy(book.folder.journal, tmp_path / "copy.sqlite")
        with closing(open_journal(book.folder.journal, clock=system_clock)) as journal:
            journal.write_now(replace(book.rows["q0000"], state="validated"))
        assert opened.open("r").units(UnitFilter(("validated",))).total == 1
        (tmp_path / "copy.sqlite").replace(book.folder.journal)
        for name in ("journal.sqlite-wal", "journal.sqlite-shm"):
            (book.folder.root / name).unlink(missing_ok=True)
        run = opened.open("r")
        assert run.units(UnitFilter(("validated",))).total == 0
        assert run.card.waiting == len(opened.queue(QueueFilter())) == 1

    def test_models_that_were_named_anew(self, tmp_path: Path, opened: RunIndex) -> None:
        with ledger(tmp_path) as book:
            before = opened.open("r")
            take_up(book.journal, book.plan, renewed(book.plan, judges=("openai:judge",)))
            after = opened.open("r")
            assert before.view.plan.judges == () and after.view.plan.judges == ("openai:judge",)
            assert after.units().total == 6

    def test_many_threads_and_two_servers(self, tmp_path: Path, opened: RunIndex) -> None:
        other, seen, failed = RunIndex(tmp_path / "runs"), [], []
        with ledger(tmp_path, sizes=(12,)) as book:

            def look(index: RunIndex) -> None:
                try:
                    for _ in range(6):
                        page = index.open("r").units(limit=5)
                        seen.append(page.total)
                        index.queue(QueueFilter())
                except Exception as error:
                    failed.append(error)

            threads = [threading.Thread(target=look, args=(one,)) for one in (opened, other) * 2]
            for thread in threads:
                thread.start()
            for number in range(12):
                book.rests(book.name(number), VAGUE)
            for thread in threads:
                thread.join()
            assert not failed and set(seen) == {12}
            for one in (opened, other):
                assert len(one.queue(QueueFilter())) == 12
        other.close()


def order(lines: list[QueueLine]) -> list[str]:
    return [f"{line.run}/{line.line.id}" for line in lines]


class TestQueue:
    def test_runs_in_which_one_decision_frees_most_come_first(self, tmp_path: Path, opened: RunIndex) -> None:
        rest(tmp_path, "half", (4,), (0, VAGUE), (1, VAGUE), (2, None), (3, None))
        rest(tmp_path, "nearly", (4,), (0, VAGUE), (1, None), (2, None), (3, None))
        rest(tmp_path, "unfinished", (4,), (0, VAGUE), (1, VAGUE), (2, None))
        assert [line.run for line in opened.queue(QueueFilter())] == [
            *("nearly", "half", "half", "unfinished", "unfinished"),
        ]

    def test_inside_a_run(self, tmp_path: Path, opened: RunIndex) -> None:
        """Documents with the fewest left first, then cause by cause, the worst and the commonest first."""
        with ledger(tmp_path, sizes=(6, 3)) as book, book.together():
            many, few = [book.name(number) for number in range(6)], [book.name(number) for number in (6, 7, 8)]
            for unit, *found in (
                (many[0], VAGUE),
                (many[1], WRONG),
                (many[2], VAGUE, MINOR),
                (many[3], WRONG),
                (few[2], VAGUE),
                (few[0], MINOR),
            ):
                book.rests(unit, *found)
        wanted = [few[2], few[0], many[1], many[3], many[0], many[2]]
        lines = opened.queue(QueueFilter())
        assert [line.line.id for line in lines] == wanted
        assert [line.same_cause for line in lines] == [3, 1, 2, 2, 3, 3]
        assert {line.waiting for line in lines} == {6}

    def test_pages_and_places_agree(self, tmp_path: Path, opened: RunIndex) -> None:
        for id, size in (("a", 5), ("b", 4), ("c", 3)):
            rest(tmp_path, id, (size,), *((number, (VAGUE, WRONG, None)[number % 3]) for number in range(size)))
        every = opened.queue(QueueFilter())
        assert len(every) == opened.queue_total(QueueFilter()) == sum(opened.queue_counts().values()) == 9
        for size in (1, 2, 3, 7):
            pages = [opened.queue(QueueFilter(), offset=at, limit=size) for at in range(0, len(every), size)]
            assert order([line for page in pages for line in page]) == order(every)
        for place, line in enumerate(every):
            assert opened.queue_place(QueueFilter(), line.run, line.line.id) == place
        assert opened.queue(QueueFilter(), offset=99) == []
        assert opened.queue_place(QueueFilter(), "a", "q0002") is None, "it does not wait"
        assert opened.queue_place(QueueFilter(), "gone", "q0002") is None

    def test_filters(self, tmp_path: Path, opened: RunIndex) -> None:
        rest(tmp_path, "a", (4,), (0, VAGUE), (1, WRONG), (2, WRONG))
        rest(tmp_path, "b", (2, 2), (0, VAGUE), (3, VAGUE))
        wrong = QueueFilter(run="a", cause="attempts_exhausted:wrong")
        assert order(opened.queue(wrong)) == ["a/q0001", "a/q0002"]
        assert opened.queue_total(wrong) == 2
        assert opened.queue_place(wrong, "a", "q0002") == 1
        assert opened.queue_place(wrong, "a", "q0000") is None
        assert order(opened.queue(QueueFilter(run="b", document="bank1.jsonl"))) == ["b/bank1.jsonl/q0001"]
        assert opened.queue(QueueFilter(kind="legos")) == []
        assert len(opened.queue(QueueFilter(kind="questions"))) == 5

    def test_what_was_decided_waits_for_nobody(self, tmp_path: Path, opened: RunIndex) -> None:
        rest(tmp_path, "r", (4,), (0, VAGUE), (1, VAGUE), (2, WRONG), (3, VAGUE))
        run = opened.open("r")
        lines = run.units().lines
        assert run.card.waiting == 4
        Inbox(run.view.folder).add(
            [InboxEntry(f"m-{one.id}", one.id, "accept", "Ada", None, None, one.at, "", "") for one in lines[1:]]
        )
        with closing(open_journal(run.view.folder.journal, clock=system_clock)) as journal:
            journal.apply_decisions({}, failed={"m-q0003": "it has moved"})
        assert order(opened.queue(QueueFilter())) == ["r/q0000", "r/q0003"]
        assert opened.queue(QueueFilter())[0].same_cause == 2
        assert (opened.queue_total(QueueFilter()), opened.queue_counts()) == (2, {"questions": 2})
        assert opened.queue_place(QueueFilter(), "r", "q0003") == 1
        assert opened.queue_place(QueueFilter(), "r", "q0001") is None
        assert opened.queue(QueueFilter(), offset=1) == opened.queue(QueueFilter())[1:]
        assert run.card.waiting == 2

    def test_of_every_kind(self, four_runs: Path) -> None:
        index = RunIndex(four_runs)
        lines = index.queue(QueueFilter())
        assert {line.run for line in lines} == set(RUNS)
        assert index.queue_counts() == {"manuscripts": 1, "legos": 1, "lessons": 3, "questions": 3}
        assert all(line.line.text and line.line.cause and line.title for line in lines)
        index.close()
