"""Brought up to date step by step, a catalogue is what it would be if it were made anew."""

import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from burnish.app.catalogue import filling, making
from burnish.app.catalogue.database import Damaged, Database
from burnish.app.catalogue.making import Making
from burnish.core.errors import StateCorrupt
from burnish.core.events import event
from burnish.core.findings import SEVERITIES
from burnish.core.kinds import PublishedKind
from burnish.engine.plan import Plan
from burnish.store.following import Following
from burnish.store.paths import RunFolder
from tests.app.catalogue.ledger import WAITING, Ledger, ledger
from tests.faults import journal_v1

TABLES = ("units", "sought", "findings", "scores", "judgements", "spent", "tallies", "sources", "meta")
SIZES = (5, 3)
Act = Callable[[Ledger], None]


def dump(made: Making) -> dict[str, list[Any]]:
    """Everything in a catalogue."""

    def everything(connection: Any) -> dict[str, list[Any]]:
        found = {table: connection.execute(f"SELECT * FROM {table}").fetchall() for table in TABLES}
        found["tallies"] = [row for row in found["tallies"] if row[-1]]
        found["meta"] = [row for row in found["meta"] if row[0] != "made"]  # each has another
        return {table: sorted(rows, key=repr) for table, rows in found.items()}

    return made.ask(everything)


@contextmanager
def made(folder: RunFolder, plan: Plan, kind: PublishedKind) -> Iterator[Making]:
    opened = Making(folder, plan, kind)
    try:
        opened.follow()
        opened.wait()
        yield opened
    finally:
        opened.close()


def made_anew(book: Ledger) -> dict[str, list[Any]]:
    for path in book.folder.root.glob("catalogue*"):
        path.unlink()
    with made(book.folder, book.plan, book.kind) as fresh:
        return dump(fresh)


@pytest.fixture(autouse=True)
def small_portions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(filling, "PORTION", 3)
    monkeypatch.setattr(filling, "BILLS", 2)


UNITS = st.integers(0, sum(SIZES) - 1)
FINDINGS = st.lists(
    st.tuples(
        st.sampled_from(("lead_in", "vague", "odd\x00")),
        st.sampled_from(SEVERITIES),
        st.sampled_from(("rule", "document", "model:a,b")),
    ),
    max_size=3,
)
STEMS = st.none() | st.sampled_from(("A new stem?", "Ein ganz anderer Stamm?", "Odd \x00 stem?"))


@st.composite
def acts(draw: st.DrawFn) -> Act:
    """Something that happens in a run."""
    number, findings, stem = draw(UNITS), draw(FINDINGS), draw(STEMS)
    state = draw(st.sampled_from(("draft", "correcting", "validated", WAITING)))
    verdict = draw(st.sampled_from(("accept", "reject", "edit")))
    reason = draw(st.sampled_from((None, "attempts_exhausted", "model_failed")))

    def rests(book: Ledger) -> None:
        book.write(book.attempt(book.name(number), *findings, stem=stem), book.row(book.name(number), state, reason))

    def moves(book: Ledger) -> None:
        best = min(draw_best, book.rows[book.name(number)].attempts)
        book.write(book.row(book.name(number), state, reason, best))

    def tries(book: Ledger) -> None:
        row = book.rows[book.name(number)]
        book.write(book.attempt(book.name(number), *findings, stem=stem))
        book.rows[book.name(number)] = row if row.attempts == 0 else book.rows[book.name(number)]

    def decides(book: Ledger) -> None:
        if book.rows[book.name(number)].attempts:
            book.decided(book.name(number), verdict)

    def undoes(book: Ledger) -> None:
        known = [one for one in book.journal.events(types=("decision",)) if one.data["verdict"] != "undo"]
        if known:
            data = {"verdict": "undo", "by": "Ada", "undoes": known[-1].seq, "note": None, "after_attempt": 0}
            book.write(event("decision", known[-1].unit, data=data), book.rows[str(known[-1].unit)])

    def spends(book: Ledger) -> None:
        book.spends(number + 1, cost=None if stem else 0.25)

    draw_best = draw(st.integers(0, 3))
    return draw(st.sampled_from((rests, rests, moves, tries, decides, undoes, spends)))


@settings(max_examples=8)
@given(st.lists(st.lists(acts(), max_size=4), max_size=6))
def test_step_by_step_is_the_same_as_made_anew(steps: list[list[Act]]) -> None:
    home = Path(tempfile.mkdtemp())
    try:
        with ledger(home, sizes=SIZES) as book, made(book.folder, book.plan, book.kind) as followed:
            for step in steps:
                with book.together():
                    for act in step:
                        act(book)
                followed.follow()
            assert dump(followed) == made_anew(book)
    finally:
        shutil.rmtree(home)


def lived(book: Ledger) -> None:
    """Something of everything."""
    with book.together():
        for number in range(4):
            book.rests(book.name(number), ("lead_in", "error"), stem="A new stem?" if number % 2 else None)
        book.decided(book.name(0), "accept")
    book.spends(5)


def test_another_server_may_have_made_the_last_portion(tmp_path: Path) -> None:
    with ledger(tmp_path) as book, made(book.folder, book.plan, book.kind) as ours:
        lived(book)
        with made(book.folder, book.plan, book.kind) as theirs:
            assert dump(ours) == dump(theirs)
            book.rests(book.name(5), ("vague", "warning"))
            ours.follow()
            theirs.follow()
            assert dump(ours) == dump(theirs)
        assert dump(ours) == made_anew(book)


def test_a_long_run_is_made_in_the_background(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with ledger(tmp_path, sizes=(20,)) as book:
        lived(book)
        at_once = made_anew(book)
        monkeypatch.setattr(making, "AT_ONCE", 2)
        for path in book.folder.root.glob("catalogue*"):
            path.unlink()
        opened = Making(book.folder, book.plan, book.kind)
        opened.follow()
        opened.follow()  # somebody else looks meanwhile
        assert dump(opened)["meta"], "pages are usable meanwhile"
        opened.wait()
        assert opened.progress() is None
        assert dump(opened) == at_once
        opened.close()


def test_it_says_how_far_it_is(tmp_path: Path) -> None:
    with ledger(tmp_path, sizes=(10,)) as book:
        opened = Making(book.folder, book.plan, book.kind)
        seen = [opened._filling.taken_in()]
        while opened._filling.step():
            seen.append(opened._filling.taken_in())
        assert (seen[0], seen[-1], opened._filling.how_many()) == (0, 10, 10)
        opened.close()
    assert seen == sorted(seen) and len(set(seen)) > 4


def test_a_run_that_is_closed_meanwhile_ends_its_thread(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(making, "AT_ONCE", 0)
    with ledger(tmp_path, sizes=(60,)) as book:
        opened = Making(book.folder, book.plan, book.kind)
        opened.follow()
        opened.close()
        opened.wait()
        assert opened.progress() is None
        opened.follow()
        assert opened.progress() is None, "what is closed stays closed"


def test_whoever_reads_goes_first_but_not_for_ever(tmp_path: Path) -> None:
    with ledger(tmp_path) as book, made(book.folder, book.plan, book.kind) as opened:
        before = opened._paused
        opened._give_way()
        assert opened._paused == before, "nobody reads"
        with opened._first():
            opened._worked_since -= 1.0
            opened._give_way()
            assert opened._paused > before
            opened._paused = 1e9
            opened._give_way()
            assert opened._paused == 1e9, "it has waited long enough"


class TestSources:
    def test_they_are_taken_in_once_everything_is(self, tmp_path: Path) -> None:
        with ledger(tmp_path) as book:
            book.journal.set_meta("ingested", "")
            with made(book.folder, book.plan, book.kind) as opened:
                assert dump(opened)["sources"] == []
                book.journal.set_meta("ingested", "yes")
                opened.follow()
                assert len(dump(opened)["sources"]) == 6

    def test_what_was_changed_since_is_left_out(self, tmp_path: Path) -> None:
        with ledger(tmp_path) as book:
            bank = Path(book.plan.documents[0].path)
            bank.write_text(bank.read_text().replace("question 3", "another question"))
            with made(book.folder, book.plan, book.kind) as opened:
                assert [row[0] for row in dump(opened)["sources"]] == [f"q000{n}" for n in (0, 1, 2, 4, 5)]

    def test_a_document_that_has_gone_is_not_missed(self, tmp_path: Path) -> None:
        with ledger(tmp_path, sizes=SIZES) as book:
            lived(book)
            Path(book.plan.documents[0].path).unlink()
            with made(book.folder, book.plan, book.kind) as opened:
                found = dump(opened)
                assert len(found["sources"]) == SIZES[1]
                assert len(found["units"]) == sum(SIZES)
                opened.follow()


class TestOddFiles:
    def test_a_catalogue_that_is_ahead_of_its_journal_is_made_anew(self, tmp_path: Path) -> None:
        with ledger(tmp_path) as book:
            copy = tmp_path / "older.sqlite"
            lived(book)
            book.journal.close()
            shutil.copy(book.folder.journal, copy)
        with made(book.folder, book.plan, book.kind) as opened, opened._database.writing() as connection:
            connection.execute('UPDATE meta SET value = replace(value, \'"units":"2\', \'"units":"9\')')
        with made(book.folder, book.plan, book.kind) as opened:
            assert dump(opened) == made_anew(book)

    def test_one_that_is_deleted_is_made_anew(self, tmp_path: Path) -> None:
        with ledger(tmp_path) as book:
            lived(book)
            with made(book.folder, book.plan, book.kind) as opened:
                book.folder.catalogue.unlink()
                opened.follow()
                assert book.folder.catalogue.exists()
                assert dump(opened) == made_anew(book)

    def test_one_that_turns_out_to_be_damaged_is_made_anew_for_whoever_asks(self, tmp_path: Path) -> None:
        with ledger(tmp_path) as book:
            lived(book)
            with made(book.folder, book.plan, book.kind) as opened:
                with opened._database.writing() as connection:
                    connection.execute("DROP TABLE spent")
                assert len(dump(opened)["spent"]) == 1
                assert dump(opened) == made_anew(book)

    def test_where_nothing_can_be_written_it_is_made_elsewhere(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        with ledger(tmp_path) as book:
            lived(book)
            wanted = made_anew(book)
            book.folder.catalogue.unlink()
            book.folder.catalogue.mkdir()
            (book.folder.catalogue / "in the way").touch()
            with made(book.folder, book.plan, book.kind) as opened:
                assert dump(opened) == wanted

    def test_a_disk_that_is_full_later_on_too(self, tmp_path: Path) -> None:
        with ledger(tmp_path) as book, made(book.folder, book.plan, book.kind) as opened:
            _fill_up(opened._database)
            book.rests(book.name(0), *((f"rule_{number}" * 200, "error") for number in range(30)))
            opened.follow()
            assert opened._database.path.parent != book.folder.root
            assert dump(opened) == made_anew(book)

    def test_a_file_that_is_damaged_again_and_again_is_made_elsewhere(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        with ledger(tmp_path) as book, made(book.folder, book.plan, book.kind) as opened:
            step = filling.Filling.step

            def damaged(self: filling.Filling) -> bool:
                if self.database.path == book.folder.catalogue:
                    raise Damaged("again")
                return step(self)

            monkeypatch.setattr(filling.Filling, "step", damaged)
            lived(book)
            opened.follow()
            assert opened._database.path != book.folder.catalogue

    def test_a_journal_that_cannot_be_read_is_told_to_whoever_opens_it_next(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(making, "AT_ONCE", 0)

        def broken(self: filling.Filling) -> bool:
            raise StateCorrupt("The journal is damaged.")

        with ledger(tmp_path) as book:
            opened = Making(book.folder, book.plan, book.kind)
            with monkeypatch.context() as patch:
                patch.setattr(filling.Filling, "step", broken)
                opened.follow()
                with pytest.raises(StateCorrupt):
                    opened.wait()
            opened.follow()
            opened.wait()
            assert len(dump(opened)["units"]) == 6
            opened.close()


def _fill_up(database: Database) -> None:
    """No page more can be written, as on a full disk."""
    connect = database.writing

    @contextmanager
    def full() -> Iterator[Any]:
        with connect() as connection:
            pages = connection.execute("PRAGMA page_count").fetchone()[0]
            connection.execute(f"PRAGMA max_page_count = {pages}")
            yield connection

    database.writing = full  # type: ignore[method-assign]


def test_a_journal_of_version_1_is_followed_as_it_lies_there(tmp_path: Path) -> None:
    path = tmp_path / "journal.sqlite"
    journal_v1.write(path)
    before = path.read_bytes()
    followed = Following(path)
    assert [row.id for _, row in followed.changed_units("", 9)] == ["q1", "\ud800"]
    assert [bill.tokens for bill in followed.bills(("", 0), 9)] == [10, 120]
    assert [bill.id for bill in followed.bills(("", 1), 9)] == [2]
    followed.close()
    assert path.read_bytes() == before
