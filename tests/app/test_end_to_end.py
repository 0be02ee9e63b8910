"""The whole way as a user goes it: a real server, kill -9 in the middle, and every request counted.

What is killed and what takes over are real processes; what a person does in between needs none of its own.
"""

import json
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from burnish.app.runs import view
from burnish.cli.main import main
from burnish.core.errors import StateCorrupt
from burnish.core.records import EventRecord
from burnish.store.paths import RunFolder
from burnish.store.processes import system_clock
from burnish.store.sqlite_journal import open_journal
from tests.app import book_desk
from tests.app.desk import Desk
from tests.engine.questions_bench import biased, filled, mended, questions_in, sound, untidy, write_bank
from tests.loopback import Answer, Asked, LoopbackModel

BURNISH = [sys.executable, "-m", "burnish.cli.main"]
WORKERS = 3


def hopeless(asked: Asked) -> Answer:
    """Mends everything but the question about the violin, and takes its time."""
    answer = mended(asked.reply_name, asked.user)
    if asked.reply_name == "edit_reply" and "violin" in asked.user and "Think of the tone." not in asked.user:
        answer = {"reasoning": "I do not know.", "edits": []}
    return Answer(answer, latency=0.05)


@pytest.mark.process
def test_check_polish_kill_resume_decide_resume_export(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    questions = [sound(0), biased(1), biased(2), filled(3), untidy(4), biased(5), filled(6), sound(0, "twin")]
    bank = write_bank(tmp_path, questions)
    runs = ["--runs", str(tmp_path / "runs")]
    folder = RunFolder.at(tmp_path / "runs", "r")
    with LoopbackModel(hopeless) as server:
        assert main(["check", str(bank)]) == 1

        start = [*BURNISH, "polish", str(bank), "--run-id", "r", "--model", "openai:any", *runs]
        start += ["--base-url", server.base_url, "--workers", str(WORKERS), "--out", str(tmp_path / "final.json")]
        victim = subprocess.Popen(start, cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while len(recorded(folder)) < 4 and victim.poll() is None:
            time.sleep(0.005)
        victim.kill()
        victim.wait()
        assert folder.lock.exists()
        survived = recorded(folder)
        sent_before = len(server.requests)
        assert len(survived) >= 4
        assert sent_before - len(survived) <= WORKERS, "more calls were lost than there are workers"

        resumed = burnish(tmp_path, "resume", "r", *runs)
        assert resumed.returncode == 3, resumed.stderr
        assert not {prompt(asked) for asked in server.requests[sent_before:]} & survived, "a recorded call was repeated"
        assert "q2" in resumed.stdout
        assert "twin" in resumed.stdout

        assert main(["decide", "r", "twin", "accept", "--by", "Ada", *runs]) == 0
        note = ("--note", "Think of the tone.")
        assert main(["decide", "r", "q2", "reject", "--by", "Ada", *note, *runs]) == 0
        done = burnish(tmp_path, "resume", "r", *runs)
        assert done.returncode == 0, done.stdout + done.stderr
        # The server heard a prompt twice only where its first answer was lost in the kill.
        times = Counter(prompt(asked) for asked in server.requests)
        assert sum(count - 1 for count in times.values()) <= WORKERS
        assert max(times.values()) <= 2

        asked = len(server.requests)
        capsys.readouterr()
        assert main(["export", "r", "--json", *runs]) == 0
        assert json.loads(capsys.readouterr().out)["published"] == [str(tmp_path / "final.json")]
        assert len(server.requests) == asked, "an export asks nobody"
    published = questions_in(tmp_path / "final.json")
    assert published["q2"] == sound(2)
    assert published["q4"] == sound(4)
    assert published["twin"] == sound(0, "twin")
    told = json.loads(folder.receipt.read_text())
    assert told["totals"]["calls"] == len(recorded(folder))
    assert list(folder.root.glob("RUNNING.stale.*.lock")), "the take-over left its trace"


def burnish(home: Path, *arguments: object) -> subprocess.CompletedProcess[str]:
    command = [*BURNISH, *map(str, arguments)]
    return subprocess.run(command, cwd=home, check=False, capture_output=True, text=True, timeout=180)


def prompt(asked: Asked) -> str:
    return f"{asked.reply_name}\n{asked.user}"


def recorded(folder: RunFolder) -> set[str]:
    """The prompts whose replies are in the journal."""
    try:
        with closing(open_journal(folder.journal, clock=system_clock, read_only=True)) as journal:
            return {f"{call.reply_name}\n{call.request['user']}" for call in journal.calls() if call.status == "ok"}
    except StateCorrupt:
        return set()


def test_no_event_tells_where_files_lie_on_this_machine(desk: Desk) -> None:
    """In the journal itself: whoever hands it on, or reads it over the API, sees names of files only."""
    bank, old = (
        desk.bank(sound(0), biased(1)),
        write_bank(desk.home, [{**sound(3), "correct_answer": "Q"}], "old.json"),
    )
    desk("polish", bank, "--rules-only", "--run-id", "inside", "--against", old)
    desk("decide", "inside", "q1", "accept", "--by", "Ada")
    assert desk("resume", "inside").code == 0
    assert (
        desk("polish", desk.bank(sound(0)), "--rules-only", "--run-id", "outside", "--out", "elsewhere.json").code == 0
    )
    assert book_desk.translate(desk, book_desk.spanish(), "--approve").code == 0
    found: dict[str, list[EventRecord]] = {}
    for id in ("inside", "outside", "tx"):
        with view(desk.home / "runs", id) as run:
            found[id] = list(run.journal.events())
            assert run.published(), id
    told = {str(value) for events in found.values() for event in events for value in _texts(event.data)}
    assert not [text for text in told if str(desk.home) in text and not text.startswith("openai:")]
    published = {id: [one.data["documents"][0]["path"] for one in found[id] if one.type == "published"] for id in found}
    assert published == {"inside": ["out/bank.json"], "outside": ["elsewhere.json"], "tx": ["final/final.md"]}
    assert [e.data["document"] for e in found["inside"] if e.type == "input_problem"] == ["old.json"]


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, dict | list):
        for one in value.values() if isinstance(value, dict) else value:
            yield from _texts(one)
    elif isinstance(value, str):
        yield value
