"""Questions that are worked on together: one request for several, and nothing is lost, mixed up or paid twice."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from burnish.core.faultpoints import installed
from burnish.core.records import Usage
from burnish.models.calls import Call
from burnish.models.scripted import Fault, ScriptedModel
from burnish.store.paths import RunFolder
from tests.engine.questions_bench import (
    SOLVED,
    biased,
    causes,
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
from tests.engine.test_decisions import decide

JUDGES = ("scripted:one", "scripted:two")
REFUSED = Fault(status=400, kind="rejected")


class Killed(BaseException):
    """As if the process were killed."""


def entries(call: Call) -> list[dict[str, Any]]:
    """What a judge says that answers everything asked."""
    ids = [item.id for item in call.items] or [call.unit]
    said: dict[str, Any] = SOLVED if call.reply_name == "answer_reply" else {"violations": []}
    return [{**said, "id": id} for id in ids]


def whole(spoil: Any = None) -> ScriptedModel:
    """A model that gets requests about several questions as they are. `spoil` changes the entries of its replies."""

    def answer(call: Call) -> object:
        if call.reply_name not in ("answer_reply", "question_review_reply"):
            return mends(call)
        given = entries(call)
        return {"reasoning": "Fine.", "items": spoil(given) if spoil is not None and call.items else given}

    return ScriptedModel(answer, is_itemwise=False)


def items_of(model: ScriptedModel, reply: str = "question_review_reply") -> list[tuple[str, ...]]:
    """The questions of each request."""
    return [tuple(item.id for item in call.items) or (call.unit,) for call in model.asked if call.reply_name == reply]


def bill_is_whole(folder: RunFolder) -> bool:
    with journal_of(folder) as journal:
        charged = [attempt.usage for row in journal.units() for attempt in journal.attempts(row.id)]
        total = journal.totals().usage
    spent = sum(charged, Usage())
    return (spent.prompt_tokens, spent.completion_tokens) == (total.prompt_tokens, total.completion_tokens)


def test_up_to_ten_questions_are_one_request_to_each_judge(tmp_path: Path) -> None:
    model = whole()
    folder, result = run(write_bank(tmp_path, [sound(n) for n in range(12)]), tmp_path / "runs", model, judges=JUDGES)
    assert result.outcome.stopped == "done"
    first, rest = tuple(f"q{n}" for n in range(10)), ("q10", "q11")
    assert sorted(items_of(model)) == sorted([first, rest] * 2)
    assert set(items_of(model, "answer_reply")) == {first, rest}
    assert set(states(folder).values()) == {("validated", "attempt_1")}
    assert bill_is_whole(folder)


SPOILT = {
    "left out": (lambda given: given[:1] + given[2:], ["q1"]),
    "twice": (lambda given: [*given, given[1]], ["q1"]),
    "unknown": (lambda given: [*given[:1], {**given[1], "id": "q99"}, *given[2:]], ["q1"]),
    "unreadable": (lambda given: [*given[:1], {"id": "q1"}, *given[2:]], ["q1"]),
    "nobody named": (lambda given: [{**one, "id": ""} for one in given], ["q0", "q1", "q2"]),
    "none": (lambda given: [], ["q0", "q1", "q2"]),
}


@pytest.mark.parametrize(("spoil", "alone"), SPOILT.values(), ids=SPOILT)
def test_a_question_that_a_reply_does_not_answer_is_asked_about_alone(
    tmp_path: Path, spoil: Any, alone: list[str]
) -> None:
    model = whole(spoil)
    bank = write_bank(tmp_path, [sound(n) for n in range(3)])
    folder, result = run(bank, tmp_path / "runs", model, judges=JUDGES[:1])
    assert result.outcome.stopped == "done"
    for reply in ("question_review_reply", "answer_reply"):
        singly = [asked for asked in items_of(model, reply) if len(asked) == 1]
        assert {id for [id] in singly} >= set(alone) and (len(alone) == 3 or singly == [(id,) for id in alone])
    assert len({call.key for call in model.asked}) == len(model.asked), "no prompt is sent twice"
    assert bill_is_whole(folder)


def test_a_refusal_of_several_questions_belongs_to_one_of_them(tmp_path: Path) -> None:
    def answer(call: Call) -> object:
        return (
            Fault(status=400, kind="rejected") if "violin" in call.user else {"reasoning": "", "items": entries(call)}
        )

    model = ScriptedModel(answer, is_itemwise=False)
    bank = write_bank(tmp_path, [sound(n) for n in range(4)])
    folder, _ = run(bank, tmp_path / "runs", model, judges=("scripted:one",))
    found = states(folder)
    assert {found[f"q{n}"] for n in (0, 1, 3)} == {("validated", "attempt_1")}
    assert found["q2"][0] == "needs_manual_review"
    asked = len(model.asked)
    assert resume(folder, model).outcome.stopped == "needs_person"
    again = [call for call in model.asked[asked:] if call.items or call.unit != "q2"]
    assert again == [], "only the refused question is tried again"


def test_a_refusal_is_still_one_after_a_kill(tmp_path: Path) -> None:
    """The recorded silence of a refused request says that it was refused: so its questions are asked about alone."""

    def answer(call: Call) -> object:
        return REFUSED if call.items else {"reasoning": "", "items": entries(call)}

    bank = write_bank(tmp_path, [sound(0), sound(1)])
    model, seen = ScriptedModel(answer, is_itemwise=False), []

    def stop(point: str) -> None:
        seen.append(point)
        if point == "engine.task.answered" and seen.count(point) == 2:
            raise Killed

    with installed(stop), pytest.raises(Killed):
        run(bank, tmp_path / "runs", model, judges=("scripted:one",), workers=1)
    known = {call.key for call in model.asked}
    folder, again = RunFolder.at(tmp_path / "runs", "r1"), ScriptedModel(answer, is_itemwise=False)
    assert resume(folder, again).outcome.stopped == "done"
    assert not known & {call.key for call in again.asked}


@pytest.mark.parametrize("point", ["engine.task.ask", "engine.task.answered", "models.reply.recorded"])
@pytest.mark.parametrize("nth", [1, 2, 3, 5])
def test_a_killed_group_pays_nothing_twice_and_comes_to_the_same(tmp_path: Path, point: str, nth: int) -> None:
    """Some are settled at once, some are repaired first: a repeated group asks at the same moments as before."""
    questions = [sound(0), biased(1), keyless(2), biased(3), sound(4), biased(5)]
    bank = write_bank(tmp_path, questions)
    plain, _ = run(bank, tmp_path / "plain", whole(), judges=JUDGES)
    model, seen = whole(), []

    def stop(here: str) -> None:
        seen.append(here)
        if here == point and seen.count(here) == nth:
            raise Killed

    try:
        with installed(stop):
            run(bank, tmp_path / "runs", model, judges=JUDGES, workers=1)
    except Killed:
        pass
    else:
        pytest.skip("the run does not come so often to this point")
    folder, again = RunFolder.at(tmp_path / "runs", "r1"), whole()
    with journal_of(folder) as journal:
        recorded = {call.key for call in journal.calls()}
    resume(folder, again)
    assert not recorded & {call.key for call in again.asked}
    assert states(folder) == states(plain)
    assert [causes(folder, f"q{n}") for n in range(6)] == [causes(plain, f"q{n}") for n in range(6)]
    assert bill_is_whole(folder)


def test_an_outage_in_a_group_keeps_back_only_whom_it_meets(tmp_path: Path) -> None:
    bank = write_bank(tmp_path, [sound(0), biased(1), sound(2), keyless(3)])

    def no_repairs(call: Call) -> object:
        return Fault(status=500) if call.reply_name == "edit_reply" else mends(call)

    model = scripted(no_repairs)
    folder, first = run(bank, tmp_path / "runs", model, judges=JUDGES)
    assert first.outcome.stopped == "model_away"
    found = states(folder)
    assert (found["q0"], found["q2"]) == (("validated", "attempt_1"),) * 2
    assert found["q3"][0] == "needs_manual_review" and found["q1"][0] not in ("validated", "needs_manual_review")
    again = scripted()
    resume(folder, again)
    assert states(folder)["q1"] == ("validated", "attempt_2")
    assert all(not call.items and call.unit == "q1" for call in again.asked), "nothing is asked again about the others"
    assert bill_is_whole(folder)


def test_a_decision_about_a_settled_question_leaves_the_others_of_its_group_alone(tmp_path: Path) -> None:
    """It waits for a person while the group is interrupted; it begins a task of its own, and the group is repeated."""
    bank = write_bank(tmp_path, [sound(0), biased(1), biased(2)])

    def doubting(call: Call) -> object:
        if call.reply_name == "edit_reply":
            return Fault(status=500)
        return {**SOLVED, "choice": "B"} if (call.reply_name, call.unit) == ("answer_reply", "q0") else mends(call)

    model = scripted(doubting)
    folder, first = run(bank, tmp_path / "runs", model, judges=("scripted:one",))
    assert first.outcome.stopped == "model_away"
    assert states(folder)["q0"] == ("needs_manual_review", "key_doubtful")
    decide(folder, "q0", "accept")
    with journal_of(folder) as journal:
        recorded = {call.key for call in journal.calls() if call.status == "ok"}
    again = scripted()
    assert resume(folder, again).outcome.stopped == "done"
    assert not recorded & {call.key for call in again.asked}
    assert states(folder) == {
        "q0": ("validated", "accepted by Ada"),
        "q1": ("validated", "attempt_2"),
        "q2": ("validated", "attempt_2"),
    }


def test_the_start_of_a_group_is_recorded_with_each_of_its_questions(tmp_path: Path) -> None:
    folder, _ = run(write_bank(tmp_path, [sound(0), sound(1)]), tmp_path / "runs", whole(), judges=JUDGES)
    with journal_of(folder) as journal:
        starts = list(journal.events(types=("task_begun",)))
    assert [one.unit for one in starts] == ["q0", "q1"]
    assert all(one.data["units"] == ["q0", "q1"] and one.data["key"] == "q0:1" for one in starts)
