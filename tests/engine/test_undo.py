"""Taking decisions back: the unit stands where it stood, whatever had been decided, until a task began with it."""

import json
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from burnish.app.kinds import kind_named
from burnish.app.run_sessions import OtherModels
from burnish.app.runs import View
from burnish.core.attempts import KEPT, History, row_before
from burnish.core.errors import TooLate, UsageError
from burnish.core.records import EventRecord, SourceRecord, UnitRow, event
from burnish.engine.decisions import Deciding, has_task_begun, last_standing, undone
from burnish.engine.plan import recorded_plan
from burnish.engine.publish import PLACING
from burnish.engine.unit_loader import Neighbours, examiner_of
from burnish.models.calls import Call
from burnish.store.journal import Journal, MemoryJournal
from burnish.store.paths import RunFolder
from burnish.store.processes import system_clock
from burnish.store.sqlite_journal import open_journal, own_run
from tests.engine.lessons_bench import JUDGES, LessonRun
from tests.engine.lessons_bench import scripted as scripted_lesson
from tests.engine.questions_bench import (
    CLEAN,
    biased,
    causes,
    edit,
    journal_of,
    questions_in,
    receipt,
    resume,
    run,
    scripted,
    sound,
    states,
    write_bank,
)
from tests.engine.test_decisions import decide, json_lines
from tests.lessons_model import BOILS, VAGUE, World
from tests.lessons_model import lesson as lesson_with

GOOD = json.dumps({"stem": sound(1)["stem"]})
BAD = json.dumps({"stem": biased(1)["stem"].replace("farmer", "gardener")})
QUESTIONS: Any = kind_named("questions")


def bytes_of(folder: RunFolder) -> bytes:
    [path] = folder.out.iterdir()
    return path.read_bytes()


def idle(call: Call) -> object:
    """A model whose edits cannot be used."""
    return edit(call.unit, "no such words", "x") if call.reply_name == "edit_reply" else CLEAN


def take_back(folder: RunFolder, unit: str, by: str = "Bob") -> UnitRow:
    with own_run(folder, system_clock) as owned:
        row = owned.journal.unit(unit)
        assert row is not None
        owned.journal.write_now(*undone(QUESTIONS, owned.journal, row, by=by).records)
        after = owned.journal.unit(unit)
        assert after is not None
        return after


def say(folder: RunFolder, *said: tuple[str, str, str | None]) -> None:
    """Several decisions and undos in one go: unit, verdict, and the text or note."""
    with own_run(folder, system_clock) as owned:
        plan = recorded_plan(owned.journal)
        assert plan is not None
        deciding = Deciding(owned.journal, examiner_of(plan, QUESTIONS), Neighbours(plan, QUESTIONS, owned.journal))
        for unit, verdict, words in said:
            story = View(folder, owned.journal, plan, QUESTIONS).story(unit)
            if verdict == "undo":
                owned.journal.write_now(*undone(QUESTIONS, owned.journal, story.row, by="Bob").records)
            else:
                text, note = (words, None) if verdict == "edit" else (None, words)
                deciding.decide(story.row, verdict, by="Ada", note=note, text=text)  # type: ignore[arg-type]


HESITATION = [
    ("accept", None),
    ("undo", None),
    ("reject", "Perhaps not."),
    ("undo", None),
    ("edit", BAD),
    ("undo", None),
]


def hesitate(folder: RunFolder, unit: str) -> None:
    say(folder, *((unit, verdict, words) for verdict, words in HESITATION))


def row_of(folder: RunFolder, unit: str = "q1") -> UnitRow:
    with journal_of(folder) as journal:
        row = journal.unit(unit)
        assert row is not None
        return replace(row, at="")


@pytest.fixture
def waiting(tmp_path: Path) -> RunFolder:
    """q0 is accepted, q1 waits for want of a model."""
    folder, _ = run(write_bank(tmp_path, [sound(0), biased(1)]), tmp_path / "runs")
    return folder


@pytest.mark.parametrize(
    ("decision", "given_"),
    [
        ("accept", {}),
        ("edit", {"text": GOOD}),
        ("edit", {"text": BAD}),
        ("reject", {"note": "Drop the negation."}),
    ],
)
def test_the_row_is_what_it_was(waiting: RunFolder, decision: str, given_: dict[str, str]) -> None:
    before = row_of(waiting)
    decide(waiting, "q1", decision, **given_)
    after = replace(take_back(waiting, "q1"), at="")
    assert after == replace(before, attempts=2 if decision == "edit" else 1)
    with journal_of(waiting) as journal:
        [made, back] = journal.events(unit="q1", types=("decision",))
        assert back.data["undoes"] == made.seq
        assert (back.data["verdict"], back.data["by"]) == ("undo", "Bob")
        assert back.data["row"] == {name: getattr(before, name) for name in KEPT}


def test_every_decision_can_be_taken_back_one_after_the_other(waiting: RunFolder) -> None:
    rows = [row_of(waiting)]
    for decision, text in (("edit", BAD), ("edit", BAD.replace("gardener", "sailor")), ("accept", None)):
        decide(waiting, "q1", decision, text=text)
        rows.append(row_of(waiting))
    for before in reversed(rows[:-1]):
        assert replace(take_back(waiting, "q1"), at="") == replace(before, attempts=3)
    with pytest.raises(UsageError, match="Nobody has decided about q1"):
        take_back(waiting, "q1")


def test_nothing_can_be_taken_back_where_nobody_decided(waiting: RunFolder) -> None:
    with pytest.raises(UsageError, match="Nobody has decided about q0"):
        take_back(waiting, "q0")


def test_it_is_too_late_once_it_is_published(waiting: RunFolder) -> None:
    decide(waiting, "q1", "accept")
    assert resume(waiting).published
    with pytest.raises(TooLate, match="the run has worked with it since") as late:
        take_back(waiting, "q1")
    assert late.value.code == "too_late" and late.value.hint
    assert states(waiting)["q1"] == ("validated", "accepted by Ada")


def test_a_run_that_went_on_without_it_leaves_it_to_be_taken_back(tmp_path: Path) -> None:
    """Others were worked on, the run was resumed and stopped: no task began with this one."""
    folder, _ = run(write_bank(tmp_path, [biased(1), biased(2), biased(3)]), tmp_path / "runs", scripted(idle))
    before = row_of(folder, "q1")
    decide(folder, "q1", "accept")
    decide(folder, "q2", "reject", note="Drop the negation.")
    assert resume(folder, scripted()).outcome.stopped == "needs_person"
    assert replace(take_back(folder, "q1"), at="") == before
    with pytest.raises(TooLate):
        take_back(folder, "q2")


def test_a_task_that_began_and_was_killed_makes_it_too_late(tmp_path: Path) -> None:
    """Nothing of the task is recorded but that it began: its model may have been asked."""
    folder, _ = run(write_bank(tmp_path, [biased(1)]), tmp_path / "runs", scripted(idle))
    decide(folder, "q1", "reject", note="Drop the negation.")

    def killed(call: Call) -> object:
        raise Stop

    with pytest.raises(Stop):
        resume(folder, scripted(killed))
    with pytest.raises(TooLate):
        take_back(folder, "q1")


UNIT = UnitRow("u", "d", 0, "h", QUESTIONS.states.ready, "accepted by Ada", attempts=1, best_attempt=1)


def decided() -> tuple[Journal, EventRecord]:
    journal = MemoryJournal()
    journal.write_now(event("round_started", data={"document": "d"}), event("published"))
    journal.write_now(event("decision", "u", data={"verdict": "accept", "by": "Ada", "after": row_before(UNIT)}))
    [decision] = journal.events(types=("decision",))
    return journal, decision


@pytest.mark.parametrize(
    ("with_it", "without_it"),
    [
        (event("task_begun", "u"), event("task_begun", "v")),
        (event("reopened", "u"), event("reopened", "v")),
        (
            event("round_started", data={"document": "d", "round": 2}),
            event("round_started", data={"document": "e", "round": 1}),
        ),
        (
            event("batch_formed", data={"units": ["t", "u"], "number": 2}),
            event("batch_formed", data={"units": ["v"], "number": 1}),
        ),
        (event("published"), event("run_resumed")),
        (event("delivered"), event("run_stopped")),
    ],
)
def test_a_task_that_began_with_it_makes_it_too_late(with_it: EventRecord, without_it: EventRecord) -> None:
    journal, decision = decided()
    journal.write_now(without_it)
    assert not has_task_begun(journal, UNIT, decision), "neither what was before nor what others do matters"
    journal.write_now(with_it)
    assert has_task_begun(journal, UNIT, decision)


def test_what_moved_or_is_being_put_in_its_place_is_too_late() -> None:
    journal, decision = decided()
    assert has_task_begun(journal, replace(UNIT, state=QUESTIONS.states.waiting, reason="duplicate"), decision)
    journal.set_meta(PLACING, "{}")
    assert has_task_begun(journal, UNIT, decision)


def test_a_withdrawn_text_is_no_draft_for_the_model(tmp_path: Path) -> None:
    folder, _ = run(write_bank(tmp_path, [biased(0)]), tmp_path / "runs")
    decide(folder, "q0", "edit", text=json.dumps({"stem": biased(0)["stem"].replace("woman", "gardener")}))
    take_back(folder, "q0")
    model = scripted()
    result = resume(folder, model, OtherModels(corrector="scripted:m"))
    assert not any("gardener" in call.user for call in model.asked)
    assert causes(folder, "q0") == ["source", "person", "model"]
    assert states(folder)["q0"] == ("validated", "attempt_3")
    assert "gardener" not in Path(result.published[0].path).read_text()


def test_a_rejection_that_was_taken_back_grants_nothing_and_says_nothing(tmp_path: Path) -> None:
    """The unit had its two tries: who sends it back grants two more, who takes that back grants none."""
    folder, _ = run(write_bank(tmp_path, [biased(0)]), tmp_path / "runs", scripted(idle))
    decide(folder, "q0", "reject", note="First note.")
    take_back(folder, "q0")
    model = scripted()
    resume(folder, model)
    assert model.asked == []
    decide(folder, "q0", "reject", note="Second note.")
    model = scripted()
    resume(folder, model)
    assert "Second note." in model.asked[0].user
    assert "First note." not in model.asked[0].user and "Sent back" not in model.asked[0].user
    assert states(folder)["q0"][0] == "validated"


def test_receipts_and_exports_tell_of_it_and_do_not_count_it(tmp_path: Path) -> None:
    folder, _ = run(write_bank(tmp_path, [biased(1, "q1")]), tmp_path / "runs", scripted(idle))
    decide(folder, "q1", "edit", text=GOOD, note="So.")
    take_back(folder, "q1")
    decide(folder, "q1", "accept")
    result = resume(folder)
    assert questions_in(Path(result.published[0].path))["q1"]["stem"] == biased(1)["stem"]
    [entry] = receipt(folder)["units"]
    gone, standing = entry["decisions"]
    assert (gone["verdict"], gone["undone_by"], gone["note"]) == ("edit", "Bob", "So.")
    assert standing["verdict"] == "accept" and "undone_by" not in standing
    assert "before" not in gone and "mark" not in gone
    [text] = [attempt for attempt in entry["attempts"] if attempt["cause"] == "person"]
    assert text["withdrawn"] and not text["passed"]
    assert entry["diff"] == ""
    [row] = json_lines(folder.root / "corrections.jsonl")
    assert [each.get("undone_by") for each in row["decisions"]] == ["Bob", None]
    assert row["result"]["final_draft"]["stem"] == biased(1)["stem"]


def test_published_bytes_are_those_of_a_run_in_which_nothing_was_taken_back(tmp_path: Path) -> None:
    bank = write_bank(tmp_path, [sound(0), biased(1), biased(2)])
    hesitant, _ = run(bank, tmp_path / "runs", id="hesitant")
    certain, _ = run(bank, tmp_path / "runs", id="certain")
    hesitate(hesitant, "q1")
    for folder in (hesitant, certain):
        say(folder, ("q1", "reject", "Drop the negation."), ("q2", "accept", None))
        assert resume(folder, scripted(), OtherModels(corrector="scripted:m")).outcome.stopped == "done"
    assert bytes_of(hesitant) == bytes_of(certain)


def test_a_lesson_comes_to_the_same(tmp_path: Path) -> None:
    """Its rounds are repeated, and between them what people decided and took back."""
    hesitant, certain = (LessonRun(tmp_path, {"water.json": broken_lesson()}, id, judges=JUDGES) for id in ("h", "c"))
    for lesson in (hesitant, certain):
        lesson.start(scripted_lesson(lesson_world()))
        unit = lesson.waiting[0]
        if lesson is hesitant:
            _hesitate_about_lesson(lesson, unit)
        lesson.decide(unit, "reject", note="Say what happens.")
        model = scripted_lesson(lesson_world())
        lesson.resume(model)
        assert not any("Water rises." in call.user or "Perhaps not." in call.user for call in model.asked)
        for left in lesson.waiting:
            lesson.decide(left, "accept")
        assert lesson.resume(model).outcome.stopped in ("done", "best_effort")
    assert hesitant.published() == certain.published()


def _hesitate_about_lesson(lesson: LessonRun, unit: str) -> None:
    before = lesson.rows[unit]
    said = (("accept", {}), ("edit", {"text": "Water rises.\n"}), ("reject", {"note": "Perhaps not."}))
    for verdict, given_ in said:
        lesson.decide(unit, verdict, **given_)  # type: ignore[arg-type]
        with own_run(lesson.folder, system_clock) as owned:
            row = owned.journal.unit(unit)
            assert row is not None
            owned.journal.write_now(*undone(kind_named("lessons"), owned.journal, row, by="Bob").records)
        assert replace(lesson.rows[unit], at=before.at, attempts=before.attempts) == before


class Stop(Exception):
    """As if the process were killed."""


def lesson_world() -> World:
    """No repair succeeds, and judges are not content with it as it is."""
    return World(base=0.8, characters={"patcher": "disobedient"})


def broken_lesson() -> dict[str, Any]:
    return lesson_with(BOILS, VAGUE)


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> RunFolder:
    place = tmp_path_factory.mktemp("bench")
    folder, _ = run(write_bank(place, [biased(1, "q1")]), place / "runs", scripted(idle))
    return folder


@given(steps=st.lists(st.sampled_from(["accept", "good", "bad", "reject", "undo", "undo"]), max_size=14))
def test_random_decisions_and_undos_keep_to_a_model(bench: RunFolder, steps: list[str]) -> None:
    """The model is a stack of rows: a decision puts one on it, an undo takes it off."""
    with closing(open_journal(bench.journal, clock=system_clock, read_only=True)) as recorded:
        plan, row, attempts = recorded_plan(recorded), recorded.unit("q1"), recorded.attempts("q1")
        source = recorded.source("q1")
    assert plan is not None and row is not None and source is not None
    journal = MemoryJournal()
    journal.write_now(SourceRecord("q1", source), *attempts, row)
    deciding = Deciding(journal, examiner_of(plan, QUESTIONS), None)
    stack: list[UnitRow] = []
    for step in steps:
        now = journal.unit("q1")
        assert now is not None
        try:
            if step == "undo":
                journal.write_now(*undone(QUESTIONS, journal, now, by="Bob").records)
                expected = replace(stack.pop(), attempts=now.attempts)
                assert _plain(journal) == expected
            else:
                verdict = {"good": "edit", "bad": "edit"}.get(step, step)
                text = {"good": GOOD, "bad": BAD}.get(step)
                deciding.decide(now, verdict, by="Ada", note="Why.", text=text)  # type: ignore[arg-type]
                stack.append(replace(now, at=""))
        except UsageError:
            assert _plain(journal) == replace(now, at=""), "what is refused changes nothing"
            assert step != "undo" or not stack
        _check(journal, stack)


def _plain(journal: Journal) -> UnitRow:
    row = journal.unit("q1")
    assert row is not None
    return replace(row, at="")


def _check(journal: Journal, stack: list[UnitRow]) -> None:
    row = _plain(journal)
    history = History.of(journal.attempts("q1"), journal.events(unit="q1", types=("decision",)))
    assert row.attempts == len(history.attempts)
    assert row.best_attempt not in history.withdrawn
    assert history.best is not None and history.best.number == row.best_attempt
    if stack:
        assert last_standing(journal, row)
