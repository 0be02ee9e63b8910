"""The review service: one decision after the other, whoever comes, also while a run is at work."""

import json
import shutil
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from datetime import timedelta
from pathlib import Path

import pytest

from burnish.app import decisions, reviews
from burnish.app.decisions import DecisionRequest, DueDecisions, RunDecisions, apply_pending, decisions_of
from burnish.app.kinds import kind_named
from burnish.app.labels import AlreadyDecided, DecisionResult, MovedOn
from burnish.app.reviews import ReviewService
from burnish.app.run_sessions import OtherModels
from burnish.app.runs import view
from burnish.app.settings import Settings
from burnish.core.errors import InputError, NotFound, RunActive, StateCorrupt, TooLate, UsageError
from burnish.core.faultpoints import installed
from burnish.core.records import UnitRow, event
from burnish.engine.decisions import Consequence, Decision
from burnish.engine.publish import CANNOT_WRITE_BACK, Publication, called_back
from burnish.kinds.questions.kind import QuestionsKind
from burnish.models.calls import Call
from burnish.store.inbox import Inbox, InboxEntry, Refusals, Withdrawal
from burnish.store.lock import DECIDE
from burnish.store.paths import RunFolder
from burnish.store.processes import system_clock
from burnish.store.redaction import Redactor
from burnish.store.sqlite_journal import OwnedRun, own_run
from tests.engine.questions_bench import (
    biased,
    causes,
    journal_of,
    mends,
    questions_in,
    resume,
    run,
    scripted,
    sound,
    states,
    write_bank,
)
from tests.engine.test_undo import BAD, GOOD, idle

WAITS = "needs_manual_review"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("made")
    run(write_bank(place, [sound(0), *(biased(number) for number in (1, 2, 3))]), place / "runs")
    return place / "runs"


@pytest.fixture
def runs(made: Path, tmp_path: Path) -> Path:
    """q0 is accepted; q1, q2 and q3 wait."""
    return Path(shutil.copytree(made, tmp_path / "runs"))


@pytest.fixture
def folder(runs: Path) -> RunFolder:
    return RunFolder.at(runs, "r1")


@contextmanager
def service_for(runs: Path) -> Iterator[ReviewService]:
    yield ReviewService(runs, Settings())


@pytest.fixture
def service(runs: Path) -> Iterator[ReviewService]:
    with service_for(runs) as made:
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
    def test_accept(self, service: ReviewService, folder: RunFolder) -> None:
        result = service.record("r1", "q1", "accept", by=" Ada ", note="So.", seen=seen(folder))
        assert (result.run, result.unit, result.verdict, result.by, result.note) == ("r1", "q1", "accept", "Ada", "So.")
        assert result.in_effect and result.errors == () and result.warning is None
        assert (result.row.state, result.row.at) == ("validated", seen(folder))
        assert service.last("r1", "q1") == result
        assert not folder.lock.exists(), "the run is nobody's again"

    def test_edit(self, service: ReviewService, folder: RunFolder) -> None:
        kept = service.record("r1", "q1", "edit", by="Ada", text=BAD)
        assert [finding.rule for finding in kept.errors] == ["ext_bias_detection"]
        assert (kept.row.state, kept.row.reason) == (WAITS, "edit_has_errors")
        taken = service.record("r1", "q1", "edit", by="Ada", text=GOOD, seen=kept.row.at)
        assert taken.errors == () and taken.row.state == "validated"
        last = service.last("r1", "q1")
        assert last is not None and last.at == taken.at

    def test_send_back_and_go_on(self, service: ReviewService, folder: RunFolder) -> None:
        assert service.record("r1", "q1", "reject", by="Ada", note="Drop it.").row.state == "correcting"
        assert service.decide_all("r1", ["q2", "q3"], by="Ada").decided == ("q2", "q3")
        result = resume(folder, scripted(), OtherModels(corrector="scripted:m"))
        assert questions_in(Path(result.published[0].path))["q1"]["stem"] == sound(1)["stem"]

    def test_an_unreadable_text_changes_nothing(self, service: ReviewService, folder: RunFolder) -> None:
        with pytest.raises(InputError, match="not JSON"):
            service.record("r1", "q1", "edit", by="Ada", text="no")
        assert verdicts(folder) == [] and causes(folder, "q1") == ["source"]

    @pytest.mark.parametrize(
        ("given", "message"),
        [
            ({"by": "  "}, "needs a name"),
            ({"by": "x" * 201}, "name is longer"),
            ({"note": "x" * 4_001}, "note has 4,001 characters; 4,000 are allowed"),
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
        self, service: ReviewService, folder: RunFolder, given: dict[str, str], message: str
    ) -> None:
        said: dict[str, str] = {"run": "r1", "unit": "q1", "verdict": "accept", "by": "Ada", **given}
        with pytest.raises(UsageError, match=message):
            service.record(said.pop("run"), said.pop("unit"), said.pop("verdict"), **said)  # type: ignore[arg-type]
        assert verdicts(folder) == []

    def test_a_run_without_a_plan_has_nothing_to_decide(self, service: ReviewService, runs: Path) -> None:
        with own_run(RunFolder.at(runs, "empty"), system_clock):
            pass
        with pytest.raises(UsageError, match="before it had a plan"):
            service.record("empty", "q1", "accept", by="Ada")


class TestTwoAtOnce:
    def test_whoever_is_slower_is_told_by_whom_and_what(self, service: ReviewService, folder: RunFolder) -> None:
        moment = seen(folder)
        service.record("r1", "q1", "accept", by="Ada", note="Fine.", seen=moment)
        for late in (moment, None):
            with pytest.raises(AlreadyDecided, match="Ada accepted q1") as told:
                service.record("r1", "q1", "edit", by="Bob", text=GOOD, seen=late)
            result = told.value.result
            assert (result.by, result.verdict, result.note, result.row.state) == ("Ada", "accept", "Fine.", "validated")
        assert verdicts(folder) == ["accept"] and causes(folder, "q1") == ["source"]

    def test_who_saw_it_before_it_was_decided_and_taken_back_is_told_too(
        self, service: ReviewService, folder: RunFolder
    ) -> None:
        moment = seen(folder)
        service.record("r1", "q1", "accept", by="Ada")
        service.undo("r1", "q1", by="Ada")
        with pytest.raises(AlreadyDecided, match="Ada undid a decision about q1"):
            service.record("r1", "q1", "accept", by="Bob", seen=moment)
        assert service.record("r1", "q1", "accept", by="Bob").row.state == "validated", (
            "not seen: it waits, so it may be"
        )

    def test_who_saw_it_before_the_run_worked_on_it_is_told(self, service: ReviewService, folder: RunFolder) -> None:
        moment = seen(folder)
        with own_run(folder, system_clock) as owned:
            row = owned.journal.unit("q1")
            assert row is not None
            owned.journal.write_now(row)
        with pytest.raises(MovedOn, match=f"its state is {WAITS} now") as told:
            service.record("r1", "q1", "accept", by="Ada", seen=moment)
        assert told.value.row.id == "q1"

    def test_not_seen_only_what_waits_is_decided(self, service: ReviewService) -> None:
        with pytest.raises(UsageError, match="q0 is not waiting for a person: it is validated"):
            service.record("r1", "q0", "accept", by="Ada")

    def test_of_many_threads_one_wins(self, service: ReviewService, runs: Path, folder: RunFolder) -> None:
        moment, barrier = seen(folder), threading.Barrier(6)
        with ExitStack() as stack, ThreadPoolExecutor(6) as pool:
            services = [service, stack.enter_context(service_for(runs))]

            def one(number: int) -> str:
                barrier.wait()
                try:
                    return services[number % 2].record("r1", "q1", "accept", by=f"P{number}", seen=moment).by
                except AlreadyDecided as told:
                    return f"told of {told.result.by}"

            said = list(pool.map(one, range(6)))
        [winner] = [each for each in said if not each.startswith("told")]
        assert sorted(said) == sorted([winner, *[f"told of {winner}"] * 5])
        assert verdicts(folder) == ["accept"]

    def test_somebody_else_who_decides_is_waited_for(self, service: ReviewService, folder: RunFolder) -> None:
        held, decided = threading.Event(), threading.Event()

        def other() -> None:
            with own_run(folder, system_clock, purpose=DECIDE):
                held.set()
                decided.wait(0.3)

        with ThreadPoolExecutor(1) as pool:
            pool.submit(other)
            held.wait()
            assert service.record("r1", "q1", "accept", by="Ada").in_effect

    def test_but_not_for_ever(self, service: ReviewService, folder: RunFolder, monkeypatch: pytest.MonkeyPatch) -> None:
        """The decision is saved, whoever applies it."""
        monkeypatch.setattr(reviews, "PATIENCE_SECONDS", 0.05)
        service.record("r1", "q3", "accept", by="Ada")
        with own_run(folder, system_clock, purpose=DECIDE):
            assert not service.undo("r1", "q3", by="Ada").in_effect
            assert not service.record("r1", "q1", "accept", by="Ada").in_effect
            bulk = service.decide_all("r1", ["q2"], by="Ada")
            assert bulk.decided == ("q2",) and not bulk.in_effect
            with view(folder.root.parent, "r1") as looked_at:
                assert looked_at.state == "needs_person", "who decides is not at work on it"
        service.apply_pending("r1")
        assert service.pending("r1") == () and verdicts(folder) == ["accept"]


class TestManyAtOnce:
    def test_what_cannot_be_accepted_is_passed_over(self, service: ReviewService, folder: RunFolder) -> None:
        service.record("r1", "q2", "reject", by="Bob", note="No.")
        bulk = service.decide_all("r1", ["q0", "q1", "q2", "q3", "q9", "q1"], by="Ada", note="All fine.")
        assert bulk.decided == ("q1", "q3") and bulk.in_effect
        assert list(bulk.passed_over) == ["q0", "q2", "q9"]
        assert "Bob sent back q2" in bulk.passed_over["q2"]
        assert "not waiting" in bulk.passed_over["q0"] and "no unit" in bulk.passed_over["q9"]
        assert verdicts(folder, "q3") == ["accept"]

    def test_a_portion_is_one_commit(self, service: ReviewService, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(reviews, "PORTION", 2)
        points: list[str] = []
        with installed(points.append):
            service.decide_all("r1", ["q1", "q2", "q3"], by="Ada")
        assert points.count("inbox.added") == points.count("journal.committed") == 2

    def test_all_of_it_can_be_taken_back(self, service: ReviewService, folder: RunFolder) -> None:
        before = states(folder)
        service.decide_all("r1", ["q1", "q2"], by="Ada")
        back = service.undo_all("r1", dict.fromkeys(["q1", "q2", "q3"]), by="Ada")
        assert back.units == ("q1", "q2")
        assert back.passed_over == {"q3": "Nobody has decided about q3."}
        assert states(folder) == before


class TestWhatADocumentCanHold:
    """Writing a whole document to see what it can hold takes long, where it is long."""

    @pytest.fixture
    def asked(self, monkeypatch: pytest.MonkeyPatch) -> list[str]:
        asked: list[str] = []

        def not_held(self: Publication, name: str) -> dict[str, str]:
            asked.append(name)
            return {"q1": "It holds no line end."}

        monkeypatch.setattr(Publication, "not_held", not_held)
        return asked

    def test_of_a_small_one_it_is_found_out_at_once(self, service: ReviewService, asked: list[str]) -> None:
        kept = service.record("r1", "q1", "edit", by="Ada", text=BAD)
        assert kept.warning == "It holds no line end."
        with pytest.raises(UsageError, match=r"document cannot hold the text\. It holds no line end"):
            service.record("r1", "q1", "accept", by="Ada")
        asked.clear()
        bulk = service.decide_all("r1", ["q1", "q2", "q3"], by="Ada")
        assert bulk.decided == ("q2", "q3") and "cannot hold" in bulk.passed_over["q1"]
        assert asked == ["bank.json"], "once for all of them"

    def test_a_large_one_is_not_written_for_it(
        self, service: ReviewService, asked: list[str], folder: RunFolder, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(decisions, "SMALL_DOCUMENT", 10)
        service.record("r1", "q1", "edit", by="Ada", text=BAD)
        assert service.record("r1", "q1", "accept", by="Ada").row.state == "validated"
        assert asked == []

    def test_unless_it_is_known_that_it_could_not(
        self, service: ReviewService, asked: list[str], folder: RunFolder, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(decisions, "SMALL_DOCUMENT", 10)
        row = service.record("r1", "q1", "edit", by="Ada", text=GOOD).row
        with own_run(folder, system_clock) as owned:
            owned.journal.write_now(*called_back(row, kind_named("questions").states, CANNOT_WRITE_BACK, "No."))
        with pytest.raises(UsageError, match="cannot hold the text"):
            service.record("r1", "q1", "accept", by="Ada")
        assert asked == ["bank.json"]


class TestUndo:
    def test_it_stands_where_it_stood(self, service: ReviewService, folder: RunFolder) -> None:
        before = states(folder)
        service.record("r1", "q1", "edit", by="Ada", text=GOOD)
        result = service.undo("r1", "q1", by="Bob")
        assert (result.verdict, result.by, result.in_effect) == ("undo", "Bob", True)
        assert result.row.at == seen(folder) and result.row.best_attempt == 1
        assert states(folder) == before
        assert service.last("r1", "q1") is None

    def test_nobody_decided(self, service: ReviewService) -> None:
        with pytest.raises(UsageError, match="Nobody has decided"):
            service.undo("r1", "q1", by="Ada")
        assert service.last("r1", "q1") is None

    def test_too_late(self, service: ReviewService, folder: RunFolder) -> None:
        service.record("r1", "q1", "reject", by="Ada", note="Drop it.")
        service.record("r1", "q2", "accept", by="Ada")
        resume(folder, scripted(idle), OtherModels(corrector="scripted:m"))
        with pytest.raises(TooLate):
            service.undo("r1", "q1", by="Ada")
        assert verdicts(folder) == ["reject"]
        assert service.undo("r1", "q2", by="Ada").row.state == WAITS, "no task began with it"


class TestInbox:
    def test_a_decision_waits_until_the_run_rests(self, service: ReviewService, folder: RunFolder) -> None:
        with at_work(folder):
            result = service.record("r1", "q1", "edit", by="Ada", text=BAD, seen=seen(folder))
            assert not result.in_effect and result.row.state == WAITS
            assert [finding.rule for finding in result.errors] == ["ext_bias_detection"]
            assert service.last("r1", "q1") is not None
            service.apply_pending("r1")
            assert verdicts(folder) == [], "it is still at work"
            [entry] = service.pending("r1")
            assert (entry.unit, entry.verdict, entry.by, entry.why) == ("q1", "edit", "Ada", None)
        service.apply_pending("r1")
        assert service.pending("r1") == ()
        assert verdicts(folder) == ["edit"]
        last = service.last("r1", "q1")
        assert last is not None and last.in_effect and last.by == "Ada"

    def test_two_at_once_here_too(self, service: ReviewService, folder: RunFolder) -> None:
        with at_work(folder):
            service.record("r1", "q1", "accept", by="Ada")
            with pytest.raises(AlreadyDecided) as told:
                service.record("r1", "q1", "reject", by="Bob", note="No.")
            assert (told.value.result.by, told.value.result.in_effect) == ("Ada", False)
        service.apply_pending("r1")
        assert verdicts(folder) == ["accept"]

    def test_what_speaks_against_it_is_told_at_once(self, service: ReviewService, folder: RunFolder) -> None:
        with at_work(folder):
            with pytest.raises(InputError, match="not JSON"):
                service.record("r1", "q1", "edit", by="Ada", text="no")
            with pytest.raises(UsageError, match="with a note"):
                service.record("r1", "q1", "reject", by="Ada")
            with pytest.raises(RunActive):
                service.record("r1", "q0", "accept", by="Ada", seen=seen(folder, "q0"))
            with pytest.raises(NotFound):
                service.record("r1", "q9", "accept", by="Ada")
            assert service.pending("r1") == ()

    def test_taken_out_again(self, service: ReviewService, folder: RunFolder) -> None:
        with at_work(folder):
            service.record("r1", "q1", "accept", by="Ada")
            result = service.undo("r1", "q1", by="Ada")
            assert (result.verdict, result.in_effect, result.row.state) == ("undo", True, WAITS)
            assert service.pending("r1") == ()
            with pytest.raises(UsageError, match="Nobody has decided"):
                service.undo("r1", "q1", by="Ada")
        service.apply_pending("r1")
        assert verdicts(folder) == []

    def test_what_is_applied_is_taken_back_by_the_process_at_work(
        self, service: ReviewService, folder: RunFolder
    ) -> None:
        service.record("r1", "q1", "accept", by="Ada")
        service.record("r1", "q2", "accept", by="Ada")
        with at_work(folder) as owned:
            result = service.undo("r1", "q1", by="Ada")
            assert (result.verdict, result.in_effect) == ("undo", False)
            assert service.undo_all("r1", {"q2": None}, by="Ada").units == ("q2",)
            with pytest.raises(AlreadyDecided, match="Nothing was undone"):
                service.undo("r1", "q1", by="Bob", of="another")
            apply_pending(decisions_of(folder, owned.journal, Redactor()))
            assert verdicts(folder) == ["accept", "undo"] and verdicts(folder, "q2") == ["accept", "undo"]

    def test_until_a_task_began_with_it(self, service: ReviewService, folder: RunFolder) -> None:
        service.record("r1", "q1", "reject", by="Ada", note="Drop it.")
        with at_work(folder) as owned:
            owned.journal.write_now(event("run_resumed"), event("task_begun", "q1"))
            with pytest.raises(TooLate, match="worked with it"):
                service.undo("r1", "q1", by="Ada")
            back = service.undo_all("r1", {"q1": None}, by="Ada")
            assert back.units == () and "worked with it" in back.passed_over["q1"]

    def test_an_undo_that_a_task_forestalls_is_told(self, service: ReviewService, folder: RunFolder) -> None:
        """The task began between the asking and the applying: nothing is taken back, and the entry says why."""
        service.record("r1", "q1", "reject", by="Ada", note="Drop it.")
        with at_work(folder) as owned:
            service.undo("r1", "q1", by="Ada")
            owned.journal.write_now(event("task_begun", "q1"))
            apply_pending(decisions_of(folder, owned.journal, Redactor()))
            [entry] = service.pending("r1")
            assert entry.state == "failed" and "worked with it" in str(entry.why)
        assert verdicts(folder) == ["reject"]

    def test_nothing_is_applied_to_a_row_that_moved_meanwhile(self, service: ReviewService, folder: RunFolder) -> None:
        """A task writes its outcome while the decision is worked out: the decision waits, and is looked at again."""
        with at_work(folder) as owned:
            service.record("r1", "q1", "accept", by="Ada")
            moved = owned.journal.unit("q1")
            assert moved is not None

            def task(point: str) -> None:
                if point == "inbox.applying":
                    owned.journal.write_now(moved)

            run = decisions_of(folder, owned.journal, Redactor())
            with installed(task):
                apply_pending(run)
            assert verdicts(folder) == [] and [one.state for one in service.pending("r1")] == ["waiting"]
            apply_pending(run)
            [entry] = service.pending("r1")
            assert entry.state == "failed" and "changed q1" in str(entry.why)

    def test_nor_is_a_decision_taken_back_with_which_a_task_begins_just_then(
        self, service: ReviewService, folder: RunFolder
    ) -> None:
        service.record("r1", "q1", "reject", by="Ada", note="Drop it.")
        with at_work(folder) as owned:
            service.undo("r1", "q1", by="Ada")

            def task(point: str) -> None:
                if point == "inbox.applying":
                    owned.journal.write_now(event("task_begun", "q1"))

            run = decisions_of(folder, owned.journal, Redactor())
            with installed(task):
                apply_pending(run)
            assert verdicts(folder) == ["reject"] and [one.state for one in service.pending("r1")] == ["waiting"]
            apply_pending(run)
            [entry] = service.pending("r1")
            assert entry.state == "failed" and "worked with it" in str(entry.why)

    @pytest.mark.parametrize("workers", [1, 2])
    def test_taken_back_before_its_turn_comes_it_is_not_worked_on(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, workers: int
    ) -> None:
        """The run was told to take q1 up again; while the model is asked about q2, that is taken back."""
        monkeypatch.setattr(decisions, "LOOK_SECONDS", 0.0)
        monkeypatch.setattr(QuestionsKind, "most_together", 1)  # else one task has begun with all of them
        bank = write_bank(tmp_path, [biased(number) for number in (1, 2, 3, 4)])
        folder, _ = run(bank, tmp_path / "runs", scripted(idle), workers=1)
        service, said = ReviewService(tmp_path / "runs", Settings()), list[DecisionResult]()
        for unit in ("q1", "q2", "q3"):
            service.record("r1", unit, "reject", by="Ada", note="Drop the negation.")
        asked: list[str] = []

        def answer(call: Call) -> object:
            asked.append(call.unit)
            if not said:
                said.append(service.undo("r1", "q3", by="Ada"))
            return mends(call)

        result = resume(folder, scripted(answer), workers=workers)
        assert [one.in_effect for one in said] == [False]
        assert result.outcome.counts == {"validated": 2, WAITS: 2}
        assert verdicts(folder, "q3") == ["reject", "undo"] and "q3" not in asked

    def test_the_process_at_work_applies_what_is_due(self, service: ReviewService, folder: RunFolder) -> None:
        with at_work(folder) as owned:
            made = service.record("r1", "q1", "accept", by="Ada")
            run = decisions_of(folder, owned.journal, Redactor())
            assert apply_pending(run, due_by=made.at) == 0, "30 seconds have not passed"
            [entry] = service.pending("r1")
            assert apply_pending(run, due_by=entry.due) == 1
            last = service.last("r1", "q1")
            assert last is not None and last.in_effect and last.is_of(made.at)
            service.record("r1", "q2", "accept", by="Ada")
            Inbox(folder).hasten(made.at)
            assert apply_pending(run, due_by=made.at) == 1, "somebody says that it need not wait"

    def test_at_the_end_it_looks_however_lately_it_did(self, service: ReviewService, folder: RunFolder) -> None:
        with at_work(folder) as owned:
            due = DueDecisions(folder, owned.journal, Redactor(), system_clock)
            assert due() is False
            service.record("r1", "q1", "accept", by="Ada", now=True)
            assert due() is False, "it looked a moment ago"
            assert due(is_end=True) is True
            assert verdicts(folder) == ["accept"]

    def test_a_unit_of_a_batch_that_is_worked_on_is_left_alone(self, service: ReviewService, folder: RunFolder) -> None:
        with at_work(folder) as owned:
            owned.journal.write_now(event("batch_formed", data={"number": 1, "units": ["q1"]}))
            service.record("r1", "q1", "accept", by="Ada", now=True)
            run = decisions_of(folder, owned.journal, Redactor())
            assert apply_pending(run, is_at_work=True) == 0, "the batch would overwrite it"
            owned.journal.write_now(event("batch_settled", data={"number": 1}))
            assert apply_pending(run, is_at_work=True) == 1

    def test_many_at_once(self, service: ReviewService, folder: RunFolder, monkeypatch: pytest.MonkeyPatch) -> None:
        with at_work(folder):
            service.record("r1", "q3", "edit", by="Bob", text=json.dumps({"stem": sound(3)["stem"]}))
            bulk = service.decide_all("r1", ["q0", "q1", "q2", "q3"], by="Ada")
            assert bulk.decided == ("q1", "q2") and not bulk.in_effect
            assert set(bulk.passed_over) == {"q0", "q3"} and "Bob edited q3" in bulk.passed_over["q3"]
        points: list[str] = []
        with installed(points.append):
            service.apply_all()
        assert points.count("inbox.applying") == 2, "the text by itself, the others together"
        assert [verdicts(folder, unit) for unit in ("q1", "q2", "q3")] == [["accept"], ["accept"], ["edit"]]

    def test_a_broken_run_keeps_no_other_from_being_settled(
        self, service: ReviewService, runs: Path, folder: RunFolder
    ) -> None:
        other = RunFolder.at(runs, "a0")
        shutil.copytree(folder.root, other.root)
        other.journal.write_bytes(b"no journal at all" * 100)
        with at_work(folder):
            service.record("r1", "q1", "accept", by="Ada")
        with pytest.raises(StateCorrupt, match="damaged"):
            service.apply_all()
        assert verdicts(folder) == ["accept"]

    def test_whoever_decides_next_applies_it(self, service: ReviewService, folder: RunFolder) -> None:
        with at_work(folder):
            service.record("r1", "q1", "accept", by="Ada")
        with pytest.raises(AlreadyDecided, match="Ada accepted q1"):
            service.record("r1", "q1", "accept", by="Bob")
        service.record("r1", "q2", "accept", by="Bob")
        assert verdicts(folder) == ["accept"]

    def test_whoever_goes_on_with_the_run_begins_with_it(self, service: ReviewService, folder: RunFolder) -> None:
        with at_work(folder):
            service.record("r1", "q1", "reject", by="Ada", note="Drop the negation.")
            service.record("r1", "q2", "edit", by="Ada", text=json.dumps({"stem": sound(2)["stem"]}))
            service.record("r1", "q3", "accept", by="Ada")
        model = scripted()
        result = resume(folder, model, OtherModels(corrector="scripted:m"))
        assert "Drop the negation." in model.asked[0].user
        published = questions_in(Path(result.published[0].path))
        assert [published[f"q{number}"]["stem"] for number in (1, 2)] == [sound(number)["stem"] for number in (1, 2)]
        assert published["q3"]["stem"] == biased(3)["stem"]
        assert service.pending("r1") == ()

    def test_a_unit_that_moved_meanwhile_keeps_its_decision_with_why(
        self, service: ReviewService, folder: RunFolder
    ) -> None:
        with at_work(folder) as owned:
            service.record("r1", "q1", "accept", by="Ada")
            row = owned.journal.unit("q1")
            assert row is not None
            owned.journal.write_now(row)
        service.apply_pending("r1")
        [entry] = service.pending("r1")
        assert entry.why is not None and "The run has changed q1 since" in entry.why
        assert service.last("r1", "q1") is None and verdicts(folder) == []
        service.apply_pending("r1")
        assert len(service.pending("r1")) == 1
        result = service.undo("r1", "q1", by="Ada")
        assert result.in_effect and service.pending("r1") == ()

    def test_a_later_decision_takes_its_place(self, service: ReviewService, folder: RunFolder) -> None:
        self.test_a_unit_that_moved_meanwhile_keeps_its_decision_with_why(service, folder)
        with at_work(folder) as owned:
            service.record("r1", "q2", "accept", by="Ada")
            row = owned.journal.unit("q2")
            assert row is not None
            owned.journal.write_now(row)
        service.apply_pending("r1")
        assert service.record("r1", "q2", "accept", by="Bob").in_effect
        assert service.pending("r1") == ()

    @pytest.mark.parametrize(("where", "is_applied"), [("journal.inserted", False), ("journal.committed", True)])
    def test_applied_exactly_once_wherever_the_process_dies(
        self, service: ReviewService, folder: RunFolder, where: str, is_applied: bool
    ) -> None:
        with at_work(folder):
            service.record("r1", "q1", "edit", by="Ada", text=GOOD)
        with installed(_dying(where, after="inbox.applying")), pytest.raises(Died):
            service.apply_pending("r1")
        assert verdicts(folder) == (["edit"] if is_applied else []) and (service.pending("r1") == ()) == is_applied
        last = service.last("r1", "q1")
        assert last is not None and last.in_effect == is_applied
        service.apply_pending("r1")
        assert verdicts(folder) == ["edit"] and service.pending("r1") == ()
        assert causes(folder, "q1") == ["source", "person"]

    def test_taken_back_just_before_it_is_applied(self, service: ReviewService, folder: RunFolder) -> None:
        with at_work(folder):
            service.record("r1", "q1", "accept", by="Ada")

        def taken_back(point: str) -> None:
            if point == "inbox.applying":
                [entry] = service.pending("r1")
                Inbox(folder).add([Withdrawal(entry.mark, "q1", "Ada", "2026-11-16T09:00:00.000000Z")])

        with installed(taken_back):
            service.apply_pending("r1")
        assert verdicts(folder) == [] and service.pending("r1") == ()

    @pytest.mark.parametrize(("verdict", "note"), [("accept", None), ("reject", "Drop the negation.")])
    def test_a_run_at_work_takes_it_in_between_two_tasks(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, verdict: Decision, note: str | None
    ) -> None:
        """Somebody decides on the first question, which waits, while the model is asked about the second."""
        monkeypatch.setattr(reviews, "GRACE", timedelta())
        monkeypatch.setattr(decisions, "LOOK_SECONDS", 0.0)
        monkeypatch.setattr(QuestionsKind, "most_together", 1)  # else one task has begun with all of them
        bank = write_bank(tmp_path, [biased(number) for number in (1, 2, 3)])
        service, said = ReviewService(tmp_path / "runs", Settings()), list[DecisionResult]()

        def answer(call: Call) -> object:
            if call.unit == "q2" and not said:
                said.append(service.record("r1", "q1", verdict, by="Ada", note=note))
            is_hopeless = call.unit == "q1" and call.role == "corrector" and "Drop the negation." not in call.user
            return {"reasoning": "nothing to do", "edits": []} if is_hopeless else mends(call)

        folder, result = run(bank, tmp_path / "runs", scripted(answer), workers=1)
        assert [(one.in_effect, one.row.state) for one in said] == [(False, WAITS)]
        assert verdicts(folder) == [verdict] and service.pending("r1") == ()
        assert result.outcome.counts == {"validated": 3}
        stem = questions_in(Path(result.published[0].path))["q1"]["stem"]
        assert stem == (biased(1) if verdict == "accept" else sound(1))["stem"], "a question sent back is taken up"

    def test_the_same_decision_added_twice_is_one(self, service: ReviewService, folder: RunFolder) -> None:
        with at_work(folder):
            service.record("r1", "q1", "accept", by="Ada")
            [entry] = service.pending("r1")
            assert Inbox(folder).add([entry]) == {}
            assert service.pending("r1") == (entry,)

    def test_a_run_that_comes_to_rest_just_then(
        self, service: ReviewService, folder: RunFolder, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        with ExitStack() as working:
            working.enter_context(at_work(folder))
            add = Inbox.add

            def resting(self: Inbox, entries: Sequence[InboxEntry]) -> Refusals:
                added = add(self, entries)
                working.close()
                return added

            monkeypatch.setattr(Inbox, "add", resting)
            result = service.record("r1", "q1", "accept", by="Ada")
        assert result.in_effect and result.row.state == "validated"
        assert service.pending("r1") == ()

    def test_somebody_who_decided_while_it_was_looked_at(
        self, service: ReviewService, folder: RunFolder, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """The run rests, somebody decides, and it is at work again, all before the decision is in the inbox."""
        with at_work(folder) as owned:
            follows = RunDecisions.follows

            def meanwhile(self: RunDecisions, row: UnitRow, request: DecisionRequest) -> Consequence:
                made = follows(self, row, request)
                owned.journal.write_now(event("decision", "q1", data={"verdict": "accept", "by": "Bob", "note": None}))
                owned.journal.write_now(row)
                return made

            monkeypatch.setattr(RunDecisions, "follows", meanwhile)
            with pytest.raises(AlreadyDecided, match="Bob accepted q1"):
                service.record("r1", "q1", "accept", by="Ada")
            bulk = service.decide_all("r1", ["q1", "q2"], by="Ada")
            assert bulk.decided == () and set(bulk.passed_over) == {"q1", "q2"}
        assert service.pending("r1") == ()

    def test_nothing_secret_lies_in_it(self, runs: Path, folder: RunFolder, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("OPENAI_API_KEY", "sk-canary-0123456789abcdef")
        with service_for(runs) as service, at_work(folder):
            service.record("r1", "q1", "reject", by="Ada", note="Use sk-canary-0123456789abcdef for it.")
            with pytest.raises(InputError, match="holds a key"):
                service.record("r1", "q2", "edit", by="Ada", text=json.dumps({"stem": "sk-canary-0123456789abcdef?"}))
            assert not any(b"canary" in path.read_bytes() for path in folder.root.glob("journal*"))
            [entry] = service.pending("r1")
            assert entry.note is not None and "canary" not in entry.note


class Died(Exception):
    """As if the process were killed."""


def _dying(where: str, after: str | None = None) -> Callable[[str], None]:
    """`after`: another point that has to be reached before."""
    reached = [after]

    def hook(point: str) -> None:
        if point == where and None in reached:
            raise Died
        if point == after:
            reached.append(None)

    return hook
