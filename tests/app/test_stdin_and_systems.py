"""Standard input as a document, `python -m burnish`, and a system that lacks what only POSIX has."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

BANK = b'[{"id":"a","stem":"Which organ is NOT red?","options":["Heart","Liver","Bone"],"answer":"C"}]'


def burnish(
    *arguments: str, given: bytes = b"", cwd: Path | None = None, **env: str
) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "burnish", *arguments]
    return subprocess.run(command, input=given, cwd=cwd, capture_output=True, env={**os.environ, **env}, check=False)


def test_standard_input_is_checked() -> None:
    done = burnish("check", "-", "--format", "json", given=BANK)
    report = json.loads(done.stdout)
    assert done.returncode == 1 and report["documents"][0]["path"] == "stdin"
    assert [finding["rule"] for finding in report["documents"][0]["units"][0]["findings"]] == [
        "nbme_negation_detection"
    ]


def test_a_name_tells_the_format_of_standard_input() -> None:
    aiken = b"Which organ makes bile?\nA. Liver\nB. Heart\nC. Spleen\nANSWER: A\n"
    done = burnish("check", "-", "--stdin-name", "quiz.aiken", given=aiken)
    assert done.returncode == 0 and done.stdout.endswith(b"\n\nClean. 1 question in 1 document.\n")
    lesson = burnish("check", "-", "--kind", "lessons", given=b"# Bread\n\nBread is made of\n")
    assert b"stdin.md:3" in lesson.stdout


@pytest.mark.parametrize(
    ("arguments", "given", "said"),
    [
        (("check", "-"), b"", b"The file is empty."),
        (("check", "-", "--fix"), BANK, b"Standard input cannot be fixed"),
        (("check", "--stdin-name", "x.json", "nowhere.json"), b"", b"--stdin-name needs -"),
    ],
)
def test_what_standard_input_cannot_be(arguments: tuple[str, ...], given: bytes, said: bytes) -> None:
    done = burnish(*arguments, given=given)
    assert done.returncode == 2 and said in done.stdout + done.stderr


POSIX_ONLY = """
import builtins, os, signal, sys
names = {"fcntl", "resource", "pwd", "grp", "termios", "tty", "pty", "readline", "syslog", "posix"}
original = builtins.__import__
def refuse(name, globals=None, *rest, **more):
    importer = (globals or {}).get("__name__") or ""
    if name in names and importer.startswith("burnish"):
        raise ModuleNotFoundError(f"No module named {name!r} (as on Windows), asked for by {importer}")
    return original(name, globals, *rest, **more)
builtins.__import__ = refuse
for name in ("O_NOFOLLOW", "O_CLOEXEC", "O_DIRECTORY", "O_NONBLOCK", "fchmod"):
    if name not in %s:
        delattr(os, name)
for name in ("SIGALRM", "setitimer", "pthread_sigmask", "ITIMER_REAL"):
    delattr(signal, name)
"""
NEEDED_BY_OTHERS = ("O_CLOEXEC", "O_DIRECTORY", "O_NONBLOCK", "fchmod")
"""Python's own library or a package uses these on Linux."""


AT_WORK = """
import signal
from burnish.cli.main import main
import burnish.web.server, burnish.api.runs

assert not hasattr(signal, "SIGALRM")
lines = {"check bank.json": 1, "polish bank.json --run-id one": 3, "status one": 0, "serve --help": 0}
ended = {line: main(line.split()) for line in lines}
assert ended == lines, ended
"""


def test_a_system_without_posix_checks_polishes_and_serves(tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(POSIX_ONLY % repr(NEEDED_BY_OTHERS))
    (tmp_path / "bank.json").write_bytes(BANK)
    env = {**os.environ, "PYTHONPATH": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", AT_WORK], cwd=tmp_path, env=env, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
