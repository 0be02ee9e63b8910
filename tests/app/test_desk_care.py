"""The desk among many people: whose decision is taken back, what a missing file delays, and whose turn it is."""

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import pytest

from burnish.app import desk as desk_module
from burnish.app import in_hand, many
from burnish.app.desk import AlreadyDecided, Busy, Desk
from burnish.app.runs import view
from burnish.app.telling import decisions_told
from burnish.core.errors import InputError, SourceUnavailable, UsageError
from burnish.core.faultpoints import installed
from burnish.store.clock import system_clock
from burnish.store.lock_record import DECIDE
from burnish.store.ownership import own_run
from burnish.store.paths import RunFolder
from burnish.store.tray import Tray
from tests.app.test_desk_decisions import Died, _dying, at_work, desk_for, verdicts
from tests.engine.questions_bench import journal_of, negative, resume, run, sound, states, write_bank
from tests.engine.test_undoing import GOOD


@pytest.fixture
def bank(tmp_path: Path) -> Path:
    return write_bank(tmp_path, [sound(0), *(negative(number) for number in (1, 2, 3))])


@pytest.fixture
def folder(bank: Path, tmp_path: Path) -> RunFolder:
    """q0 is accepted; q1, q2 and q3 wait."""
    run(bank, tmp_path / "runs")
    return RunFolder.at(tmp_path / "runs", "r1")


@pytest.fixture
def desk(folder: RunFolder) -> Iterator[Desk]:
    with desk_for(folder.root.parent) as made:
        yield made


class TestWhichDecisionIsTakenBack:
    def test_not_somebody_elses(self, desk: Desk, folder: RunFolder) -> None:
        annas = desk.decide("r1", "q1", "accept", by="Anna")
        desk.undo("r1", "q1", by="Bob", of=annas.at)
        bobs = desk.decide("r1", "q1", "accept", by="Bob", note="Seen twice.")
        with pytest.raises(AlreadyDecided, match=r"Bob accepted q1 at .*\. Nothing was taken back\.") as told:
            desk.undo("r1", "q1", by="Anna", of=annas.at)
        assert told.value.ruling.note == "Seen twice."
        assert desk.last("r1", "q1") == bobs
        assert desk.undo("r1", "q1", by="Bob", of=bobs.at).in_effect

    def test_who_was_first_to_take_it_back_is_told(self, desk: Desk, folder: RunFolder) -> None:
        made = desk.decide("r1", "q1", "accept", by="Anna")
        desk.undo("r1", "q1", by="Bob", of=made.at)
        with pytest.raises(AlreadyDecided, match="Bob took back a decision about q1"):
            desk.undo("r1", "q1", by="Anna", of=made.at)
        with pytest.raises(UsageError, match="Nobody has decided"):
            desk.undo("r1", "q2", by="Anna", of=made.at)

    def test_nor_out_of_the_tray(self, desk: Desk, folder: RunFolder) -> None:
        with at_work(folder):
            annas = desk.decide("r1", "q1", "accept", by="Anna")
            desk.undo("r1", "q1", by="Bob", of=annas.at)
            bobs = desk.decide("r1", "q1", "reject", by="Bob", note="No.")
            with pytest.raises(AlreadyDecided, match="Bob sent back q1"):
                desk.undo("r1", "q1", by="Anna", of=annas.at)
            assert [entry.by for entry in desk.in_tray("r1")] == ["Bob"]
        desk.settle("r1")
        with pytest.raises(AlreadyDecided, match="Bob sent back q1"):
            desk.undo("r1", "q1", by="Anna", of=annas.at)
        assert desk.undo("r1", "q1", by="Bob", of=bobs.at).in_effect, "known by the moment in which he made it"

    def test_many_at_once_are_those_very_decisions(self, desk: Desk, folder: RunFolder) -> None:
        bulk = desk.accept_all("r1", ["q1", "q2"], by="Anna")
        with journal_of(folder) as journal:
            mine = {str(each.unit): each for each in journal.events(types=("decision",))}
        assert all(str(each.data["mark"]).startswith(bulk.mark) for each in mine.values())
        desk.undo("r1", "q1", by="Bob")
        desk.decide("r1", "q1", "accept", by="Bob")
        back = desk.undo_all("r1", {unit: each.at for unit, each in mine.items()}, by="Anna")
        assert back.units == ("q2",) and "Bob accepted q1" in back.passed_over["q1"]
        assert verdicts(folder) == ["accept", "undo", "accept"]

    def test_many_at_once_are_taken_out_of_the_tray(self, desk: Desk, folder: RunFolder) -> None:
        with at_work(folder):
            bulk = desk.accept_all("r1", ["q1", "q2", "q3"], by="Anna")
            laid = {entry.unit: entry.at for entry in desk.in_tray("r1") if entry.mark.startswith(bulk.mark)}
            desk.undo("r1", "q3", by="Bob")
            desk.decide("r1", "q3", "reject", by="Bob", note="No.")
            back = desk.undo_all("r1", {**laid, "q0": None, "q9": None}, by="Anna")
            assert back.units == ("q1", "q2")
            assert "Bob sent back q3" in back.passed_over["q3"] and set(back.passed_over) == {"q3", "q0", "q9"}
        desk.settle("r1")
        assert [verdicts(folder, unit) for unit in ("q1", "q2", "q3")] == [[], [], ["reject"]]


class TestWhatWasTakenOut:
    def test_is_told_in_the_units_history_at_once_and_for_ever(self, desk: Desk, folder: RunFolder) -> None:
        with at_work(folder):
            laid = desk.decide("r1", "q1", "edit", by="Ada", note="So.", text=GOOD)
            taken = desk.undo("r1", "q1", by="Bob")
            [told] = history(folder)
            assert (told["by"], told["verdict"], told["note"], told["at"]) == ("Ada", "edit", "So.", laid.at)
            assert (told["undone_by"], told["undone_at"]) == ("Bob", taken.at)
        before = states(folder)
        desk.settle("r1")
        assert history(folder) == [told] and verdicts(folder) == [] and states(folder) == before
        assert Tray(folder.tray).withdrawn() == []
        with journal_of(folder) as journal:
            [event] = journal.events(types=("decision_withdrawn",))
        assert (event.unit, event.data["text"]) == ("q1", GOOD)
        desk.decide("r1", "q1", "accept", by="Ada")
        assert [each["verdict"] for each in history(folder)] == ["edit", "accept"]

    def test_once_though_nobody_lived_to_say_so(self, desk: Desk, folder: RunFolder) -> None:
        with at_work(folder):
            desk.decide("r1", "q1", "accept", by="Ada")
            desk.undo("r1", "q1", by="Ada")
            desk.decide("r1", "q2", "accept", by="Ada")
            desk.undo("r1", "q2", by="Ada")
            desk.decide("r1", "q2", "accept", by="Ada")
        with suppress(Died), installed(_dying("tray.in_effect")):
            desk.settle("r1")
        assert len(history(folder)) == 1 and len(history(folder, "q2")) == 2
        desk.settle("r1")
        assert len(history(folder)) == 1 and len(history(folder, "q2")) == 2

    def test_what_could_not_be_put_into_effect_is_told_when_another_takes_its_place(
        self, desk: Desk, folder: RunFolder
    ) -> None:
        with at_work(folder) as owned:
            desk.decide("r1", "q1", "accept", by="Ada")
            row = owned.journal.unit("q1")
            assert row is not None
            owned.journal.write_now(row)
        desk.settle("r1")
        desk.decide("r1", "q1", "accept", by="Bob")
        assert [(each["by"], each.get("undone_by")) for each in history(folder)] == [("Ada", "Bob"), ("Bob", None)]
        assert desk.in_tray("r1") == ()


class TestASourceThatIsAway:
    """Only an edit needs it: the new text is compared with the other units."""

    def laid(self, desk: Desk, folder: RunFolder) -> None:
        with at_work(folder):
            desk.decide("r1", "q1", "edit", by="Ada", text=GOOD)
            desk.decide("r1", "q2", "reject", by="Ada", note="Drop it.")

    def test_delays_only_what_needs_it(self, desk: Desk, folder: RunFolder, bank: Path) -> None:
        self.laid(desk, folder)
        bank.rename(bank.with_suffix(".away"))
        with desk_for(folder.root.parent) as other:
            assert other.decide("r1", "q3", "accept", by="Bob").in_effect, "the others are not kept from deciding"
            assert verdicts(folder, "q2") == ["reject"] and verdicts(folder) == []
            [entry] = other.in_tray("r1")
            assert entry.why is None and entry.delay is not None and "cannot be read" in entry.delay
            with pytest.raises(AlreadyDecided, match="Ada edited q1"):
                other.decide("r1", "q1", "accept", by="Bob")
            bank.with_suffix(".away").rename(bank)
            other.settle("r1")
            assert other.in_tray("r1") == () and verdicts(folder) == ["edit"]

    def test_for_whoever_goes_on_with_the_run_too(self, desk: Desk, folder: RunFolder, bank: Path) -> None:
        self.laid(desk, folder)
        bank.rename(bank.with_suffix(".away"))
        with pytest.raises(InputError, match="cannot be read"):
            resume(folder)
        assert [entry.why for entry in desk.in_tray("r1")] == [None], "the run itself cannot go on; the decision waits"
        bank.with_suffix(".away").rename(bank)
        resume(folder)
        assert verdicts(folder) == ["edit"] and desk.in_tray("r1") == ()

    def test_one_that_changed(self, desk: Desk, folder: RunFolder, bank: Path) -> None:
        write_bank(bank.parent, [sound(0), {**negative(1), "stem": "Which is NOT so?"}, negative(2), negative(3)])
        with desk_for(folder.root.parent) as other, pytest.raises(SourceUnavailable, match="has changed"):
            other.decide("r1", "q1", "edit", by="Ada", text=GOOD)


class TestTurns:
    def test_nobody_waits_for_long(self, desk: Desk, folder: RunFolder, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(desk_module, "TURN_SECONDS", 0.01)
        monkeypatch.setattr(in_hand, "PATIENCE_SECONDS", 0.2)
        monkeypatch.setattr(desk_module, "PATIENCE_SECONDS", 0.2)
        with own_run(folder, system_clock, purpose=DECIDE), ThreadPoolExecutor(4) as pool:
            said = list(pool.map(lambda _: _refusal(desk), range(4)))
        assert said == ["busy"] * 4
        assert desk.decide("r1", "q1", "accept", by="Ada").in_effect

    def test_others_have_their_turn_between_two_portions(
        self, desk: Desk, folder: RunFolder, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(many, "PORTION", 1)
        monkeypatch.setattr(many, "HOLD_SECONDS", 0.0)
        waits, decided = threading.Event(), threading.Event()

        def breathe(_: float) -> None:
            waits.set()
            decided.wait(5)

        def bob() -> None:
            waits.wait(5)
            desk.decide("r1", "q3", "reject", by="Bob", note="No.")
            decided.set()

        monkeypatch.setattr("burnish.app.desk.sleep", breathe)
        with ThreadPoolExecutor(1) as pool:
            done = pool.submit(bob)
            bulk = desk.accept_all("r1", ["q1", "q2", "q3"], by="Ada")
            done.result()
        assert bulk.accepted == ("q1", "q2") and "Bob sent back q3" in bulk.passed_over["q3"]

    def test_a_run_that_is_kept_in_the_middle_passes_over_the_rest(
        self, desk: Desk, folder: RunFolder, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(many, "PORTION", 1)
        monkeypatch.setattr(many, "HOLD_SECONDS", 0.0)
        monkeypatch.setattr(desk_module, "TURN_SECONDS", 0.01)
        turns = desk._turns
        monkeypatch.setattr("burnish.app.desk.sleep", lambda _: turns["r1"].acquire())
        bulk = desk.accept_all("r1", ["q1", "q2", "q3"], by="Ada")
        assert bulk.accepted == ("q1",) and set(bulk.passed_over) == {"q2", "q3"}
        assert "Others are deciding" in bulk.passed_over["q2"]

    def test_who_moved_since_it_was_seen_is_passed_over(self, desk: Desk, folder: RunFolder) -> None:
        with journal_of(folder) as journal:
            seen = {row.id: row.at for row in journal.units()}
        desk.undo("r1", "q1", by=desk.decide("r1", "q1", "accept", by="Bob").by)
        bulk = desk.accept_all("r1", ["q1", "q2"], by="Ada", seen=seen)
        assert bulk.accepted == ("q2",) and "Bob took back" in bulk.passed_over["q1"]
        with at_work(folder):
            laid = desk.accept_all("r1", ["q1", "q3"], by="Ada", seen=seen)
            assert laid.accepted == ("q3",) and "Bob took back" in laid.passed_over["q1"]


def history(folder: RunFolder, unit: str = "q1") -> list[dict[str, object]]:
    with view(folder.root.parent, "r1") as looked_at:
        return decisions_told(looked_at, looked_at.story(unit))


def _refusal(desk: Desk) -> str:
    try:
        desk.decide("r1", "q1", "accept", by="Ada")
    except Busy as busy:
        return busy.code
    return "decided"
