"""What a unit has cost: every call once, on the bill of the first attempt that lists it."""

import json
from pathlib import Path

import pytest

from burnish.app.run_sessions import OtherModels
from burnish.core.records import Usage
from burnish.engine.plan import recorded_plan
from burnish.models.calls import Call
from burnish.models.scripted import Fault
from burnish.store.paths import RunFolder
from burnish.store.processes import system_clock
from burnish.store.sqlite_journal import own_run
from tests.engine.questions_bench import (
    CLEAN,
    SOLVED,
    biased,
    causes,
    journal_of,
    receipt,
    resume,
    run,
    scripted,
    sound,
    write_bank,
)

PANEL = ("scripted:one", "scripted:two", "scripted:three")


def bills(folder: RunFolder, unit: str) -> list[int]:
    with journal_of(folder) as journal:
        return [attempt.usage.total_tokens for attempt in journal.attempts(unit)]


def paid(folder: RunFolder, unit: str) -> int:
    with journal_of(folder) as journal:
        return sum((call.usage for call in journal.calls(unit)), Usage()).total_tokens


def mumbles(call: Call) -> object:
    if call.reply_name == "answer_reply":
        return SOLVED
    return CLEAN if call.model == "scripted:one" else "no JSON"


def test_an_answer_that_is_looked_up_again_is_not_billed_again(tmp_path: Path) -> None:
    model = scripted(mumbles)
    folder, _ = run(write_bank(tmp_path, [sound(0)]), tmp_path / "runs", model, judges=PANEL)
    for _ in range(3):
        resume(folder, model, OtherModels(judges=PANEL))
    assert len(model.asked) == 7, "two of three judges mumble and are asked once more; two solve the question"
    assert causes(folder, "q0") == ["source", "review", "review", "review"]
    assert bills(folder, "q0") == [paid(folder, "q0"), 0, 0, 0]
    told = receipt(folder)
    assert told["units"][0]["usage"]["total_tokens"] == told["totals"]["total_tokens"] > 0


def test_a_call_that_failed_and_is_made_anew_is_billed_both_times(tmp_path: Path) -> None:
    broken = scripted(lambda call: Fault(kind="timeout", body="half of it"))
    folder, _ = run(write_bank(tmp_path, [biased(0)]), tmp_path / "runs", broken)
    first = paid(folder, "q0")
    assert (bills(folder, "q0"), first > 0) == ([], True), "nothing came of it, so no attempt carries it yet"
    resume(folder, scripted())
    assert sum(bills(folder, "q0")) == paid(folder, "q0") > first


@pytest.mark.parametrize("judges", [(), PANEL])
def test_an_attempt_that_is_made_anew_after_a_crash_shows_what_it_cost(tmp_path: Path, judges: tuple[str, ...]) -> None:
    """All calls were recorded and no attempt: each is looked up, and each is on the bill of its attempt."""
    folder, _ = run(write_bank(tmp_path, [biased(0)]), tmp_path / "runs", scripted(), judges=judges)
    fresh = RunFolder.at(tmp_path / "runs", "copy")
    with journal_of(folder) as journal, own_run(fresh, system_clock) as owned:
        plan = recorded_plan(journal)
        assert plan is not None
        owned.journal.set_meta("plan", json.dumps(plan.as_record()))
        owned.journal.write_now(*journal.calls())
    again = scripted()
    resume(fresh, again)
    assert again.asked == []
    assert bills(fresh, "q0") == bills(folder, "q0")
    assert sum(bills(fresh, "q0")) == paid(folder, "q0") > 0
