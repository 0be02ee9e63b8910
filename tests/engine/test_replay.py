"""`--replay`: the same bytes from the journal alone, with people's decisions and without a single call."""

import asyncio
import json
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import pytest

from burnish.app.polish_plan import Order, plan_of, replay_of
from burnish.app.run_sessions import OtherModels, replay_resources, replayed_journal, resume_run, start_run
from burnish.core.errors import UsageError
from burnish.core.faultpoints import installed
from burnish.engine.runner import RunResources
from burnish.engine.session import Result
from burnish.models.calls import Call
from burnish.models.scripted import Fault
from burnish.store.paths import RunFolder
from burnish.store.processes import system_clock
from burnish.store.sqlite_journal import own_run
from tests.engine.questions_bench import (
    BIASED,
    CLEAN,
    Quiet,
    biased,
    edit,
    filled,
    journal_of,
    loaded_for,
    mends,
    resume,
    run,
    scripted,
    sound,
    states,
    untidy,
    write_bank,
)
from tests.engine.test_decisions import decide


def replay(bank: Path, runs: Path, recorded: str, id: str = "again", **order: object) -> tuple[RunFolder, Result]:
    loaded = loaded_for(bank.parent, None, (), {})
    with ExitStack() as stack:
        journal, plan = replayed_journal(runs, recorded, stack)
        repeated = replay_of(plan, plan_of(Order(str(bank), run_id=id, **order), loaded))  # type: ignore[arg-type]
        folder = RunFolder.at(runs, id)
        return folder, asyncio.run(start_run(folder, repeated, replay_resources(loaded.settings, journal), Quiet()))


def bytes_of(folder: RunFolder) -> bytes:
    [path] = folder.out.iterdir()
    return path.read_bytes()


def test_a_replay_gives_the_same_bytes_and_calls_nobody(tmp_path: Path) -> None:
    bank = write_bank(tmp_path, [sound(0), biased(1), filled(2), untidy(3)])
    folder, _ = run(bank, tmp_path / "runs", scripted(), check={"profile": "strict"})
    again, result = replay(bank, tmp_path / "runs", "r1")
    assert result.outcome.stopped == "done"
    assert bytes_of(again) == bytes_of(folder)
    with journal_of(folder) as first, journal_of(again) as second:
        assert {call.key for call in first.calls()} == {call.key for call in second.calls()}
        plans = [json.loads(journal.get_meta("plan") or "") for journal in (first, second)]
    assert plans[0]["severities"] == plans[1]["severities"], "the rules of the recorded run, not of today"


def test_a_replay_repeats_peoples_decisions(tmp_path: Path) -> None:
    bank = write_bank(tmp_path, [biased(0), biased(1), biased(2), sound(3)])

    def hopeless(call: Call) -> object:
        hopes = "Think of the tone." in call.user or call.reply_name != "edit_reply"
        return mends(call) if hopes else edit(call.unit, "no such words", "x")

    folder, _ = run(bank, tmp_path / "runs", scripted(hopeless))
    decide(folder, "q0", "accept")
    decide(folder, "q1", "edit", text=json.dumps({"stem": biased(1)["stem"]}))
    decide(folder, "q1", "edit", text=json.dumps({"stem": sound(1)["stem"]}))
    decide(folder, "q2", "reject", note="Think of the tone.")
    resume(folder, scripted(hopeless))
    again, result = replay(bank, tmp_path / "runs", "r1")
    assert result.outcome.stopped == "done"
    assert bytes_of(again) == bytes_of(folder)
    assert states(again) == states(folder)


def test_a_replay_that_was_stopped_goes_on_with_the_decisions_that_are_left(tmp_path: Path) -> None:
    bank = write_bank(tmp_path, [biased(0)])
    folder, _ = run(bank, tmp_path / "runs")
    decide(folder, "q0", "edit", text=json.dumps({"stem": biased(0)["stem"].replace("woman", "man")}))
    decide(folder, "q0", "accept")
    resume(folder)

    class Stop(Exception):
        """As if the process were killed."""

    rests = []

    def stop(point: str) -> None:
        if point == "engine.task.settled":
            rests.append(point)
            raise Stop

    with installed(stop), pytest.raises(Stop):
        replay(bank, tmp_path / "runs", "r1")
    again = RunFolder.at(tmp_path / "runs", "again")
    assert states(again)["q0"] == ("needs_manual_review", "no_model")
    loaded = loaded_for(tmp_path, None, (), {})
    result = asyncio.run(resume_run(again, loaded.settings, Quiet()))
    assert result.outcome.stopped == "done"
    assert bytes_of(again) == bytes_of(folder)


def test_failed_calls_are_replayed_as_failures(tmp_path: Path) -> None:
    bank = write_bank(tmp_path, [*(biased(n) for n in range(4)), sound(4)])

    def rejected(call: Call) -> object:
        return Fault(status=400) if call.unit in ("q0", "q2") else mends(call)

    folder, _ = run(bank, tmp_path / "runs", scripted(rejected), workers=1)
    for unit in ("q0", "q2"):
        decide(folder, unit, "accept")
    resume(folder, scripted(rejected))
    again, _ = replay(bank, tmp_path / "runs", "r1")
    assert bytes_of(again) == bytes_of(folder)


def test_what_was_accepted_before_there_was_a_model_is_not_judged_by_a_replay(tmp_path: Path) -> None:
    bank = write_bank(tmp_path, [sound(0), untidy(1), biased(2)])
    folder, _ = run(bank, tmp_path / "runs")
    resume(folder, scripted(), OtherModels(corrector="scripted:later"))
    again, result = replay(bank, tmp_path / "runs", "r1")
    assert result.outcome.stopped == "done"
    assert bytes_of(again) == bytes_of(folder)
    assert states(again) == states(folder)


def test_silent_judges_are_silent_again(tmp_path: Path) -> None:
    bank = write_bank(tmp_path, [sound(0)])
    model = scripted(lambda call: CLEAN if call.model == "scripted:one" else "no JSON")
    folder, _ = run(bank, tmp_path / "runs", model, judges=("scripted:one", "scripted:two", "scripted:three"))
    again, _ = replay(bank, tmp_path / "runs", "r1")
    assert states(again) == states(folder) == {"q0": ("needs_manual_review", "judges_silent")}


def test_other_input_is_refused(tmp_path: Path) -> None:
    run(write_bank(tmp_path, [sound(0)]), tmp_path / "runs")
    other = write_bank(tmp_path / "other", [sound(1)])
    with pytest.raises(UsageError, match="other input"):
        replay(other, tmp_path / "runs", "r1")


def test_the_same_input_may_lie_elsewhere_and_go_elsewhere(tmp_path: Path) -> None:
    run(write_bank(tmp_path, [biased(0)]), tmp_path / "runs", scripted())
    moved = write_bank(tmp_path / "moved", [biased(0)])
    _, result = replay(moved, tmp_path / "runs", "r1", out=str(tmp_path / "final.gift"))
    assert sound(0)["stem"] in (tmp_path / "final.gift").read_text()
    assert result.outcome.stopped == "done"


def course(folder: RunFolder) -> tuple[object, ...]:
    """All that a run came to, but for its name and its times."""
    with journal_of(folder) as journal:
        attempts = {row.id: [replace(a, at="") for a in journal.attempts(row.id)] for row in journal.units()}
        rows = [replace(row, at="") for row in journal.units()]
        grants = [(e.unit, e.type, dict(e.data)) for e in journal.events(types=("reopened",))]
        return attempts, rows, sorted(grants, key=repr), journal.totals()


def test_an_outage_is_repeated_with_the_calls_that_were_never_made(tmp_path: Path) -> None:
    bank = write_bank(tmp_path, [*(biased(n) for n in range(6)), sound(6)])
    dead = scripted(lambda call: Fault(status=500))
    folder, _ = run(bank, tmp_path / "runs", dead, workers=1)
    assert len(dead.asked) < 14, "after some failures nobody was asked any more"
    again, _ = replay(bank, tmp_path / "runs", "r1")
    assert course(again) == course(folder)


def test_an_outage_that_ended_is_repeated_too(tmp_path: Path) -> None:
    bank = write_bank(tmp_path, [*(biased(n) for n in range(6)), sound(6), untidy(7)])
    folder, _ = run(bank, tmp_path / "runs", scripted(lambda call: Fault(status=500)), workers=2)
    failing = [Fault(status=503)] * 2
    resume(folder, scripted(lambda call: failing.pop() if call.unit == "q5" and failing else mends(call)))
    resume(folder, scripted())
    again, result = replay(bank, tmp_path / "runs", "r1")
    assert result.outcome.stopped == "done"
    assert bytes_of(again) == bytes_of(folder)
    assert course(again) == course(folder)


def test_judges_who_were_away_are_away_again(tmp_path: Path) -> None:
    judges = ("scripted:a", "scripted:b", "scripted:c")
    bank = write_bank(tmp_path, [*(sound(n) for n in range(6)), biased(6)])

    def one_is_away(call: Call) -> object:
        return Fault(status=500) if call.model == "scripted:b" else mends(call)

    folder, _ = run(bank, tmp_path / "runs", scripted(one_is_away), judges=judges, workers=1)
    again, result = replay(bank, tmp_path / "runs", "r1")
    assert result.outcome.stopped == "done"
    assert bytes_of(again) == bytes_of(folder)
    assert course(again) == course(folder)


def test_models_that_were_exchanged_on_the_way_are_exchanged_again(tmp_path: Path) -> None:
    bank = write_bank(tmp_path, [biased(0), biased(1), sound(2), biased(3)])

    def gives_up(call: Call) -> object:
        return mends(call) if call.unit in ("q0", "q2") else Fault(status=500)

    folder, _ = run(bank, tmp_path / "runs", scripted(gives_up), workers=1)
    assert {state for state, _ in states(folder).values()} == {"validated", "correcting"}
    resume(folder, scripted(), OtherModels(corrector="scripted:other", judges=("scripted:judge",)))
    again, result = replay(bank, tmp_path / "runs", "r1")
    assert result.outcome.stopped == "done"
    assert bytes_of(again) == bytes_of(folder)
    assert course(again) == course(folder)
    assert states(again) == states(folder)


def test_models_that_were_exchanged_after_a_kill_are_exchanged_again(tmp_path: Path) -> None:
    """The unit is in the middle of its corrections: the first model's answer was no good, the second one mends it."""
    bank = write_bank(tmp_path, [biased(0), sound(1)])

    class Killed(BaseException):
        """As if the process were killed."""

    def stop(point: str) -> None:
        if point == "engine.task.ask" and stops:
            raise Killed
        if point == "engine.task.answered":
            stops.append(point)

    stops: list[str] = []
    useless = scripted(lambda call: edit(call.unit, "no such words", "x"))
    with installed(stop), pytest.raises(Killed):
        run(bank, tmp_path / "runs", useless, workers=1)
    folder = RunFolder.at(tmp_path / "runs", "r1")
    resume(folder, scripted(), OtherModels(corrector="scripted:other", judges=("scripted:other",)))
    again, _ = replay(bank, tmp_path / "runs", "r1")
    assert bytes_of(again) == bytes_of(folder)
    assert course(again) == course(folder)


def test_a_run_that_went_no_further_is_repeated_as_far_as_it_went(tmp_path: Path) -> None:
    bank = write_bank(tmp_path, [biased(n) for n in range(4)])
    folder, result = run(bank, tmp_path / "runs", scripted(), workers=1, max_tokens=4000)
    assert result.outcome.stopped == "limit"
    again, repeated = replay(bank, tmp_path / "runs", "r1")
    assert (repeated.outcome.stopped, repeated.published) == ("limit", ())
    assert "did not finish" in str(repeated.outcome.message)
    assert course(again) == course(folder)


def test_a_run_that_did_nothing_is_repeated_by_doing_nothing(tmp_path: Path) -> None:
    bank = write_bank(tmp_path, [biased(0)])
    folder, _ = run(bank, tmp_path / "runs", scripted(), max_seconds=0)
    again, repeated = replay(bank, tmp_path / "runs", "r1")
    assert repeated.outcome.stopped == "limit"
    assert course(again) == course(folder)


def test_copies_and_what_people_said_of_them_are_repeated(tmp_path: Path) -> None:
    options = sound(0)["options"]
    bank = write_bank(tmp_path, [sound(0), biased(1, options=options), biased(2, options=options), biased(3)])

    def copies(call: Call) -> object:
        if call.reply_name != "edit_reply" or call.unit == "q3":
            return mends(call)
        return edit(call.unit, biased(int(call.unit[1:]))["stem"], sound(0)["stem"])

    folder, _ = run(bank, tmp_path / "runs", scripted(copies), judges=("scripted:judge",))
    assert [states(folder)[unit] for unit in ("q1", "q2")] == [("needs_manual_review", "duplicate")] * 2
    decide(folder, "q1", "accept")
    decide(folder, "q2", "edit", text=json.dumps({"stem": sound(0)["stem"]}))
    decide(folder, "q2", "edit", text=json.dumps({"stem": sound(2)["stem"]}))
    resume(folder, scripted(copies))
    again, result = replay(bank, tmp_path / "runs", "r1")
    assert result.outcome.stopped == "done"
    assert bytes_of(again) == bytes_of(folder)
    assert course(again) == course(folder)


def test_what_could_not_be_written_back_and_what_people_made_of_it_is_repeated(tmp_path: Path) -> None:
    bank = tmp_path / "bank.txt"
    bank.write_text(
        "Which of the following, says a wheelchair-bound clerk, is white?\nA. Grass\nB. Snow\nC. Moss\nANSWER: B\n"
    )

    def two_lines(call: Call) -> object:
        return edit("q1", BIASED, "\n") if call.reply_name == "edit_reply" else mends(call)

    folder, _ = run(bank, tmp_path / "runs", scripted(two_lines))
    assert states(folder)["q1"][1] == "cannot_write_back"
    decide(folder, "q1", "edit", text=json.dumps({"stem": "Which of the following is white?"}))
    resume(folder, scripted(two_lines))
    again, result = replay(bank, tmp_path / "runs", "r1")
    assert result.outcome.stopped == "done"
    assert bytes_of(again) == bytes_of(folder)
    assert course(again) == course(folder)


def test_a_replay_that_was_killed_while_it_took_over_the_calls_has_each_of_them_once(tmp_path: Path) -> None:
    bank = write_bank(tmp_path, [*(biased(n) for n in range(5))])
    folder, _ = run(bank, tmp_path / "runs", scripted(lambda call: Fault(status=500)), workers=1)
    resume(folder, scripted())
    again, _ = replay(bank, tmp_path / "runs", "r1")
    loaded = loaded_for(tmp_path, None, (), {})
    asyncio.run(resume_run(again, loaded.settings, Quiet()))
    assert course(again) == course(folder)


def test_a_run_without_a_plan_cannot_be_replayed(tmp_path: Path) -> None:
    with own_run(RunFolder.at(tmp_path, "empty"), system_clock):
        pass
    with ExitStack() as stack, pytest.raises(UsageError, match="nothing to replay"):
        replayed_journal(tmp_path, "empty", stack)


def test_a_replay_has_no_provider(tmp_path: Path) -> None:
    folder, _ = run(write_bank(tmp_path, [sound(0)]), tmp_path / "runs")
    with journal_of(folder) as journal:
        resources = replay_resources(loaded_for(tmp_path, None, (), {}).settings, journal)
    assert resources.provider is None
    assert replace(RunResources(), replayed=resources.replayed).provider is None
