"""How often a model may try to correct a question: in every door, recorded with the run, kept by resume."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

import burnish
from burnish.core.errors import UsageError
from burnish.engine.plan import recorded_plan
from burnish.models.calls import Call
from burnish.models.scripted import ScriptedModel
from burnish.questions import correct, validate
from burnish.store.paths import RunFolder
from burnish.store.processes import system_clock
from burnish.store.sqlite_journal import open_journal
from tests.app.desk import Desk
from tests.engine.questions_bench import biased, journal_of
from tests.web.paper import words
from tests.workbench import Workbench, workbench


def hopeless(call: Call) -> object:
    """A model whose edits never fit, and that objects to nothing."""
    if call.reply_name == "edit_reply":
        return {"reasoning": "", "edits": [{"unit": call.unit, "field": "stem", "find": "no such", "replace": "x"}]}
    return {"reasoning": "", "violations": []}


def script(desk: Desk) -> str:
    edits = [{"unit": "q0", "field": "stem", "find": "no such words", "replace": "x"}]
    rules = [
        {"reply_name": "edit_reply", "reply": {"reasoning": "", "edits": edits}},
        {"reply_name": "question_review_reply", "reply": {"reasoning": "", "violations": []}},
    ]
    (desk.home / "model.json").write_text(json.dumps({"rules": rules}))
    return f"scripted:{desk.home / 'model.json'}"


def tries(folder: RunFolder) -> int:
    with journal_of(folder) as journal:
        return sum(attempt.cause == "model" for attempt in journal.attempts("q0"))


def recorded(desk: Desk, run: str = "r") -> object:
    manifest = json.loads(desk.run(run).manifest.read_text(encoding="utf-8"))
    return manifest["arguments"]["options"]["max_attempts"]


@pytest.mark.parametrize(("given", "wanted"), [((), 2), (("--max-attempts", 1), 1), (("--max-attempts", 4), 4)])
def test_on_the_command_line(desk: Desk, given: tuple[Any, ...], wanted: int) -> None:
    said = desk("polish", desk.bank(biased(0)), "--model", script(desk), "--run-id", "r", *given)
    assert said.code == 3
    assert (tries(desk.run()), recorded(desk)) == (wanted, wanted)
    [line] = (desk.run().root / "corrections.jsonl").read_text(encoding="utf-8").splitlines()
    assert json.loads(line)["result"]["max_attempts"] == wanted


def test_resume_keeps_it(desk: Desk) -> None:
    desk("polish", desk.bank(biased(0)), "--model", script(desk), "--run-id", "r", "--max-attempts", 3)
    assert desk("decide", "r", "q0", "reject", "--by", "Ada", "--note", "Try again.").code == 0
    assert desk("resume", "r").code == 3
    assert (tries(desk.run()), recorded(desk)) == (6, 3), "three more after a person sent it back"


def test_as_a_setting(desk: Desk) -> None:
    (desk.home / "burnish.toml").write_text("[limits]\nmax_attempts = 1\n")
    desk("polish", desk.bank(biased(0)), "--model", script(desk), "--run-id", "r")
    assert tries(desk.run()) == 1
    (desk.home / "burnish.toml").write_text("[limits]\nmax_attempts = 6\n")
    said = desk("polish", desk.bank(biased(0)), "--run-id", "s")
    assert said.code == 2 and "max_attempts" in said.err


@pytest.mark.parametrize("number", [0, 6, "many"])
def test_what_is_out_of_range_is_refused(desk: Desk, number: object) -> None:
    said = desk("polish", desk.bank(biased(0)), "--max-attempts", number)
    assert said.code == 2 and "--max-attempts" in said.err


def test_it_does_nothing_for_lessons(desk: Desk) -> None:
    (desk.home / "water.md").write_text("# Water\n\nWater is wet.\n")
    said = desk("polish", "water.md", "--max-attempts", 3)
    assert said.code == 2 and "--max-attempts does nothing for lessons" in said.err


def test_as_a_python_call(desk: Desk) -> None:
    bank, runs = desk.bank(biased(0)), desk.home / "runs"
    asyncio.run(burnish.polish(bank, model=ScriptedModel(hopeless), runs=runs, run_id="r", max_attempts=3))
    assert tries(desk.run()) == 3
    with pytest.raises(UsageError, match="max_attempts cannot be 6"):
        asyncio.run(burnish.polish(bank, runs=runs, run_id="s", max_attempts=6))


@pytest.mark.parametrize("number", [1, 3])
def test_correcting_one_question(number: int) -> None:
    question = biased(0)
    result = asyncio.run(correct(question, validate(question), model=ScriptedModel(hopeless), max_attempts=number))
    assert (result.total_attempts, result.max_attempts, result.status) == (number, number, "needs_manual_review")


@pytest.mark.parametrize("number", [0, 6, True])
def test_correcting_one_question_too_often(number: int) -> None:
    with pytest.raises(UsageError, match="max_attempts cannot be"):
        asyncio.run(correct(biased(0), validate(biased(0)), model=ScriptedModel(hopeless), max_attempts=number))


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Workbench]:
    """A workbench that starts no process: every run is recorded and queued."""
    with workbench(tmp_path / "runs") as server:
        monkeypatch.setattr(server.here.jobs, "_most", 0)
        yield server


def planned(bench: Workbench, run: str) -> object:
    with closing(open_journal(bench.here.runs / run / "journal.sqlite", clock=system_clock, read_only=True)) as journal:
        plan = recorded_plan(journal)
    assert plan is not None
    return plan.arguments["options"]["max_attempts"]


def test_over_the_api(bench: Workbench) -> None:
    order = {"name": "bank.json", "content": [biased(0)], "run_id": "r", "max_attempts": 4}
    with closing(bench.browser("Ada")) as ada:
        assert ada.post("/api/v1/polish", json={**order, "max_attempts": 6}).status_code == 422
        assert ada.post("/api/v1/polish", json=order).status_code == 202
    assert planned(bench, "r") == 4


@pytest.mark.parametrize(("given", "wanted"), [("", 2), ("5", 5)])
def test_in_the_form_of_a_new_run(bench: Workbench, given: str, wanted: int) -> None:
    with closing(bench.browser("Ada")) as ada:
        page = ada.post("/new", files=[("files", ("b.json", json.dumps([biased(0)])))], follow_redirects=True)
        assert "Corrections of each question" in words(page.text)
        for wrong in ("6", "many"):
            again = ada.post(f"{page.url.path}/start", data={"max_attempts": wrong}, follow_redirects=True)
            assert "from 1 to 5" in words(again.text)
        started = ada.post(f"{page.url.path}/start", data={"max_attempts": given}, follow_redirects=True)
    [run] = [path.name for path in bench.here.runs.iterdir() if (path / "journal.sqlite").exists()]
    assert started.status_code == 200 and planned(bench, run) == wanted
