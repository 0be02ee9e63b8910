import os
import subprocess
import sys
from dataclasses import replace

import pytest

from burnish.store.processes import LiveProcess, ProcessIdentity, look_up, this_process, whereabouts

HERE = ProcessIdentity(100, "vm", 5000, "boot-1", "machine-1", "pid:[1]")


def seen(live: LiveProcess | None) -> object:
    return lambda pid: live


@pytest.mark.parametrize(
    ("changes", "live", "answer"),
    [
        ({}, LiveProcess(5000), "alive"),
        ({}, LiveProcess(None), "alive"),
        ({"process_start": None}, LiveProcess(7), "alive"),
        ({}, None, "dead_process"),
        ({}, LiveProcess(9999), "reused_pid"),
        ({"boot_id": "boot-0"}, LiveProcess(5000), "rebooted"),
        ({"boot_id": None}, LiveProcess(5000), "alive"),
        ({"host": "other"}, None, "elsewhere"),
        ({"machine_id": "machine-2"}, None, "elsewhere"),
        ({"machine_id": "machine-2", "boot_id": "boot-0"}, None, "elsewhere"),
        ({"machine_id": None, "boot_id": "boot-0"}, None, "elsewhere"),
        ({"pid_namespace": "pid:[2]"}, None, "elsewhere"),
    ],
)
def test_whereabouts(changes: dict[str, object], live: LiveProcess | None, answer: str) -> None:
    other = replace(HERE, **changes)  # type: ignore[arg-type]
    assert whereabouts(other, HERE, seen(live)) == answer  # type: ignore[arg-type]


def test_this_process_finds_itself() -> None:
    me = this_process()
    assert me.pid == os.getpid()
    assert whereabouts(me, me, look_up) == "alive"


def test_a_process_that_ended_is_not_there_even_before_its_parent_asks() -> None:
    child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    assert look_up(child.pid) is not None
    child.kill()
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)  # ended, but still a zombie
    assert look_up(child.pid) is None
    child.communicate()
    assert look_up(child.pid) is None


def test_a_number_that_can_be_no_pid_is_nobody() -> None:
    assert look_up(10**30) is None


def test_a_process_of_another_user_is_alive(monkeypatch: pytest.MonkeyPatch) -> None:
    def forbidden(pid: int, signal: int) -> None:
        raise PermissionError

    monkeypatch.setattr(os, "kill", forbidden)
    assert look_up(os.getpid()) is not None


def test_where_proc_is_hidden_a_process_is_still_alive(monkeypatch: pytest.MonkeyPatch) -> None:
    def hidden(self: object, *args: object, **options: object) -> str:
        raise FileNotFoundError

    monkeypatch.setattr("pathlib.Path.read_text", hidden)
    monkeypatch.setattr("pathlib.Path.readlink", hidden)
    assert look_up(os.getpid()) == LiveProcess(None)
    me = this_process()
    assert (me.process_start, me.boot_id, me.pid_namespace) == (None, None, None)
