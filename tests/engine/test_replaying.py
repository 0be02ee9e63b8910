"""`--replay`: the same bytes from the journal alone, with people's decisions and without a single call."""

import asyncio
import json
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import pytest

from burnish.core.errors import UsageError
from burnish.core.faultpoints import installed
from burnish.engine.session import Means, Result
from burnish.llm.calls import Call
from burnish.llm.gateway import ReplayMiss
from burnish.llm.scripted import Fault
from burnish.store.clock import system_clock
from burnish.store.ownership import own_run
from burnish.store.paths import RunFolder
from burnish.surfaces.polishing import (
    Order,
    OtherModels,
    plan_of,
    polish_run,
    replay_means,
    replay_of,
    replayed_journal,
    resume_run,
)
from tests.engine.questions_bench import (
    Quiet,
    above,
    edit,
    journal_of,
    loaded_for,
    mends,
    negative,
    resume,
    run,
    scripted,
    sound,
    states,
    untidy,
    write_bank,
)
from tests.engine.test_deciding import decide


def replay(bank: Path, runs: Path, recorded: str, id: str = "again", **order: object) -> tuple[RunFolder, Result]:
    loaded = loaded_for(bank.parent, None, (), {})
    with ExitStack() as stack:
        journal, plan = replayed_journal(runs, recorded, stack)
        repeated = replay_of(plan, plan_of(Order(str(bank), run_id=id, **order), loaded))  # type: ignore[arg-type]
        folder = RunFolder.at(runs, id)
        return folder, asyncio.run(polish_run(folder, repeated, replay_means(loaded.settings, journal), Quiet()))


def bytes_of(folder: RunFolder) -> bytes:
    [path] = folder.out.iterdir()
    return path.read_bytes()


def test_a_replay_gives_the_same_bytes_and_calls_nobody(tmp_path: Path) -> None:
    bank = write_bank(tmp_path, [sound(0), negative(1), above(2), untidy(3)])
    folder, _ = run(bank, tmp_path / "runs", scripted(), check={"profile": "strict"})
    again, result = replay(bank, tmp_path / "runs", "r1")
    assert result.outcome.stopped == "done"
    assert bytes_of(again) == bytes_of(folder)
    with journal_of(folder) as first, journal_of(again) as second:
        assert {call.key for call in first.calls()} == {call.key for call in second.calls()}
        plans = [json.loads(journal.get_meta("plan") or "") for journal in (first, second)]
    assert plans[0]["severities"] == plans[1]["severities"], "the rules of the recorded run, not of today"


def test_a_replay_repeats_peoples_decisions(tmp_path: Path) -> None:
    bank = write_bank(tmp_path, [negative(0), negative(1), negative(2), sound(3)])

    def hopeless(call: Call) -> object:
        hopes = "Think of the tone." in call.user or call.reply_name != "edit_reply"
        return mends(call) if hopes else edit(call.unit, "no such words", "x")

    folder, _ = run(bank, tmp_path / "runs", scripted(hopeless))
    decide(folder, "q0", "accept")
    decide(folder, "q1", "edit", text=json.dumps({"stem": negative(1)["stem"]}))
    decide(folder, "q1", "edit", text=json.dumps({"stem": sound(1)["stem"]}))
    decide(folder, "q2", "reject", note="Think of the tone.")
    resume(folder, scripted(hopeless))
    again, result = replay(bank, tmp_path / "runs", "r1")
    assert result.outcome.stopped == "done"
    assert bytes_of(again) == bytes_of(folder)
    assert states(again) == states(folder)


def test_a_replay_that_was_stopped_goes_on_with_the_decisions_that_are_left(tmp_path: Path) -> None:
    bank = write_bank(tmp_path, [negative(0)])
    folder, _ = run(bank, tmp_path / "runs")
    decide(folder, "q0", "edit", text=json.dumps({"stem": negative(0)["stem"].replace("woman", "man")}))
    decide(folder, "q0", "accept")
    resume(folder)

    class Stop(Exception):
        """As if the process were killed."""

    rests = []

    def stop(point: str) -> None:
        if point == "engine.unit.rested":
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
    bank = write_bank(tmp_path, [*(negative(n) for n in range(4)), sound(4)])

    def rejected(call: Call) -> object:
        return Fault(status=400) if call.unit in ("q0", "q2") else mends(call)

    folder, _ = run(bank, tmp_path / "runs", scripted(rejected), workers=1)
    for unit in ("q0", "q2"):
        decide(folder, unit, "accept")
    resume(folder, scripted(rejected))
    again, _ = replay(bank, tmp_path / "runs", "r1")
    assert bytes_of(again) == bytes_of(folder)


def test_what_was_accepted_before_there_was_a_model_is_not_judged_by_a_replay(tmp_path: Path) -> None:
    bank = write_bank(tmp_path, [sound(0), untidy(1), negative(2)])
    folder, _ = run(bank, tmp_path / "runs")
    resume(folder, scripted(), OtherModels(corrector="scripted:later"))
    again, result = replay(bank, tmp_path / "runs", "r1")
    assert result.outcome.stopped == "done"
    assert bytes_of(again) == bytes_of(folder)
    assert states(again) == states(folder)


def test_silent_judges_are_silent_again(tmp_path: Path) -> None:
    bank = write_bank(tmp_path, [sound(0)])
    folder, _ = run(bank, tmp_path / "runs", scripted(lambda call: "no JSON"))
    again, _ = replay(bank, tmp_path / "runs", "r1")
    assert states(again) == states(folder) == {"q0": ("needs_manual_review", "judges_silent")}


def test_other_input_is_refused(tmp_path: Path) -> None:
    run(write_bank(tmp_path, [sound(0)]), tmp_path / "runs")
    other = write_bank(tmp_path / "other", [sound(1)])
    with pytest.raises(UsageError, match="other input"):
        replay(other, tmp_path / "runs", "r1")


def test_the_same_input_may_lie_elsewhere_and_go_elsewhere(tmp_path: Path) -> None:
    run(write_bank(tmp_path, [negative(0)]), tmp_path / "runs", scripted())
    moved = write_bank(tmp_path / "moved", [negative(0)])
    _, result = replay(moved, tmp_path / "runs", "r1", out=str(tmp_path / "final.gift"))
    assert sound(0)["stem"] in (tmp_path / "final.gift").read_text()
    assert result.outcome.stopped == "done"


def test_a_question_that_was_never_asked_is_not_asked_now(tmp_path: Path) -> None:
    bank = write_bank(tmp_path, [negative(0)])
    folder, _ = run(bank, tmp_path / "runs", scripted(), max_seconds=0)
    with pytest.raises(ReplayMiss, match="holds no answer"):
        replay(bank, tmp_path / "runs", "r1")
    assert folder.journal.exists()


def test_a_run_without_a_plan_cannot_be_replayed(tmp_path: Path) -> None:
    with own_run(RunFolder.at(tmp_path, "empty"), system_clock):
        pass
    with ExitStack() as stack, pytest.raises(UsageError, match="nothing to replay"):
        replayed_journal(tmp_path, "empty", stack)


def test_a_replay_has_no_provider(tmp_path: Path) -> None:
    folder, _ = run(write_bank(tmp_path, [sound(0)]), tmp_path / "runs")
    with journal_of(folder) as journal:
        means = replay_means(loaded_for(tmp_path, None, (), {}).settings, journal)
    assert means.provider is None
    assert replace(Means(), replayed=means.replayed).provider is None
