"""Models that fail, answer nonsense, or cost too much."""

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from burnish.app.polish_plan import Order, plan_of
from burnish.app.run_sessions import OtherModels, resources_of, start_run
from burnish.core.errors import UsageError
from burnish.kinds.questions.kind import QuestionsKind
from burnish.models.budget import Price
from burnish.models.calls import Call, RawReply, TokenCount
from burnish.models.scripted import Fault, Rule, ScriptedModel
from burnish.store.paths import RunFolder
from tests.engine.questions_bench import (
    Quiet,
    biased,
    causes,
    edit,
    filled,
    journal_of,
    keyless,
    loaded_for,
    mends,
    objection,
    receipt,
    resume,
    run,
    scripted,
    sound,
    states,
    write_bank,
)


def test_a_model_that_is_down_bothers_nobody_and_resume_finishes(tmp_path: Path) -> None:
    bank = write_bank(tmp_path, [sound(0), *(biased(n) for n in range(1, 8)), keyless(8)])
    away = scripted(lambda call: Fault(status=500))
    folder, first = run(bank, tmp_path / "runs", away, workers=1)
    assert first.outcome.stopped == "model_away"
    assert "500" in (first.outcome.message or "")
    found = states(folder)
    assert {state for unit, (state, _) in found.items() if unit != "q8"} <= {"draft", "correcting"}
    assert found["q8"] == ("needs_manual_review", "fatal_finding"), "rules go on over the rest"
    assert len(away.asked) == 6, "after three calls in a row (two tries each) nobody is asked any more"
    assert first.outcome.totals.failed_calls == 3
    assert receipt(folder)["stopped"] == "model_away"
    result = resume(folder, scripted())
    assert result.outcome.stopped == "needs_person", "only what no model can mend waits"
    assert causes(folder, "q7") == ["source", "model"], "no attempt was used up"
    assert set(states(folder).values()) > {("validated", "attempt_1"), ("validated", "attempt_2")}


def test_a_model_that_fails_now_and_then_is_asked_again_after_the_others(tmp_path: Path) -> None:
    failed: list[str] = []

    def shaky(call: Call) -> object:
        if call.unit in ("q1", "q2") and failed.count(call.unit) < 2:
            failed.append(call.unit)
            return Fault(status=500)
        return mends(call)

    folder, result = run(write_bank(tmp_path, [biased(n) for n in range(4)]), tmp_path / "runs", scripted(shaky))
    assert failed == ["q1", "q1", "q2", "q2"] or sorted(failed) == ["q1", "q1", "q2", "q2"]
    assert (result.outcome.stopped, causes(folder, "q1")) == ("done", ["source", "model"])


def test_a_third_judge_does_without_one_that_is_away(tmp_path: Path) -> None:
    judges = ("scripted:a", "scripted:b", "scripted:c")
    bank = write_bank(tmp_path, [sound(n) for n in range(5)])
    one_away = scripted(lambda call: Fault(status=401) if call.model == "scripted:b" else mends(call))
    folder, result = run(bank, tmp_path / "runs", one_away, judges=judges, workers=1)
    assert result.outcome.stopped == "done"
    assert sum(call.model == "scripted:b" for call in one_away.asked) == 1, "a refused key is an outage at once"
    with journal_of(folder) as journal:
        assert len(list(journal.events(types=("model_degraded",)))) == 5


def test_two_judges_do_not_decide_in_the_place_of_one_that_is_away(tmp_path: Path) -> None:
    def of_two_minds(call: Call) -> object:
        if call.model == "scripted:b":
            return Fault(status=401)
        return objection(sound(0)["stem"][:20]) if call.model == "scripted:c" else mends(call)

    judges = ("scripted:a", "scripted:b", "scripted:c")
    folder, result = run(write_bank(tmp_path, [sound(0)]), tmp_path / "runs", scripted(of_two_minds), judges=judges)
    assert (result.outcome.stopped, states(folder)["q0"][0]) == ("model_away", "draft")


@pytest.mark.parametrize("status", [400, 413, 422])
def test_requests_that_are_refused_for_what_they_hold_are_no_outage(tmp_path: Path, status: int) -> None:
    bank = write_bank(tmp_path, [biased(n) for n in range(6)])

    def choosy(call: Call) -> object:
        return mends(call) if call.unit in ("q0", "q5") else Fault(status=status)

    folder, _ = run(bank, tmp_path / "runs", scripted(choosy), workers=1)
    assert states(folder)["q5"] == ("validated", "attempt_2"), "four odd units say nothing about the sixth"
    assert {states(folder)[f"q{n}"] for n in range(1, 5)} == {("needs_manual_review", "model_failed")}


@pytest.mark.parametrize(("status", "asked"), [(401, 1), (403, 1), (404, 1), (429, 2), (503, 2), (None, 2)])
def test_trouble_of_the_endpoint_is_an_outage(tmp_path: Path, status: int | None, asked: int) -> None:
    bank = write_bank(tmp_path, [biased(n) for n in range(6)])
    away = scripted(lambda call: Fault(status=status))
    _, result = run(bank, tmp_path / "runs", away, workers=1)
    assert len({call.key for call in away.asked}) == asked, "one request to review all of them, one to solve them"
    assert result.outcome.stopped == "model_away"


def test_units_that_met_an_outage_before_a_limit_are_tried_again_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(QuestionsKind, "most_together", 1)  # one after the other
    bank = write_bank(tmp_path, [biased(0), sound(1), sound(2)])

    def away_then_dear(call: Call) -> object:
        is_away = call.unit == "q0" and call.reply_name == "edit_reply"
        return Fault(status=500) if is_away else mends(call)

    folder, first = run(bank, tmp_path / "runs", scripted(away_then_dear), workers=1, max_tokens=3_000)
    assert first.outcome.stopped == "limit"
    assert states(folder)["q0"][0] == "correcting"
    assert resume(folder, scripted()).outcome.stopped == "done"


def test_nonsense_counts_as_a_failed_attempt_and_is_on_the_bill(tmp_path: Path) -> None:
    answers = {1: "I would rather not answer in JSON.", 2: {"edits": "none"}}
    seen: list[Call] = []

    def nonsense(call: Call) -> object:
        if call.reply_name != "edit_reply":
            return mends(call)
        seen.append(call)
        return answers[len(seen)]

    folder, _ = run(write_bank(tmp_path, [biased(0)]), tmp_path / "runs", scripted(nonsense))
    assert states(folder) == {"q0": ("needs_manual_review", "circuit_breaker")}
    assert causes(folder, "q0") == ["source", "model", "model"]
    [told] = receipt(folder)["units"]
    assert [attempt["failure"].partition(":")[0] for attempt in told["attempts"]] == ["reply_unreadable"] * 2
    assert all(attempt["usage"]["total_tokens"] > 0 for attempt in told["attempts"])
    assert "was not the JSON object" in seen[1].user


@pytest.mark.parametrize("kind", ["truncated", "refused"])
def test_an_answer_that_was_cut_off_or_withheld_is_unreadable_not_an_outage(tmp_path: Path, kind: str) -> None:
    bank = write_bank(tmp_path, [*(biased(n) for n in range(5)), sound(5)])

    def withheld(call: Call) -> object:
        return Fault(kind=kind, body="I cannot") if call.reply_name == "edit_reply" else mends(call)

    model = scripted(withheld)
    folder, _ = run(bank, tmp_path / "runs", model, workers=1)
    assert states(folder)["q5"] == ("validated", "attempt_1"), "the model still answers others"
    assert states(folder)["q4"] == ("needs_manual_review", "circuit_breaker")
    with journal_of(folder) as journal:
        last = journal.attempts("q4")[-1]
        assert (last.failure or "").startswith("reply_unreadable")
        assert last.usage.total_tokens > 0
    asked = len(model.asked)
    resume(folder, model)
    assert len(model.asked) == asked, "an answer that is paid is not asked for again"


def test_an_edit_outside_the_flagged_fields_is_refused(tmp_path: Path) -> None:
    def elsewhere(call: Call) -> object:
        return edit(call.unit, "Green", "Turquoise", "options.A") if call.reply_name == "edit_reply" else mends(call)

    folder, result = run(write_bank(tmp_path, [biased(8)]), tmp_path / "runs", scripted(elsewhere))
    assert states(folder) == {"q8": ("needs_manual_review", "circuit_breaker")}
    assert "Turquoise" not in Path(result.candidates[0].path).read_text()
    with journal_of(folder) as journal:
        refusals = [event.data["reason"] for event in journal.events(types=("edit_refused",))]
    assert len(refusals) == 2
    assert all("outside_flagged_fields" in reason for reason in refusals)


def test_a_correction_that_makes_it_worse_is_rolled_back(tmp_path: Path) -> None:
    def worse(call: Call) -> object:
        if call.reply_name == "edit_reply" and "Attempt 1" in call.user:
            return edit(call.unit, "two days. Which of the following", "two days. Except for a rash all hold EXCEPT")
        return mends(call)

    folder, result = run(write_bank(tmp_path, [biased(0)]), tmp_path / "runs", scripted(worse))
    assert causes(folder, "q0") == ["source", "model", "model"]
    with journal_of(folder) as journal:
        names = [event.type for event in journal.events(types=("rolled_back", "edit_applied"))]
    assert names == ["rolled_back", "edit_applied"], "the second try starts from the best draft, not from the last"
    assert sound(0)["stem"] in Path(result.published[0].path).read_text()


def test_a_ceiling_on_tokens_stops_the_run_before_it_is_crossed(tmp_path: Path) -> None:
    bank = write_bank(tmp_path, [biased(n) for n in range(6)])
    model = scripted()
    folder, first = run(bank, tmp_path / "runs", model, workers=2, max_tokens=4_000)
    assert first.outcome.stopped == "limit"
    assert "tokens" in (first.outcome.message or "")
    assert first.outcome.totals.usage.total_tokens <= 4_000
    assert first.published == ()
    asked = {call.key for call in model.asked}
    still = resume(folder, scripted(), max_tokens=4_000)
    assert still.outcome.stopped == "limit", "what earlier sittings spent counts"
    again = scripted()
    done = resume(folder, again)
    assert done.outcome.stopped == "done"
    assert not asked & {call.key for call in again.asked}, "no recorded call is made again"


def test_calls_of_a_panel_that_are_under_way_at_the_limit_are_recorded(tmp_path: Path) -> None:
    """One judge meets the ceiling while the others' answers are on their way: those are paid for."""
    bank = write_bank(tmp_path, [sound(0)])
    model = ScriptedModel([Rule(reply={"reasoning": "fine", "violations": []}, latency=0.05)])
    judges = ("scripted:one", "scripted:two", "scripted:three-with-a-name")
    folder, first = run(bank, tmp_path / "runs", model, judges=judges, max_tokens=2_600)
    assert first.outcome.stopped == "limit"
    with journal_of(folder) as journal:
        assert len(list(journal.calls())) == len(model.asked) > 0


def test_no_more_calls_are_under_way_than_there_are_workers(tmp_path: Path) -> None:
    class Counting:
        open = most = 0

        async def send(self, call: Call) -> RawReply:
            Counting.open += 1
            Counting.most = max(Counting.most, Counting.open)
            await asyncio.sleep(0.002)
            Counting.open -= 1
            return RawReply('{"reasoning": "fine", "violations": []}', TokenCount(500, 20))

    judges = ("scripted:one", "scripted:two", "scripted:three")
    run(write_bank(tmp_path, [sound(n) for n in range(6)]), tmp_path / "runs", Counting(), judges=judges, workers=2)
    assert Counting.most == 2


def test_a_ceiling_on_money_needs_a_price(tmp_path: Path) -> None:
    bank = write_bank(tmp_path, [biased(0)])
    loaded = loaded_for(tmp_path, "scripted:m", (), {"max_cost": 1.0})
    with pytest.raises(UsageError, match="no price is known for openai:m"):
        resources_of(loaded.settings, ("openai:m",))
    plan = plan_of(Order(str(bank), run_id="r"), loaded)
    resources = replace(resources_of(loaded.settings, (), provider=scripted()), prices={"scripted:m": Price(1.0, 10.0)})
    result = asyncio.run(start_run(RunFolder.at(tmp_path / "runs", "r"), plan, resources, Quiet()))
    assert result.outcome.stopped == "done"
    assert 0 < (result.outcome.totals.usage.cost or 0) < 1.0
    poor = replace(resources, max_cost=0.000_001)
    stopped = asyncio.run(
        start_run(RunFolder.at(tmp_path / "runs", "poor"), replace(plan, run_id="poor"), poor, Quiet())
    )
    assert stopped.outcome.stopped == "limit"
    assert stopped.outcome.totals.calls == 0


def test_a_time_limit_stops_the_run_and_resume_goes_on(tmp_path: Path) -> None:
    bank = write_bank(tmp_path, [biased(n) for n in range(4)])
    model = scripted()
    folder, first = run(bank, tmp_path / "runs", model, max_seconds=0)
    assert first.outcome.stopped == "limit"
    assert first.outcome.message == "The time limit is reached."
    assert model.asked == []
    assert resume(folder, model).outcome.stopped == "done"


def test_units_in_the_queue_are_not_begun_after_the_time_is_over(tmp_path: Path) -> None:
    bank = write_bank(tmp_path, [biased(n) for n in range(6)])
    slow = ScriptedModel(lambda call: Rule(reply=mends(call), latency=0.2))
    folder, first = run(bank, tmp_path / "runs", slow, workers=1, max_seconds=0.1)
    assert first.outcome.stopped == "limit"
    assert {call.unit for call in slow.asked} == {"q0"}
    assert list(states(folder).values()).count(("draft", None)) == 6, "the first was only read"


def test_other_models_named_by_resume_stay(tmp_path: Path) -> None:
    bank = write_bank(tmp_path, [biased(0), filled(1)])
    folder, _ = run(bank, tmp_path / "runs")
    first = scripted(lambda call: Fault(status=500))
    resume(folder, first, OtherModels(corrector="scripted:later"))
    second = scripted()
    done = resume(folder, second)
    assert {call.model for call in (*first.asked, *second.asked)} == {"scripted:later"}
    assert done.outcome.stopped == "done"
    assert receipt(folder)["models"] == {"corrector": "scripted:later", "judges": ["scripted:later"]}


def test_a_script_that_cannot_be_used_ends_the_run_with_an_error(tmp_path: Path) -> None:
    class Misconfigured:
        async def send(self, call: Call) -> RawReply:
            raise UsageError("There is no key.")

    with pytest.raises(UsageError, match="no key"):
        run(write_bank(tmp_path, [biased(n) for n in range(8)]), tmp_path / "runs", Misconfigured())
    assert not (tmp_path / "runs" / "r1" / "RUNNING.lock").exists()


def test_an_edit_that_names_no_unit_is_one_of_the_question_that_was_asked_about(tmp_path: Path) -> None:
    def nameless(call: Call) -> object:
        reply = mends(call)
        if call.reply_name == "edit_reply":
            assert isinstance(reply, dict)
            for part in reply["edits"]:
                del part["unit"]
        return reply

    folder, _ = run(write_bank(tmp_path, [biased(8)]), tmp_path / "runs", scripted(nameless))
    assert states(folder) == {"q8": ("validated", "attempt_2")}
