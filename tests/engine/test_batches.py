"""Stages: whenever a sitting breaks off, the next ones come to the same bytes and ask nothing twice."""

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from burnish.core.errors import StateCorrupt
from burnish.core.faultpoints import installed
from burnish.core.records import UnitRow
from burnish.core.tasks import Stage
from burnish.engine.batches import Batch, BatchTasks
from burnish.engine.publish import PLACING, is_placing
from burnish.models.calls import Call
from burnish.store.journal import Journal
from burnish.store.processes import system_clock
from burnish.store.sqlite_journal import open_journal
from tests.faults.books import FINAL, BookRun, faithful


class Broken(BaseException):
    """A sitting that ends in the middle of something."""


@contextmanager
def breaking_at(number: int) -> Iterator[None]:
    """Inside the block the engine breaks off at the nth of its fault points."""
    passed = 0

    def hook(point: str) -> None:
        nonlocal passed
        if point.startswith("engine."):  # reached by the sitting itself; the store has its own tests
            passed += 1
            if passed == number:
                raise Broken

    with installed(hook):
        yield


@contextmanager
def journal_of(book: BookRun) -> Iterator[Journal]:
    with closing(open_journal(book.folder.journal, clock=system_clock, read_only=True)) as journal:
        yield journal


@settings(max_examples=7)
@given(st.lists(st.integers(1, 40), max_size=4))
def test_the_same_bytes_however_often_it_breaks_off(breaks: list[int]) -> None:
    asked: list[str] = []

    def answer(call: Call) -> object:
        asked.append(call.key)
        return faithful(call)

    with tempfile.TemporaryDirectory() as text:
        book = BookRun(Path(text), answer)
        book.begin()
        for number in breaks:
            with breaking_at(number):
                try:
                    book.sit(book.plan())
                except (Broken, BaseExceptionGroup):
                    continue
        assert book.sit(book.plan()).outcome.stopped == "done"
        assert book.final.read_text(encoding="utf-8") == FINAL
        with journal_of(book) as journal:
            recorded = [call.key for call in journal.calls() if call.status == "ok"]
            assert len(recorded) == len(set(recorded)), "a recorded answer was asked for again"
            states = {row.id: row.state for row in journal.units()}
        assert states.pop("p_0004") == "excluded"
        assert set(states.values()) == {"merged"}


class TestBatches:
    @pytest.fixture
    def book(self, tmp_path: Path) -> BookRun:
        made = BookRun(tmp_path)
        made.begin()
        return made

    def test_a_run_that_broke_off_begins_with_the_same_batch(self, book: BookRun) -> None:
        with breaking_at(3), pytest.raises(Broken):
            book.sit(book.plan())
        with journal_of(book) as journal:
            [formed] = journal.events(types=("batch_formed",))
            assert list(journal.events(types=("batch_settled",))) == []
        book.sit(book.plan())
        with journal_of(book) as journal:
            batches = [event.data for event in journal.events(types=("batch_formed",))]
            settled = [event.data["number"] for event in journal.events(types=("batch_settled",))]
        assert batches[0] == formed.data
        assert [batch["number"] for batch in batches] == settled
        assert [batch["stage"] for batch in batches] == ["translate", "review", "rework", "review"]

    def test_units_that_were_taken_away_leave_a_batch_that_was_begun(self, tmp_path: Path) -> None:
        book = BookRun(tmp_path, options={"exclude": str(tmp_path / "keep.txt")})
        book.begin()
        with breaking_at(3), pytest.raises(Broken):
            book.sit(book.plan())
        book.exclude("p_0001 a name", "p_0002 a motto")
        assert book.sit(book.plan(reauthorize=True)).outcome.stopped == "done"
        with journal_of(book) as journal:
            states = {row.id: row.state for row in journal.units()}
            formed = [event.data["number"] for event in journal.events(types=("batch_formed",))]
            settled = [event.data["number"] for event in journal.events(types=("batch_settled",))]
        assert {id for id, state in states.items() if state == "excluded"} == {"p_0001", "p_0002", "p_0004"}
        assert sorted(formed) == sorted(settled)

    def test_a_batch_that_people_emptied_is_not_worked_on(self, book: BookRun, monkeypatch: pytest.MonkeyPatch) -> None:
        worked: list[int] = []
        work = BatchTasks._work
        still_taken = BatchTasks._still_taken

        async def watched(self: BatchTasks, stage: Stage, batch: Batch) -> None:
            worked.append(len(batch.rows))
            await work(self, stage, batch)

        def emptied(self: BatchTasks, stage: Stage, rows: Sequence[UnitRow]) -> tuple[UnitRow, ...]:
            return () if stage.name == "translate" else still_taken(self, stage, rows)

        monkeypatch.setattr(BatchTasks, "_work", watched)
        monkeypatch.setattr(BatchTasks, "_still_taken", emptied)
        book.sit(book.plan())
        assert 0 not in worked
        with journal_of(book) as journal:
            assert list(journal.events(types=("batch_formed",))) == []

    def test_a_source_that_changes_while_it_is_put_in_its_place_leaves_its_units_to_people(self, book: BookRun) -> None:
        def meddle(point: str) -> None:
            if point == "engine.publish.approved":
                book.source.write_text("# Another\n")

        with installed(meddle):
            assert book.sit(book.plan()).outcome.stopped == "source_changed"
        with journal_of(book) as journal:
            assert journal.get_meta(PLACING) == ""
            assert not is_placing(journal)

    def test_every_move_is_written_down(self, book: BookRun) -> None:
        book.sit(book.plan())
        with journal_of(book) as journal:
            moves = [event.data["to"] for event in journal.events(unit="p_0003", types=("state_changed",))]
        assert moves == [
            "ingested",
            "translated_pass1",
            "candidate_assembled",
            "review_in_progress",
            "review_failed",
            "rework_queued",
            "reworked",
            "candidate_assembled",
            "review_in_progress",
            "ready_to_merge",
            "merged",
        ]

    def test_a_journal_without_a_source_is_told(self, book: BookRun) -> None:
        with breaking_at(4), pytest.raises(Broken):
            book.sit(book.plan())
        import sqlite3

        with closing(sqlite3.connect(book.folder.journal)) as connection:
            connection.execute("DELETE FROM attempts WHERE number = 1")
            connection.commit()
        with pytest.raises(StateCorrupt, match="has no source in the journal"):
            book.sit(book.plan())
