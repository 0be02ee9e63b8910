"""The desk: one decision after the other, whoever comes; and a tray for runs that are at work."""

import json
import shutil
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, ExitStack, contextmanager
from functools import partial
from pathlib import Path

import pytest

from burnish.app import desk as desk_module
from burnish.app import in_hand, many
from burnish.app.desk import AlreadyDecided, Busy, Desk, MovedOn
from burnish.app.in_hand import RunInHand, Wish
from burnish.app.kinds import kind_named
from burnish.app.polishing import OtherModels
from burnish.app.run_index import RunIndex
from burnish.app.runs import view
from burnish.app.settings import Settings
from burnish.core.errors import InputError, NotFound, RunActive, StateCorrupt, TooLate, UsageError
from burnish.core.events import event
from burnish.core.faultpoints import installed
from burnish.core.records import UnitRow
from burnish.engine.deciding import Consequence
from burnish.engine.publishing import CANNOT_WRITE_BACK, called_back
from burnish.engine.session import Sitting
from burnish.store.clock import system_clock
from burnish.store.lock_record import DECIDE
from burnish.store.ownership import OwnedRun, own_run
from burnish.store.paths import RunFolder
from burnish.store.tray import Tray
from tests.engine.questions_bench import (
    causes,
    journal_of,
    negative,
    questions_in,
    resume,
    run,
    scripted,
    sound,
    states,
    write_bank,
)
from tests.engine.test_undoing import BAD, GOOD

WAITS = "needs_manual_review"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("made")
    run(write_bank(place, [sound(0), *(negative(number) for number in (1, 2, 3))]), place / "runs")
    return place / "runs"


@pytest.fixture
def runs(made: Path, tmp_path: Path) -> Path:
    """q0 is accepted; q1, q2 and q3 wait."""
    return Path(shutil.copytree(made, tmp_path / "runs"))


@pytest.fixture
def folder(runs: Path) -> RunFolder:
    return RunFolder.at(runs, "r1")


@contextmanager
def desk_for(runs: Path) -> Iterator[Desk]:
    index = RunIndex(runs)
    try:
        yield Desk(runs, Settings())
    finally:
        index.close()


@pytest.fixture
def desk(runs: Path) -> Iterator[Desk]:
    with desk_for(runs) as made:
        yield made


@contextmanager
def at_work(folder: RunFolder) -> Iterator[OwnedRun]:
    with own_run(folder, system_clock) as owned:
        yield owned


def seen(folder: RunFolder, unit: str = "q1") -> str:
    with journal_of(folder) as journal:
        row = journal.unit(unit)
        assert row is not None
        return row.at


def verdicts(folder: RunFolder, unit: str = "q1") -> list[str]:
    with journal_of(folder) as journal:
        return [each.data["verdict"] for each in journal.events(unit=unit, types=("decision",))]


class TestDeciding:
    def test_accept(self, desk: Desk, folder: RunFolder) -> None:
        ruling = desk.decide("r1", "q1", "accept", by=" Ada ", note="So.", seen=seen(folder))
        assert (ruling.run, ruling.unit, ruling.verdict, ruling.by, ruling.note) == ("r1", "q1", "accept", "Ada", "So.")
        assert ruling.in_effect and ruling.errors == () and ruling.warning is None
        assert (ruling.row.state, ruling.row.at) == ("validated", seen(folder))
        assert desk.last("r1", "q1") == ruling
        assert not folder.lock.exists(), "the run is nobody's again"

    def test_edit(self, desk: Desk, folder: RunFolder) -> None:
        kept = desk.decide("r1", "q1", "edit", by="Ada", text=BAD)
        assert [finding.rule for finding in kept.errors] == ["nbme_negation_detection"]
        assert (kept.row.state, kept.row.reason) == (WAITS, "edit_has_errors")
        taken = desk.decide("r1", "q1", "edit", by="Ada", text=GOOD, seen=kept.row.at)
        assert taken.errors == () and taken.row.state == "validated"
        last = desk.last("r1", "q1")
        assert last is not None and last.at == taken.at

    def test_send_back_and_go_on(self, desk: Desk, folder: RunFolder) -> None:
        assert desk.decide("r1", "q1", "reject", by="Ada", note="Drop it.").row.state == "correcting"
        assert desk.accept_all("r1", ["q2", "q3"], by="Ada").accepted == ("q2", "q3")
        result = resume(folder, scripted(), OtherModels(corrector="scripted:m"))
        assert questions_in(Path(result.published[0].path))["q1"]["stem"] == sound(1)["stem"]

    def test_an_unreadable_text_changes_nothing(self, desk: Desk, folder: RunFolder) -> None:
        with pytest.raises(InputError, match="not JSON"):
            desk.decide("r1", "q1", "edit", by="Ada", text="no")
        assert verdicts(folder) == [] and causes(folder, "q1") == ["source"]

    @pytest.mark.parametrize(
        ("given", "message"),
        [
            ({"by": "  "}, "needs a name"),
            ({"by": "x" * 201}, "name is longer"),
            ({"note": "x" * 20_001}, "note is longer"),
            ({"verdict": "edit", "text": "x" * 1_000_001}, "text is longer"),
            ({"text": "{}"}, "takes no text"),
            ({"verdict": "reject", "text": "{}"}, "takes no text"),
            ({"verdict": "reject", "note": " \n"}, "sent back with a note"),
            ({"verdict": "edit"}, "needs the new text"),
            ({"unit": "q9"}, "no unit 'q9'"),
            ({"run": "r9"}, "no run r9"),
            ({"run": "../r1"}, "cannot be the id"),
        ],
    )
    def test_what_makes_no_sense_is_refused(
        self, desk: Desk, folder: RunFolder, given: dict[str, str], message: str
    ) -> None:
        said: dict[str, str] = {"run": "r1", "unit": "q1", "verdict": "accept", "by": "Ada", **given}
        with pytest.raises(UsageError, match=message):
            desk.decide(said.pop("run"), said.pop("unit"), said.pop("verdict"), **said)  # type: ignore[arg-type]
        assert verdicts(folder) == []

    def test_a_run_without_a_plan_has_nothing_to_decide(self, desk: Desk, runs: Path) -> None:
        with own_run(RunFolder.at(runs, "empty"), system_clock):
            pass
        with pytest.raises(UsageError, match="before it had a plan"):
            desk.decide("empty", "q1", "accept", by="Ada")


class TestTwoAtOnce:
    def test_whoever_is_slower_is_told_by_whom_and_what(self, desk: Desk, folder: RunFolder) -> None:
        moment = seen(folder)
        desk.decide("r1", "q1", "accept", by="Ada", note="Fine.", seen=moment)
        for late in (moment, None):
            with pytest.raises(AlreadyDecided, match="Ada accepted q1") as told:
                desk.decide("r1", "q1", "edit", by="Bob", text=GOOD, seen=late)
            ruling = told.value.ruling
            assert (ruling.by, ruling.verdict, ruling.note, ruling.row.state) == ("Ada", "accept", "Fine.", "validated")
        assert verdicts(folder) == ["accept"] and causes(folder, "q1") == ["source"]

    def test_who_saw_it_before_it_was_decided_and_taken_back_is_told_too(self, desk: Desk, folder: RunFolder) -> None:
        moment = seen(folder)
        desk.decide("r1", "q1", "accept", by="Ada")
        desk.undo("r1", "q1", by="Ada")
        with pytest.raises(AlreadyDecided, match="Ada took back a decision about q1"):
            desk.decide("r1", "q1", "accept", by="Bob", seen=moment)
        assert desk.decide("r1", "q1", "accept", by="Bob").row.state == "validated", "not seen: it waits, so it may be"

    def test_who_saw_it_before_the_run_worked_on_it_is_told(self, desk: Desk, folder: RunFolder) -> None:
        moment = seen(folder)
        with own_run(folder, system_clock) as owned:
            row = owned.journal.unit("q1")
            assert row is not None
            owned.journal.write_now(row)
        with pytest.raises(MovedOn, match=f"it is {WAITS} now") as told:
            desk.decide("r1", "q1", "accept", by="Ada", seen=moment)
        assert told.value.row.id == "q1"

    def test_not_seen_only_what_waits_is_decided(self, desk: Desk) -> None:
        with pytest.raises(UsageError, match="q0 is not waiting for a person: it is validated"):
            desk.decide("r1", "q0", "accept", by="Ada")

    def test_of_many_threads_one_wins(self, desk: Desk, runs: Path, folder: RunFolder) -> None:
        moment, barrier = seen(folder), threading.Barrier(6)
        with ExitStack() as stack, ThreadPoolExecutor(6) as pool:
            desks = [desk, stack.enter_context(desk_for(runs))]

            def one(number: int) -> str:
                barrier.wait()
                try:
                    return desks[number % 2].decide("r1", "q1", "accept", by=f"P{number}", seen=moment).by
                except AlreadyDecided as told:
                    return f"told of {told.ruling.by}"

            said = list(pool.map(one, range(6)))
        [winner] = [each for each in said if not each.startswith("told")]
        assert sorted(said) == sorted([winner, *[f"told of {winner}"] * 5])
        assert verdicts(folder) == ["accept"]

    def test_somebody_else_who_decides_is_waited_for(self, desk: Desk, folder: RunFolder) -> None:
        held, decided = threading.Event(), threading.Event()

        def other() -> None:
            with own_run(folder, system_clock, purpose=DECIDE):
                held.set()
                decided.wait(0.3)

        with ThreadPoolExecutor(1) as pool:
            pool.submit(other)
            held.wait()
            assert desk.decide("r1", "q1", "accept", by="Ada").in_effect

    def test_but_not_for_ever(self, desk: Desk, folder: RunFolder, monkeypatch: pytest.MonkeyPatch) -> None:
        for module in (in_hand, desk_module):
            monkeypatch.setattr(module, "PATIENCE_SECONDS", 0.05)
        with own_run(folder, system_clock, purpose=DECIDE):
            for act in (desk.undo, partial(desk.decide, verdict="accept")):
                with pytest.raises(Busy, match="Others are deciding about the run r1"):
                    act("r1", "q1", by="Ada")
            with pytest.raises(Busy):
                desk.accept_all("r1", ["q1"], by="Ada")
            with view(folder.root.parent, "r1") as looked_at:
                assert looked_at.standing == "needs_person", "who decides is not at work on it"
        assert desk.in_tray("r1") == () and verdicts(folder) == []


class TestManyAtOnce:
    def test_what_cannot_be_accepted_is_passed_over(self, desk: Desk, folder: RunFolder) -> None:
        desk.decide("r1", "q2", "reject", by="Bob", note="No.")
        bulk = desk.accept_all("r1", ["q0", "q1", "q2", "q3", "q9", "q1"], by="Ada", note="All fine.")
        assert bulk.accepted == ("q1", "q3") and bulk.in_effect
        assert list(bulk.passed_over) == ["q0", "q2", "q9"]
        assert "Bob sent back q2" in bulk.passed_over["q2"]
        assert "not waiting" in bulk.passed_over["q0"] and "no unit" in bulk.passed_over["q9"]
        assert verdicts(folder, "q3") == ["accept"]

    def test_a_portion_is_one_commit(self, desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(many, "PORTION", 2)
        points: list[str] = []
        with installed(points.append):
            desk.accept_all("r1", ["q1", "q2", "q3"], by="Ada")
        assert points.count("journal.committed") == 1 + 2, "the epoch, and two portions"

    def test_all_of_it_can_be_taken_back(self, desk: Desk, folder: RunFolder) -> None:
        before = states(folder)
        desk.accept_all("r1", ["q1", "q2"], by="Ada")
        back = desk.undo_all("r1", dict.fromkeys(["q1", "q2", "q3"]), by="Ada")
        assert back.units == ("q1", "q2")
        assert back.passed_over == {"q3": "Nobody has decided about q3."}
        assert states(folder) == before


class TestWhatADocumentCanHold:
    """Writing a whole document to see what it can hold takes long, where it is long."""

    @pytest.fixture
    def asked(self, monkeypatch: pytest.MonkeyPatch) -> list[str]:
        asked: list[str] = []

        def not_held(self: Sitting, name: str) -> dict[str, str]:
            asked.append(name)
            return {"q1": "It holds no line end."}

        monkeypatch.setattr(Sitting, "not_held", not_held)
        return asked

    def test_of_a_small_one_it_is_found_out_at_once(self, desk: Desk, asked: list[str]) -> None:
        kept = desk.decide("r1", "q1", "edit", by="Ada", text=BAD)
        assert kept.warning == "It holds no line end."
        with pytest.raises(UsageError, match=r"its document cannot hold the text\. It holds no line end"):
            desk.decide("r1", "q1", "accept", by="Ada")
        asked.clear()
        bulk = desk.accept_all("r1", ["q1", "q2", "q3"], by="Ada")
        assert bulk.accepted == ("q2", "q3") and "cannot hold" in bulk.passed_over["q1"]
        assert asked == ["bank.json"], "once for all of them"

    def test_a_large_one_is_not_written_for_it(
        self, desk: Desk, asked: list[str], folder: RunFolder, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(in_hand, "SMALL_DOCUMENT", 10)
        desk.decide("r1", "q1", "edit", by="Ada", text=BAD)
        assert desk.decide("r1", "q1", "accept", by="Ada").row.state == "validated"
        assert asked == []

    def test_unless_it_is_known_that_it_could_not(
        self, desk: Desk, asked: list[str], folder: RunFolder, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(in_hand, "SMALL_DOCUMENT", 10)
        row = desk.decide("r1", "q1", "edit", by="Ada", text=GOOD).row
        with own_run(folder, system_clock) as owned:
            owned.journal.write_now(*called_back(row, kind_named("questions").states, CANNOT_WRITE_BACK, "No."))
        with pytest.raises(UsageError, match="cannot hold the text"):
            desk.decide("r1", "q1", "accept", by="Ada")
        assert asked == ["bank.json"]


class TestUndo:
    def test_it_stands_where_it_stood(self, desk: Desk, folder: RunFolder) -> None:
        before = states(folder)
        desk.decide("r1", "q1", "edit", by="Ada", text=GOOD)
        ruling = desk.undo("r1", "q1", by="Bob")
        assert (ruling.verdict, ruling.by, ruling.in_effect) == ("undo", "Bob", True)
        assert ruling.row.at == seen(folder) and ruling.row.best_attempt == 1
        assert states(folder) == before
        assert desk.last("r1", "q1") is None

    def test_nobody_decided(self, desk: Desk) -> None:
        with pytest.raises(UsageError, match="Nobody has decided"):
            desk.undo("r1", "q1", by="Ada")
        assert desk.last("r1", "q1") is None

    def test_too_late(self, desk: Desk, folder: RunFolder) -> None:
        desk.decide("r1", "q1", "accept", by="Ada")
        resume(folder)
        with pytest.raises(TooLate):
            desk.undo("r1", "q1", by="Ada")
        assert verdicts(folder) == ["accept"]


class TestTray:
    def test_a_decision_waits_until_the_run_rests(self, desk: Desk, folder: RunFolder) -> None:
        with at_work(folder):
            ruling = desk.decide("r1", "q1", "edit", by="Ada", text=BAD, seen=seen(folder))
            assert not ruling.in_effect and ruling.row.state == WAITS
            assert [finding.rule for finding in ruling.errors] == ["nbme_negation_detection"]
            assert desk.last("r1", "q1") is not None
            desk.settle("r1")
            assert verdicts(folder) == [], "it is still at work"
            [entry] = desk.in_tray("r1")
            assert (entry.unit, entry.verdict, entry.by, entry.why) == ("q1", "edit", "Ada", None)
        desk.settle("r1")
        assert desk.in_tray("r1") == ()
        assert verdicts(folder) == ["edit"]
        last = desk.last("r1", "q1")
        assert last is not None and last.in_effect and last.by == "Ada"

    def test_two_at_once_here_too(self, desk: Desk, folder: RunFolder) -> None:
        with at_work(folder):
            desk.decide("r1", "q1", "accept", by="Ada")
            with pytest.raises(AlreadyDecided) as told:
                desk.decide("r1", "q1", "reject", by="Bob", note="No.")
            assert (told.value.ruling.by, told.value.ruling.in_effect) == ("Ada", False)
        desk.settle("r1")
        assert verdicts(folder) == ["accept"]

    def test_what_speaks_against_it_is_told_at_once(self, desk: Desk, folder: RunFolder) -> None:
        with at_work(folder):
            with pytest.raises(InputError, match="not JSON"):
                desk.decide("r1", "q1", "edit", by="Ada", text="no")
            with pytest.raises(UsageError, match="with a note"):
                desk.decide("r1", "q1", "reject", by="Ada")
            with pytest.raises(RunActive):
                desk.decide("r1", "q0", "accept", by="Ada", seen=seen(folder, "q0"))
            with pytest.raises(NotFound):
                desk.decide("r1", "q9", "accept", by="Ada")
            assert desk.in_tray("r1") == ()

    def test_taken_out_again(self, desk: Desk, folder: RunFolder) -> None:
        with at_work(folder):
            desk.decide("r1", "q1", "accept", by="Ada")
            ruling = desk.undo("r1", "q1", by="Ada")
            assert (ruling.verdict, ruling.in_effect, ruling.row.state) == ("undo", False, WAITS)
            assert desk.in_tray("r1") == ()
            with pytest.raises(UsageError, match="Nobody has decided"):
                desk.undo("r1", "q1", by="Ada")
        desk.settle("r1")
        assert verdicts(folder) == []

    def test_what_is_in_effect_is_not_taken_back_while_the_run_is_at_work(self, desk: Desk, folder: RunFolder) -> None:
        desk.decide("r1", "q1", "accept", by="Ada")
        with at_work(folder) as owned:
            with pytest.raises(RunActive):
                desk.undo("r1", "q1", by="Ada")
            back = desk.undo_all("r1", {"q1": None}, by="Ada")
            assert back.units == () and "is held by process" in back.passed_over["q1"]
            owned.journal.write_now(event("run_resumed"))
            with pytest.raises(TooLate, match="the run has gone on"):
                desk.undo("r1", "q1", by="Ada")

    def test_many_at_once(self, desk: Desk, folder: RunFolder, monkeypatch: pytest.MonkeyPatch) -> None:
        with at_work(folder):
            desk.decide("r1", "q3", "edit", by="Bob", text=json.dumps({"stem": sound(3)["stem"]}))
            bulk = desk.accept_all("r1", ["q0", "q1", "q2", "q3"], by="Ada")
            assert bulk.accepted == ("q1", "q2") and not bulk.in_effect
            assert set(bulk.passed_over) == {"q0", "q3"} and "Bob edited q3" in bulk.passed_over["q3"]
        points: list[str] = []
        with installed(points.append):
            desk.settle_all()
        assert points.count("tray.in_effect") == 2, "the text by itself, the others together"
        assert [verdicts(folder, unit) for unit in ("q1", "q2", "q3")] == [["accept"], ["accept"], ["edit"]]

    def test_a_broken_run_keeps_no_other_from_being_settled(self, desk: Desk, runs: Path, folder: RunFolder) -> None:
        other = RunFolder.at(runs, "a0")
        shutil.copytree(folder.root, other.root)
        other.tray.write_bytes(b"no tray at all" * 100)
        with at_work(folder):
            desk.decide("r1", "q1", "accept", by="Ada")
        with pytest.raises(StateCorrupt, match="damaged"):
            desk.settle_all()
        assert verdicts(folder) == ["accept"]

    def test_whoever_decides_next_finds_it_in_effect(self, desk: Desk, folder: RunFolder) -> None:
        with at_work(folder):
            desk.decide("r1", "q1", "accept", by="Ada")
        with pytest.raises(AlreadyDecided, match="Ada accepted q1"):
            desk.decide("r1", "q1", "accept", by="Bob")
        assert verdicts(folder) == ["accept"]

    def test_whoever_goes_on_with_the_run_begins_with_it(self, desk: Desk, folder: RunFolder) -> None:
        with at_work(folder):
            desk.decide("r1", "q1", "reject", by="Ada", note="Drop the negation.")
            desk.decide("r1", "q2", "edit", by="Ada", text=json.dumps({"stem": sound(2)["stem"]}))
            desk.decide("r1", "q3", "accept", by="Ada")
        model = scripted()
        result = resume(folder, model, OtherModels(corrector="scripted:m"))
        assert "Drop the negation." in model.asked[0].user
        published = questions_in(Path(result.published[0].path))
        assert [published[f"q{number}"]["stem"] for number in (1, 2)] == [sound(number)["stem"] for number in (1, 2)]
        assert published["q3"]["stem"] == negative(3)["stem"]
        assert desk.in_tray("r1") == ()

    def test_a_unit_that_moved_meanwhile_keeps_its_decision_with_why(self, desk: Desk, folder: RunFolder) -> None:
        with at_work(folder) as owned:
            desk.decide("r1", "q1", "accept", by="Ada")
            row = owned.journal.unit("q1")
            assert row is not None
            owned.journal.write_now(row)
        desk.settle("r1")
        [entry] = desk.in_tray("r1")
        assert entry.why is not None and "The run has worked on q1 since" in entry.why
        assert desk.last("r1", "q1") is None and verdicts(folder) == []
        desk.settle("r1")
        assert len(desk.in_tray("r1")) == 1
        ruling = desk.undo("r1", "q1", by="Ada")
        assert not ruling.in_effect and desk.in_tray("r1") == ()

    def test_a_later_decision_takes_its_place(self, desk: Desk, folder: RunFolder) -> None:
        self.test_a_unit_that_moved_meanwhile_keeps_its_decision_with_why(desk, folder)
        with at_work(folder) as owned:
            desk.decide("r1", "q2", "accept", by="Ada")
            row = owned.journal.unit("q2")
            assert row is not None
            owned.journal.write_now(row)
        desk.settle("r1")
        assert desk.decide("r1", "q2", "accept", by="Bob").in_effect
        assert desk.in_tray("r1") == ()

    def test_in_effect_exactly_once_though_nobody_lived_to_say_so(self, desk: Desk, folder: RunFolder) -> None:
        with at_work(folder):
            desk.decide("r1", "q1", "edit", by="Ada", text=GOOD)
        with installed(_dying("tray.in_effect")), pytest.raises(Died):
            desk.settle("r1")
        assert verdicts(folder) == ["edit"] and len(desk.in_tray("r1")) == 1
        last = desk.last("r1", "q1")
        assert last is not None and last.in_effect
        desk.settle("r1")
        assert verdicts(folder) == ["edit"] and desk.in_tray("r1") == ()
        assert causes(folder, "q1") == ["source", "person"]

    def test_what_is_in_effect_is_not_merely_taken_out(self, desk: Desk, folder: RunFolder) -> None:
        with at_work(folder):
            desk.decide("r1", "q1", "accept", by="Ada")
        with installed(_dying("tray.in_effect")), pytest.raises(Died):
            desk.settle("r1")
        with at_work(folder), pytest.raises(RunActive):
            desk.undo("r1", "q1", by="Ada")
        assert desk.undo("r1", "q1", by="Ada").in_effect
        assert verdicts(folder) == ["accept", "undo"]

    def test_a_run_that_comes_to_rest_just_then(
        self, desk: Desk, folder: RunFolder, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        with ExitStack() as working:
            working.enter_context(at_work(folder))
            looked_at = Desk._looked_at

            def resting(self: Desk, folder: RunFolder) -> AbstractContextManager[RunInHand]:
                working.close()
                return looked_at(self, folder)

            monkeypatch.setattr(Desk, "_looked_at", resting)
            ruling = desk.decide("r1", "q1", "accept", by="Ada")
        assert ruling.in_effect and ruling.row.state == "validated"
        assert desk.in_tray("r1") == ()

    def test_somebody_who_decided_while_it_was_looked_at(
        self, desk: Desk, folder: RunFolder, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """The run rests, somebody decides, and it is at work again, all before the decision lies in the tray."""
        with at_work(folder) as owned:
            follows = RunInHand.follows

            def meanwhile(self: RunInHand, row: UnitRow, wish: Wish) -> Consequence:
                made = follows(self, row, wish)
                owned.journal.write_now(event("decision", "q1", data={"verdict": "accept", "by": "Bob", "note": None}))
                owned.journal.write_now(row)
                return made

            monkeypatch.setattr(RunInHand, "follows", meanwhile)
            with pytest.raises(AlreadyDecided, match="Bob accepted q1"):
                desk.decide("r1", "q1", "accept", by="Ada")
            bulk = desk.accept_all("r1", ["q1", "q2"], by="Ada")
            assert bulk.accepted == () and set(bulk.passed_over) == {"q1", "q2"}
        assert desk.in_tray("r1") == ()

    def test_nothing_secret_lies_in_it(self, runs: Path, folder: RunFolder, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("OPENAI_API_KEY", "sk-canary-0123456789abcdef")
        with desk_for(runs) as desk, at_work(folder):
            desk.decide("r1", "q1", "reject", by="Ada", note="Use sk-canary-0123456789abcdef for it.")
            with pytest.raises(InputError, match="holds a key"):
                desk.decide("r1", "q2", "edit", by="Ada", text=json.dumps({"stem": "sk-canary-0123456789abcdef?"}))
            assert b"canary" not in folder.tray.read_bytes()
            [entry] = Tray(folder.tray).entries()
            assert entry.note is not None and "canary" not in entry.note


class Died(Exception):
    """As if the process were killed."""


def _dying(where: str) -> Callable[[str], None]:
    def hook(point: str) -> None:
        if point == where:
            raise Died

    return hook
