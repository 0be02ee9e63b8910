"""Runs on a file system that is only read: a backup, a snapshot, a mounted archive."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.app.desk import Desk
from tests.engine.questions_bench import biased, sound

MOUNT = 'mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" && exec "$@"'


def only_read(folder: Path, *commands: str) -> list[subprocess.CompletedProcess[str]]:
    """Run `burnish` commands while nobody can write to the folder. Root may write anywhere, so it mounts it so."""
    before: tuple[str, ...] = ()
    if os.geteuid() == 0:
        before = ("unshare", "-m", "sh", "-c", MOUNT, str(folder))
        if subprocess.run([*before, "true"], capture_output=True, check=False).returncode != 0:
            pytest.skip("root may write to any folder, and may not mount one here")
    folders = [folder, *(path for path in folder.rglob("*") if path.is_dir())]
    for path in folders:
        path.chmod(0o500)
    try:
        every = [[*before, sys.executable, "-m", "burnish", *command.split()] for command in commands]
        return [subprocess.run(each, capture_output=True, text=True, check=False, cwd=folder.parent) for each in every]
    finally:
        for path in folders:
            path.chmod(0o700)


def test_a_run_that_can_only_be_read_is_shown(desk: Desk) -> None:
    assert desk("polish", desk.bank(sound(0), biased(1)), "--run-id", "r", "--model", desk.model()).code == 3
    commands = ("runs", "status r", "show r q1", "report r")
    for command, said in zip(commands, only_read(desk.home / "runs", *commands), strict=True):
        assert said.returncode == 0, f"{command}: {said.stderr}"
    assert not list((desk.home / "runs" / "r").glob("*-shm"))


def test_a_run_that_cannot_be_read_is_named_and_the_others_are_listed(desk: Desk) -> None:
    """A run that was killed has a write-ahead log. SQLite reads it only where it may write."""
    assert desk("polish", desk.bank(sound(0)), "--run-id", "b", "--model", desk.model()).code == 0
    shutil.copytree(desk.home / "runs" / "b", desk.home / "runs" / "a")
    (desk.home / "runs" / "a" / "journal.sqlite-wal").write_bytes(b"\0" * 4096)
    plain, machine = only_read(desk.home / "runs", "runs", "runs --json")
    assert plain.returncode == 0, plain.stderr
    assert [line.split()[0] for line in plain.stdout.splitlines()] == ["a", "b"]
    broken, fine = json.loads(machine.stdout)["runs"]
    assert "cannot be used" in broken["error"] and fine["id"] == "b"
