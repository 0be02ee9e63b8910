"""People's decisions: recorded with name and reason, judged by the rules, and reaching the next prompt."""

import json
from pathlib import Path
from typing import Any

import pytest

from burnish.app.kinds import kind_named
from burnish.app.run_sessions import OtherModels
from burnish.app.runs import View
from burnish.core.errors import InputError, UsageError
from burnish.engine.decisions import Deciding
from burnish.engine.plan import recorded_plan
from burnish.engine.unit_loader import Neighbours, examiner_of
from burnish.models.calls import Call
from burnish.store.paths import RunFolder
from burnish.store.processes import system_clock
from burnish.store.sqlite_journal import own_run
from tests.engine.questions_bench import (
    BIASED,
    CLEAN,
    biased,
    causes,
    edit,
    journal_of,
    keyless,
    mends,
    objection,
    questions_in,
    receipt,
    resume,
    run,
    scripted,
    sound,
    states,
    write_bank,
)


def json_lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def decide(folder: RunFolder, unit: str, decision: str, **given: str | None) -> str:
    """The unit's state after the decision."""
    with own_run(folder, system_clock) as owned:
        plan = recorded_plan(owned.journal)
        assert plan is not None
        kind = kind_named(plan.kind)
        story = View(folder, owned.journal, plan, kind).story(unit)
        deciding = Deciding(owned.journal, examiner_of(plan, kind), Neighbours(plan, kind, owned.journal))
        given = {"by": "Ada", "note": None, "text": None, **given}
        return deciding.decide(story.row, decision, **given).state  # type: ignore[arg-type]


@pytest.fixture
def waiting(tmp_path: Path) -> RunFolder:
    """q0 is accepted, q1 waits for want of a model."""
    folder, _ = run(write_bank(tmp_path, [sound(0), biased(1)]), tmp_path / "runs")
    return folder


def test_accept_publishes_the_unit_as_it_is(waiting: RunFolder) -> None:
    assert decide(waiting, "q1", "accept", note="It is on purpose.") == "validated"
    result = resume(waiting)
    assert questions_in(Path(result.published[0].path))["q1"] == biased(1)
    [entry] = receipt(waiting)["units"]
    [decision] = entry["decisions"]
    assert (decision["verdict"], decision["by"], decision["note"]) == ("accept", "Ada", "It is on purpose.")
    assert decision["reason_before"] == "no_model"
    assert entry["remaining"][0]["rule"] == "ext_bias_detection", "what the person let pass is not hidden"


def test_an_edit_that_keeps_the_rules_is_accepted(waiting: RunFolder) -> None:
    stem = sound(1)["stem"]
    assert decide(waiting, "q1", "edit", text=json.dumps({"stem": stem})) == "validated"
    assert causes(waiting, "q1") == ["source", "person"]
    result = resume(waiting)
    assert questions_in(Path(result.published[0].path))["q1"] == sound(1)


def test_an_edit_that_breaks_rules_keeps_waiting_and_the_text_is_kept(waiting: RunFolder) -> None:
    stem = biased(1)["stem"].replace("farmer", "gardener")
    assert decide(waiting, "q1", "edit", text=json.dumps({"stem": stem})) == "needs_manual_review"
    assert states(waiting)["q1"] == ("needs_manual_review", "edit_has_errors")
    result = resume(waiting, scripted())
    assert "gardener" in Path(result.candidates[0].path).read_text()
    assert decide(waiting, "q1", "accept") == "validated"
    result = resume(waiting)
    assert questions_in(Path(result.published[0].path))["q1"]["stem"] == stem


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("not JSON", "not JSON"),
        ('["a list"]', "must be a JSON object"),
        ('{"options": [{"key": 1}]}', "valid string"),
    ],
)
def test_an_edit_that_cannot_be_read_changes_nothing(waiting: RunFolder, text: str, message: str) -> None:
    with pytest.raises(InputError, match=message) as refusal:
        decide(waiting, "q1", "edit", text=text)
    assert refusal.value.hint
    assert causes(waiting, "q1") == ["source"]
    assert states(waiting)["q1"] == ("needs_manual_review", "no_model")


def test_an_edit_cannot_change_the_id(waiting: RunFolder) -> None:
    with pytest.raises(InputError, match="The id cannot be changed"):
        decide(waiting, "q1", "edit", text=json.dumps({"id": "other", "stem": sound(1)["stem"]}))
    assert set(states(waiting)) == {"q0", "q1"}
    assert decide(waiting, "q1", "edit", text=json.dumps(sound(1))) == "validated", "its own id may be given"


def test_a_decision_needs_what_it_is_about(waiting: RunFolder) -> None:
    with pytest.raises(UsageError, match="not waiting"):
        decide(waiting, "q0", "accept")
    with pytest.raises(UsageError, match="needs the new text"):
        decide(waiting, "q1", "edit")
    with pytest.raises(UsageError, match="takes no text"):
        decide(waiting, "q1", "accept", text="{}")
    with pytest.raises(UsageError, match="no unit 'q9'"):
        decide(waiting, "q9", "accept")


def test_a_rejection_grants_attempts_anew_and_its_note_reaches_the_prompt(tmp_path: Path) -> None:
    bank = write_bank(tmp_path, [biased(0)])
    no_edit = edit("q0", "no such words", "x")
    stubborn = scripted(lambda call: no_edit if call.reply_name == "edit_reply" else mends(call))
    folder, _ = run(bank, tmp_path / "runs", stubborn)
    assert [call.reply_name for call in stubborn.asked].count("edit_reply") == 2
    assert decide(folder, "q0", "reject", note="Drop the words about truth.") == "correcting"
    with journal_of(folder) as journal:
        assert journal.counts() == {"correcting": 1}
    model = scripted()
    result = resume(folder, model)
    assert result.outcome.stopped == "done"
    assert "Drop the words about truth." in model.asked[0].user
    assert "Attempt 1 of 2" in model.asked[0].user
    assert causes(folder, "q0") == ["source", "model", "model", "model"]


@pytest.mark.parametrize("note", [None, "", "  \n"])
def test_a_rejection_needs_a_note(waiting: RunFolder, note: str | None) -> None:
    before = states(waiting)
    with pytest.raises(UsageError, match="q1 is sent back with a note") as refused:
        decide(waiting, "q1", "reject", note=note)
    assert "--note" in str(refused.value.hint)
    assert states(waiting) == before


def test_a_rejection_with_the_same_note_asks_again_all_the_same(tmp_path: Path) -> None:
    def stubborn(call: Call) -> object:
        return edit(call.unit, "no such words", "x") if call.reply_name == "edit_reply" else mends(call)

    folder, _ = run(write_bank(tmp_path, [biased(0)]), tmp_path / "runs", scripted(stubborn))
    seen = set()
    for _ in range(3):
        decide(folder, "q0", "reject", note="Once more.")
        model = scripted(stubborn)
        resume(folder, model)
        assert len(model.asked) == 2
        seen |= {call.key for call in model.asked}
    assert len(seen) == 6, "no old answer is taken for a new one"
    assert states(folder) == {"q0": ("needs_manual_review", "circuit_breaker")}


def test_a_text_of_a_person_is_final_only_until_it_is_rejected(tmp_path: Path) -> None:
    """edit, then reject: the model mends the person's text, and what passes is accepted."""
    folder, _ = run(write_bank(tmp_path, [biased(0)]), tmp_path / "runs")
    stem = biased(0)["stem"].replace("woman", "gardener")
    assert decide(folder, "q0", "edit", text=json.dumps({"stem": stem})) == "needs_manual_review"
    assert decide(folder, "q0", "reject", note="Drop the negation.") == "correcting"
    model = scripted()
    result = resume(folder, model, OtherModels(corrector="scripted:m"))
    assert "gardener" in model.asked[0].user, "the model works on the person's text"
    assert states(folder) == {"q0": ("validated", "attempt_3")}
    assert questions_in(Path(result.published[0].path))["q0"]["stem"] == stem.replace(BIASED, "")
    [entry] = json_lines(folder.root / "corrections.jsonl")
    [attempt] = entry["result"]["attempts"]
    assert "gardener" in attempt["correction_diff"]


def test_a_text_that_a_person_writes_after_a_rejection_is_final_again(tmp_path: Path) -> None:
    folder, _ = run(write_bank(tmp_path, [biased(0)]), tmp_path / "runs")
    decide(folder, "q0", "edit", text=json.dumps({"stem": biased(0)["stem"].replace("woman", "gardener")}))
    decide(folder, "q0", "reject", note="Drop the negation.")
    resume(folder)
    mine = biased(0)["stem"].replace("woman", "sailor")
    assert decide(folder, "q0", "edit", text=json.dumps({"stem": mine})) == "needs_manual_review"
    decide(folder, "q0", "accept")
    assert questions_in(Path(resume(folder).published[0].path))["q0"]["stem"] == mine


JUDGES = ("scripted:one", "scripted:two")
NOTE = "Say that she has no cough."
NARROWER = "sore throat, fever and no cough"


def torn(call: Call) -> object:
    """One of two judges objects until the stem is narrower; the corrector narrows it when a note asks for it."""
    if call.reply_name == "edit_reply":
        return edit(call.unit, "sore throat and fever", NARROWER)
    if call.reply_name != "question_review_reply":
        return mends(call)
    return CLEAN if call.model.endswith("one") or NARROWER in call.user else objection("sore throat and fever")


def test_a_note_on_what_the_judges_disagree_about_reaches_the_corrector(tmp_path: Path) -> None:
    folder, _ = run(write_bank(tmp_path, [sound(0)]), tmp_path / "runs", scripted(torn), judges=JUDGES)
    assert states(folder) == {"q0": ("needs_manual_review", "judges_disagree")}
    assert decide(folder, "q0", "reject", note=NOTE) == "correcting"
    model = scripted(torn)
    result = resume(folder, model)
    asked = model.asked[0]
    assert asked.reply_name == "edit_reply"
    assert NOTE in asked.user and "sent_back" in asked.user
    opened = asked.user.partition("open fields: ")[2].partition("\n")[0]
    assert [field for field in ("stem", "options.A", "options.D") if field not in opened] == []
    assert "correct_answer" not in opened
    assert states(folder) == {"q0": ("validated", "attempt_2")}
    assert NARROWER in questions_in(Path(result.published[0].path))["q0"]["stem"]
    [entry] = receipt(folder)["units"]
    assert entry["attempts"][0]["receipt"]["rules"] == ["sent_back"]


def test_a_note_is_answered_once_then_the_person_is_asked_again(tmp_path: Path) -> None:
    def still_torn(call: Call) -> object:
        split = CLEAN if call.model.endswith("one") else objection("sore throat")
        return split if call.reply_name == "question_review_reply" else torn(call)

    folder, _ = run(write_bank(tmp_path, [sound(0)]), tmp_path / "runs", scripted(still_torn), judges=JUDGES)
    decide(folder, "q0", "reject", note=NOTE)
    result = resume(folder, scripted(still_torn))
    assert states(folder) == {"q0": ("needs_manual_review", "judges_disagree")}
    assert causes(folder, "q0") == ["source", "model"]
    assert NARROWER in Path(result.candidates[0].path).read_text(), "the draft that answers the note is what is shown"


def test_answers_to_a_note_that_cannot_be_used_are_tried_twice(tmp_path: Path) -> None:
    def useless(call: Call) -> object:
        return edit(call.unit, "no such words", "x") if call.reply_name == "edit_reply" else torn(call)

    folder, _ = run(write_bank(tmp_path, [sound(0)]), tmp_path / "runs", scripted(useless), judges=JUDGES)
    decide(folder, "q0", "reject", note=NOTE)
    model = scripted(useless)
    resume(folder, model)
    assert len(model.asked) == 2
    assert states(folder) == {"q0": ("needs_manual_review", "attempts_exhausted")}


def test_a_key_is_not_open_to_a_note(tmp_path: Path) -> None:
    def turns_the_key(call: Call) -> object:
        return edit(call.unit, "A", "B", "correct_answer") if call.reply_name == "edit_reply" else torn(call)

    folder, result = run(write_bank(tmp_path, [sound(0)]), tmp_path / "runs", scripted(turns_the_key), judges=JUDGES)
    decide(folder, "q0", "reject", note="The key is wrong.")
    result = resume(folder, scripted(turns_the_key))
    assert questions_in(Path(result.candidates[0].path))["q0"]["correct_answer"] == "A"


def test_an_edited_twin_is_not_held_against_its_neighbour_again(tmp_path: Path) -> None:
    folder, _ = run(write_bank(tmp_path, [sound(0), sound(0, "twin")]), tmp_path / "runs", scripted())
    other = biased(3)
    decide(folder, "twin", "edit", text=json.dumps({"stem": other["stem"], "options": other["options"]}))
    decide(folder, "twin", "reject", note="Drop the negation.")
    resume(folder, scripted())
    assert states(folder)["twin"] == ("validated", "attempt_3")


def test_a_rejected_unit_without_a_model_comes_back(waiting: RunFolder) -> None:
    decide(waiting, "q1", "reject", note="Try harder.")
    resume(waiting)
    assert states(waiting)["q1"] == ("needs_manual_review", "no_model")


def test_a_duplicate_cannot_be_sent_back(tmp_path: Path) -> None:
    folder, _ = run(write_bank(tmp_path, [sound(0), sound(0, "twin")]), tmp_path / "runs", scripted())
    with pytest.raises(UsageError, match=r"nearly the same as another one.*potential_duplicate") as refusal:
        decide(folder, "twin", "reject", note="Make it different.")
    assert "edit --text-file" in (refusal.value.hint or "")
    assert states(folder)["twin"] == ("needs_manual_review", "duplicate")
    with journal_of(folder) as journal:
        assert list(journal.events(types=("decision",))) == []
    assert decide(folder, "twin", "accept") == "validated"
    assert resume(folder).outcome.stopped == "done"


def test_what_no_model_may_mend_cannot_be_sent_back(tmp_path: Path) -> None:
    folder, _ = run(write_bank(tmp_path, [keyless(0)]), tmp_path / "runs", scripted())
    assert states(folder)["q0"] == ("needs_manual_review", "fatal_finding")
    with pytest.raises(UsageError, match="a person's to mend"):
        decide(folder, "q0", "reject", note="Find the key.")
    assert states(folder)["q0"] == ("needs_manual_review", "fatal_finding")


def test_nothing_is_left_of_the_negation(waiting: RunFolder) -> None:
    decide(waiting, "q1", "edit", text=json.dumps({"stem": sound(1)["stem"]}))
    assert BIASED not in Path(resume(waiting).published[0].path).read_text()


@pytest.mark.parametrize("out_format", [None, "csv"])
def test_what_a_person_drops_is_left_out_and_everything_else_is_published_as_it_stands(
    tmp_path: Path, out_format: str | None
) -> None:
    bank = write_bank(tmp_path, [sound(0), biased(1), keyless(2), sound(3)])
    folder, _ = run(bank, tmp_path / "runs", scripted(), order={"out_format": out_format})
    assert {id: state for id, (state, _) in states(folder).items()}["q2"] == "needs_manual_review"
    assert decide(folder, "q2", "drop", note="It has no key.") == "dropped"
    [proof] = resume(folder).published
    assert Path(proof.path).suffix == (".json" if out_format is None else f".{out_format}")
    if out_format is not None:
        text = Path(proof.path).read_text(encoding="utf-8")
        assert BIASED not in text and all(one in text for one in ("q0", "q1", "q3")) and "q2" not in text
        return
    published = questions_in(Path(proof.path))
    assert list(published) == ["q0", "q1", "q3"]
    assert published["q0"] == sound(0) and published["q3"] == sound(3)
    assert BIASED not in published["q1"]["stem"]


def test_a_question_that_a_model_worked_on_can_be_dropped_and_its_line_is_written(tmp_path: Path) -> None:
    bank = write_bank(tmp_path, [sound(0), biased(1)])

    def in_vain(call: Call) -> object:
        return edit(call.unit, "no such words", "x") if call.reply_name == "edit_reply" else mends(call)

    folder, _ = run(bank, tmp_path / "runs", scripted(in_vain))
    decide(folder, "q1", "drop", note="Out of date.")
    resume(folder, scripted(lambda call: CLEAN))
    [line] = json_lines(folder.root / "corrections.jsonl")
    assert [one["verdict"] for one in line["decisions"]] == ["drop"]
