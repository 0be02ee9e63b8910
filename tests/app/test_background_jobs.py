"""BackgroundJobs: runs in processes of their own."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from burnish.app import background_jobs as module
from burnish.app.background_jobs import BackgroundJobs
from burnish.core.errors import NotFound, RunActive, UsageError
from burnish.store.lock import live_holder
from burnish.store.paths import RunFolder
from burnish.store.processes import system_clock
from tests.engine.questions_bench import biased, script, sound, write_bank

SLEEPER = (sys.executable, "-c", "import time; time.sleep(60)")
FAILING = (sys.executable, "-c", "import sys; sys.stderr.write('It broke: the disk.'); sys.exit(5)")


def until(true: Callable[[], bool], seconds: float = 20.0) -> None:
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, "it did not come true"
        time.sleep(0.02)


def a_run(runs: Path, name: str = "r") -> None:
    folder = RunFolder.at(runs, name)
    folder.root.mkdir(parents=True)
    folder.journal.write_bytes(b"")


def polished(jobs: BackgroundJobs, home: Path, *questions: dict[str, object]) -> RunFolder:
    """A bank that an errand polishes."""
    bank = write_bank(home, list(questions))
    jobs.other("r", ["polish", str(bank), "--run-id", "r"])
    return RunFolder.at(home / "runs", "r")


def test_an_errand_is_a_run_that_publishes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BURNISH_MODEL", f"scripted:{script(tmp_path / 'script.json', 'q0', 'q1')}")
    jobs, rested = BackgroundJobs(tmp_path / "runs", most=2), threading.Event()
    jobs.on_end = lambda run: rested.set()
    folder = polished(jobs, tmp_path, sound(0), biased(1))
    assert jobs.at_work() == ["r"]
    assert rested.wait(60)
    assert (folder.out / "bank.json").is_file()
    assert jobs.error_of("r") is None
    assert not jobs.is_at_work("r")


def test_only_so_many_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "COMMAND", SLEEPER)
    a_run(tmp_path, "a")
    a_run(tmp_path, "b")
    jobs = BackgroundJobs(tmp_path, most=1)
    jobs.resume("a")
    with pytest.raises(RunActive):
        jobs.resume("a")
    jobs.resume("b")
    assert jobs.at_work() == ["a"] and jobs.place("b") == 0 and jobs.place("a") is None
    jobs.close()
    with pytest.raises(UsageError, match="shutting down"):
        jobs.resume("b")


def test_queued_runs_start_in_their_order_when_one_has_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "COMMAND", SLEEPER)
    for run in "abcd":
        a_run(tmp_path, run)
    jobs = BackgroundJobs(tmp_path, most=1)
    for run in "abcd":
        jobs.resume(run)
    assert [jobs.place(run) for run in "bcd"] == [0, 1, 2]
    jobs.stop("c")
    assert [jobs.place(run) for run in "bcd"] == [0, None, 1]
    assert [jobs.idle_state(run) for run in "abcd"] == [None, "Queued", "Stopped", "Queued"]
    jobs.resume("b")
    assert jobs.place("b") == 0
    jobs.stop("a")
    until(lambda: jobs.at_work() == ["b"])
    assert jobs.place("d") == 0
    jobs.close()


def test_what_a_failed_errand_said_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "COMMAND", FAILING)
    a_run(tmp_path)
    jobs = BackgroundJobs(tmp_path, most=1)
    jobs.resume("r", approved_by="Ada")
    until(lambda: not jobs.is_at_work("r"))
    assert jobs.error_of("r") == "It broke: the disk."


def test_a_run_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(NotFound):
        BackgroundJobs(tmp_path, most=1).resume("none")


def test_a_settled_run_goes_on_after_a_while_unless_that_is_undone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "COMMAND", SLEEPER)
    for name in ("a", "b"):
        a_run(tmp_path, name)
    jobs = BackgroundJobs(tmp_path, most=1, grace=0.0)
    jobs.schedule_resume("a")
    jobs.schedule_resume("b")
    assert jobs.seconds_left("a") == 0
    jobs.cancel_resume("b")
    assert jobs.seconds_left("b") is None
    jobs.start_due()
    assert jobs.at_work() == ["a"]
    jobs.schedule_resume("b")
    jobs.start_due()  # there is no room for it: it is queued
    assert jobs.seconds_left("b") is None and jobs.place("b") == 0
    jobs.cancel_resume("b")
    assert jobs.place("b") is None
    jobs.close()


def test_one_that_cannot_go_on_is_nobody_elses_trouble(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(module, "COMMAND", SLEEPER)
    a_run(tmp_path, "there")
    jobs = BackgroundJobs(tmp_path, most=2, grace=0.0)
    jobs.schedule_resume("gone")
    jobs.schedule_resume("there")
    jobs.start_due()
    assert jobs.at_work() == ["there"]
    assert jobs.seconds_left("gone") is None
    assert "gone does not resume automatically" in caplog.text
    jobs.close()


def test_a_decision_that_was_taken_back_elsewhere_keeps_the_run_where_it_is(tmp_path: Path) -> None:
    a_run(tmp_path, "a")
    jobs = BackgroundJobs(tmp_path, most=2, grace=0.0)
    jobs.is_settled = lambda run: False
    jobs.schedule_resume("a")
    jobs.start_due()
    assert jobs.at_work() == []
    assert jobs.seconds_left("a") is None


def test_of_many_who_want_a_run_one_gets_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "COMMAND", SLEEPER)
    a_run(tmp_path, "a")
    jobs, barrier, told = BackgroundJobs(tmp_path, most=9), threading.Barrier(6), []

    def wants() -> None:
        barrier.wait()
        try:
            jobs.resume("a")
        except RunActive as refusal:
            told.append(refusal)

    threads = [threading.Thread(target=wants) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(told) == 5
    jobs.close()


def test_runs_go_on_only_when_told_to_where_the_operator_says_so(tmp_path: Path) -> None:
    jobs = BackgroundJobs(tmp_path, most=1, continues=False)
    jobs.schedule_resume("a")
    assert jobs.seconds_left("a") is None


def test_jobs_end_with_the_server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model = script(tmp_path / "script.json", *(f"q{n}" for n in range(8)), latency=0.4)
    monkeypatch.setenv("BURNISH_MODEL", f"scripted:{model}")
    monkeypatch.setenv("BURNISH_WORKERS", "1")
    jobs = BackgroundJobs(tmp_path / "runs", most=2)
    folder = polished(jobs, tmp_path, *(biased(number) for number in range(8)))
    until(lambda: live_holder(folder, system_clock) is not None)
    jobs.close()
    assert live_holder(folder, system_clock) is None
    assert folder.journal.is_file()


def test_one_that_is_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "COMMAND", SLEEPER)
    a_run(tmp_path)
    jobs = BackgroundJobs(tmp_path, most=1)
    with pytest.raises(UsageError, match="not working here"):
        jobs.stop("r")
    with pytest.raises(NotFound):
        jobs.stop("none")
    jobs.resume("r")
    jobs.stop("r", "Paused")
    until(lambda: not jobs.is_at_work("r"))
    assert jobs.idle_state("r") == "Paused"
    jobs.resume("r")
    assert jobs.idle_state("r") is None
    jobs.close()


def test_one_that_does_not_end_is_told_of(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    deaf = "import signal, sys, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); sys.stderr.write('.'); "
    monkeypatch.setattr(module, "COMMAND", (sys.executable, "-c", f"{deaf} sys.stderr.flush(); time.sleep(60)"))
    monkeypatch.setattr(module, "PATIENCE", 0.1)
    a_run(tmp_path)
    jobs = BackgroundJobs(tmp_path, most=1)
    jobs.resume("r")
    time.sleep(0.5)
    process = jobs._at_work["r"].process
    jobs.close()
    try:
        assert "still ending" in caplog.text
    finally:
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
