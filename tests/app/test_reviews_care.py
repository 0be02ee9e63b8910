"""The review service among many people: whose decision is taken back, and what a missing file delays."""

import json
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import pytest

from burnish.app import reviews
from burnish.app.decisions import DueDecisions
from burnish.app.labels import AlreadyDecided, MovedOn
from burnish.app.reviews import ReviewService
from burnish.app.runs import decision_history, view
from burnish.app.settings import Settings
from burnish.core.errors import InputError, SourceUnavailable, UsageError
from burnish.core.faultpoints import installed
from burnish.models.calls import Call
from burnish.store.paths import RunFolder
from burnish.store.processes import system_clock
from burnish.store.redaction import Redactor
from burnish.store.sqlite_journal import own_run
from tests.app.test_reviews import Died, _dying, at_work, service_for, verdicts
from tests.engine.questions_bench import (
    biased,
    journal_of,
    keyless,
    mends,
    resume,
    run,
    scripted,
    sound,
    states,
    write_bank,
)
from tests.engine.test_undo import GOOD


@pytest.fixture
def bank(tmp_path: Path) -> Path:
    return write_bank(tmp_path, [sound(0), *(biased(number) for number in (1, 2, 3))])


@pytest.fixture
def folder(bank: Path, tmp_path: Path) -> RunFolder:
    """q0 is accepted; q1, q2 and q3 wait."""
    run(bank, tmp_path / "runs")
    return RunFolder.at(tmp_path / "runs", "r1")


@pytest.fixture
def service(folder: RunFolder) -> Iterator[ReviewService]:
    with service_for(folder.root.parent) as made:
        yield made


class TestWhichDecisionIsTakenBack:
    def test_not_somebody_elses(self, service: ReviewService, folder: RunFolder) -> None:
        annas = service.record("r1", "q1", "accept", by="Anna")
        service.undo("r1", "q1", by="Bob", of=annas.at)
        bobs = service.record("r1", "q1", "accept", by="Bob", note="Seen twice.")
        with pytest.raises(AlreadyDecided, match=r"Bob accepted q1 at .*\. Nothing was undone\.") as told:
            service.undo("r1", "q1", by="Anna", of=annas.at)
        assert told.value.result.note == "Seen twice."
        assert service.last("r1", "q1") == bobs
        assert service.undo("r1", "q1", by="Bob", of=bobs.at).in_effect

    def test_who_was_first_to_take_it_back_is_told(self, service: ReviewService, folder: RunFolder) -> None:
        made = service.record("r1", "q1", "accept", by="Anna")
        service.undo("r1", "q1", by="Bob", of=made.at)
        with pytest.raises(AlreadyDecided, match="Bob undid a decision about q1"):
            service.undo("r1", "q1", by="Anna", of=made.at)
        with pytest.raises(UsageError, match="Nobody has decided"):
            service.undo("r1", "q2", by="Anna", of=made.at)

    def test_nor_out_of_the_tray(self, service: ReviewService, folder: RunFolder) -> None:
        with at_work(folder):
            annas = service.record("r1", "q1", "accept", by="Anna")
            service.undo("r1", "q1", by="Bob", of=annas.at)
            bobs = service.record("r1", "q1", "reject", by="Bob", note="No.")
            with pytest.raises(AlreadyDecided, match="Bob sent back q1"):
                service.undo("r1", "q1", by="Anna", of=annas.at)
            assert [entry.by for entry in service.pending("r1")] == ["Bob"]
        service.apply_pending("r1")
        with pytest.raises(AlreadyDecided, match="Bob sent back q1"):
            service.undo("r1", "q1", by="Anna", of=annas.at)
        assert service.undo("r1", "q1", by="Bob", of=bobs.at).in_effect, "known by the moment in which he made it"

    def test_many_at_once_are_those_very_decisions(self, service: ReviewService, folder: RunFolder) -> None:
        bulk = service.decide_all("r1", ["q1", "q2"], by="Anna")
        with journal_of(folder) as journal:
            mine = {str(each.unit): each for each in journal.events(types=("decision",))}
        assert all(str(each.data["mark"]).startswith(bulk.mark) for each in mine.values())
        service.undo("r1", "q1", by="Bob")
        service.record("r1", "q1", "accept", by="Bob")
        back = service.undo_all("r1", {unit: each.at for unit, each in mine.items()}, by="Anna")
        assert back.units == ("q2",) and "Bob accepted q1" in back.passed_over["q1"]
        assert verdicts(folder) == ["accept", "undo", "accept"]

    def test_many_at_once_are_taken_out_of_the_tray(self, service: ReviewService, folder: RunFolder) -> None:
        with at_work(folder):
            bulk = service.decide_all("r1", ["q1", "q2", "q3"], by="Anna")
            laid = {entry.unit: entry.at for entry in service.pending("r1") if entry.mark.startswith(bulk.mark)}
            service.undo("r1", "q3", by="Bob")
            service.record("r1", "q3", "reject", by="Bob", note="No.")
            back = service.undo_all("r1", {**laid, "q0": None, "q9": None}, by="Anna")
            assert back.units == ("q1", "q2")
            assert "Bob sent back q3" in back.passed_over["q3"] and set(back.passed_over) == {"q3", "q0", "q9"}
        service.apply_pending("r1")
        assert [verdicts(folder, unit) for unit in ("q1", "q2", "q3")] == [[], [], ["reject"]]


class TestWhatWasTakenOut:
    def test_is_told_in_the_units_history_at_once_and_for_ever(self, service: ReviewService, folder: RunFolder) -> None:
        with at_work(folder):
            laid = service.record("r1", "q1", "edit", by="Ada", note="So.", text=GOOD)
            taken = service.undo("r1", "q1", by="Bob")
            [told] = history(folder)
            assert (told["by"], told["verdict"], told["note"], told["at"]) == ("Ada", "edit", "So.", laid.at)
            assert (told["undone_by"], told["undone_at"]) == ("Bob", taken.at)
        before = states(folder)
        service.apply_pending("r1")
        assert history(folder) == [told] and verdicts(folder) == [] and states(folder) == before
        with journal_of(folder) as journal:
            [event] = journal.events(types=("decision_withdrawn",))
        assert (event.unit, event.data["text"]) == ("q1", GOOD)
        service.record("r1", "q1", "accept", by="Ada")
        assert [each["verdict"] for each in history(folder)] == ["edit", "accept"]

    def test_once_though_nobody_lived_to_say_so(self, service: ReviewService, folder: RunFolder) -> None:
        with at_work(folder):
            service.record("r1", "q1", "accept", by="Ada")
            service.undo("r1", "q1", by="Ada")
            service.record("r1", "q2", "accept", by="Ada")
            service.undo("r1", "q2", by="Ada")
            service.record("r1", "q2", "accept", by="Ada")
        with suppress(Died), installed(_dying("journal.committed", after="inbox.applying")):
            service.apply_pending("r1")
        assert len(history(folder)) == 1 and len(history(folder, "q2")) == 2
        service.apply_pending("r1")
        assert len(history(folder)) == 1 and len(history(folder, "q2")) == 2

    def test_what_could_not_be_put_into_effect_is_told_when_another_takes_its_place(
        self, service: ReviewService, folder: RunFolder
    ) -> None:
        with at_work(folder) as owned:
            service.record("r1", "q1", "accept", by="Ada")
            row = owned.journal.unit("q1")
            assert row is not None
            owned.journal.write_now(row)
        service.apply_pending("r1")
        service.record("r1", "q1", "accept", by="Bob")
        assert [(each["by"], each.get("undone_by")) for each in history(folder)] == [("Ada", "Bob"), ("Bob", None)]
        assert service.pending("r1") == ()


def like(number: int) -> str:
    """The text of another question."""
    return json.dumps({name: value for name, value in sound(number).items() if name != "id"})


class TestADocumentThatIsAway:
    """The journal holds the texts of all units: no decision needs the document."""

    def test_a_new_text_is_still_laid_beside_the_others(
        self, service: ReviewService, folder: RunFolder, bank: Path
    ) -> None:
        bank.rename(bank.with_suffix(".away"))
        copy = service.record("r1", "q1", "edit", by="Ada", text=like(0))
        assert [finding.rule for finding in copy.errors] == ["potential_duplicate"]
        assert service.record("r1", "q1", "edit", by="Ada", text=GOOD).row.state == "validated"

    def test_as_the_others_stand_now(self, service: ReviewService, bank: Path) -> None:
        service.record("r1", "q1", "edit", by="Ada", text=GOOD)
        bank.rename(bank.with_suffix(".away"))
        copy = service.record("r1", "q2", "edit", by="Ada", text=like(1))
        assert ["'q1'" in finding.message for finding in copy.errors] == [True], "the draft that stands, not the source"

    def test_one_that_changed(self, service: ReviewService, folder: RunFolder, bank: Path) -> None:
        write_bank(bank.parent, [sound(0), {**biased(1), "stem": "Which is NOT so?"}, biased(2), biased(3)])
        made = service.record("r1", "q1", "edit", by="Ada", text=GOOD)
        assert (made.row.state, made.warning) == ("validated", None)
        with pytest.raises(InputError, match="has changed"):
            resume(folder)


class TestAnEarlierBankThatIsAway:
    """Only an edit needs what the run is compared with: the new text is laid beside it."""

    @pytest.fixture
    def earlier(self, tmp_path: Path) -> Path:
        return write_bank(tmp_path, [sound(4)], "earlier.json")

    @pytest.fixture
    def folder(self, bank: Path, earlier: Path, tmp_path: Path) -> RunFolder:
        run(bank, tmp_path / "runs", order={"against": str(earlier)})
        return RunFolder.at(tmp_path / "runs", "r1")

    def laid(self, service: ReviewService, folder: RunFolder) -> None:
        with at_work(folder):
            service.record("r1", "q1", "edit", by="Ada", text=GOOD)
            service.record("r1", "q2", "reject", by="Ada", note="Drop it.")

    def test_delays_only_what_needs_it(self, service: ReviewService, folder: RunFolder, earlier: Path) -> None:
        self.laid(service, folder)
        earlier.rename(earlier.with_suffix(".away"))
        with service_for(folder.root.parent) as other:
            assert other.record("r1", "q3", "accept", by="Bob").in_effect, "the others are not kept from deciding"
            assert verdicts(folder, "q2") == ["reject"] and verdicts(folder) == []
            [entry] = other.pending("r1")
            assert entry.why is None and entry.delay is not None and "cannot be read" in entry.delay
            with pytest.raises(AlreadyDecided, match="Ada edited q1"):
                other.record("r1", "q1", "accept", by="Bob")
            earlier.with_suffix(".away").rename(earlier)
            other.apply_pending("r1")
            assert other.pending("r1") == () and verdicts(folder) == ["edit"]

    def test_for_whoever_goes_on_with_the_run_too(
        self, service: ReviewService, folder: RunFolder, earlier: Path
    ) -> None:
        self.laid(service, folder)
        earlier.rename(earlier.with_suffix(".away"))
        with pytest.raises(InputError, match="cannot be read"):
            resume(folder)
        assert [entry.why for entry in service.pending("r1")] == [None], (
            "the run itself cannot go on; the decision waits"
        )
        earlier.with_suffix(".away").rename(earlier)
        resume(folder)
        assert verdicts(folder) == ["edit"] and service.pending("r1") == ()

    def test_what_is_delayed_makes_no_further_pass_due(
        self, service: ReviewService, folder: RunFolder, earlier: Path
    ) -> None:
        with at_work(folder):
            service.record("r1", "q1", "edit", by="Ada", text=GOOD, now=True)
        earlier.rename(earlier.with_suffix(".away"))
        with own_run(folder, system_clock) as owned:
            between = DueDecisions(folder, owned.journal, Redactor(), system_clock)
            assert between() is False, "a run that goes on because of it would never end"
        [entry] = service.pending("r1")
        assert entry.delay is not None

    def test_one_that_changed(self, service: ReviewService, earlier: Path) -> None:
        write_bank(earlier.parent, [sound(4), sound(5)], "earlier.json")
        with pytest.raises(SourceUnavailable, match="has changed"):
            service.record("r1", "q1", "edit", by="Ada", text=GOOD)


def test_what_is_decided_during_the_last_task_is_applied_before_the_run_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("burnish.app.decisions.LOOK_SECONDS", 0.0)
    bank = write_bank(tmp_path, [keyless(0), biased(1)])

    def decides(call: Call) -> object:
        if states(folder)["q0"][0] == "needs_manual_review":
            with service_for(folder.root.parent) as service, suppress(AlreadyDecided, MovedOn):
                service.record("r1", "q0", "accept", by="Ada", now=True)
        return mends(call)

    folder = RunFolder.at(tmp_path / "runs", "r1")
    _, result = run(bank, tmp_path / "runs", scripted(decides), workers=1)
    assert verdicts(folder, "q0") == ["accept"]
    assert result.outcome.stopped == "done" and result.published


class TestManyAtOnce:
    def test_others_have_their_turn_between_two_portions(
        self, service: ReviewService, folder: RunFolder, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(reviews, "PORTION", 1)
        waits, decided = threading.Event(), threading.Event()

        def breathe(_: float) -> None:
            waits.set()
            decided.wait(5)

        def bob() -> None:
            waits.wait(5)
            ReviewService(folder.root.parent, Settings()).record("r1", "q3", "reject", by="Bob", note="No.")
            decided.set()

        monkeypatch.setattr(reviews, "BREATH_SECONDS", 0.0)
        monkeypatch.setattr("burnish.app.reviews.sleep", breathe)
        with ThreadPoolExecutor(1) as pool:
            done = pool.submit(bob)
            bulk = service.decide_all("r1", ["q1", "q2", "q3"], by="Ada")
            done.result()
        assert bulk.decided == ("q1", "q2") and "Bob sent back q3" in bulk.passed_over["q3"]


def history(folder: RunFolder, unit: str = "q1") -> list[dict[str, object]]:
    with view(folder.root.parent, "r1") as looked_at:
        return decision_history(looked_at, looked_at.story(unit))
