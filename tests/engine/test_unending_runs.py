"""No unit keeps a run from its end: what one unit meets belongs to that unit, and a person can decide about it."""

import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

from burnish.app.decisions import acquire_run
from burnish.app.run_sessions import OtherModels
from burnish.core.errors import InputError
from burnish.core.records import UnitRow
from burnish.engine.client import FAILURES_IN_ALL
from burnish.engine.decisions import Deciding
from burnish.engine.session import neighbours_of
from burnish.engine.unit_loader import examiner_of
from burnish.kinds.lessons.kind import LessonsKind
from burnish.kinds.questions.kind import QuestionsKind
from burnish.kinds.questions.model import Question as BankQuestion
from burnish.models.calls import Call
from burnish.models.scripted import Fault, Rule
from burnish.store.inbox import Inbox, InboxEntry
from burnish.store.paths import RunFolder
from burnish.store.processes import iso, system_clock
from burnish.store.redaction import Redactor
from tests.engine.lessons_bench import JUDGES, LessonRun, one_lesson
from tests.engine.lessons_bench import scripted as world_model
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
    untidy,
    write_bank,
)
from tests.lessons_model import Question, World, lesson

PANELS = [("scripted:a",), ("scripted:a", "scripted:b"), ("scripted:a", "scripted:b", "scripted:c")]
UNREAD: dict[str, object] = {
    "refused": Fault(kind="refused", body="I cannot"),
    "rejected": Fault(status=400),
    "junk": "as a language model",
    "cut off": Fault(kind="truncated", body='{"reas'),
}
"""What a judge may say about one question, whatever it says about others."""


def decide(folder: RunFolder, unit: str, verdict: str = "accept") -> UnitRow:
    with acquire_run(folder, system_clock, Redactor()) as owned:
        kind = owned.kind
        deciding = Deciding(
            owned.journal, examiner_of(owned.plan, kind), neighbours_of(owned.plan, kind, owned.journal)
        )
        return deciding.decide(owned.row(unit), verdict, by="Ada", note="Look again.", text=None)  # type: ignore[arg-type]


def of(unit: str, answer: object, *names: str) -> Callable[[Call], object]:
    """The model of the bench, but for one unit."""
    replies = names or ("question_review_reply",)
    return lambda call: answer if call.unit == unit and call.reply_name in replies else mends(call)


@pytest.mark.parametrize("judges", PANELS)
@pytest.mark.parametrize("fate", UNREAD)
def test_a_question_that_no_judge_reads_waits_and_the_run_can_be_ended(
    tmp_path: Path, fate: str, judges: tuple[str, ...]
) -> None:
    bank = write_bank(tmp_path, [sound(0), sound(1), sound(2, correct_answer="Q")])
    folder, first = run(bank, tmp_path / "runs", scripted(of("q1", UNREAD[fate])), judges=judges)
    assert first.outcome.stopped == "needs_person"
    assert states(folder)["q1"] == ("needs_manual_review", "judges_silent")
    decide(folder, "q2")
    again = scripted(of("q1", UNREAD[fate]))
    assert resume(folder, again).outcome.stopped == "needs_person"
    assert again.asked == [], "the models are the same, so nothing is asked again"
    assert states(folder)["q1"][0] == "needs_manual_review"
    decide(folder, "q1")
    assert resume(folder, scripted()).outcome.stopped == "done"


@pytest.mark.parametrize("judges", PANELS)
@pytest.mark.parametrize("fate", UNREAD)
def test_the_first_question_says_nothing_about_the_others(tmp_path: Path, fate: str, judges: tuple[str, ...]) -> None:
    bank = write_bank(tmp_path, [sound(n) for n in range(4)])
    folder, first = run(bank, tmp_path / "runs", scripted(of("q0", UNREAD[fate])), judges=judges, workers=1)
    assert first.outcome.stopped == "needs_person"
    assert states(folder)["q0"] == ("needs_manual_review", "judges_silent")
    assert {states(folder)[f"q{n}"][0] for n in (1, 2, 3)} == {"validated"}


@pytest.mark.parametrize("judges", PANELS)
def test_a_model_that_refuses_the_first_questions_does_not_keep_the_last_from_their_end(
    tmp_path: Path, judges: tuple[str, ...]
) -> None:
    def choosy(call: Call) -> object:
        return mends(call) if call.unit == "q4" and not call.items else Fault(status=400)

    bank = write_bank(tmp_path, [sound(n) for n in range(5)])
    folder, result = run(bank, tmp_path / "runs", scripted(choosy), judges=judges)
    sessions = 1
    while result.outcome.stopped == "model_away":
        result, sessions = resume(folder, scripted(choosy)), sessions + 1
        # Judges that are asked at the same moment share the sessions in their own order.
        assert sessions <= FAILURES_IN_ALL + len(judges)
    assert result.outcome.stopped == "needs_person"
    assert states(folder)["q4"][0] == "validated"
    assert {states(folder)[f"q{n}"] for n in range(4)} == {("needs_manual_review", "judges_silent")}


@pytest.mark.parametrize("judges", PANELS)
@pytest.mark.parametrize("questions", [1, 2, 7])
def test_a_bank_that_no_judge_can_read_stands_before_a_person_in_the_end(
    tmp_path: Path, questions: int, judges: tuple[str, ...]
) -> None:
    mumbling = scripted(lambda call: "no JSON" if call.reply_name == "question_review_reply" else mends(call))
    bank = write_bank(tmp_path, [sound(n) for n in range(questions)])
    folder, first = run(bank, tmp_path / "runs", mumbling, judges=judges)
    assert first.outcome.stopped == "model_away", "a panel that cannot be read bothers nobody at first"
    assert set(states(folder).values()) == {("draft", None)}
    sessions = 1
    while resume(folder, mumbling).outcome.stopped == "model_away":
        sessions += 1
        assert sessions <= 2 * (1 + questions // 3), "three questions a session; each is asked once more with more room"
    assert set(states(folder).values()) == {("needs_manual_review", "judges_silent")}


def test_a_new_judge_tries_again_and_the_unit_waits_until_it_has_answered(tmp_path: Path) -> None:
    bank = write_bank(tmp_path, [sound(0), sound(1)])
    folder, _ = run(bank, tmp_path / "runs", scripted(of("q1", "junk")), judges=("scripted:a",))
    away = scripted(lambda call: Fault(status=503))
    others = OtherModels(judges=("scripted:b",))
    assert resume(folder, away, others).outcome.stopped == "model_away"
    assert {call.unit for call in away.asked} == {"q1"}
    assert states(folder)["q1"] == ("needs_manual_review", "judges_silent"), "a person can still decide"
    assert resume(folder, scripted()).outcome.stopped == "done"
    assert states(folder)["q1"][0] == "validated"
    with journal_of(folder) as journal:
        told = [e.type for e in journal.events(unit="q1", types=("reopened", "task_begun"))]
    assert told == ["task_begun", "reopened", "task_begun"], "reopened once, with the first answer"


def test_a_new_judge_that_cannot_read_it_either_is_not_asked_twice(tmp_path: Path) -> None:
    bank = write_bank(tmp_path, [sound(0), sound(1)])
    folder, _ = run(bank, tmp_path / "runs", scripted(of("q1", "junk")), judges=("scripted:a",))
    still = scripted(of("q1", "junk"))
    for _ in range(4):
        resume(folder, still, OtherModels(judges=("scripted:b",)))
    assert len({call.key for call in still.asked}) == len(still.asked) <= 7, "three times, and once more for all"
    assert states(folder)["q1"] == ("needs_manual_review", "judges_silent")
    decide(folder, "q1")
    assert resume(folder, scripted()).outcome.stopped == "done"


def test_the_same_judge_is_tried_again_if_a_person_names_it_again(tmp_path: Path) -> None:
    bank = write_bank(tmp_path, [sound(0), sound(1)])
    folder, _ = run(bank, tmp_path / "runs", scripted(of("q1", Fault(status=400))), judges=("scripted:a",))
    mended = scripted()
    assert resume(folder, mended).outcome.stopped == "needs_person" and not mended.asked
    assert resume(folder, mended, OtherModels(judges=("scripted:a",))).outcome.stopped == "done"


def test_a_decision_during_the_trial_of_a_new_judge_stands(tmp_path: Path) -> None:
    """A person decides while the new judge thinks: its answer comes too late."""
    bank = write_bank(tmp_path, [sound(n) for n in range(4)])

    def filtered(call: Call) -> object:
        is_read = call.unit == "q3" or call.reply_name != "question_review_reply"
        return mends(call) if is_read else Fault(kind="refused")

    folder, _ = run(bank, tmp_path / "runs", scripted(filtered), judges=("scripted:a",))

    def slow(call: Call) -> object:
        if call.unit == "q1":
            with journal_of(folder) as journal:
                row = journal.unit("q1")
            assert row is not None
            now = iso(system_clock())
            Inbox(folder).add([InboxEntry("mark", "q1", "drop", "Ada", "Not ours.", None, row.at, now, now)])
        return Rule(reply=mends(call), latency={"q0": 0.6, "q1": 1.0}.get(call.unit, 0.0))

    result = resume(folder, scripted(slow), OtherModels(judges=("scripted:b",)), workers=2)
    assert states(folder)["q1"] == ("dropped", "dropped by Ada")
    assert {states(folder)[f"q{n}"][0] for n in (0, 2, 3)} == {"validated"}
    assert result.outcome.stopped == "done"


@pytest.mark.parametrize("place", [0, 1, 2])
@pytest.mark.parametrize("status", [503, None])
def test_a_unit_at_which_the_model_always_fails_is_no_outage(tmp_path: Path, place: int, status: int | None) -> None:
    """A prompt that a server dies of, or never answers: the model answers all others."""
    bank = write_bank(tmp_path, [biased(n) for n in range(3)])
    unit = f"q{place}"
    dies = of(unit, Fault(status=status), "edit_reply")
    folder, result = run(bank, tmp_path / "runs", scripted(dies), workers=1)
    sessions = 1
    while result.outcome.stopped == "model_away":
        result, sessions = resume(folder, scripted(dies)), sessions + 1
        assert sessions < 9
    assert result.outcome.stopped == "needs_person"
    assert states(folder)[unit] == ("needs_manual_review", "model_failed")
    decide(folder, unit)
    assert resume(folder, scripted()).outcome.stopped == "done"


def test_an_outage_bothers_nobody_however_often_the_run_is_resumed_meanwhile(tmp_path: Path) -> None:
    bank = write_bank(tmp_path, [biased(n) for n in range(6)])
    down = scripted(lambda call: Fault(status=503))
    folder, _ = run(bank, tmp_path / "runs", down)
    for _ in range(4):
        assert resume(folder, down).outcome.stopped == "model_away"
    assert {state for state, _ in states(folder).values()} <= {"draft", "correcting"}
    assert resume(folder, scripted()).outcome.stopped == "done"


# -- lessons


def refusing(words: str) -> World:
    """Judges whose provider refuses every text with some words."""

    def override(question: Question) -> object:
        is_judge = question.reply in ("judge_reply", "lesson_judge_reply")
        return Fault(kind="refused") if is_judge and words in question.user else None

    return World(base=0.9, override=override)


def two_lessons(home: Path, judges: tuple[str, ...]) -> LessonRun:
    one, two = ({**lesson(), "lesson_id": name} for name in ("one", "two"))
    two["content"]["intro"] += " This is about explosives."
    return LessonRun(home, {"one.json": one, "two.json": two}, judges=judges)


@pytest.mark.parametrize("judges", [JUDGES[:2], JUDGES])
def test_a_lesson_that_a_filter_refuses_waits_and_the_folder_can_be_published(
    tmp_path: Path, judges: tuple[str, ...]
) -> None:
    folder = two_lessons(tmp_path, judges)
    assert folder.start(world_model(refusing("explosives"))).outcome.stopped == "needs_person"
    assert folder.waiting and all(unit.startswith("two.json/") for unit in folder.waiting)
    for _ in range(2):
        again = world_model(refusing("explosives"))
        assert folder.resume(again).outcome.stopped == "needs_person"
        assert again.asked == []
    for unit in folder.waiting:
        folder.decide(unit, "accept")
    assert folder.resume(world_model(World(base=0.9))).outcome.stopped == "done"


@pytest.mark.parametrize("judges", [JUDGES[:2], JUDGES])
def test_a_lesson_that_no_judge_answers_readably_stands_before_a_person_in_the_end(
    tmp_path: Path, judges: tuple[str, ...]
) -> None:
    mumbling = world_model(World(characters=dict.fromkeys(("judge-a", "judge-b", "judge-c"), "garbled")))
    made = one_lesson(tmp_path, lesson(), judges=judges)
    result, sessions = made.start(mumbling), 1
    while result.outcome.stopped == "model_away":
        result, sessions = made.resume(mumbling), sessions + 1
        assert sessions < 6
    assert made.waiting
    for unit in made.waiting:
        made.decide(unit, "accept")
    assert made.resume(mumbling).outcome.stopped == "done"


def test_a_lesson_that_waits_for_judges_stays_decidable_while_new_ones_are_away(tmp_path: Path) -> None:
    made = two_lessons(tmp_path, JUDGES[:2])
    made.start(world_model(refusing("explosives")))
    waiting = made.waiting
    made.judges = ("scripted:judge-c", "scripted:judge-d")
    down = world_model(World(characters=dict.fromkeys(("judge-c", "judge-d"), "down")))
    assert made.resume(down, others=OtherModels(judges=made.judges)).outcome.stopped == "model_away"
    assert made.waiting == waiting, "nothing has moved"
    assert made.resume(world_model(World(base=0.9))).outcome.stopped == "done"


def test_a_question_that_a_model_worked_on_can_be_dropped(tmp_path: Path) -> None:
    """Its line in corrections.jsonl says so: an export that cannot be written would end every session."""
    bank = write_bank(tmp_path, [biased(0), sound(1)])
    idle = scripted(lambda call: {"reasoning": "", "edits": []} if call.reply_name == "edit_reply" else mends(call))
    folder, _ = run(bank, tmp_path / "runs", idle)
    decide(folder, "q0", "drop")
    assert resume(folder, scripted()).outcome.stopped == "done"
    [line] = map(json.loads, (folder.root / "corrections.jsonl").read_text(encoding="utf-8").splitlines())
    assert line["decisions"][-1]["verdict"] == "drop"


# -- a settled run


@pytest.mark.parametrize("waits", [False, True])
def test_a_session_on_a_settled_run_reads_no_unit_and_changes_no_file(tmp_path: Path, waits: bool) -> None:
    bank = write_bank(tmp_path, [sound(0), untidy(1), biased(2), *([keyless(3)] if waits else [])])
    folder, first = run(bank, tmp_path / "runs", scripted())
    before = {path: path.read_bytes() for path in folder.root.rglob("*") if path.suffix in (".json", ".jsonl")}
    model = scripted()
    with counting(QuestionsKind, "examine", "read", "from_record", "to_record") as counted:
        again = resume(folder, model)
    assert (counted, model.asked) == ([], [])
    assert again == replace(first, outcome=again.outcome)
    assert again.outcome == first.outcome
    assert before == {path: path.read_bytes() for path in before}
    with journal_of(folder) as journal:
        last = journal.latest("run_stopped")
        resumed = journal.latest("run_resumed")
    assert last is not None and resumed is not None and last.seq > resumed.seq, "the run is not shown as running"


@contextmanager
def counting(owner: type, *names: str) -> Iterator[list[str]]:
    """The names of the functions that are called in the block, which work as always."""
    called: list[str] = []
    with ExitStack() as stack:
        for name in names:
            stack.enter_context(mock.patch.object(owner, name, _counted(getattr(owner, name), called)))
        yield called


def _counted(function: Any, called: list[str]) -> Any:
    def counted(*given: Any, **named: Any) -> Any:
        called.append(function.__name__)
        return function(*given, **named)

    return counted


def test_a_changed_source_is_noticed_although_nothing_is_left_to_do(tmp_path: Path) -> None:
    bank = write_bank(tmp_path, [sound(0)])
    folder, _ = run(bank, tmp_path / "runs", scripted())
    bank.write_bytes(bank.read_bytes() + b"\n")
    with pytest.raises(InputError, match="source has changed"):
        resume(folder, scripted())


@pytest.mark.parametrize("name", ["receipt.json", "out/bank.json", "candidate/bank.json"])
@pytest.mark.parametrize("is_gone", [False, True])
def test_what_somebody_changed_or_removed_is_written_again(tmp_path: Path, name: str, is_gone: bool) -> None:
    folder, _ = run(write_bank(tmp_path, [untidy(0), sound(1)]), tmp_path / "runs", scripted())
    path = folder.root / name
    before = path.read_bytes()
    path.unlink() if is_gone else path.write_text("{}", encoding="utf-8")
    assert resume(folder, scripted()).outcome.stopped == "done"
    assert path.read_bytes() == before


def test_a_session_on_a_folder_of_settled_lessons_examines_nothing(tmp_path: Path) -> None:
    folder = two_lessons(tmp_path, JUDGES[:2])
    folder.start(world_model(refusing("explosives")))
    with counting(LessonsKind, "examine", "from_record") as counted:
        assert folder.resume(world_model(World())).outcome.stopped == "needs_person"
    assert counted == []


def test_one_open_question_is_found_without_examining_the_others(tmp_path: Path) -> None:
    bank = write_bank(tmp_path, [*(sound(n) for n in range(5)), biased(5)])
    idle = scripted(lambda call: {"reasoning": "", "edits": []} if call.reply_name == "edit_reply" else mends(call))
    folder, _ = run(bank, tmp_path / "runs", idle)
    decide(folder, "q5", "reject")
    examined: list[str] = []
    real = QuestionsKind.examine

    def examine(kind: QuestionsKind, unit: BankQuestion, *given: Any, **named: Any) -> Any:
        examined.append(unit.id)
        return real(kind, unit, *given, **named)

    with mock.patch.object(QuestionsKind, "examine", examine):
        assert resume(folder, scripted()).outcome.stopped == "done"
    assert set(examined) == {"q5"}
