"""Runs over whole documents: what rests where, what a person starts again, and what a journal gives back."""

import json
from pathlib import Path

from tests.engine.lessons_bench import JUDGES, LessonRun, one_lesson, scripted
from tests.lessons_model import BOILS, EVAPORATION, SOUND, VAGUE, Question, World, edits, lesson

MENDED = EVAPORATION.format(**SOUND)


def test_a_lesson_is_mended_published_and_nothing_else_is_touched(tmp_path: Path) -> None:
    run = one_lesson(tmp_path, lesson(BOILS))
    result = run.start(scripted(World(base=0.9)))
    assert result.outcome.stopped == "done"
    before = run.path.read_bytes()
    assert run.published() == before.replace(BOILS.bad.encode(), BOILS.good.encode())
    assert {row.state for row in run.rows.values()} == {"accepted"}
    assert run.rounds == ["accepted"]
    assert [event.type for event in run.watcher.events][-1] == "round_ended"


def test_best_effort_is_published_and_named(tmp_path: Path) -> None:
    run = one_lesson(tmp_path, lesson(BOILS), mode="full-auto")
    result = run.start(scripted(World(base=0.74)))
    assert result.outcome.stopped == "best_effort"
    assert run.section("evaporation") == MENDED
    receipt = json.loads(run.folder.receipt.read_text())
    assert receipt["stopped"] == "best_effort"


def test_what_has_to_be_written_again_is_named_and_not_published(tmp_path: Path) -> None:
    run = one_lesson(tmp_path, lesson())
    result = run.start(scripted(World(characters=dict.fromkeys(("judge-a", "judge-b"), "harsh"))))
    assert result.outcome.stopped == "regenerate"
    assert not result.published
    assert len(run.waiting) == 6


def test_the_report_says_how_a_lesson_ended(tmp_path: Path) -> None:
    run = one_lesson(tmp_path, lesson(BOILS))
    run.start(scripted(World(base=0.9)))
    [document] = json.loads((run.folder.root / "report.json").read_text())["documents"]
    assert document["status"] == "accepted"
    assert document["refinement"]["stopReason"] == "stop_score_threshold_met"
    assert document["clevResult"]["votingMethod"] == "unanimous"


# -- people


def escalated(home: Path, world: World) -> tuple[LessonRun, World]:
    run = one_lesson(home, lesson(BOILS, VAGUE))
    run.start(scripted(world))
    assert run.rounds == ["escalated"]
    assert run.waiting == ["evaporation", "condensation"]
    return run, world


def stubborn() -> World:
    """Mends nothing unless a person has said so."""

    def heeds(question: Question) -> object:
        told = question.parts.get("issues", "")
        if question.reply == "edit_reply" and "sent this back" not in told:
            return edits(question.passages[0][0], ("no such words", "x"))
        if question.reply == "edit_reply":
            return edits(question.unit, (BOILS.bad, BOILS.good))
        if question.reply == "delta_reply" and "sent this back" in told:
            passed = BOILS.good in question.parts["after"]
            return {"reasoning": "Looked.", "passed": passed, "confidence": "high", "newIssues": []}
        return None

    return World(base=0.85, override=heeds)


def test_accept_and_edit_settle_a_lesson_without_another_call(tmp_path: Path) -> None:
    run, world = escalated(tmp_path, stubborn())
    assert run.decide("evaporation", "accept").state == "accepted"
    text = lesson()["content"]["sections"][1]["content"]
    assert run.decide("condensation", "edit", text=text).state == "accepted"
    model = scripted(world)
    assert run.resume(model).outcome.stopped == "done"
    assert model.asked == []
    assert BOILS.bad in run.section("evaporation")
    assert run.section("condensation") == text
    assert run.rounds == ["escalated"]


def test_reject_begins_a_round_with_the_note_and_leaves_settled_units_alone(tmp_path: Path) -> None:
    run, world = escalated(tmp_path, stubborn())
    run.decide("condensation", "accept")
    run.decide("evaporation", "reject", note="Water does not boil at sea.")
    model = scripted(world)
    run.resume(model)
    [_, begun] = run.events("round_started")
    assert begun["notes"] == {"evaporation": "Water does not boil at sea."}
    assert begun["settled"] == ["condensation"]
    patches = [call for call in model.asked if call.role == "patcher"]
    assert any("Water does not boil at sea." in call.user for call in patches)
    judged = [call.unit for call in model.asked if call.role == "judge"]
    assert set(judged) == {"lesson"} and len(judged) <= 8, "the whole, and the one window, of what has changed"
    rows = run.rows
    with run.journal() as journal:
        assert len(journal.attempts("condensation")) == rows["condensation"].attempts
        stands = journal.attempts("evaporation")[rows["evaporation"].best_attempt - 1]
    assert BOILS.good in json.dumps(stands.content)


def test_a_unit_that_was_only_sent_back_is_not_settled_in_the_round_after_next(tmp_path: Path) -> None:
    run, world = escalated(tmp_path, stubborn())
    run.decide("evaporation", "reject", note="Mend it.")
    run.resume(scripted(world))
    assert run.rounds[-1] == "escalated"
    assert run.rows["evaporation"].state == "accepted"
    run.decide("condensation", "reject", note="Mend this, too.")
    run.resume(scripted(world))
    assert run.events("round_started")[-1]["settled"] == []


# -- outages


def down(*names: str, base: float = 0.9) -> World:
    return World(base=base, characters=dict.fromkeys(names, "down"))


def test_when_all_judges_are_down_resume_tries_again(tmp_path: Path) -> None:
    run = one_lesson(tmp_path, lesson(BOILS), judges=JUDGES)
    result = run.start(scripted(down("judge-a", "judge-b", "judge-c")))
    assert result.outcome.stopped == "model_away"
    assert (run.rounds, run.waiting) == ([], [])
    assert run.resume(scripted(World(base=0.9))).outcome.stopped == "done"
    assert run.rounds == ["accepted"]
    assert run.section("evaporation") == MENDED


def test_an_outage_that_lasts_costs_no_more_than_it_must(tmp_path: Path) -> None:
    run = one_lesson(tmp_path, lesson(), judges=JUDGES)
    model = scripted(down("judge-a", "judge-b", "judge-c"))
    run.start(model, workers=1)
    assert len(model.asked) <= 3 * 3 * 2, "three calls of two tries for each judge, then it counts as away"
    assert run.resume(model).outcome.stopped == "model_away"
    assert run.rounds == []


def test_a_third_judge_takes_the_role_of_one_that_is_away(tmp_path: Path) -> None:
    run = one_lesson(tmp_path, lesson(), judges=JUDGES)
    assert run.start(scripted(down("judge-b"))).outcome.stopped == "done"
    [asked] = run.events("third_judge_asked")
    assert asked["judge"].endswith("judge-c")
    assert all(silence["away"] for silence in run.events("unanswered"))


def test_judges_that_come_back_are_heard_in_a_round_of_their_own(tmp_path: Path) -> None:
    """Without the first judge the others do not suffice: what they said is not mixed with what it says later."""
    run = one_lesson(tmp_path, lesson(), judges=JUDGES)

    def mumbles(question: Question) -> object:
        return "no JSON" if question.model == "judge-b" and question.reply == "judge_reply" else None

    world = World(base=0.9, characters={"judge-a": "down"}, override=mumbles)
    assert run.start(scripted(world)).outcome.stopped == "model_away"
    assert run.resume(scripted(World(base=0.9, override=mumbles))).outcome.stopped == "done"
    assert run.rounds == ["given_up", "accepted"]


def test_one_judge_alone_decides_nothing_while_the_other_is_away(tmp_path: Path) -> None:
    run = one_lesson(tmp_path, lesson())
    assert run.start(scripted(down("judge-b"))).outcome.stopped == "model_away"
    assert run.events("unanswered") == [], "nothing of the silence is written"
    assert run.resume(scripted(World(base=0.9))).outcome.stopped == "done"


def test_a_failing_call_ends_the_run_only_after_the_others_are_recorded(tmp_path: Path) -> None:
    run = one_lesson(tmp_path, lesson())
    result = run.start(scripted(World()), max_tokens=4_000, workers=2)
    assert result.outcome.stopped == "limit"
    with run.journal() as journal:
        recorded = {call.key for call in journal.calls()}
    assert recorded
    again = scripted(World())
    assert run.resume(again, max_tokens=200_000).outcome.stopped == "done"
    assert not recorded & {call.key for call in again.asked}


def test_the_time_limit_begins_nothing_new(tmp_path: Path) -> None:
    run = one_lesson(tmp_path, lesson())
    model = scripted(World())
    assert run.start(model, max_seconds=0.0).outcome.stopped == "limit"
    assert model.asked == []
    assert run.resume(model, max_seconds=600).outcome.stopped == "done"


# -- several documents


def test_a_folder_of_lessons_each_rests_on_its_own(tmp_path: Path) -> None:
    lessons = {name: {**lesson(*defects), "lesson_id": name} for name, defects in (("one", (BOILS,)), ("two", ()))}
    broken = lesson()
    broken["content"]["sections"] = [{"id": "s", "title": "S", "content": "[Insert text here]"}]
    broken["content"]["intro"] = "TODO"
    broken["content"]["conclusion"] = "Lorem ipsum"
    run = LessonRun(tmp_path, {"one.json": lessons["one"], "two.json": lessons["two"], "zero.json": broken})
    result = run.start(scripted(World(base=0.9)), workers=2)
    assert result.outcome.stopped == "regenerate"
    ended = {data["document"]: data["status"] for data in run.events("round_ended")}
    assert ended == {"one.json": "accepted", "two.json": "accepted", "zero.json": "regenerate"}
    assert all(unit.startswith("zero.json/") for unit in run.waiting)
    for unit in run.waiting:
        run.decide(unit, "accept")
    done = run.resume(scripted(World(base=0.9)))
    assert done.outcome.stopped == "done", "a person took it as it is"
    assert json.loads(run.published("one.json"))["content"]["sections"][0]["content"] == MENDED
