"""A command about several units: all of it or nothing, with what the person saw of each of them."""

import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from burnish.app.decisions import apply_pending, decisions_of
from burnish.app.labels import AlreadyDecided, LastOfPair, MovedOn
from burnish.app.reviews import ReviewService, Step, TooLate
from burnish.app.settings import Settings
from burnish.core.errors import BurnishError, UsageError
from burnish.core.faultpoints import installed
from burnish.core.notes import LONGEST_NOTE
from burnish.core.records import event
from burnish.store.paths import RunFolder
from burnish.store.processes import system_clock
from burnish.store.redaction import Redactor
from burnish.store.sqlite_journal import own_run
from tests.app.test_reviews import at_work, verdicts
from tests.engine.questions_bench import biased, journal_of, run, sound, states, write_bank

WAITS, READY, DROPPED = "needs_manual_review", "validated", "dropped"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("made")
    bank = [sound(0), sound(0, "q0b"), biased(1), biased(1, "q1b"), biased(2), biased(3)]
    run(write_bank(place, bank), place / "runs")
    return place / "runs"


@pytest.fixture
def runs(made: Path, tmp_path: Path) -> Path:
    """q0 is accepted; q0b is like q0, and q1b like q1; both, q1, q2 and q3 wait."""
    return Path(shutil.copytree(made, tmp_path / "runs"))


@pytest.fixture
def folder(runs: Path) -> RunFolder:
    return RunFolder.at(runs, "r1")


@pytest.fixture
def service(runs: Path) -> ReviewService:
    return ReviewService(runs, Settings())


def ats(folder: RunFolder) -> dict[str, str]:
    with journal_of(folder) as journal:
        return {row.id: row.at for row in journal.units()}


def state(folder: RunFolder, *units: str) -> list[str]:
    return [states(folder)[unit][0] for unit in units]


def drop_other(seen: dict[str, str], this: str = "q1b", other: str = "q1") -> list[Step]:
    """What the button of the duplicate's page sends."""
    return [
        Step(this, "accept", seen[this]),
        Step(other, "drop", seen[other], f"near-duplicate of {this}", beside={this: seen[this]}),
    ]


def drop_this(seen: dict[str, str], this: str = "q1b", other: str = "q1") -> list[Step]:
    return [Step(this, "drop", seen[this], f"near-duplicate of {other}", beside={other: seen[other]})]


class TestOneCommand:
    def test_all_of_it_is_done(self, service: ReviewService, folder: RunFolder) -> None:
        results = service.decide("r1", drop_other(ats(folder)), by="Ada")
        assert [(one.unit, one.verdict, one.in_effect) for one in results] == [
            ("q1b", "accept", True),
            ("q1", "drop", True),
        ]
        assert state(folder, "q1b", "q1") == [READY, DROPPED] and service.pending("r1") == ()

    @pytest.mark.parametrize("first", [drop_this, drop_other])
    @pytest.mark.parametrize("second", [drop_this, drop_other])
    def test_whoever_is_refused_changes_nothing(
        self,
        service: ReviewService,
        folder: RunFolder,
        first: Callable[..., list[Step]],
        second: Callable[..., list[Step]],
    ) -> None:
        seen = ats(folder)
        service.decide("r1", first(seen), by="Ada")
        before = states(folder)
        with pytest.raises(AlreadyDecided, match=r"Ada (accepted|dropped) q1b"):
            service.decide("r1", second(seen), by="Bob")
        assert states(folder) == before and state(folder, "q1", "q1b").count(DROPPED) == 1

    @pytest.mark.parametrize("first", [drop_this, drop_other])
    @pytest.mark.parametrize("second", [drop_this, drop_other])
    def test_nor_in_the_inbox_of_a_run_at_work(
        self,
        service: ReviewService,
        folder: RunFolder,
        first: Callable[..., list[Step]],
        second: Callable[..., list[Step]],
    ) -> None:
        seen = ats(folder)
        with at_work(folder):
            made = service.decide("r1", first(seen), by="Ada")
            assert not any(one.in_effect for one in made)
            with pytest.raises(AlreadyDecided):
                service.decide("r1", second(seen), by="Bob")
            assert {entry.by for entry in service.pending("r1")} == {"Ada"}
        service.apply_pending("r1")
        assert state(folder, "q1", "q1b").count(DROPPED) == 1

    def test_one_connection_and_one_transaction(
        self, service: ReviewService, folder: RunFolder, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        seen, opened, connect = ats(folder), list[str](), sqlite3.connect

        def counted(database: str, *given: Any, **named: Any) -> sqlite3.Connection:
            opened.append(database)
            return connect(database, *given, **named)

        monkeypatch.setattr(sqlite3, "connect", counted)
        for steps in (drop_other(seen), [Step("q2", "accept", seen["q2"])], [Step("q1b", "undo"), Step("q1", "undo")]):
            opened.clear()
            points: list[str] = []
            with installed(points.append):
                service.decide("r1", steps, by="Ada")
            assert len(opened) == 1, f"{len(opened)} connections for {len(steps)} units"
            assert points.count("journal.committed") == 1, f"{steps} are one transaction"
        opened.clear()
        with at_work(folder):
            opened.clear()
            service.decide("r1", [Step("q3", "accept"), Step("q2", "undo")], by="Ada")
            assert len(opened) == 1

    def test_a_unit_is_named_once(self, service: ReviewService) -> None:
        with pytest.raises(UsageError, match="names q1 twice"):
            service.decide("r1", [Step("q1", "accept"), Step("q1", "drop", note="No.")], by="Ada")

    def test_one_that_moves_before_it_is_applied_keeps_all_out(self, service: ReviewService, folder: RunFolder) -> None:
        with at_work(folder) as owned:
            service.decide("r1", drop_other(ats(folder)), by="Ada")
            row = owned.journal.unit("q1b")
            assert row is not None
            owned.journal.write_now(row)
            apply_pending(decisions_of(folder, owned.journal, Redactor()))
            failed = service.pending("r1")
        assert [(entry.unit, entry.state) for entry in failed] == [("q1b", "failed"), ("q1", "failed")]
        assert all("changed q1b" in str(entry.why) for entry in failed)
        assert state(folder, "q1", "q1b") == [WAITS, WAITS] and verdicts(folder, "q1") == []

    def test_one_that_moves_while_it_is_applied_keeps_all_out(self, service: ReviewService, folder: RunFolder) -> None:
        with at_work(folder) as owned:
            service.decide("r1", drop_other(ats(folder)), by="Ada")
            row = owned.journal.unit("q1b")
            assert row is not None
            moved = row

            def task(point: str) -> None:
                if point == "inbox.applying":
                    owned.journal.write_now(moved)

            with installed(task):
                apply_pending(decisions_of(folder, owned.journal, Redactor()))
        assert state(folder, "q1", "q1b") == [WAITS, WAITS] and verdicts(folder, "q1") == []
        assert {entry.state for entry in service.pending("r1")} == {"waiting"}

    def test_one_that_is_worked_on_delays_all(self, service: ReviewService, folder: RunFolder) -> None:
        with at_work(folder) as owned:
            service.decide("r1", drop_other(ats(folder)), by="Ada", now=True)
            owned.journal.write_now(event("batch_formed", data={"number": 1, "units": ["q1b"]}))
            decisions = decisions_of(folder, owned.journal, Redactor())
            assert apply_pending(decisions, is_at_work=True) == 0
            owned.journal.write_now(event("batch_settled", data={"number": 1}))
            assert apply_pending(decisions, is_at_work=True) == 2


class TestNearDuplicates:
    def test_only_what_is_one_counts_as_one(self, service: ReviewService, folder: RunFolder) -> None:
        with pytest.raises(UsageError, match="q2 is no near-duplicate of q3"):
            service.decide("r1", drop_other(ats(folder), "q2", "q3"), by="Ada")
        assert state(folder, "q2", "q3") == [WAITS, WAITS]

    @pytest.mark.parametrize("order", [("q1", "q1b"), ("q1b", "q1"), ("q0", "q0b"), ("q0b", "q0")])
    def test_one_of_two_stays_whoever_drops_it(
        self, service: ReviewService, folder: RunFolder, order: tuple[str, str]
    ) -> None:
        """Nobody says why: over HTTP, at the command line, on the page of either."""
        first, second = order
        seen = ats(folder)
        service.record("r1", first, "drop", by="Ada", note="Wrong.", seen=seen[first])
        with pytest.raises(LastOfPair, match=f"Ada dropped {first} .* so {second} was not dropped"):
            service.record("r1", second, "drop", by="Bob", note="Wrong.", seen=seen[second])
        assert state(folder, second) != [DROPPED]

    def test_nor_in_the_inbox(self, service: ReviewService, folder: RunFolder) -> None:
        with at_work(folder):
            service.record("r1", "q1", "drop", by="Ada", note="Wrong.")
            with pytest.raises(LastOfPair, match="Ada dropped q1 "):
                service.record("r1", "q1b", "drop", by="Bob", note="Wrong.")
            service.undo("r1", "q1", by="Ada")
            assert service.record("r1", "q1b", "drop", by="Bob", note="Wrong.").by == "Bob"

    def test_one_person_may_say_both(self, service: ReviewService, folder: RunFolder) -> None:
        service.decide("r1", [Step("q1", "drop", note="Wrong."), Step("q1b", "drop", note="Wrong.")], by="Ada")
        service.record("r1", "q0b", "drop", by="Ada", note="Wrong.")
        service.record("r1", "q0", "drop", by="Ada", note="Wrong.", seen=ats(folder)["q0"])
        assert state(folder, "q0", "q0b", "q1", "q1b") == [DROPPED] * 4

    def test_also_after_another_person(self, service: ReviewService, folder: RunFolder) -> None:
        service.record("r1", "q1", "drop", by="Ada", note="Wrong.")
        both = [Step("q1b", "drop", note="Wrong."), Step("q1", "drop", ats(folder)["q1"], "Wrong.")]
        service.decide("r1", both, by="Bob")
        assert state(folder, "q1", "q1b") == [DROPPED] * 2 and verdicts(folder, "q1") == ["drop"]
        with pytest.raises(UsageError):
            service.decide("r1", both, by="Eve")

    def test_the_other_as_it_was_shown(self, service: ReviewService, folder: RunFolder) -> None:
        seen = ats(folder)
        with own_run(folder, system_clock) as owned:
            row = owned.journal.unit("q1")
            assert row is not None
            owned.journal.write_now(row)
        with pytest.raises(MovedOn, match="changed q1 "):
            service.decide("r1", drop_this(seen), by="Ada")
        assert state(folder, "q1", "q1b") == [WAITS, WAITS]


class TestUndoTogether:
    def test_both_come_back(self, service: ReviewService, folder: RunFolder) -> None:
        before = states(folder)
        made = service.decide("r1", drop_other(ats(folder)), by="Ada")
        back = service.decide("r1", [Step(one.unit, "undo", one.at) for one in made], by="Bob")
        assert [one.verdict for one in back] == ["undo", "undo"] and states(folder) == before

    def test_or_none(self, service: ReviewService, folder: RunFolder) -> None:
        made = service.decide("r1", drop_other(ats(folder)), by="Ada")
        with own_run(folder, system_clock) as owned:
            owned.journal.write_now(event("task_begun", "q1b"))
        before = states(folder)
        for order in (made, made[::-1]):
            with pytest.raises(TooLate):
                service.decide("r1", [Step(one.unit, "undo", one.at) for one in order], by="Ada")
        assert states(folder) == before and verdicts(folder, "q1") == ["drop"]

    def test_out_of_the_inbox_too(self, service: ReviewService, folder: RunFolder) -> None:
        with at_work(folder):
            made = service.decide("r1", drop_other(ats(folder)), by="Ada")
            steps = [Step(one.unit, "undo", one.at) for one in made]
            with pytest.raises(BurnishError):
                service.decide("r1", [*steps, Step("q2", "undo")], by="Ada")
            assert len(service.pending("r1")) == 2
            service.decide("r1", steps, by="Ada")
            assert service.pending("r1") == ()


class TestNotes:
    def test_one_limit_and_nothing_is_cut(self, service: ReviewService, folder: RunFolder) -> None:
        note = "x\r\n" * (LONGEST_NOTE // 2 - 1) + "xx"
        assert service.record("r1", "q2", "reject", by="Ada", note=note).note == note.replace("\r\n", "\n")
        with pytest.raises(UsageError, match="has 4,001 characters; 4,000 are allowed"):
            service.decide_all("r1", ["q3"], by="Ada", verdict="reject", note="x" * 4_001)
