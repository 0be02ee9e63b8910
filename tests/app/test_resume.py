"""`burnish resume`, `status` and `runs`: going on, and how far one is."""

import json
import multiprocessing
import os
import signal
import subprocess
import sys
from datetime import datetime
from pathlib import Path

import pytest

from burnish.app.runs import view
from burnish.store.processes import system_clock
from burnish.store.sqlite_journal import own_run
from tests.app.desk import Desk
from tests.engine.questions_bench import biased, filled, questions_in, sound

BURNISH = [sys.executable, "-m", "burnish.cli.main"]


def test_a_model_may_be_named_when_it_goes_on(desk: Desk) -> None:
    desk("polish", desk.bank(sound(0), biased(1)), "--rules-only", "--run-id", "r", "--out", "final.json")
    said = desk("resume", "r", "--model", desk.model("q1"))
    assert said.code == 0, said.err
    assert questions_in(Path("final.json"))["q1"] == sound(1)


def test_a_panel_may_be_named_when_it_goes_on(desk: Desk) -> None:
    desk("polish", desk.bank(biased(0)), "--rules-only", "--run-id", "r")
    model = desk.model("q0")
    twin = desk.twin()
    said = desk("resume", "r", "--model", model, "--judges", f"{model},{twin}", "--json")
    assert said.code == 0
    assert json.loads(desk.run().receipt.read_text())["models"] == {"corrector": model, "judges": [model, twin]}
    assert said.json["totals"]["calls"] == 5, "a correction, a comparison, two judges, one blind answer"


def test_a_run_that_does_not_exist_is_refused(desk: Desk) -> None:
    for command in (["resume", "r"], ["status", "r"], ["show", "r"], ["export", "r"]):
        said = desk(*command)
        assert said.code == 2
        assert "There is no run r in runs." in said.err


def test_a_run_without_a_plan_cannot_go_on(desk: Desk) -> None:
    with own_run(desk.run(), system_clock, began_by="translate"):
        pass
    for command in (
        ["resume", "r"],
        ["status", "r"],
        ["show", "r"],
        ["export", "r"],
        ["decide", "r", "q0", "accept", "--by", "Ada"],
    ):
        said = desk(*command)
        assert said.code == 2, command
        assert "was stopped before it had a plan" in said.err
        assert "Start it again with `burnish translate`." in said.err
    listed = desk("runs")
    assert "was stopped before it had a plan" in listed.out
    assert desk("runs", "--json").json["runs"][0]["error"]


def test_the_address_of_the_server_is_remembered(desk: Desk) -> None:
    from burnish.app.run_sessions import with_recorded_arguments
    from burnish.app.settings import load

    desk("polish", desk.bank(biased(0)), "--rules-only", "--run-id", "r", "--base-url", "http://127.0.0.1:9/v1")
    settings = with_recorded_arguments(desk.run(), load(environ={}))
    assert settings.models.base_url == "http://127.0.0.1:9/v1"
    flags: dict[str, tuple[str, object]] = {"models.base_url": ("--base-url", "http://127.0.0.1:10/v1")}
    other = with_recorded_arguments(desk.run(), load(environ={}, flags=flags))
    assert other.models.base_url == "http://127.0.0.1:10/v1"


def test_what_was_recorded_is_stronger_than_a_settings_file_and_weaker_than_a_flag(desk: Desk) -> None:
    from burnish.app.run_sessions import with_recorded_arguments
    from burnish.app.settings import load

    bank = desk.bank(biased(0))
    desk("polish", bank, "--rules-only", "--run-id", "r", "--max-tokens", "500", "--base-url", "http://127.0.0.1:9/v1")
    file = '[limits]\nmax_tokens = 900000\nmax_cost = 3.0\n[models]\nbase_url = "http://127.0.0.1:10/v1"\n'
    (desk.home / "burnish.toml").write_text(file)

    def again(environ: dict[str, str] | None = None, **flags: object) -> tuple[object, ...]:
        given = {f"limits.{name}": (f"--{name}", value) for name, value in flags.items()}
        loaded = load(start=desk.home, environ=environ or {}, flags=given)
        settings = with_recorded_arguments(desk.run(), loaded)
        return settings.limits.max_tokens, settings.limits.max_cost, settings.models.base_url

    then = "http://127.0.0.1:9/v1"
    assert again() == (500, None, then), "the run had no ceiling on cost"
    assert again(max_tokens=700) == (700, None, then)
    assert again({"BURNISH_MAX_COST": "2"}) == (500, 2.0, then)
    assert again({"BURNISH_BASE_URL": "http://127.0.0.1:11/v1"}) == (500, None, "http://127.0.0.1:11/v1")


def test_a_password_in_a_file_comes_back_with_its_address(desk: Desk) -> None:
    from burnish.app.run_sessions import with_recorded_arguments
    from burnish.app.settings import load

    address = "http://user:geheim@127.0.0.1:9/v1"
    (desk.home / "burnish.toml").write_text(f'[models]\nbase_url = "{address}"\n')
    desk("polish", desk.bank(biased(0)), "--rules-only", "--run-id", "r")
    settings = with_recorded_arguments(desk.run(), load(start=desk.home, environ={}))
    assert settings.models.base_url == address


def test_status_counts_and_names_every_blocker(desk: Desk) -> None:
    desk("polish", desk.bank(sound(0), biased(1), sound(0, "twin")), "--rules-only", "--run-id", "r")
    said = desk("status", "r")
    assert said.code == 0
    assert "r  questions  needs a person" in said.out
    assert "2  needs a person" in said.out
    assert "q1  a model is needed, and none is set  Biased wording (ext_bias_detection)" in said.out
    assert "twin  nearly the same as another question" in said.out
    told = desk("status", "r", "--json").json
    assert told["states"] == {"needs_manual_review": 2, "validated": 1}
    assert [(b["unit"], b["reason"], b["rules"]) for b in told["blockers"]] == [
        ("q1", "no_model", ["ext_bias_detection"]),
        ("twin", "duplicate", ["potential_duplicate"]),
    ]


def test_the_list_of_runs(desk: Desk) -> None:
    assert "No runs in runs." in desk("runs").out
    desk("polish", desk.bank(sound(0)), "--rules-only", "--run-id", "done")
    desk("polish", desk.bank(biased(0), name="b.json"), "--run-id", "waits", "--model", desk.model())
    broken = desk.home / "runs" / "broken"
    broken.mkdir()
    (broken / "journal.sqlite").write_text("this is no database, but long enough to look like one" * 20)
    said = desk("runs")
    assert said.code == 0
    lines = {line.split()[0]: line for line in said.out.splitlines()}
    assert "questions  published  1 of 1 accepted" in lines["done"]
    assert "needs a person  0 of 1 accepted, 1 for a person" in lines["waits"]
    assert "broken" in lines
    told = desk("runs", "--json").json["runs"]
    assert [run["id"] for run in told] == ["broken", "done", "waits"]
    assert told[0]["error"]
    assert told[1]["state"] == "published"


def _hold(runs: str, ready: "multiprocessing.synchronize.Event", end: "multiprocessing.synchronize.Event") -> None:
    from burnish.store.paths import RunFolder

    with own_run(RunFolder.at(Path(runs), "r"), system_clock):
        ready.set()
        end.wait(30)


def test_a_run_that_another_process_works_on_may_be_looked_at_only(desk: Desk) -> None:
    bank = desk.bank(sound(0), biased(1))
    desk("polish", bank, "--rules-only", "--run-id", "r")
    context = multiprocessing.get_context("spawn")
    ready, end = context.Event(), context.Event()
    other = context.Process(target=_hold, args=(str(desk.home / "runs"), ready, end))
    other.start()
    try:
        assert ready.wait(30)
        for command in (["polish", bank, "--run-id", "r"], ["resume", "r"], ["export", "r"]):
            said = desk(*command)
            assert said.code == 4, command
            assert f"process {other.pid}" in said.err
        assert desk("status", "r", "--json").json["state"] == "running"
        assert desk("show", "r", "q1").code == 0
        assert "running" in desk("runs").out
        _decide_meanwhile(desk)
    finally:
        end.set()
        other.join()
    done = desk("resume", "r")
    assert done.code == 0 and "2 questions: 2 accepted" in done.out


def _decide_meanwhile(desk: Desk) -> None:
    """Decisions are saved for the process at work."""

    def due(unit: str = "q1") -> float:
        with view(desk.home / "runs", "r") as run:
            [entry] = run.journal.inbox("waiting", unit=unit)
        return (datetime.fromisoformat(entry.due) - datetime.fromisoformat(entry.at)).total_seconds()

    saved = desk("decide", "r", "q1", "accept", "--by", "Ada")
    assert saved.code == 0, saved.err
    [unit, said, todo] = saved.out.splitlines()
    assert unit.startswith("q1  needs a person")
    assert said.strip().startswith("Saved; applied when the run pauses, in 30 s at the earliest.")
    assert todo.startswith("Nothing left to decide.")
    assert due() == 30
    again = desk("decide", "r", "q1", "reject", "--by", "Bob", "--note", "No.")
    assert again.code == 2 and "Ada accepted q1" in again.err
    assert desk("decide", "r", "q1", "undo", "--by", "Bob").code == 0
    assert desk("status", "r", "--json").json["inbox"] == []
    edit = desk.home / "edit.json"
    edit.write_text(json.dumps({"stem": biased(1)["stem"].replace("farmer", "gardener")}))
    broken = desk("decide", "r", "q1", "edit", "--by", "Ada", "--text-file", "edit.json")
    assert broken.code == 1 and "The text is kept, but it still breaks" in broken.out
    desk("decide", "r", "q1", "undo", "--by", "Ada")
    now = desk("decide", "r", "q1", "accept", "--by", "Ada", "--now")
    assert now.code == 0 and "Saved; applied at the next pause of the run." in now.out
    assert due() == 0


@pytest.mark.parametrize("when", ["before", pytest.param("after", marks=pytest.mark.process)])
def test_a_killed_process_is_taken_over(desk: Desk, when: str) -> None:
    """The real thing: a process of its own, kill -9, and the next command goes on."""
    bank = desk.bank(*(filled(n) for n in range(4)))
    model = desk.model(*(f"q{n}" for n in range(4)), latency=0.25)
    command = [*BURNISH, "polish", str(bank), "--run-id", "r", "--model", model, "--workers", "1"]
    process = subprocess.Popen(command, cwd=desk.home, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    lock = desk.run().lock
    while process.poll() is None and not lock.exists():
        pass
    if when == "after":
        while process.poll() is None and not _calls(desk):
            pass
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    assert lock.exists()
    assert desk("status", "r").code in (0, 2), "2: killed before it had a plan"
    said = desk("polish", bank, "--run-id", "r", "--model", model)
    assert said.code == 0, said.err
    assert not lock.exists()
    assert list(desk.run().root.glob("RUNNING.stale.*.lock"))


def _calls(desk: Desk) -> int:
    from contextlib import closing

    from burnish.core.errors import StateCorrupt
    from burnish.store.sqlite_journal import open_journal

    try:
        with closing(open_journal(desk.run().journal, clock=system_clock, read_only=True)) as journal:
            return journal.totals().calls
    except StateCorrupt:
        return 0


def test_a_source_that_is_gone_says_what_to_do(desk: Desk) -> None:
    bank = desk.bank(sound(0), biased(1))
    desk("polish", bank, "--rules-only", "--run-id", "r")
    bank.unlink()
    said = desk("resume", "r")
    assert said.code == 2
    assert "cannot be read any more" in said.err and "Put the file back" in said.err


def test_a_misspelt_path_is_helped_along(desk: Desk) -> None:
    bank = desk.bank(sound(0))
    said = desk("polish", "bnak.json", "--rules-only", "--run-id", "r")
    assert said.code == 2
    assert f"Did you mean {bank.name}?" in said.err


@pytest.mark.parametrize("command", ["polish", "resume"])
def test_other_models_for_a_run_that_is_settled_are_refused(desk: Desk, command: str) -> None:
    """They would never be asked, and the receipt would name them."""
    bank, model = desk.bank(sound(0)), desk.model()
    assert desk("polish", bank, "--run-id", "r", "--model", model).code == 0
    receipt = desk.run().receipt.read_bytes()
    start = ("polish", bank, "--run-id", "r") if command == "polish" else ("resume", "r")
    said = desk(*start, "--model", desk.twin())
    assert (said.code, "Every unit of the run r is settled" in said.err) == (2, True), said.err
    assert desk.run().receipt.read_bytes() == receipt
    assert desk(*start, "--model", model).code == 0, "the same model is no other one"


@pytest.mark.parametrize("option", ["--ignore", "--select"])
def test_other_rules_for_a_run_that_is_settled_are_refused(desk: Desk, option: str) -> None:
    bank, model = desk.bank(sound(0)), desk.model()
    assert desk("polish", bank, "--run-id", "r", "--model", model).code == 0
    said = desk("polish", bank, "--run-id", "r", "--model", model, option, "ext_bias_detection")
    assert (said.code, "started with other arguments" in said.err) == (2, True), said.err
