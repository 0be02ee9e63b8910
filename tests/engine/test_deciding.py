"""People's decisions: recorded with name and reason, judged by the rules, and reaching the next prompt."""

import json
from pathlib import Path

import pytest

from burnish.core.errors import InputError, UsageError
from burnish.engine.deciding import Deciding
from burnish.engine.session import recorded_plan, reviewer_of
from burnish.llm.calls import Call
from burnish.store.clock import system_clock
from burnish.store.ownership import own_run
from burnish.store.paths import RunFolder
from burnish.surfaces.polishing import polished_kind
from burnish.surfaces.runs import View
from tests.engine.questions_bench import (
    NOT_TRUE,
    causes,
    edit,
    journal_of,
    mends,
    negative,
    questions_in,
    receipt,
    resume,
    run,
    scripted,
    sound,
    states,
    write_bank,
)


def decide(folder: RunFolder, unit: str, decision: str, **given: str | None) -> str:
    """The unit's state after the decision."""
    with own_run(folder, system_clock) as owned:
        plan = recorded_plan(owned.journal)
        assert plan is not None
        story = View(folder, owned.journal, plan, polished_kind(plan.kind)).story(unit)
        deciding = Deciding(owned.journal, reviewer_of(plan, polished_kind(plan.kind)))
        given = {"by": "Ada", "note": None, "text": None, **given}
        return deciding.decide(story.row, story.source, decision, **given).state  # type: ignore[arg-type]


@pytest.fixture
def waiting(tmp_path: Path) -> RunFolder:
    """q0 is accepted, q1 waits for want of a model."""
    folder, _ = run(write_bank(tmp_path, [sound(0), negative(1)]), tmp_path / "runs")
    return folder


def test_accept_publishes_the_unit_as_it_is(waiting: RunFolder) -> None:
    assert decide(waiting, "q1", "accept", note="It is on purpose.") == "validated"
    result = resume(waiting)
    assert questions_in(Path(result.published[0].path))["q1"] == negative(1)
    [entry] = receipt(waiting)["units"]
    [decision] = entry["decisions"]
    assert (decision["verdict"], decision["by"], decision["note"]) == ("accept", "Ada", "It is on purpose.")
    assert decision["reason_before"] == "no_model"
    assert entry["remaining"][0]["rule"] == "nbme_negation_detection", "what the person let pass is not hidden"


def test_an_edit_that_keeps_the_rules_is_accepted(waiting: RunFolder) -> None:
    stem = sound(1)["stem"]
    assert decide(waiting, "q1", "edit", text=json.dumps({"stem": stem})) == "validated"
    assert causes(waiting, "q1") == ["source", "person"]
    result = resume(waiting)
    assert questions_in(Path(result.published[0].path))["q1"] == sound(1)


def test_an_edit_that_breaks_rules_keeps_waiting_and_the_text_is_kept(waiting: RunFolder) -> None:
    stem = negative(1)["stem"].replace("farmer", "gardener")
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
    bank = write_bank(tmp_path, [negative(0)])
    stubborn = scripted(lambda call: edit(call.unit, "no such words", "x"))
    folder, _ = run(bank, tmp_path / "runs", stubborn)
    assert len(stubborn.asked) == 2
    assert decide(folder, "q0", "reject", note="Drop the words about truth.") == "correcting"
    with journal_of(folder) as journal:
        assert journal.counts() == {"correcting": 1}
    model = scripted()
    result = resume(folder, model)
    assert result.outcome.stopped == "done"
    assert "Drop the words about truth." in model.asked[0].user
    assert "attempt 1 of 2" in model.asked[0].user
    assert causes(folder, "q0") == ["source", "model", "model", "model"]


def test_a_rejection_without_a_note_asks_again_all_the_same(tmp_path: Path) -> None:
    def stubborn(call: Call) -> object:
        return edit(call.unit, "no such words", "x")

    folder, _ = run(write_bank(tmp_path, [negative(0)]), tmp_path / "runs", scripted(stubborn))
    seen = set()
    for _ in range(3):
        decide(folder, "q0", "reject")
        model = scripted(stubborn)
        resume(folder, model)
        assert len(model.asked) == 2
        seen |= {call.key for call in model.asked}
    assert len(seen) == 6, "no old answer is taken for a new one"
    assert states(folder) == {"q0": ("needs_manual_review", "circuit_breaker")}


def test_a_rejected_unit_without_a_model_comes_back(waiting: RunFolder) -> None:
    decide(waiting, "q1", "reject", note="Try harder.")
    resume(waiting)
    assert states(waiting)["q1"] == ("needs_manual_review", "no_model")


def test_a_rejected_duplicate_comes_back_unchanged(tmp_path: Path) -> None:
    folder, _ = run(write_bank(tmp_path, [sound(0), sound(0, "twin")]), tmp_path / "runs", scripted())
    decide(folder, "twin", "reject", note="Make it different.")
    model = scripted(mends)
    resume(folder, model)
    assert states(folder)["twin"] == ("needs_manual_review", "duplicate")
    assert model.asked == []
    assert decide(folder, "twin", "accept") == "validated"
    assert resume(folder).outcome.stopped == "done"


def test_nothing_is_left_of_the_negation(waiting: RunFolder) -> None:
    decide(waiting, "q1", "edit", text=json.dumps({"stem": sound(1)["stem"]}))
    assert NOT_TRUE not in Path(resume(waiting).published[0].path).read_text()
